"""Every hand is ranked by its game's section, from the cards that count, for the right row.

The slow ranking here is written from the sections' words on texts, sets and sorted lists, and takes the
best of all combinations; it shares no code and no idea with the masks of `jackpot.rules.hands`.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jackpot.rules.cards import parse, text
from jackpot.rules.hands import (
    NAMES,
    Ranked,
    best_row,
    check_counts,
    five_best,
    four_best,
    makes,
    making,
    rank,
    satisfies,
    strength,
    three,
)
from jackpot.rules.paytable import EnvyRow, ForOne, Game, HandKind, PaytableRow, Percent

# The orders of the sections, best first: 643a.6(d) with 649a.6(b), 641a.6(b), 643a.6(b) with 653a.6(b).
ORDERS: Final = {
    3: ["mini-royal", "straight-flush", "three-of-a-kind", "straight", "flush", "pair", "high-card"],
    4: [
        "four-aces",
        "four-of-a-kind",
        "straight-flush",
        "three-of-a-kind",
        "flush",
        "straight",
        "two-pair",
        "pair",
        "high-card",
    ],
    5: [
        "royal-flush",
        "straight-flush",
        "four-of-a-kind",
        "full-house",
        "flush",
        "straight",
        "three-of-a-kind",
        "two-pair",
        "pair",
        "high-card",
    ],
}
SINGLE_SUIT: Final = {"royal-flush", "mini-royal", "straight-flush", "flush"}


def hand(words: str) -> list[int]:
    return [parse(word) for word in words.split()]


def consecutive(ranks: list[str]) -> bool:
    """Whether sorted distinct ranks stand next to each other in the one long row that starts with the ace."""
    row = "A23456789TJQKA"
    return len(set(ranks)) == len(ranks) and any(
        sorted(row[start : start + len(ranks)]) == sorted(ranks) for start in range(len(row) - len(ranks) + 1)
    )


def slow_exactly(cards: Sequence[str]) -> Ranked:
    """The category of 3, 4 or 5 cards, all of which count."""
    size = len(cards)
    ranks, suits = [card[0] for card in cards], {card[1] for card in cards}
    groups = [*sorted(Counter(ranks).values(), reverse=True), 0]
    is_true = {
        "royal-flush": len(suits) == 1 and set(ranks) == set("AKQJT"),
        "mini-royal": len(suits) == 1 and set(ranks) == set("AKQ"),
        "straight-flush": len(suits) == 1 and consecutive(ranks),
        "four-aces": ranks.count("A") >= 4,
        "four-of-a-kind": groups[0] >= 4,
        "full-house": groups[:2] == [3, 2],
        "flush": len(suits) == 1,
        "straight": consecutive(ranks),
        "three-of-a-kind": groups[0] >= 3,
        "two-pair": groups[:2] == [2, 2],
        "pair": groups[0] == 2,
        "high-card": True,
    }
    name = next(name for name in ORDERS[size] if is_true[name])
    (rank,) = (rank for rank in set(ranks) if ranks.count(rank) == 2) if name == "pair" else ("",)
    return Ranked(name, suits.pop() if name in SINGLE_SUIT else "", rank)


def slow_best(cards: Sequence[int], size: int) -> Ranked:
    """The best of every way to choose `size` of the cards."""
    texts = [text(card) for card in cards]
    return min(
        (slow_exactly(chosen) for chosen in combinations(texts, size)),
        key=lambda ranked: ORDERS[size].index(ranked.name),
    )


def dealt(count: int) -> st.SearchStrategy[list[int]]:
    """Cards from one deck, close in rank or suit more often than chance would have it."""
    deck = st.integers(0, 51)
    few_ranks = st.sampled_from([card for card in range(52) if text(card)[0] in "A2345KQ"])
    one_suit = st.sampled_from([card for card in range(52) if text(card)[1] == "h" or text(card)[0] in "AT"])
    return st.one_of(
        [
            st.lists(cards, min_size=count, max_size=count, unique=True)
            for cards in (deck, few_ranks, one_suit)
        ]
    )


@given(dealt(3))
def test_three_cards_rank_as_the_slow_ranking_says(cards: list[int]) -> None:
    """H1: three-card categories, straight above flush, with their suit."""
    assert three(cards) == slow_best(cards, 3)


@given(dealt(5))
def test_best_four_of_five_as_the_slow_ranking_says(cards: list[int]) -> None:
    """H1, H2: Four Card takes the best four of five cards, four of a kind above straight flush."""
    assert four_best(cards) == slow_best(cards, 4)


@given(st.integers(5, 7).flatmap(dealt))
@settings(max_examples=300)
def test_best_five_of_seven_as_the_slow_ranking_says(cards: list[int]) -> None:
    """H1, H2: the best five of five, six or seven cards, with their suit."""
    assert five_best(cards) == slow_best(cards, 5)


@given(dealt(7), st.permutations("shdc"))
def test_suits_are_equal_and_order_is_nothing(cards: list[int], suits: list[str]) -> None:
    """H1: no suit ranks above another, and the order of the cards makes no hand."""
    swapped = dict(zip("shdc", suits, strict=True))
    others = [parse(text(card)[0] + swapped[text(card)[1]]) for card in reversed(cards)]
    before, after = five_best(cards), five_best(others)
    assert after == Ranked(before.name, swapped.get(before.suit, ""), before.rank)


def counted(ranking: Callable[[Sequence[int]], Ranked], size: int) -> dict[str, int]:
    return dict(Counter(ranking(cards).name for cards in combinations(range(52), size)))


# How many of all deals make each hand, of three, of the best four of five and of five cards.
THREES: Final = {
    "mini-royal": 4,
    "straight-flush": 44,
    "three-of-a-kind": 52,
    "straight": 720,
    "flush": 1_096,
    "pair": 3_744,
    "high-card": 16_440,
}
FOURS: Final = {
    "four-aces": 48,
    "four-of-a-kind": 576,
    "straight-flush": 2_072,
    "three-of-a-kind": 58_656,
    "flush": 114_616,
    "straight": 101_808,
    "two-pair": 123_552,
    "pair": 1_047_552,
    "high-card": 1_150_080,
}
FIVES: Final = {
    "royal-flush": 4,
    "straight-flush": 36,
    "four-of-a-kind": 624,
    "full-house": 3_744,
    "flush": 5_108,
    "straight": 10_200,
    "three-of-a-kind": 54_912,
    "two-pair": 123_552,
    "pair": 1_098_240,
    "high-card": 1_302_540,
}


def test_counts_of_all_five_card_hands() -> None:
    """H1: each category holds exactly its known share of all 2,598,960 hands of five."""
    assert counted(five_best, 5) == FIVES


def test_counts_of_all_best_fours_of_five() -> None:
    """H1, H2: Four Card's known shares of all 2,598,960 deals of five cards to a player."""
    assert counted(four_best, 5) == FOURS


