"""`jackpot ledger what-if`: what would a link's wagers have come to on other terms?"""

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from jackpot.cli.speak import ConfigFile, configured, fail, options
from jackpot.cli.speak import table as print_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from jackpot.config import Config
    from jackpot.lab.what_if import Found, Total

# Days that are shown where nobody asks for a file: as many as a month has.
DAYS_SHOWN: Final = 31
# Of both sides, whatever their levels are called.
TOTALS: Final = (
    "wagered", "onto the meters", "put in by the house", "paid", "on the meters", "left to the house",
)  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """What the options say."""

    link: Annotated[str, typer.Option(metavar="LINK", help="The link whose wagers are played again.")]
    paytable: Annotated[
        str | None, typer.Option(metavar="ID", help="Another paytable. [default: the link's own]")
    ] = None
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="LEVEL.FIGURE=VALUE", help="Another primary, reserve, seed, reseed or limit."
        ),
    ] = None
    config: ConfigFile = None
    url: Annotated[
        str | None, typer.Option("--ledger", metavar="URL", help="Another ledger than that of --config.")
    ] = None
    as_csv: Annotated[bool, typer.Option("--csv", help="Every day, comma-separated.")] = False
    as_json: Annotated[bool, typer.Option("--json", help="All results, as JSON.")] = False


@options(Asked)
def what_if(asked: Asked) -> None:
    """Play a link's journal again on other terms, and show what its meters would have done.

    The journal's wagers, cards and draws are put to an engine of their own; no money moves, and nothing is
    written. With the link's own paytable, --set changes any figure. With another one, give what that paytable
    leaves open. A hand that showed no cards counts as lost. What people did to money (undo, correct,
    transfer) is not repeated; the command says how often they did.

    In all: what is left to the house is what was wagered, less what went onto the meters, less what the house
    put in: seeds, and awards that no meter pays.

    Example: jackpot ledger what-if --link floor-five --set minor.primary=5% --config /etc/jackpot/config.toml
    """
    from jackpot.catalogue import CatalogueError
    from jackpot.lab.what_if import Impossible
    from jackpot.ledger.store import LedgerError

    if asked.as_csv and asked.as_json:
        fail("one of --csv and --json at a time")
    config = configured(asked.config, "give --config FILE")
    try:
        found = _found(asked, config)
    except (Impossible, CatalogueError, LedgerError) as error:
        fail(f"not played again: {error}")
    if asked.as_json:
        _tell_json(found)
    elif asked.as_csv:
        _tell_csv(found)
    else:
        _tell(found, config)


def _found(asked: Asked, config: "Config") -> "Found":
    from jackpot.cli.bar import bar
    from jackpot.lab.what_if import Impossible, other_terms
    from jackpot.lab.what_if import what_if as played
    from jackpot.ledger.open import open_reader

    settings = {}
    for text in asked.settings or ():
        name, equal, value = text.partition("=")
        if not (name and equal and value):
            fail(f"--set: {text!r} is not like minor.primary=5%")
        settings[name] = value
    bank = next((link.bank for link in config.links if link.link == asked.link), None)
    if bank is None:
        raise Impossible(f"--link: {asked.link!r} is no link of {config.path}")
    with closing(open_reader(asked.url or config.ledger.url)) as ledger, bar() as tell:
        return played(
            ledger,
            bank,
            asked.link,
            lambda now: other_terms(now, asked.paytable, settings),
            lambda done, of: tell("rows", done, of),
        )


def _tell(found: "Found", config: "Config") -> None:
    from jackpot.config.writing import writing

    money = writing(config.site.locale, config.site.currency)
    ends = (*found.was[:-1], *found.would[:-1], found.was[-1])
    levels = {end.level: [""] * 8 for end in ends}
    for place, of in enumerate((found.was, found.would)):
        for end in of:
            sums = (money.exact(end.meter), f"{end.hits:,}", money.exact(end.paid), money.exact(end.house))
            for column, text in enumerate(sums):
                levels[end.level][2 * column + place] = text
    names = [f"{name}{suffix}" for name in ("meter", "hits", "paid", "house") for suffix in ("", " if")]
    print_table("At the end", ["level", *names], [[level, *cells] for level, cells in levels.items()])
    totals = found.was_total, found.would_total
    cells = [[*total, total.left] for total in totals]
    cells.append([would - was for was, would in zip(*cells, strict=True)])
    print_table("In all", ["", *TOTALS], [
        [name, *map(money.exact, sums)]
        for name, sums in zip(("as it was", "if", "difference"), cells, strict=True)
    ])  # fmt: skip
    days = [
        [day.day, day.level, _shown(money.exact, day.meter), _shown("{:,}".format, day.hits),
         _shown(money.exact, day.meter_if), _shown("{:,}".format, day.hits_if)]
        for day in found.days[-DAYS_SHOWN * len(levels) :]
    ]  # fmt: skip
    if days:
        columns = ["day", "level", "meter", "hits", "meter if", "hits if"]
        print_table("At the end of each gaming day", columns, days)
    typer.echo(f"{found.rounds:,} rounds; wagers whose hand was not shown: {found.hidden:,}")
    for what, count in found.left_out.items():
        if count:
            typer.echo(f"not repeated: {what}: {count:,}")
    for why, count in found.refused.items():
        typer.echo(f"not taken: {why}: {count:,}")


def _shown(write: "Callable[[int], str]", number: int | None) -> str:
    return "" if number is None else write(number)


def _exact(micros: int | None) -> Any:
    from jackpot.rules.money import decimal

    return None if micros is None else decimal(micros)


def _days(found: "Found") -> list[dict[str, Any]]:
    return [
        day._asdict() | {"meter": _exact(day.meter), "meter_if": _exact(day.meter_if)} for day in found.days
    ]


def _tell_json(found: "Found") -> None:
    import json

    def ends(of: list[Any]) -> list[dict[str, Any]]:
        sums = ("meter", "paid", "house")
        return [end._asdict() | {name: _exact(getattr(end, name)) for name in sums} for end in of]

    def total(of: "Total") -> dict[str, Any]:
        return {name: _exact(sum_) for name, sum_ in {**of._asdict(), "left": of.left}.items()}

    said = found._asdict() | {
        "was": ends(found.was),
        "would": ends(found.would),
        "was_total": total(found.was_total),
        "would_total": total(found.would_total),
        "days": _days(found),
    }
    typer.echo(json.dumps(said, indent=2))


def _tell_csv(found: "Found") -> None:
    import csv
    import sys

    rows = _days(found)
    if rows:
        writer = csv.DictWriter(sys.stdout, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
