"""Exact figures of a must-hit-by level: the worked example, and every trigger of small ranges."""

from collections import Counter
from fractions import Fraction
from math import ceil
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jackpot.odds.must_hit_by import (
    MustHitByTerms,
    chance,
    meter_within,
    odds_of,
    returned,
    wagers_within,
)
from jackpot.rules.money import MICROS_PER_CENT, MICROS_PER_UNIT

DOLLAR: Final = MICROS_PER_UNIT
# Minimum $10, must hit by $20, wager $5, rate 10 %.
WORKED: Final = MustHitByTerms(10 * DOLLAR, 20 * DOLLAR, 5 * DOLLAR, 1_000)
HALF: Final = Fraction(1, 2)
# Each example looks at some thousand triggers.
SLOW: Final = settings(max_examples=60, deadline=None)


@st.composite
def small_terms(draw: st.DrawFn) -> MustHitByTerms:
    """Ranges of a few cents, a wager of cents, and whatever remains of both."""
    wager = draw(st.integers(1, 3)) * MICROS_PER_CENT
    rise = wager * (rate := draw(st.integers(40, 8_000))) // 10_000
    minimum = draw(st.integers(0, 12)) * 1_000
    residue = draw(st.integers(0, rise))
    most = draw(st.integers(minimum + rise + residue + 1, minimum + rise + residue + 20_000))
    return MustHitByTerms(minimum, most, wager, rate, residue)


def every_cycle(terms: MustHitByTerms) -> list[tuple[int, int]]:
    """Wagers and meter of the cycle of each trigger, from the lowest to the highest."""
    found = []
    meter, wagers = terms.start, 0
    for trigger in range(terms.start + 1, terms.must_hit_by + 1):
        while meter < trigger:
            meter, wagers = meter + terms.wager * terms.rate // 10_000, wagers + 1
        found.append((wagers, min(meter, terms.must_hit_by)))
    return found


def mean(values: list[int]) -> Fraction:
    return Fraction(sum(values), len(values))


def test_the_worked_example() -> None:
    """Y5: $15.25 in the mean, 10.5 wagers, 20 at most, 29.05 %; it pays above $18.14."""
    odds = odds_of(WORKED)
    assert (odds.wagers_max, odds.mean_wagers) == (20, Fraction(21, 2))
    assert odds.mean_award == odds.mean_meter == Fraction("15.25") * DOLLAR
    assert odds.contributed == Fraction(1, 10)
    assert round(odds.long_run * 10_000) == 2905
    # (5 x 20 - 0.5 x 0.5) / 5.5
    assert odds.break_even == Fraction("99.75") / Fraction("5.5") * DOLLAR
    # a cycle pays its mean award for its mean number of wagers: all that goes on is won one day
    assert odds.long_run == odds.mean_award / (odds.mean_wagers * WORKED.wager)


@SLOW
@given(small_terms())
def test_every_trigger_of_a_small_range(terms: MustHitByTerms) -> None:
    """Y5, Y2: mean, maximum and awards in whole cents are those of all triggers, each as likely."""
    cycles = every_cycle(terms)
    odds = odds_of(terms)
    assert odds.wagers_max == max(wagers for wagers, _ in cycles)
    assert odds.mean_wagers == mean([wagers for wagers, _ in cycles])
    assert odds.mean_meter == mean([meter for _, meter in cycles])
    assert odds.mean_award == mean([meter - meter % MICROS_PER_CENT for _, meter in cycles])


@SLOW
@given(small_terms(), st.fractions(Fraction(1, 100), 1, max_denominator=100))
def test_quantiles_of_a_small_range(terms: MustHitByTerms, quantile: Fraction) -> None:
    """Y5: with this probability a cycle has ended after so many wagers, and not with one fewer."""
    cycles = every_cycle(terms)
    within = wagers_within(terms, quantile)
    ended = [sum(wagers <= at for wagers, _ in cycles) for at in (within - 1, within)]
    assert ended[0] < quantile * len(cycles) <= ended[1]
    assert sum(meter <= meter_within(terms, quantile) for _, meter in cycles) >= quantile * len(cycles)