def test_counts_of_all_four_card_hands() -> None:
    """H1: each category of all 270,725 hands of four; A-2-3-4 and J-Q-K-A are among the 11 straights."""
    assert counted(four_best, 4) == {
        "four-aces": 1,
        "four-of-a-kind": 12,
        "straight-flush": 11 * 4,
        "three-of-a-kind": 13 * 4 * 48,
        "flush": 715 * 4 - 44,
        "straight": 11 * 4**4 - 44,
        "two-pair": 78 * 6 * 6,
        "pair": 13 * 6 * 66 * 4**2,
        "high-card": 177_408,
    }


def test_counts_of_all_three_card_hands() -> None:
    """H1: each category of all 22,100 hands of three; A-2-3 and Q-K-A are among the 12 straights."""
    assert counted(three, 3) == THREES


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Ah 2d 3c", Ranked("straight", "")),
        ("3s As 2s", Ranked("straight-flush", "s")),
        ("Qh Kd Ac", Ranked("straight", "")),
        ("Kh Ad 2c", Ranked("high-card", "")),
        ("Kd Ad 2d", Ranked("flush", "d")),
        ("Ah Kh Qh", Ranked("mini-royal", "h")),
        ("Kh Qh Jh", Ranked("straight-flush", "h")),
        ("Ah Kh Qd", Ranked("straight", "")),
        ("2h 2d 2c", Ranked("three-of-a-kind", "")),
        ("2h 9d 2c", Ranked("pair", "", "2")),
    ],
)
def test_three_card_hands_by_hand(words: str, expected: Ranked) -> None:
    """H1: A-2-3 is a straight, K-A-2 never; a mini-royal is a suited ace, king and queen."""
    assert three(hand(words)) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Ah Ad Ac As 2s", Ranked("four-aces", "")),
        ("2h 2d 2c 2s As", Ranked("four-of-a-kind", "")),
        ("Ah 2h 3h 4h Kc", Ranked("straight-flush", "h")),
        ("Kh Ah 2h 3h 9c", Ranked("flush", "h")),
        ("Jc Qd Kh As 2s", Ranked("straight", "")),
        ("Kc Ad 2h 3s 9s", Ranked("high-card", "")),
        ("5c 6d 7h 8s 8h", Ranked("straight", "")),
        ("9c 9d 9h 4s 4h", Ranked("three-of-a-kind", "")),
        ("9c 9d 4s 4h 2h", Ranked("two-pair", "")),
        ("4c 5c 6c 8c 7h", Ranked("flush", "c")),
    ],
)
def test_four_card_hands_by_hand(words: str, expected: Ranked) -> None:
    """H1: A-2-3-4 is a straight, K-A-2-3 never; a flush stands above a straight with four cards."""
    assert four_best(hand(words)) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Ad Kd Qd Jd Td", Ranked("royal-flush", "d")),
        ("Ac 2c 3c 4c 5c", Ranked("straight-flush", "c")),
        ("Kd Ad 2d 3d 4d", Ranked("flush", "d")),
        ("Qs Kd Ad 2d 3d", Ranked("high-card", "")),
        ("Ah 2d 3c 4s 5s", Ranked("straight", "")),
        ("9s Ts Js Qs Ks As 2d", Ranked("royal-flush", "s")),
        ("5h 6h 7h 8h 9h 9d 9c", Ranked("straight-flush", "h")),
        ("7h 7d 7c 2h 2d 2c Ks", Ranked("full-house", "")),
        ("7h 7d 2h 2d 4c 4s Ks", Ranked("two-pair", "")),
        ("7h 8h 9h Th Jd Kh 7d", Ranked("flush", "h")),
        ("7h 7d 7c 7s 2d 2c 2s", Ranked("four-of-a-kind", "")),
    ],
)
def test_five_card_hands_by_hand(words: str, expected: Ranked) -> None:
    """H1: A-2-3-4-5 is the lowest straight and no run goes on past the ace."""
    assert five_best(hand(words)) == expected


