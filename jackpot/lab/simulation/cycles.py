"""Cycles of a must-hit-by level as they were won, against their exact law (Y5).

A cycle begins with the minimum and with what the award before left. So each has the law of its own residue,
and counts are held against the sum of these laws.
"""

import math
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from typing import Final

from jackpot.odds.must_hit_by import MustHitByTerms, odds_of
from jackpot.reports import goodness_of_fit
from jackpot.reports.goodness_of_fit import Finding
from jackpot.rules.paytable import LevelTerms

# Parts into which the longest cycle is divided: of each it is counted how many cycles end there.
PARTS: Final = 5
# Residues whose figures are kept: of most terms there are a few, of some one for each cycle.
_KEPT: Final = 1_024


class LevelCycles:
    """Cycles of one level. wager: of its link, in micro-dollars. ended: by length in wagers."""

    def __init__(self, level: LevelTerms, wager: int) -> None:
        self.name = level.level
        self.terms = MustHitByTerms(level.reseed, level.must_hit_by or 0, wager, level.primary)
        self.ended: Counter[int] = Counter()
        self._begun: Counter[int] = Counter()
        self._residue = self._wagers = 0

    @property
    def returned(self) -> Fraction:
        """What the level returns of a wager in the long run."""
        return odds_of(self.terms).long_run

    def wager(self) -> None:
        """Counts a wager."""
        self._wagers += 1

    def won(self, award: int) -> None:
        """Ends the cycle with the last wager. award: micro-dollars."""
        meter = self.terms.start + self._residue + self._wagers * self.terms.contribution
        self.ended[self._wagers] += 1
        self._begun[self._residue] += 1
        self._residue, self._wagers = meter - award, 0

    def findings(self) -> list[Finding]:
        """How many cycles ended in each part of the longest."""
        cycles = self.ended.total()
        if not cycles:
            return []
        longest = odds_of(self.terms).wagers_max
        found = []
        for part in range(PARTS):
            low, high = longest * part // PARTS, longest * (part + 1) // PARTS
            if low == high:
                continue
            chances = [
                (count, _within(self.terms, residue, low, high)) for residue, count in self._begun.items()
            ]
            mean = math.fsum(count * chance for count, chance in chances)
            variance = math.fsum(count * chance * (1 - chance) for count, chance in chances)
            observed = sum(count for length, count in self.ended.items() if low < length <= high)
            what = f"{self.name}: {low + 1:,} to {high:,} wagers"
            found.append(goodness_of_fit.finding(what, cycles, observed, mean, variance))
        return found


@lru_cache(_KEPT * PARTS)
def _within(terms: MustHitByTerms, residue: int, low: int, high: int) -> float:
    """Chance that a cycle with this residue ends after more than `low`, and at most `high` wagers."""
    span = terms.span - residue
    ended = [min(1.0, wagers * terms.contribution / span) for wagers in (low, high)]
    return ended[1] - ended[0]
