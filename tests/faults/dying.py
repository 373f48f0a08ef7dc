"""Transports of dying sockets, on which any call may raise, and a check that only that peer suffers.

A `Mood` lets the transport of one wire die at one of its next calls, of any kind: it raises, and so do
most that follow, until the loop sees that the connection is lost. What the server makes of such an error it
must make of that peer alone: `contained` sees every error that it catches and everyone whom it breaks off.
"""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final

from jackpot.bank import sequencer
from jackpot.net.signs import SignConnection
from jackpot.net.tables import TableConnection
from jackpot.runtime import isolate

# Calls of a dead transport that raise, and seconds until the loop sees at the latest that it is dead.
RAISES: Final = 0.8
SEEN_S: Final = 3.0

# Calls that come seldom; of those who die, how many do so at one of these.
RARE: Final = (
    "abort",
    "can_write_eof",
    "close",
    "get_extra_info",
    "pause_reading",
    "resume_reading",
    "set_write_buffer_limits",
    "write_eof",
)
OF_ONE: Final = 0.6

# What real sockets raise, and so is nothing to be alarmed of: there the peer is gone, and no more.
ORDINARY: Final = frozenset({"write_eof"})


class ThrownError(OSError):
    """Error of a dead socket. ordinary: one that real sockets raise."""

    ordinary = False


class ThrownState(RuntimeError):
    """Error of a transport that is in the wrong state for a call."""

    ordinary = False


class Mood:
    """Schedule of a transport's death: at one of its next calls, of any kind or of one.

    calls: at most so many come before.
    """

    def __init__(self, random: Random, calls: int) -> None:
        self.dead = False
        self._random = random
        self._of = random.choice(RARE) if random.random() < OF_ONE else None
        self._calls = random.randrange(calls if self._of is None else 2)

    @property
    def seen_after(self) -> float:
        """Seconds until the server sees the death; mostly few."""
        return SEEN_S * self._random.random() ** 3

    @property
    def device_told(self) -> bool:
        """Whether the device is told; else it can notice only by silence."""
        return self._random.random() < 0.5

    def strikes(self, name: str) -> bool:
        """Whether this call raises."""
        if self.dead:
            return self._random.random() < RAISES
        self._calls -= self._of in (None, name)
        return self._calls < 0

    def error(self, name: str) -> ThrownError | ThrownState:
        """The exception that a call of that name raises."""
        error: ThrownError | ThrownState
        if name in ORDINARY or self._random.random() < 0.5:
            error = ThrownError(errno.ENOTCONN, f"{name}: Transport endpoint is not connected")
        else:
            error = ThrownState(f"{name}: the transport is closed")
        error.ordinary = name in ORDINARY
        return error


@contextlib.contextmanager
def contained(tell: Callable[[str], None]) -> Iterator[None]:
    """Watches the exceptions that the server isolates by peer; unexpected ones are reported.

    The process's counters are not raised, because these errors are injected.
    """

    def failed(kind: str, place: str, error: Exception) -> None:
        if not isinstance(error, ThrownError | ThrownState):
            tell(f"handling a {kind} raised, though nothing of it did: {place}: {error!r}")
        elif error.ordinary:
            tell(f"{place} of a {kind} is alarmed of what every socket may say: {error}")

    before = [(module, module.failed) for module in (isolate, sequencer)]
    for module, _ in before:
        module.failed = failed  # type: ignore[attr-defined]
    for connection in (TableConnection, SignConnection):
        connection.break_off = _seen(connection.break_off, tell)  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        for connection in (TableConnection, SignConnection):
            del connection.break_off
        for module, right in before:
            module.failed = right  # type: ignore[attr-defined]


def _seen(right: Callable[[Any], None], tell: Callable[[str], None]) -> Callable[[Any], None]:
    """Drops a peer, and reports it if it was an admitted device whose transport never raised."""

    def break_off(connection: Any) -> None:
        mood = connection.protocol.transport.mood
        innocent = connection.device is not None and (mood is None or not mood.dead)
        if innocent and connection.devices.accepting:
            tell(f"{connection.device.id} is broken off, though nothing of it raised")
        right(connection)

    return break_off
