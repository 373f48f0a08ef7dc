"""A meter's cycle: closed forms against sums, and against simulated cycles."""

from fractions import Fraction
from itertools import pairwise
from random import Random
from statistics import fmean, quantiles
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackpot.odds.cycle import MeterModel, distribution, meter_at, path, wagers_until, won_within

DOLLAR: Final = 1_000_000
ONE_IN_FIFTY: Final = Fraction(1, 50)
PARTS: Final = ((Fraction(1, 10), Fraction(9, 50)),)
METERS: Final = {
    "plain": MeterModel(100 * DOLLAR, Fraction(DOLLAR), Fraction(0), ONE_IN_FIFTY),
    "a tenth is won": MeterModel(100 * DOLLAR, Fraction(DOLLAR), Fraction(0), Fraction(1, 500), PARTS),
    "a reserve": MeterModel(0, Fraction(DOLLAR), Fraction(DOLLAR, 2), Fraction(1, 500)),
    "both": MeterModel(
        0, Fraction(DOLLAR), Fraction(DOLLAR, 2), Fraction(1, 500), ((Fraction(1, 10), Fraction(9, 500)),)
    ),
}


@given(st.integers(2, 400), st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100))
def test_so_many_wagers_and_no_fewer(rare: int, quantile: Fraction) -> None:
    """L6: the hit has come with this probability after so many wagers, not with one fewer: exact powers."""
    missed = 1 - Fraction(1, rare)
    wagers = wagers_until(Fraction(1, rare), quantile)
    assert 1 - missed**wagers >= quantile > 1 - missed ** (wagers - 1)


def test_the_mean_of_a_plain_meter_is_the_sum_over_all_lengths() -> None:
    """L6, A2: each length of a cycle by its probability, added up; what is left out is too small to see."""
    meter = METERS["plain"]
    missed = 1 - ONE_IN_FIFTY
    summed = sum(missed ** (wagers - 1) * ONE_IN_FIFTY * (meter.start + wagers * meter.rise)
                 for wagers in range(1, 1_500))  # fmt: skip
    assert meter.wagers == 50
    assert abs(float(meter.mean(meter.mean_start) - summed)) < 1
    assert (
        meter_at(meter, Fraction(1, 2)) == 100 * DOLLAR + wagers_until(ONE_IN_FIFTY, Fraction(1, 2)) * DOLLAR
    )


def played(meter: MeterModel, cycles: int, chance: Random) -> list[float]:
    """Amounts at which the meter was won in a simulation, cycle by cycle, wager by wager (L6, A2, A4)."""
    found: list[float] = []
    now, reserve = float(meter.mean_start), 0.0
    while len(found) < cycles:
        now, reserve = now + float(meter.rise), reserve + float(meter.reserve)
        drawn = chance.random() - float(meter.chance)
        if drawn < 0:
            found.append(now)
            now, reserve = meter.start + reserve, 0.0
            continue
        for part, often in meter.parts:
            drawn -= float(often)
            if drawn < 0:
                now *= 1 - float(part)
                break
    return found


@pytest.mark.parametrize("name", METERS)
def test_played_cycles_end_as_they_are_told_to(name: str) -> None:
    """L6, A2, A3, A4: mean and quantiles of the meter when won, next to those of cycles that were played."""
    meter = METERS[name]
    won = played(meter, 2_000, Random(f"cycle {name}"))
    mean = float(meter.mean(meter.mean_start))
    assert fmean(won) == pytest.approx(mean, rel=0.08)
    for percent in (25, 50, 75):
        seen = quantiles(won, n=100)[percent - 1]
        assert meter_at(meter, Fraction(percent, 100)) == pytest.approx(seen, rel=0.08)


@pytest.mark.parametrize("name", METERS)
def test_the_mean_of_the_distribution_is_the_exact_mean(name: str) -> None:
    """A2, A3, A4: two ways to the mean that share no formula agree to one part in a hundred."""
    meter = METERS[name]
    points = distribution(meter)
    step = points[1][0]
    by_grid = sum(step * (1 - below) for _, below in points)
    assert points[-1][1] == pytest.approx(1, abs=1e-4)
    assert won_within(meter, points[900][0]) == pytest.approx(points[900][1])
    assert won_within(meter, meter_at(meter, Fraction(3, 4))) == pytest.approx(0.75, abs=0.005)
    assert by_grid == pytest.approx(float(meter.mean(meter.mean_start)), rel=0.01)
    assert all(one[1] <= other[1] + 1e-9 for one, other in pairwise(points))


def test_a_meter_that_is_high_tonight_is_won_higher() -> None:
    """L6: from where it stands a plain meter is won, on average, one cycle's contributions higher."""
    meter = METERS["plain"]
    assert meter.mean(Fraction(900 * DOLLAR)) == (900 + 50) * DOLLAR


@pytest.mark.parametrize("name", METERS)
def test_a_path_is_won_as_often_as_it_should_be_and_loses_nothing(name: str) -> None:
    """L6, A2, A3, A4, M4: a rise is the wagers', a fall a hit; hits come within five deviations."""
    meter, wagers = METERS[name], 10_000
    course = path(meter, float(meter.start), wagers, "a seed")
    assert course == path(meter, float(meter.start), wagers, "a seed") != path(meter, 0.0, wagers, "another")
    assert course[-1].wagers == wagers
    often = float(meter.chance + sum(chance for _, chance in meter.parts))
    won = 0
    for before, after in pairwise(course):
        if after.wagers > before.wagers:
            rise = (after.wagers - before.wagers) * float(meter.rise)
            assert after.meter == pytest.approx(before.meter + rise)
        else:
            won += 1
    assert abs(won - often * wagers) < 5 * (often * wagers) ** 0.5
