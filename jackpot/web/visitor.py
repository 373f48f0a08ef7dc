"""HTTP connections: their limits, and the names by which browsers may ask for the server.

aiohttp reads requests and writes answers; around each of its connections stands a `Visitor`, which tells the
door what it does. It hands bytes on in small pieces, each in its turn (`jackpot.web.http_budget`), and reads
no further meanwhile. It is cut if it does not read its answer, or talks where it has only to listen. An error
while handling it ends it alone.
"""

import asyncio
import ipaddress
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Coroutine, Generator
from typing import Any, Final, TypeVar, cast

import structlog
from aiohttp import hdrs, web
from aiohttp.http_exceptions import HttpProcessingError

from jackpot.clock import CHARGED, Clock, thread_seconds
from jackpot.server.alone import alone, failed
from jackpot.server.door import Door
from jackpot.server.guests import Guest
from jackpot.web.client_address import bare_address, client_address, rate_limit_group
from jackpot.web.http_budget import EXPECTED_LEAST_S, EXPECTED_MOST_S, LEARNT, HttpBudget, Payer, Share

# From its connection, or the last answer, to a whole head. A browser needs milliseconds, and a visitor that
# keeps a connection for longer than this between two requests opens another one.
HEAD_WITHIN_S: Final = 10.0
# Receivers are told to go. One that does not hear it must not delay the end.
SHUTDOWN_S: Final = 2.0
# A visitor that reads nothing of its answer for this long will not read it. A stream has a limit of its own,
# which is the same.
UNREAD_S: Final = 10.0
# Read from one connection at once. What was not parsed yet is kept, so this bounds the memory of each.
READ_MOST: Final = 16 * 1024
# Parsed in one turn: a whole head of any browser, and a millisecond for the worst bytes there are.
PARSED_AT_ONCE: Final = 4 * 1024
# A piece ends behind a head, but none is shorter than this: a turn costs more than to parse so little.
PARSED_LEAST: Final = 64
# What a turn costs at least: to read, to queue and to wake, besides what is parsed.
TURN_S: Final = 0.00005
# Bytes that a receiver of a stream may send: at once, and each second from then on. Pings, pongs and the
# close of a WebSocket are some ten bytes each.
STREAM_HEARD_MOST: Final = 1_024
STREAM_HEARD_RATE: Final = 64.0
# Where probes ask whether the process is alive and ready.
PROBES: Final = ("/readyz", "/healthz")
_PROBE_LINES: Final = tuple(f"{method} {path} ".encode() for method in ("GET", "HEAD") for path in PROBES)
# Requests that are refused before anybody looks at what they ask for, by the answer's status.
REFUSED: Final = {400: "malformed", 403: "origin", 421: "host", 503: "streams"}
# Receivers of streams that were cut because they sent more than they may.
TALKING: Final = "talking"
# Listening here is listening at every address of this machine.
EVERYWHERE: Final = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - nothing is bound here

_HOST: Final = re.compile(r"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[^]\[:@/\s]*))(?::[0-9]*)?")

T = TypeVar("T")
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
log: Final = structlog.get_logger()


class _Charge:
    """The cost of one request, charged to its payer.

    What it is expected to cost is charged in advance, so that requests that are admitted together do not all
    find time left that they use up one after the other.
    """

    def __init__(self, budget: HttpBudget, payer: Payer) -> None:
        self.payer = payer
        self._budget = budget
        self._spent = 0.0
        self._charged = 0.0

    def begin(self) -> None:
        """It is admitted."""
        self._add(self.payer.expected)

    def spend(self, seconds: float) -> None:
        """It used so much processor time."""
        self._spent += seconds
        if self._spent > self._charged:
            self._add(self._spent - self._charged)

    def move(self, payer: Payer) -> None:
        """It is charged to another payer from its beginning."""
        charged = self._charged
        self._add(-charged)
        self.payer = payer
        self._add(charged)

    def settle(self) -> None:
        """It is answered: what was charged too much is given back."""
        cost = min(max(self._spent, EXPECTED_LEAST_S), EXPECTED_MOST_S)
        self.payer.expected += LEARNT * (cost - self.payer.expected)
        self._add(self._spent - self._charged)

    def _add(self, seconds: float) -> None:
        self._charged += seconds
        self._budget.charge(self.payer, seconds)


