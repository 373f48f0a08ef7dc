"""Reads the history of all hits from the journal, by pages, the newest first.

A small table indexes the entries that made or changed each hit, so the oldest is found as fast as the newest.
They are read backwards, because acts on a hit come later in the journal than the hit.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import dropwhile, islice
from typing import Any, Final, Literal, NamedTuple, get_args

from jackpot.ledger import papers
from jackpot.ledger.papers import Written, last_written
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import SUM_ROWS
from jackpot.ledger.store import LedgerCorrupt
from jackpot.reports.read.entries import BEYOND, asked, of_kinds
from jackpot.reports.read.people import PersonNames
from jackpot.rules import events, names, registry
from jackpot.rules.acts.act import outlived
from jackpot.rules.acts.disputes import Disputed, Lifted
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.acts.hits import Corrected, Paid, Undone, Validated
from jackpot.rules.acts.papers import PapersAdded, PapersErased
from jackpot.rules.state import UNPAID, Award, Hit

# Hits of one page: as many as a person looks at, and as an answer holds.
PAGE_MAX: Final = 100

_HITS: Final = """
    SELECT DISTINCT hit FROM hit_entry WHERE bank = ?1 AND hit < ?2 ORDER BY hit DESC LIMIT ?3
"""
_WITHIN: Final = "SELECT hit FROM hit_entry WHERE bank = ?1 AND seq > ?2 AND seq <= ?3"
_ENTRIES: Final = """
    SELECT seq, at, kind, version, "table", body FROM journal WHERE bank = ?1 AND seq IN (
        SELECT seq FROM hit_entry WHERE bank = ?1 AND hit >= ?2 AND hit <= ?3
    ) ORDER BY seq DESC
"""


# Facts of a payment that name nobody; the journal itself has them.
_PLAIN: Final = ("surveillance", "tax_form")
# Facts that name somebody: they lie next to the journal, and can be erased.
PERSONAL: Final = ("dealer", "witness", "patron", "tax_number")
# Placeholder for facts that were erased.
ERASED: Final = "erased"
# Placeholder for documents that are missing or do not match their entry, though nobody had them erased.
MISSING: Final = "missing"
# Entries that concern a hit's documents alone.
_OF_PAPERS: Final = (PapersAdded, PapersErased)
# Name of each act of people on a hit.
What = Literal["validated", "paid", "undone", "corrected", "disputed", "lifted", "added", "erased"]
_WHAT: Final[Mapping[type[events.Event], What]] = {
    Validated: "validated",
    Paid: "paid",
    Undone: "undone",
    Corrected: "corrected",
    Disputed: "disputed",
    Lifted: "lifted",
    PapersAdded: "added",
    PapersErased: "erased",
}


class PersonAct(NamedTuple):
    """An act of people on a hit, or on awards of it. at: unix milliseconds. facts: of `facts_of`.

    seat: whose papers were added to; 0 where it was not to those of one winner.
    """

    what: What
    at: int
    awards: list[int]
    people: tuple[str, ...]
    reason: str = ""
    document: str = ""
    facts: Mapping[str, str] = {}
    seat: int = 0


class AwardChange(NamedTuple):
    """A later change of an award. amount: its new sum in micro-dollars, if it has one. at: unix ms."""

    seq: int
    at: int
    what: str
    amount: int
    event: events.Event


class HitStory(NamedTuple):
    """A hit as it stands now. made: by award, the entry that made it. steps: by award, the oldest first.

    first: by award, what it came to when it was made, in micro-dollars. disputed: what waits of it is not
    paid until that is lifted.
    """

    hit: Hit
    made: dict[int, int]
    first: dict[int, int]
    steps: dict[int, list[AwardChange]]
    disputed: bool = False


class HitPage(NamedTuple):
    """One page of hits. before: where the next page begins; None where there are no older hits."""

    hits: list[Hit]
    before: int | None


def page(ledger: Reader, bank: str, before: int | None = None, limit: int = PAGE_MAX) -> HitPage:
    """The newest hits of a bank with a number below `before`, as they stand now. Raises LedgerError."""
    hits = [story.hit for story in islice(stories(ledger, bank, before, limit + 1), limit + 1)]
    return HitPage(hits[:limit], hits[limit - 1].number if len(hits) > limit else None)


def stories(
    ledger: Reader, bank: str, before: int | None = None, limit: int = PAGE_MAX
) -> Iterator[HitStory]:
    """Every hit with a number below `before`, the newest first, with its history.

    limit: so many are read at once.
    """
    below = BEYOND if before is None else before
    while found := [hit for (hit,) in asked(ledger, bank, _HITS, below, limit)]:
        below = found[-1]
        yield from _read(ledger, bank, found)


def stories_within(ledger: Reader, bank: str, after: int, upto: int) -> Iterator[HitStory]:
    """Every hit that an entry with after < seq <= upto made or changed, the newest first."""
    found = set[int]()
    for start in range(after, upto, SUM_ROWS):
        end = min(upto, start + SUM_ROWS)
        found.update(hit for (hit,) in asked(ledger, bank, _WITHIN, start, end))
    run = list[int]()
    for hit in sorted(found, reverse=True):
        if run and (hit + 1 != run[-1] or len(run) == PAGE_MAX):
            yield from _read(ledger, bank, run)
            run = []
        run.append(hit)
    yield from _read(ledger, bank, run) if run else ()


def _read(ledger: Reader, bank: str, hits: Sequence[int]) -> Iterator[HitStory]:
    """Histories of hits with consecutive numbers, the newest first."""
    history = _History()
    for seq, at, kind, version, table, body in asked(ledger, bank, _ENTRIES, hits[-1], hits[0]):
        history.take(seq, at, registry.decode(kind, version, body), table or 0)
    made = {story.hit.number: story for story in history.made}
    if not made.keys() >= set(hits):
        raise LedgerCorrupt(f"{bank}: hit_entry names a hit that no row made: jackpot verify says which row")
    yield from (made[hit] for hit in hits)


def story_of(ledger: Reader, bank: str, hit: int) -> HitStory | None:
    """One hit with its history; None where there is none. Raises LedgerError."""
    found = next(stories(ledger, bank, hit + 1, 1), None)
    return found if found is not None and found.hit.number == hit else None


def changes(first: int, steps: Iterable[AwardChange]) -> Iterator[tuple[AwardChange, int]]:
    """The changes of an award's amount, each as a difference. first: its first amount."""
    now = first
    for step in steps:
        if step.what in ("raised", "corrected", "undone"):
            yield step, step.amount - now
            now = step.amount


