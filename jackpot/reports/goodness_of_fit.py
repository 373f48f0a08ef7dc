"""Goodness-of-fit tests of the counted hands against fair decks.

Counted are hands that pay, against all wagers: a site may send the cards of paying hands alone. A hand counts
where the paytable pays it in every suit. The hands of a round come of one deck and may share a board, so
their counts stray by the exact chances that two of them come together. Where those were not counted, a round
counts for one hand, and rounds are independent.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from jackpot.catalogue import odds_of
from jackpot.reports import statistics as chance
from jackpot.rules.cards import SUITS
from jackpot.rules.hands import Ranked, best_row
from jackpot.rules.paytable import Game, HandKind, LinkTerms

# Significance level of all of a report's comparisons together.
LEVEL: Final = 0.01
# Hands that come in clumps of several seats (a spread above this) are judged where so many are expected: with
# fewer, one board may make an honest shift look improbable.
CLUMPED: Final = 1.05
CLUMPED_MIN: Final = 50.0
# So many of each hand are expected where all are judged together; of rarer ones several count as one.
TOGETHER_MIN: Final = 25.0
ALL_HANDS: Final = "all hands"


class ExpectedHands(NamedTuple):
    """Expected hands that pay, best first. chances: of one hand. both: of two hands of one round."""

    names: tuple[str, ...]
    chances: tuple[float, ...]
    both: tuple[tuple[float, ...], ...]


class CountedHands:
    """Hands of one link at tables of one game. pairs: ordered pairs of hands of one round. made: by name."""

    def __init__(self) -> None:
        self.hands = self.pairs = 0
        self.made: Counter[str] = Counter()

    def add(self, hands: int, made: Iterable[str], sign: int = 1) -> None:
        """Adds a round with so many hands, of which these pay. sign: -1 takes one back."""
        self.hands += sign * hands
        self.pairs += sign * hands * (hands - 1)
        for name in made:
            self.made[name] += sign


class Finding(NamedTuple):
    """One comparison. of: the largest possible count. rate: the probability of each.

    spread: the variance, as a multiple of that of independent trials. chance: of a count so far off, were all
    fair; None where there is too little to say. off: by how many standard deviations.
    """

    what: str
    of: int
    observed: int
    expected: float
    rate: float
    spread: float
    off: float
    chance: float | None


Part = tuple[ExpectedHands, CountedHands]
"""What is expected at the tables of one game, and what came."""


def one_a_round(terms: LinkTerms, game: Game) -> bool:
    """Whether a round counts for one hand: that of the highest seat, or of the table.

    So it is where nobody counted how two hands of a round come together: the highest hand of the table is one
    (B10), beaten hands share the dealer's (B11), and an approval names the cards of six (B16).
    """
    return game not in odds_of(terms.hand_kind).pairs


def expected_of(terms: LinkTerms, game: Game, players: int = 1) -> ExpectedHands:
    """Expected hands of a link's wagers at tables of that game. players: of the round (Cover All)."""
    names = tuple(
        name
        for name, deals in odds_of(terms.hand_kind, players).hands.items()
        if deals and all(best_row(terms.rows, Ranked(name, suit)) for suit in SUITS)
    )
    return _expected(terms.hand_kind, game, names, players)


@lru_cache(64)
def _expected(kind: HandKind, game: Game, names: tuple[str, ...], players: int) -> ExpectedHands:
    odds = odds_of(kind, players)
    chances = tuple(odds.hands[name] / odds.deals for name in names)
    if game not in odds.pairs:  # no two hands of a round are counted
        return ExpectedHands(
            names, chances, tuple(tuple(one * other for other in chances) for one in chances)
        )
    pairs = odds.pairs[game]
    deals = sum(map(sum, pairs.values()))
    places = [place for place, name in enumerate(pairs) if name in names]
    both = tuple(tuple(pairs[name][place] / deals for place in places) for name in names)
    return ExpectedHands(names, chances, both)


def compare(parts: Sequence[Part]) -> list[Finding]:
    """All hands together, then each; the parts are of games with the same hands. None where no hand came."""
    names = parts[0][0].names
    hands = sum(counted.hands for _, counted in parts)
    if not hands or not names:
        return []
    means = [
        sum(counted.hands * expected.chances[i] for expected, counted in parts) for i in range(len(names))
    ]
    spreads = [
        [sum(_covariance(part, i, j) for part in parts) for j in range(len(names))] for i in range(len(names))
    ]
    observed = [sum(counted.made[name] for _, counted in parts) for name in names]
    each = [finding(name, hands, observed[i], means[i], spreads[i][i]) for i, name in enumerate(names)]
    return [*_all(hands, observed, means, spreads), *each]


def trial(what: str, of: int, observed: int, rate: float) -> Finding:
    """Comparison for independent trials at that rate."""
    mean = of * rate
    return finding(what, of, observed, mean, mean * (1 - rate))


def _covariance(part: Part, i: int, j: int) -> float:
    """Covariance of the counts of two hands.

    for one seat, which has one hand alone, and for two seats of a round.
    """
    (_, chances, both), counted = part
    product = chances[i] * chances[j]
    own = (chances[i] if i == j else 0.0) - product
    return counted.hands * own + counted.pairs * (both[i][j] - product)


def finding(what: str, of: int, observed: int, mean: float, variance: float) -> Finding:
    """Comparison of a count with its mean and variance."""
    rate = mean / of
    spread = variance / (mean * (1 - rate))
    known = spread <= CLUMPED or mean >= CLUMPED_MIN
    improbable = chance.beyond(observed, of, mean, variance) if known else None
    return Finding(
        what, of, observed, mean, rate, spread, (observed - mean) / math.sqrt(variance), improbable
    )


def _all(
    hands: int, observed: list[int], means: list[float], spreads: list[list[float]]
) -> Iterable[Finding]:
    """All hands that pay, in one chi-square with their covariances; none where too few are expected."""
    groups = _groups(means)
    if not groups:
        return
    off = [sum(observed[i] - means[i] for i in group) for group in groups]
    matrix = [[sum(spreads[i][j] for i in one for j in other) for other in groups] for one in groups]
    square = sum(a * b for a, b in zip(off, chance.solve(matrix, off), strict=True))
    mean, variance = sum(means), sum(map(sum, matrix))
    rate = mean / hands
    yield Finding(
        ALL_HANDS, hands, sum(observed), mean, rate, variance / (mean * (1 - rate)),
        sum(off) / math.sqrt(variance), chance.chi_square_beyond(square, len(groups)),
    )  # fmt: skip


def _groups(means: Sequence[float]) -> list[list[int]]:
    """Groups of hands: rare ones are pooled with the next, so that enough of each group are expected."""
    groups: list[list[int]] = []
    rest: list[int] = []
    for place in range(len(means)):
        rest.append(place)
        if sum(means[i] for i in rest) >= TOGETHER_MIN:
            groups.append(rest)
            rest = []
    if rest and groups:
        groups[-1] += rest
    return groups
