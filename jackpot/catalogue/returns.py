"""Long-run return of a wager, part by part: exact fractions, from counted combinations (A7).

Configuration, commands and pages have their figures from here, so all of them show the same return.
"""

import functools
import tomllib
from collections.abc import Iterator
from decimal import Context, Decimal
from fractions import Fraction
from importlib import resources
from math import comb
from typing import Any, Final, NamedTuple

import msgspec

from jackpot.rules.cards import DECK, RANKS, SUITS
from jackpot.rules.hands import NAMES, Ranked, best_row
from jackpot.rules.money import BASIS_POINTS
from jackpot.rules.paytable import Fixed, ForOne, Game, HandKind, LinkTerms, Percent, ToOne, row_for
from jackpot.rules.terms import house_return, mean_wagers

# A seat's cards that the Magic Card is held against: the player's three and the two community cards (A7).
MAGIC_CARDS: Final = 5


# Half the width of an interval that holds the true return with a probability of 99 %, in standard errors.
_BOUND: Final = Fraction(2576, 1000)
# Digits of a square root: more than anybody shows.
_ROOT: Final = Context(prec=16)


class Odds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Counts of the deals that make each hand, of `deals` equally likely ones; others pay nothing.

    pairs: by game, how many deals of two players make the hand of the row and each hand, in the rows' order.
    ranks: how many of the deals that make a pair make one of each rank, from two to ace. seed: of the
    simulation that dealt them, where not every deal was counted (B14); 0 where all were.
    """

    cards: str
    deals: int
    hands: dict[str, int]
    pairs: dict[Game, dict[str, tuple[int, ...]]] = {}
    ranks: tuple[int, ...] = ()
    seed: int = 0


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
def counted_file() -> dict[str, Any]:
    """`schemas/odds.toml`, as it is written."""
    return tomllib.loads(resources.files("jackpot").joinpath("schemas/odds.toml").read_text(encoding="utf-8"))


@functools.cache
def odds_of(kind: HandKind, players: int = 1) -> Odds:
    """The counted combinations of a kind of hand. players: of the round, where they decide (Cover All)."""
    counts = counted_file()[kind]
    return msgspec.convert(counts.get(str(players), counts), Odds, strict=True)


class BestPlay(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Wins of the three Let It Ride bets under best play, each a sum over all deals, in bets.

    third: over all five cards. second: over all four cards and the fifth, where that sum is positive. first:
    over all three cards and the two others, where it is.
    """

    first: int
    second: int
    third: int

    @property
    def wins(self) -> tuple[Fraction, Fraction, Fraction]:
        """What each bet wins on average, as a part of one bet; negative where it loses."""
        return (
            Fraction(self.first, comb(DECK, 3) * comb(DECK - 3, 2)),
            Fraction(self.second, comb(DECK, 4) * (DECK - 4)),
            Fraction(self.third, comb(DECK, 5)),
        )


def best_play_of(paytable: str) -> BestPlay | None:
    """The counted best play of a base paytable of Let It Ride; None of any other."""
    found = counted_file()["best-play"].get(paytable)
    return None if found is None else msgspec.convert(found, BestPlay, strict=True)


def return_of(terms: LinkTerms, seats: int, players: int | None = None) -> Return:
    """A link's return at a table of so many seats, one of whose boxes the Lucky Bonus draws.

    players: who are dealt a hand, left out where the table is full.
    """
    full = seats if players is None else players
    return Return(
        odds_return(terms, full),
        rates_of(terms),
        reseeds_return(terms),
        envy_return(terms, full),
        draws_return(terms, seats),
    )


def rates_of(terms: LinkTerms) -> Fraction:
    """The part of the wager that goes onto the meters, primary and reserve (L6)."""
    return Fraction(sum(level.primary + level.reserve for level in terms.levels), BASIS_POINTS)