def done_with(ledger: Reader, bank: str, hit: int) -> list[PersonAct]:
    """Acts of people on a hit, the newest first; empty for a hit that never was. Raises LedgerError."""
    called = PersonNames.of(ledger)
    return [
        PersonAct(
            what,
            at,
            [event.award] if isinstance(event, Corrected) else getattr(event, "awards", []),
            called.said(event.people),
            getattr(event, "reason", ""),
            getattr(event, "document", ""),
            facts_of(ledger, event),
            getattr(event, "seat", 0),
        )
        for at, event in _events(ledger, bank, hit)
        if (what := _WHAT.get(type(event))) and _is_of(event, hit)
    ]


def written_on(ledger: Reader, bank: str, hit: int) -> list[Written]:
    """The entries that wrote on the hit's documents, the oldest first. Raises LedgerError."""
    return _written(_events(ledger, bank, hit), hit)[::-1]


def erased_marks(ledger: Reader, bank: str, hit: int) -> list[bytes]:
    """The digests of what people wrote on the hit's documents before it was erased. Raises LedgerError."""
    since = dropwhile(lambda one: not isinstance(one[1], PapersErased), _events(ledger, bank, hit))
    return _marks(since, hit)


def marks_of(ledger: Reader, bank: str, hit: int) -> list[bytes]:
    """The digests of all that people wrote on the hit's documents. Raises LedgerError."""
    return _marks(_events(ledger, bank, hit), hit)


def outlived_marks(
    ledger: Reader, bank: str, kept_days: int, at: int, waiting: Collection[int]
) -> list[bytes]:
    """The digests of expired documents: the newest of their hit's is that old. Raises LedgerError.

    waiting: hits that are not paid yet, whose papers stay. at: unix milliseconds.
    """
    left = papers.older(ledger, at - kept_days * DAY_MS)
    entries = of_kinds(ledger, bank, (kind.kind for kind in get_args(Written))) if left else ()
    written = [event for entry in entries if isinstance(event := entry.event, Written)]
    hits = {papers.hit_of(event) for event in written if event.paper in left}
    over = [hit for hit in hits - set(waiting) if outlived(last_written(ledger, bank, hit), kept_days, at)]
    return [mark for hit in over for mark in marks_of(ledger, bank, hit)]


