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
        self._waiting: set[T] = set()
        self._held_back: set[T] = set()

    def wait(self, connection: T, when: float) -> None:
        """It is looked at then, soon after at the latest; one that waits already waits on as it does."""
        if when != inf and connection not in self._waiting:
            self._waiting.add(connection)
            self._slots.setdefault(ceil(when / SLOT_S), []).append(connection)

    def hold_back(self, connection: T) -> None:
        """It is looked at when time passes next, whatever it waits for."""
        self._held_back.add(connection)

    def due(self, now: float) -> set[T]:
        """Those held back, and those whose time has come: they wait no more."""
        due, self._held_back = self._held_back, set()
        for slot in [slot for slot in self._slots if slot * SLOT_S <= now]:
            came = self._slots.pop(slot)
            self._waiting.difference_update(came)
            due.update(came)
        return due
