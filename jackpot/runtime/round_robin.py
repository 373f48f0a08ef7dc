"""Round-robin scheduler that spreads turns over a time span, so that no moment has all the work."""

from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")


class RoundRobin(Generic[T]):
    """Gives each member a turn every `seconds`. now: monotonic seconds, as in every call."""

    def __init__(self, seconds: float, now: float) -> None:
        self._order: deque[T] = deque()
        self._seconds = seconds
        self._looked_at = now
        self._over = 0.0

    def add(self, one: T) -> None:
        """Adds a member."""
        self._order.append(one)

    def due(self, there: set[T], now: float) -> set[T]:
        """The members whose turn has come. One that is not `there` any more is dropped without a turn."""
        due: set[T] = set()
        part = min((now - self._looked_at) / self._seconds, 1.0)
        self._looked_at = now
        self._over += len(self._order) * part
        while self._over >= 1 and self._order:
            one = self._order.popleft()
            if one in there:
                self._order.append(one)
                due.add(one)
                self._over -= 1
        return due
