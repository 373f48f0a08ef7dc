"""Reconciliation of each meter over a gaming day: opening, movements, closing (S2, M4).

What moved is summed from the postings; what it opened and closed with is what two readings recorded. So
every line holds the one against the other, to the micro-dollar.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final, NamedTuple

from jackpot.ledger.banks import became, begun_with
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import SUM_ROWS
from jackpot.reports.contributions import contributed_by
from jackpot.reports.read.entries import must_be_here, of_kinds
from jackpot.reports.read.gaming_days import EntrySpan, ReadingRow, ends_in, read_before, wanted_span
from jackpot.reports.read.names import JournalNames, must_know
from jackpot.reports.report import (
    Cell,
    Fact,
    Report,
    ReportColumn,
    ReportProblem,
    ReportRefused,
    ReportRequest,
    ReportResult,
)
from jackpot.rules.acts.banks import BankBegun, BankClosed
from jackpot.rules.meter import Accounts
from jackpot.text import RefusalSentence, Sentence, both, joined

COLUMNS: Final = (
    ReportColumn("bank"),
    ReportColumn("link"),
    ReportColumn("level", "word", help="house: odds, envy and draws, which no meter pays"),
    ReportColumn("opening", "sum", "primary, reserve and overflow at the reading before", total=True),
    ReportColumn("contributions", "sum", "of the wagers, less what was taken back", total=True, spare=True),
    ReportColumn(
        "house", "sum", "seeds, reseeds, top-ups and make-goods, less returns", total=True, spare=True
    ),
    ReportColumn("corrections", "sum", "of the meter, by two people", total=True, spare=True),
    ReportColumn("transfers", "sum", "in, less out", total=True, spare=True),
    ReportColumn("joined", "sum", "carried over where banks were joined", total=True, spare=True),
    ReportColumn("awards", "sum", "less what was undone", total=True),
    ReportColumn("closing", "sum", "primary, reserve and overflow at the reading after", total=True),
    ReportColumn("difference", "sum", "what does not add up: nothing", total=True, always=True),
    ReportColumn("wagers", "count", "accepted, less those taken back", spare=True),
    ReportColumn("wagered", "sum", "what they came to", spare=True),
    ReportColumn("drop", "sum", "as it was counted (--drop)"),
    ReportColumn("over", "sum", "the drop, less what was wagered"),
)


class MeterLine(NamedTuple):
    """One level's gaming day, in micro-dollars. closing: None where the day has not ended."""

    opening: int
    moved: Accounts
    joined: int
    closing: int

    @property
    def difference(self) -> int:
        """What came in and did not leave, less the closing amount."""
        moved = self.moved
        came = self.opening - moved.house - moved.wagers - moved.corrections - moved.transfers + self.joined
        return came - moved.awards - self.closing


def find(ledger: Reader, request: ReportRequest) -> ReportResult:
    """Every level of every bank over one gaming day. Raises ReportRefused, LedgerError."""
    facts: list[Fact] = []
    problems: list[ReportProblem] = []
    parts = []
    names = {bank: JournalNames(ledger, bank) for bank in request.banks}
    must_know(names.values(), (*request.drops, *([request.link] if request.link else [])))
    elsewhere: list[Sentence] = []
    for bank in (one for one in request.banks if names[one].links):
        days = wanted_span(ledger, bank, request)
        if days.upto <= days.after and (told := _elsewhere(ledger, bank, request.last)):
            elsewhere.append(told)
            continue
        must_be_here(ledger, bank, days.after if days.opening else 0)  # otherwise its opening is summed
        facts.append(Fact(bank, _span_text(request.last, days, became(ledger, bank), ends_in(ledger, bank))))
        parts.append(partial(_lines, ledger, request, names[bank], days, problems))
    if elsewhere and not parts:
        raise ReportRefused("day_of_other_banks", "{banks}", field="day", banks=joined(elsewhere, "; "))
    return ReportResult(facts, (row for part in parts for row in part()), problems)


def _elsewhere(ledger: Reader, bank: str, day: str | None) -> RefusalSentence | None:
    """The bank to ask for where this one has nothing of that day, in words; None where it has."""
    if day is None:
        return None
    if day <= (read_before(ledger, bank) or ""):
        return RefusalSentence(
            "bank {bank} began after {day}, when {before} were joined: ask for those",
            template="day_before_join",
            bank=bank,
            day=day,
            before=both(begun_with(ledger, bank)),
        )
    if into := became(ledger, bank):
        return RefusalSentence(
            "bank {bank} ended before {day}: it became part of {into}: ask for that",
            template="day_after_join",
            bank=bank,
            day=day,
            into=into,
        )
    return None


def moved(ledger: Reader, bank: str, after: int, upto: int) -> dict[tuple[int, int], Accounts]:
    """(link, level) -> the sum of its postings; unmoved levels are left out. Each statement is short."""
    totals: dict[tuple[int, int], Accounts] = {}
    for start in range(after, upto, SUM_ROWS):
        for posting in ledger.sums(bank, start, min(upto, start + SUM_ROWS)):
            totals.setdefault((posting.link, posting.level), Accounts()).add(Accounts(*posting[3:]))
    return totals


def read_as(read: ReadingRow | None) -> Mapping[tuple[int, int], int]:
    """(link, level) -> primary, reserve and overflow in a reading."""
    meters = read.reading.meters if read else ()
    return {(link, level): primary + reserve + overflow
            for link, level, primary, reserve, overflow, *_ in meters}  # fmt: skip


