"""Report of each table's wagers, one by one, and of those taken back."""

from collections.abc import Iterator
from heapq import merge
from typing import Final

from jackpot.ledger.reading import Reader
from jackpot.reports.read.entries import Entry, counting, must_be_here, of_kinds, wagers_before
from jackpot.reports.read.gaming_days import EntrySpan, periods, wanted_span
from jackpot.reports.read.names import JournalNames
from jackpot.reports.report import (
    Cell,
    NamedId,
    Report,
    ReportColumn,
    ReportProblem,
    ReportRequest,
    ReportResult,
    must_know_table,
)
from jackpot.rules.acts.rounds import Struck
from jackpot.rules.events import Voided, Wagered, Withdrawn
from jackpot.rules.state import Placed
from jackpot.text import Sentence

COLUMNS: Final = (
    ReportColumn("bank", spare=True),
    ReportColumn("row", "count", spare=True),
    ReportColumn("at", "moment"),
    ReportColumn("table"),
    ReportColumn("number", "count", "of the table's frame; none where people took it back", always=True),
    ReportColumn("round"),
    ReportColumn("what", "word"),
    ReportColumn("seat", "count"),
    ReportColumn("on", "word", "whose hand", spare=True),
    ReportColumn("link"),
    ReportColumn("wagered", "sum", "what it came to, less where it was taken back", total=True),
)
# Whose hand a wager is on.
_DEALER: Final = NamedId("dealer", Sentence("Dealer"))
_PLAYER: Final = NamedId("player", Sentence("Player"))
# The frames and acts that make wagers and take them back.
_FRAMES: Final = frozenset({Wagered.kind, Withdrawn.kind, Voided.kind})
_ACTS: Final = (Voided.kind, Struck.kind)


def find(ledger: Reader, request: ReportRequest) -> ReportResult:
    """Every wager of the gaming days. Raises ReportRefused, LedgerError."""
    named = {bank: JournalNames(ledger, bank) for bank in request.banks}
    must_know_table(request, (terms.table for names in named.values() for terms in names.tables.values()))
    spans = {bank: wanted_span(ledger, bank, request) for bank in named}
    for bank, days in spans.items():
        must_be_here(ledger, bank, days.after)
    problems: list[ReportProblem] = []
    rows = (
        row for bank, names in named.items() for row in _rows(ledger, request, names, spans[bank], problems)
    )
    return ReportResult(periods(spans), rows, problems)


def _rows(
    ledger: Reader,
    request: ReportRequest,
    names: JournalNames,
    days: EntrySpan,
    problems: list[ReportProblem],
) -> Iterator[tuple[Cell, ...]]:
    for table, entry, event in _moves(ledger, names.bank, days.after, days.upto):
        if request.table not in (None, names.table(table)):
            continue
        sign, what, bets = 1, "wagered", list[Placed]()
        match event:
            case Wagered(bets=bets):
                pass
            case Withdrawn(bets=bets):
                sign, what = -1, "withdrawn"
            case Struck(bet=bet):
                sign, what, bets = -1, "struck", [bet]
            case Voided(round=round_):
                sign, what = -1, "void"
                standing = _standing(ledger, names, table, round_, entry.seq)
                if standing is None:
                    problems.append(_lacking(entry.seq, round_))
                bets = [bet for bet in standing or () if bet.link not in event.settles]
        for bet in bets:
            terms = names.links[bet.link]
            if request.link in (None, terms.link):
                yield (
                    names.bank, entry.seq, entry.at, names.table(table), entry.table_seq, event.round, what,
                    bet.seat, _DEALER if bet.dealer else _PLAYER, terms.link, sign * bet.wagered(terms),
                )  # fmt: skip


def _moves(
    ledger: Reader, bank: str, after: int, upto: int
) -> Iterator[tuple[int, Entry, Wagered | Withdrawn | Voided | Struck]]:
    """Events that made or took back wagers, each with its table's number; also rounds without a wager."""
    frames = (entry for entry in counting(ledger, bank, after, upto) if entry.kind in _FRAMES)
    for entry in merge(frames, of_kinds(ledger, bank, _ACTS, after, upto)):
        event = entry.event
        if isinstance(event, Voided | Struck):
            yield event.table, entry, event
        elif isinstance(event, Wagered | Withdrawn) and entry.table is not None:
            yield entry.table, entry, event


def _standing(
    ledger: Reader, names: JournalNames, table: int, round_: str, before: int
) -> list[Placed] | None:
    """The wagers of a round just before that entry; None where nothing of it is here.

    A table's frames with wagers of one round follow each other. Of a round that began before an archive's
    cut, the state there has them.
    """
    cut, first, since_cut = names.rounds.after, 0, True
    for seq, wagered in wagers_before(ledger, names.bank, table, before, cut):
        if wagered.round == round_:
            first = seq
        elif first:
            since_cut = False
            break
    bets = list[Placed]()
    archived = names.rounds.find(table, round_) if since_cut else None
    if archived is not None and (not first or archived.state != "closed"):
        first, bets = cut + 1, list(archived.bets)
    if not first:
        return None
    for whose, _, event in _moves(ledger, names.bank, first - 1, before - 1):
        if (whose, event.round) != (table, round_):
            continue
        match event:
            case Wagered(bets=more):
                bets += more
            case Withdrawn(bets=less):
                bets = [bet for bet in bets if bet not in less]
            case Struck(bet=one):
                bets.remove(one)
            case Voided():
                bets = [bet for bet in bets if bet.link in event.settles]
    return bets


def _lacking(row: int, round_: str) -> ReportProblem:
    return ReportProblem(
        "round_not_here", "row {row}: the wagers of round {round} are not here", row=row, round=round_
    )


REPORT: Final = Report(
    "wagers",
    "Wagers one by one",
    "Which wagers did each table make, one by one, and which were taken back? To compare with the log of the "
    "table, by the numbers of its frames.",
    COLUMNS,
    ("days", "table", "link"),
    find,
    "--table T03 --from 2026-11-20 --to 2026-11-20",
)
