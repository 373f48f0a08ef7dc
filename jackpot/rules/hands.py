"""Hand evaluation: a hand's category by its game's own order, and the paytable row that it takes (H1-H3).

A set of cards is read into one integer, its tally: a hexadecimal digit a rank and, above them, one a suit,
say how often each is held. Where enough cards are of one suit, only flush and straight flush are possible:
too few cards are left for anything else. Elsewhere the ranks alone decide, so each set of ranks is ranked
once and kept. A mask has a bit a card, four bits a rank: a run of ranks within one suit is found by shifting
four bits at a time.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple, TypeVar

from jackpot.rules.cards import DECK, RANKS, SUITS
from jackpot.rules.paytable import EnvyRow, Game, HandKind, PaytableRow
from jackpot.rules.phrases import Fault


class Ranked(NamedTuple):
    """A hand's category, and its suit (one of "shdc") where the category is of one suit, else ""."""

    name: str
    suit: str


# Sets of ranks that were ranked before and are only looked up: five cards have 6,175 of them. Ranking every
# hand took four times as long.
RANKINGS_KEPT: Final = 8_192

_FIVE: Final = (
    "royal-flush",
    "straight-flush",
    "four-of-a-kind",
    "full-house",
    "flush",
    "straight",
    "three-of-a-kind",
    "two-pair",
    "pair",
)
NAMES: Final[dict[HandKind, tuple[str, ...]]] = {
    "three": ("mini-royal", "straight-flush", "three-of-a-kind", "straight", "flush", "pair"),
    "four": (
        "four-aces",
        "four-of-a-kind",
        "straight-flush",
        "three-of-a-kind",
        "flush",
        "straight",
        "two-pair",
        "pair",
    ),
    "five-flop": _FIVE,
    "five-best": _FIVE,
}
"""The names that may be claimed for a kind of hand, best first (H1)."""

# A hand that is more than its category's name says: every name that it satisfies, best first (H3).
_ALSO: Final = {
    "royal-flush": ("royal-flush", "straight-flush"),
    "mini-royal": ("mini-royal", "straight-flush"),
    "four-aces": ("four-aces", "four-of-a-kind"),
}

# A 1 in every digit of the ranks of a tally.
_DIGITS: Final = int("1" * len(RANKS), 16)
_RANK_BITS: Final = 4 * len(RANKS)
_ALL_RANKS: Final = (1 << _RANK_BITS) - 1
_ACES: Final = 15 << 4 * RANKS.index("A")
_TALLY: Final = tuple((1 << 4 * (card >> 2)) + (1 << _RANK_BITS + 4 * (card & 3)) for card in range(DECK))

# Where a run that ends with the ace begins, in bits, once the ace stands below the two as well.
_TEN: Final = 4 * (RANKS.index("T") + 1)
_QUEEN: Final = 4 * (RANKS.index("Q") + 1)


