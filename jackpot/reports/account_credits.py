"""Report of awards to game accounts that nobody has confirmed as credited in time (P4)."""

from collections.abc import Iterator
from typing import Final

from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import read_to
from jackpot.reports.read.entries import one
from jackpot.reports.report import Cell, Fact, Report, ReportColumn, ReportRequest, ReportResult
from jackpot.rules.state import BankState
from jackpot.text import Sentence

COLUMNS: Final = (
    ReportColumn("bank"),
    ReportColumn("award"),
    ReportColumn("hit"),
    ReportColumn("link"),
    ReportColumn("table"),
    ReportColumn("seat", "count"),
    ReportColumn("won", "moment"),
    ReportColumn("hours", "count", "since then, to the newest entry of its bank"),
    ReportColumn("amount", "sum", total=True),
)
_HOUR_MS: Final = 3_600_000


def find(ledger: Reader, request: ReportRequest) -> ReportResult:
    """The awards that have waited longer than the site lets them, the oldest first. Raises LedgerError."""
    hours = request.site.credit_within_hours
    rows = (row for bank in request.banks for row in _rows(ledger, bank, request, hours * _HOUR_MS))
    return ReportResult([Fact("credited within", Sentence("{hours} hours", hours=hours))], rows, [])


def _rows(ledger: Reader, bank: str, request: ReportRequest, within_ms: int) -> Iterator[tuple[Cell, ...]]:
    head = ledger.head(bank)
    state: BankState = read_to(ledger, bank, head).state
    if not state.uncredited:
        return
    last = one(ledger, bank, head.seq)
    now = last.at if last is not None else 0
    for award, waits in sorted(state.uncredited.items(), key=lambda found: (found[1].at, found[0])):
        link = state.link(waits.link).terms.link
        if now - waits.at > within_ms and request.link in (None, link):
            yield (
                bank, f"A{award}", f"H{waits.hit}", request.link_cell(link),
                state.table(waits.table).terms.table, waits.seat, waits.at, (now - waits.at) // _HOUR_MS,
                waits.amount,
            )  # fmt: skip


REPORT: Final = Report(
    "credits",
    "Credits that are missing",
    "Which awards to game accounts has nobody confirmed as credited in time?",
    COLUMNS,
    ("link",),
    find,
    "--link floor-hand",
)
