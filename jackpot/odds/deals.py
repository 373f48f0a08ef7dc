"""Exhaustive count of deals by hand, and by pair of hands at one table; every deal is ranked (H1, H2).

A deal is a board that the table shares and a player's own cards. Boards that differ in the names of their
suits alone are ranked once. Hands are ranked many at a time, by masks of thirteen bits a suit. This shares no
code with `rules.hands`, so that each proves the other.

Cards of the dealer and Six Card Bonus cards that all players share are a board here as well.

Two players' hands need no second loop. Of all own cards that make X on a board, and all that make Y, the
pairs without a common card are counted by inclusion and exclusion over the cards that they might share.

Needs numpy, of the extra `lab`.
"""

from collections.abc import Callable
from itertools import combinations
from math import comb
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from jackpot.rules.cards import DECK, RANKS, SUITS
from jackpot.rules.hands import NAMES
from jackpot.rules.paytable import Game, HandKind

Array = npt.NDArray[Any]

# Hands ranked at a time: their masks fit into the caches of a core.
_AT_A_TIME: Final = 200_000
_MASKS: Final = 1 << len(RANKS)
_ACE: Final = 1 << RANKS.index("A")


class CardsOfHand(NamedTuple):
    """Cards of a game.

    own: cards of a player. board: shared ones that count. run: length of a straight or flush.
    """

    own: int
    board: int
    run: int


DEALT: Final[dict[tuple[HandKind, Game], CardsOfHand]] = {
    ("three", "let-it-ride"): CardsOfHand(3, 0, 3),
    ("three", "three-card-poker"): CardsOfHand(3, 0, 3),
    ("four", "four-card-poker"): CardsOfHand(5, 0, 4),
    ("five-flop", "let-it-ride"): CardsOfHand(3, 2, 5),
    ("five-flop", "ultimate-texas-holdem"): CardsOfHand(2, 3, 5),
    ("five-best", "ultimate-texas-holdem"): CardsOfHand(2, 5, 5),
    ("six", "let-it-ride"): CardsOfHand(3, 3, 5),
    ("six", "three-card-poker"): CardsOfHand(3, 3, 5),
    ("five-board", "criss-cross-poker"): CardsOfHand(0, 5, 5),
    ("five-line", "criss-cross-poker"): CardsOfHand(2, 3, 5),
}
"""Which cards make a player's hand (H2). A Six Card Bonus of Ultimate Texas Hold 'Em takes any six."""

CARDS: Final[dict[HandKind, str]] = {
    "three": "three of 52",
    "four": "the best four of five of 52",
    "five-flop": "five of 52: three and two community cards, or two and the flop",
    "five-best": "the best five of seven of 52",
    "six": "the best five of six of 52, or all six",
    "five-board": "five of 52: the community cards",
    "five-line": "five of 52: two and three community cards",
    "best-of-table": "the highest hand of all players, five of 52 each: three and two community cards",
    "beaten": "the best five of seven of player and dealer, the lower of the two",
    "winning": "the best five of seven of player and dealer, where the player's is higher",
}


class CountedDeals(NamedTuple):
    """Counts of deals of one game.

    deals: of one player; hands: how many of them make each hand, best first, "high-card" the last.

    pairs: a row and a column a hand, how many deals of two players make the one and the other. ranks: of the
    deals that make a pair, how many make one of each rank.
    """

    deals: int
    hands: dict[str, int]
    pairs: list[list[int]]
    ranks: list[int]


