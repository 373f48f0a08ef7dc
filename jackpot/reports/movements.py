"""Reports of the rows behind the director's sums: changes of awards, and what the house put on meters.

The oldest come first.
"""

from collections.abc import Iterator
from typing import Final

from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import SUM_ROWS
from jackpot.reports.bonus_book import AwardMove, award_moves
from jackpot.reports.read.entries import asked, must_be_here
from jackpot.reports.read.gaming_days import EntrySpan, periods, wanted_span
from jackpot.reports.read.names import JournalNames
from jackpot.reports.read.scope import Scope, must_be_there
from jackpot.reports.read.shifts import shift_of
from jackpot.reports.report import Cell, Report, ReportColumn, ReportRequest, ReportResult
from jackpot.rules import registry
from jackpot.rules.acts.banks import BankBegun, BankClosed

AWARDS: Final = (
    ReportColumn("bank"),
    ReportColumn("row", "count", spare=True),
    ReportColumn("at", "moment"),
    ReportColumn("shift", spare=True),
    ReportColumn("link"),
    ReportColumn("table"),
    ReportColumn("hit"),
    ReportColumn("award", spare=True),
    ReportColumn("hand", "word"),
    ReportColumn("paid_from", "word", "a meter, or the house: odds, envy or a draw"),
    ReportColumn("what", "word", "won, or what was done with it later"),
    ReportColumn("amount", "sum", "what it came to, or by how much that changed", total=True),
    ReportColumn("stake", "sum", "returned besides at odds of N to 1, or kept again", total=True, spare=True),
)
SEEDS: Final = (
    ReportColumn("bank"),
    ReportColumn("row", "count"),
    ReportColumn("at", "moment"),
    ReportColumn("link"),
    ReportColumn("level", "word"),
    ReportColumn("what", "word", "the entry that moved it"),
    ReportColumn("amount", "sum", "from the house onto the meter; back to it with a minus", total=True),
)

# What a joined bank began with was the house's in the banks before it, and is told there.
_CARRIED: Final = f"{BankBegun.kind}, {BankClosed.kind}"
_BY_HOUSE: Final = f"""
    SELECT posting.seq, at, kind, posting.link, level, -house
    FROM posting JOIN journal ON journal.bank = posting.bank AND journal.seq = posting.seq
    WHERE posting.bank = ?1 AND posting.seq > ?2 AND posting.seq <= ?3 AND level > 0 AND house <> 0
        AND kind NOT IN ({_CARRIED})
    ORDER BY posting.seq, posting.link, level
"""  # noqa: S608


def find_awards(ledger: Reader, request: ReportRequest) -> ReportResult:
    """Every change of an award in the gaming days. Raises ReportRefused, LedgerError."""
    named, spans = _spans(ledger, request)
    rows = (row for names in named for row in _awards(ledger, request, names, spans[names.bank]))
    return ReportResult(periods(spans), rows, [])


def find_seeds(ledger: Reader, request: ReportRequest) -> ReportResult:
    """Every sum between the house and a meter in the gaming days. Raises ReportRefused, LedgerError."""
    named, spans = _spans(ledger, request)
    for bank, days in spans.items():
        must_be_here(ledger, bank, days.after)
    rows = (row for names in named for row in _seeds(ledger, request, names, spans[names.bank]))
    return ReportResult(periods(spans), rows, [])


def _spans(ledger: Reader, request: ReportRequest) -> tuple[list[JournalNames], dict[str, EntrySpan]]:
    named = [names for bank in request.banks if (names := JournalNames(ledger, bank)).links]
    must_be_there(request, named)
    return named, {names.bank: wanted_span(ledger, names.bank, request) for names in named}


def _awards(
    ledger: Reader, request: ReportRequest, names: JournalNames, days: EntrySpan
) -> Iterator[tuple[Cell, ...]]:
    scope = Scope(request, names)
    found = [
        move
        for move in award_moves(ledger, names, days.after, days.upto)
        if scope.has(move.award.link, move.story.hit.table, move.at)
    ]
    for move in sorted(found, key=_order):
        hit, award = move.story.hit, move.award
        if move.micros or move.counts:
            yield (
                names.bank, move.seq, move.at, shift_of(move.at, request.site), names.link(award.link),
                names.table(hit.table), f"H{hit.number}", f"A{award.number}", hit.hand,
                names.level(award.link, award.level) if award.level else award.kind, move.step, move.micros,
                move.stake,
            )  # fmt: skip


def _order(move: AwardMove) -> tuple[int, int]:
    return move.seq, move.award.number


def _seeds(
    ledger: Reader, request: ReportRequest, names: JournalNames, days: EntrySpan
) -> Iterator[tuple[Cell, ...]]:
    scope = Scope(request, names)
    for start in range(days.after, days.upto, SUM_ROWS):
        found = asked(ledger, names.bank, _BY_HOUSE, start, min(days.upto, start + SUM_ROWS))
        for seq, at, kind, link, level, micros in found:
            if scope.has_link(link):
                yield (
                    names.bank, seq, at, names.link(link), names.level(link, level),
                    registry.name_of(kind), int(micros),
                )  # fmt: skip


REPORTS: Final = (
    Report(
        "awards",
        "Awards as they count",
        "Which awards make up what was paid? Each counts when it is won, paid or not; what is raised, "
        "corrected or undone later counts then.",
        AWARDS,
        ("days", "month", "link", "table", "game", "shift"),
        find_awards,
        "--month 2026-11 --table T03",
    ),
    Report(
        "seeds",
        "Seeds and reseeds",
        "Which sums did the house put onto meters, and which came back to it?",
        SEEDS,
        ("days", "month", "link"),
        find_seeds,
        "--month 2026-11 --link floor-five",
    ),
)
