"""What do the books say? Every report of the registry, as a page, as a page to print, and as CSV."""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import urlencode

from aiohttp import hdrs, web
from multidict import istr

from jackpot.books import output
from jackpot.books.days import day_fault
from jackpot.books.reader import Books
from jackpot.books.report import Found, Report, Unanswerable, Wanted, saying
from jackpot.books.reports import REPORTS
from jackpot.clock import Clock
from jackpot.config import Config
from jackpot.ledger.reading import Reader
from jackpot.ledger.store import CommitInDoubt, LedgerError
from jackpot.rules.codes import Code
from jackpot.server.asks.ask import BadRequest, NotDone
from jackpot.server.asks.hits import sees_papers
from jackpot.server.errors import ServerError
from jackpot.server.people import Person
from jackpot.web.front import SAID, Maker

# Rows of a page: on a phone each is a card of its own, and nobody scrolls through more of them.
ROWS_SHOWN: Final = 50
# Rows of a file from here: what is read within some seconds. The command makes longer ones.
ROWS_MOST: Final = 20_000
# Digits of how many rows to skip.
DIGITS_MOST: Final = 6
# The fields of a form, by what a report may be asked with.
ASKED: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "day": (("day", "Gaming day"),),
    "days": (("first", "From the gaming day"), ("last", "To the gaming day")),
    "hit": (("hit", "Hit"),),
    "seat": (("seat", "Seat"),),
    "link": (("link", "Link"),),
    "drop": (),
}
# A page to print has its style within, and nothing else.
_POLICY: Final = istr("Content-Security-Policy")
_PRINTED: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'self'"


T = TypeVar("T")


class Shown(NamedTuple):
    """A report as a page has it. columns: the title and the kind of each that says something.

    first: the number of its first row.

    before, after: the rows to skip for the page before this one and after it; None where there is none.
    """

    columns: list[tuple[str, str]]
    facts: list[tuple[str, str]]
    rows: list[list[str]]
    totals: list[str]
    problems: list[str]
    first: int
    before: int | None
    after: int | None


