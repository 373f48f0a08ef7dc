"""HTTP connections and their limits.

aiohttp reads requests and writes answers. A `HttpConnection` stands around each of its connections and tells
the listener what it does. It hands bytes on in small pieces, each in its turn (`jackpot.web.http_budget`),
and reads no further meanwhile. It is cut if it asks for nothing, does not read its answer, or sends where it
may only receive. An error while handling it ends it alone. What is refused says why, and repeats nothing that
a stranger sent.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Final, Protocol, TypeVar, cast

import structlog
from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from jackpot.clock import CHARGED, Clock, thread_seconds
from jackpot.net.admission import ConnectionAdmission
from jackpot.net.listener import Listener
from jackpot.runtime.isolate import failed, isolate
from jackpot.web.ciphertext import DECRYPTED_AT_ONCE, Ciphertext, Tls
from jackpot.web.client_address import bare_address, client_address, rate_limit_group, site_network
from jackpot.web.host_names import check_host
from jackpot.web.http_budget import BudgetShare, HttpBudget, Payer
from jackpot.web.http_charge import Charge, Metered
from jackpot.web.http_requests import Requests, fault

# From its connection, or the last answer, to a whole head. A browser needs milliseconds, and a client that
# keeps a connection for longer than this between two requests opens another one. The time in which it waits
# for a turn does not count.
HEAD_WITHIN_S: Final = 10.0
# aiohttp's own limit of that counts the time in a queue that it does not know of, so it gets none: a year.
NO_LIMIT_S: Final = 365 * 86_400.0
# A TLS handshake, with the turns that it waits for while others flood. One that says nothing meanwhile gives
# its place to the next that comes.
HANDSHAKE_S: Final = 30
# Receivers are told to go. One that does not hear it must not delay the end.
SHUTDOWN_S: Final = 2.0
# A client that reads nothing of its answer for this long will not read it. A stream has a limit of its own,
# which is the same.
UNREAD_S: Final = 10.0
# A whole record of TLS, decrypted.
RECORD_MAX: Final = 16 * 1024
# Read from one connection at once. What was not parsed yet is kept, so this bounds the memory of each. With a
# piece of ciphertext at most one record ends of the pieces before it, so all that comes of it has room.
READ_MAX: Final = RECORD_MAX + DECRYPTED_AT_ONCE
# Parsed in one turn: a whole head of any browser, and a millisecond for the worst bytes there are.
PARSED_AT_ONCE: Final = 4 * 1024
# A piece ends behind a head, but none is shorter than this: a turn costs more than to parse so little.
PARSED_MIN: Final = 64
# What a turn costs at least: to read, to queue and to wake, besides what is parsed.
TURN_S: Final = 0.00005
# Bytes that a receiver of a stream may send: at once, and each second from then on. Pings, pongs and the
# close of a WebSocket are some ten bytes each.
STREAM_HEARD_MAX: Final = 1_024
STREAM_HEARD_RATE: Final = 64.0
# Where probes ask whether the process is alive and ready.
PROBES: Final = ("/readyz", "/healthz")
PROBING: Final = ("GET", "HEAD")
_PROBE_LINES: Final = tuple(f"{method} {path} ".encode() for method in PROBING for path in PROBES)
# Requests that are refused before anybody looks at what they ask for, by the answer's status.
REFUSED: Final = {400: "malformed", 403: "origin", 421: "host", 503: "streams"}
# Receivers of streams that were cut because they sent more than they may.
TALKING: Final = "talking"
T = TypeVar("T")
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
log: Final = structlog.get_logger()


class PausableTimeout:
    """A timeout that can be paused."""

    def __init__(self, limit: asyncio.Timeout) -> None:
        self._limit = limit
        self._left: float | None = None

    def pause(self) -> None:
        """Pauses the timeout."""
        if (ends := self._limit.when()) is not None and not self._limit.expired():
            self._left = ends - asyncio.get_running_loop().time()
            self._limit.reschedule(None)

    def go_on(self) -> None:
        """Resumes the timeout."""
        if self._left is not None:
            self._limit.reschedule(asyncio.get_running_loop().time() + self._left)
            self._left = None


class PausableSource(Protocol):
    """The source of bytes, which can be paused: a socket, or the turns before TLS."""

    def pause_reading(self) -> None: ...
    def resume_reading(self) -> None: ...


class HttpConnection(asyncio.BufferedProtocol):
    """One HTTP connection, around aiohttp's own protocol. handling: the request that is answered now."""

    kind = "http"
    # Bytes are taken out of it before anything else is read. It is a view: TLS fills it record by record
    # through slices. A slice of a bytearray is a copy, which would leave what the client before had sent.
    # It has room for more than ever comes: TLS that has filled it would go on outside of the turn.
    _read: Final = memoryview(bytearray(READ_MAX + 1))

    def __init__(
        self, connections: "HttpConnections", inner: Requests, admission: ConnectionAdmission, *, admin: bool
    ) -> None:
        self._connections = connections
        self._inner = inner
        inner.connection = self
        self.admission = admission
        self.handling: web.BaseRequest | None = None
        self._admin = admin
        self._flow: PausableSource | None = None
        self._payer: Payer
        self._charge: Charge | None = None
        self._unparsed = b""
        self._held = False
        self._parses = False
        self._reads = True
        # Turns that it waits for, since when, and when a head must be there.
        self._waiting = 0
        self._waits_since = 0.0
        self._head_due = 0.0
        self._patience: PausableTimeout | None = None
        self._stream_may_send: float | None = None
        self._stream_at = 0.0
        self._unread_since: float | None = None
        self._transport: asyncio.Transport
        # The tasks whose result only this client needs.
        self.works: asyncio.Task[Any] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - what a listener gives
        began, self._transport = thread_seconds(), transport
        if plain := self._flow is None:
            self.meet(transport, transport)
        self._head_due = self._connections.clock.monotonic() + HEAD_WITHIN_S
        self._connections.all.add(self)
        self.admission.connected(self)
        isolate(self, self._inner.connection_made, transport)
        if plain:  # else it is part of a turn
            self.spend(thread_seconds() - began)

    def meet(self, flow: "PausableSource", transport: asyncio.Transport) -> None:
        """The connection has that socket. flow: pauses its bytes, before TLS or without it."""
        self._flow = flow
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if isinstance(peer, tuple) else self.admission.address
        self._payer = self._connections.payer(address, admin=self._admin)

    def wait(self, payer: Payer, work: Callable[[], None]) -> None:
        """Calls `work` in a turn of that payer. Meanwhile none of this connection's timeouts run."""
        if not self._waiting:
            self._waits_since = self._connections.clock.monotonic()
            self.admission.asks()
            if self._patience is not None:
                self._patience.pause()
        self._waiting += 1

        def come() -> None:
            self._waiting -= 1
            if not self._waiting:
                self._head_due += self._connections.clock.monotonic() - self._waits_since
                if self._patience is not None:
                    self._patience.go_on()
            try:
                work()
            finally:
                self._rest()

        self._connections.budget.turn(payer, come)

    @asynccontextmanager
    async def comes_within(self, seconds: float) -> AsyncIterator[None]:
        """A timeout for what the client sends, as `comes_within`."""
        async with asyncio.timeout(seconds) as limit:
            self._patience = PausableTimeout(limit)
            if self._waiting:
                self._patience.pause()
            try:
                yield
            finally:
                self._patience = None

    def _rest(self) -> None:
        """Tells the listener's admission that nothing is being done for it."""
        if not self._waiting and self.handling is None and not self._inner.asked:
            self.admission.idle(served=False)

    def decrypt(self, work: Callable[[], None]) -> None:
        """Has a piece of this connection's ciphertext decrypted in a turn of its payer."""

        def decrypt() -> None:
            payer, began = self._payer, thread_seconds()
            isolate(self, work)
            self._connections.budget.charge(payer, max(thread_seconds() - began, TURN_S))

        self.wait(self._payer, decrypt)

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - it is as long as it is
        return self._read if isinstance(self._flow, Ciphertext) else self._read[:READ_MAX]

    def buffer_updated(self, nbytes: int) -> None:
        self.admission.heard()
        if self._stream_may_send is not None and not self._stream_sent(nbytes):
            return
        self._unparsed += self._read[:nbytes]
        self._go_on()

    def _go_on(self) -> None:
        """Asks for a turn to parse what came, and reads only if nothing waits to be parsed."""
        if self._transport.is_closing():
            return
        wanted = self._stream_may_send is not None or self._inner.wants_more
        if self._unparsed and wanted and not self._held and not self._parses:
            self._parses = True
            self.wait(self._parser(), self._parse)
        self._read_on(reads=not self._unparsed and not self._held)

    def _read_on(self, *, reads: bool) -> None:
        if reads == self._reads or self._flow is None:
            return
        self._reads = reads
        if reads:
            self._flow.resume_reading()
        else:
            self._flow.pause_reading()

    @property
    def _probes(self) -> bool:
        """Whether a probe's request line is next. Elsewhere the same bytes are part of something else."""
        between = self._inner.between and self.handling is None and not self._inner.asked
        return (
            between and self._payer.share is BudgetShare.STRANGER and self._unparsed.startswith(_PROBE_LINES)
        )

    def _parser(self) -> Payer:
        """The payer of the next piece: a probe, by its first line, else the payer of this connection."""
        return self._connections.probe(self._payer) if self._probes else self._payer

    def _parse(self) -> None:
        """Parses one piece with aiohttp; not more than one head."""
        self._parses = False
        payer, began = self._parser(), thread_seconds()
        head = -1
        if self.handling is None:
            # A probe pays for its own head alone.
            head = self._unparsed.find(b"\r\n\r\n", 0 if self._probes else PARSED_MIN, PARSED_AT_ONCE)
        size = PARSED_AT_ONCE if head < 0 else head + 4
        piece, self._unparsed = self._unparsed[:size], self._unparsed[size:]
        if not self._transport.is_closing():
            isolate(self, self._inner.data_received, piece)
        self._connections.budget.charge(payer, max(thread_seconds() - began, TURN_S))
        self._go_on()

    def hold(self, *, on: bool) -> None:
        """Pauses while aiohttp has no room for more bytes."""
        self._held = on
        self._go_on()

    def spend(self, seconds: float) -> None:
        """Charges processor time of this connection that belongs to no request."""
        self._connections.budget.charge(self._payer, seconds)

    async def handle(self, request: web.BaseRequest, work: Coroutine[Any, Any, T]) -> T:
        """Handles a request when it is its turn, and charges what it costs."""
        self.handling = request
        self._inner.note_newest(request._message, request.content)  # noqa: SLF001 - it has no other way to it
        charge = self._charge = Charge(self._connections.budget, self._payer_of(request))
        turn = asyncio.get_running_loop().create_future()

        def admit() -> None:
            if not turn.done():
                charge.begin()
                turn.set_result(None)

        try:
            self.wait(charge.payer, admit)
            try:
                await turn
            except BaseException:
                work.close()
                raise
            CHARGED.set(charge.spend)
            try:
                return await Metered(work, charge.spend)
            finally:
                charge.settle()
        finally:
            self.handling = self._charge = None
            self._head_due = self._connections.clock.monotonic() + HEAD_WITHIN_S
            self._rest()
            self._go_on()

    def _payer_of(self, request: web.BaseRequest) -> Payer:
        """The payer of a request. Behind a named proxy it is the client that the proxy names."""
        payer = self._payer
        if payer.share is BudgetShare.PROXY:
            address = client_address(request, self._connections.proxies)
            payer = self._connections.stranger(address)
        if payer.share is BudgetShare.STRANGER and request.method in PROBING and request.path in PROBES:
            return self._connections.probe(payer)
        return payer

    def known(self, person: int) -> None:
        """Makes that person the payer of the request, and of what comes on this connection after it."""
        charge = self._charge
        if charge is None or charge.payer.share not in (BudgetShare.STRANGER, BudgetShare.PERSON):
            return
        payer = self._connections.budget.payer(BudgetShare.PERSON, str(person))
        if charge.payer is not payer:
            charge.move(payer)
        if self._payer.share is not BudgetShare.PROXY:
            self._payer = payer

    def streams(self) -> None:
        """Makes it a stream, which only receives: what it sends is counted before it is parsed."""
        self._stream_may_send = float(STREAM_HEARD_MAX)
        self._stream_at = self._connections.clock.monotonic()
        self._stream_sent(len(self._unparsed))

    def _stream_sent(self, size: int) -> bool:
        """Counts bytes that a stream's client sent; False if they are too many, and it is cut."""
        assert self._stream_may_send is not None  # noqa: S101 - it is one
        now = self._connections.clock.monotonic()
        may = self._stream_may_send + (now - self._stream_at) * STREAM_HEARD_RATE
        self._stream_may_send = min(may, STREAM_HEARD_MAX) - size
        self._stream_at = now
        if self._stream_may_send >= 0:
            self._go_on()
            return True
        self._read_on(reads=False)
        reason = f"a receiver of a stream sent more than {STREAM_HEARD_MAX} bytes"
        self._connections.count(TALKING, self._address(), reason)
        self.break_off()
        return False

    def _address(self) -> str:
        """The peer's address; of the admin socket its user."""
        peer = self._transport.get_extra_info("peername")
        return str(peer[0]) if isinstance(peer, tuple) else self.admission.address

    def eof_received(self) -> bool | None:
        return isolate(self, self._inner.eof_received)

    def connection_lost(self, exc: Exception | None) -> None:
        began = thread_seconds()
        self._connections.all.discard(self)
        self.admission.left()
        if self.works is not None:
            self.works.cancel()
        isolate(self, self._inner.connection_lost, exc)
        self.spend(thread_seconds() - began)

    def pause_writing(self) -> None:
        self._unread_since = self._connections.clock.monotonic()
        isolate(self, self._inner.pause_writing)

    def resume_writing(self) -> None:
        self._unread_since = None
        isolate(self, self._inner.resume_writing)

    def sweep(self, now: float) -> None:
        """Cuts a connection that does not read; ends an idle one. One that ends hears a goodbye."""
        if self._unread_since is not None and now - self._unread_since >= UNREAD_S:
            self.break_off()
        elif self._transport.is_closing():
            self._read_on(reads=True)
        elif self._inner.idle and not self._waiting and now >= self._head_due:
            self._inner.force_close()

    def evict(self) -> None:
        """Evicts it: it was idle while others came."""
        self.break_off()

    def break_off(self) -> None:
        """Ends it, even if something was not sent."""
        self._transport.abort()


