"""Which hits were ever made, and what became of them? As the journal says, by pages, the newest first.

Reading goes backwards: what people did with a hit comes later in the journal than the hit, so it is read
first. Two small indexes find these entries, however long the journal is.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final, Literal, NamedTuple

from jackpot.books.people import Called
from jackpot.ledger.reading import Conversation, Reader
from jackpot.rules import events, kinds
from jackpot.rules.acts.hits import Corrected, Paid, Undone, Validated
from jackpot.rules.state import Award, Hit

# Entries that one statement reads: a page of hits and what people did with them, in a few milliseconds.
ENTRIES: Final = 200
# Hits of one page: as many as a person looks at, and as an answer holds.
PAGE_MOST: Final = 100

# The key begins with the bank: +bank leaves the small indexes alone to both planners.
_FOUND: Final = """
    SELECT seq, at, kind, version, "table", body FROM journal WHERE bank = ?1 AND seq IN (
        SELECT seq FROM (
            SELECT DISTINCT seq FROM posting WHERE +bank = ?1 AND seq < ?2 AND wagers = 0
            ORDER BY seq DESC LIMIT ?3
        ) AS paid
        UNION
        SELECT seq FROM (
            SELECT seq FROM journal WHERE +bank = ?1 AND seq < ?2 AND kind IN (10, 11, 12, 13)
            ORDER BY seq DESC LIMIT ?3
        ) AS acted
    ) ORDER BY seq DESC LIMIT ?3
"""
_BEYOND: Final = 2**63 - 1

Entry = tuple[int, int, events.Event, int]
"""Its seq, when it was made (unix milliseconds), what it says, and the number of its table."""


class Done(NamedTuple):
    """What people did with awards of a hit. at: unix milliseconds."""

    what: Literal["validated", "paid", "undone", "corrected"]
    at: int
    awards: list[int]
    people: tuple[str, ...]
    reason: str = ""
    document: str = ""


class Step(NamedTuple):
    """What changed an award later. amount: its new sum in micro-dollars, if it has one. at: unix ms."""

    seq: int
    at: int
    what: str
    amount: int
    event: events.Event


class Story(NamedTuple):
    """A hit as it stands now. made: by award, the entry that made it. steps: by award, the oldest first."""

    hit: Hit
    made: dict[int, int]
    steps: dict[int, list[Step]]


class Page(NamedTuple):
    """before: where the next page begins; None where there are no older hits."""

    hits: list[Hit]
    before: int | None


def page(ledger: Reader, bank: str, before: int | None = None, limit: int = PAGE_MOST) -> Page:
    """The newest hits of a bank with a number below `before`, as they stand now. Raises LedgerError."""
    found = [story.hit for story in islice(stories(ledger, bank, before), limit + 1)]
    hits = sorted(found, key=lambda hit: hit.number, reverse=True)
    return Page(hits[:limit], hits[limit - 1].number if len(hits) > limit else None)


def stories(ledger: Reader, bank: str, before: int | None = None) -> Iterator[Story]:
    """Every hit with a number below `before`, the newest first, with all that became of it.

    What is remembered is what people did with hits that are still to come.
    """
    history = _History(before)
    for entry in _entries(ledger, bank):
        history.take(*entry)
        yield from history.made
        history.made.clear()


def done_with(ledger: Reader, bank: str, hit: int) -> list[Done]:
    """What people did with a hit, the newest first; empty for a hit that never was. Raises LedgerError."""
    found, called = [], Called.of(ledger)
    for _, at, event, _ in _entries(ledger, bank):
        match event:
            case Validated() | Paid() | Undone() | Corrected() if event.hit == hit:
                found.append(_done(at, event, called.said(event.people)))
            case events.Settled() | events.Closed() if any(
                made.number <= hit and not made.more for made in event.made.hits
            ):
                break
    return found


def _done(at: int, event: Validated | Paid | Undone | Corrected, names: tuple[str, ...]) -> Done:
    match event:
        case Validated(awards=awards):
            return Done("validated", at, awards, names)
        case Paid(awards=awards):
            return Done("paid", at, awards, names)
        case Undone(awards=awards):
            return Done("undone", at, awards, names, event.reason)
    return Done("corrected", at, [event.award], names, event.reason, event.document)


def _entries(ledger: Reader, bank: str) -> Iterator[Entry]:
    """All entries that made awards or acted on them, the newest first."""
    below = _BEYOND
    while True:
        found = ledger.ask(bank, lambda number, below=below: _asked(number, below))  # type: ignore[misc]
        for seq, at, kind, version, table, body in found:
            yield seq, at, kinds.decode(kind, version, body), table or 0
        if len(found) < ENTRIES:
            return
        below = found[-1][0]


def _asked(number: int, below: int) -> Conversation[list[Any]]:
    found = yield _FOUND, (number, below, ENTRIES)
    return list(found)


class _History:
    """Hits on the way back through the journal. made: those whose making was reached, and that are wanted."""

    def __init__(self, before: int | None) -> None:
        self.made: list[Story] = []
        self._before = before
        self._more: dict[int, list[tuple[int, Award]]] = {}
        self._steps: dict[int, list[Step]] = {}

    def take(self, seq: int, at: int, event: events.Event, table: int) -> None:
        """One entry, older than all that were taken before."""
        for award, amount in _raised(event):
            self._step(award, Step(seq, at, "raised", amount, event))
        match event:
            case Validated() | Paid() | Undone():
                for award in event.awards:
                    self._step(award, Step(seq, at, type(event).__name__.lower(), 0, event))
            case Corrected():
                self._step(event.award, Step(seq, at, "corrected", event.amount, event))
            case events.Settled() | events.Closed():
                for made in reversed(event.made.hits):
                    later = self._more.pop(made.number, [])
                    self._more[made.number] = [*((seq, award) for award in made.awards), *later]
                    if not made.more:
                        self._make(seq, at, event, table, made)

    def _make(
        self, seq: int, at: int, event: events.Settled | events.Closed, table: int, made: events.HitMade
    ) -> None:
        awards = self._more.pop(made.number)
        steps = {award.number: self._steps.pop(award.number, [])[::-1] for _, award in awards}
        hit = Hit(
            number=made.number,
            table=table,
            round=event.round,
            seat=made.seat,
            link=made.link,
            hand=made.hand,
            seq=seq,
            at=at,
            cycle=0,
            awards=[_as_it_stands(award, steps[award.number]) for _, award in awards],
            unverified=made.unverified,
        )
        if self._before is None or made.number < self._before:
            self.made.append(Story(hit, {award.number: entry for entry, award in awards}, steps))

    def _step(self, award: int, step: Step) -> None:
        self._steps.setdefault(award, []).append(step)


def _as_it_stands(award: Award, steps: list[Step]) -> Award:
    """An award with all that changed it since. The sum of a paid one never changes (A10, A11)."""
    for step in steps:
        if step.what not in ("raised", "corrected"):
            award.status = step.what  # type: ignore[assignment]  # the names of its events
        elif not award.settled():
            award.amount, award.status = step.amount, "pending"
        elif step.what == "corrected":
            award.difference = step.amount - award.amount
    return award


def _raised(event: events.Event) -> Iterable[tuple[int, int]]:
    """Awards that the event raised, each with its new sum (A11)."""
    made = getattr(event, "made", None)
    recomputed = getattr(event, "recomputed", None) if made is None else made.recomputed
    return () if recomputed is None else recomputed.raised
