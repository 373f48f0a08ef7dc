"""Whole decks, shuffled by the thousand. Needs numpy, of the extra `lab`."""

from typing import Final

import numpy as np
from numpy.random import Generator

from jackpot.lab.demo.dealing import Layout
from jackpot.rules import cards

# Rounds that are dealt at once: some megabytes.
AT_ONCE: Final = 4_096
_DECK: Final = np.arange(cards.DECK, dtype=np.int8)
_TEXTS: Final = np.array([cards.text(card) for card in range(cards.DECK)])


def deal(rng: Generator, layout: Layout, players: int, rounds: int) -> list[list[str]]:
    """For each round the cards of the board, then of each player: the front of one shuffled deck.

    Every order of a deck is as likely (Fisher and Yates, by `permuted`). The dealer's cards are nobody's.
    """
    shuffled = rng.permuted(np.tile(_DECK, (rounds, 1)), axis=1)
    dealt: list[list[str]] = _TEXTS[shuffled[:, : layout.board + layout.own * players]].tolist()
    return dealt
