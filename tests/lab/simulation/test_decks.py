"""Decks shuffled by the thousand are real decks."""

import numpy as np
import pytest

from jackpot.lab.simulation.decks import deal
from jackpot.rules.cards import parse_all
from jackpot.rules.hands import DEALS
from jackpot.rules.paytable import ANY, SEATS, Game


@pytest.mark.parametrize("game", [game for game in DEALS if game != ANY])
def test_a_round_has_each_card_once_and_every_seat_its_cards(game: Game) -> None:
    """H2, H4, B16: each seat's cards and those of no seat, of one deck; each lies everywhere now and then."""
    cards_of = DEALS[game]
    dealt = deal(np.random.default_rng(1), cards_of, SEATS[game], 2_000)
    size = cards_of.boards[-1] + cards_of.own * SEATS[game] + cards_of.dealer + cards_of.bonus
    assert {len(cards) for cards in dealt} == {size}
    assert all(len(set(cards)) == size for cards in dealt)
    for place in (0, size - 1) if size else ():
        assert {parse_all(cards)[place] for cards in dealt} == set(range(52))


def test_a_seed_deals_the_same_again() -> None:
    """A simulation can be repeated."""
    one, two, other = (deal(np.random.default_rng(seed), DEALS["let-it-ride"], 6, 20) for seed in (1, 1, 2))
    assert one == two != other
