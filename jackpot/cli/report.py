"""`jackpot report`: one command for each entry of the registry of reports."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from inspect import Parameter, Signature
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple

import typer

from jackpot.cli.options import PIPE_WIDTH, ConfigFile, LedgerUrl, SealedArchive, configured, fail
from jackpot.reports.registry import REPORTS
from jackpot.reports.report import BY, GROUPS, Report

if TYPE_CHECKING:
    from rich.table import Table

    from jackpot.config import Site
    from jackpot.ledger.reading import Reader
    from jackpot.reports.report import Archive, Cell, ReportRequest, ReportResult

# Rows of one table on a terminal, which bounds the memory it takes.
ROWS_SHOWN: Final = 1_000
# The settings of a configuration that describe a site.
_BARE: Final = "--currency USD --timezone America/New_York --day-ends 06:00"

app = typer.Typer(
    help="What the books say: reconciliation, jackpots explained, hits, refusals, slips to sign.",
    epilog="Example: jackpot report reconcile --day 2026-11-20 --config /etc/jackpot/config.toml",
    no_args_is_help=True,
)

Day = Annotated[
    str | None,
    typer.Option(
        "--day", metavar="DAY", help="The gaming day, like 2026-11-20; default: the last that has ended."
    ),
]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="DAY",
        help="The first gaming day; without --from and --to: the last that has ended.",
    ),
]
To = Annotated[str | None, typer.Option("--to", metavar="DAY", help="The last gaming day.")]
Hit = Annotated[str, typer.Argument(metavar="HIT", help="The hit's id, such as H12.")]
Seat = Annotated[
    int | None,
    typer.Option("--seat", metavar="N", min=1, help="The winner's seat; default: who held the hand."),
]
Link = Annotated[str | None, typer.Option("--link", metavar="LINK", help="Only this link.")]
OfTable = Annotated[str | None, typer.Option("--table", metavar="TABLE", help="Only this table.")]
By = Annotated[
    Literal["day", "month"],
    typer.Option("--by", help="A row for each gaming day or month; without --from and --to: of the last."),
]
Month = Annotated[
    str | None,
    typer.Option("--month", metavar="MONTH", help="The month, like 2026-11; default: the last with rows."),
]
Group = Annotated[
    Literal["link", "table", "game", "shift", "day"],
    typer.Option("--group", help="A row for each link, table, game, shift or gaming day."),
]
Game = Annotated[str | None, typer.Option("--game", metavar="GAME", help="Only tables of this game.")]
OfShift = Annotated[str | None, typer.Option("--shift", metavar="SHIFT", help="Only this shift.")]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        "--drop", metavar="LINK=SUM", help="The drop counted for a link, to compare with; may be repeated."
    ),
]
Bank = Annotated[
    str | None, typer.Option("--bank", metavar="BANK", help="Only this bank; without it, every bank.")
]
Currency = Annotated[
    str | None, typer.Option("--currency", metavar="ABC", help="Without --config: the site's, like USD.")
]
Zone = Annotated[
    str | None,
    typer.Option("--timezone", metavar="ZONE", help="Without --config: the site's, like America/New_York."),
]
DayEnds = Annotated[
    str | None,
    typer.Option("--day-ends", metavar="HH:MM", help="Without --config: when the site's gaming day ends."),
]
Csv = Annotated[bool, typer.Option("--csv", help="Comma-separated, to standard output.")]
Json = Annotated[bool, typer.Option("--json", help="JSON, to standard output.")]
Html = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="A page to print, written to that file.")
]
Every = Annotated[bool, typer.Option("--all", help="Every row, not only those that matter most.")]

# By option of a report: the parameters of its command, each with its annotation and default.
_ASKED: Final[dict[str, tuple[tuple[str, Any, Any], ...]]] = {
    "hit": (("hit", Hit, Parameter.empty),),
    "seat": (("seat", Seat, None),),
    "day": (("day", Day, None),),
    "days": (("first", From, None), ("last", To, None)),
    "month": (("month", Month, None),),
    "by": (("by", By, BY[0]),),
    "group": (("group", Group, GROUPS[0]),),
    "game": (("game", Game, None),),
    "shift": (("shift", OfShift, None),),
    "table": (("table", OfTable, None),),
    "link": (("link", Link, None),),
    "drop": (("drop", Drop, None),),
    "archive": (("archive", SealedArchive, None),),
}
_ALWAYS: Final[tuple[tuple[str, Any, Any], ...]] = (
    ("config", ConfigFile, None),
    ("url", LedgerUrl, None),
    ("bank", Bank, None),
    ("currency", Currency, None),
    ("timezone", Zone, None),
    ("day_ends", DayEnds, None),
    ("as_csv", Csv, False),
    ("as_json", Json, False),
    ("html", Html, None),
)
# Option of a report that a terminal shows in brief.
_EVERY: Final = (("every", Every, False),)


class ReportPlace(NamedTuple):
    """The ledger that is read, and its site's format. titles: of links, by id. levels: of their levels."""

    url: str
    site: "Site"
    titles: "Mapping[str, str]"
    levels: "Mapping[str, Mapping[str, str]]"


