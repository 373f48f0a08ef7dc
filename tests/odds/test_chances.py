"""Probabilities of two hands at one table, and of a draw, match the cards."""

from fractions import Fraction
from math import comb

import pytest

from jackpot.odds.chances import draw_chances, hand_chances, pair_chances
from jackpot.odds.deals import DEALT
from jackpot.rules.paytable import Game, HandKind
from tests.odds.test_analysis import found_of


@pytest.mark.parametrize(("kind", "game"), list(DEALT))
def test_one_of_two_players_is_dealt_as_a_player_alone(kind: HandKind, game: Game) -> None:
    """A5: whatever the other holds, each hand is as likely as alone; and neither player is the first."""
    alone, pairs = hand_chances(kind), pair_chances(kind, game)
    assert sum(pairs.values()) == 1
    for own in alone:
        assert sum(pairs[own, other] for other in alone) == alone[own]
        assert all(pairs[own, other] == pairs[other, own] for other in alone)


def test_two_good_hands_on_one_board_by_reasoning() -> None:
    """A5, H2: rare pairs, worked out by hand.

    Best of seven: two players hold a royal only where it lies on the board, in 4 suits, and the rest of the
    deck is theirs. Let It Ride: of one suit, a royal needs two of its cards on the board and a straight flush
    next to it the same two: ten and jack, with seven to nine in the other hand. Two hands of three cards:
    4 suits for the one mini-royal, 3 for the other.
    """
    deals = comb(52, 5) * comb(47, 2) * comb(45, 2)
    both = pair_chances("five-best", "ultimate-texas-holdem")["royal-flush", "royal-flush"]
    assert both * deals == 4 * comb(47, 2) * comb(45, 2)
    deals = comb(52, 2) * comb(50, 3) * comb(47, 3)
    pairs = pair_chances("five-flop", "let-it-ride")
    assert pairs["royal-flush", "royal-flush"] == 0
    assert pairs["royal-flush", "straight-flush"] * deals == 4
    three = pair_chances("three", "let-it-ride")
    assert three["mini-royal", "mini-royal"] * comb(52, 3) * comb(49, 3) == 4 * 3


def test_envy_given_ones_own_hand_counts_the_cards_that_are_left() -> None:
    """A5: with a mini-royal three of the four are left, and none of spades for who holds it."""
    found = found_of("pa-643a-three-card-B", players=2)
    pairs, alone = pair_chances("three", "let-it-ride"), hand_chances("three")
    given = pairs["mini-royal", "mini-royal"] / alone["mini-royal"]
    assert given == Fraction(3, 18_424)
    assert found.envy_given["mini-royal"] == given * Fraction(100 + 3 * 25, 4)
    assert found.envy_given["mini-royal"] < found.envy[2] < found.envy_given["straight-flush"]


def test_draws_are_returned_too() -> None:
    """A7: one of 52 cards against five, one of seven boxes."""
    found = found_of("pa-643a-five-card-hand-bonus", magic_card_every=100, lucky_every=50)
    chances = draw_chances(found.subject.terms, 7)
    assert chances == (Fraction(5, 5_200), Fraction(1, 350))
    assert found.draws == 20 * chances.magic + 5 * chances.lucky
