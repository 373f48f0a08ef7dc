"""Statistical tests of random bytes: six of NIST's suite (Special Publication 800-22, revision 1a, 2010).

Monobit (2.1), block frequency (2.2), runs (2.3), longest run of ones (2.4), serial (2.11) and cumulative sums
(2.13): those that say something of the few thousand bytes that a floor draws in years. Their tails are of the
normal and the chi-square distribution. Each p-value is uniform between 0 and 1 where the bytes are random.
"""

import math
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate, pairwise
from statistics import NormalDist
from typing import Final, NamedTuple

from jackpot.reports.statistics import chi_square_beyond
from jackpot.text import Sentence

# The publication's least for every test here but that of the longest run, which wants 128.
BITS_MIN: Final = 128
# Bytes that are tested: a million, as in the publication's own examples. More would take a page's time.
BYTES_MAX: Final = 125_000
# Blocks of the block frequency test: fewer than 100, of at least 20 bits, as the publication recommends.
_BLOCKS_MAX: Final = 99
_BLOCK_MIN: Final = 20
# Patterns of the serial test are of at most a byte: of longer ones too few are expected.
_PATTERN_MAX: Final = 8
# No chance of a normal number is left so many standard deviations away.
_NEGLIGIBLE: Final = 10.0
_NORMAL: Final = NormalDist()


class LongestRuns(NamedTuple):
    """Blocks of the longest-run test (2.4.2, 2.4.4).

    Runs of up to `shortest` ones count alike, and those of `longest` and more.
    """

    bits_min: int
    block: int
    shortest: int
    longest: int


_LONGEST: Final = (
    LongestRuns(750_000, 10_000, 10, 16),
    LongestRuns(6_272, 128, 4, 9),
    LongestRuns(BITS_MIN, 8, 1, 4),
)


class RandomnessTest(NamedTuple):
    """Result of one test. expected: the mean of the statistic for random bits. chance: the p-value."""

    name: str
    statistic: float
    expected: float
    chance: float


def bits_of(data: bytes) -> str:
    """Bits of these bytes as "0" and "1", the highest of each byte first."""
    return f"{int.from_bytes(data):0{8 * len(data)}b}" if data else ""