class Reports:
    """Answers for the reports.

    papers: where the papers of one hit are read, without which nobody is paid. long: where the others are.
    Each has a thread of its own, so no paper waits for somebody's long report.
    """

    def __init__(self, make: Maker, papers: Books, long: Books, config: Config, clock: Clock) -> None:
        self._make = make
        self._papers = papers
        self._long = long
        self._site = config.site
        self._titles = {link: display.title for link, display in config.displays.items()}
        self._clock = clock

    async def all(self, request: web.Request, person: Person) -> web.StreamResponse:
        """Which reports there are."""
        return await self._make.page(request, person, "ops/reports.html", reports=REPORTS.values())

    async def one(self, request: web.Request, person: Person) -> web.StreamResponse:
        """One report. as: "print" or "csv", else a page to look at."""
        report = REPORTS.get(request.match_info["report"])
        if report is None:
            raise web.HTTPNotFound(text="there is no such report\n")
        if report.personal and not sees_papers([person]):
            raise NotDone(Code.NOT_ALLOWED, f"by: {person.login} may not read whom a payout names")
        given = {name: value for name, value in request.query.items() if value}
        language = self._make.language(request)
        match given.get("as"):
            case "csv":
                lines = await self._read(report, given, lambda found: list(_file(report, found)))
                name = f'attachment; filename="{report.name}.csv"'
                headers = {hdrs.CONTENT_DISPOSITION: name, hdrs.CACHE_CONTROL: "no-store"}
                return web.Response(text="".join(lines), content_type="text/csv", headers=headers)
            case "print":
                now = self._clock.unix_ms()
                pieces = await self._read(
                    report,
                    given,
                    lambda found: list(output.as_html(report, _short(found), self._site, now, language)),
                )
                headers = {_POLICY: _PRINTED, hdrs.CACHE_CONTROL: "no-store"}
                return web.Response(text="".join(pieces), content_type="text/html", headers=headers)
        shown, problem, skip = None, "", _skipped(given)
        if given.keys() - set(SAID) or "hit" not in report.options:
            try:
                shown = await self._read(
                    report,
                    given,
                    lambda found: _shown(report, found, output.Shown(self._site, language), skip),
                )
            except ServerError as error:
                problem = str(error)
        fields = [field for option in report.options for field in ASKED[option]]
        asked: dict[str, Any] = {
            "report": report,
            "shown": shown,
            "problem": problem,
            "given": given,
            "fields": fields,
        }
        asked["query"] = urlencode({name: given[name] for name in given if name not in (*SAID, "skip")})
        return await self._make.page(request, person, "ops/report.html", **asked)

    async def _read(self, report: Report, given: Mapping[str, str], use: Callable[[Found], T]) -> T:
        """What becomes of a report, read next to the writer. Raises BadRequest, NotDone."""
        books = self._papers if report.lines else self._long
        try:
            return await books.read(lambda ledger: use(report.find(ledger, self._wanted(given, ledger))))
        except Unanswerable as error:
            raise BadRequest(str(error)) from error
        except CommitInDoubt as error:
            long = f"jackpot report {report.name} on the server's machine has all the time that it takes"
            raise NotDone(Code.LEDGER, f"there is too much to read for a page: {long}") from error
        except LedgerError as error:
            raise NotDone(Code.LEDGER, str(error)) from error

    def _wanted(self, given: Mapping[str, str], ledger: Reader) -> Wanted:
        banks = tuple(ledger.banks())
        if (bank := given.get("bank")) is not None and bank not in banks:
            raise Unanswerable(f"bank: {bank!r} is unknown; there is {' '.join(banks)}")
        for name in ("day", "first", "last"):
            if (day := given.get(name)) is not None and (fault := day_fault(day)):
                raise Unanswerable(f"{name}: {fault}")
        hit = given.get("hit", "H0")
        digits = hit.removeprefix("H")
        if not (hit.startswith("H") and digits.isascii() and digits.isdigit() and len(digits) <= 16):
            raise Unanswerable(f"hit: {hit!r} is no hit, such as H12")
        seat = given.get("seat", "0")
        if not (seat.isascii() and seat.isdigit() and len(seat) == 1):
            raise Unanswerable(f"seat: {seat!r} is no seat, such as 3")
        first, last = given.get("day", given.get("first")), given.get("day", given.get("last"))
        if first and last and first > last:
            raise Unanswerable(f"first: {first} is after {last}")
        chosen = (bank,) if bank else banks
        link, number = given.get("link"), int(digits)
        return Wanted(self._site, chosen, link, first, last, number, titles=self._titles, seat=int(seat))


def _skipped(given: Mapping[str, str]) -> int:
    """How many rows come before this page; those of the file at most, for they are read each time."""
    text = given.get("skip", "")
    return min(int(text), ROWS_MOST) if text.isascii() and text.isdigit() and len(text) <= DIGITS_MOST else 0


def _shown(report: Report, found: Found, shown: output.Shown, skip: int) -> Shown:
    totals = output.Totals(report, found)
    read = list(islice(totals, skip, skip + ROWS_SHOWN + 1))
    more, columns = len(read) > ROWS_SHOWN, saying(report, read[:ROWS_SHOWN])
    rows = [[shown.cell(report.columns[n].kind, row[n]) for n in columns] for row in read[:ROWS_SHOWN]]
    sums = ["" if n not in totals.sums else shown.cell("sum", totals.sums[n]) for n in columns]
    facts = [(shown.title(fact.name), shown.fact(fact)) for fact in found.facts]
    return Shown(
        [(shown.title(report.columns[n].name), report.columns[n].kind) for n in columns],
        facts,
        rows,
        sums if totals.columns and not more else [],
        [shown.say(problem) for problem in found.problems],
        skip + 1,
        max(0, skip - ROWS_SHOWN) if skip else None,
        skip + ROWS_SHOWN if more and skip < ROWS_MOST else None,
    )


def _short(found: Found) -> Found:
    return found._replace(rows=islice(found.rows, ROWS_MOST))


def _file(report: Report, found: Found) -> Iterator[str]:
    """No more lines than a file from here has; the last one says that there are more."""
    for number, line in enumerate(output.as_csv(report, found)):
        if number > ROWS_MOST:
            yield "there is more: jackpot report on the server's machine\r\n"
            return
        yield line
