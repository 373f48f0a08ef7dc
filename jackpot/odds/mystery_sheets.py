"""Tables of a mystery link's analysis, in the form of all others (`sheets.py`)."""

from fractions import Fraction
from typing import Final

from jackpot.catalogue import rate_text
from jackpot.config.writing import Writing
from jackpot.odds.mystery_analysis import MysteryAnalysis, MysteryLevelFound
from jackpot.odds.sheets import RAREST, Cell, Kind, OddsColumn, OddsTable
from jackpot.rules.paytable import Form
from jackpot.text import Sentence

_FORMS: Final[dict[Form, Sentence]] = {
    "committed": Sentence("a trigger is drawn before the meter starts, and a hash commits to it"),
    "drawn": Sentence("each wager draws for itself: there is nothing secret"),
}
_OF_RETURN: Final = (
    Sentence("A level pays what its meter shows with the winning wager on it, at most its maximum."),
    Sentence("The meters are taken as the highest of their cycles."),
    Sentence(
        "The house edge is what a wager loses on average. Part of it goes onto the meters, not to the house."
    ),
)
_OF_LEVELS: Final = (
    Sentence("Break-even: with more than this on the meter, a wager returns more than it costs."),
    Sentence(
        "Mean and most wagers, and the mean award, are of the cycle that is running, from this meter on."
    ),
)
_OF_CYCLES: Final = (
    Sentence("Of cycles that begin at the minimum. What an award leaves below a cent shortens the next one."),
    Sentence(
        "That part of the hits comes within so many wagers of the link, and finds no more on the meter."
    ),
)
_OF_LONG_RUN: Final = (
    Sentence("All that goes onto a meter is won one day; the house puts on its minimum in each cycle."),
)
_OF_FILING: Final = Sentence(
    "The chance is that of the first wager of a cycle; each wager's is higher than the one before."
)
_OF_SECRET: Final = Sentence(
    "The administrator of the server that decides can read a running trigger. Where that must be excluded, "
    "levels are drawn."
)


def facts_of(analysis: MysteryAnalysis, money: Writing) -> list[tuple[str, str]]:
    """The subject of the analysis, line by line."""
    count = money.count(analysis.tonight.wagers_an_hour)
    return [
        ("link", analysis.subject.terms.link),
        ("decided by", _FORMS[analysis.subject.terms.form]),
        ("wager", money.of_micros(analysis.subject.terms.wager)),
        ("wagers an hour", Sentence("{count} on the whole link", count=count)),
    ]


def sheets_of(analysis: MysteryAnalysis, money: Writing) -> list[OddsTable]:
    """All tables, in the order in which people ask for them."""
    return [
        _returns(analysis, money),
        _levels(analysis),
        _lengths(analysis),
        _ends(analysis),
        _long_run(analysis),
        _filing(analysis, money),
    ]


def _columns(*texts: str, **others: Kind) -> tuple[OddsColumn, ...]:
    return (*(OddsColumn(name) for name in texts), *(OddsColumn(name, kind) for name, kind in others.items()))


def _returns(analysis: MysteryAnalysis, money: Writing) -> OddsTable:
    rows: list[tuple[Cell, ...]] = []
    for one in analysis.levels:
        at = {"level": Sentence(one.name), "sum": money.of_micros(one.meter)}
        rows.append((Sentence("{level} at {sum}", **at), one.part))
    rows += [(Sentence("total return"), analysis.total), (Sentence("house edge"), 1 - analysis.total)]
    title = Sentence("Return of a wager at these meters")
    return OddsTable("return", title, _columns("part", of_the_wager="part"), tuple(rows), _OF_RETURN)


