"""Reports as pages, as pages to print, and as CSV or JSON; every report of the registry."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

import msgspec
from aiohttp import hdrs, web
from msgspec.structs import replace
from multidict import istr

from jackpot.api.operation import NotDone
from jackpot.api.queries.hits import sees_papers
from jackpot.api.worker_pool import WorkerPool, WorkerTimeout, refused_by
from jackpot.auth.auth_service import AuthenticatedPerson
from jackpot.clock import Clock
from jackpot.config import Config, level_titles_of, titles_of
from jackpot.ledger.store import LedgerError
from jackpot.reports import worker
from jackpot.reports.read.reader import LedgerReader
from jackpot.reports.read.shifts import shifts_of
from jackpot.reports.registry import REPORTS
from jackpot.reports.report import GROUPS, Report
from jackpot.reports.worker import ROWS_MAX, Form
from jackpot.rules.codes import Code
from jackpot.runtime.errors import ServerError
from jackpot.text import RefusalSentence
from jackpot.web.http_connection import while_there
from jackpot.web.pages_base import SAID, PageRenderer
from jackpot.web.table_order import SORT, order_of

# The longest cycle of a floor takes so long to read: some ten million entries of a year.
REPORT_WITHIN_S: Final = 30.0
# Reports at once: on two processors one is left to the tables, which go first.
AT_ONCE: Final = 2
# Reports of one person that wait, or are worked at: a page, its file, and as many in another window.
WAITING_EACH: Final = 4
# Of all people.
WAITING_MAX: Final = 16
# Digits of how many rows to skip.
DIGITS_MAX: Final = 6
# The fields of a form, by what a report may be asked with.
ASKED: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "day": (("day", "Gaming day"),),
    "days": (("first", "From the gaming day"), ("last", "To the gaming day")),
    "month": (("month", "Month"),),
    "by": (("by", "A row for each"),),
    "group": (("group", "A row for each"),),
    "game": (("game", "Game"),),
    "shift": (("shift", "Shift"),),
    "hit": (("hit", "Hit"),),
    "seat": (("seat", "Seat"),),
    "table": (("table", "Table"),),
    "link": (("link", "Link"),),
    "drop": (),
    "archive": (),
}
# Files that a report leaves as.
_FILES: Final = {"csv": "text/csv", "json": "application/json"}
# A page to print has its style within, and nothing else.
_POLICY: Final = istr("Content-Security-Policy")
_PRINTED: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'self'"
)


def readers() -> WorkerPool:
    """The worker pool that reads reports."""
    return WorkerPool(
        "jackpot.reports.worker",
        "the reader of reports",
        each_max=WAITING_EACH,
        total_max=WAITING_MAX,
        at_once=AT_ONCE,
        told=("PG",),  # of PostgreSQL's client, as the server itself reads the ledger
    )


class Reports:
    """Serves the reports.

    papers: where the papers of one hit are read, without which nobody is paid. readers: the workers that read
    the others, so that nobody waits for somebody's long report, and least of all the tables.
    """

    def __init__(
        self, make: PageRenderer, papers: LedgerReader, readers: WorkerPool, config: Config, clock: Clock
    ) -> None:
        self._make = make
        self._papers = papers
        self._readers = readers
        self._url = config.ledger.url
        self._site = config.site
        self._titles = titles_of(config.displays)
        self._levels = level_titles_of(config.displays)
        self._banks = config.banks
        self._games = sorted({table.game for table in config.tables})
        self._clock = clock

    async def all(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """The list of reports."""
        return await self._make.page(request, person, "ops/reports.html", reports=REPORTS.values())

    async def ask(
        self,
        request: web.Request,
        report: Report,
        person: AuthenticatedPerson,
        fields: dict[str, str],
        form: Form,
    ) -> worker.WorkerReply:
        """A report's content in that form. fields: those of its form. Raises BadRequest, NotDone."""
        return await self._told(
            request, report, replace(self._call(request, report, fields), form=form), person
        )

    async def one(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """One report. as: "print", "csv" or "json", else a page to look at."""
        report = REPORTS.get(request.match_info["report"])
        if report is None:
            return await self._make.nowhere(request, person)
        if report.personal and not sees_papers([person]):
            raise NotDone(
                Code.NOT_ALLOWED,
                RefusalSentence("{who} may not read whom a payout names", field="by", who=person.login),
            )
        given = {name: value for name, value in request.query.items() if value}
        asked = self._call(request, report, given)
        match given.get("as"):
            case "csv" | "json" as form:
                told = await self._told(request, report, replace(asked, form=form), person)
                name = f'attachment; filename="{report.name}.{form}"'
                headers = {hdrs.CONTENT_DISPOSITION: name, hdrs.CACHE_CONTROL: "no-store"}
                return web.Response(text=told.text, content_type=_FILES[form], headers=headers)
            case "print":
                printed = replace(asked, form="print", now=self._clock.unix_ms())
                told = await self._told(request, report, printed, person)
                headers = {_POLICY: _PRINTED, hdrs.CACHE_CONTROL: "no-store"}
                return web.Response(text=told.text, content_type="text/html", headers=headers)
        shown, problem, order = None, "", order_of(request)
        if given.keys() - set(SAID) or "hit" not in report.options:
            try:
                shown = (
                    await self._told(
                        request, report, replace(asked, skip=_skipped(given), sort=order.asked), person
                    )
                ).shown
            except ServerError as error:
                problem = error.message
        fields = [field for option in report.options for field in ASKED[option]]
        field = problem.field if isinstance(problem, RefusalSentence) else ""
        said: dict[str, Any] = {
            "report": report,
            "shown": shown,
            "wrong_field": field if field in (*dict(fields), "bank") else "",
            "problem": problem,
            "order": order,
            "given": given,
            "fields": fields,
            "banks": self._banks,
            "groups": GROUPS,
            "games": self._games,
            "shifts": [shift.name for shift in shifts_of(self._site)],
        }
        said["sorted_query"] = urlencode({name: given[name] for name in given if name not in (*SAID, "skip")})
        said["query"] = urlencode({name: given[name] for name in given if name not in (*SAID, "skip", SORT)})
        return await self._make.page(request, person, "ops/report.html", **said)

    def _call(self, request: web.Request, report: Report, fields: dict[str, str]) -> worker.ReportCall:
        return worker.ReportCall(
            url=self._url,
            site=self._site,
            titles=self._titles,
            levels=self._levels,
            report=report.name,
            given=fields,
            language=self._make.language(request),
        )

    async def _told(
        self, request: web.Request, report: Report, asked: worker.ReportCall, person: AuthenticatedPerson
    ) -> worker.WorkerReply:
        """A report's content. Raises BadRequest, NotDone."""
        try:
            told = await self._read(request, report, asked, person)
        except LedgerError as error:
            raise NotDone(Code.LEDGER, str(error)) from error
        if told.refusal is not None:
            raise refused_by(told.refusal)
        return told

    async def _read(
        self, request: web.Request, report: Report, asked: worker.ReportCall, person: AuthenticatedPerson
    ) -> worker.WorkerReply:
        """Reads papers of a hit in the server, and other reports in a worker. Raises LedgerError, NotDone."""
        if report.lines and "hit" in report.options:
            return await self._papers.read(lambda ledger: worker.reply_to(ledger, asked))
        try:
            asking = self._readers.ask(msgspec.json.encode(asked), person.id, REPORT_WITHIN_S)
            said = await while_there(request, asking)
        except WorkerTimeout as late:
            long = f"jackpot report {report.name} on the server's machine has all the time that it takes"
            raise NotDone(
                Code.LEDGER, RefusalSentence("there is too much to read for a page: {long}", long=long)
            ) from late
        return msgspec.json.decode(said, type=worker.WorkerReply)


def _skipped(fields: Mapping[str, str]) -> int:
    """How many rows come before this page; at most those of the file, for they are read each time."""
    text = fields.get("skip", "")
    return min(int(text), ROWS_MAX) if text.isascii() and text.isdigit() and len(text) <= DIGITS_MAX else 0