@dataclass(frozen=True)
class ReportOptions:
    """Options of one report."""

    config: Path | None
    url: str | None
    bank: str | None
    currency: str | None
    timezone: str | None
    day_ends: str | None
    as_csv: bool
    as_json: bool
    html: Path | None
    hit: str | None = None
    day: str | None = None
    first: str | None = None
    last: str | None = None
    link: str | None = None
    drop: list[str] | None = None
    seat: int | None = None
    by: str = BY[0]
    table: str | None = None
    every: bool = False
    archive: Path | None = None
    month: str | None = None
    group: str = GROUPS[0]
    game: str | None = None
    shift: str | None = None

    def place(self) -> "ReportPlace":
        """The ledger and its site. Ends the command where that is not given, or is invalid."""
        from jackpot.config import level_titles_of, titles_of

        told = [self.currency, self.timezone, self.day_ends]
        if self.url is None or self.config is not None:
            if any(told):
                fail("--currency, --timezone and --day-ends: for --ledger without --config, which says them")
            config = configured(self.config, "give --config FILE")
            titles, levels = titles_of(config.displays), level_titles_of(config.displays)
            return ReportPlace(self.url or config.ledger.url, config.site, titles, levels)
        if self.currency is None or self.timezone is None or self.day_ends is None:
            fail(f"--ledger without --config FILE: say how that site writes: {_BARE}")
        site = _site(self.url, self.currency, self.timezone, self.day_ends)
        return ReportPlace(self.url, site, {}, {})

    def wanted(self, place: "ReportPlace", ledger: "Reader", archive: "Archive | None") -> "ReportRequest":
        """The parameters of the report. Ends the command where an option is invalid."""
        from jackpot.reports.report import ReportRequest

        banks = tuple(ledger.banks())
        if not banks:
            fail("the ledger is empty: no server has ever opened it")
        if self.bank not in (None, *banks):
            fail(f"--bank: there is no bank {self.bank}; there is {' '.join(banks)}")
        first, last = (_day("--from", self.first), _day("--to", self.last))
        if first and last and first > last:
            fail(f"--from: {first} is after {last}")
        day = _day("--day", self.day)
        return ReportRequest(
            place.site,
            (self.bank,) if self.bank else banks,
            self.link,
            day or first,
            day or last,
            _hit(self.hit),
            dict(map(_drop, self.drop or ())),
            place.titles,
            self.seat or 0,
            self.by,
            self.table,
            archive,
            _month(self.month),
            self.group,
            self.game,
            self.shift,
            place.levels,
        )


def _make(report: Report) -> Callable[..., None]:
    """Builds the command of one report, with the options that it takes."""

    def command(**given: Any) -> None:
        _run(report, ReportOptions(**given))

    parameters = [
        Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
        for name, annotation, default in chain(
            *(_ASKED[option] for option in report.options), _EVERY if report.brief else (), _ALWAYS
        )
    ]
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    command.__doc__ = f"{report.help}\n\nExample: jackpot report {report.name} {report.example}".rstrip()
    return command


for _report in REPORTS.values():
    app.command(_report.name)(_make(_report))


def _run(report: Report, asked: ReportOptions) -> None:
    """Makes one report; exit code 1 where it does not add up."""
    from msgspec import MsgspecError

    from jackpot.ledger.open import open_reader
    from jackpot.ledger.store import LedgerError
    from jackpot.reports.report import ReportRefused, steady
    from jackpot.rules.registry import UnknownEventError

    if asked.as_csv + asked.as_json + (asked.html is not None) > 1:
        fail("one of --csv, --json and --html at a time")
    place = asked.place()
    try:
        with ExitStack() as opened:
            ledger = opened.enter_context(closing(open_reader(place.url)))
            opened.enter_context(steady(ledger))
            archive = partial(_opened, opened, asked.archive) if asked.archive is not None else None
            found = report.asked(ledger, asked.wanted(place, ledger, archive))
            _write(report, found, asked, place.site)
    except (LedgerError, ReportRefused) as error:
        fail(str(error))
    except (UnknownEventError, MsgspecError, LookupError) as error:
        fail(f"the journal holds what cannot be: {error}; run jackpot verify")
    if found.problems:
        if not asked.as_json:
            for problem in found.problems:
                typer.echo(problem, err=True)
        raise typer.Exit(1)


def _opened(until: ExitStack, archive: Path) -> "Reader":
    """Opens an archive, closed with everything else that is open."""
    from jackpot.ledger.open import open_reader

    return until.enter_context(closing(open_reader(f"sqlite:///{archive}")))


def _write(report: Report, result: "ReportResult", asked: ReportOptions, site: "Site") -> None:
    from jackpot.clock import SystemClock
    from jackpot.reports import output

    if asked.as_csv or asked.as_json:
        parts = output.as_csv(report, result, site) if asked.as_csv else output.as_json(report, result)
        for part in parts:
            typer.echo(part, nl=False)
    elif asked.html is not None:
        with _writing(asked.html) as write:
            for part in output.as_html(report, result, site, SystemClock().unix_ms()):
                write(part)
        typer.echo(f"{asked.html}: {report.title}, ready to print")
    else:
        _show(report, result, output.CellFormat(site), every=asked.every)


