"""Live meters over WebSocket and server-sent events, as JSON.

The messages are the floor protocol's own. Each is framed once for all receivers of the same links and written
to their connections unchanged. A receiver that has not read its last values is passed over
(`jackpot.publish.board`), and is cut once it has read nothing for 10 s. A receiver has nothing to say: one
that sends more than pings and a close is cut before that is parsed (`jackpot.web.http_connection`).
"""

import asyncio
import secrets
from collections.abc import Collection, Iterable
from typing import Final

import msgspec
from aiohttp import WSMsgType, web

from controllers.answers import Notice, ServerMessage, Welcome
from controllers.hello import VERSION
from jackpot.clock import Clock
from jackpot.config.settings import STREAMS_PER_ADDRESS
from jackpot.net.device_protocol import write_through
from jackpot.net.signs import SIGN_SEND_BUFFER, SIGN_UNREAD_MAX, SIGN_UNREAD_S
from jackpot.publish.board import MeterBoard
from jackpot.publish.broadcaster import Form, Subscription
from jackpot.runtime.isolate import isolate
from jackpot.web.client_address import client_address, rate_limit_group
from jackpot.web.http_connection import listens_only

# The whole snapshot comes at least this often (WIRE): a receiver that hears nothing for 2 of these has lost
# us.
HEARTBEAT_MS: Final = 5_000
# Receivers at once, on all HTTP listeners: many walls of screens, but fewer than the files a process may
# open.
STREAMS_MAX: Final = 1_000
# Nothing is expected from a receiver; a browser's close and pong are shorter still.
HEARD_MAX: Final = 1_024

_TEXT_FRAME: Final = 0x81
_LENGTH_16: Final = 126
_LENGTH_64: Final = 127


def websocket_frame(message: ServerMessage) -> bytes:
    """A message as one whole unmasked WebSocket text frame (RFC 6455, 5.2)."""
    text = msgspec.json.encode(message)
    length = len(text)
    if length < _LENGTH_16:
        return bytes((_TEXT_FRAME, length)) + text
    if length < 1 << 16:
        return bytes((_TEXT_FRAME, _LENGTH_16)) + length.to_bytes(2, "big") + text
    return bytes((_TEXT_FRAME, _LENGTH_64)) + length.to_bytes(8, "big") + text


def event_chunk(message: ServerMessage) -> bytes:
    """A message as one server-sent event, in one chunk of an HTTP/1.1 body."""
    event = b"data: " + msgspec.json.encode(message) + b"\n\n"
    return b"%x\r\n%b\r\n" % (len(event), event)


class Stream:
    """One receiver: a watcher of boards that writes to its connection.

    over: set once it must end. shown: what each board shows it, which ends with it.
    """

    kind = "stream"

    def __init__(self, transport: asyncio.Transport, address: str, clock: Clock) -> None:
        self.address = address
        self.over = asyncio.Event()
        self.shown: list[Subscription] = []
        self._transport = transport
        self._clock = clock
        self._unread_since: float | None = None
        write_through(transport, SIGN_SEND_BUFFER)

    def tell(self, frame: bytes) -> None:
        """A push that must not be lost; a receiver that lets too many wait is cut."""
        if self._transport.is_closing():
            self.over.set()
            return
        self._transport.write(frame)
        if self._transport.get_write_buffer_size() > SIGN_UNREAD_MAX:
            self.break_off()

    def show(self, frame: bytes) -> bool:
        """Sends meter values; refused while earlier bytes have not left."""
        if self._transport.get_write_buffer_size():
            return False
        self.tell(frame)
        return True

    def sweep(self, now: float) -> None:
        """Cuts a receiver that is gone, or has read nothing for 10 s."""
        if self._transport.is_closing():
            self.over.set()
        elif not self._transport.get_write_buffer_size():
            self._unread_since = None
        elif self._unread_since is None:
            self._unread_since = now
        elif now - self._unread_since >= SIGN_UNREAD_S:
            self.break_off()

    def break_off(self) -> None:
        """Ends the connection, even if something was not sent."""
        self._transport.abort()
        self.over.set()