def count(kind: HandKind, game: Game) -> CountedDeals:
    """Ranks and counts every deal of one player, and every deal of two."""
    dealt = DEALT[kind, game]
    names = (*NAMES[kind], "high-card")
    boards, weights = boards_of(dealt.board)
    own = _own(dealt.own)
    shared = [_subsets(own.cards, size) for size in range(1, dealt.own)]
    hands, ranks = np.zeros(len(names)), np.zeros(len(RANKS))
    pairs = np.zeros((len(names), len(names)))
    step = max(1, _AT_A_TIME // len(own.cards))
    for at in range(0, len(boards), step):
        weight = weights[at : at + step]
        made, twice = _places(names, dealt.run, boards[at : at + step], own.masks)
        ranks += _ranks_of_pairs(made == names.index("pair"), twice, weight)
        each = _tally(made[:, :, None], 1, len(names))
        pairs += _products(each, weight)
        for size, subsets in enumerate(shared, 1):
            numbers = made[:, :, None] * comb(DECK, size) + subsets
            pairs += (-1) ** size * _products(_tally(numbers, comb(DECK, size), len(names)), weight)
        hands += weight @ each[:, :, 0]
    if dealt.own:  # all own cards shared: the same cards, which make the same hand
        pairs += (-1) ** dealt.own * np.diag(hands)
    # Each set of cards was counted once for each way to split it into board and own cards.
    splits = comb(dealt.own + dealt.board, dealt.own)
    whole = [int(found) // splits for found in hands]
    made_by = dict(zip(names, whole, strict=True))
    return CountedDeals(
        sum(whole), made_by, pairs.astype(np.int64).tolist(), [int(found) // splits for found in ranks]
    )


def _ranks_of_pairs(pair: Array, twice: Array, weight: Array) -> Array:
    """How many deals make a pair of each rank. pair: where a hand is one. twice: the ranks held twice."""
    found: Array = np.bincount(
        HIGHEST_RANK[twice[pair]], np.broadcast_to(weight[:, None], pair.shape)[pair], minlength=len(RANKS)
    )
    return found


def made_of(kind: HandKind, game: Game, hands: Array) -> Array:
    """For each row of cards, the index of its hand in `NAMES`; past the last where it makes none."""
    cards = HeldCards(list(masks_of(hands).T), DEALT[kind, game].run)
    return places_of((*NAMES[kind], "high-card"), cards)


class _OwnCards(NamedTuple):
    cards: Array
    masks: Array


def _own(size: int) -> _OwnCards:
    """Every set of own cards: its cards, and its ranks in each suit."""
    cards = sets_of(size)
    return _OwnCards(cards, masks_of(cards))


def boards_of(size: int) -> tuple[Array, Array]:
    """Boards up to renaming of suits, as masks, and how often each is dealt."""
    masks = np.sort(masks_of(sets_of(size)).astype(np.int64), axis=1)
    keys = masks @ (_MASKS ** np.arange(len(SUITS)))
    found, weights = np.unique(keys, return_counts=True)
    split = found[:, None] // _MASKS ** np.arange(len(SUITS)) % _MASKS
    return split.astype(np.uint16), weights.astype(np.float64)


def sets_of(size: int) -> Array:
    """Every set of so many cards of the deck, each ascending."""
    return np.array(list(combinations(range(DECK), size)), dtype=np.int64).reshape(comb(DECK, size), size)


def masks_of(cards: Array) -> Array:
    """Rank masks: a row for each set and a column for each suit, with a bit for each rank."""
    bits = 1 << (cards >> 2)
    columns = [np.where(cards & 3 == suit, bits, 0).sum(axis=1) for suit in range(len(SUITS))]
    return np.stack(columns, axis=1).astype(np.uint16)


def _subsets(cards: Array, size: int) -> Array:
    """Numbers of each subset of so many of each set's cards, a row for each set.

    A set's number is its own.
    """
    ways = np.array(
        [[comb(card, place + 1) for place in range(size)] for card in range(DECK)], dtype=np.int64
    )
    chosen = list(combinations(range(cards.shape[1]), size))
    numbers = np.zeros((len(cards), len(chosen)), dtype=np.int32)
    for column, places in enumerate(chosen):
        for place, at in enumerate(places):
            numbers[:, column] += ways[cards[:, at], place]
    return numbers


def _tally(numbers: Array, width: int, names: int) -> Array:
    """Histogram of each board's numbers: boards by hands by `width`, without what lies past the hands."""
    whole = width * (names + 1)
    numbers = numbers + np.arange(len(numbers), dtype=np.int32)[:, None, None] * np.int32(whole)
    found = np.bincount(numbers.ravel(), minlength=len(numbers) * whole)
    return found.reshape(len(numbers), names + 1, width)[:, :names].astype(np.float64)


def _products(tally: Array, weight: Array) -> Array:
    """For each pair of hands, the summed product of their numbers over boards and subsets.

    whole, far below 2^53.
    """
    flat = tally.transpose(1, 0, 2).reshape(tally.shape[1], -1)
    found: Array = flat * np.repeat(weight, tally.shape[2]) @ flat.T
    return found


def _places(names: tuple[str, ...], run: int, boards: Array, own: Array) -> tuple[Array, Array]:
    """As `places_of`, a row a board, a column a set of own cards; `len(names)` on a shared card.

    With the ranks that each hand holds twice.
    """
    board, cards = boards.T[:, :, None], own.T[:, None, :]
    held = HeldCards(list(board | cards), run)
    made = places_of(names, held)
    made[np.any(board & cards, axis=0)] = len(names)
    return made, held.twice


def places_of(names: tuple[str, ...], cards: "HeldCards") -> Array:
    """Index of each hand in `names`, whose last is for none of the others."""
    made = np.full(cards.once.shape, len(names) - 1, dtype=np.int32)
    for place in range(len(names) - 2, -1, -1):
        made[_IS[names[place]](cards)] = place
    return made


class HeldCards:
    """Vectorized hands: the ranks that each holds once, twice, three and four times, and in each suit."""

    def __init__(self, suits: list[Array], run: int) -> None:
        spades, hearts, diamonds, clubs = suits
        self.suits = suits
        self.run = run
        self.once = spades | hearts | diamonds | clubs
        black, red = spades & clubs, hearts & diamonds
        any_black, any_red = spades | clubs, hearts | diamonds
        self.twice = black | red | any_black & any_red
        self.thrice = black & any_red | red & any_black
        self.four = black & red

    def some_suit(self, table: Array) -> Array:
        """Whether the ranks of one suit satisfy the lookup table."""
        found: Array = np.any([table[suit] for suit in self.suits], axis=0)
        return found


def _several(ranks: Array) -> Array:
    """Whether more than one rank is held."""
    found: Array = ranks & ranks - 1 != 0
    return found


def _runs(length: int) -> list[int]:
    """Each straight as a mask, the best last; the ace also ranks below the two (H1)."""
    low_ace = [_ACE, *(1 << rank for rank in range(len(RANKS)))]
    return [sum(low_ace[at : at + length]) for at in range(len(low_ace) - length + 1)]


def _with(runs: list[int]) -> Array:
    """Lookup table by rank mask: whether it has all ranks of one of these."""
    every = np.arange(_MASKS)
    found: Array = np.any([every & run == run for run in runs], axis=0)
    return found


STRAIGHTS: Final = {length: _with(_runs(length)) for length in (3, 4, 5)}
HIGHEST_RUN: Final = {length: _with(_runs(length)[-1:]) for length in (3, 5, 6)}
COUNT_OF: Final = np.array([mask.bit_count() for mask in range(_MASKS)])
# The highest rank of a mask; 0 of none.
HIGHEST_RANK: Final = np.array([max(mask.bit_length() - 1, 0) for mask in range(_MASKS)])

# Predicates by name: whether a hand holds at least this; its rank is the best of these.
_IS: Final[dict[str, Callable[[HeldCards], Array]]] = {
    "six-card-royal-flush": lambda cards: cards.some_suit(HIGHEST_RUN[6]),
    "royal-flush": lambda cards: cards.some_suit(HIGHEST_RUN[cards.run]),
    "mini-royal": lambda cards: cards.some_suit(HIGHEST_RUN[cards.run]),
    "straight-flush": lambda cards: cards.some_suit(STRAIGHTS[cards.run]),
    "four-aces": lambda cards: cards.four & _ACE != 0,
    "four-of-a-kind": lambda cards: cards.four != 0,
    "full-house": lambda cards: (cards.thrice != 0) & _several(cards.twice),
    "flush": lambda cards: cards.some_suit(cards.run <= COUNT_OF),
    "straight": lambda cards: STRAIGHTS[cards.run][cards.once],
    "three-of-a-kind": lambda cards: cards.thrice != 0,
    "two-pair": lambda cards: _several(cards.twice),
    "pair": lambda cards: cards.twice != 0,
}