class _Metered(Awaitable[T]):
    """A coroutine that tells the processor time of each of its steps."""

    def __init__(self, work: Coroutine[Any, Any, T], spend: Callable[[float], None]) -> None:
        self._work = work
        self._spend = spend

    def __await__(self) -> Generator[Any, Any, T]:
        error: BaseException | None = None
        while True:
            began = thread_seconds()
            try:
                waits = self._work.send(None) if error is None else self._work.throw(error)
            except StopIteration as ended:
                given: T = ended.value
                return given
            finally:
                self._spend(thread_seconds() - began)
            error = None
            try:
                yield waits
            except BaseException as thrown:  # noqa: BLE001 - it is the coroutine's own, thrown there
                error = thrown


class _Requests(web.RequestHandler):
    """One connection as aiohttp handles it. Its visitor says when it is read on, and is charged for it."""

    visitor: "Visitor"

    @property
    def wants_more(self) -> bool:
        """Whether bytes are of use now: a head, or more of the body of the request that is handled."""
        if self._messages:
            return not self._messages[-1][1].is_eof()
        handling = self.visitor.handling
        return handling is None or not handling.content.is_eof()

    async def start(self) -> None:
        await _Metered(super().start(), self.visitor.spend)

    async def _handle_request(
        self,
        request: web.BaseRequest,
        start_time: float | None,
        request_handler: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]],
    ) -> tuple[web.StreamResponse, bool]:
        work = super()._handle_request(request, start_time, request_handler)
        return await self.visitor.handle(request, work)

    def _pause_transport_reading(self) -> None:
        self.visitor.hold(on=True)

    def _resume_transport_reading(self) -> None:
        self.visitor.hold(on=False)


