"""Who is to be looked at now? Each connection when its time comes, so that silent ones cost little.

A connection waits in the wheel until its deadline. One that is held back, by its limits or because it does
not read, is looked at each time instead, so that it goes on in time.
"""

from math import ceil, inf
from typing import Final, Generic, TypeVar

# Deadlines so near each other are met together; about as often as time is seen to pass.
SLOT_S: Final = 0.1

T = TypeVar("T")


class Wheel(Generic[T]):
    """All connections of one role. now, when: monotonic seconds, as in every call."""

    def __init__(self) -> None:
        self._slots: dict[int, list[T]] = {}
        self._waiting: dict[T, int] = {}
        self._held_back: set[T] = set()

    def wait(self, connection: T, when: float) -> None:
        """It is looked at then, soon after at the latest; one that waits already: for the sooner."""
        if when != inf and (slot := ceil(when / SLOT_S)) < self._waiting.get(connection, inf):
            self._waiting[connection] = slot
            self._slots.setdefault(slot, []).append(connection)

    def hold_back(self, connection: T) -> None:
        """It is looked at when time passes next, whatever it waits for."""
        self._held_back.add(connection)

    def due(self, now: float) -> set[T]:
        """Those held back, and those whose time has come: they no longer wait."""
        due, self._held_back = self._held_back, set()
        for slot in [slot for slot in self._slots if slot * SLOT_S <= now]:
            for connection in self._slots.pop(slot):
                if self._waiting.get(connection) == slot:  # it waits for nothing sooner since
                    del self._waiting[connection]
                    due.add(connection)
        return due
