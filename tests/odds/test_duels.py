"""Hands that several decide are counted right, by a ranking that shares no code with the rules."""

from collections import Counter
from itertools import combinations, pairwise
from math import comb
from random import Random
from typing import Final

import numpy as np
import pytest

from jackpot.catalogue import counted_file, odds_of
from jackpot.odds.counts_file import differences_of_others
from jackpot.odds.deals import masks_of
from jackpot.odds.duels import ROUNDS, SEED, best_plays, duels, strengths, tables
from jackpot.rules.cards import DECK, parse
from jackpot.rules.hands import NAMES, beaten, best_of_table, five_best, strength
from tests.nightly import at_night

FIVE: Final = (*NAMES["five-best"], "high-card")


@pytest.mark.parametrize("text", ["2s 3s 4s 5s 6s", "Ts Th Td Tc 9s", "Ks Kh 7d 7c 2s", "As Ks Qh 9d 4s"])
def test_player_against_dealer_on_one_board_as_the_rules_decide_it(text: str) -> None:
    """B11: every pair of hands on a board, compared by the rules."""
    board = [parse(card) for card in text.split()]
    left = [card for card in range(DECK) if card not in board]
    hands = [(own, strength((*own, *board)), five_best((*own, *board)).name) for own in combinations(left, 2)]
    lost, won = Counter[str](), Counter[str]()
    for one, other in combinations(hands, 2):
        if not {*one[0]} & {*other[0]} and one[1] != other[1]:
            high, low = (one, other) if one[1] > other[1] else (other, one)
            won[high[2]] += 1
            lost[low[2]] += 2
    weight = 3
    found = duels((masks_of(np.array([board])), np.array([float(weight)])))
    assert found["beaten"]["hands"] == {name: weight * lost[name] for name in NAMES["beaten"]}
    assert found["winning"]["hands"] == {name: weight * won[name] for name in FIVE}
    assert found["winning"]["deals"] == weight * comb(47, 2) * comb(45, 2)


def test_the_strengths_order_hands_as_the_rules_do() -> None:
    """H1, B11: two orders that share no code agree on random hands, and on close ones."""
    chance = Random("strength")
    close = [card for card in range(DECK) if card >> 2 in (0, 1, 2, 3, 12, 11) and card & 3 < 3]
    hands = [chance.sample(range(DECK), 7) for _ in range(2_000)]
    hands += [chance.sample(close, 7) for _ in range(2_000)]
    found = strengths(np.array(hands))
    order = sorted(range(len(hands)), key=lambda at: (int(found[at]), at))
    for low, high in pairwise(order):
        ours = strength(hands[high]) - strength(hands[low])
        assert (ours > 0) == (found[high] > found[low])
        assert ours >= 0


def test_a_small_table_is_dealt_and_ranked_as_the_rules_do() -> None:
    """B10: rounds of so many players, from one deck; the same seed deals the same rounds."""
    few = tables(4_000, seed=3)
    assert few == tables(4_000, seed=3)
    assert few["7"] != tables(4_000, seed=4)["7"]
    chance, rounds = Random("table"), 4_000
    for players in (3, 7):
        seen = Counter[str]()
        for _ in range(rounds):
            cards = chance.sample(range(DECK), 2 + 3 * players)
            own = [cards[at : at + 3] for at in range(2, len(cards), 3)]
            seen[best_of_table(own, cards[:2]).name] += 1
        for hand in ("pair", "two-pair", "three-of-a-kind"):
            assert abs(seen[hand] - few[str(players)]["hands"][hand]) < 5 * (2 * seen[hand]) ** 0.5


def test_two_players_are_those_of_the_counted_pairs() -> None:
    """B10: the higher of two hands, exact."""
    pairs = odds_of("five-flop").pairs["let-it-ride"]
    two = odds_of("best-of-table", 2)
    assert two.deals == sum(map(sum, pairs.values()))
    both = sum(count for name, counts in pairs.items() for other, count in zip(pairs, counts, strict=True)
               if "royal-flush" in (name, other))  # fmt: skip
    assert two.hands["royal-flush"] == both
    nothing = pairs["high-card"][-1]
    assert sum(two.hands.values()) == two.deals - nothing


def test_a_tie_beats_nobody() -> None:
    """B11: a royal flush on the board is everybody's."""
    board = [card for card in range(DECK) if card & 3 == 0 and card >> 2 >= 8]
    assert beaten((0, 5), (10, 15), board) is None


@at_night
def test_best_play_counted_again() -> None:
    """B2: every three, four and five cards of the deck; the file has these sums."""
    assert best_plays() == counted_file()["best-play"]


@at_night
def test_player_against_dealer_counted_again() -> None:
    """B11, B14: every deal of player, dealer and board; the file has these counts."""
    assert differences_of_others(duels()) == []


@at_night
def test_the_simulated_tables_dealt_again() -> None:
    """B10, B14: the rounds of the seed that the file names."""
    assert differences_of_others({"best-of-table": tables(ROUNDS, SEED)}) == []