def test_names_that_may_be_claimed() -> None:
    """H1, H4: a hand may be named by every category of its kind, best first, but never as nothing."""
    for kind, size in (("three", 3), ("four", 4), ("five-flop", 5), ("five-best", 5)):
        assert list(NAMES[kind]) == ORDERS[size][:-1]  # type: ignore[index]


FLOP_HAND: Final = ("Ah Kh", "Qh Jh Th 2c 3d")


@pytest.mark.parametrize(
    ("kind", "game", "own", "board", "expected"),
    [
        ("five-flop", "let-it-ride", "Ah Kh Qh", "Jh Th", "royal-flush"),
        ("three", "let-it-ride", "Ah Kh Qh", "2c 2d", "mini-royal"),
        ("three", "let-it-ride", "Ah Kh Qh", "", "mini-royal"),
        ("three", "three-card-poker", "9h 9d 9c", "", "three-of-a-kind"),
        ("four", "four-card-poker", "9h 9d 9c 9s 2h", "", "four-of-a-kind"),
        ("five-flop", "ultimate-texas-holdem", *FLOP_HAND, "royal-flush"),
        ("five-flop", "ultimate-texas-holdem", "Ah Kh", "Qh Jh 2c Th 3d", "high-card"),
        ("five-flop", "ultimate-texas-holdem", "Ah Kh", "Qh Jh 2c", "high-card"),
        ("five-best", "ultimate-texas-holdem", "Ah Kh", "Qh Jh 2c Th 3d", "royal-flush"),
        ("five-best", "ultimate-texas-holdem", "2c 3d", "Ah Kh Qh Jh Th", "royal-flush"),
        ("five-flop", "let-it-ride", "Ah Kh Qh", "", None),
        ("five-flop", "let-it-ride", "", "Jh Th", None),
        ("five-flop", "ultimate-texas-holdem", "Ah Kh", "", None),
        ("five-best", "ultimate-texas-holdem", "Ah Kh", "Qh Jh Th", None),
        ("four", "four-card-poker", "", "", None),
    ],
)
def test_which_cards_make_the_hand(
    kind: HandKind, game: Game, own: str, board: str, expected: str | None
) -> None:
    """H2: own cards alone, with the two or three flop cards, or the best of seven, as kind and game say."""
    ranked = rank(kind, game, hand(own), hand(board))
    assert (ranked.name if ranked else None) == expected


