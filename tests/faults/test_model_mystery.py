"""The independent model of must-hit-by levels: the cycles worked out by hand, and the law of every draw."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from fractions import Fraction
from typing import Final

import pytest

from jackpot.odds.must_hit_by import MustHitByTerms, chance, odds_of
from tests.faults.model_mystery import COMMITTED, DRAWN, Award, Level, Refused, Terms
from tests.faults.model_mystery_floor import MysteryFloor
from tests.faults.worked.mystery import CYCLES
from tests.faults.worked.mystery_play import Cycle, Given, play_cycle
from tests.faults.worked.play import accounts

# Sums of some micro-dollars, in steps of seven: of nine the last is shorter. Each micro-dollar is paid.
SMALL: Final = Terms(20, 80, 70, 1_000)
FORMS: Final = (COMMITTED, DRAWN)


@pytest.mark.parametrize("cycle", CYCLES, ids=lambda cycle: cycle.name)
def test_worked_cycle(cycle: Cycle) -> None:
    """Y1-Y4, Y6, Y7, Y10, Y11: each names its rules: what was worked out by hand, the model says."""
    draws = {where: Given(triggers) for where, triggers in cycle.triggers.items()}
    floor = MysteryFloor({where: of.draw for where, of in draws.items()})
    play_cycle(cycle, floor, draws)


def test_every_expectation_balances() -> None:
    """M4: the numbers written by hand conserve money themselves."""
    for cycle in CYCLES:
        for where, level in cycle.meters.items():
            have = accounts(level)
            put_in = have["house"] + have["wagers"] + have["corrections"] + have["transfers"]
            assert put_in == have["primary"] + have["overflow"] + have["awards"], (cycle.name, where)


def test_cycles_are_named_once_and_cite_rules() -> None:
    """Every worked cycle can be found by its name, its rules and its source."""
    assert len({cycle.name for cycle in CYCLES}) == len(CYCLES) >= 40
    assert all(cycle.rules and cycle.source for cycle in CYCLES)


class Wanted(Exception):
    """One more value is to be drawn, above `low` and at most `high`."""

    def __init__(self, low: int, high: int) -> None:
        super().__init__(low, high)
        self.low, self.high = low, high


Law = dict[tuple[int, int], Fraction]
"""The chance of each length of a cycle, in wagers, with its award in micro-dollars."""


def small(terms: Terms, form: str) -> Level:
    """A level that pays every micro-dollar."""
    return Level(terms, form, lambda _low, high: high, smallest=1)


def branches(
    level: Level, does: Callable[[Level], Award | None]
) -> Iterator[tuple[Fraction, Level, Award | None]]:
    """What comes of it, with its chance: for every value of every draw. The next cycle draws nothing here."""
    tapes: list[tuple[Fraction, tuple[int, ...]]] = [(Fraction(1), ())]
    while tapes:
        part, values = tapes.pop()
        copy, left = deepcopy(level), list(values)

        def draw(low: int, high: int, copy: Level = copy, left: list[int] = left) -> int:
            if copy.cycle > 1:
                return high
            if not left:
                raise Wanted(low, high)
            return left.pop(0)

        copy.draw = draw
        try:
            award = does(copy)
        except Wanted as more:
            each = part / (more.high - more.low)
            tapes += [(each, (*values, value)) for value in range(more.low + 1, more.high + 1)]
        else:
            yield part, copy, award


def law_of(terms: Terms, form: str, residue: int = 0, moved_after: int = 0, by: int = 0) -> Law:
    """The law of a cycle, from the model alone.

    moved_after: before that wager the meter is corrected by so much; 0 for never. States that are alike are
    counted together: after a wager that won nothing a drawn level is the same whatever was drawn.
    """
    first = small(terms, form)
    first.primary = first.highest = terms.minimum + residue
    states = merged(branches(first, Level.commit))
    found: Law = {}
    wagers = 0
    while states:
        wagers += 1
        if wagers == moved_after:
            states = merged(spread(states, lambda level: level.correct("primary", by)))
        lost = []
        for part, level, award in spread(states, Level.contribute):
            if award is None:
                lost.append((part, level, award))
            else:
                key = wagers, award.amount
                found[key] = found.get(key, Fraction(0)) + part
        states = merged(iter(lost))
    return found


States = list[tuple[Fraction, Level]]


def spread(
    states: States, does: Callable[[Level], Award | None]
) -> Iterator[tuple[Fraction, Level, Award | None]]:
    for chance_of, level in states:
        for part, after, award in branches(level, does):
            yield chance_of * part, after, award


def merged(outcomes: Iterator[tuple[Fraction, Level, Award | None]]) -> States:
    """Levels that are alike, once, with the chance of all of them."""
    found: dict[tuple[int, int, int], tuple[Fraction, Level]] = {}
    for part, level, _ in outcomes:
        key = level.primary, level.highest, level.trigger
        found[key] = found.get(key, (Fraction(0), level))[0] + part, level
    return list(found.values())


@pytest.mark.parametrize("residue", [0, 1, 6])
def test_both_forms_have_the_exact_law(residue: int) -> None:
    """Y1, Y2, Y5: of every trigger and of every draw; and the formulas say the same."""
    laws = [law_of(SMALL, form, residue) for form in FORMS]
    assert laws[0] == laws[1]
    law, odds = (
        laws[0],
        odds_of(MustHitByTerms(SMALL.minimum, SMALL.must_hit_by, SMALL.wager, SMALL.rate, residue)),
    )
    assert sum(law.values()) == 1
    assert odds.wagers_max == max(wagers for wagers, _ in law)
    assert odds.mean_wagers == sum(wagers * part for (wagers, _), part in law.items())
    assert odds.mean_meter == sum(award * part for (_, award), part in law.items())


@pytest.mark.parametrize("by", [-20, -3, 2, 7, 20, 38])
@pytest.mark.parametrize("moved_after", [1, 2, 3])
def test_a_corrected_meter_has_the_same_law_in_both_forms(moved_after: int, by: int) -> None:
    """Y11, Y2: downward, upward within what was decided, and above it, where the trigger is drawn anew."""
    laws = [law_of(SMALL, form, 0, moved_after, by) for form in FORMS]
    assert laws[0] == laws[1]
    assert sum(laws[0].values()) == 1


def test_the_chance_of_one_wager() -> None:
    """Y2: what the formula says of a wager is what the model's draws say, wherever meter and highest are."""
    terms = MustHitByTerms(SMALL.minimum, SMALL.must_hit_by, SMALL.wager, SMALL.rate)
    level = small(SMALL, DRAWN)
    for highest in range(SMALL.minimum, SMALL.must_hit_by, 5):
        for meter in range(SMALL.minimum, SMALL.must_hit_by, 3):
            level.primary, level.highest = meter, highest
            won = sum(part for part, _, award in branches(level, Level.contribute) if award is not None)
            assert won == chance(terms, meter, highest), (meter, highest)


@pytest.mark.parametrize(
    "terms",
    [
        Terms(80, 80, 70, 1_000),
        Terms(-1, 80, 70, 1_000),
        Terms(20, 80, 70, 0),
        Terms(20, 27, 70, 1_000),
    ],
)
def test_terms_that_cannot_be(terms: Terms) -> None:
    """Y1: 0 <= a < b, a rate above zero, and no wager that reaches the maximum by itself."""
    with pytest.raises(Refused):
        Level(terms, COMMITTED, lambda _low, high: high)
