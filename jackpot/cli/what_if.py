"""`jackpot ledger what-if`: replays a link's wagers on other terms."""

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from jackpot.cli.options import ConfigFile, LedgerUrl, configured, fail, options
from jackpot.cli.options import table as print_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jackpot.config import Config
    from jackpot.reports.what_if import End, Total, WhatIfResult

# Days shown on a terminal: as many as a month has.
DAYS_SHOWN: Final = 31
# Names of the totals of both sides.
TOTALS: Final = (
    "wagered", "onto the meters", "put in by the house", "paid", "on the meters", "left to the house",
)  # fmt: skip
LEFT: Final = (
    "left to the house = wagered - onto the meters - put in by the house (seeds, and what no meter pays)"
)
# Columns of a file: the subject of a row, and its figure on both sides.
COLUMNS: Final = "sheet", "day", "level", "figure", "as it was", "if", "difference"
# Figures of a level at the end; those that are no sums are counts.
FIGURES: Final = "wagers", "meter", "hits", "paid", "house"
COUNTS: Final = "wagers", "hits"
HIDDEN: Final = "wagers whose hand was not shown"
OWN_NUMBERS: Final = "random numbers that the journal does not have"
# Facts of the link as it stands, with what was not replayed.
JOURNAL: Final = "in the journal"
# Warning about terms that are forbidden, but replayed all the same.
NOT_ALLOWED: Final = "not allowed on this paytable"


@dataclass(frozen=True)
class WhatIfOptions:
    """Options of the command."""

    link: Annotated[str, typer.Option(metavar="LINK", help="The link whose wagers are played again.")]
    paytable: Annotated[
        str | None, typer.Option(metavar="ID", help="Another paytable. [default: the link's own]")
    ] = None
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="LEVEL.FIGURE=VALUE",
            help="Another primary, reserve, seed, reseed or limit; of a mystery link primary, seed or "
            "must_hit_by.",
        ),
    ] = None
    since: Annotated[
        str | None,
        typer.Option(
            "--since",
            metavar="DAY",
            help="Begin with the meters as read at the end of that gaming day. [default: the first row]",
        ),
    ] = None
    config: ConfigFile = None
    ledger: LedgerUrl = None
    as_csv: Annotated[
        bool, typer.Option("--csv", help="One figure a line, comma-separated, of every day.")
    ] = False
    as_json: Annotated[bool, typer.Option("--json", help="All results, as JSON.")] = False


@options(WhatIfOptions)
def what_if(asked: WhatIfOptions) -> None:
    """Play a link's journal again on other terms, and show what its meters would have done.

    The journal's wagers, cards and draws are put to an engine of their own; no money moves, and nothing is
    written. With the link's own paytable, --set changes any figure, and the command says what of it is
    forbidden. With another one, give what that paytable leaves open. A hand that showed no cards counts as
    lost, and so does one whose awards were undone. What else people did to money (correct, transfer) is left
    out of both sides: `as it was` is the journal played again without it. The command says how often they
    did. A mystery link is played with the random numbers that the journal drew, and those of commitments that
    it opened; a commitment that runs is not known, and another number stands in its place.

    Example: jackpot ledger what-if --link floor-five --set minor.primary=5% --config /etc/jackpot/config.toml
    """
    from jackpot.catalogue import CatalogueError
    from jackpot.ledger.store import LedgerError
    from jackpot.reports.what_if import ReplayRefused

    if asked.as_csv and asked.as_json:
        fail("one of --csv and --json at a time")
    config = configured(asked.config, "give --config FILE")
    try:
        found = _replay(asked, config)
    except (ReplayRefused, CatalogueError, LedgerError) as error:
        fail(f"not played again: {error}")
    if asked.as_json:
        _tell_json(found)
    elif asked.as_csv:
        _tell_csv(found)
    else:
        _print(found, config)


def _replay(asked: WhatIfOptions, config: "Config") -> "WhatIfResult":
    from jackpot.cli.progress import bar
    from jackpot.ledger.open import open_reader
    from jackpot.reports.what_if import other_terms
    from jackpot.reports.what_if import what_if as replay_link

    settings = {}
    for text in asked.settings or ():
        name, equal, value = text.partition("=")
        if not (name and equal and value):
            fail(f"--set: {text!r} is not like minor.primary=5%")
        settings[name] = value
    bank = next((link.bank for link in config.links if link.link == asked.link), None)
    if bank is None:
        fail(f"--link: {asked.link!r} is no link of {config.path}")
    with closing(open_reader(asked.ledger or config.ledger.url)) as ledger, bar() as tell:
        return replay_link(
            ledger,
            bank,
            asked.link,
            lambda now: other_terms(now, asked.paytable, settings),
            lambda done, of: tell("rows", done, of),
            asked.since,
        )


