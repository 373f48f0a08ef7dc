"""Reports of hits, of the time people took, and of envy bonuses, the newest first (S1, A5, A10)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from jackpot.ledger.reading import Reader
from jackpot.reports.read.gaming_days import EntrySpan, periods, wanted_span
from jackpot.reports.read.hits import AwardChange, HitStory, stories
from jackpot.reports.read.names import JournalNames
from jackpot.reports.report import Cell, Report, ReportColumn, ReportRequest, ReportResult
from jackpot.rules.acts.hits import Paid, Validated
from jackpot.rules.state import Award
from jackpot.text import joined, name_sentence

HITS: Final = (
    ReportColumn("bank"),
    ReportColumn("hit"),
    ReportColumn("made", "moment"),
    ReportColumn("link"),
    ReportColumn("level"),
    ReportColumn("table"),
    ReportColumn("seat", "count", "0: the dealer's hand", spare=True),
    ReportColumn("hand", "word"),
    ReportColumn("amount", "sum", "of its own awards that stand, with what was corrected", total=True),
    ReportColumn("envy", "sum", "what the hand earned others", total=True, spare=True),
    ReportColumn("status", "word"),
    ReportColumn("validated", "moment", spare=True),
    ReportColumn("validated_by", spare=True),
    ReportColumn("paid", "moment"),
    ReportColumn("paid_by", spare=True),
    ReportColumn("to_validation", "span", spare=True),
    ReportColumn("to_payment", "span", "from the hit on", spare=True),
)
ENVY: Final = (
    ReportColumn("bank"),
    ReportColumn("hit"),
    ReportColumn("award"),
    ReportColumn("made", "moment"),
    ReportColumn("link"),
    ReportColumn("table"),
    ReportColumn("hand", "word"),
    ReportColumn("for_seat", "count", "whose hand it was"),
    ReportColumn("to_seat", "count", "who is paid"),
    ReportColumn("amount", "sum", "what it comes to", total=True),
    ReportColumn("status", "word"),
    ReportColumn("paid", "moment"),
    ReportColumn("paid_by"),
)

# The status of a hit is that of the award that people have most to do with.
URGENT: Final = ("pending", "validated", "paid", "final", "undone")


def find_hits(ledger: Reader, request: ReportRequest) -> ReportResult:
    """Every hit that was made in the gaming days, as it stands now. Raises LedgerError."""
    spans = _spans(ledger, request)
    rows = (_hit(names, story) for names, story in _within(ledger, request, spans))
    return ReportResult(periods(spans), rows, [])


def find_envy(ledger: Reader, request: ReportRequest) -> ReportResult:
    """Every envy bonus of the hits that were made in the gaming days. Raises LedgerError."""
    spans = _spans(ledger, request)
    rows = (
        _envy(names, story, award)
        for names, story in _within(ledger, request, spans)
        for award in story.hit.awards
        if award.kind == "envy"
    )
    return ReportResult(periods(spans), rows, [])


def done(
    names: JournalNames, steps: Iterable[AwardChange], what: type[Validated] | type[Paid]
) -> tuple[int | None, str]:
    """When it was last done, in unix milliseconds, and by whom."""
    last: tuple[int | None, str] = None, ""
    for step in steps:
        if isinstance(step.event, what):
            last = step.at, names.who(step.event.people)
    return last


def _spans(ledger: Reader, request: ReportRequest) -> dict[str, EntrySpan]:
    return {bank: wanted_span(ledger, bank, request) for bank in request.banks}


def _within(
    ledger: Reader, request: ReportRequest, spans: dict[str, EntrySpan]
) -> Iterator[tuple[JournalNames, HitStory]]:
    for bank, days in spans.items():
        names = JournalNames(ledger, bank)
        for story in stories(ledger, bank):
            if story.hit.seq <= days.after:
                break
            if days.covers(story.hit.seq) and request.link in (None, names.link(story.hit.link)):
                yield names, story


def _hit(names: JournalNames, story: HitStory) -> tuple[Cell, ...]:
    hit = story.hit
    own = [award for award in hit.awards if award.kind != "envy"]
    envy = [award for award in hit.awards if award.kind == "envy"]
    steps = [step for award in own or envy for step in story.steps[award.number]]
    steps = sorted(steps, key=_order)
    validated, paid = done(names, steps, Validated), done(names, steps, Paid)
    levels = sorted({award.level for award in own if award.level})
    return (
        names.bank, f"H{hit.number}", hit.at, names.link(hit.link),
        joined(name_sentence(names.level(hit.link, level)) for level in levels), names.table(hit.table),
        hit.seat, hit.hand,
        worth(own), worth(envy), status(story), *validated, *paid,
        None if validated[0] is None else validated[0] - hit.at,
        None if paid[0] is None else paid[0] - hit.at,
    )  # fmt: skip


def _envy(names: JournalNames, story: HitStory, award: Award) -> tuple[Cell, ...]:
    hit = story.hit
    return (
        names.bank, f"H{hit.number}", f"A{award.number}", hit.at, names.link(award.link),
        names.table(hit.table), hit.hand, award.because, award.seat, worth([award]), award.status,
        *done(names, story.steps[award.number], Paid),
    )  # fmt: skip


def worth(awards: Iterable[Award]) -> int:
    """The sum of the awards that stand, in micro-dollars."""
    return sum(award.worth() for award in awards if award.stands())


def status(story: HitStory, awards: Sequence[Award] = ()) -> str:
    """One word for a hit, or for these awards of it."""
    if story.disputed:
        return "disputed"
    return min((award.status for award in awards or story.hit.awards), key=URGENT.index)


def _order(step: AwardChange) -> int:
    return step.seq


REPORTS: Final = (
    Report(
        "hits",
        "Hits and time to payment",
        "Which hits were there, what did they come to, how long until they were validated and paid? "
        "The newest first.",
        HITS,
        ("days", "link"),
        find_hits,
        "--from 2026-11-01",
    ),
    Report(
        "envy",
        "Envy bonuses",
        "What was paid to other players for a hand at their table? The newest first.",
        ENVY,
        ("days", "link"),
        find_envy,
        "--from 2026-11-01 --to 2026-11-20 --link floor-five",
    ),
)
