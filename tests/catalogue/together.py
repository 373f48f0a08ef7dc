"""How often do two hands of one round make what together? Counted again by enumeration of every deal.

    python -m tests.catalogue.together    writes schemas/together.toml (some minutes)

Nothing of the rules is used: cards are held against tables of runs, and counted. Boards that differ only by
the names of their suits are counted once. That two hands hold different cards is kept by inclusion and
exclusion over the cards that they would share.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, permutations
from math import comb
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from jackpot.rules.hands import NAMES
from jackpot.rules.paytable import Game, HandKind

Ints = NDArray[np.int64]
DECK: Final = 52
FILE: Final = Path(__file__).parents[2] / "schemas" / "together.toml"
# By kind and game: the cards of a hand's own, and the community cards that it takes.
SHAPES: Final[dict[tuple[HandKind, Game], tuple[int, int]]] = {
    ("three", "let-it-ride"): (3, 0),
    ("three", "three-card-poker"): (3, 0),
    ("four", "four-card-poker"): (5, 0),
    ("five-flop", "let-it-ride"): (3, 2),
    ("five-flop", "ultimate-texas-holdem"): (2, 3),
    ("five-best", "ultimate-texas-holdem"): (2, 5),
}
# Those that a test counts again in seconds.
QUICK: Final = tuple(shape for shape in SHAPES if shape[0] in ("three", "five-flop"))


def runs(length: int) -> NDArray[np.int8]:
    """By set of ranks (a bit each, the ace highest): 0 without a run, 1 with one, 2 with one to the ace."""
    found = np.zeros(1 << 13, np.int8)
    for ranks in range(1 << 13):
        both = ranks << 1 | ranks >> 12
        for low in range(14 - length + 1):
            if both >> low & (1 << length) - 1 == (1 << length) - 1:
                found[ranks] = 2 if low + length == 14 else 1
    return found


RUNS: Final = {length: runs(length) for length in (3, 4, 5)}


def category(kind: HandKind, cards: Ints) -> Ints:
    """Of hands, a row each: the place of the hand's name in NAMES[kind]; len(NAMES[kind]) for none."""
    names, size = NAMES[kind], {"three": 3, "four": 4, "five-flop": 5, "five-best": 5}[kind]
    rank, suit = cards >> 2, cards & 3
    held = np.stack([(rank == r).sum(axis=1) for r in range(13)], axis=1)
    most = np.sort(held, axis=1)
    every = np.bitwise_or.reduce(1 << rank, axis=1)
    suited = [np.bitwise_or.reduce(np.where(suit == s, 1 << rank, 0), axis=1) for s in range(4)]
    flush = np.stack([(suit == s).sum(axis=1) >= size for s in range(4)], axis=1)
    up = np.stack([RUNS[size][suited[s]] for s in range(4)], axis=1).max(axis=1)
    straight, top, second = RUNS[size][every] > 0, most[:, -1], most[:, -2]
    truths = {
        "royal-flush": up == 2,
        "mini-royal": up == 2,
        "straight-flush": up > 0,
        "four-aces": held[:, 12] == 4,
        "four-of-a-kind": top == 4,
        "full-house": (top == 3) & (second >= 2),
        "flush": flush.any(axis=1),
        "straight": straight,
        "three-of-a-kind": top == 3,
        "two-pair": (top == 2) & (second == 2),
        "pair": top == 2,
    }
    return np.select([truths[name] for name in names], range(len(names)), len(names))


def boards(size: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """One board of each kind, and how many there are that differ by the names of their suits alone."""
    swaps = list(permutations(range(4)))

    def least(board: tuple[int, ...]) -> tuple[int, ...]:
        return min(tuple(sorted(card & ~3 | swap[card & 3] for card in board)) for swap in swaps)

    found: Counter[tuple[int, ...]] = Counter()
    for ranks in ranks_of(size):
        for board in combinations([4 * r + s for r in sorted(set(ranks)) for s in range(4)], size):
            if tuple(sorted(card >> 2 for card in board)) == ranks:
                found[least(board)] += 1
    yield from found.items()


def ranks_of(size: int) -> list[tuple[int, ...]]:
    """The ranks that so many cards may have, sorted."""
    found = {tuple(sorted(ranks)) for ranks in _multisets(13, size)}
    return sorted(ranks for ranks in found if max(Counter(ranks).values(), default=0) <= 4)


def _multisets(things: int, size: int) -> Iterator[tuple[int, ...]]:
    if not size:
        yield ()
        return
    for rest in _multisets(things, size - 1):
        yield from ((*rest, one) for one in range(rest[-1] if rest else 0, things))


def together(kind: HandKind, own: int, shared: int) -> Ints:
    """How many deals of a board and two hands, the first and the second, make what; the last: none."""
    count = len(NAMES[kind]) + 1
    total = np.zeros((count, count), np.int64)
    for board, weight in boards(shared):
        rest = np.array([card for card in range(DECK) if card not in board], np.int64)
        hands = rest[np.array(list(combinations(range(len(rest)), own)), np.int64)]
        whole = np.concatenate(
            [hands, np.broadcast_to(np.array(board, np.int64), (len(hands), shared))], axis=1
        )
        total += weight * disjoint(category(kind, whole), hands, count)
    return total


def disjoint(made: Ints, hands: Ints, count: int) -> Ints:
    """How many ordered pairs of hands without a common card make what."""
    found = np.zeros((count, count), np.int64)
    for size in range(hands.shape[1] + 1):
        seen: dict[tuple[int, ...], Ints] = {}
        for places in combinations(range(hands.shape[1]), size):
            key = sum((hands[:, place] * DECK**at for at, place in enumerate(places)), np.zeros_like(made))
            seen[places] = key * count + made
        keys, times = np.unique(np.concatenate(list(seen.values())), return_counts=True)
        groups, at = np.unique(keys // count, return_inverse=True)
        table = np.zeros((len(groups), count), np.int64)
        table[at, keys % count] = times
        found += (-1) ** size * (table.T @ table)
    return found


def text() -> str:
    """The whole file."""
    lines = [
        "# How often do two hands of one round make what together? Whole numbers of deals of the community",
        "# cards and two hands, from one deck of 52: by the first hand a row, by the second a column, in the",
        "# order of the hands in odds.toml, then all that is none of them. They say how far the counts of a",
        "# floor may stray where seats share a board. Made by `python -m tests.catalogue.together`.",
    ]
    for (kind, game), (own, shared) in SHAPES.items():
        counted = together(kind, own, shared)
        deals = comb(DECK, shared) * comb(DECK - shared, own) * comb(DECK - shared - own, own)
        assert counted.sum() == deals, (kind, game)
        rows = ",\n".join("  [" + ", ".join(f"{n:_}" for n in row) + "]" for row in counted.tolist())
        lines.append(f"\n[{kind}.{game}]\ndeals = {deals:_}\nboth = [\n{rows},\n]")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FILE.write_text(text())
