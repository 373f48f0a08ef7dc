"""What alarmed, and when was it over? Every alarm that the journal holds (T3, S6, S9, L11)."""

from collections.abc import Iterator, Mapping
from heapq import merge
from typing import Any, Final

from jackpot.books.days import Span, periods, wanted_span
from jackpot.books.doings import reason
from jackpot.books.entries import Entry, counting, of_kinds, refused
from jackpot.books.names import Names
from jackpot.books.report import Cell, Column, Found, Report, Wanted
from jackpot.ledger.reading import Reader
from jackpot.rules.acts.devices import DeviceBlocked, DeviceCleared, KeyEnded
from jackpot.rules.acts.hits import Undone
from jackpot.rules.acts.links import Resumed, Suspended
from jackpot.rules.acts.people import LockedOut, Recovered
from jackpot.rules.acts.rounds import Struck
from jackpot.rules.acts.witness import BehindConfirmed, BehindOver, FoundBehind
from jackpot.rules.events import Closed, Locked, Refused, Settled, Voided, Wagered
from jackpot.rules.money import to_cents

COLUMNS: Final = (
    Column("bank"),
    Column("row", "count"),
    Column("at", "moment"),
    Column("alarm"),
    Column("where", help="a table, a device or links"),
    Column("what"),
    Column("who", help="whose act it was, where people made or ended it"),
)

_KINDS: Final = tuple(
    event.kind
    for event in (
        FoundBehind, BehindConfirmed, BehindOver, DeviceBlocked, DeviceCleared, KeyEnded, Suspended, Resumed,
        Undone, Struck, Voided, LockedOut, Recovered,
    )
)  # fmt: skip
# Refusals that alarm; every other one is a mistake of one command.
_ALARMING: Final = ("unreasonable", "internal")


def find(ledger: Reader, wanted: Wanted) -> Found:
    """Every alarm of the gaming days, and what ended it, the oldest first. Raises LedgerError."""
    spans = {bank: wanted_span(ledger, bank, wanted) for bank in wanted.banks}
    rows = (row for bank, days in spans.items() for row in _rows(ledger, Names(ledger, bank), days))
    return Found(periods(spans), rows, [])


def _rows(ledger: Reader, names: Names, days: Span) -> Iterator[tuple[Cell, ...]]:
    rows = (names.bank, days.after, days.upto)
    acts = of_kinds(ledger, names.bank, _KINDS, days.after, days.upto)
    for entry in merge(acts, refused(ledger, *rows), counting(ledger, *rows)):
        event: Any = entry.event
        told = _of_table(names, entry, event) or _told(names, entry, event)
        if told is not None:
            yield names.bank, entry.seq, entry.at, *told, names.who(getattr(event, "people", None))


def _of_table(names: Names, entry: Entry, event: Any) -> tuple[str, str, str] | None:
    """(alarm, where, what) of a table's own frame; None where it alarmed nobody."""
    table = names.table(entry.table)
    match event:
        case Refused() if event.code in _ALARMING:
            return event.code, table, event.message
        case Wagered() | Locked() if event.locking is not None and event.locking.accepted:
            chips, ours = event.locking.chips, event.locking.accepted
            return "chip_mismatch", table, _counts(names, event.round, chips, ours)
        case Settled() | Closed() if event.closing is not None and event.closing.ours:
            counts, ours = event.closing.counts, event.closing.ours
            return "count_mismatch", table, _counts(names, event.round, counts, ours)
    return None


def _told(names: Names, entry: Entry, event: Any) -> tuple[str, str, str] | None:
    """(alarm, where, what) of any other entry; None where it alarmed nobody."""
    match event:
        case FoundBehind():
            bank = "; the bank was suspended" if event.suspends else ""
            what = f"it has answers up to {event.acked} that the ledger lacks{bank}"
            return "ledger_behind", names.table(event.table), what
        case BehindConfirmed():
            what = f"believed: {event.missing} answers are lost" if event.believed else "not believed"
            return "ledger_behind over", names.table(event.table), f"{what}: {event.reason}"
        case BehindOver():
            return "ledger_behind over", names.table(event.table), f"it says {event.acked} now"
        case DeviceBlocked():
            return "device_conflict", f"{event.role} {event.device}", "two devices use one key"
        case DeviceCleared():
            return "device_conflict over", f"{event.role} {event.device}", "it may greet again"
        case KeyEnded():
            return "key_ended", f"{event.role} {event.device}", f"key {event.fingerprint}"
        case LockedOut():
            return "person_locked_out", f"person {event.person}", f"{event.failures} failures"
        case Recovered():
            return "admin_recovered", f"person {event.id}", "an admin was made where no server ran"
        case Suspended() | Resumed():
            alarm = "suspended" if isinstance(event, Suspended) else "suspended over"
            cause = f"{event.reason}: {reason(event)}" if event.note else event.reason
            return alarm, " ".join(map(names.link, event.links)), cause
        case Undone() | Struck() | Voided() if event.recomputed.left:
            left = ", ".join(f"A{number}: {_plain(more)}" for number, more in event.recomputed.left)
            return "left_on_meter", f"row {entry.seq}", f"paid awards would have been worth more: {left}"
    return None


def _counts(names: Names, round_: str, theirs: Mapping[int, int], ours: Mapping[int, int]) -> str:
    said = [
        f"{names.link(link)} {theirs.get(link, 'none')} at the table, {count} here"
        for link, count in ours.items()
    ]
    return f"round {round_}: {', '.join(said)}"


def _plain(micros: int) -> str:
    cents = to_cents(micros)
    return f"{cents // 100}.{cents % 100:02}"


REPORT: Final = Report(
    "alarms",
    "Alarms",
    "What alarmed, where, and when was it over? Counts of chips and wagers that differ, tables that say the "
    "ledger lost answers, unreasonable rounds, errors, devices that share a key, links that were suspended.",
    COLUMNS,
    ("days",),
    find,
    "--from 2026-11-01",
)
