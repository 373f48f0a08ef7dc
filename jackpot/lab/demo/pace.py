"""Pace of the simulated floor: pauses, speed, and the number of rounds."""

import asyncio
from random import Random
from typing import Final

# Duration of a round at a real table: players bet, the dealer deals and they decide, bets are paid.
BETTING_S: Final = 25.0
DEALING_S: Final = 25.0
PAYING_S: Final = 10.0

# Time for a supervisor to come to the table and do the paper work.
WALK_S: Final = 40.0

# Time after which a table that loses power or its connection comes back.
AWAY_S: Final = 90.0

# Relative variation of each pause, so that no two tables are in step.
UNEVEN: Final = 0.4


class DemoPace:
    """Pauses, and the rounds that may still begin.

    speed: how many times faster than a real floor; None: no pauses at all. rounds: over all tables
    together; None: until `stop`.
    """

    def __init__(self, speed: float | None, rounds: int | None) -> None:
        self._speed = speed
        self._left = rounds
        self._stop = asyncio.Event()
        self._woken: list[asyncio.Event] = []

    @property
    def stopping(self) -> bool:
        return self._stop.is_set()

    @property
    def leisurely(self) -> bool:
        """Whether there are pauses at all. Only on such a floor do tables go away for a while."""
        return self._speed is not None

    def stop(self) -> None:
        """Lets no further round begin; those begun are finished without pauses."""
        self._stop.set()
        for event in self._woken:
            event.set()

    def wakes(self, event: asyncio.Event) -> None:
        """Makes `stop` set this event too, for a table that waits for something else."""
        self._woken.append(event)

    def take_round(self) -> bool:
        """Takes one round from the limit, if there is one left."""
        if self.stopping or self._left == 0:
            return False
        if self._left is not None:
            self._left -= 1
        return True

    async def pause(self, seconds: float, rng: Random | None = None) -> None:
        """Waits for so many seconds of the simulated floor, or less if the floor stops.

        rng: for the variation.
        """
        if self._speed is None or self.stopping:
            return
        if rng is not None:
            seconds *= 1 + UNEVEN * (2 * rng.random() - 1)
        try:
            async with asyncio.timeout(seconds / self._speed):
                await self._stop.wait()
        except TimeoutError:
            pass  # the pause is over