def tests(data: bytes) -> list[RandomnessTest]:
    """All tests of the first BYTES_MAX bytes; none where there are too few."""
    bits = bits_of(data[:BYTES_MAX])
    if len(bits) < BITS_MIN:
        return []
    size = max(_BLOCK_MIN, len(bits) // _BLOCKS_MAX + 1)
    pattern = min(_PATTERN_MAX, int(math.log2(len(bits))) - 3)
    return [
        monobit(bits),
        block_frequency(bits, size),
        runs(bits),
        longest_run(bits),
        *serial(bits, pattern),
        cumulative_sums(bits),
        cumulative_sums(bits[::-1])._replace(name=Sentence("cumulative sums, backward")),
    ]


def monobit(bits: str) -> RandomnessTest:
    """As many ones as zeros (2.1)."""
    ones = bits.count("1")
    chance = math.erfc(abs(2 * ones - len(bits)) / math.sqrt(2 * len(bits)))
    return RandomnessTest(Sentence("ones"), ones, len(bits) / 2, chance)


def block_frequency(bits: str, size: int) -> RandomnessTest:
    """As many ones as zeros in each block (2.2)."""
    blocks = [part.count("1") for part in _blocks(bits, size)]
    square = 4 * size * math.fsum((ones / size - 0.5) ** 2 for ones in blocks)
    return RandomnessTest(
        Sentence("ones by block"), square, len(blocks), chi_square_beyond(square, len(blocks))
    )


def runs(bits: str) -> RandomnessTest:
    """As many changes between ones and zeros as so many ones let expect (2.3)."""
    count, ones = 1 + bits.count("01") + bits.count("10"), bits.count("1") / len(bits)
    expected = 2 * len(bits) * ones * (1 - ones)
    if abs(ones - 0.5) >= 2 / math.sqrt(len(bits)):  # the number of ones alone is improbable: 2.3.4 (2)
        return RandomnessTest(Sentence("runs"), count, expected, 0.0)
    spread = 2 * math.sqrt(2 * len(bits)) * ones * (1 - ones)
    return RandomnessTest(Sentence("runs"), count, expected, math.erfc(abs(count - expected) / spread))


def longest_run(bits: str) -> RandomnessTest:
    """The longest run of ones in each block (2.4)."""
    of = next(one for one in _LONGEST if len(bits) >= one.bits_min)
    longest = Counter(
        min(max(of.shortest, *map(len, part.split("0"))), of.longest) for part in _blocks(bits, of.block)
    )
    count = longest.total()
    upto = [_no_longer(of.block, run) for run in range(of.shortest, of.longest)]
    chances = [upto[0], *(more - less for less, more in pairwise(upto)), 1 - upto[-1]]
    square = math.fsum(
        (longest[run] - count * chance) ** 2 / (count * chance)
        for run, chance in enumerate(chances, of.shortest)
    )
    freedom = of.longest - of.shortest
    return RandomnessTest(
        Sentence("longest runs of ones"), square, freedom, chi_square_beyond(square, freedom)
    )


def serial(bits: str, length: int) -> tuple[RandomnessTest, RandomnessTest]:
    """Every pattern of so many bits as often as every other: two statistics (2.11)."""
    around = bits + bits[: length - 1]
    counts = Counter(around[at : at + length] for at in range(len(bits)))
    squares = []
    for size in range(length, length - 3, -1):
        squares.append(2**size / len(bits) * sum(count**2 for count in counts.values()) - len(bits))
        shorter: Counter[str] = Counter()
        for pattern, count in counts.items():
            shorter[pattern[:-1]] += count
        counts = shorter
    first, second = squares[0] - squares[1], squares[0] - 2 * squares[1] + squares[2]
    freedom = 2 ** (length - 1)
    return (
        RandomnessTest(Sentence("patterns"), first, freedom, chi_square_beyond(first, freedom)),
        RandomnessTest(
            Sentence("patterns, second"), second, freedom / 2, chi_square_beyond(second, freedom // 2)
        ),
    )


def cumulative_sums(bits: str) -> RandomnessTest:
    """The farthest excursion of a walk that a one moves up and a zero down (2.13)."""
    count = len(bits)
    farthest = max(map(abs, accumulate(1 if bit == "1" else -1 for bit in bits)))
    step, ratio = farthest / math.sqrt(count), count / farthest
    near = _NEGLIGIBLE / (4 * step)  # beyond it each term is one chance less the same
    upto = int(min((ratio - 1) / 4, near + 1))
    inner = math.fsum(
        _between((4 * k - 1) * step, (4 * k + 1) * step)
        for k in range(int(max((1 - ratio) / 4, -near - 1)), upto + 1)
    )
    outer = math.fsum(
        _between((4 * k + 1) * step, (4 * k + 3) * step)
        for k in range(int(max((-ratio - 3) / 4, -near - 1)), upto + 1)
    )
    expected = math.sqrt(math.pi * count / 2)
    return RandomnessTest(
        Sentence("cumulative sums"), farthest, expected, min(1.0, max(0.0, 1 - inner + outer))
    )


def _between(low: float, high: float) -> float:
    return _NORMAL.cdf(high) - _NORMAL.cdf(low)


def _blocks(bits: str, size: int) -> Iterator[str]:
    """Whole blocks; what is left over is not tested."""
    return (bits[at : at + size] for at in range(0, len(bits) - size + 1, size))


def _no_longer(bits: int, run: int) -> float:
    """Chance of so many random bits to have no more than `run` ones in a row.

    A first run that is too long ends with the last bit: it comes after a zero, before which there is none.
    """
    chances = [1.0] * (run + 1)
    for at in range(run + 1, bits + 1):
        before = chances[at - run - 2] if at > run + 1 else 2.0
        chances.append(chances[-1] - before * 0.5 ** (run + 2))
    return chances[bits]
