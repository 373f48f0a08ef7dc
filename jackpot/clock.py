"""The clock: the only place that reads the time; everything else is handed a Clock."""

import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Final, Protocol

# Who is told of the processor time that threads use on behalf of this task, in seconds; None for nobody.
CHARGED: Final[ContextVar[Callable[[float], None] | None]] = ContextVar("charged", default=None)


class Clock(Protocol):
    """The two kinds of time that the server needs."""

    def unix_ms(self) -> int:
        """Milliseconds since 1970 UTC, for people and records; it may step."""

    def monotonic(self) -> float:
        """Seconds since some moment of this process; it never steps back."""


class SystemClock:
    """The machine's own clock."""

    def unix_ms(self) -> int:
        """Milliseconds since 1970 UTC."""
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        """Seconds of the machine's monotonic clock."""
        return time.monotonic()


def thread_seconds() -> float:
    """Processor time that this thread has used, in seconds."""
    return time.thread_time()