def stray_marks(ledger: Reader, since: int) -> set[bytes]:
    """The digests of documents that no entry of any bank has, kept from that time on. Raises LedgerError."""
    left = papers.since(ledger, since)
    for bank in ledger.banks() if left else ():
        for entry in of_kinds(ledger, bank, (kind.kind for kind in get_args(Written))):
            if isinstance(event := entry.event, Written):
                left.discard(event.paper)
    return left


def same_patron(ledger: Reader, bank: str, hit: int, patron: str) -> tuple[int, ...]:
    """The seats of a hit with that patron on their documents, compared as people's names.

    Raises LedgerError.
    """
    found = story_of(ledger, bank, hit)
    seats = {award.number: award.seat for award in found.hit.awards} if found is not None else {}
    same: set[int] = set()
    for event in written_on(ledger, bank, hit):
        if names.plain(facts_of(ledger, event).get("patron", "")) != names.plain(patron):
            continue
        if isinstance(event, Paid):
            same |= {seats[award] for award in event.awards}
        elif isinstance(event, PapersAdded) and event.seat:
            same.add(event.seat)
    return tuple(sorted(same))


def _marks(found: Iterable[tuple[int, Any]], hit: int) -> list[bytes]:
    return [event.paper for event in _written(found, hit) if event.paper]


def _written(found: Iterable[tuple[int, Any]], hit: int) -> list[Written]:
    return [event for _, event in found if isinstance(event, Written) and _is_of(event, hit)]


def facts_of(ledger: Reader, event: events.Event) -> dict[str, str]:
    """What people wrote when they validated or paid a hit; ERASED or MISSING in place of what is gone."""
    plain = {name: text for name in _PLAIN if (text := getattr(event, name, ""))}
    if not (mark := getattr(event, "paper", b"")):
        return plain
    kept = papers.facts(ledger, mark)
    if kept is None:
        return plain | {MISSING: "who it names"}
    return plain | (kept or {ERASED: "who it names"})


def _is_of(event: Any, hit: int) -> bool:
    """Whether the event acts on that hit, and does not only raise an award of it."""
    return bool((event.number if isinstance(event, _OF_PAPERS) else event.hit) == hit)


def _events(ledger: Reader, bank: str, hit: int) -> Iterator[tuple[int, Any]]:
    """The entries of one hit, the newest first, each with its time."""
    for _, at, kind, version, _, body in asked(ledger, bank, _ENTRIES, hit, hit):
        yield at, registry.decode(kind, version, body)


class _History:
    """State of the backward read of hits. made: the hits whose making was reached."""

    def __init__(self) -> None:
        self.made: list[HitStory] = []
        self._more: dict[int, list[tuple[int, Award]]] = {}
        self._steps: dict[int, list[AwardChange]] = {}
        self._disputed: dict[int, bool] = {}

    def take(self, seq: int, at: int, event: events.Event, table: int) -> None:
        """Applies one entry, older than all before."""
        for award, amount in _raised(event):
            self._step(award, AwardChange(seq, at, "raised", amount, event))
        match event:
            case Validated() | Paid() | Undone():
                for award in event.awards:
                    self._step(award, AwardChange(seq, at, type(event).__name__.lower(), 0, event))
            case Disputed() | Lifted():
                self._disputed.setdefault(event.hit, isinstance(event, Disputed))
            case Corrected():
                self._step(event.award, AwardChange(seq, at, "corrected", event.amount, event))
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
        first = {award.number: award.amount for _, award in awards}  # before it stands as it does now
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
        waits = any(award.status in UNPAID for award in hit.awards)
        disputed = waits and self._disputed.get(hit.number, False)
        made_in = {award.number: entry for entry, award in awards}
        self.made.append(HitStory(hit, made_in, first, steps, disputed))

    def _step(self, award: int, step: AwardChange) -> None:
        self._steps.setdefault(award, []).append(step)


def _as_it_stands(award: Award, steps: Sequence[AwardChange]) -> Award:
    """An award with all later changes. The sum of a paid one never changes (A10, A11)."""
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
