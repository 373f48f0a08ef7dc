"""Sinks for signed heads and notices: file, syslog and webhook, each with a queue of its own (S8).

Nothing waits for a sink: a failure is logged and counted, and tried again.
"""

import asyncio
import os
import socket
import ssl
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

import aiohttp
import msgspec
import structlog

from jackpot.clock import Clock
from jackpot.config import Heads
from jackpot.ledger.thread_executor import ThreadExecutor
from jackpot.runtime.errors import ServerError

# Heads that wait for one sink: a month of hours, or a quarter of an hour with a hit every second.
# Beyond that the oldest is dropped, since a newer head proves the same rows and more.
WAITING_MAX: Final = 1_024
# A pause after a failure: short after the first, then seldom enough for a log that people read.
RETRY_FIRST_S: Final = 0.5
RETRY_MAX_S: Final = 30.0
# A web server far away answers within this time, or it is as good as gone.
ANSWER_WITHIN_S: Final = 10.0
# What a web server says of the address, of who sends, or of how busy it is. Any other 4xx is about the line,
# and would be said of it again.
_OF_ALL: Final = frozenset({401, 403, 404, 405, 407, 408, 421, 425, 429})
# A notice that was refused so often, over a minute and a half, is given up: the others wait no longer.
REFUSALS_MAX: Final = 8
# RFC 5424: facility 13 is "log audit", severity 6 "informational".
_PRIORITY: Final = b"<110>"
# Only what the server itself writes; everybody may read a head.
_FILE_MODE: Final = 0o644

log: Final = structlog.get_logger()


class SinkRefused(ServerError, OSError):
    """The sink refuses this line, but accepts others."""


class Sink(Protocol):
    """A sink of lines. name: "file", "syslog" or "webhook"."""

    name: str

    async def send(self, line: bytes) -> None:
        """Returns once the line is delivered. Raises whatever prevented that."""

    async def close(self) -> None:
        """Closes the sink; a send under way is not awaited."""


class FileSink:
    """A file that only grows: each line is on the disk before the next one is written."""

    name = "file"

    def __init__(self, path: Path) -> None:
        self._path = path
        self._aside = ThreadExecutor()

    async def send(self, line: bytes) -> None:
        """As Sink; in a thread, since a network disk may hang."""
        await self._aside.run(lambda: append(self._path, line))

    async def close(self) -> None:
        self._aside.leave()
        self._aside.end()


def append(path: Path, line: bytes) -> None:
    """Appends a line, durably. Raises OSError. A line torn by an earlier write is ended first."""
    new = not path.exists()
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, _FILE_MODE)
    try:
        size = os.fstat(file).st_size
        torn = size > 0 and os.pread(file, 1, size - 1) != b"\n"
        whole = b"\n" * torn + line + b"\n"
        wrote = os.write(file, whole)
        os.fsync(file)
    finally:
        os.close(file)
    if wrote < len(whole):
        raise OSError(f"{path}: the disk took {wrote} of {len(whole)} bytes: is it full?")
    if new:
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


