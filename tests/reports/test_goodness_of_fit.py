"""The spread of counts is what the exact odds of one hand, and of two of a round, predict."""

from random import Random

import pytest

from jackpot.lab.demo.dealing import LAYOUTS
from jackpot.reports import goodness_of_fit, statistics
from jackpot.reports.goodness_of_fit import CountedHands
from jackpot.rules import hands
from jackpot.rules.paytable import Game
from tests.rules.floor import TERMS


def test_twice_as_many_royal_flushes_are_found_in_so_many_hands_as_it_says() -> None:
    """Fairness: `shown_from` is what it says: there twice as many are flagged, and as many are not."""
    rate, level = 4 / 2_598_960, goodness_of_fit.LEVEL / 400
    of = statistics.trials_to_show(rate, 1.0, level)
    twice, once = round(2 * of * rate), round(of * rate)
    assert (goodness_of_fit.trial("royal-flush", of, twice, rate).chance or 0.0) < level
    assert (goodness_of_fit.trial("royal-flush", of, once, rate).chance or 0.0) > 0.5
    assert (goodness_of_fit.trial("royal-flush", of // 8, twice // 8, rate).chance or 0.0) > level


@pytest.mark.parametrize("game", ["let-it-ride", "ultimate-texas-holdem"])
def test_the_spread_of_dealt_hands_is_the_exact_one(game: Game) -> None:
    """Fairness: over many shifts each count is off by one standard deviation, though seats share a board."""
    expected, rng, layout = goodness_of_fit.expected_of(TERMS["five-C"], game), Random(3), LAYOUTS[game]
    taken, ranking = hands.made_of("five-flop", game)
    shifts = []
    for _ in range(80):
        counted = CountedHands()
        for _ in range(60):
            deck = rng.sample(range(52), layout.board + layout.own * 6)
            board, own = tuple(deck[:taken]), deck[layout.board :]
            seats = [tuple(own[place : place + layout.own]) for place in range(0, len(own), layout.own)]
            counted.add(6, [ranking(seat + board).name for seat in seats])
        shifts.append(goodness_of_fit.compare([(expected, counted)]))
    often = [finding.off for shift in shifts for finding in shift if finding.what == "three-of-a-kind"]
    assert len(often) == len(shifts)
    assert 0.7 < sum(off**2 for off in often) / len(often) < 1.35
    assert abs(sum(often)) / len(often) < 0.35


def test_clumps_of_few_boards_are_not_judged() -> None:
    """Fairness: one flop of three of a kind pays a whole table; of too few rounds nothing is said."""
    expected = goodness_of_fit.expected_of(TERMS["five-C"], "ultimate-texas-holdem")
    counted = CountedHands()
    for made in (6, *[0] * 200):
        counted.add(6, ["three-of-a-kind"] * made)
    found = {finding.what: finding for finding in goodness_of_fit.compare([(expected, counted)])}
    assert found["three-of-a-kind"].chance is None
    assert found["royal-flush"].chance == pytest.approx(1.0)