@pytest.mark.parametrize(
    ("game", "own", "board", "named"),
    [
        ("let-it-ride", 2, 2, "cards"),
        ("let-it-ride", 3, 1, "board"),
        ("let-it-ride", 3, 3, "board"),
        ("ultimate-texas-holdem", 3, 3, "cards"),
        ("ultimate-texas-holdem", 2, 4, "board"),
        ("three-card-poker", 5, 0, "cards"),
        ("three-card-poker", 3, 2, "board"),
        ("four-card-poker", 4, 0, "cards"),
        ("four-card-poker", 5, 1, "board"),
        ("criss-cross-poker", 3, 0, "cards"),
        ("criss-cross-poker", 2, 3, "board"),
    ],
)
def test_a_wrong_number_of_cards_is_named(game: Game, own: int, board: int, named: str) -> None:
    """H2, H4: a game deals its own number of cards, and the refusal names the field that has another."""
    with pytest.raises(ValueError, match=f"^{named}: {game} "):
        check_counts(game, range(own), range(own, own + board))


def test_a_hand_that_a_game_cannot_make_is_refused() -> None:
    """H2, B13: no card game makes another's hand, and Criss-Cross (674a) that of its board alone.

    A mystery is won by no hand: a table of any game may join it (Y7).
    """
    assert makes("three", "let-it-ride")
    assert [kind for kind in NAMES if makes(kind, "criss-cross-poker")] == ["five-board", "mystery"]
    with pytest.raises(ValueError, match="kind"):
        rank("four", "three-card-poker", hand("Ah Kh Qh"))


@given(dealt(7))
def test_the_dealer_ranks_as_a_player_would(cards: list[int]) -> None:
    """H2: the Five Card Hand Bonus takes the best five of the dealer's two and the board's five."""
    ranked = rank("five-best", "ultimate-texas-holdem", cards[:2], cards[2:])
    assert ranked == slow_best(cards, 5)


def laid(kind: HandKind, game: Game, own: str, board: str = "") -> str:
    """The cards that make a hand, as text."""
    cards = (tuple(map(parse, some.split())) for some in (own, board))
    return " ".join(map(text, making(kind, game, *cards)))


def test_the_cards_that_make_a_hand() -> None:
    """H2, S7: signs show the cards of a hand as people lay it, of all that its game counts for it."""
    texas: Game = "ultimate-texas-holdem"
    assert laid("five-flop", "let-it-ride", "Qs As Ks", "Ts Js") == "As Ks Qs Js Ts"
    assert laid("five-flop", "let-it-ride", "2s As 4s", "5d 3s") == "5d 4s 3s 2s As"
    assert laid("five-flop", texas, "9h 9c", "9d Ks 9s 2c 3c") == "9c 9d 9h 9s Ks"
    assert laid("five-best", texas, "Kh Kd", "Qh Qd Ks Qc 2c") == "Kd Kh Ks Qc Qd"
    assert laid("five-best", texas, "Kh 2h", "Qh 9h 3h 4h Ac") == "Kh Qh 9h 4h 3h"
    assert laid("four", "four-card-poker", "Kh Ks Kd Kc Ac") == "Kc Kd Kh Ks"
    assert laid("three", "three-card-poker", "2h Ah 3h") == "3h 2h Ah"
    assert laid("five-flop", texas, "", "9d Ks 9s") == ""
    assert laid("five-flop", texas, "9h 9c") == ""


@given(dealt(7))
def test_the_cards_that_make_a_hand_rank_as_it_does(cards: list[int]) -> None:
    """H2: of more cards than a hand has, those that make it are the hand."""
    shown = making("five-best", "ultimate-texas-holdem", cards[:2], cards[2:])
    assert len(set(shown)) == 5
    assert set(shown) <= set(cards)
    assert five_best(shown) == five_best(cards)
    assert strength(shown) == strength(cards)