@SLOW
@given(small_terms())
def test_chances_wager_by_wager_make_the_cycle(terms: MustHitByTerms) -> None:
    """Y2: who decides each wager by its own chance has the same cycles as who draws one trigger."""
    cycles = every_cycle(terms)
    left, meter = Fraction(1), terms.start
    ends = Counter(wagers for wagers, _ in cycles)
    for number in range(1, odds_of(terms).wagers_max + 1):
        won = left * chance(terms, meter, meter)
        assert won == Fraction(ends[number], len(cycles))
        left, meter = left - won, meter + terms.contribution
    assert left == 0


def test_below_what_was_decided_nothing_is_won() -> None:
    """Y2: after a downward correction or an undo the meter climbs over known ground."""
    lowered, highest = 14 * DOLLAR, 15 * DOLLAR
    assert chance(WORKED, lowered, highest) == 0
    assert chance(WORKED, lowered + DOLLAR // 2, highest) == 0
    # from 14.75 to 15.25: a quarter of the 5 that are left above 15
    assert chance(WORKED, lowered + 3 * DOLLAR // 4, highest) == Fraction(1, 20)
    assert chance(WORKED, 20 * DOLLAR, highest) == 1


def test_from_the_break_even_meter_on_a_wager_returns_more_than_it_costs() -> None:
    """Y5: one contribution of a micro-dollar's exactness below and above it; cents may take a hundredth."""
    at = odds_of(WORKED).break_even
    assert at is not None
    above = ceil(at)
    cent = Fraction(MICROS_PER_CENT, WORKED.wager)
    assert returned(WORKED, above) >= 1 - cent
    assert returned(WORKED, above + MICROS_PER_CENT) > 1
    assert returned(WORKED, above - MICROS_PER_CENT) < 1


@pytest.mark.parametrize(("minimum", "most", "pays"), [(0, 4, False), (0, 5, True), (2, 6, True)])
def test_a_maximum_below_the_wager_never_pays(minimum: int, most: int, pays: bool) -> None:
    """Y5: no meter gives back $5 where at most $4 are won."""
    terms = MustHitByTerms(minimum * DOLLAR, most * DOLLAR, 5 * DOLLAR, 100)
    assert (odds_of(terms).break_even is not None) == pays
    best = max(returned(terms, meter) for meter in range(terms.start, terms.must_hit_by, MICROS_PER_CENT))
    assert (best > 1) == (most > 5)


def test_a_residue_is_played_for_too() -> None:
    """Y1, Y5: what was left of the award before shortens the cycle: 9.75 of 10.00, at most as many wagers."""
    odds = odds_of(WORKED._replace(residue=DOLLAR // 4))
    # n = ceil(9.75 / 0.50) = 20; 20 - 0.5 x 20 x 19 / (2 x 9.75)
    assert (odds.wagers_max, odds.mean_wagers) == (20, 20 - Fraction(190) / Fraction("19.5"))
    assert odds.mean_wagers < odds_of(WORKED).mean_wagers
    # the last wager lifts the meter to 20.25, of which 20.00 are paid: 19 wagers pay 10.75 to 19.75
    paid = [Fraction(1075 + 50 * number, 100) for number in range(19)]
    assert odds.mean_award == (sum(paid) * HALF + 20 * Fraction(1, 4)) / Fraction("9.75") * DOLLAR


def test_a_level_of_a_million_wagers() -> None:
    """Y5: cents are counted in closed form; $0 to $10,000 in steps of half a cent."""
    terms = MustHitByTerms(0, 10_000 * DOLLAR, 50 * MICROS_PER_CENT, 100)
    odds = odds_of(terms)
    assert odds.wagers_max == 2_000_000
    assert odds.mean_meter == (10_000 * DOLLAR + terms.contribution) * HALF
    # every second wager leaves half a cent on the meter
    assert odds.mean_meter - odds.mean_award == HALF * terms.contribution
