"""Worker process that makes one report for a page: one call in JSON, one reply, next to the server.

A thread of the server would make the tables' frames late: each page of the database that it reads takes the
interpreter from them, and a long report reads for seconds.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import groupby, islice
from typing import Final, Literal

import msgspec

from jackpot import worker_limits
from jackpot.config import Site
from jackpot.ledger.open import open_reader
from jackpot.ledger.reading import Reader
from jackpot.ledger.store import LedgerError
from jackpot.reports import output
from jackpot.reports.director import DirectorPage, director_page
from jackpot.reports.read.gaming_days import is_day, is_month
from jackpot.reports.registry import REPORTS
from jackpot.reports.report import (
    BY,
    GROUPS,
    SUMS,
    Cell,
    Report,
    ReportProblem,
    ReportRefused,
    ReportRequest,
    ReportResult,
    columns_shown,
    steady,
)
from jackpot.rules.codes import Code
from jackpot.text import Sentence, one_of
from jackpot.worker_refusal import WorkerRefusal

# Rows of a page: on a phone each is a card of its own, and nobody scrolls through more of them.
ROWS_SHOWN: Final = 50
# Columns of a page: so many sums stand side by side on a laptop of 1366 pixels.
COLUMNS_SHOWN: Final = 13
# Rows of an export from here: read within some seconds. The command makes longer ones.
ROWS_MAX: Final = 20_000
MORE: Final = ReportProblem("more_rows", "there is more: jackpot report on the server's machine")


Form = Literal["page", "print", "csv", "json", "director"]
"""The form of what is asked for. director: the director's page, which is made of one report's month."""


class ReportCall(msgspec.Struct, frozen=True):
    """Call of the worker. url: of the ledger. titles: of links, by id. levels: of their levels.
    given: the form's fields.

    skip: rows that come before a page. sort: the column by which they are in order, with a minus where the
    largest comes first; "" for the report's own order. now: when it is printed, in unix milliseconds.
    """

    url: str
    site: Site
    titles: dict[str, str]
    report: str
    given: dict[str, str]
    language: str
    form: Form = "page"
    skip: int = 0
    sort: str = ""
    now: int = 0
    levels: dict[str, dict[str, str]] = {}


class ReportPage(msgspec.Struct, frozen=True):
    """One page of a report. columns: the title, the kind and the name of each that says something.

    first: the number of its first row. hidden: the titles of those that it has no room for.

    before, after: the rows to skip for the page before this one and after it; None where there is none.
    parts: the heading and the number of rows of each part, in order; none where the report has no parts.
    note: on its sums; "" where there is nothing to say.
    """

    columns: list[tuple[str, str, str]]
    facts: list[tuple[str, str]]
    rows: list[list[str]]
    totals: list[str]
    problems: list[str]
    first: int
    before: int | None
    after: int | None
    hidden: list[str] = []
    parts: list[tuple[str, int]] = []
    note: str = ""


class WorkerReply(msgspec.Struct, frozen=True):
    """Reply of the worker. refusal: why there is no report. shown: a page's.

    text: a file, or a page to print. director: the director's page.
    """

    refusal: WorkerRefusal | None = None
    shown: ReportPage | None = None
    text: str = ""
    director: DirectorPage | None = None


def reply_to(ledger: Reader, asked: ReportCall) -> WorkerReply:
    """The reply with the report. Raises LedgerError."""
    try:
        with steady(ledger):
            return _reply(ledger, asked)
    except ReportRefused as error:
        return WorkerReply(WorkerRefusal.of(Code.BAD_REQUEST, error.said))


def _reply(ledger: Reader, asked: ReportCall) -> WorkerReply:
    """As `reply_to`, but raises ReportRefused."""
    report = REPORTS[asked.report]
    if asked.form == "director":
        shown = output.CellFormat(asked.site, asked.language)
        return WorkerReply(director=director_page(ledger, _wanted(asked, ledger), shown))
    found = report.asked(ledger, _wanted(asked, ledger))
    match asked.form:
        case "csv":
            return WorkerReply(text="".join(_file(report, found, asked.site)))
        case "json":
            short = found._replace(rows=_first(found))
            return WorkerReply(text="".join(output.as_json(report, short)))
        case "print":
            short = found._replace(rows=islice(found.rows, ROWS_MAX))
            pieces = output.as_html(report, short, asked.site, asked.now, asked.language)
            return WorkerReply(text="".join(pieces))
    if asked.sort:
        found = _sorted(report, found, asked.sort)
    return WorkerReply(shown=_page(report, found, output.CellFormat(asked.site, asked.language), asked.skip))


def _sorted(report: Report, result: ReportResult, sort: str) -> ReportResult:
    """The same rows by a column; of more rows than an export has, the first ones."""
    name = sort.removeprefix("-")
    column = next((place for place, one in enumerate(report.columns) if one.name == name), None)
    if column is None:
        return result
    rows = iter(result.rows)
    first = list(islice(rows, ROWS_MAX))
    if next(rows, None) is not None:
        result.problems.append(
            ReportProblem(
                "rows_partly_sorted", "only the first {count} rows are sorted", count=f"{ROWS_MAX:,}"
            )
        )
    ordered = output.in_order(first, lambda row: row[column], falling=sort.startswith("-"))
    return result._replace(rows=iter(ordered))


def _wanted(asked: ReportCall, ledger: Reader) -> ReportRequest:
    given, banks = asked.given, tuple(ledger.banks())
    if (bank := given.get("bank")) is not None and bank not in banks:
        known = " ".join(banks)
        raise ReportRefused(
            "bank_not_known",
            "{bank} is unknown; there is {banks}",
            field="bank",
            bank=repr(bank),
            banks=known,
        )
    for name in ("day", "first", "last"):
        if (day := given.get(name)) is not None and not is_day(day):
            raise ReportRefused(
                "day_not_written_so", "{day} is no day like 2026-11-20", field=name, day=repr(day)
            )
    hit = given.get("hit", "H0")
    digits = hit.removeprefix("H")
    if not (hit.startswith("H") and digits.isascii() and digits.isdigit() and len(digits) <= 16):
        raise ReportRefused("hit_malformed", "{hit} is no hit, such as H12", field="hit", hit=repr(hit))
    seat = given.get("seat", "0")
    if not (seat.isascii() and seat.isdigit() and len(seat) == 1):
        raise ReportRefused("seat_malformed", "{seat} is no seat, such as 3", field="seat", seat=repr(seat))
    if (by := given.get("by", BY[0])) not in BY:
        raise ReportRefused("by_malformed", "{by} is neither day nor month", field="by", by=repr(by))
    if (month := given.get("month")) is not None and not is_month(month):
        raise ReportRefused(
            "month_malformed", "{month} is no month like 2026-11", field="month", month=repr(month)
        )
    if (group := given.get("group", GROUPS[0])) not in GROUPS:
        raise ReportRefused(
            "group_malformed", "{group} is none of {groups}", field="group", group=repr(group),
            groups=one_of(GROUPS),
        )  # fmt: skip
    first, last = given.get("day", given.get("first")), given.get("day", given.get("last"))
    if first and last and first > last:
        raise ReportRefused("days_reversed", "{first} is after {last}", field="first", first=first, last=last)
    chosen = (bank,) if bank else banks
    link, number = given.get("link"), int(digits)
    wanted = ReportRequest(asked.site, chosen, link, first, last, number, titles=asked.titles, by=by)
    return wanted._replace(
        seat=int(seat),
        levels=asked.levels,
        table=given.get("table"),
        month=month,
        group=group,
        game=given.get("game"),
        shift=given.get("shift"),
    )


def _page(report: Report, result: ReportResult, shown: output.CellFormat, skip: int) -> ReportPage:
    totals = output.Totals(report, result)
    read = list(islice(totals, skip, skip + ROWS_SHOWN + 1))
    more, said = len(read) > ROWS_SHOWN, columns_shown(report, read[:ROWS_SHOWN])
    spare = [n for n in reversed(said) if report.columns[n].spare][: max(0, len(said) - COLUMNS_SHOWN)]
    columns = [n for n in said if n not in spare]
    rows = [[shown.cell(report.columns[n].kind, row[n]) for n in columns] for row in read[:ROWS_SHOWN]]
    sums = [
        "" if n not in totals.sums else shown.cell(report.columns[n].kind, totals.sums[n]) for n in columns
    ]
    facts = [(shown.title(fact.name), shown.fact(fact)) for fact in result.facts]
    return ReportPage(
        [
            (shown.title(column.name), "sum" if column.kind in SUMS else column.kind, column.name)
            for column in (report.columns[n] for n in columns)
        ],
        facts,
        rows,
        sums if totals.columns and not more else [],
        [shown.say(problem) for problem in result.problems],
        skip + 1,
        max(0, skip - ROWS_SHOWN) if skip else None,
        skip + ROWS_SHOWN if more and skip < ROWS_MAX else None,
        [shown.title(report.columns[n].name) for n in sorted(spare)],
        _parts(report, read[:ROWS_SHOWN], shown),
        shown.say(output.CUT) if shown.cut else "",
    )


def _parts(
    report: Report, rows: Sequence[tuple[Cell, ...]], shown: output.CellFormat
) -> list[tuple[str, int]]:
    """The parts of a page's rows: what heads each of them, and how many rows it has."""
    places = [n for n, column in enumerate(report.columns) if column.name in report.parts]
    told = (" · ".join(shown.cell(report.columns[n].kind, row[n]) for n in places if row[n]) for row in rows)
    return [(heading, len(list(part))) for heading, part in groupby(told)] if places else []


def _file(report: Report, result: ReportResult, site: Site) -> Iterator[str]:
    """Rows of an export, up to its limit; the last one says that there are more."""
    for number, line in enumerate(output.as_csv(report, result, site)):
        if number > ROWS_MAX:
            yield f"{MORE}\r\n"
            return
        yield line


def _first(result: ReportResult) -> Iterator[tuple[Cell, ...]]:
    """The first rows; that there are more is a problem of the file."""
    for number, row in enumerate(result.rows):
        if number == ROWS_MAX:
            result.problems.append(MORE)
            return
        yield row


def answered(question: bytes) -> bytes:
    """The encoded reply, made in a process and over a connection of its own."""
    asked = msgspec.json.decode(question, type=ReportCall)
    try:
        with closing(open_reader(asked.url)) as ledger:
            told = reply_to(ledger, asked)
    except LedgerError as error:
        said = Sentence("the ledger cannot be read: {reason}", reason=str(error))
        told = WorkerReply(WorkerRefusal.of(Code.LEDGER, said))
    return msgspec.json.encode(told)


if __name__ == "__main__":
    worker_limits.answer(answered)
