"""Simulated sessions of a wager with fixed odds: how far from its exact return a player may come away.

Each wager of a session is on a hand of a deck of its own. The same seed gives the same sessions: what could
be drawn is made of its digest.
"""

import struct
from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from hashlib import shake_256
from itertools import accumulate
from typing import Final, NamedTuple

# An evening at one table, and some weeks of evenings.
LENGTHS: Final = (100, 1_000)
# Enough for quantiles to a few per cent, in an eighth of a second.
SESSIONS: Final = 200
SEED: Final = "1"
# Of each number that is drawn: far more than the rarest hand needs.
_DRAW_BYTES: Final = 8


class FixedPay(NamedTuple):
    """What a row pays, in micro-dollars, the returned wager in it; and how often."""

    award: int
    chance: Fraction


class SessionSums(NamedTuple):
    """What sessions of so many wagers brought in, in micro-dollars, the least first."""

    wagers: int
    sums: tuple[int, ...]

    def quantile(self, part: Fraction) -> int:
        """The sum that so large a part of the sessions did not exceed."""
        return self.sums[min(len(self.sums) - 1, int(part * len(self.sums)))]

    @property
    def mean(self) -> Fraction:
        return Fraction(sum(self.sums), len(self.sums))


def session(pays: Sequence[FixedPay], wagers: int, seed: str) -> list[int]:
    """What each wager of one session brings in, in micro-dollars."""
    drawn = struct.unpack(f">{wagers}Q", shake_256(seed.encode()).digest(_DRAW_BYTES * wagers))
    ends = [int(end * 2 ** (8 * _DRAW_BYTES)) for end in accumulate(one.chance for one in pays)]
    awards = [*(one.award for one in pays), 0]
    return [awards[bisect_right(ends, number)] for number in drawn]


@lru_cache(16)
def sessions(pays: tuple[FixedPay, ...], seed: str = SEED) -> tuple[SessionSums, ...]:
    """Simulated sessions of each length; a shorter one is the beginning of a longer one."""
    played = [session(pays, LENGTHS[-1], f"{seed} {number}") for number in range(SESSIONS)]
    return tuple(SessionSums(long, tuple(sorted(sum(one[:long]) for one in played))) for long in LENGTHS)