class HttpConnections:
    """All HTTP connections of a process. refused: by what REFUSED names, and TALKING.

    proxies, scrapers: addresses, as in [listen].
    """

    def __init__(self, clock: Clock, proxies: Collection[str] = (), scrapers: Collection[str] = ()) -> None:
        self.clock = clock
        self.all: set[HttpConnection] = set()
        self.refused = dict.fromkeys((*REFUSED.values(), TALKING), 0)
        self.budget = HttpBudget(clock)
        self.proxies = frozenset(proxies)
        self._scrapers = frozenset(scrapers)

    def payer(self, address: str, *, admin: bool) -> Payer:
        """The payer of a connection from that address, until its requests say more."""
        if admin:
            return self.budget.payer(BudgetShare.ADMIN, address)
        plain = bare_address(address)
        if plain in self._scrapers:
            return self.budget.payer(BudgetShare.SCRAPER, rate_limit_group(address))
        if plain in self.proxies:
            return self.budget.payer(BudgetShare.PROXY, rate_limit_group(address))
        return self.stranger(address)

    def stranger(self, address: str) -> Payer:
        """The payer of requests of that address, until they are authenticated."""
        return self.budget.payer(BudgetShare.STRANGER, rate_limit_group(address), site_network(address))

    def probe(self, stranger: Payer) -> Payer:
        """The payer of a probe from that address."""
        return self.budget.payer(BudgetShare.PROBE, stranger.key, stranger.network_key)

    def sweep(self) -> None:
        """Lets time pass; about ten times a second."""
        now = self.clock.monotonic()
        for connection in tuple(self.all):
            isolate(connection, connection.sweep, now)

    def refuse(self, status: int, address: str | None, reason: str) -> None:
        """Counts a refused request by its status, and logs it."""
        self.count(REFUSED[status], address, reason)

    def count(self, code: str, address: str | None, reason: str) -> None:
        """Counts what was refused by its code, and logs it."""
        self.refused[code] += 1
        log.warning(
            "http_refused", code=code, address=address, reason=reason[:200], kind=code, source=address
        )

    async def serve(
        self, app: web.Application, listener: Listener, hosts: Collection[str] | None
    ) -> tuple[web.AppRunner, int]:
        """Serves `app` at a listener until the runner is cleaned up; the listener's port.

        hosts: as `middleware` takes them. Raises OSError.
        """
        app.middlewares.append(self.middleware(hosts))
        runner = web.AppRunner(app, handle_signals=False, shutdown_timeout=SHUTDOWN_S)
        await runner.setup()
        server, logger, loop = runner.server, self.logger(), asyncio.get_running_loop()
        assert server is not None  # noqa: S101 - as it was set up

        def connection(admission: ConnectionAdmission) -> HttpConnection:
            requests = Requests(
                server,
                loop=loop,
                access_log=cast("Any", None),  # so aiohttp itself says that there is none
                keepalive_timeout=NO_LIMIT_S,
                logger=logger,
                auto_decompress=False,  # a stranger's 200 KB would be 200 MB, unpacked while the tables wait
            )
            return HttpConnection(self, requests, admission, admin=hosts is None)

        share = BudgetShare.ADMIN if hosts is None else BudgetShare.LISTENER
        payer = self.budget.payer(share, listener.name)

        def accept(work: Callable[[], None]) -> None:
            self.budget.turn(payer, lambda: self._paid(payer, work))

        async def connect(admission: ConnectionAdmission) -> None:
            await Metered(
                _connect(connection(admission), listener), lambda seconds: self.budget.charge(payer, seconds)
            )

        return runner, listener.listen_in_turns(connect, accept)

    def _paid(self, payer: Payer, work: Callable[[], None]) -> None:
        """Handles it, and charges its cost."""
        began = thread_seconds()
        try:
            work()
        finally:
            self.budget.charge(payer, max(thread_seconds() - began, TURN_S))

    def middleware(self, hosts: Collection[str] | None) -> Any:
        """Wraps every request: it must ask for a name of ours, and its errors end it alone.

        hosts: None if no browser gets to it.
        """

        @web.middleware
        async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
            if (connection := _visitor(request)) is None:
                return web.Response()  # nobody is there to read it
            connection.admission.busy()
            served = False
            try:
                if hosts is not None:
                    check_host(request, hosts)
                answer = await handler(request)
                served = True
                return answer
            except web.HTTPException as refusal:
                if refusal.status in REFUSED:
                    self.refuse(refusal.status, request.remote, refusal.text or "")
                raise
            except ConnectionError:
                raise  # the receiver is gone, which is no fault
            except Exception as error:
                failed("http", request.match_info.handler.__qualname__, error)
                raise web.HTTPInternalServerError(text="this failed; the log says why\n") from error
            finally:
                connection.admission.idle(served=served)

        return guarded

    def logger(self) -> logging.Logger:
        """The logger for aiohttp."""
        return _AiohttpErrors(self)