class Visitor(asyncio.BufferedProtocol):
    """One HTTP connection, around aiohttp's own protocol. handling: the request that is answered now."""

    kind = "http"
    # Bytes are taken out of it before anything else is read. It is a view: TLS fills it record by record
    # through slices. A slice of a bytearray is a copy, which would leave what the visitor before had sent.
    _read: Final = memoryview(bytearray(READ_MOST))

    def __init__(self, visits: "Visits", inner: _Requests, guest: Guest, *, admin: bool) -> None:
        self._visits = visits
        self._inner = inner
        inner.visitor = self
        self.guest = guest
        self.handling: web.BaseRequest | None = None
        self._admin = admin
        self._payer: Payer
        self._charge: _Charge | None = None
        self._unparsed = b""
        self._held = False
        self._waits = False
        self._reads = True
        self._stream_may_send: float | None = None
        self._stream_at = 0.0
        self._unread_since: float | None = None
        self._transport: asyncio.Transport
        # Who works at what nobody needs but this visitor.
        self.works: asyncio.Task[Any] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - what a door gives
        self._transport = transport
        self._payer = self._visits.payer(self._address(), admin=self._admin)
        self._visits.all.add(self)
        self.guest.came(self)
        alone(self, self._inner.connection_made, transport)

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - it is as long as it is
        return self._read

    def buffer_updated(self, nbytes: int) -> None:
        self.guest.heard()
        if self._stream_may_send is not None and not self._stream_sent(nbytes):
            return
        self._unparsed += self._read[:nbytes]
        self._go_on()

    def _go_on(self) -> None:
        """Asks for a turn to parse what came, and reads only where nothing waits to be parsed."""
        if self._transport.is_closing():
            return
        wanted = self._stream_may_send is not None or self._inner.wants_more
        if self._unparsed and wanted and not self._held and not self._waits:
            self._waits = True
            self._visits.budget.turn(self._parser(), self._parse)
        reads = not self._unparsed and not self._held
        if reads != self._reads and not self._transport.is_closing():
            self._reads = reads
            if reads:
                self._transport.resume_reading()
            else:
                self._transport.pause_reading()

    def _parser(self) -> Payer:
        """Who pays for the next piece: a probe, by its first bytes, else the payer of this connection."""
        stranger = self.handling is None and self._payer.share is Share.STRANGER
        if stranger and self._unparsed.startswith(_PROBE_LINES):
            return self._visits.budget.payer(Share.PROBE, self._payer.key)
        return self._payer

    def _parse(self) -> None:
        """Hands one piece to aiohttp; not more than one head."""
        self._waits = False
        payer, began = self._parser(), thread_seconds()
        head = -1
        if self.handling is None:
            head = self._unparsed.find(b"\r\n\r\n", PARSED_LEAST, PARSED_AT_ONCE)
        size = PARSED_AT_ONCE if head < 0 else head + 4
        piece, self._unparsed = self._unparsed[:size], self._unparsed[size:]
        if not self._transport.is_closing():
            alone(self, self._inner.data_received, piece)
        self._visits.budget.charge(payer, max(thread_seconds() - began, TURN_S))
        self._go_on()

    def hold(self, *, on: bool) -> None:
        """Pauses while aiohttp has no room for more bytes."""
        self._held = on
        self._go_on()

    def spend(self, seconds: float) -> None:
        """Processor time of this connection that belongs to no request."""
        self._visits.budget.charge(self._payer, seconds)

    async def handle(self, request: web.BaseRequest, work: Coroutine[Any, Any, T]) -> T:
        """Handles a request when it is its turn, and charges what it costs."""
        self.handling = request
        charge = self._charge = _Charge(self._visits.budget, self._payer_of(request))
        turn = asyncio.get_running_loop().create_future()

        def admit() -> None:
            if not turn.done():
                charge.begin()
                turn.set_result(None)

        try:
            self._visits.budget.turn(charge.payer, admit)
            try:
                await turn
            except BaseException:
                work.close()
                raise
            CHARGED.set(charge.spend)
            try:
                return await _Metered(work, charge.spend)
            finally:
                charge.settle()
        finally:
            self.handling = self._charge = None
            self._go_on()

    def _payer_of(self, request: web.BaseRequest) -> Payer:
        """Who pays for a request. Behind a named proxy it is the client that the proxy names."""
        budget, payer = self._visits.budget, self._payer
        if payer.share is Share.PROXY:
            address = client_address(request, self._visits.proxies)
            payer = budget.payer(Share.STRANGER, rate_limit_group(address))
        if payer.share is Share.STRANGER and request.path in PROBES:
            return budget.payer(Share.PROBE, payer.key)
        return payer

    def known(self, person: int) -> None:
        """The request is that person's: they pay for it, and for what comes on this connection after it."""
        charge = self._charge
        if charge is None or charge.payer.share not in (Share.STRANGER, Share.PERSON):
            return
        payer = self._visits.budget.payer(Share.PERSON, str(person))
        if charge.payer is not payer:
            charge.move(payer)
        if self._payer.share is not Share.PROXY:
            self._payer = payer

    def streams(self) -> None:
        """From now on it has only to listen: what it sends is counted before anybody parses it."""
        self._stream_may_send = float(STREAM_HEARD_MOST)
        self._stream_at = self._visits.clock.monotonic()
        self._stream_sent(len(self._unparsed))

    def _stream_sent(self, size: int) -> bool:
        """Counts bytes of a receiver; False where they are too many, and it is cut."""
        assert self._stream_may_send is not None  # noqa: S101 - it is one
        now = self._visits.clock.monotonic()
        may = self._stream_may_send + (now - self._stream_at) * STREAM_HEARD_RATE
        self._stream_may_send = min(may, STREAM_HEARD_MOST) - size
        self._stream_at = now
        if self._stream_may_send >= 0:
            self._go_on()
            return True
        self._transport.pause_reading()
        reason = f"a receiver of a stream sent more than {STREAM_HEARD_MOST} bytes"
        self._visits.count(TALKING, self._address(), reason)
        self.break_off()
        return False

    def _address(self) -> str:
        """The other side's; of the admin socket its user."""
        peer = self._transport.get_extra_info("peername")
        return str(peer[0]) if isinstance(peer, tuple) else self.guest.address

    def eof_received(self) -> bool | None:
        return alone(self, self._inner.eof_received)

    def connection_lost(self, exc: Exception | None) -> None:
        self._visits.all.discard(self)
        self.guest.left()
        if self.works is not None:
            self.works.cancel()
        alone(self, self._inner.connection_lost, exc)

    def pause_writing(self) -> None:
        self._unread_since = self._visits.clock.monotonic()
        alone(self, self._inner.pause_writing)

    def resume_writing(self) -> None:
        self._unread_since = None
        alone(self, self._inner.resume_writing)

    def sweep(self, now: float) -> None:
        """Cuts one that does not read."""
        if self._unread_since is not None and now - self._unread_since >= UNREAD_S:
            self.break_off()

    def turn_out(self) -> None:
        """It has asked for nothing while others came."""
        self.break_off()

    def break_off(self) -> None:
        """Ends it, even if something was not sent."""
        self._transport.abort()


