"""The tests of random bytes: the worked examples of NIST's publication, and bytes that are not random.

The sections are those of Special Publication 800-22, revision 1a; its examples print six digits.
"""

from functools import cache
from math import log2
from random import Random
from typing import Final

import pytest

from jackpot.reports import randomness
from jackpot.reports.randomness import (
    BYTES_MAX,
    RandomnessTest,
    block_frequency,
    cumulative_sums,
    longest_run,
    monobit,
    runs,
    serial,
)

# The first hundred binary digits of pi, as the publication prints them.
PI: Final = (
    "1100100100001111110110101010001000100001011010001100001000110100110001001100011001100010100010111000"
)
# Of 2.4.8.
LONGEST: Final = (
    "11001100000101010110110001001100111000000000001001"
    "00110101010001000100111101011010000000110101111100"
    "1100111001101101100010110010"
)
MILLION: Final = 1_000_000


@cache
def digits_of_e() -> str:
    """A million binary digits of e, from its series, in which each half is summed by itself."""

    def halves(low: int, high: int) -> tuple[int, int]:
        """The fraction of 1 / low! + ... + 1 / (high - 1)! in parts of 1 / (low - 1)!."""
        if high - low == 1:
            return 1, low
        middle = (low + high) // 2
        (p, q), (r, s) = halves(low, middle), halves(middle, high)
        return p * s + r, q * s

    p, q = halves(1, 71_000)  # 71,000! has more than a million binary digits
    return f"{((p + q) << MILLION) // q:b}"[:MILLION]


def close(found: RandomnessTest, chance: float, within: float = 1e-6) -> bool:
    return abs(found.chance - chance) < within


def test_ones() -> None:
    """Y5: 2.1.4, 2.1.8."""
    assert close(monobit("1011010101"), 0.527089)
    assert close(monobit(PI), 0.109599)


def test_ones_by_block() -> None:
    """Y5: 2.2.4, 2.2.8."""
    assert close(block_frequency("0110011010", 3), 0.801252)
    assert close(block_frequency(PI, 10), 0.706438)


def test_runs() -> None:
    """Y5: 2.3.4, 2.3.8; where the ones alone are improbable the runs are (2.3.4, step 2)."""
    assert close(runs("1001101011"), 0.147232)
    assert close(runs(PI), 0.500798)
    assert runs("1" * 90 + "0" * 10).chance == 0


def test_longest_run() -> None:
    """Y5: 2.4.8, rounded likewise."""
    found = longest_run(LONGEST)
    assert abs(found.statistic - 4.882605) < 2e-4
    assert close(found, 0.180609, 2e-5)


def test_patterns() -> None:
    """Y5: 2.11.4, 2.11.6."""
    first, second = serial("0011011101", 3)
    assert (round(first.statistic, 6), round(second.statistic, 6)) == (1.6, 0.8)
    assert close(first, 0.808792)
    assert close(second, 0.670320)


def test_cumulative_sums() -> None:
    """Y5: 2.13.4, 2.13.8."""
    assert close(cumulative_sums("1011010111"), 0.4116588)
    assert close(cumulative_sums(PI), 0.219194)
    assert close(cumulative_sums(PI[::-1]), 0.114866)


def test_a_million_digits_of_e() -> None:
    """Y5: what appendix B prints of them, and 2.11.8 of pairs."""
    bits = digits_of_e()
    assert close(monobit(bits), 0.953749)
    assert close(block_frequency(bits, 128), 0.211072)
    assert close(runs(bits), 0.561917)
    # the publication rounds the chances of the classes to four digits
    assert close(longest_run(bits), 0.718945, 1e-3)
    assert close(cumulative_sums(bits), 0.669887)
    assert close(cumulative_sums(bits[::-1]), 0.724266)
    assert close(serial(bits, 2)[0], 0.843764)
    assert close(serial(bits, 2)[1], 0.561915)


@pytest.mark.parametrize("run", [1, 2, 3])
def test_the_chances_of_runs_are_counted(run: int) -> None:
    """Y5: of all bytes."""
    fitting = sum(max(map(len, f"{byte:08b}".split("0"))) <= run for byte in range(256))
    assert randomness._no_longer(8, run) == fitting / 256


def test_random_bytes_pass() -> None:
    """Y5: of 200 pieces of pseudo-random bytes each test calls few improbable, and no chance is above 1."""
    rng = Random(1)
    found = [randomness.tests(rng.randbytes(500)) for _ in range(200)]
    for results in zip(*found, strict=True):
        chances = [result.chance for result in results]
        # 200 x 0.01 = 2 in the mean; more than 10 come once in 100,000
        assert sum(chance < 0.01 for chance in chances) <= 10, results[0].name
        assert all(0 <= chance <= 1 for chance in chances)
        assert sum(chance > 0.5 for chance in chances) > 60


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("ones", bytes(byte | 1 for byte in Random(2).randbytes(2_000))),
        ("ones by block", bytes(500) + b"\xff" * 500),
        ("runs", b"\x55" * 500),
        ("longest runs of ones", b"\x33" * 500),
        ("patterns", bytes(range(16)) * 60),
        ("patterns, second", Random(3).randbytes(16) * 60),
        ("cumulative sums", bytes(300) + Random(4).randbytes(400) + b"\xff" * 300),
        ("cumulative sums, backward", bytes(300) + Random(4).randbytes(400) + b"\xff" * 300),
    ],
)
def test_bytes_that_are_not_random_fail(name: str, data: bytes) -> None:
    """Y5: each test finds what it is for."""
    chances = {result.name: result.chance for result in randomness.tests(data)}
    assert chances[name] < 1e-6


def test_too_few_and_too_many() -> None:
    """Y5: below the publication's least nothing is said; above the most only so many bytes are looked at."""
    assert randomness.tests(b"") == []
    assert randomness.tests(bytes(15)) == []
    assert len(randomness.tests(Random(5).randbytes(16))) == 8
    assert log2(8 * BYTES_MAX) < 20
    data = Random(6).randbytes(BYTES_MAX)
    assert randomness.tests(data + bytes(1_000)) == randomness.tests(data)