class _AiohttpErrors(logging.Logger):
    """Counts what aiohttp would log with a traceback: a malformed request, or an answer that failed."""

    def __init__(self, connections: HttpConnections) -> None:
        super().__init__("jackpot.http")
        self._connections = connections

    def debug(self, msg: object, *args: object, **facts: Any) -> None:
        if facts.get("exc_info") is not None:
            self.exception(msg, *args, **facts)

    def exception(self, msg: object, *args: object, exc_info: Any = True, **_facts: Any) -> None:
        if isinstance(exc_info, HttpProcessingError):
            self._connections.refuse(400, str(args[0]) if args else None, fault(exc_info))
        elif isinstance(exc_info, Exception) and not isinstance(exc_info, ConnectionError):
            failed("http", str(msg), exc_info)  # else the receiver is gone, which is no fault


async def while_there(request: web.Request, work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`; if the client leaves before, `work` is cancelled with its request.

    For what changes nothing: an act goes on, whether its client waits for the answer or not.
    """
    if (connection := _visitor(request)) is None:
        work.close()
        raise ConnectionResetError("nobody is there to read it")
    connection.works = asyncio.current_task()
    try:
        return await work
    finally:
        connection.works = None


def comes_within(request: web.Request, seconds: float) -> AbstractAsyncContextManager[Any]:
    """Raises TimeoutError if a body does not come in time. Waiting for its turns does not count."""
    connection = _visitor(request)
    return asyncio.timeout(seconds) if connection is None else connection.comes_within(seconds)


def listens_only(request: web.Request) -> None:
    """Marks the client as a receiver of a stream from now on."""
    if (connection := _visitor(request)) is not None:
        connection.streams()


def known_as(request: web.Request, person: int) -> None:
    """Makes that person the payer of the request."""
    if (connection := _visitor(request)) is not None:
        connection.known(person)


def _visitor(request: web.Request) -> HttpConnection | None:
    transport = request.transport
    if transport is None:
        return None
    connection = transport.get_protocol()
    assert isinstance(connection, HttpConnection)  # noqa: S101 - what a listener's factory gave
    return connection


async def _connect(connection: HttpConnection, listener: Listener) -> None:
    """Gives an admitted socket its HttpConnection, with or without TLS. Raises OSError."""
    raw, loop = connection.admission.raw, asyncio.get_running_loop()
    assert raw is not None  # noqa: S101 - as it was accepted
    if listener.tls is None:
        await loop.connect_accepted_socket(lambda: connection, raw)
        return
    ready = loop.create_future()
    tls = Tls(loop, connection, listener.tls, ready, server_side=True, ssl_handshake_timeout=HANDSHAKE_S)
    socket, _ = await loop.connect_accepted_socket(
        lambda: Ciphertext(tls, connection.meet, connection.decrypt), raw
    )
    try:
        await ready
    except BaseException:
        socket.close()
        raise
    if connection.admission.protocol is None:
        raise ConnectionResetError("it left before its handshake was over")
