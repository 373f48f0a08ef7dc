"""Is what two hands of a round make counted right? Against the odds of one hand, and counted again."""

from fractions import Fraction

import pytest

from jackpot.catalogue import odds_of, together_of
from jackpot.rules.hands import NAMES
from jackpot.rules.paytable import Game, HandKind
from tests.catalogue.together import SHAPES, together


@pytest.mark.parametrize(("kind", "game"), SHAPES)
def test_a_second_hand_changes_nothing_for_the_first(kind: HandKind, game: Game) -> None:
    """H1, H2: every deal counts the same from both seats, and all together give the odds of one hand."""
    counted, odds = together_of(kind, game), odds_of(kind)
    assert tuple(odds.hands) == NAMES[kind]
    assert counted.both == tuple(zip(*counted.both, strict=True))
    assert sum(map(sum, counted.both)) == counted.deals
    for name, row in zip(odds.hands, counted.both[:-1], strict=True):
        assert Fraction(sum(row), counted.deals) == Fraction(odds.hands[name], odds.deals), name


@pytest.mark.parametrize(
    ("kind", "game"), [("three", "three-card-poker"), ("five-flop", "ultimate-texas-holdem")]
)
def test_the_counts_are_those_of_every_deal(kind: HandKind, game: Game) -> None:
    """H1, H2: counted again without the rules' own ranking."""
    counted = together(kind, *SHAPES[kind, game])
    assert tuple(map(tuple, counted.tolist())) == together_of(kind, game).both
