"""Report of contributions by table and hour, summed by the database in short stretches."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from jackpot.ledger.reading import Reader
from jackpot.reports.read.entries import asked, must_be_here, of_kinds, wagers_before
from jackpot.reports.read.gaming_days import EntrySpan, hour, hour_began, periods, wanted_span
from jackpot.reports.read.names import JournalNames
from jackpot.reports.read.scope import Scope, must_be_there
from jackpot.reports.report import Cell, Report, ReportColumn, ReportRequest, ReportResult
from jackpot.rules.acts.rounds import Struck
from jackpot.rules.events import Voided

# The offset of every time zone is a multiple of this, so its hours are made of them.
QUARTER_MS: Final = 900_000
# Above every level's number.
ALL_LEVELS: Final = 1_000

COLUMNS: Final = (
    ReportColumn("bank"),
    ReportColumn("hour", help="by the site's clocks"),
    ReportColumn("table"),
    ReportColumn("link"),
    ReportColumn(
        "wagers", "count", "accepted, less those taken back in that hour; of an offer their sum alone"
    ),
    ReportColumn("wagered", "sum", "what they came to", total=True),
    ReportColumn("contributions", "sum", "what of it went to the meters", total=True),
)

_BY_FRAMES: Final = """
    SELECT min(at), "table", posting.link, level, -sum(wagers)
    FROM posting JOIN journal ON journal.bank = posting.bank AND journal.seq = posting.seq
    WHERE posting.bank = ?1 AND posting.seq > ?2 AND posting.seq <= ?3 AND level <= ?4
        AND wagers <> 0 AND table_seq IS NOT NULL
    GROUP BY {span}, "table", posting.link, level ORDER BY {span}, "table", posting.link, level
"""
# Kinds of a statement that are kept: a gaming day has two or three shifts, and some days have an end more.
_STATEMENTS_KEPT: Final = 16


class ContributionKey(NamedTuple):
    """Key of a sum. began: the hour's beginning, in unix milliseconds."""

    began: int
    table: int
    link: int


class Contributed(NamedTuple):
    """A table's contribution to a level, or one that it took back; at level 0 what it wagered on an offer
    (B1).

    at: a time within it. rated: an entry at which its rates held.
    """

    at: int
    table: int
    link: int
    level: int
    micros: int
    rated: int

    def wagers(self, names: JournalNames) -> int:
        """Number of wagers that put so much on a link's first level."""
        return self.micros // names.each(self.link, self.rated)


class HourSums:
    """Sums of one table, link and hour. offered: wagers on an offer. Sums are micro-dollars."""

    def __init__(self) -> None:
        self.wagers = self.contributions = self.offered = 0


def find(ledger: Reader, request: ReportRequest) -> ReportResult:
    """Every table, link and hour of the gaming days. Raises ReportRefused, LedgerError."""
    named = {bank: JournalNames(ledger, bank) for bank in request.banks}
    must_be_there(request, [*named.values()])
    spans = {bank: wanted_span(ledger, bank, request) for bank in request.banks}
    for bank, days in spans.items():
        must_be_here(ledger, bank, days.after)
    rows = (row for bank, names in named.items() for row in _rows(ledger, request, names, spans[bank]))
    return ReportResult(periods(spans), rows, [])


def _rows(
    ledger: Reader, request: ReportRequest, names: JournalNames, days: EntrySpan
) -> Iterator[tuple[Cell, ...]]:
    scope = Scope(request, names)
    hours: dict[ContributionKey, HourSums] = {}
    for start, end in names.stretches(days.after, days.upto):
        for each in contributed_by(ledger, names, start, end):
            if not scope.has(each.link, each.table, each.at):
                continue
            sums = hours.setdefault(
                ContributionKey(hour_began(each.at, request.site), each.table, each.link), HourSums()
            )
            if not each.level:
                sums.offered += each.micros
                continue
            sums.contributions += each.micros
            if each.level == 1:
                sums.wagers += each.wagers(names)
        last = max((key.began for key in hours), default=0)
        yield from _hour_rows(
            names, request, {key: hours.pop(key) for key in sorted(hours) if key.began < last}
        )
    yield from _hour_rows(names, request, dict(sorted(hours.items())))


def contributed_by(
    ledger: Reader,
    names: JournalNames,
    after: int,
    upto: int,
    upto_level: int = ALL_LEVELS,
    moments: Sequence[int] = (),
) -> Iterator[Contributed]:
    """Contributions of frames in a stretch without a change of terms, less what people took back.

    upto_level: 1 where the wagers are counted, which each level of a link has again. moments: what lies
    between two neighbours of these rising times is one sum; what lies before or after all of them, or
    everything if there are none, is a sum for each quarter of an hour.
    """
    values = (after, upto, upto_level, *moments)
    for at, table, link, level, micros in asked(ledger, names.bank, _by_frames(len(moments)), *values):
        yield Contributed(at, table, link, level, int(micros), upto)
    for entry in of_kinds(ledger, names.bank, (Voided.kind, Struck.kind), after, upto):
        event = entry.event
        for posting in ledger.sums(names.bank, entry.seq - 1, entry.seq):
            counts = posting.wagers and posting.level <= upto_level
            if counts and isinstance(event, Voided | Struck):
                rated = _wagered_at(ledger, names, posting.link, entry.seq, event)
                yield Contributed(entry.at, event.table, posting.link, posting.level, -posting.wagers, rated)


@lru_cache(_STATEMENTS_KEPT)
def _by_frames(moments: int) -> str:
    """The statement that sums up frames between so many moments, which are its last parameters."""
    quarter = f"at / {QUARTER_MS}"
    between = " ".join(
        f"WHEN at >= ?{number} AND at < ?{number + 1} THEN {4 - number}" for number in range(5, 4 + moments)
    )
    return _BY_FRAMES.format(span=f"CASE {between} ELSE {quarter} END" if between else quarter)


def _wagered_at(ledger: Reader, names: JournalNames, link: int, seq: int, event: Voided | Struck) -> int:
    """When a wager that people took back was made: a reopened round may be older than a change (L9, A11).

    While a round has wagers on a link, its rates stay. So any of its wagers there says which they were.
    """
    if not any(changed <= seq for changed, _ in names.before.get(link, ())):
        return seq
    for found, wagered in wagers_before(ledger, names.bank, event.table, seq, names.rounds.after):
        if wagered.round == event.round:
            return found
    round_ = names.rounds.find(event.table, event.round)
    made = () if round_ is None else zip(round_.bets, round_.seqs, strict=True)
    return next((at for bet, at in made if bet.link == link), names.rounds.after)


def _hour_rows(
    names: JournalNames, request: ReportRequest, hours: dict[ContributionKey, HourSums]
) -> Iterator[tuple[Cell, ...]]:
    for key, sums in hours.items():
        terms = names.links[key.link]
        wagers, wagered = sums.wagers, sums.wagers * terms.wager
        yield (
            names.bank, hour(key.began, request.site), names.table(key.table), names.link(key.link),
            None if terms.offer else wagers, sums.offered if terms.offer else wagered, sums.contributions,
        )  # fmt: skip


REPORT: Final = Report(
    "contributions",
    "Contributions by table and hour",
    "What did each table put on the meters, hour by hour? Wagers taken back count in the hour "
    "in which they were taken back.",
    COLUMNS,
    ("days", "month", "link", "table", "game", "shift"),
    find,
    "--from 2026-11-01 --to 2026-11-20",
)
