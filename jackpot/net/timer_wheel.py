"""Timer wheel of connections: each is visited at its deadline, so that silent ones cost little.

A connection waits in the timer wheel until its deadline. One that is throttled, or does not read, is visited
at every tick instead, so that it goes on in time.
"""

from math import ceil, inf
from typing import Final, Generic, TypeVar

# Deadlines so near each other are met together; about as often as time is seen to pass.
SLOT_S: Final = 0.1

T = TypeVar("T")


class TimerWheel(Generic[T]):
    """Deadlines of all connections of one role. now, when: monotonic seconds, as in every call."""

    def __init__(self) -> None:
        self._slots: dict[int, list[T]] = {}
        self._waiting: dict[T, int] = {}
        self._held_back: set[T] = set()

    def wait(self, connection: T, when: float) -> None:
        """Schedules a visit at that time, or soon after; an earlier deadline of the connection stays."""
        if when != inf and (slot := ceil(when / SLOT_S)) < self._waiting.get(connection, inf):
            self._waiting[connection] = slot
            self._slots.setdefault(slot, []).append(connection)

    def poll_next_tick(self, connection: T) -> None:
        """Schedules a visit at the next tick, whatever its deadline."""
        self._held_back.add(connection)

    def due(self, now: float) -> set[T]:
        """Removes and returns the connections that are due: throttled ones, and those past their deadline."""
        due, self._held_back = self._held_back, set()
        for slot in [slot for slot in self._slots if slot * SLOT_S <= now]:
            for connection in self._slots.pop(slot):
                if self._waiting.get(connection) == slot:  # it waits for nothing sooner since
                    del self._waiting[connection]
                    due.add(connection)
        return due