METER: Final = Percent("", 10_000)
ROYALS: Final = (
    PaytableRow("royal-flush", METER),
    PaytableRow("straight-flush", Percent("", 1_000)),
    PaytableRow("flush", ForOne(40)),
)
STRAIGHT_FLUSH_ALONE: Final = (
    PaytableRow("straight-flush", METER),
    PaytableRow("four-of-a-kind", ForOne(300)),
)
THREE_CARD: Final = (
    PaytableRow("mini-royal", METER, "s"),
    PaytableRow("mini-royal", ForOne(500), "hdc"),
    PaytableRow("straight-flush", ForOne(70)),
    PaytableRow("three-of-a-kind", ForOne(60)),
)
NO_OTHER_MINI_ROYAL: Final = (
    PaytableRow("mini-royal", METER, "s"),
    PaytableRow("straight-flush", ForOne(70)),
)
FOUR_CARD: Final = (
    PaytableRow("four-aces", METER),
    PaytableRow("four-of-a-kind", ForOne(300)),
    PaytableRow("straight-flush", ForOne(100)),
)


@pytest.mark.parametrize(
    ("rows", "ranked", "index"),
    [
        (ROYALS, Ranked("royal-flush", "h"), 0),
        (ROYALS, Ranked("straight-flush", "h"), 1),
        (ROYALS, Ranked("flush", "h"), 2),
        (ROYALS, Ranked("straight", ""), None),
        (STRAIGHT_FLUSH_ALONE, Ranked("royal-flush", "h"), 0),
        (STRAIGHT_FLUSH_ALONE, Ranked("straight-flush", "h"), 0),
        (STRAIGHT_FLUSH_ALONE, Ranked("four-of-a-kind", ""), 1),
        (THREE_CARD, Ranked("mini-royal", "s"), 0),
        (THREE_CARD, Ranked("mini-royal", "h"), 1),
        (THREE_CARD, Ranked("mini-royal", "c"), 1),
        (THREE_CARD, Ranked("straight-flush", "s"), 2),
        (THREE_CARD, Ranked("mini-royal", ""), 2),
        (NO_OTHER_MINI_ROYAL, Ranked("mini-royal", "d"), 1),
        (FOUR_CARD, Ranked("four-aces", ""), 0),
        (FOUR_CARD[1:], Ranked("four-aces", ""), 0),
        (FOUR_CARD, Ranked("four-of-a-kind", ""), 1),
        (ROYALS, Ranked("high-card", ""), None),
    ],
)
def test_a_wager_is_paid_by_its_best_row(
    rows: Sequence[PaytableRow], ranked: Ranked, index: int | None
) -> None:
    """H3: the best row that the cards satisfy, once; a hand without a row of its own takes a lower one."""
    assert best_row(rows, ranked) == (None if index is None else rows[index])


def test_an_envy_row_is_found_the_same_way() -> None:
    """H3, A5: the spades' envy sum is for spades alone."""
    envy = (EnvyRow("mini-royal", 100_000_000, "s"), EnvyRow("mini-royal", 25_000_000, "hdc"))
    assert best_row(envy, Ranked("mini-royal", "s")) == envy[0]
    assert best_row(envy, Ranked("mini-royal", "d")) == envy[1]
    assert best_row(envy, Ranked("straight-flush", "d")) is None


@given(dealt(5))
def test_a_better_hand_never_takes_a_worse_row(cards: list[int]) -> None:
    """H3: with a row for every category, each hand takes the row of its own name."""
    rows = tuple(PaytableRow(name, ForOne(1)) for name in ORDERS[5])
    assert best_row(rows, five_best(cards)) == rows[ORDERS[5].index(five_best(cards).name)]


def test_what_else_a_hand_satisfies() -> None:
    """H3: royals and mini-royals are straight flushes, four aces four of a kind; nothing else is two."""
    assert satisfies("royal-flush") == ("royal-flush", "straight-flush")
    assert satisfies("mini-royal") == ("mini-royal", "straight-flush")
    assert satisfies("four-aces") == ("four-aces", "four-of-a-kind")
    assert satisfies("six-card-royal-flush") == ("six-card-royal-flush", "royal-flush", "straight-flush")
    several = {"six-card-royal-flush", "royal-flush", "mini-royal", "four-aces"}
    others = {name for names in NAMES.values() for name in names} - several
    assert all(satisfies(name) == (name,) for name in others)
