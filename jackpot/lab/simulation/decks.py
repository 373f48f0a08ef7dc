"""Whole decks, shuffled by the thousand. Needs numpy, of the extra `lab`."""

from typing import Final

import numpy as np
from numpy.random import Generator

from jackpot.rules import cards
from jackpot.rules.hands import GameDeal

# Rounds that are dealt at once: some megabytes.
AT_ONCE: Final = 4_096
_DECK: Final = np.arange(cards.DECK, dtype=np.int8)
_TEXTS: Final = np.array([cards.text(card) for card in range(cards.DECK)])


def deal(rng: Generator, game: GameDeal, players: int, rounds: int) -> list[list[str]]:
    """For each round the cards of the board, of each player, of the dealer, and the bonus cards.

    They are the front of one shuffled deck, of which every order is as likely (Fisher and Yates, by
    `permuted`).
    """
    shuffled = rng.permuted(np.tile(_DECK, (rounds, 1)), axis=1)
    size = game.boards[-1] + game.own * players + game.dealer + game.bonus
    dealt: list[list[str]] = _TEXTS[shuffled[:, :size]].tolist()
    return dealt
