"""Report of the rounds that were void: how many, by table, shift and cause (P5)."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from heapq import merge
from typing import Final, NamedTuple

from jackpot.ledger.reading import Reader
from jackpot.reports.read.entries import frames_of_kind, must_be_here, of_kind
from jackpot.reports.read.gaming_days import EntrySpan, periods, wanted_span
from jackpot.reports.read.names import JournalNames
from jackpot.reports.read.shifts import shift_of, shifts_of
from jackpot.reports.report import Cell, Report, ReportColumn, ReportRequest, ReportResult, must_know_table
from jackpot.rules.events import Voided
from jackpot.rules.void_causes import CAUSES, NO_CAUSE, sections
from jackpot.text import Sentence

COLUMNS: Final = (
    ReportColumn("bank", spare=True),
    ReportColumn("table"),
    ReportColumn("shift"),
    ReportColumn("cause", "word", help="the irregularity; none where nobody named one"),
    ReportColumn("sections", help="of the rules by which the table plays", spare=True),
    ReportColumn("rounds", "count", "void, or void but for Trips Wagers", always=True),
    ReportColumn("by_people", "count", "of these, not by the table"),
    ReportColumn("settled", "count", "of these, with Trips Wagers that were settled"),
)


class VoidKey(NamedTuple):
    """Key of a row. shift: its place in the gaming day. cause: "" where nobody named one."""

    table: str
    shift: int
    cause: str


def find(ledger: Reader, request: ReportRequest) -> ReportResult:
    """Counts of void rounds in the gaming days. Raises ReportRefused, LedgerError."""
    named = {bank: JournalNames(ledger, bank) for bank in request.banks}
    must_know_table(request, (terms.table for names in named.values() for terms in names.tables.values()))
    spans = {bank: wanted_span(ledger, bank, request) for bank in named}
    for bank, days in spans.items():
        must_be_here(ledger, bank, days.after)
    rows = (row for bank, names in named.items() for row in _rows(ledger, request, names, spans[bank]))
    return ReportResult(periods(spans), rows, [])


def _rows(
    ledger: Reader, request: ReportRequest, names: JournalNames, days: EntrySpan
) -> Iterator[tuple[Cell, ...]]:
    shifts = [shift.name for shift in shifts_of(request.site)]
    found = defaultdict[VoidKey, Counter[str]](Counter)
    games = {terms.table: terms for terms in names.tables.values()}
    by_tables = frames_of_kind(ledger, names.bank, Voided.kind, days.after, days.upto)
    by_people = of_kind(ledger, names.bank, Voided.kind, days.after, days.upto)
    for entry in merge(by_tables, by_people):
        event = entry.event
        if isinstance(event, Voided) and request.table in (None, names.table(event.table)):
            shift = shifts.index(shift_of(entry.at, request.site))
            counts = found[VoidKey(names.table(event.table), shift, event.cause)]
            counts["rounds"] += 1
            counts["by_people"] += entry.table is None
            counts["settled"] += bool(event.settles)
    for key in sorted(found):
        terms, counts = games[key.table], found[key]
        paytables = [one.paytable for one in names.links.values() if one.link in terms.links]
        cause = CAUSES.get(key.cause)
        yield (
            names.bank, key.table, shifts[key.shift], cause or Sentence(NO_CAUSE),
            sections(cause, terms.game, paytables) if cause else "",
            counts["rounds"], counts["by_people"], counts["settled"],
        )  # fmt: skip


REPORT: Final = Report(
    "voids",
    "Void rounds",
    "How many rounds were void, at which table, in which shift, and for which irregularity?",
    COLUMNS,
    ("days", "table"),
    find,
    "--from 2026-11-01 --to 2026-11-30",
)