class Visits:
    """All HTTP connections of a process. refused: by what REFUSED names, and TALKING.

    proxies, scrapers: addresses, as in [listen].
    """

    def __init__(self, clock: Clock, proxies: Collection[str] = (), scrapers: Collection[str] = ()) -> None:
        self.clock = clock
        self.all: set[Visitor] = set()
        self.refused = dict.fromkeys((*REFUSED.values(), TALKING), 0)
        self.budget = HttpBudget(clock)
        self.proxies = frozenset(proxies)
        self._scrapers = frozenset(scrapers)

    def payer(self, address: str, *, admin: bool) -> Payer:
        """Who pays for a connection from that address, until its requests say more."""
        if admin:
            return self.budget.payer(Share.ADMIN, address)
        group = rate_limit_group(address)
        plain = bare_address(address)
        if plain in self._scrapers:
            return self.budget.payer(Share.SCRAPER, group)
        return self.budget.payer(Share.PROXY if plain in self.proxies else Share.STRANGER, group)

    def sweep(self) -> None:
        """Lets time pass; about ten times a second."""
        now = self.clock.monotonic()
        for visitor in tuple(self.all):
            alone(visitor, visitor.sweep, now)

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
        self, app: web.Application, door: Door, hosts: Collection[str] | None
    ) -> tuple[web.AppRunner, int]:
        """Answers with `app` who comes in at the door, until the runner is cleaned up; the door's port.

        hosts: as `middleware` takes them. Raises OSError.
        """
        app.middlewares.append(self.middleware(hosts))
        runner = web.AppRunner(app, handle_signals=False, shutdown_timeout=SHUTDOWN_S)
        await runner.setup()
        server, logger, loop = runner.server, self.logger(), asyncio.get_running_loop()
        assert server is not None  # noqa: S101 - as it was set up

        def visitor(guest: Guest) -> Visitor:
            requests = _Requests(
                server,
                loop=loop,
                access_log=cast("Any", None),  # so aiohttp itself says that there is none
                keepalive_timeout=HEAD_WITHIN_S,
                logger=logger,
                auto_decompress=False,  # a stranger's 200 KB would be 200 MB, unpacked while the tables wait
            )
            return Visitor(self, requests, guest, admin=hosts is None)

        return runner, door.listen(visitor)

    def middleware(self, hosts: Collection[str] | None) -> Any:
        """Every request comes through here: it must ask for a name of ours, and its errors end it alone.

        hosts: None where no browser gets to.
        """

        @web.middleware
        async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
            if (visitor := _visitor(request)) is None:
                return web.Response()  # nobody is there to read it
            visitor.guest.busy()
            served = False
            try:
                if hosts is not None:
                    _check_host(request, hosts)
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
                visitor.guest.idle(served=served)

        return guarded

    def logger(self) -> logging.Logger:
        """What aiohttp complains to."""
        return _Complaints(self)


