"""Hands of bonus wagers are named from the cards that count, and compared where several decide."""

from itertools import combinations
from typing import Final

import pytest
from hypothesis import given

from jackpot.rules.hands import (
    DEALS,
    SIX_PLACES,
    CardNeeds,
    CardsShown,
    Ranked,
    beaten,
    best_of_table,
    best_row,
    five_best,
    makes,
    needs,
    rank_shown,
    six_best,
    strength,
)
from jackpot.rules.paytable import Game, HandKind, PaytableRow, ToOne, row_for
from tests.rules.test_hands import dealt, hand

LIR: Final[Game] = "let-it-ride"
HOLDEM: Final[Game] = "ultimate-texas-holdem"
THREE: Final[Game] = "three-card-poker"
CROSS: Final[Game] = "criss-cross-poker"


def shown(own: str = "", board: str = "", dealer: str = "", bonus: str = "") -> CardsShown:
    return CardsShown(*(tuple(hand(words)) for words in (own, board, dealer, bonus)))


@pytest.mark.parametrize(
    ("kind", "game", "cards", "six", "expected"),
    [
        ("six", LIR, shown("Ad Kd Qd", bonus="Jd Td 9d"), (), Ranked("six-card-royal-flush", "d")),
        ("six", LIR, shown("Ad Kd Qd", "2c 2h", bonus="Jd Td 9d"), (), Ranked("six-card-royal-flush", "d")),
        ("six", LIR, shown("Ad Kd Qd", bonus="Jd Td 9c"), (), Ranked("royal-flush", "d")),
        ("six", LIR, shown("Kd Qd Jd", bonus="Td 9d 8d"), (), Ranked("straight-flush", "d")),
        ("six", LIR, shown("7d 7c 7h", bonus="2d 2c 2h"), (), Ranked("full-house", "")),
        ("six", LIR, shown("Ad Kd Qd"), (), None),
        ("six", THREE, shown("Ac Kc Qc", dealer="Jc Tc 9c"), (), Ranked("six-card-royal-flush", "c")),
        ("six", THREE, shown("2c 3d 4h", dealer="5c 6d 9h"), (), Ranked("straight", "")),
        ("six", THREE, shown("2c 3d 4h"), (), None),
        ("five-board", CROSS, shown(board="6c 6d 2h 9s Kd"), (), Ranked("pair", "", "6")),
        ("five-board", CROSS, shown("6h 6s", "6c 6d 2h 9s Kd"), (), Ranked("pair", "", "6")),
        ("five-board", CROSS, shown("6h 6s"), (), None),
        ("five-best", HOLDEM, shown("9h 9s", "9c 9d 2h 2s Kd"), (), Ranked("four-of-a-kind", "")),
        ("five-best", HOLDEM, shown("9h 9s", "9c 9d 2h"), (), None),
        ("five-flop", LIR, shown("Tc 3d 4h", "Td 9s"), (), Ranked("pair", "", "T")),
        ("four", "four-card-poker", shown("Ac Ad 4h 9s 2c"), (), Ranked("pair", "", "A")),
        ("three", LIR, shown("Ac Kc Qc"), (), Ranked("mini-royal", "c")),
    ],
)  # fmt: skip
def test_which_cards_make_the_hand_of_a_bonus_wager(
    kind: HandKind, game: Game, cards: CardsShown, six: tuple[str, ...], expected: Ranked | None
) -> None:
    """B16, H2: own cards, the board, Six Card Bonus cards or the dealer's; None while one is not shown."""
    assert makes(kind, game)
    assert rank_shown(kind, game, cards, six) == expected


def test_six_cards_that_an_approval_names() -> None:
    """B16: a Six Card Bonus of Ultimate Texas Hold 'Em takes the six of nine cards that are named."""
    six = ("own-1", "own-2", "dealer-1", "dealer-2", "board-1", "board-3")
    assert set(six) <= set(SIX_PLACES)
    assert needs("six", HOLDEM, six) == CardNeeds(own=2, board=3, dealer=2)
    cards = shown("As Ks", "Qs 2c Js 3d 4h", "Ts 9s")
    assert rank_shown("six", HOLDEM, cards, six) == Ranked("six-card-royal-flush", "s")
    assert rank_shown("six", HOLDEM, cards._replace(dealer=()), six) is None
    assert needs("six", HOLDEM, six).missing(CardsShown(own=cards.own)) == ("board", "dealer")
    board = ("own-1", *(f"board-{at}" for at in range(1, 6)))
    assert needs("six", HOLDEM, board) == CardNeeds(own=2, board=5)
    with pytest.raises(ValueError, match="kind"):
        needs("six", HOLDEM)


@pytest.mark.parametrize(
    ("kind", "game", "wanted"),
    [
        ("six", LIR, CardNeeds(own=3, bonus=3)),
        ("six", THREE, CardNeeds(own=3, dealer=3)),
        ("five-board", CROSS, CardNeeds(board=5)),
        ("beaten", HOLDEM, CardNeeds(own=2, board=5, dealer=2)),
        ("best-of-table", LIR, CardNeeds(own=3, board=2)),
        ("five-best", HOLDEM, CardNeeds(own=2, board=5)),
        ("four", "four-card-poker", CardNeeds(own=5)),
    ],
)
def test_what_must_be_shown(kind: HandKind, game: Game, wanted: CardNeeds) -> None:
    """B16: the cards that a wager needs, each field by its name; a game deals that many."""
    assert needs(kind, game) == wanted
    deal = DEALS[game]
    assert wanted.own in (0, deal.own)
    assert wanted.board in (*deal.boards, 0)
    assert wanted.dealer in (0, deal.dealer)
    assert wanted.bonus in (0, deal.bonus)
    assert wanted.missing(CardsShown()) == tuple(name for name in CardNeeds._fields if getattr(wanted, name))


