"""A paytable's analysis is consistent with itself, and right in edge cases."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

import pytest

from jackpot.catalogue import ids, return_of
from jackpot.odds.analysis import Analysis, AnalysisConditions, analyze
from jackpot.odds.chances import hand_chances
from jackpot.odds.subject import OperatorChoices, subject_of
from jackpot.rules.money import MICROS_PER_CENT
from jackpot.rules.paytable import SEATS

DOLLAR: Final = 1_000_000
# What an operator may write where a source leaves a figure open.
FILLED: Final = {"primary": "10%", "reserve": "1%", "seed": "20000.00", "reseed": "20000.00"}


def found_of(
    paytable: str, meters: Mapping[str, int] | None = None, players: int = 1, **wish: object
) -> Analysis:
    return analyze(subject_of(paytable, OperatorChoices(**wish)), AnalysisConditions(meters or {}, players))  # type: ignore[arg-type]


@pytest.mark.parametrize("paytable", ids())
def test_every_paytable_adds_up(paytable: str) -> None:
    """A1, A5: rows, levels, envy and draws are the total; envy over all own hands is envy; odds are A7's."""
    subject = subject_of(paytable, OperatorChoices())
    seats = SEATS[subject.game]
    found = analyze(subject, AnalysisConditions(players=seats))
    rows = sum((row.part for row in found.rows), Fraction(0))
    assert found.total == rows + found.ties + found.envy[seats] + found.draws
    chances = hand_chances(subject.terms.hand_kind)
    assert sum(chances[hand] * envy for hand, envy in found.envy_given.items()) == found.envy[seats]
    assert found.odds == return_of(subject.terms, seats).odds
    assert (found.ties > 0) == (subject.terms.hand_kind == "winning")
    assert found.envy[1] == 0
    assert all(level.part == found.levels[at].part for at, level in enumerate(found.levels))


@pytest.mark.parametrize("paytable", [name for name in ids() if name != "pa-653a-2011-progressive"])
def test_at_its_break_even_meter_a_wager_returns_itself(paytable: str) -> None:
    """M3, A1: at that cent it does, and a dollar below it does not."""
    for level in found_of(paytable).levels:
        name = level.terms.level
        at = found_of(paytable, {name: level.break_even})
        # A part of the meter is cut to the cent (M3), which may be missing.
        assert at.total >= 1 - Fraction(MICROS_PER_CENT, at.subject.terms.wager)
        assert found_of(paytable, {name: level.break_even - DOLLAR}).total < 1


def test_a_bet_that_returns_more_with_an_empty_meter_breaks_even_at_any() -> None:
    """H2: the best five of seven of 2011."""
    assert found_of("pa-653a-2011-progressive", {"meter": 0}).total > 1
    assert found_of("pa-653a-2011-progressive").levels[0].break_even == 0


def test_the_spread_of_a_pay_is_that_of_the_printed_odds() -> None:
    """A1, H1: mean and variance from the known counts of 22,100 three-card hands, in whole numbers."""
    found = found_of("pa-649a-2011-progressive-A")
    pays = {1_000: 1, 500: 3, 70: 44, 60: 52, 6: 720}
    mean = Fraction(sum(pay * count for pay, count in pays.items()), 22_100)
    square = Fraction(sum(pay * pay * count for pay, count in pays.items()), 22_100)
    assert found.spread[0] == mean
    assert float(found.spread[1] ** 2) == pytest.approx(float(square - mean**2), rel=1e-12)


def test_where_a_wager_goes_in_the_long_run() -> None:
    """M4, A2: contributions, odds, envy and the house's reseeds; what is left is the edge."""
    found = found_of("pa-643a-five-card-C", players=7, wager="5.00")
    run = found.long_run
    assert run is not None
    assert run.meters == Fraction(19, 100)
    reseeds = Fraction(4 * 10_000 + 36 * 1_000 + 624 * 250, 2_598_960)
    assert run.reseeds == reseeds
    assert run.edge == 1 - run.meters - found.odds - found.envy[7] - reseeds
    # They stand at their seeds, which are their reseeds.
    assert [level.next_mean for level in found.levels] == [
        level.cycle and level.cycle.mean(level.cycle.mean_start) for level in found.levels
    ]


@pytest.mark.parametrize("paytable", ids())
def test_one_computation_says_where_a_wager_goes(paytable: str) -> None:
    """A7: what an analysis and its pages say of the long run is what `config check` says of a full table."""
    opened = subject_of(paytable, OperatorChoices()).open - {"envy"}
    figures = {figure: FILLED[figure.partition(".")[2]] for figure in opened}
    subject = subject_of(paytable, OperatorChoices(figures=figures))
    seats = SEATS[subject.game]
    found = analyze(subject, AnalysisConditions(players=seats))
    assert found.long_run == return_of(subject.terms, seats)
    assert found.long_run.envy == found.envy[seats]


def test_a_reserve_makes_the_next_meter() -> None:
    """A3: the Five Card Hand Bonus costs no reseed; a cycle begins with what the reserve has gathered."""
    found = found_of("pa-643a-five-card-hand-bonus")
    (level,) = found.levels
    assert found.long_run is not None
    assert found.long_run.reseeds == 0
    assert level.cycle is not None
    assert level.cycle.mean_start == Fraction(8, 100) * 649_740 * DOLLAR
    assert not level.cycle.exact
