"""Long-run return of a wager, part by part: exact fractions, from counted combinations (A7).

Configuration, commands and pages have their figures from here, so all of them show the same return.
"""

import functools
import tomllib
from fractions import Fraction
from importlib import resources
from typing import Final, NamedTuple

import msgspec

from jackpot.rules.cards import DECK, SUITS
from jackpot.rules.hands import NAMES, Ranked, best_row
from jackpot.rules.money import BASIS_POINTS
from jackpot.rules.paytable import Fixed, ForOne, Game, HandKind, LinkTerms, Percent, ToOne

# A seat's cards that the Magic Card is held against: the player's three and the two community cards (A7).
MAGIC_CARDS: Final = 5


class Odds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Counts of the deals that make each hand, of `deals` equally likely ones; others pay nothing.

    pairs: by game, how many deals of two players make the hand of the row and each hand, in the rows' order.
    """

    cards: str
    deals: int
    hands: dict[str, int]
    pairs: dict[Game, dict[str, tuple[int, ...]]]


class Return(NamedTuple):
    """The long-run return of one wager, as parts of it.

    odds: the fixed pays, which no meter pays. meters: what goes onto primaries and reserves; all of it is won
    one day (L6). reseeds: what the house puts in when a level is won (A2). envy: of all others at the table
    (A5). draws: Magic Card and Lucky Bonus. A first seed is paid once, and is no part of it.
    """

    odds: Fraction
    meters: Fraction
    reseeds: Fraction
    envy: Fraction
    draws: Fraction

    @property
    def total(self) -> Fraction:
        return sum(self, Fraction(0))

    @property
    def kept(self) -> Fraction:
        """The house's part before it reseeds; at least `reseeds` where the paytable pays for them."""
        return 1 - self.total + self.reseeds

    @property
    def edge(self) -> Fraction:
        """The house's part of a wager in the long run; negative where it pays."""
        return 1 - self.total

    def __str__(self) -> str:
        parts = {
            "fixed pays": self.odds,
            "meters": self.meters,
            "reseeds": self.reseeds,
            "envy": self.envy,
            "draws": self.draws,
        }
        told = ", ".join(f"{name} {percent_text(part)}" for name, part in parts.items())
        return f"{percent_text(self.total)} ({told})"


@functools.cache
def odds_of(kind: HandKind) -> Odds:
    """The counted combinations of a kind of hand."""
    text = resources.files("jackpot").joinpath("schemas/odds.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text)[kind], Odds, strict=True)


def return_of(terms: LinkTerms, seats: int, players: int | None = None) -> Return:
    """A link's return at a table of so many seats, one of whose boxes the Lucky Bonus draws.

    players: who are dealt a hand, left out where the table is full.
    """
    full = seats if players is None else players
    return Return(
        odds_return(terms),
        rates_of(terms),
        reseeds_return(terms),
        envy_return(terms, full),
        draws_return(terms, seats),
    )


def rates_of(terms: LinkTerms) -> Fraction:
    """The part of the wager that goes onto the meters, primary and reserve (L6)."""
    return Fraction(sum(level.primary + level.reserve for level in terms.levels), BASIS_POINTS)


def row_chances(terms: LinkTerms) -> tuple[Fraction, ...]:
    """The probability that each row is the one that pays, in order (H3). Suits are equally likely."""
    odds = odds_of(terms.hand_kind)
    counts = dict.fromkeys(terms.rows, 0)
    for hand, count in odds.hands.items():
        for suit in SUITS:
            row = best_row(terms.rows, Ranked(hand, suit))
            if row is not None:
                counts[row] += count
    return tuple(Fraction(counts[row], odds.deals * len(SUITS)) for row in terms.rows)


def odds_return(terms: LinkTerms) -> Fraction:
    """The part of the wager that the rows without a meter return."""
    chances = zip(terms.rows, row_chances(terms), strict=True)
    paid = ((row.pays, chance) for row, chance in chances if not isinstance(row.pays, Percent))
    return sum((chance * times(pays, terms.wager) for pays, chance in paid), Fraction(0))


def reseeds_return(terms: LinkTerms) -> Fraction:
    """The cost of reseeds to the house, as a part of the wager (A2, L4).

    Each winner of a level reseeds it (T5); that some share one award (`simultaneous`) is left out, and so is
    what `floor_to_seed` tops up (A4), which depends on where the meter stood.
    """
    reseeds = {level.level: level.reseed for level in terms.levels}
    chances = zip(terms.rows, row_chances(terms), strict=True)
    won = (
        chance * reseeds[row.pays.level]
        for row, chance in chances
        if isinstance(row.pays, Percent) and row.pays.rate == BASIS_POINTS
    )
    return sum(won, Fraction(0)) / terms.wager


def envy_return(terms: LinkTerms, players: int) -> Fraction:
    """The envy bonuses of a wager at a table of so many players, as a part of it (A5)."""
    odds = odds_of(terms.hand_kind)
    one = sum((sum_ * odds.hands[hand] for hand, sum_ in envy_sums(terms).items()), Fraction(0)) / odds.deals
    return (players - 1) * one / terms.wager


def envy_sums(terms: LinkTerms) -> dict[str, Fraction]:
    """By hand of another player, the average envy bonus of one wager over its suits (A5)."""
    sums = {}
    for hand in NAMES[terms.hand_kind]:
        rows = [best_row(terms.envy, Ranked(hand, suit)) for suit in SUITS]
        paid = sum(row.amount for row in rows if row is not None)
        if paid:
            sums[hand] = Fraction(paid, len(SUITS))
    return sums


def hit_chance(terms: LinkTerms, level: str) -> Fraction:
    """The probability that a wager wins a percentage of the level."""
    chances = zip(terms.rows, row_chances(terms), strict=True)
    wins = (chance for row, chance in chances if isinstance(row.pays, Percent) and row.pays.level == level)
    return sum(wins, Fraction(0))


def draws_return(terms: LinkTerms, seats: int) -> Fraction:
    """The average return of the Magic Card and the Lucky Bonus, as a part of the wager (A7).

    Exact for a seat with one wager. With more wagers it is less, for a seat gets one prize. One of 52 cards
    is drawn and compared with the five cards of the hand.
    """
    magic = Fraction(MAGIC_CARDS * terms.magic_for, DECK * terms.magic_every) if terms.magic_every else 0
    lucky = Fraction(terms.lucky_for, seats * terms.lucky_every) if terms.lucky_every else 0
    return Fraction(magic + lucky)


def percent_text(part: Fraction) -> str:
    """A part of the wager as a percentage of two decimals, cut: "192.30 %"."""
    hundredths = part.numerator * BASIS_POINTS // part.denominator
    return f"{hundredths // 100}.{hundredths % 100:02} %"


def times(pays: ForOne | ToOne | Fixed, wager: int) -> Fraction:
    """How many wagers a row pays, the returned one among them (A1)."""
    if isinstance(pays, Fixed):
        return Fraction(pays.amount, wager)
    return Fraction(pays.n if isinstance(pays, ForOne) else pays.n + 1)
