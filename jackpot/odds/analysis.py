"""Analysis of a wager: its return at given meters, hit frequency, and break-even meters.

Sums are micro-dollars, parts are parts of the wager, chances are those of one wager: exact fractions all.
A level's return is that of the hand that is paid first in its round: a second one of the same round finds the
reseeded meter (T5).
"""

from collections.abc import Mapping
from decimal import Context, Decimal
from fractions import Fraction
from math import ceil
from typing import Final, NamedTuple

from jackpot.catalogue import (
    BestPlay,
    OddsReturn,
    Return,
    best_play_of,
    draws_return,
    envy_return,
    load,
    money_text,
    odds_return,
    odds_returns,
    return_of,
    row_chances,
    tie_chance,
    times,
)
from jackpot.odds.chances import envy_given
from jackpot.odds.cycle import MeterModel, meter_at, wagers_until
from jackpot.odds.sessions import FixedPay
from jackpot.odds.subject import AnalysisError, AnalyzedLink
from jackpot.rules.money import BASIS_POINTS, MICROS_PER_CENT, floor_to_cent
from jackpot.rules.paytable import SEATS, LevelTerms, PaytableRow, Percent, row_for
from jackpot.text import Sentence

# Digits of a square root: more than anybody shows.
_ROOT: Final = Context(prec=16)
QUANTILES: Final = tuple(Fraction(percent, 100) for percent in (5, 25, 50, 75, 90, 95, 99))

# Wagers an hour of a dozen tables on an evening: an example, unlike the rates of a real floor.
WAGERS_AN_HOUR: Final = 1_000
# More wagers than all tables of a country make; beyond it hours and years mean nothing.
RATE_MAX: Final = 9_999_999


class AnalysisConditions(NamedTuple):
    """Conditions of an analysis.

    meters: by level; its seed where nothing is given. players: hands dealt at the table.
    """

    meters: Mapping[str, int] = {}
    players: int = 1
    wagers_an_hour: int = WAGERS_AN_HOUR


class RowFound(NamedTuple):
    """One row of the paytable.

    award: what the hand is paid at the meters given. printed: the source's own words, where terms cannot say
    them.
    """

    row: PaytableRow
    chance: Fraction
    award: Fraction
    part: Fraction
    printed: str = ""


class CycleQuantile(NamedTuple):
    """Quantile of a cycle.

    with this probability it has ended after so many wagers, at no more than this meter.
    """

    quantile: Fraction
    wagers: int
    meter: int


class LevelFound(NamedTuple):
    """Figures of a level. taken: how much of the meter a wager wins on average.

    break_even: the meter with which the wager returns itself, the rest as it is; 0 where any meter does.
    cycle, ends: None and nothing where its rate is left open. next_mean: the mean of the meter when it is
    won next, from the meter given.
    """

    terms: LevelTerms
    meter: int
    chance: Fraction
    taken: Fraction
    part: Fraction
    break_even: int
    cycle: MeterModel | None
    next_mean: Fraction
    ends: tuple[CycleQuantile, ...]


class Analysis(NamedTuple):
    """Result of an analysis. envy: by players at the table. envy_given: by one's own hand, of all others.

    long_run: None where a rate or a reseed is left open. ties: how often a wager is returned because the
    player's hand equals the dealer's. by_players: of fixed odds, one where the number does not matter.
    best_play: of the bets of Let It Ride.
    """

    subject: AnalyzedLink
    tonight: AnalysisConditions
    rows: tuple[RowFound, ...]
    levels: tuple[LevelFound, ...]
    odds: Fraction
    draws: Fraction
    envy: dict[int, Fraction]
    envy_given: dict[str, Fraction]
    long_run: Return | None
    ties: Fraction
    by_players: tuple[OddsReturn, ...]
    best_play: BestPlay | None

    @property
    def hit(self) -> Fraction:
        """Hit frequency: how often the paytable pays a hand anything."""
        return sum((found.chance for found in self.rows), Fraction(0))

    @property
    def spread(self) -> tuple[Fraction, Fraction]:
        """Mean and standard deviation of a hand's pay, in wagers; the second to 16 digits."""
        wager = self.subject.terms.wager
        mean = sum((found.part for found in self.rows), Fraction(0))
        squares = sum((found.chance * (found.award / wager) ** 2 for found in self.rows), Fraction(0))
        variance = squares - mean**2
        root = _ROOT.sqrt(_ROOT.divide(Decimal(variance.numerator), Decimal(variance.denominator)))
        return mean, Fraction(root)

    @property
    def pays(self) -> tuple[FixedPay, ...]:
        """What an offer pays, by row; nothing of a wager that is no offer (B1)."""
        terms = self.subject.terms
        if terms.levels or load(terms.paytable).use != "offer":
            return ()
        return tuple(FixedPay(int(found.award), found.chance) for found in self.rows)

    @property
    def total(self) -> Fraction:
        meters = sum((level.part for level in self.levels), Fraction(0))
        return self.odds + self.ties + self.draws + self.envy[self.tonight.players] + meters


