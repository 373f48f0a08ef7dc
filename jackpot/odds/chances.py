"""Exact probabilities of hands, of pairs of hands at one table, and of draws, from counted deals."""

from fractions import Fraction
from typing import NamedTuple

from jackpot.catalogue import envy_sums, odds_of
from jackpot.catalogue.returns import MAGIC_CARDS
from jackpot.rules.cards import DECK
from jackpot.rules.hands import NAMES
from jackpot.rules.paytable import Game, HandKind, LinkTerms

NOTHING = "high-card"
"""What a hand is called that makes none of the names of its kind."""


class DrawChances(NamedTuple):
    """Probability that a seat with one wager wins a round's prize in a draw (A7)."""

    magic: Fraction
    lucky: Fraction


def hand_chances(kind: HandKind) -> dict[str, Fraction]:
    """Probability of every hand, best first and `NOTHING` last; they add up to 1."""
    odds = odds_of(kind)
    found = {name: Fraction(odds.hands[name], odds.deals) for name in NAMES[kind]}
    # A high card that beats the dealer's hand has a row of its own, and is among the rest here.
    found[NOTHING] = 1 - sum((found[name] for name in NAMES[kind] if name != NOTHING), Fraction(0))
    return found


def pair_chances(kind: HandKind, game: Game) -> dict[tuple[str, str], Fraction]:
    """Probability that one player makes the first hand and another of the table the second.

    one deck, one board.
    """
    names = (*NAMES[kind], NOTHING)
    counts = odds_of(kind).pairs[game]
    deals = sum(map(sum, counts.values()))
    return {
        (own, other): Fraction(count, deals)
        for own in names
        for other, count in zip(names, counts[own], strict=True)
    }


def envy_given(terms: LinkTerms, game: Game) -> dict[str, Fraction]:
    """By one's own hand, the average envy bonus that one other player's hand earns it, in micro-dollars."""
    sums = envy_sums(terms)
    chances = pair_chances(terms.hand_kind, game)
    own = hand_chances(terms.hand_kind)
    return {
        hand: sum((paid * chances[hand, other] for other, paid in sums.items()), Fraction(0)) / own[hand]
        for hand in own
    }


def draw_chances(terms: LinkTerms, seats: int) -> DrawChances:
    """Probabilities of one round's draw; a seat's shown cards count for the Magic Card, too (A7)."""
    magic = Fraction(MAGIC_CARDS, DECK * terms.magic_every) if terms.magic_every else Fraction(0)
    lucky = Fraction(1, seats * terms.lucky_every) if terms.lucky_every else Fraction(0)
    return DrawChances(magic, lucky)