class SyslogSink:
    """The machine's own log service, which sends it on: one datagram to its unix socket."""

    name = "syslog"

    def __init__(self, path: Path) -> None:
        self._path = path

    async def send(self, line: bytes) -> None:
        """As Sink. A datagram to a unix socket is taken at once or refused: nothing blocks."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.setblocking(False)
            out.connect(str(self._path))
            out.send(_PRIORITY + b"jackpot: " + line)

    async def close(self) -> None:
        """Nothing is open."""


class WebhookSink:
    """A web server that takes each line by a POST of its own, and answers 2xx.

    ca: who signed its certificate, None for a public authority. headers: what a body is sent with, each time.
    """

    name = "webhook"

    def __init__(
        self, url: str, ca: Path | None, headers: Callable[[bytes], Mapping[str, str]] = lambda _body: {}
    ) -> None:
        self._url = url
        self._headers = headers
        self._tls = ssl.create_default_context(cafile=ca)

    async def send(self, line: bytes) -> None:
        """As Sink."""
        within = aiohttp.ClientTimeout(total=ANSWER_WITHIN_S)
        headers = {"Content-Type": "application/json", **self._headers(line)}
        async with (
            aiohttp.ClientSession(timeout=within) as client,
            client.post(self._url, data=line, headers=headers, ssl=self._tls, allow_redirects=False) as said,
        ):
            if said.status // 100 == 4 and said.status not in _OF_ALL:
                raise SinkRefused(f"{self._url} answered {said.status}")
            if said.status // 100 != 2:
                raise OSError(f"{self._url} answered {said.status}")

    async def close(self) -> None:
        """Nothing is open between two heads."""


def sinks_of(heads: Heads) -> list[Sink]:
    """The configured sinks."""
    found: list[Sink] = []
    if heads.file is not None:
        found.append(FileSink(heads.file))
    if heads.syslog is not None:
        found.append(SyslogSink(heads.syslog))
    if heads.webhook is not None:
        found.append(WebhookSink(heads.webhook, heads.webhook_ca))
    return found


async def _nothing_more() -> None:
    """Null callback for lines whose delivery nobody awaits."""


class Outbox:
    """Queue of one sink, sent in order and one at a time. what: "head" or "notice", for the log.

    A line that is refused REFUSALS_MAX times is given up with `gives_up`: the next ones do not wait for it.
    sent, failures, dropped: lines delivered, failed attempts, lines dropped. sent_at: when the last one was
    delivered, unix seconds, 0 if none since the start. failing: whether the last attempt did.
    """

    def __init__(
        self, destination: Sink, clock: Clock, what: str = "head", *, gives_up: bool = False
    ) -> None:
        self.sent = 0
        self.failures = 0
        self.dropped = 0
        self.sent_at = 0.0
        self.failing = False
        self._to = destination
        self._clock = clock
        self._what = what
        self._gives_up = gives_up
        self._closed = False
        self._waiting: deque[_QueuedLine] = deque()
        self._news = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()

    @property
    def room(self) -> int:
        """Number of lines that fit before one is dropped."""
        return WAITING_MAX - len(self._waiting)

    def put(self, line: bytes, took: Callable[[], Awaitable[None]] = _nothing_more) -> None:
        """Queues a line; never waits. If there is no room the oldest one is dropped. took: awaited on
        delivery.
        """
        if not self.room:
            self._waiting.popleft()
            self.dropped += 1
            name = self._to.name
            log.error("delivery_dropped", what=self._what, destination=name, waiting=WAITING_MAX, kind=name)
        self._waiting.append(_QueuedLine(line, took))
        self._empty.clear()
        self._news.set()

    async def emptied(self) -> None:
        """Returns once the queue is empty."""
        await self._empty.wait()

    async def run(self) -> None:
        """Sends until it is closed and cancelled, whatever the sink does."""
        pause = RETRY_FIRST_S
        while True:
            self._news.clear()
            if not self._waiting:
                self._empty.set()
                await self._news.wait()
            item = self._waiting[0]
            try:
                await self._to.send(item.line)
            except Exception as error:  # noqa: BLE001 - no failure of a sink may affect wagers
                if self._closed:
                    return
                self._failed(error)
                if not self._is_given_up(item, error):
                    await asyncio.sleep(pause)
                    pause = min(2 * pause, RETRY_MAX_S)
                    continue
            else:
                self.failing = False
                self.sent += 1
                self.sent_at = self._clock.unix_ms() / 1000
            pause = RETRY_FIRST_S
            if self._waiting[0] is item:  # else it was dropped while it left
                self._waiting.popleft()
            await item.took()

    async def close(self) -> None:
        """Closes the sink, and logs what still waits: a head is lost, a notice stays in the journal."""
        if self._waiting:
            log.error("delivery_lost", what=self._what, destination=self._to.name, waiting=len(self._waiting))
        self._closed = True
        await self._to.close()

    def statistics(self) -> dict[str, Any]:
        """Counters since the start, and the length of the queue."""
        return {
            "destination": self._to.name,
            "sent": self.sent,
            "failures": self.failures,
            "dropped": self.dropped,
            "waiting": len(self._waiting),
            "sent_at": self.sent_at,
            "failing": self.failing,
        }

    def _is_given_up(self, item: "_QueuedLine", error: Exception) -> bool:
        """Counts refusals of a line, and drops it after REFUSALS_MAX."""
        item.refused += isinstance(error, SinkRefused)
        if not self._gives_up or item.refused < REFUSALS_MAX:
            return False
        self.dropped += 1
        name, line = self._to.name, item.line.decode()
        log.error(
            "refused_for_good", what=self._what, destination=name, line=line, reason=str(error), kind=name
        )
        return True

    def _failed(self, error: Exception) -> None:
        self.failures += 1
        self.failing = True
        where = {"what": self._what, "destination": self._to.name}
        reason, kind = f"{type(error).__name__}: {error}", (self._what, self._to.name)
        log.warning("delivery_failed", **where, waiting=len(self._waiting), reason=reason, kind=kind)


class _QueuedLine(msgspec.Struct):
    """Queued line. refused: how often the sink refused it."""

    line: bytes
    took: Callable[[], Awaitable[None]]
    refused: int = 0
