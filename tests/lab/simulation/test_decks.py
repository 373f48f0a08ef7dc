"""Decks shuffled by the thousand are real decks."""

import numpy as np
import pytest

from jackpot.lab.demo.dealing import LAYOUTS
from jackpot.lab.simulation.decks import deal
from jackpot.rules.cards import parse_all
from jackpot.rules.paytable import SEATS, Game


@pytest.mark.parametrize("game", LAYOUTS)
def test_a_round_has_each_card_once_and_every_seat_its_cards(game: Game) -> None:
    """H2, H4: the board's and each seat's cards, of one deck; every card lies in every place now and then."""
    layout = LAYOUTS[game]
    dealt = deal(np.random.default_rng(1), layout, SEATS[game], 2_000)
    size = layout.board + layout.own * SEATS[game]
    assert {len(cards) for cards in dealt} == {size}
    assert all(len(set(cards)) == size for cards in dealt)
    for place in (0, size - 1):
        assert {parse_all(cards)[place] for cards in dealt} == set(range(52))


def test_a_seed_deals_the_same_again() -> None:
    """A simulation can be repeated."""
    one, two, other = (deal(np.random.default_rng(seed), LAYOUTS["let-it-ride"], 6, 20) for seed in (1, 1, 2))
    assert one == two != other