BOARD: Final = "9c 9d 2h 5s Kd"


@pytest.mark.parametrize(
    ("own", "dealer", "board", "hand_name", "by_player"),
    [
        ("9h 3c", "9s 4c", BOARD, None, None),  # the kickers lie on the board
        ("9h Ac", "9s 4c", BOARD, "three-of-a-kind", True),
        ("9h 3c", "Kh Ks", BOARD, "three-of-a-kind", False),
        ("9h 9s", "Kh Ks", BOARD, "full-house", True),
        ("Ah Kc", "Qh Jc", BOARD, "pair", True),
        ("Ah 3h", "Ac 3d", "2c 4d 5h Ks Kd", None, None),
        ("6h 3h", "Ac 3d", "2c 4d 5h Ks Kd", "straight", True),
        ("2h 3h", "7h 8h", "Ah Kh 4h 9c 9d", "flush", False),
        ("2c 2d", "3c 3d", "As Ks Qs Js Ts", None, None),
    ],
)
def test_the_beaten_hand(
    own: str, dealer: str, board: str, hand_name: str | None, by_player: bool | None
) -> None:
    """B11: the lower of the two best hands is beaten, the player's or the dealer's; in a tie neither is."""
    found = beaten(hand(own), hand(dealer), hand(board))
    assert (found and found.ranked.name, found and found.by_player) == (hand_name, by_player)


RANKS: Final = "23456789TJQKA"


def slow_key(cards: tuple[int, ...]) -> tuple[int, list[tuple[int, int]]]:
    """Category, then ranks by how often they are held: how five cards are compared at every table."""
    order = ["high-card", "pair", "two-pair", "three-of-a-kind", "straight", "flush", "full-house",
             "four-of-a-kind", "straight-flush", "royal-flush"]  # fmt: skip
    name = five_best(cards).name
    ranks = [card >> 2 for card in cards]
    if "straight" in name and set(ranks) == {RANKS.index(rank) for rank in "A2345"}:
        ranks = [-1 if rank == RANKS.index("A") else rank for rank in ranks]
    return order.index(name), sorted(((ranks.count(rank), rank) for rank in ranks), reverse=True)


@given(dealt(7), dealt(7))
def test_strength_orders_as_the_best_of_all_fives(one: list[int], other: list[int]) -> None:
    """B11, 653a.6(c): the best five of seven by category and ranks, however they are found."""
    slow = [max(map(slow_key, combinations(cards, 5))) for cards in (one, other)]
    fast = [strength(cards) for cards in (one, other)]
    assert (slow[0] < slow[1], slow[0] == slow[1]) == (fast[0] < fast[1], fast[0] == fast[1])


@given(dealt(6))
def test_six_cards_are_as_five_but_for_one_hand(cards: list[int]) -> None:
    """643a.6(e): the six-card royal flush alone is made of all six."""
    six, five = six_best(cards), five_best(cards)
    long = {(card >> 2, card & 3) for card in cards} == {(rank, cards[0] & 3) for rank in range(7, 13)}
    assert (six.name == "six-card-royal-flush") == long
    assert six == (Ranked("six-card-royal-flush", five.suit) if long else five)


def test_the_best_of_a_table() -> None:
    """B10: the highest category among the players, each of three cards and the two of the board."""
    board = hand("9c 9d")
    players = [hand("2c 3d 4h"), hand("9h Kd 2s"), hand("Qs Qh Jd")]
    assert best_of_table(players, board).name == "three-of-a-kind"
    assert best_of_table(players[::2], board).name == "two-pair"
    assert best_of_table(players[:1], board).name == "pair"


PAIRS: Final = (
    PaytableRow("two-pair", ToOne(2)),
    PaytableRow("pair", ToOne(1), least="J"),
    PaytableRow("pair", ToOne(0), least="6"),
)


@pytest.mark.parametrize(
    ("rank", "place"),
    [("A", 1), ("J", 1), ("T", 2), ("6", 2), ("5", None), ("2", None), ("", None)],
)
def test_a_pair_is_paid_by_its_rank(rank: str, place: int | None) -> None:
    """H3: the best row whose least rank the pair reaches; a pair of unknown rank reaches none."""
    assert best_row(PAIRS, Ranked("pair", "", rank)) == (None if place is None else PAIRS[place])


def test_a_row_by_players() -> None:
    """B10: what a round of so many players pays; a row without it is the same for all."""
    row = PaytableRow("flush", ToOne(70), by_players=(70, 30, 20))
    assert [row_for(row, players).pays for players in (1, 2, 3)] == [ToOne(70), ToOne(30), ToOne(20)]
    assert row_for(PAIRS[0], 3) == PAIRS[0]
