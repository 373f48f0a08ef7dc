"""Whose turn is it now? Each has one in a given time, spread over it, so that no moment has all the work."""

from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")


class Turns(Generic[T]):
    """Each gets a turn every `seconds`, the first within them. now: monotonic seconds, as in every call."""

    def __init__(self, seconds: float, now: float) -> None:
        self._order: deque[T] = deque()
        self._seconds = seconds
        self._looked_at = now
        self._over = 0.0

    def came(self, one: T) -> None:
        """It is there, and gets its turn."""
        self._order.append(one)

    def due(self, there: set[T], now: float) -> set[T]:
        """As many in turn as the time asks for; what is not `there` any more is gone, and takes no turn."""
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