class LiveStreams:
    """Every receiver on the HTTP listeners. boards: of all banks. proxies: as in [listen]."""

    def __init__(
        self,
        boards: Iterable[MeterBoard],
        clock: Clock,
        of_address: int = STREAMS_PER_ADDRESS,
        proxies: Collection[str] = (),
    ) -> None:
        self.streams: set[Stream] = set()
        self._of_address = of_address
        self._proxies = frozenset(proxies)
        self._boards = list(boards)
        self._clock = clock

    @property
    def links(self) -> frozenset[str]:
        """All links."""
        return frozenset(link for board in self._boards for link in board.links)

    def notices(self, link: str) -> tuple[Notice, ...]:
        """The notices of a link that stand (P2)."""
        return next((told for board in self._boards if (told := board.notices.get(link))), ())

    def must_hit_by(self, links: Collection[str]) -> list[tuple[str, str, int]]:
        """The sums by which mystery levels of these links must hit, as `MeterBoard.must_hit_by`."""
        return [told for board in self._boards for told in board.must_hit_by(links)]

    def sweep(self) -> None:
        """Lets time pass; about ten times a second."""
        now = self._clock.monotonic()
        for stream in tuple(self.streams):
            isolate(stream, stream.sweep, now)

    async def end(self) -> None:
        """Ends every receiver; each connects again, to another process that serves it."""
        for stream in tuple(self.streams):
            stream.over.set()

    async def websocket(self, request: web.Request) -> web.StreamResponse:
        """GET /ws/meters?links=a,b: until either side ends it."""
        links = self._chosen(request)
        # A page of another site must not read the floor through a browser that can reach it.
        origin = request.headers.get("Origin")
        if origin is not None and origin.partition("://")[2] != request.host:
            raise web.HTTPForbidden(text="another site's page may not read this\n")
        response = web.WebSocketResponse(compress=False, max_msg_size=HEARD_MAX, timeout=1.0)
        try:
            await response.prepare(request)
        except web.HTTPBadRequest as refusal:  # whose words repeat what was sent
            raise web.HTTPBadRequest(text="this is no handshake of a WebSocket\n") from refusal
        stream = self._open(request, websocket_frame, links)
        try:
            async with asyncio.TaskGroup() as group:
                listening = group.create_task(_listen(response, stream))
                await stream.over.wait()
                listening.cancel()
        finally:
            self._close(stream)
        await response.close()
        return response

    async def events(self, request: web.Request) -> web.StreamResponse:
        """GET /events/meters?links=a,b: until either side ends it."""
        links = self._chosen(request)
        if request.version < (1, 1):
            raise web.HTTPUpgradeRequired(text="events need HTTP/1.1\n")
        headers = {"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
        response = web.StreamResponse(headers=headers)
        response.enable_chunked_encoding()
        await response.prepare(request)
        stream = self._open(request, event_chunk, links)
        try:
            await stream.over.wait()
        finally:
            self._close(stream)
        response.force_close()
        return response

    def _chosen(self, request: web.Request) -> frozenset[str]:
        """The links asked for. Raises HTTPNotFound for an unknown one, HTTPServiceUnavailable when full."""
        asked = request.query.get("links")
        links = self.links if asked is None else frozenset(filter(None, asked.split(",")))
        if links - self.links:
            raise web.HTTPNotFound(text=f"there is no link {min(links - self.links)}\n")
        if len(self.streams) >= STREAMS_MAX:
            raise web.HTTPServiceUnavailable(text="too many receivers\n", headers={"Retry-After": "10"})
        address = self._address(request)
        if sum(stream.address == address for stream in self.streams) >= self._of_address:
            raise web.HTTPServiceUnavailable(
                text="too many receivers at this address\n", headers={"Retry-After": "10"}
            )
        return links

    def _open(self, request: web.Request, form: Form, links: frozenset[str]) -> Stream:
        """Opens a stream: its welcome, whole snapshots with states, and the hits of the last minute."""
        transport = request.transport
        if transport is None:
            raise web.HTTPServiceUnavailable(text="the connection is gone\n")
        stream = Stream(transport, self._address(request), self._clock)
        self.streams.add(stream)
        listens_only(request)
        welcome = Welcome(
            v=VERSION,
            session=secrets.token_hex(8),
            heartbeat_ms=HEARTBEAT_MS,
            links=tuple(fact for board in self._boards for fact in board.facts(sorted(links))),
        )
        stream.tell(form(welcome))
        for board in self._boards:
            stream.shown.append(board.broadcaster.watch(stream, links.intersection(board.links), form=form))
        for board in self._boards:
            for hit in board.recent_hits(links):
                stream.tell(form(hit))
        return stream

    def _address(self, request: web.Request) -> str:
        """The address by which streams are limited."""
        return rate_limit_group(client_address(request, self._proxies))

    def _close(self, stream: Stream) -> None:
        self.streams.discard(stream)
        for end in stream.shown:
            end()


async def _listen(response: web.WebSocketResponse, stream: Stream) -> None:
    """Reads until the receiver closes; drops what it says."""
    while (await response.receive()).type in (WSMsgType.TEXT, WSMsgType.BINARY):
        pass
    stream.over.set()