def _span_text(day: str | None, days: EntrySpan, into: str, ends_in: str | None) -> Sentence:
    """The span of a line. Raises ReportRefused for a day that has no reading of its own.

    into: the bank that it became, if any. ends_in: the gaming day of its last rows then.
    """
    closing = days.closing
    if closing is not None and day not in (None, closing.reading.day):
        later = closing.reading.day
        raise _not_read(day, later)
    rows = days.rows()
    if closing is not None:
        return Sentence("gaming day {day}: {rows}", day=closing.reading.day, rows=rows)
    if day and ends_in not in (None, day):
        raise _not_read(day, ends_in)
    if day and into:
        said = "gaming day {day}: {rows}; then the bank became part of {into}"
        return Sentence(said, day=day, rows=rows, into=into)
    if day:
        return Sentence("gaming day {day}: {rows}; it has not ended", day=day, rows=rows)
    return Sentence("{rows}: since the first row, no gaming day has ended yet", rows=rows)


def _not_read(day: str | None, later: str | None) -> ReportRefused:
    """No reading of its own was taken for a gaming day; it is in that of a later one."""
    return ReportRefused(
        "day_without_reading",
        "no reading was taken for {day}; it is in that of {later}: ask for that day",
        field="day",
        day=day,
        later=later,
    )


def _lines(
    ledger: Reader,
    request: ReportRequest,
    names: JournalNames,
    days: EntrySpan,
    problems: list[ReportProblem],
) -> Iterator[tuple[Cell, ...]]:
    totals = moved(ledger, names.bank, days.after, days.upto)
    joined = joined_with(ledger, names.bank, days.after, days.upto)
    opening, closing = read_as(days.opening), read_as(days.closing)
    if days.after and days.opening is None:
        opening = {
            key: sum(then.values()[:3]) for key, then in moved(ledger, names.bank, 0, days.after).items()
        }
    for link, level in names.levels():
        key = (link, level)
        silent = key not in totals and key not in opening and key not in closing  # the level opened later
        if silent or request.link not in (None, names.link(link)):
            continue
        accounts, carried = totals.get(key, Accounts()), joined.get(key, Accounts())
        before = opening.get(key, 0)
        after = before + accounts.primary + accounts.reserve + accounts.overflow
        if days.closing is not None and level:
            after = closing.get(key, 0)
        over = carried.primary + carried.reserve + carried.overflow
        line = MeterLine(before, accounts.less(carried), over, after)
        if line.difference:
            problems.append(
                ReportProblem(
                    "meter_not_accounted",
                    "{link}.{level}: {micros} micro-dollars of the day are not accounted for; "
                    "jackpot verify says which row was changed",
                    link=names.link(link), level=names.level(link, level), micros=line.difference,
                )
            )  # fmt: skip
        if names.links[link].offer:
            drop = _drop_of(names, link, -line.moved.wagers, request.drops)
            yield (*_cells(names, key, line), None, *drop)
            continue
        wagers = _wagers(ledger, names, link, days, line) if level == 1 else None
        yield (*_cells(names, key, line), *_drop(names, key, wagers, request.drops))


def joined_with(ledger: Reader, bank: str, after: int, upto: int) -> dict[tuple[int, int], Accounts]:
    """What a joined bank began with, less what it handed on at its own end."""
    found: dict[tuple[int, int], Accounts] = {}
    for entry in of_kinds(ledger, bank, (BankBegun.kind, BankClosed.kind), after, upto):
        for posting in ledger.sums(bank, entry.seq - 1, entry.seq):
            found.setdefault((posting.link, posting.level), Accounts()).add(Accounts(*posting[3:]))
    return found


def _cells(names: JournalNames, key: tuple[int, int], line: MeterLine) -> tuple[Cell, ...]:
    link, level = key
    moved = line.moved
    return (
        names.bank, names.link(link), names.level(link, level), line.opening, -moved.wagers, -moved.house,
        -moved.corrections, -moved.transfers, line.joined, moved.awards, line.closing, line.difference,
    )  # fmt: skip


def _wagers(ledger: Reader, names: JournalNames, link: int, days: EntrySpan, line: MeterLine) -> int:
    """Number of wagers of a link, less those taken back; where its rates changed, by its readings."""
    if not names.before.get(link):
        return -line.moved.wagers // names.each(link)
    if days.closing is not None and (days.opening is not None or names.begun is None):
        return _counted(days.closing, link) - _counted(days.opening, link)
    return sum(
        each.wagers(names)
        for start, end in names.stretches(days.after, days.upto)
        for each in contributed_by(ledger, names, start, end)
        if (each.link, each.level) == (link, 1)
    )


def _counted(read: ReadingRow | None, link: int) -> int:
    """The number of wagers on a link in a reading."""
    meters = read.reading.meters if read else ()
    return next((wagers for of, level, *_, wagers, _ in meters if (of, level) == (link, 1)), 0)


def _drop(
    names: JournalNames, key: tuple[int, int], wagers: int | None, drops: Mapping[str, int]
) -> tuple[Cell, ...]:
    """Drop count of a link, reported once: wagers, their sum, the count, and the excess."""
    if wagers is None:
        return None, None, None, None
    return wagers, *_drop_of(names, key[0], wagers * names.links[key[0]].wager, drops)


def _drop_of(
    names: JournalNames, link: int, wagered: int, drops: Mapping[str, int]
) -> tuple[Cell, Cell, Cell]:
    """What was wagered on a link, its drop count, and the excess."""
    drop = drops.get(names.link(link))
    return wagered, drop, None if drop is None else drop - wagered


REPORT: Final = Report(
    "reconcile",
    "Daily progressive reconciliation",
    "Does each meter add up over a gaming day? What it opened with, what moved it, what it closed "
    "with, to the micro-dollar.",
    COLUMNS,
    ("day", "link", "drop"),
    find,
    "--day 2026-11-20 --drop floor-five=1250.00",
)