def _mask(cards: Iterable[int]) -> int:
    """A bit for each card."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def _tally(cards: Iterable[int]) -> int:
    """How often each rank and each suit is held."""
    return sum(map(_TALLY.__getitem__, cards))


def _runs(mask: int, length: int) -> int:
    """A bit where each run of `length` consecutive ranks of one suit begins; the ace is low and high (H1)."""
    found = mask << 4 | mask >> _RANK_BITS - 4
    for _ in range(length - 1, 0, -1):
        found &= found >> 4
    return found


def _straight(ranks: int, length: int) -> int:
    """As `_runs`, whatever the suits: as if there were one card of each rank held, a spade."""
    return _runs(_held(ranks, 1) >> 3, length)


def _held(ranks: int, count: int) -> int:
    """The top bit of every digit that is at least `count`; no digit of seven cards overflows."""
    return ranks + (8 - count) * _DIGITS & 8 * _DIGITS


def _suited(cards: int, count: int) -> dict[int, str]:
    """The suit of which at least `count` of so many cards are held, by the suits of their tally."""
    found = {}
    for suits in product(range(cards + 1), repeat=len(SUITS)):
        if sum(suits) <= cards and max(suits) >= count:
            found[sum(held << 4 * at for at, held in enumerate(suits))] = SUITS[suits.index(max(suits))]
    return found


# Looked up for every hand; to work it out took twice as long as all else that ranks one.
_SUITED_THREE: Final = _suited(3, 3)
_SUITED_FOUR: Final = _suited(5, 4)
_SUITED_FIVE: Final = _suited(7, 5)


def three(cards: Sequence[int]) -> Ranked:
    """The category of three cards: a straight stands above a flush (H1)."""
    tally = _tally(cards)
    if suit := _SUITED_THREE.get(tally >> _RANK_BITS):
        if runs := _runs(_mask(cards), 3):
            return Ranked("mini-royal" if runs >> _QUEEN else "straight-flush", suit)
        return Ranked("flush", suit)
    return _three_by_rank(tally & _ALL_RANKS)


@lru_cache(RANKINGS_KEPT)
def _three_by_rank(ranks: int) -> Ranked:
    pairs = _held(ranks, 2)
    if pairs and _held(ranks, 3):
        return Ranked("three-of-a-kind", "")
    if _straight(ranks, 3):
        return Ranked("straight", "")
    return Ranked("pair" if pairs else "high-card", "")


def four_best(cards: Sequence[int]) -> Ranked:
    """The best four of five cards: four of a kind stands above a straight flush (H1, H2)."""
    tally = _tally(cards)
    if suit := _SUITED_FOUR.get(tally >> _RANK_BITS):
        return Ranked("straight-flush" if _runs(_mask(cards), 4) else "flush", suit)
    return _four_by_rank(tally & _ALL_RANKS)


@lru_cache(RANKINGS_KEPT)
def _four_by_rank(ranks: int) -> Ranked:
    pairs = _held(ranks, 2)
    if fours := pairs and _held(ranks, 4):
        return Ranked("four-aces" if fours & _ACES else "four-of-a-kind", "")
    if pairs and _held(ranks, 3):
        return Ranked("three-of-a-kind", "")
    if _straight(ranks, 4):
        return Ranked("straight", "")
    return Ranked(_pairs(pairs), "")


def five_best(cards: Sequence[int]) -> Ranked:
    """The best five of five, six or seven cards (H1, H2)."""
    tally = _tally(cards)
    if suit := _SUITED_FIVE.get(tally >> _RANK_BITS):
        if runs := _runs(_mask(cards), 5):
            return Ranked("royal-flush" if runs >> _TEN else "straight-flush", suit)
        return Ranked("flush", suit)
    return _five_by_rank(tally & _ALL_RANKS)


@lru_cache(RANKINGS_KEPT)
def _five_by_rank(ranks: int) -> Ranked:
    pairs = _held(ranks, 2)
    threes = pairs and _held(ranks, 3)
    if threes and _held(ranks, 4):
        return Ranked("four-of-a-kind", "")
    if threes and pairs & pairs - 1:
        return Ranked("full-house", "")
    if _straight(ranks, 5):
        return Ranked("straight", "")
    return Ranked("three-of-a-kind" if threes else _pairs(pairs), "")


def _pairs(pairs: int) -> str:
    """The category of hands with nothing but pairs; `pairs & pairs - 1` is what is left without one."""
    if not pairs:
        return "high-card"
    return "two-pair" if pairs & pairs - 1 else "pair"


class _Deal(NamedTuple):
    """The cards that a game deals.

    own: cards dealt to a player or the dealer. boards: how many community cards may lie open.
    """

    own: int
    boards: tuple[int, ...]


_DEALS: Final[dict[Game, _Deal]] = {
    "let-it-ride": _Deal(3, (0, 2)),
    "ultimate-texas-holdem": _Deal(2, (0, 3, 5)),
    "three-card-poker": _Deal(3, (0,)),
    "four-card-poker": _Deal(5, (0,)),
}

# How many community cards each kind of hand takes in each game, and what ranks it (H2).
_MADE_OF: Final[dict[tuple[HandKind, Game], tuple[int, Callable[[Sequence[int]], Ranked]]]] = {
    ("three", "let-it-ride"): (0, three),
    ("three", "three-card-poker"): (0, three),
    ("four", "four-card-poker"): (0, four_best),
    ("five-flop", "let-it-ride"): (2, five_best),
    ("five-flop", "ultimate-texas-holdem"): (3, five_best),
    ("five-best", "ultimate-texas-holdem"): (5, five_best),
}


def makes(kind: HandKind, game: Game) -> bool:
    """Whether a game's cards can make this kind of hand at all (H2); false for every hand of Criss-Cross."""
    return (kind, game) in _MADE_OF


def check_counts(game: Game, cards: Sequence[int], board: Sequence[int]) -> None:
    """Raises Fault, naming `cards` or `board`, unless the game deals that many; none is always right."""
    deal = _DEALS.get(game)
    if deal is None:
        raise Fault("game_ranks_no_hand", game=game)
    if len(cards) not in (0, deal.own):
        raise Fault("card_count_wrong", game=game, deals=deal.own, sent=len(cards))
    if len(board) not in deal.boards:
        wanted: list[int | str] = [count for count in deal.boards if count]
        raise Fault("board_count_wrong", game=game, wanted=wanted or ["none"], sent=len(board))


def made_of(kind: HandKind, game: Game) -> tuple[int, Callable[[Sequence[int]], Ranked]]:
    """The number of community cards that a hand takes, and the function that ranks it with them (H2).

    Raises ValueError naming `kind` where the game cannot make such a hand.
    """
    made = _MADE_OF.get((kind, game))
    if made is None:
        raise ValueError(f"kind: {game} makes no {kind} hand")
    return made


def rank(kind: HandKind, game: Game, cards: Sequence[int], board: Sequence[int] = ()) -> Ranked | None:
    """The category of a player's or a dealer's hand, made of the cards that count (H2).

    cards: the hand's own, none if it was not shown. board: the community cards that lie open, in the
    order dealt, the flop first. None where the cards needed are not all there. ValueError as
    `check_counts` and `made_of`.
    """
    check_counts(game, cards, board)
    taken, ranking = made_of(kind, game)
    if not cards or len(board) < taken:
        return None
    return ranking((*cards, *board[:taken]))


def satisfies(name: str) -> tuple[str, ...]:
    """The names of the rows that a hand of this name satisfies, best first (H3)."""
    return _ALSO.get(name, (name,))


AnyRow = TypeVar("AnyRow", PaytableRow, EnvyRow)


def best_row(rows: Sequence[AnyRow], ranked: Ranked) -> AnyRow | None:
    """The one row, of a paytable or of an envy schedule, that a hand is paid by (H3, A5).

    rows: best first. The first whose hand is satisfied and that is for every suit or for the hand's.
    """
    names = satisfies(ranked.name)
    for row in rows:
        if row.hand in names and (not row.suits or (ranked.suit and ranked.suit in row.suits)):
            return row
    return None
