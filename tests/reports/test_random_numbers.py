"""Random numbers of mystery links are held against uniform ones, and their bytes against random bytes."""

from random import Random
from typing import Final

import pytest

from jackpot.reports.random_numbers import PARTS, TOGETHER_MIN, RandomNumbers
from jackpot.rules.commitment import RAW_BYTES, uniform

LOW: Final = 10_000_000
MAXIMUM: Final = 20_000_000


def found(numbers: RandomNumbers) -> dict[str, float]:
    return {str(finding.what): finding.chance or 0.0 for finding in numbers.findings()}


def test_fair_numbers_of_both_forms() -> None:
    """Y5, Y12: of opened commitments, from wherever each was drawn, and of draws; seeded."""
    rng, triggers, draws = Random(1), RandomNumbers(), RandomNumbers()
    for _ in range(2_000):
        above = rng.randrange(LOW, MAXIMUM - 1_000)
        value, raw = uniform(rng.randbytes(RAW_BYTES), MAXIMUM - above)
        triggers.opened(above, above + 1 + value, MAXIMUM, raw)
        draws.drawn(uniform(rng.randbytes(RAW_BYTES), MAXIMUM - above).raw)
    for numbers in (triggers, draws):
        chances = found(numbers)
        assert len(chances) == 10
        # ten comparisons: the least of them is below 0.001 once in a hundred seeds
        assert min(chances.values()) > 0.001
        assert numbers.count == 2_000


def test_the_ends_of_a_range() -> None:
    """Y1: a trigger is above the meter, and at most the maximum: the first and the last part."""
    numbers = RandomNumbers()
    numbers.opened(LOW, LOW + 1, MAXIMUM, b"")
    numbers.opened(LOW, MAXIMUM, MAXIMUM, b"")
    numbers.drawn(bytes(8))
    numbers.drawn(b"\xff" * 8)
    assert numbers.parts == {0: 2, PARTS - 1: 2}


def test_low_triggers_are_found() -> None:
    """Y5: a house that draws the lower of two, which each hash proves as well."""
    rng, numbers = Random(2), RandomNumbers()
    for _ in range(200):
        value = min(rng.randrange(MAXIMUM - LOW), rng.randrange(MAXIMUM - LOW))
        numbers.opened(LOW, LOW + 1 + value, MAXIMUM, rng.randbytes(8))
    chances = found(numbers)
    assert chances["random numbers in the lower half"] < 1e-6
    assert min(chance for what, chance in chances.items() if what.startswith("raw")) > 1e-3


def test_bytes_that_repeat_are_found() -> None:
    """Y12: numbers that look uniform, of a generator that begins again."""
    numbers, words = RandomNumbers(), [Random(3).randbytes(8) for _ in range(40)]
    for turn in range(400):
        numbers.drawn(words[turn % 40])
    assert (
        min(chance for what, chance in found(numbers).items() if what.startswith("raw bits: patterns")) < 1e-6
    )


@pytest.mark.parametrize(("count", "what"), [(0, []), (1, ["half"]), (TOGETHER_MIN, ["half", "tenths"])])
def test_few_numbers_say_little(count: int, what: list[str]) -> None:
    """Y5: parts are judged together where enough are expected, bytes from the least that NIST names."""
    rng, numbers = Random(4), RandomNumbers()
    for _ in range(count):
        numbers.opened(LOW, LOW + 1 + rng.randrange(MAXIMUM - LOW), MAXIMUM, b"")
    names = [str(finding.what) for finding in numbers.findings()]
    assert len(names) == len(what)
    assert all(part in name for part, name in zip(what, names, strict=True))
