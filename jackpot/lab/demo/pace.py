"""How fast is the floor played, and for how long?"""

import asyncio
from random import Random
from typing import Final

# Seconds of a round at a real table: players bet, the dealer deals and they decide, bets are paid.
BETTING_S: Final = 25.0
DEALING_S: Final = 25.0
PAYING_S: Final = 10.0

# A supervisor's walk to the table, and their paper work there.
WALK_S: Final = 40.0

# A table that loses power or its connection comes back after this time.
AWAY_S: Final = 90.0

# No two tables are in step: each pause is longer or shorter by up to this share.
UNEVEN: Final = 0.4


class Pace:
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
        """No round begins any more; those begun are finished without pauses."""
        self._stop.set()
        for event in self._woken:
            event.set()

    def wakes(self, event: asyncio.Event) -> None:
        """Makes `stop` set this event too, for a table that waits for something else."""
        self._woken.append(event)

    def take_round(self) -> bool:
        """Whether one more round may begin; it is then counted."""
        if self.stopping or self._left == 0:
            return False
        if self._left is not None:
            self._left -= 1
        return True

    async def pause(self, seconds: float, rng: Random | None = None) -> None:
        """Let so many seconds of the simulated floor go by, or less if the floor stops. rng: uneven ones."""
        if self._speed is None or self.stopping:
            return
        if rng is not None:
            seconds *= 1 + UNEVEN * (2 * rng.random() - 1)
        try:
            async with asyncio.timeout(seconds / self._speed):
                await self._stop.wait()
        except TimeoutError:
            pass  # the pause is over
