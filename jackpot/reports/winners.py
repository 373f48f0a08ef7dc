"""Which hits were there, how long did people take, and what envy was paid? The newest first (S1, A5, A10)."""

from collections.abc import Iterable, Iterator
from typing import Final

from jackpot.ledger.reading import Reader
from jackpot.reports.read.gaming_days import Span, periods, wanted_span
from jackpot.reports.read.hits import Step, Story, stories
from jackpot.reports.read.names import Names
from jackpot.reports.report import Cell, Column, Found, Report, Wanted
from jackpot.rules.acts.hits import Paid, Validated
from jackpot.rules.state import Award
from jackpot.text import joined, named

HITS: Final = (
    Column("bank"),
    Column("hit"),
    Column("made", "moment"),
    Column("link"),
    Column("level"),
    Column("table"),
    Column("seat", "count", "0: the dealer's hand", spare=True),
    Column("hand", "word"),
    Column("amount", "sum", "of its own awards that stand, with what was corrected", total=True),
    Column("envy", "sum", "what the hand earned others", total=True, spare=True),
    Column("status", "word"),
    Column("validated", "moment", spare=True),
    Column("validated_by", spare=True),
    Column("paid", "moment"),
    Column("paid_by", spare=True),
    Column("to_validation", "span", spare=True),
    Column("to_payment", "span", "from the hit on", spare=True),
)
ENVY: Final = (
    Column("bank"),
    Column("hit"),
    Column("award"),
    Column("made", "moment"),
    Column("link"),
    Column("table"),
    Column("hand", "word"),
    Column("for_seat", "count", "whose hand it was"),
    Column("to_seat", "count", "who is paid"),
    Column("amount", "sum", "what it comes to", total=True),
    Column("status", "word"),
    Column("paid", "moment"),
    Column("paid_by"),
)

# The status of a hit is that of the award that people have most to do with.
URGENT: Final = ("pending", "validated", "paid", "final", "undone")


def find_hits(ledger: Reader, wanted: Wanted) -> Found:
    """Every hit that was made in the gaming days, as it stands now. Raises LedgerError."""
    spans = _spans(ledger, wanted)
    rows = (_hit(names, story) for names, story in _within(ledger, wanted, spans))
    return Found(periods(spans), rows, [])


def find_envy(ledger: Reader, wanted: Wanted) -> Found:
    """Every envy bonus of the hits that were made in the gaming days. Raises LedgerError."""
    spans = _spans(ledger, wanted)
    rows = (
        _envy(names, story, award)
        for names, story in _within(ledger, wanted, spans)
        for award in story.hit.awards
        if award.kind == "envy"
    )
    return Found(periods(spans), rows, [])


def done(names: Names, steps: Iterable[Step], what: type[Validated] | type[Paid]) -> tuple[int | None, str]:
    """When it was last done, in unix milliseconds, and by whom."""
    last: tuple[int | None, str] = None, ""
    for step in steps:
        if isinstance(step.event, what):
            last = step.at, names.who(step.event.people)
    return last


def _spans(ledger: Reader, wanted: Wanted) -> dict[str, Span]:
    return {bank: wanted_span(ledger, bank, wanted) for bank in wanted.banks}


def _within(ledger: Reader, wanted: Wanted, spans: dict[str, Span]) -> Iterator[tuple[Names, Story]]:
    for bank, days in spans.items():
        names = Names(ledger, bank)
        for story in stories(ledger, bank):
            if story.hit.seq <= days.after:
                break
            if days.covers(story.hit.seq) and wanted.link in (None, names.link(story.hit.link)):
                yield names, story


def _hit(names: Names, story: Story) -> tuple[Cell, ...]:
    hit = story.hit
    own = [award for award in hit.awards if award.kind != "envy"]
    envy = [award for award in hit.awards if award.kind == "envy"]
    steps = [step for award in own or envy for step in story.steps[award.number]]
    steps = sorted(steps, key=_order)
    validated, paid = done(names, steps, Validated), done(names, steps, Paid)
    levels = sorted({award.level for award in own if award.level})
    return (
        names.bank, f"H{hit.number}", hit.at, names.link(hit.link),
        joined(named(names.level(hit.link, level)) for level in levels), names.table(hit.table),
        hit.seat, hit.hand,
        worth(own), worth(envy), status(story), *validated, *paid,
        None if validated[0] is None else validated[0] - hit.at,
        None if paid[0] is None else paid[0] - hit.at,
    )  # fmt: skip


def _envy(names: Names, story: Story, award: Award) -> tuple[Cell, ...]:
    hit = story.hit
    return (
        names.bank, f"H{hit.number}", f"A{award.number}", hit.at, names.link(award.link),
        names.table(hit.table), hit.hand, award.because, award.seat, worth([award]), award.status,
        *done(names, story.steps[award.number], Paid),
    )  # fmt: skip


def worth(awards: Iterable[Award]) -> int:
    """What the awards that stand come to, in micro-dollars."""
    return sum(award.worth() for award in awards if award.stands())


def status(story: Story) -> str:
    """One word for a hit."""
    if story.disputed:
        return "disputed"
    return min((award.status for award in story.hit.awards), key=URGENT.index)


def _order(step: Step) -> int:
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
