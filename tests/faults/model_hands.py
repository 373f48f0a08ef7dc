"""Hand ranking for the independent model: by counting and sorting, one category at a time.

58 Pa. Code 643a.6(b), (d), 653a.6(b); 41 Pa.B. 3836 641a.6(b), 649a.6(b); 205 CMR Let It Ride s.3(b).
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations

RANKS = "23456789TJQKA"
SUITS = "shdc"

# Best first. A hand is named by the first of these that it is.
FIVE = (
    "royal-flush",
    "straight-flush",
    "four-of-a-kind",
    "full-house",
    "flush",
    "straight",
    "three-of-a-kind",
    "two-pair",
    "pair",
    "nothing",
)
THREE = ("mini-royal", "straight-flush", "three-of-a-kind", "straight", "flush", "pair", "nothing")
FOUR = (
    "four-aces",
    "four-of-a-kind",
    "straight-flush",
    "three-of-a-kind",
    "flush",
    "straight",
    "two-pair",
    "pair",
    "nothing",
)
ORDER = {"five": FIVE, "three": THREE, "four": FOUR, "six": ("six-card-royal-flush", *FIVE)}

# What else a named hand is, so that it satisfies a row of that name where no better row stands.
ALSO = {
    "six-card-royal-flush": ("royal-flush", "straight-flush", "flush", "straight"),
    "royal-flush": ("straight-flush", "flush", "straight"),
    "straight-flush": ("flush", "straight"),
    "four-of-a-kind": ("three-of-a-kind", "pair"),
    "full-house": ("three-of-a-kind", "two-pair", "pair"),
    "mini-royal": ("straight-flush", "straight"),
    "four-aces": ("four-of-a-kind", "three-of-a-kind", "pair"),
}


def counts(cards: list[str]) -> list[int]:
    """How often each rank stands in the hand, most often first: a full house is [3, 2]."""
    return sorted(Counter(card[0] for card in cards).values(), reverse=True)


def one_suit(cards: list[str]) -> bool:
    return len({card[1] for card in cards}) == 1


def consecutive(cards: list[str]) -> bool:
    """Each rank once and no gap; an ace may also stand below the two, and nowhere in between."""
    ranks = sorted(RANKS.index(card[0]) for card in cards)
    low = sorted(-1 if rank == 12 else rank for rank in ranks)
    return any(run == list(range(run[0], run[0] + len(cards))) for run in (ranks, low))


def is_hand(name: str, cards: list[str]) -> bool:
    """Whether these cards are exactly such a hand, by its own definition."""
    same = counts(cards)
    ranks = {card[0] for card in cards}
    straight, flush = consecutive(cards), one_suit(cards)
    tests = {
        "six-card-royal-flush": flush and ranks == set("AKQJT9"),
        "royal-flush": straight and flush and ranks == set("AKQJT"),
        "mini-royal": flush and ranks == set("AKQ"),
        "four-aces": same[0] == 4 and ranks == {"A"},
        "straight-flush": straight and flush,
        "four-of-a-kind": same[0] == 4,
        "full-house": same[:2] == [3, 2],
        "flush": flush,
        "straight": straight,
        "three-of-a-kind": same[0] == 3,
        "two-pair": same[:2] == [2, 2],
        "pair": same[0] == 2,
        "nothing": True,
    }
    return tests[name]


def best_name(kind: str, cards: list[str]) -> str:
    """The best hand of this kind that can be chosen from the cards."""
    if kind == "six" and is_hand("six-card-royal-flush", cards):
        return "six-card-royal-flush"
    size = {"five": 5, "three": 3, "four": 4, "six": 5}[kind]
    chosen = [list(some) for some in combinations(cards, size)]
    return next(name for name in ORDER[kind] if any(is_hand(name, some) for some in chosen))


def worth(five: list[str]) -> tuple[int, ...]:
    """Five cards as numbers of which the higher hand has the higher (653a.6(b)): its name, then its ranks."""
    name = next(name for name in FIVE if is_hand(name, five))
    ranks = Counter(RANKS.index(card[0]) for card in five)
    if "straight" in name and set(ranks) == {12, 0, 1, 2, 3}:
        ranks = Counter([3, 2, 1, 0, -1])
    order = sorted(ranks, key=lambda rank: (-ranks[rank], -rank))
    return (-FIVE.index(name), *order)


def most(cards: list[str]) -> tuple[int, ...]:
    """The worth of the best five of more cards."""
    return max(worth(list(five)) for five in combinations(cards, 5))


def pair_rank(cards: list[str]) -> str:
    """The rank of the highest pair among the cards; none has "" ."""
    twice = [rank for rank, count in Counter(card[0] for card in cards).items() if count == 2]
    return max(twice, key=RANKS.index, default="")


def satisfies(name: str) -> tuple[str, ...]:
    """Every row name that a hand of this name satisfies."""
    return (name, *ALSO.get(name, ()))
