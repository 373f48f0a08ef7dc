"""Exact figures of a must-hit-by level: its cycle, its mean award, its return, and the meter that pays.

A trigger is uniform on the whole micro-dollars above the meter with which its cycle begins, up to the
maximum. The wager whose contribution lifts the meter to the trigger or above it wins the meter, at most the
maximum, in whole cents (Y5). Sums are micro-dollars, parts are parts of the wager; all figures are exact.
"""

from fractions import Fraction
from math import ceil
from typing import NamedTuple

from jackpot.rules.money import MICROS_PER_CENT, contribution, floor_to_cent


class MustHitByTerms(NamedTuple):
    """Terms of a level, and the cycle that they are asked about.

    rate: basis points. residue: what the award before left on the meter, beside the minimum.
    """

    minimum: int
    must_hit_by: int
    wager: int
    rate: int
    residue: int = 0

    @property
    def contribution(self) -> int:
        """What one wager adds to the meter."""
        return contribution(self.wager, self.rate)

    @property
    def start(self) -> int:
        """The meter with which the cycle begins."""
        return self.minimum + self.residue

    @property
    def span(self) -> int:
        """The number of values that the trigger may have."""
        return self.must_hit_by - self.start


class MustHitByOdds(NamedTuple):
    """Figures of a cycle, and of the long run in which each cycle begins with this residue.

    wagers_max: the longest cycle. mean_wagers: the winning one among them. mean_meter: the meter when it is
    won. mean_award: the same in whole cents. contributed: the rate. seeded: the minimum, which the house puts
    on in each cycle, spread over the cycle's wagers. break_even: a wager returns more than it costs if more
    than this stands on the meter before it; None where no meter is enough.
    """

    wagers_max: int
    mean_wagers: Fraction
    mean_meter: Fraction
    mean_award: Fraction
    contributed: Fraction
    seeded: Fraction
    break_even: Fraction | None

    @property
    def long_run(self) -> Fraction:
        """Return of a wager in the long run."""
        return self.contributed + self.seeded


def odds_of(terms: MustHitByTerms) -> MustHitByOdds:
    """The figures of these terms."""
    start, span, rise = terms.start, terms.span, terms.contribution
    most = ceil(Fraction(span, rise))
    before = most - 1  # wagers of the longest cycle that do not win
    wagers = most - Fraction(rise * most * before, 2 * span)
    # Each wager but the last of the longest cycle wins with the chance rise / span; that one takes the rest.
    last = span - rise * before
    meters = before * start + rise * most * before // 2
    cents = _floor_sum(before, rise, start + rise, MICROS_PER_CENT)
    maximum = terms.must_hit_by
    return MustHitByOdds(
        most,
        wagers,
        Fraction(rise * meters + last * maximum, span),
        Fraction(rise * cents * MICROS_PER_CENT + last * floor_to_cent(maximum), span),
        Fraction(rise, terms.wager),
        terms.minimum / (terms.wager * wagers),
        break_even(terms),
    )


def chance(terms: MustHitByTerms, meter: int, highest: int) -> Fraction:
    """Chance of a wager to win, on a meter of this amount; none while it stays within what was decided (Y2).

    highest: the highest meter of the cycle that was decided without a win.
    """
    reached = min(meter + terms.contribution, terms.must_hit_by)
    return max(Fraction(0), Fraction(reached - highest, terms.must_hit_by - highest))


def returned(terms: MustHitByTerms, meter: int) -> Fraction:
    """Return of one wager on a meter of this amount that never was higher in its cycle."""
    award = floor_to_cent(min(meter + terms.contribution, terms.must_hit_by))
    return chance(terms, meter, meter) * award / terms.wager


def break_even(terms: MustHitByTerms) -> Fraction | None:
    """The meter above which a wager returns more than it costs; cents are not rounded here (Y5).

    It solves c (m + c) / (b - m) = w, with the contribution c, the maximum b and the wager w.
    """
    wager, rise, maximum = terms.wager, terms.contribution, terms.must_hit_by
    if maximum < wager:
        return None
    return max(Fraction(0), Fraction(wager * maximum - rise**2, wager + rise))


def wagers_within(terms: MustHitByTerms, quantile: Fraction) -> int:
    """Fewest wagers within which a cycle has ended with this probability."""
    return ceil(quantile * terms.span / terms.contribution)


def meter_within(terms: MustHitByTerms, quantile: Fraction) -> int:
    """The meter that is not exceeded, with this probability, when it is won."""
    return min(terms.start + terms.contribution * wagers_within(terms, quantile), terms.must_hit_by)


def _floor_sum(count: int, step: int, first: int, unit: int) -> int:
    """Sum of (first + i * step) // unit over the whole numbers i from 0 to count - 1.

    Whole steps and whole firsts are summed in closed form; what is left is the number of lattice points below
    a line, counted from its other axis: as in Euclid's algorithm, so a million wagers take a few steps.
    """
    total = 0
    while count > 0:
        total += count * (count - 1) // 2 * (step // unit) + count * (first // unit)
        step, first = step % unit, first % unit
        count, first = divmod(step * count + first, unit)
        step, unit = unit, step
    return total