def _levels(analysis: MysteryAnalysis) -> OddsTable:
    numbers: dict[str, Kind] = {
        "meter": "sum", "must_hit_by": "sum", "chance": "chance", "one_in": "number", "return": "part",
        "break_even_meter": "sum", "mean_wagers": "number", "most_wagers": "count", "mean_award": "sum",
    }  # fmt: skip
    rows = tuple(
        (
            Sentence(one.name), one.meter, one.terms.must_hit_by, one.chance, 1 / one.chance, one.part,
            one.cycle.break_even, one.rest.mean_wagers, one.rest.wagers_max, one.rest.mean_award,
        )
        for one in analysis.levels
    )  # fmt: skip
    return OddsTable("levels", Sentence("Levels"), _columns("level", **numbers), rows, _OF_LEVELS)


def _hours(analysis: MysteryAnalysis, wagers: Fraction | int) -> Fraction:
    return Fraction(wagers) / analysis.tonight.wagers_an_hour


def _lengths(analysis: MysteryAnalysis) -> OddsTable:
    numbers: dict[str, Kind] = {
        "minimum": "sum", "must_hit_by": "sum", "mean_wagers": "number", "most_wagers": "count",
        "mean_hours": "number", "mean_award": "sum", "return": "part",
    }  # fmt: skip
    rows = tuple(
        (
            Sentence(one.name), one.terms.minimum, one.terms.must_hit_by, one.cycle.mean_wagers,
            one.cycle.wagers_max, _hours(analysis, one.cycle.mean_wagers), one.cycle.mean_award,
            one.cycle.long_run,
        )
        for one in analysis.levels
    )  # fmt: skip
    title = Sentence("Cycles from the minimum")
    return OddsTable("cycle", title, _columns("level", **numbers), rows, _OF_CYCLES[:1])


def _ends(analysis: MysteryAnalysis) -> OddsTable:
    numbers: dict[str, Kind] = {
        "of_the_hits": "part", "within_wagers": "count", "within_hours": "number", "meter_at_most": "sum",
    }  # fmt: skip
    rows = tuple(
        (Sentence(one.name), at.quantile, at.wagers, _hours(analysis, at.wagers), at.meter)
        for one in analysis.levels
        for at in one.ends
    )
    title = Sentence("Time between hits, and the meter when hit")
    return OddsTable("cycles", title, _columns("level", **numbers), rows, _OF_CYCLES)


def _long_run(analysis: MysteryAnalysis) -> OddsTable:
    rows: tuple[tuple[Cell, ...], ...] = (
        (Sentence("onto the meters"), analysis.contributed),
        (Sentence("kept before minimums"), 1 - analysis.contributed),
        (Sentence("minimums"), analysis.seeded),
        (Sentence("house edge in the long run"), 1 - analysis.contributed - analysis.seeded),
    )
    title = Sentence("In the long run, where does a wager go?")
    return OddsTable("long_run", title, _columns("part", of_the_wager="part"), rows, _OF_LONG_RUN)


def _filing(analysis: MysteryAnalysis, money: Writing) -> OddsTable:
    numbers: dict[str, Kind] = {"must_hit_by": "sum", "chance": "chance", "one_in": "number"}
    columns = (
        *_columns("level", "link", initial_amount="sum", reset_amount="sum"),
        *_columns("rate", "hidden_rate", **numbers),
        *_columns("not_rarer_than_1_in_100_million"),
    )
    rows = tuple(_filed(one, money) for one in analysis.levels)
    secret = analysis.subject.terms.form == "committed"
    notes = (_OF_FILING, _OF_SECRET) if secret else (_OF_FILING,)
    return OddsTable("filing", Sentence("Figures for a filing, by level"), columns, rows, notes)


def _filed(level: MysteryLevelFound, money: Writing) -> tuple[Cell, ...]:
    first = Fraction(level.terms.contribution, level.terms.span)
    return (
        Sentence(level.name), Sentence("linked, one casino"), level.terms.minimum, level.terms.minimum,
        rate_text(level.terms.rate).replace(".", money.decimal), Sentence("none"), level.terms.must_hit_by,
        first, 1 / first, Sentence("yes") if first * RAREST >= 1 else Sentence("no"),
    )  # fmt: skip
