"""Random numbers of a mystery link, for the fairness report: where in its range each lies, and its raw bytes.

Of a committed level these are all triggers whose commitment was opened, each between the meter at which it
was drawn and the maximum (Y5, Y12); of a level that draws, the word that decided each number. What was won
says nothing of fairness: an award comes in steps.
"""

import math
from collections import Counter
from collections.abc import Iterator
from statistics import NormalDist
from typing import Final

from jackpot.reports import goodness_of_fit, randomness
from jackpot.reports.goodness_of_fit import Finding
from jackpot.reports.randomness import BYTES_MAX, RandomnessTest
from jackpot.reports.statistics import chi_square_beyond
from jackpot.rules.commitment import WORD_BYTES
from jackpot.text import Sentence

# Parts into which each range is divided.
PARTS: Final = 10
# Numbers from which all parts are judged together: so many are expected in each.
TOGETHER_MIN: Final = PARTS * int(goodness_of_fit.TOGETHER_MIN)
# Beyond it a chance says no more of how far something is off.
_LEAST: Final = 1e-15


class RandomNumbers:
    """Counts of one link. raw: the bytes of all numbers, in their order, as far as they are tested."""

    def __init__(self) -> None:
        self.parts: Counter[int] = Counter()
        self.raw = bytearray()

    @property
    def count(self) -> int:
        return self.parts.total()

    def drawn(self, raw: bytes) -> None:
        """Counts a number that a wager drew. raw: the words that were rejected, then the one that counts."""
        word = int.from_bytes(raw[-WORD_BYTES:], "big")
        self._add(word * PARTS >> 8 * WORD_BYTES, raw)

    def opened(self, above: int, trigger: int, maximum: int, raw: bytes) -> None:
        """Counts the trigger of an opened commitment. above: the sum above which it was drawn."""
        self._add((trigger - above - 1) * PARTS // (maximum - above), raw)

    def _add(self, part: int, raw: bytes) -> None:
        self.parts[part] += 1
        if len(self.raw) < BYTES_MAX:
            self.raw += raw

    def findings(self) -> Iterator[Finding]:
        """Comparisons of all numbers together, of the part that is farthest off, and of the raw bytes."""
        count = self.count
        if not count:
            return
        counts = [self.parts[part] for part in range(PARTS)]
        half = goodness_of_fit.trial(
            Sentence("random numbers in the lower half"), count, sum(counts[: PARTS // 2]), 0.5
        )
        yield half
        if count >= TOGETHER_MIN:
            each = count / PARTS
            square = math.fsum((one - each) ** 2 / each for one in counts)
            what = Sentence("random numbers by tenths of their range")
            yield _of_statistic(what, count, square, PARTS - 1, chi_square_beyond(square, PARTS - 1))
        for test in randomness.tests(bytes(self.raw)):
            yield _of_test(test, 8 * min(len(self.raw), BYTES_MAX))


def _of_test(test: RandomnessTest, bits: int) -> Finding:
    what = Sentence("raw bits: {test}", test=test.name)
    return _of_statistic(what, bits, test.statistic, test.expected, test.chance)


def _of_statistic(what: str, of: int, statistic: float, expected: float, chance: float) -> Finding:
    """A finding whose count is a statistic. off: as far as a normal number with that chance."""
    side = math.copysign(1.0, statistic - expected)
    off = side * -NormalDist().inv_cdf(max(chance, _LEAST) / 2)
    return Finding(what, of, round(statistic), expected, 0.0, 0.0, off, chance)