def row_chances(terms: LinkTerms, players: int = 1) -> tuple[Fraction, ...]:
    """The probability that each row is the one that pays, in order (H3). Suits are equally likely."""
    if not terms.rows:
        return ()
    odds = odds_of(terms.hand_kind, players if _by_players(terms) else 1)
    counts = dict.fromkeys(terms.rows, 0)
    for hand in odds.hands:
        for rank, count in _ranks(odds, hand):
            for suit in SUITS:
                row = best_row(terms.rows, Ranked(hand, suit, rank))
                if row is not None:
                    counts[row] += count
    return tuple(Fraction(counts[row], odds.deals * len(SUITS)) for row in terms.rows)


def _ranks(odds: Odds, hand: str) -> Iterator[tuple[str, int]]:
    """How many deals make the hand with each rank that may matter."""
    if hand == "pair" and odds.ranks:
        yield from zip(RANKS, odds.ranks, strict=True)
    else:
        yield "", odds.hands[hand]


def _by_players(terms: LinkTerms) -> bool:
    return any(row.by_players for row in terms.rows)


def odds_return(terms: LinkTerms, players: int = 1) -> Fraction:
    """The part of the wager that the rows without a meter return. players: of the round (Cover All)."""
    chances = zip(terms.rows, row_chances(terms, players), strict=True)
    paid = ((row_for(row, players).pays, chance) for row, chance in chances)
    fixed = ((pays, chance) for pays, chance in paid if not isinstance(pays, Percent))
    return sum((chance * times(pays, terms.wager) for pays, chance in fixed), Fraction(0))


class OddsReturn(NamedTuple):
    """What fixed odds return with so many players.

    bound: half the width of the 99 % interval, 0 where every deal was counted. seed: of the simulation, or 0.
    """

    players: int
    part: Fraction
    bound: Fraction
    seed: int


def odds_returns(terms: LinkTerms) -> tuple[OddsReturn, ...]:
    """The return of fixed odds (B14): by players where they decide (Cover All), else one for any number."""
    numbers = range(1, len(terms.rows[0].by_players) + 1) if _by_players(terms) else (1,)
    return tuple(_odds_return(terms, players) for players in numbers)


def _odds_return(terms: LinkTerms, players: int) -> OddsReturn:
    part = odds_return(terms, players)
    odds = odds_of(terms.hand_kind, players if _by_players(terms) else 1)
    if not odds.seed:
        return OddsReturn(players, part, Fraction(0), 0)
    chances = zip(terms.rows, row_chances(terms, players), strict=True)
    paid = ((row_for(row, players).pays, chance) for row, chance in chances)
    fixed = ((pays, chance) for pays, chance in paid if not isinstance(pays, Percent))
    squares = sum((chance * times(pays, terms.wager) ** 2 for pays, chance in fixed), Fraction(0))
    variance = (squares - part**2) / odds.deals
    root = Fraction(_ROOT.sqrt(_ROOT.divide(Decimal(variance.numerator), Decimal(variance.denominator))))
    return OddsReturn(players, part, _BOUND * root, odds.seed)


def tie_chance(kind: HandKind) -> Fraction:
    """The probability that the player's hand and the dealer's are equal, of a hand that must win (Blind)."""
    odds = odds_of(kind)
    return 1 - Fraction(2 * sum(odds.hands.values()), odds.deals)


def reseeds_return(terms: LinkTerms) -> Fraction:
    """The cost of reseeds to the house, as a part of the wager (A2, L4).

    Each winner of a level reseeds it (T5); that some share one award (`simultaneous`) is left out, and so is
    what `floor_to_seed` tops up (A4), which depends on where the meter stood.
    """
    if terms.mystery:
        return house_return(terms) - rates_of(terms)
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
    if not terms.envy:
        return Fraction(0)
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
    """The probability that a wager wins a percentage of the level; of a mystery level in the mean (Y5)."""
    for one in terms.levels if terms.mystery else ():
        if one.level == level:
            return 1 / mean_wagers(one, terms.wager)
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
