"""Who is to be looked at now? Connections by turns, so that those which say nothing cost little.

A connection that is held back by its limits is looked at each time, so that it goes on in time. Each of the
others, which only fall silent or are due for a ping, has its turn within a part of the heartbeat.
"""

from collections import deque
from math import ceil
from typing import Final, Generic, TypeVar

# How often a connection is looked at that says nothing: often enough for its ping to come in time, and seldom
# enough for 10,000 of them to cost a few hundredths of a core.
LOOKS_A_HEARTBEAT: Final = 10
LOOK_MOST_S: Final = 0.5

T = TypeVar("T")


class Turns(Generic[T]):
    """All connections of one role. heartbeat: seconds. now: monotonic seconds, as in every call."""

    def __init__(self, heartbeat: float, now: float) -> None:
        self._order: deque[T] = deque()
        self._held_back: set[T] = set()
        self._look_s = min(heartbeat / LOOKS_A_HEARTBEAT, LOOK_MOST_S)
        self._looked_at = now

    def came(self, connection: T) -> None:
        """It is there, and gets its turn."""
        self._order.append(connection)

    def hold_back(self, connection: T) -> None:
        """It is read no further for now, and is looked at when time passes next."""
        self._held_back.add(connection)

    def due(self, there: set[T], now: float) -> set[T]:
        """Those held back, and as many in turn as the time asks for; what is not `there` any more is gone."""
        due, self._held_back = self._held_back & there, set()
        part = min((now - self._looked_at) / self._look_s, 1.0)
        self._looked_at = now
        for _ in range(ceil(len(self._order) * part)):
            connection = self._order.popleft()
            if connection in there:
                self._order.append(connection)
                due.add(connection)
        return due
