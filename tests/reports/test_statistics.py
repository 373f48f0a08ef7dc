"""Computed probabilities match exact formulas and published tables."""

from fractions import Fraction
from math import comb
from random import Random
from statistics import NormalDist

import pytest

from jackpot.reports.statistics import (
    POWER,
    beyond,
    chi_square_beyond,
    exactly_beyond,
    holm,
    normally_beyond,
    solve,
    trials_to_show,
)


def exactly(observed: int, trials: int, rate: Fraction) -> Fraction:
    """The sum of every term, as fractions."""
    terms = [comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in range(trials + 1)]
    side = terms[observed:] if observed > trials * rate else terms[: observed + 1]
    return min(Fraction(1), 2 * sum(side, Fraction(0)))


@pytest.mark.parametrize(
    ("observed", "trials", "rate"),
    [
        (0, 48, "1/4"),
        (3, 20, "1/10"),
        (9, 20, "1/10"),
        (30, 900, "1/100"),
        (250, 400, "7/10"),
        (400, 400, "7/10"),
    ],
)
def test_independent_trials_have_binomial_counts(observed: int, trials: int, rate: str) -> None:
    """Fairness: the tail of each side, doubled, to ten digits."""
    chance = Fraction(rate)
    mean, variance = float(trials * chance), float(trials * chance * (1 - chance))
    assert beyond(observed, trials, mean, variance) == pytest.approx(
        float(exactly(observed, trials, chance)), 1e-10
    )


def test_clumps_make_far_counts_less_improbable() -> None:
    """Fairness: a count that half comes in clumps is no surprise where a binomial one would be."""
    alone = beyond(40, 10_000, 20, 20 * (1 - 20 / 10_000))
    poisson, clumped = beyond(40, 10_000, 20, 20), beyond(40, 10_000, 20, 40)
    assert alone < poisson < clumped / 50


def test_a_negative_binomial_count_is_its_published_formula() -> None:
    """A&S 26.1.23: with a whole size, the trials until so many successes; the tail by fractions."""
    size, rate = 5, Fraction(2, 5)
    mean, variance = size * (1 - rate) / rate, size * (1 - rate) / rate**2
    below = sum(comb(k + size - 1, k) * rate**size * (1 - rate) ** k for k in range(20))
    assert beyond(20, 10**9, float(mean), float(variance)) == pytest.approx(float(2 * (1 - below)), 1e-9)


@pytest.mark.parametrize(
    ("quantile", "freedom", "level"),
    [
        (3.841, 1, 0.05), (6.635, 1, 0.01), (5.991, 2, 0.05), (7.815, 3, 0.05), (11.070, 5, 0.05),
        (16.919, 9, 0.05), (18.307, 10, 0.05), (29.588, 10, 0.001), (67.505, 50, 0.05), (3.940, 10, 0.95),
    ],
)  # fmt: skip
def test_the_chi_square_is_that_of_the_tables(quantile: float, freedom: int, level: float) -> None:
    """Fairness: critical values as the NIST e-Handbook prints them (1.3.6.7.4), to their three decimals."""
    assert (
        chi_square_beyond(quantile + 0.0005, freedom)
        <= level
        <= chi_square_beyond(quantile - 0.0005, freedom)
    )


@pytest.mark.parametrize("freedom", [1_999, 2_000, 100_000])
def test_the_chi_square_of_many_degrees_is_nearly_normal(freedom: int) -> None:
    """Fairness: by Wilson and Hilferty's cube root, which is right to four digits where there are many."""
    for level in (0.01, 0.5, 0.99):
        off = NormalDist().inv_cdf(1 - level) * (2 / (9 * freedom)) ** 0.5
        quantile = freedom * (1 - 2 / (9 * freedom) + off) ** 3
        assert chi_square_beyond(quantile, freedom) == pytest.approx(level, abs=1e-4)
    assert chi_square_beyond(0, freedom) == 1


def test_holm_is_its_worked_example() -> None:
    """Fairness: of four, the least counts fourfold, the next threefold, and none less than one before it."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.6]) == [1.0, 1.0]
    assert holm([]) == []


def test_so_many_trials_show_that_something_comes_twice_as_often() -> None:
    """Fairness: with that many, a rate of twice as much passes the level nine times in ten; seeded."""
    rate, level, rng = 0.02, 0.001, Random(7)
    trials = trials_to_show(rate, 1.0, level)
    mean = trials * rate
    counts = (sum(rng.random() < 2 * rate for _ in range(trials)) for _ in range(300))
    found = sum(beyond(count, trials, mean, mean * (1 - rate)) < level for count in counts)
    assert abs(found / 300 - POWER) < 0.06


def test_equations_are_solved() -> None:
    """Fairness: a symmetric matrix times what was found is the right side again."""
    matrix = [[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]]
    found = solve(matrix, [1.0, 2.0, 3.0])
    again = [sum(a * x for a, x in zip(row, found, strict=True)) for row in matrix]
    assert again == pytest.approx([1.0, 2.0, 3.0])


@pytest.mark.parametrize("observed", [0, 1, 3, 4, 9, 30])
@pytest.mark.parametrize(
    "groups", [[(40, "1/10")], [(12, "1/4"), (7, "1/50")], [(3, "1/2"), (9, "1/9"), (20, "1/20")]]
)
def test_trials_of_several_rates_have_their_exact_chance(
    observed: int, groups: list[tuple[int, str]]
) -> None:
    """The director: twice the smaller tail, at most 1; each count of each group is added up as fractions."""
    counts = [Fraction(1)]
    for trials, rate in ((trials, Fraction(text)) for trials, text in groups):
        own = [comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in range(trials + 1)]
        both = [Fraction(0)] * (len(counts) + trials)
        for at, one in enumerate(counts):
            for more, other in enumerate(own):
                both[at + more] += one * other
        counts = both
    right = min(Fraction(1), 2 * min(sum(counts[: observed + 1]), sum(counts[observed:])))
    found = exactly_beyond(observed, [(trials, float(Fraction(text))) for trials, text in groups])
    assert found == pytest.approx(float(right), rel=1e-9, abs=1e-12)


def test_a_count_beyond_all_reason_has_no_chance() -> None:
    """The director: thousands of hits where a few were expected take no time, and no memory."""
    assert exactly_beyond(10**9, [(10_000, 0.001)]) == 0.0


@pytest.mark.parametrize(("off", "chance"), [(0, 1.0), (1.959964, 0.05), (-2.575829, 0.01)])
def test_many_are_judged_by_the_normal_distribution(off: float, chance: float) -> None:
    """The director: two-sided, by the published quantiles of the normal distribution."""
    trials, rate = 4_000_000, 0.5
    deviation = (trials * rate * (1 - rate)) ** 0.5
    observed = round(trials * rate + off * deviation)
    assert normally_beyond(observed, [(trials, rate)]) == pytest.approx(chance, abs=2e-4)
