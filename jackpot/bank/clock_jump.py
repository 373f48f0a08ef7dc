"""Jumps of the machine's clock: no link ends by a clock that went ahead of the time that passed (P2)."""

from typing import Final

import structlog

from jackpot.clock import Clock

# A time service slews a clock, or steps it by seconds. One that was set by hand, or by a wrong service, goes
# further; and so does one that is right again after its machine slept.
JUMP_MS: Final = 15 * 60 * 1_000

log: Final = structlog.get_logger()


class ClockJump:
    """Compares the wall clock of a process with its monotonic one, which nobody sets."""

    def __init__(self, clock: Clock, bank: str) -> None:
        self._clock = clock
        self._bank = bank
        self._right = self._difference_ms()
        self._told = False

    def ahead_ms(self) -> int:
        """How far the wall clock jumped ahead since the process began; 0 while it did not, or is back.

        The log says it once a jump.
        """
        now = self._difference_ms()
        ahead = now - self._right
        if ahead <= JUMP_MS:
            self._right, self._told = now, False
            return 0
        if not self._told:
            self._told = True
            do = "put it right; or, if it is right now, start the server again"
            log.error("clock_jumped", bank=self._bank, ahead_s=ahead // 1000, do=do)
        return ahead

    def _difference_ms(self) -> int:
        """The wall clock less the monotonic one; only a step of the wall clock changes it."""
        return self._clock.unix_ms() - int(self._clock.monotonic() * 1000)
