"""The return of a wager follows from combinations that can be counted again."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import comb, prod
from typing import Final

import pytest

from jackpot.catalogue import Odds, Return, odds_of, return_of
from jackpot.rules.paytable import Fixed, ForOne, HandKind, LinkTerms, PaytableRow, Percent, ToOne
from tests.rules.floor import TERMS, level, link
from tests.rules.test_hands import FIVES, FOURS, THREES

DOLLAR: Final = 1_000_000
RANKS: Final = 13
RUNS: Final = [frozenset({(low - 1) % RANKS for low in range(first, first + 5)}) for first in range(10)]
ROYAL: Final = RUNS[-1]


def whole(odds: Odds, counted: dict[str, int]) -> bool:
    """Whether the catalogue has these counts, and the rest of its deals makes nothing."""
    shown = odds.hands | {"high-card": odds.deals - sum(odds.hands.values())}
    return shown == counted


@pytest.mark.parametrize(("kind", "counted"), [("three", THREES), ("four", FOURS), ("five-flop", FIVES)])
def test_the_odds_are_the_counts_of_all_deals(kind: HandKind, counted: dict[str, int]) -> None:
    """A7, H1: the catalogue's figures are those that the counting of every deal gives (tests of hands)."""
    assert whole(odds_of(kind), counted)


def held(cards: int, ranks: int = RANKS) -> Iterator[tuple[int, ...]]:
    """How often each rank may be held: every way to hold so many cards."""
    if ranks == 0:
        if cards == 0:
            yield ()
        return
    for count in range(min(4, cards) + 1):
        for others in held(cards - count, ranks - 1):
            yield (count, *others)


def of_one_suit(counts: tuple[int, ...]) -> int:
    """Of the deals that hold each rank so often, how many have five or more cards of one suit."""
    ways = [1]  # by how many of the cards are of that suit
    for count in counts:
        longer = [0] * (len(ways) + 1)
        for number, way in enumerate(ways):
            longer[number] += way * comb(3, count)
            longer[number + 1] += way * comb(3, count - 1) if count else 0
        ways = longer
    return 4 * sum(ways[5:])


def named(counts: tuple[int, ...]) -> str:
    """The best five of cards that hold each rank so often, suits left out."""
    most, second = sorted(counts, reverse=True)[:2]
    if most == 4:
        return "four-of-a-kind"
    if most == 3 and second >= 2:
        return "full-house"
    ranks = {rank for rank, count in enumerate(counts) if count}
    if any(run <= ranks for run in RUNS):
        return "straight"
    if most == 3:
        return "three-of-a-kind"
    return "high-card" if most == 1 else "two-pair" if second == 2 else "pair"


def test_the_best_five_of_seven_are_counted_without_dealing_them() -> None:
    """A7, H1: by how often each rank is held, less the deals of one suit, and by the ranks of that suit."""
    counted: Counter[str] = Counter()
    for counts in held(7):
        counted[named(counts)] += prod(comb(4, count) for count in counts) - of_one_suit(counts)
    for size in (5, 6, 7):
        for some in combinations(range(RANKS), size):
            ranks = frozenset(some)
            name = "royal-flush" if ranks >= ROYAL else "flush"
            if name == "flush" and any(run <= ranks for run in RUNS):
                name = "straight-flush"
            counted[name] += 4 * comb(39, 7 - size)
    assert sum(counted.values()) == comb(52, 7)
    assert whole(odds_of("five-best"), dict(counted))


def steep(*rows: PaytableRow) -> LinkTerms:
    return link("x", "made", (level("meter", 1_000, 500, 10),), rows, wager=2 * DOLLAR)


def test_a_return_counts_every_kind_of_row() -> None:
    """A1, A7: N for 1, N to 1 with the wager, a fixed sum and the wager, nothing for a part of a meter."""
    returns = return_of(
        steep(
            PaytableRow("royal-flush", Percent("meter", 10_000)),
            PaytableRow("straight-flush", ForOne(100)),
            PaytableRow("four-of-a-kind", ToOne(50)),
            PaytableRow("full-house", Fixed(7 * DOLLAR)),
        ),
        7,
    )
    odds = (36 * 100 + 624 * 51 + 3_744 * Fraction(7, 2)) / Fraction(2_598_960)
    reseeds = Fraction(4 * 10, 2_598_960)  # ten dollars of a two-dollar wager, at each royal flush
    nothing = Fraction(0)
    assert returns == Return(odds, Fraction(15, 100), reseeds / 2, nothing, nothing)
    assert (returns.total, returns.edge) == (odds + Fraction(15, 100) + reseeds / 2, 1 - returns.total)
    assert returns.kept - returns.reseeds == returns.edge


def test_a_return_tells_suits_apart_and_pays_the_best_row() -> None:
    """A7, H3: a mini-royal of spades is one of four; a better hand without a row takes the next."""
    three = return_of(TERMS["three-A"], 7).odds
    assert three == Fraction(3 * 500 + 44 * 70 + 52 * 60 + 720 * 6, 22_100)
    single = return_of(
        steep(PaytableRow("straight-flush", ForOne(10)), PaytableRow("flush", Percent("meter", 10_000))), 7
    ).odds
    assert single == Fraction(40 * 10, 2_598_960)