def _print(result: "WhatIfResult", config: "Config") -> None:
    from jackpot.config.writing import writing

    money = writing(config.site.locale, config.site.currency)
    levels = _levels(result)
    names = [f"{name}{suffix}" for name in FIGURES for suffix in ("", " if")]
    for said in result.not_allowed:
        typer.echo(f"{NOT_ALLOWED}: {said}")
    print_table("At the end", ["level", *names], [
        [level, *("" if end is None else
                  ("{:,}".format if figure in COUNTS else money.exact)(getattr(end, figure))
                  for figure in FIGURES for end in both)]
        for level, both in levels.items()
    ])  # fmt: skip
    totals = result.was_total, result.would_total
    cells = [[*total, total.left] for total in totals]
    cells.append(_difference(result))
    rows = list(zip(("as it was", "if", "difference"), cells, strict=True))
    if result.journal_total != result.was_total:
        rows.append((JOURNAL, [*result.journal_total, result.journal_total.left]))
    print_table("In all", ["", *TOTALS], [[name, *map(money.exact, sums)] for name, sums in rows])
    typer.echo(LEFT)
    days = [
        [day.day, day.level, _written(money.exact, day.meter), _written("{:,}".format, day.hits),
         _written(money.exact, day.meter_if), _written("{:,}".format, day.hits_if)]
        for day in result.days[-DAYS_SHOWN * len(levels) :]
    ]  # fmt: skip
    if days:
        columns = ["day", "level", "meter", "hits", "meter if", "hits if"]
        print_table("At the end of each gaming day", columns, days)
    for what, count in _played(result):
        typer.echo(f"{what}: {count:,}")


def _written(write: "Callable[[int], str]", number: int | None) -> str:
    return "" if number is None else write(number)


def _exact(micros: int | None) -> Any:
    from jackpot.rules.money import decimal

    return None if micros is None else decimal(micros)


def _days(result: "WhatIfResult") -> list[dict[str, Any]]:
    return [
        day._asdict() | {"meter": _exact(day.meter), "meter_if": _exact(day.meter_if)} for day in result.days
    ]


def _tell_json(result: "WhatIfResult") -> None:
    import json

    def ends(of: list[Any]) -> list[dict[str, Any]]:
        sums = ("meter", "paid", "house")
        return [end._asdict() | {name: _exact(getattr(end, name)) for name in sums} for end in of]

    def total(of: "Total") -> dict[str, Any]:
        return {name: _exact(sum_) for name, sum_ in {**of._asdict(), "left": of.left}.items()}

    names = [*result.was_total._fields, "left"]
    said = result._asdict() | {
        "was": ends(result.was),
        "would": ends(result.would),
        "journal": ends(result.journal),
        "journal_total": total(result.journal_total),
        "was_total": total(result.was_total),
        "would_total": total(result.would_total),
        "difference": dict(zip(names, map(_exact, _difference(result)), strict=True)),
        "days": _days(result),
    }
    typer.echo(json.dumps(said, indent=2))


def _levels(result: "WhatIfResult") -> "dict[str, tuple[End | None, End | None]]":
    """Each level as it was and as it would have been, the house last; None where a side lacks it."""
    was, would = ({end.level: end for end in side} for side in (result.was, result.would))
    ends = (*result.was[:-1], *result.would[:-1], result.was[-1])
    return {end.level: (was.get(end.level), would.get(end.level)) for end in ends}


def _difference(result: "WhatIfResult") -> list[int]:
    """Differences of the totals, in the order of TOTALS."""
    was, would = ([*total, total.left] for total in (result.was_total, result.would_total))
    return [after - before for before, after in zip(was, would, strict=True)]


def _tell_csv(result: "WhatIfResult") -> None:
    """Exports everything shown as CSV, a line a figure, sums to the micro-dollar; all days."""
    import csv
    import sys

    writer = csv.writer(sys.stdout)
    writer.writerow(COLUMNS)
    for sheet, day, level, figure, was, would in _figures(result):
        counted = sheet == "played" or figure in COUNTS
        difference = None if was is None or would is None else would - was
        sums = (was, would, difference)
        writer.writerow([sheet, day, level, figure, *(sums if counted else map(_exact, sums))])


def _figures(result: "WhatIfResult") -> "Iterator[tuple[str, str, str, str, int | None, int | None]]":
    """Figures in the order of COLUMNS, without the difference."""
    for level, ends in _levels(result).items():
        for figure in FIGURES:
            was, would = (None if end is None else getattr(end, figure) for end in ends)
            yield "at the end", "", level, figure, was, would
    totals = ([*total, total.left] for total in (result.was_total, result.would_total))
    for name, was, would in zip(TOTALS, *totals, strict=True):
        yield "in all", "", "", name, was, would
    for name, sum_ in zip(TOTALS, (*result.journal_total, result.journal_total.left), strict=True):
        yield JOURNAL, "", "", name, sum_, None
    for day in result.days:
        yield "day", day.day, day.level, "meter", day.meter, day.meter_if
        yield "day", day.day, day.level, "hits", day.hits, day.hits_if
    for what, count in _played(result):
        yield "played", "", "", what, count, None
    for said in result.not_allowed:
        yield NOT_ALLOWED, "", "", said, None, None


def _played(result: "WhatIfResult") -> "Iterator[tuple[str, int]]":
    """Prints what was replayed, and what was not."""
    yield "rounds", result.rounds
    yield HIDDEN, result.hidden
    if result.own_numbers:
        yield OWN_NUMBERS, result.own_numbers
    yield from ((f"not repeated: {what}", count) for what, count in result.left_out.items() if count)
    yield from ((f"not taken: {why}", count) for why, count in result.refused.items() if count)
