"""The counted deals match an independent ranking."""

import tomllib
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import comb
from random import Random

import numpy as np
import pytest

from jackpot.catalogue import games_of, load, odds_of
from jackpot.catalogue.paytables import ids
from jackpot.odds.chances import NOTHING, pair_chances
from jackpot.odds.counts_file import CountedCatalogue, as_toml, differences, differences_of_others
from jackpot.odds.deals import DEALT, CardsOfHand, count, made_of
from jackpot.rules.hands import NAMES, CardsShown, Ranked, five_best, rank_shown
from jackpot.rules.paytable import Game, HandKind
from tests.nightly import at_night

EVERY = list(DEALT)
# To count its deals takes twice as long as to count all others.
LARGEST = ("five-best", "ultimate-texas-holdem")


@pytest.mark.parametrize(
    ("kind", "game"), [pytest.param(*each, marks=at_night if each == LARGEST else ()) for each in EVERY]
)
def test_every_deal_ranked_again_gives_the_counts_of_the_catalogue(kind: HandKind, game: Game) -> None:
    """A7, H1, H2: all deals of one player and of two, ranked here, and nothing sampled."""
    counted = count(kind, game)
    dealt = DEALT[kind, game]
    assert counted.deals == comb(52, dealt.own + dealt.board)
    left = 52 - dealt.board
    assert sum(map(sum, counted.pairs)) == (
        comb(52, dealt.board) * comb(left, dealt.own) * comb(left - dealt.own, dealt.own)
    )
    assert differences({kind: {game: counted}}) == []


def test_every_hand_of_every_paytable_is_counted() -> None:
    """H2: each game of each paytable has its cards in the count, or more than one hand decides it."""
    wanted = {(table.hand, game) for table in map(load, ids()) for game in games_of(table)}
    assert {kind for kind, _ in wanted - DEALT.keys()} == {"six", "best-of-table", "beaten", "winning"}
    assert ("six", "ultimate-texas-holdem") in wanted - DEALT.keys()


def test_a_wrong_count_is_named() -> None:
    """A7: a changed file of counts is detected."""
    counted = count("three", "let-it-ride")
    more = counted._replace(hands=counted.hands | {"flush": 1_097})
    assert differences({"three": {"let-it-ride": more}}) == [
        "three at let-it-ride, flush: 1,097 deals, not 1,096"
    ]
    swapped = counted._replace(pairs=counted.pairs[::-1])
    assert differences({"three": {"let-it-ride": swapped}}) == [
        "three at let-it-ride: the deals of two players"
    ]
    ranks = counted._replace(ranks=[0, *counted.ranks[1:]])
    assert differences({"three": {"let-it-ride": ranks}}) == ["three at let-it-ride: the ranks of pairs"]
    assert differences_of_others({"best-play": {}}) == ["best-play: not as counted"]


def test_the_file_of_counts_is_written_as_it_is_read() -> None:
    """B14: whole numbers, texts, and sections within sections."""
    counted = count("three", "let-it-ride")
    others = {"x": {"cards": "three", "deals": 1_000, "hands": {"flush": 7}}}
    written = tomllib.loads(as_toml(CountedCatalogue({"three": {"let-it-ride": counted}}, others)))
    assert written["x"] == others["x"]
    assert written["three"]["hands"] == odds_of("three").hands
    assert tuple(written["three"]["ranks"]) == odds_of("three").ranks


def ranked_by_rules(kind: HandKind, game: Game, own: Sequence[int], board: Sequence[int]) -> Ranked:
    """board: whatever cards all players of the round share, as in `DEALT`."""
    if kind == "five-line":  # no table sends it, and the rules have no such hand
        return five_best((*own, *board))
    if kind == "six":
        shared = {
            "let-it-ride": CardsShown(bonus=tuple(board)),
            "three-card-poker": CardsShown(dealer=tuple(board)),
        }
        ranked = rank_shown(kind, game, shared[game]._replace(own=tuple(own)))
    else:
        ranked = rank_shown(kind, game, CardsShown(tuple(own), tuple(board)))
    assert ranked is not None
    return ranked


def board_and_hands(dealt: CardsOfHand, chance: Random) -> tuple[list[int], list[int], list[int]]:
    cards = chance.sample(range(52), dealt.board + 2 * dealt.own)
    board, first = cards[: dealt.board], cards[dealt.board :][: dealt.own]
    return board, first, cards[dealt.board + dealt.own :]


@pytest.mark.parametrize(("kind", "game"), EVERY)
def test_the_masks_rank_as_the_rules_do(kind: HandKind, game: Game) -> None:
    """H1, H2: two rankings that share no code agree on random hands, and on all of few ranks and suits."""
    chance = Random(f"{kind} {game}")
    dealt, names = DEALT[kind, game], (*NAMES[kind], NOTHING)
    hands = [chance.sample(range(52), dealt.own + dealt.board) for _ in range(1_500)]
    size = dealt.own + dealt.board
    # Cards of two suits and few ranks: straight flushes, flushes and full houses in plenty.
    close = [
        card for card in range(52) if card >> 2 in (0, *range(13 - max(size - 1, 4), 13)) and card & 3 < 2
    ]
    hands += [list(some) for some in combinations(close, size)]
    found = made_of(kind, game, np.array(hands))
    for cards, place in zip(hands, found, strict=True):
        ranked = ranked_by_rules(kind, game, cards[: dealt.own], cards[dealt.own :])
        assert ranked.name == names[place]


@pytest.mark.parametrize(("kind", "game"), EVERY)
def test_two_players_are_dealt_as_their_deals_are_counted(kind: HandKind, game: Game) -> None:
    """A5: rounds dealt to two players from one deck, ranked by the rules, make each two hands that often."""
    chance = Random(f"two {kind} {game}")
    dealt, rounds = DEALT[kind, game], 6_000
    seen: Counter[tuple[str, str]] = Counter()
    for _ in range(rounds):
        board, *hands = board_and_hands(dealt, chance)
        first, second = (ranked_by_rules(kind, game, cards, board) for cards in hands)
        seen[first.name, second.name] += 1
    square, cells = 0.0, 0
    for pair, likely in pair_chances(kind, game).items():
        wanted = float(likely) * rounds
        if wanted >= 5:
            square += (seen[pair] - wanted) ** 2 / wanted
            cells += 1
    # A chi-square is about its cells, give or take the root of twice as many; five of these is too far.
    assert square < cells + 5 * (2 * cells) ** 0.5