def analyze(subject: AnalyzedLink, tonight: AnalysisConditions) -> Analysis:
    """The whole analysis of one paytable. Raises AnalysisError."""
    terms, game = subject.terms, subject.game
    meters = _meters(subject, tonight)
    rows = tuple(
        _row(row_for(row, tonight.players), chance, meters, terms.wager)
        for row, chance in zip(terms.rows, row_chances(terms, tonight.players), strict=True)
    )
    if subject.printed:
        rows = tuple(row._replace(printed=text) for row, text in zip(rows, subject.printed, strict=True))
    envy = {players: envy_return(terms, players) for players in range(1, SEATS[game] + 1)}
    others = tonight.players - 1
    given = {}
    if envy[2]:
        given = {hand: others * sum_ / terms.wager for hand, sum_ in envy_given(terms, game).items()}
    odds, draws = odds_return(terms, tonight.players), draws_return(terms, SEATS[game])
    meters_part = sum((found.part for found in rows if isinstance(found.row.pays, Percent)), Fraction(0))
    total = odds + draws + envy[tonight.players] + meters_part
    levels = tuple(_level(subject, level, meters[level.level], rows, total) for level in terms.levels)
    return Analysis(
        subject, tonight, rows, levels, odds, draws, envy, given,
        _long_run(subject, levels, tonight.players),
        tie_chance(terms.hand_kind) if terms.hand_kind == "winning" else Fraction(0),
        odds_returns(terms) if not terms.levels else (),
        best_play_of(terms.paytable),
    )  # fmt: skip


def _meters(subject: AnalyzedLink, tonight: AnalysisConditions) -> dict[str, int]:
    terms, game = subject.terms, subject.game
    if not 1 <= tonight.players <= SEATS[game]:
        seats = {"game": game, "most": SEATS[game], "count": f"{tonight.players:,}"}
        raise AnalysisError("{game} seats 1 to {most}, not {count}", field="players", **seats)
    if not 1 <= tonight.wagers_an_hour <= RATE_MAX:
        rates = {"most": f"{RATE_MAX:,}", "count": f"{tonight.wagers_an_hour:,}"}
        raise AnalysisError("1 to {most} wagers an hour, not {count}", field="rate", **rates)
    meters = {level.level: level.seed for level in terms.levels}
    for name, meter in tonight.meters.items():
        if not meters:
            raise AnalysisError("{paytable} has fixed odds alone", field="meter", paytable=terms.paytable)
        if name not in meters:
            known = {"level": name, "paytable": terms.paytable, "levels": ", ".join(meters)}
            raise AnalysisError("meter {level}: {paytable} has {levels}", **known)
        limit = next(level.limit for level in terms.levels if level.level == name)
        if limit is not None and meter > limit:
            sums = {"level": Sentence(name), "sum": money_text(meter), "limit": money_text(limit)}
            raise AnalysisError("meter {level}: {sum} is above its limit {limit}", **sums)
        meters[name] = meter
    return meters


def _row(row: PaytableRow, chance: Fraction, meters: Mapping[str, int], wager: int) -> RowFound:
    if isinstance(row.pays, Percent):
        award = Fraction(floor_to_cent(meters[row.pays.level] * row.pays.rate // BASIS_POINTS))
    else:
        award = times(row.pays, wager) * wager
    return RowFound(row, chance, award, chance * award / wager)


def _level(
    subject: AnalyzedLink, level: LevelTerms, meter: int, rows: tuple[RowFound, ...], total: Fraction
) -> LevelFound:
    """Figures of one level, of rows at the meters given. total: what the wager returns at them."""
    wager = subject.terms.wager
    whole, parts, part = Fraction(0), [], Fraction(0)
    for found in rows:
        if isinstance(found.row.pays, Percent) and found.row.pays.level == level.level:
            part += found.part
            if found.row.pays.rate == BASIS_POINTS:
                whole += found.chance
            else:
                parts.append((Fraction(found.row.pays.rate, BASIS_POINTS), found.chance))
    taken = whole + sum(share * chance for share, chance in parts)
    needed = max(Fraction(0), (1 - total + part) * wager / taken)
    rate, reserve = Fraction(level.primary, BASIS_POINTS), Fraction(level.reserve, BASIS_POINTS)
    now = MeterModel(level.reseed, rate * wager, reserve * wager, whole, tuple(parts))
    known = not subject.open & {f"{level.level}.primary", f"{level.level}.reserve"}
    reseeds = known and f"{level.level}.reseed" not in subject.open
    return LevelFound(
        level,
        meter,
        whole,
        taken,
        part,
        ceil(needed / MICROS_PER_CENT) * MICROS_PER_CENT,
        now if reseeds else None,
        now.mean(Fraction(meter)) if known else Fraction(0),
        _ends(now) if reseeds else (),
    )


def _ends(meter: MeterModel) -> tuple[CycleQuantile, ...]:
    return tuple(
        CycleQuantile(one, wagers_until(meter.chance, one), meter_at(meter, one)) for one in QUANTILES
    )


def _long_run(subject: AnalyzedLink, levels: tuple[LevelFound, ...], players: int) -> Return | None:
    if any(level.cycle is None for level in levels):
        return None
    return return_of(subject.terms, SEATS[subject.game], players)
