"""What limits one HTTP connection, and by which names may browsers ask for the server?

aiohttp reads requests and writes answers; around each of its connections stands a `Visitor`, which tells the
door what it does. It is cut if it does not read its answer. An error while handling it ends it alone.
"""

import asyncio
import ipaddress
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Coroutine
from typing import Any, Final, TypeVar

import structlog
from aiohttp import hdrs, web
from aiohttp.http_exceptions import HttpProcessingError

from jackpot.clock import Clock
from jackpot.server.alone import alone, failed
from jackpot.server.door import Door
from jackpot.server.guests import Guest

# From its connection, or the last answer, to a whole head. A browser needs milliseconds, and a visitor that
# keeps a connection for longer than this between two requests opens another one.
HEAD_WITHIN_S: Final = 10.0
# Receivers are told to go. One that does not hear it must not delay the end.
SHUTDOWN_S: Final = 2.0
# A visitor that reads nothing of its answer for this long will not read it. A stream has a limit of its own,
# which is the same.
UNREAD_S: Final = 10.0
# Requests that are refused before anybody looks at what they ask for, by the answer's status.
REFUSED: Final = {400: "malformed", 403: "origin", 421: "host", 503: "streams"}
# Listening here is listening at every address of this machine.
EVERYWHERE: Final = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - nothing is bound here

_HOST: Final = re.compile(r"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[^]\[:@/\s]*))(?::[0-9]*)?")

T = TypeVar("T")
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
log: Final = structlog.get_logger()


class Visitor(asyncio.Protocol):
    """One HTTP connection, around aiohttp's own protocol of it."""

    kind = "http"

    def __init__(self, visits: "Visits", inner: asyncio.Protocol, guest: Guest) -> None:
        self._visits = visits
        self._inner = inner
        self.guest = guest
        self._unread_since: float | None = None
        self._transport: asyncio.Transport
        # Who works at what nobody needs but this visitor.
        self.works: asyncio.Task[Any] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - what a door gives
        self._transport = transport
        self._visits.all.add(self)
        self.guest.came(self)
        alone(self, self._inner.connection_made, transport)

    def data_received(self, data: bytes) -> None:
        self.guest.heard()
        alone(self, self._inner.data_received, data)

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
    """All HTTP connections of a process. refused: by what REFUSED names."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.all: set[Visitor] = set()
        self.refused = dict.fromkeys(REFUSED.values(), 0)

    def sweep(self) -> None:
        """Lets time pass; about ten times a second."""
        now = self.clock.monotonic()
        for visitor in tuple(self.all):
            alone(visitor, visitor.sweep, now)

    def refuse(self, status: int, address: str | None, reason: str) -> None:
        """Counts a refused request, and logs it."""
        code = REFUSED[status]
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
        runner = web.AppRunner(
            app,
            access_log=None,
            handle_signals=False,
            shutdown_timeout=SHUTDOWN_S,
            keepalive_timeout=HEAD_WITHIN_S,
            logger=self.logger(),
            auto_decompress=False,  # a stranger's 200 KB would be 200 MB, unpacked while the tables wait
        )
        await runner.setup()
        requests = runner.server
        assert requests is not None  # noqa: S101 - as it was set up
        return runner, door.listen(lambda guest: Visitor(self, requests(), guest))

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
