"""Statistical tests: exact tails, the chi-square distribution, and multiple comparisons.

Formulas: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.1.20 to 26.1.23 (binomial, Poisson and
negative binomial counts), 26.4.4 and 26.4.5 (chi-square for whole degrees of freedom, which needs no
incomplete gamma function); S. Holm, A Simple Sequentially Rejective Multiple Test Procedure, 1979; the
NIST/SEMATECH e-Handbook of Statistical Methods, 7.2.4.2 (how many trials show that a rate is another).
"""

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Final

# A term so much smaller than the sum changes no digit of it.
_NEGLIGIBLE: Final = 1e-17
# Variances this close count as equal.
_EQUAL: Final = 1 + 1e-9
# From so many expected on, a count is judged by the normal distribution.
EXACT_MAX: Final = 30
# No chance is left above it where EXACT_MAX are expected: less than one in 10 to the 100.
BEYOND_ALL: Final = 300
# Power: how often a deviation of the given size is to be found.
POWER: Final = 0.9

Ratio = Callable[[int], float]
"""The chance of one more than so many, as a multiple of the chance of so many."""


def beyond(observed: int, trials: int, mean: float, variance: float) -> float:
    """Two-sided p-value of a count: twice that of its own side, at most 1.

    trials: the most that it can be. A variance up to that of independent trials gives a binomial count. One
    above the mean, of trials that come in clumps, gives a negative binomial one. Between the two it is
    Poisson's, which finds too little rather than too much.
    """
    if not 0 < mean < trials:
        return 1.0 if observed == mean else 0.0
    exactly, ratio = _count(observed, trials, mean, variance)
    total = term = exactly
    at, above = observed, observed > mean
    while term > total * _NEGLIGIBLE and (at < trials if above else at > 0):
        term = term * ratio(at) if above else term / ratio(at - 1)
        at += 1 if above else -1
        total += term
    return min(1.0, 2 * total)


def _count(at: int, trials: int, mean: float, variance: float) -> tuple[float, Ratio]:
    """The probability of exactly `at`, and the ratio from each to the next."""
    rate = mean / trials
    if variance <= mean * (1 - rate) * _EQUAL:
        ways = math.lgamma(trials + 1) - math.lgamma(at + 1) - math.lgamma(trials - at + 1)
        exactly = math.exp(ways + at * math.log(rate) + (trials - at) * math.log1p(-rate))
        return exactly, lambda k: (trials - k) / (k + 1) * rate / (1 - rate)
    if variance <= mean * _EQUAL:
        return math.exp(at * math.log(mean) - mean - math.lgamma(at + 1)), lambda k: mean / (k + 1)
    clumped = 1 - mean / variance
    size = mean * (1 - clumped) / clumped
    ways = math.lgamma(at + size) - math.lgamma(at + 1) - math.lgamma(size)
    exactly = math.exp(ways + size * math.log1p(-clumped) + at * math.log(clumped))
    return exactly, lambda k: (k + size) / (k + 1) * clumped


def exactly_beyond(observed: int, groups: Sequence[tuple[int, float]]) -> float:
    """Two-sided p-value of a count of independent trials, as `beyond`; exact for trials of several rates.

    groups: how many trials at which rate. Of at most EXACT_MAX expected.
    """
    if observed > BEYOND_ALL:
        return 0.0
    counts = [1.0]
    for trials, rate in groups:
        own = [math.exp(trials * math.log1p(-rate))]
        for made in range(min(observed, trials)):
            own.append(own[-1] * (trials - made) / (made + 1) * rate / (1 - rate))
        counts = [
            math.fsum(
                counts[one] * own[of - one]
                for one in range(max(0, of - len(own) + 1), min(of, len(counts) - 1) + 1)
            )
            for of in range(min(observed, len(counts) + len(own) - 2) + 1)
        ]
    upto = math.fsum(counts)
    exactly = counts[observed] if observed < len(counts) else 0.0
    return min(1.0, 2 * min(upto, 1 - upto + exactly))


def normally_beyond(observed: int, groups: Sequence[tuple[int, float]]) -> float:
    """The same by the normal distribution, for many expected."""
    mean = math.fsum(trials * rate for trials, rate in groups)
    variance = math.fsum(trials * rate * (1 - rate) for trials, rate in groups)
    return math.erfc(abs(observed - mean) / math.sqrt(2 * variance))


def chi_square_beyond(x: float, freedom: int) -> float:
    """Upper tail of the chi-square distribution with so many degrees of freedom."""
    half, odd = x / 2, freedom % 2
    if half <= 0:
        return 1.0
    # By logarithms: of many degrees of freedom neither the powers nor their weights are floats.
    orders = [step + odd / 2 for step in range(freedom // 2)]
    terms = [math.exp(order * math.log(half) - half - math.lgamma(order + 1)) for order in orders]
    return min(1.0, math.fsum([math.erfc(math.sqrt(half)) if odd else 0.0, *terms]))


def holm(chances: Sequence[float]) -> list[float]:
    """Holm correction: p-values adjusted for the number of comparisons."""
    order = sorted(range(len(chances)), key=chances.__getitem__)
    found, least = [1.0] * len(chances), 0.0
    for place, number in enumerate(order):
        least = max(least, min(1.0, (len(chances) - place) * chances[number]))
        found[number] = least
    return found


def trials_to_show(rate: float, spread: float, level: float) -> int:
    """Trials needed to show, with 90 % power, that something comes twice as often as `rate`.

    spread: the variance of the count, as a multiple of that of independent trials. level: how seldom it may
    be said wrongly. Of a rate above one third, half way from it to always.
    """
    other = min(2 * rate, (1 + rate) / 2)
    normal = NormalDist()
    wrong = normal.inv_cdf(1 - level / 2) * math.sqrt(rate * (1 - rate))
    missed = normal.inv_cdf(POWER) * math.sqrt(other * (1 - other))
    return math.ceil(spread * ((wrong + missed) / (other - rate)) ** 2)


def solve(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Solves matrix x = right for a small symmetric positive definite matrix, by elimination."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for place, row in enumerate(rows):
        for lower in rows[place + 1 :]:
            share = lower[place] / row[place]
            for column in range(place, len(lower)):
                lower[column] -= share * row[column]
    found = [0.0] * len(rows)
    for place in reversed(range(len(rows))):
        row = rows[place]
        known = sum(row[column] * found[column] for column in range(place + 1, len(rows)))
        found[place] = (row[-1] - known) / row[place]
    return found
