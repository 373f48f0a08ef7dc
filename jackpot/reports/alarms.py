"""Report of alarms: who acknowledged each, and when it ended (T3, S6, S9, L11)."""

from collections.abc import Iterator
from heapq import merge
from typing import Any, Final

from jackpot.config.phrases import sentence
from jackpot.ledger.reading import Reader
from jackpot.reports.entry_text import Title, reason
from jackpot.reports.read.entries import Entry, counting, must_be_here, of_kinds, refused
from jackpot.reports.read.gaming_days import EntrySpan, periods, wanted_span
from jackpot.reports.read.names import JournalNames
from jackpot.reports.report import Cell, Report, ReportColumn, ReportRequest, ReportResult
from jackpot.rules import alarms
from jackpot.rules.acts.alarms import AlarmAcknowledged
from jackpot.rules.acts.cash import CashNoticed
from jackpot.rules.acts.conflict import SeqConflict
from jackpot.rules.acts.devices import DeviceBlocked, DeviceCleared, KeyEnded
from jackpot.rules.acts.hits import Corrected, Paid, Undone
from jackpot.rules.acts.links import Resumed, Suspended
from jackpot.rules.acts.lost_acks import BEHIND, BehindConfirmed, BehindOver, FoundBehind
from jackpot.rules.acts.people import Recovered
from jackpot.rules.acts.rounds import Struck
from jackpot.rules.acts.sessions import LockedOut
from jackpot.rules.events import Voided
from jackpot.text import Sentence, joined, name_sentence, several

COLUMNS: Final = (
    ReportColumn("bank"),
    ReportColumn("row", "count"),
    ReportColumn("at", "moment"),
    ReportColumn("alarm", "word"),
    ReportColumn("place", help="a table, a device or links"),
    ReportColumn("what"),
    ReportColumn("who", help="whose act it was, where people made or ended it"),
)

_KINDS: Final = tuple(
    event.kind
    for event in (
        FoundBehind, BehindConfirmed, BehindOver, DeviceBlocked, DeviceCleared, KeyEnded, Suspended, Resumed,
        Undone, Struck, Voided, LockedOut, Recovered, SeqConflict, AlarmAcknowledged, Paid, Corrected,
        CashNoticed,
    )
)  # fmt: skip


def find(ledger: Reader, request: ReportRequest) -> ReportResult:
    """Every alarm raised in the gaming days, and what ended it, the oldest first. Raises LedgerError."""
    spans = {bank: wanted_span(ledger, bank, request) for bank in request.banks}
    for bank, days in spans.items():
        must_be_here(ledger, bank, days.after)
    rows = (
        row
        for bank, days in spans.items()
        for row in _rows(ledger, JournalNames(ledger, bank), days, request.title)
    )
    return ReportResult(periods(spans), rows, [])


def entries(ledger: Reader, bank: str, after: int, upto: int) -> Iterator[Entry]:
    """All entries with after < seq <= upto that may have raised or ended an alarm, the oldest first."""
    acts = of_kinds(ledger, bank, _KINDS, after, upto)
    return merge(acts, refused(ledger, bank, after, upto), counting(ledger, bank, after, upto))


def _rows(ledger: Reader, names: JournalNames, days: EntrySpan, title: Title) -> Iterator[tuple[Cell, ...]]:
    for entry in entries(ledger, names.bank, days.after, days.upto):
        event: Any = entry.event
        who = names.who(getattr(event, "people", None))
        for kind, facts, said in alarms.raised(event, entry.table, names):
            place = names.people.name(facts["person"]) if "person" in facts else alarms.place(facts)
            what = "" if said is None else sentence(said)
            yield names.bank, entry.seq, entry.at, kind, place, what, who
        if (over := _ended_alarm(names, event, title)) is not None:
            yield names.bank, entry.seq, entry.at, *over, who


def _ended_alarm(names: JournalNames, event: Any, title: Title) -> tuple[str, str, str] | None:
    """(alarm, place, cause) of what ended one, or of a link stopped or a key revoked; else None."""
    match event:
        case AlarmAcknowledged():
            said = Sentence(
                "{alarm}, raised {times}", alarm=f"AL{event.alarm}", times=several(event.times, "time")
            )
            what = joined([said, event.remark], ": ") if event.remark else said
            return Sentence("{alarm} acknowledged", alarm=Sentence(event.what)), event.place, what
        case BehindConfirmed():
            what = Sentence("not believed")
            if event.believed:
                what = Sentence("believed: {count} answers are lost", count=event.missing)
            return _ended(BEHIND), _at_table(names, event.table), joined([what, event.reason], ": ")
        case BehindOver():
            return (
                _ended(BEHIND),
                _at_table(names, event.table),
                Sentence("it says {acked} now", acked=event.acked),
            )
        case DeviceCleared():
            return _ended("device_conflict"), _of_role(event), Sentence("it may greet again")
        case KeyEnded():
            return (
                "key_ended",
                _of_role(event),
                Sentence("key {fingerprint}", fingerprint=", ".join(event.keys)),
            )
        case Suspended() | Resumed():
            alarm = "suspended" if isinstance(event, Suspended) else _ended("suspended")
            cause = name_sentence(event.cause)
            why = joined([cause, reason(event)], ": ") if event.reason else cause
            return alarm, ", ".join(title(names.link(link)) for link in event.links), why
    return None


def _ended(alarm: str) -> Sentence:
    return Sentence("{alarm} over", alarm=Sentence(alarm))


def _at_table(names: JournalNames, table: int) -> Sentence:
    return Sentence("table {table}", table=names.table(table))


def _of_role(event: DeviceCleared | KeyEnded) -> Sentence:
    return Sentence("{role} {device}", role=Sentence(event.role), device=event.device)


REPORT: Final = Report(
    "alarms",
    "Alarms",
    "What alarmed, where, who acknowledged it, and when was it over? Counts of chips and wagers that differ, "
    "tables that say the ledger lost answers, unreasonable rounds, errors, devices that share a key, links "
    "that were suspended.",
    COLUMNS,
    ("days",),
    find,
    "--from 2026-11-01",
)