@contextmanager
def _writing(path: Path) -> Iterator[Callable[[str], Any]]:
    try:
        with path.open("w", encoding="utf-8") as file:
            yield file.write
    except OSError as error:
        fail(f"--html: {path} cannot be written: {error.strerror or error}")


def _show(report: Report, result: "ReportResult", shown: Any, *, every: bool) -> None:
    """Prints facts, then tables of at most ROWS_SHOWN rows, each without its empty columns.

    every: the rows, too, that a brief one leaves out.
    """
    from jackpot.reports.output import CUT, Totals

    for fact in result.facts:
        typer.echo(f"{fact.name}: {shown.fact(fact)}")
    if report.brief is not None and not every:
        all_rows = list(result.rows)
        matter = [row for row in all_rows if report.brief.matters(row)]
        if matter:
            _table(report, matter, shown)
        if others := len(all_rows) - len(matter):
            typer.echo(f"{report.title}: {others:,} {report.brief.others} are not shown; --all shows them")
        return
    totals = Totals(report, result)
    rows = iter(totals)
    any_ = False
    while page := list(islice(rows, ROWS_SHOWN)):
        any_ = True
        _table(report, page, shown)
    if not any_:
        typer.echo("nothing")
    for number, micros in totals.sums.items() if any_ else ():
        if micros:
            typer.echo(
                f"total {report.columns[number].name}: {shown.cell(report.columns[number].kind, micros)}"
            )
    if shown.cut:
        typer.echo(CUT)


def _table(report: Report, rows: "list[tuple[Cell, ...]]", shown: Any) -> None:
    """A table of the most important columns that fit the terminal; a line names the others."""
    from rich.console import Console

    from jackpot.reports.report import columns_shown

    console = Console(markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    shows = columns_shown(report, rows)
    made = _rich_table(report, rows, shows, shown)
    left: set[int] = set()
    while len(shows) > 1 and made.__rich_measure__(console, console.options).minimum > console.width:
        left.add(next((number for number in reversed(shows) if report.columns[number].spare), shows[-1]))
        shows = [number for number in shows if number not in left]
        made = _rich_table(report, rows, shows, shown)
    console.print(made)
    if left:
        names = ", ".join(report.columns[number].name.replace("_", " ") for number in sorted(left))
        console.print(f"too wide for this terminal, all in --csv: {names}")


def _rich_table(report: Report, rows: "list[tuple[Cell, ...]]", shows: list[int], shown: Any) -> "Table":
    """A table of these columns. Words may be wrapped, figures may not."""
    from rich.cells import cell_len
    from rich.table import Table

    from jackpot.reports.report import RIGHT

    made = Table(title=report.title, title_justify="left")
    columns = [report.columns[number] for number in shows]
    texts = [[shown.cell(report.columns[number].kind, row[number]) for number in shows] for row in rows]
    for column, cells in zip(columns, zip(*texts, strict=True), strict=True):
        whole = column.kind in RIGHT
        parts = cells if whole else chain.from_iterable(map(str.split, cells))
        made.add_column(
            column.name.replace("_", " "),
            justify="right" if whole else "left",
            no_wrap=whole,
            min_width=max(map(cell_len, parts), default=0),
        )
    for row_texts in texts:
        made.add_row(*row_texts)
    return made


def _site(url: str, currency: str, timezone: str, day_ends: str) -> "Site":
    """Site of a ledger without configuration: documents name the ledger instead."""
    from datetime import time

    from jackpot.config import Site
    from jackpot.config.writing import currency_fault, zone_fault
    from jackpot.ledger.connect import without_password

    for option, fault in (("--currency", currency_fault(currency)), ("--timezone", zone_fault(timezone))):
        if fault:
            fail(f"{option}: {fault}")
    try:
        return Site(without_password(url), currency, time.fromisoformat(day_ends), timezone)
    except ValueError:
        fail(f"--day-ends: {day_ends!r} is no time like 06:00")


def _day(option: str, given: str | None) -> str | None:
    from jackpot.reports.read.gaming_days import is_day

    if given is not None and not is_day(given):
        fail(f"{option}: {given!r} is no day like 2026-11-20")
    return given


def _month(given: str | None) -> str | None:
    from jackpot.reports.read.gaming_days import is_month

    if given is not None and not is_month(given):
        fail(f"--month: {given!r} is no month like 2026-11")
    return given


def _hit(given: str | None) -> int:
    if given is None:
        return 0
    digits = given.removeprefix("H")
    if not (given.startswith("H") and digits.isascii() and digits.isdigit() and len(digits) <= 16):
        fail(f"HIT: {given!r} is no hit's id, such as H12")
    return int(digits)


def _drop(given: str) -> tuple[str, int]:
    from jackpot.catalogue.figures import parse_money

    link, equal, amount = given.rpartition("=")
    if not (equal and link):
        fail(f"--drop: {given!r} is not like floor-five=1250.00")
    try:
        return link, parse_money(amount)
    except ValueError as error:
        fail(f"--drop: {link}: {error}")