class _Complaints(logging.Logger):
    """Counts what aiohttp would log with a traceback: a malformed request, or an answer that failed."""

    def __init__(self, visits: Visits) -> None:
        super().__init__("jackpot.http")
        self._visits = visits

    def debug(self, msg: object, *args: object, **facts: Any) -> None:
        if facts.get("exc_info") is not None:
            self.exception(msg, *args, **facts)

    def exception(self, msg: object, *args: object, exc_info: Any = True, **_facts: Any) -> None:
        if isinstance(exc_info, HttpProcessingError):
            self._visits.refuse(400, str(args[0]) if args else None, exc_info.message)
        elif isinstance(exc_info, Exception) and not isinstance(exc_info, ConnectionError):
            failed("http", str(msg), exc_info)  # else the receiver is gone, which is no fault


async def while_there(request: web.Request, work: Coroutine[Any, Any, T]) -> T:
    """What `work` comes to; where who asked leaves before it does, it is cancelled with its request.

    For what changes nothing: an act goes on, whether they wait for its answer or not.
    """
    if (visitor := _visitor(request)) is None:
        work.close()
        raise ConnectionResetError("nobody is there to read it")
    visitor.works = asyncio.current_task()
    try:
        return await work
    finally:
        visitor.works = None


def listens_only(request: web.Request) -> None:
    """Who asked is a receiver of a stream from now on."""
    if (visitor := _visitor(request)) is not None:
        visitor.streams()


def known_as(request: web.Request, person: int) -> None:
    """The request is that person's, who pays for it."""
    if (visitor := _visitor(request)) is not None:
        visitor.known(person)


def _visitor(request: web.Request) -> Visitor | None:
    transport = request.transport
    if transport is None:
        return None
    visitor = transport.get_protocol()
    assert isinstance(visitor, Visitor)  # noqa: S101 - what a door's factory gave
    return visitor


def _check_host(request: web.Request, hosts: Collection[str]) -> None:
    """A page of a foreign name that resolves here must not read the floor through somebody's browser.

    Raises HTTPMisdirectedRequest for a name that is none of `hosts`, HTTPBadRequest where there is none.
    """
    given = request.headers.get(hdrs.HOST)
    if given is None:
        if request.version >= (1, 1):
            raise web.HTTPBadRequest(text="a request names its host\n")
        return
    host = name_of(given)
    if host in hosts or loopback(host):
        return
    transport = request.transport
    if "*" in hosts and transport is not None and host == transport.get_extra_info("sockname")[0]:
        return
    raise web.HTTPMisdirectedRequest(
        text=f"this server is not known as {host[:253]!r}: ask for its address, or write that name into "
        "hosts under [listen] of its configuration\n"
    )


def name_of(host: str) -> str:
    """A Host header without its port, as it is compared; all of one that is no name with a port."""
    found = _HOST.fullmatch(host)
    if found is None:
        return host
    return (found["address"] or found["name"].rstrip(".")).lower()


def names(hosts: Collection[str], listening: Collection[str]) -> frozenset[str]:
    """What a listener is known as: the configured names, and where it listens; "*" if that is everywhere."""
    own = {"*" if host in EVERYWHERE else host.lower() for host in listening}
    return frozenset(hosts) | own


def loopback(host: str) -> bool:
    """Whether it is this machine itself, by address or name."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
