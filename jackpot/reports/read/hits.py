"""Which hits were ever made, and what became of them? As the journal says, by pages, the newest first.

A small table names the entries that made or changed each hit: the oldest is found as fast as the newest. They
are read backwards, for what people did with a hit comes later in the journal than the hit.
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
from jackpot.reports.read.people import Called
from jackpot.rules import events, names, registry
from jackpot.rules.acts.act import outlived
from jackpot.rules.acts.disputes import Disputed, Lifted
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.acts.hits import Corrected, Paid, Undone, Validated
from jackpot.rules.acts.papers import PapersAdded, PapersErased
from jackpot.rules.state import UNPAID, Award, Hit

# Hits of one page: as many as a person looks at, and as an answer holds.
PAGE_MOST: Final = 100

_HITS: Final = """
    SELECT DISTINCT hit FROM hit_entry WHERE bank = ?1 AND hit < ?2 ORDER BY hit DESC LIMIT ?3
"""
_WITHIN: Final = "SELECT hit FROM hit_entry WHERE bank = ?1 AND seq > ?2 AND seq <= ?3"
_ENTRIES: Final = """
    SELECT seq, at, kind, version, "table", body FROM journal WHERE bank = ?1 AND seq IN (
        SELECT seq FROM hit_entry WHERE bank = ?1 AND hit >= ?2 AND hit <= ?3
    ) ORDER BY seq DESC
"""


# Facts of a payout that name nobody, so that the journal itself has them.
_PLAIN: Final = ("surveillance", "tax_form")
# Those that name somebody: they lie next to the journal, and can be erased.
PERSONAL: Final = ("dealer", "witness", "patron", "tax_number")
# What stands for facts that were erased.
ERASED: Final = "erased"
# The papers lie nowhere, or are not those of the entry, and nobody had them erased.
MISSING: Final = "missing"
# Entries that are about a hit's papers alone.
_OF_PAPERS: Final = (PapersAdded, PapersErased)
# What people do with a hit, in a word.
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


class Done(NamedTuple):
    """What people did with a hit, or with awards of it. at: unix milliseconds. facts: of `facts_of`.

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


class Step(NamedTuple):
    """What changed an award later. amount: its new sum in micro-dollars, if it has one. at: unix ms."""

    seq: int
    at: int
    what: str
    amount: int
    event: events.Event


class Story(NamedTuple):
    """A hit as it stands now. made: by award, the entry that made it. steps: by award, the oldest first.

    first: by award, what it came to when it was made, in micro-dollars. disputed: what waits of it is not
    paid until that is lifted.
    """

    hit: Hit
    made: dict[int, int]
    first: dict[int, int]
    steps: dict[int, list[Step]]
    disputed: bool = False


class Page(NamedTuple):
    """before: where the next page begins; None where there are no older hits."""

    hits: list[Hit]
    before: int | None


def page(ledger: Reader, bank: str, before: int | None = None, limit: int = PAGE_MOST) -> Page:
    """The newest hits of a bank with a number below `before`, as they stand now. Raises LedgerError."""
    hits = [story.hit for story in islice(stories(ledger, bank, before, limit + 1), limit + 1)]
    return Page(hits[:limit], hits[limit - 1].number if len(hits) > limit else None)


def stories(ledger: Reader, bank: str, before: int | None = None, limit: int = PAGE_MOST) -> Iterator[Story]:
    """Every hit with a number below `before`, the newest first, with all that became of it.

    limit: so many are read at once.
    """
    below = BEYOND if before is None else before
    while found := [hit for (hit,) in asked(ledger, bank, _HITS, below, limit)]:
        below = found[-1]
        yield from _read(ledger, bank, found)


def stories_within(ledger: Reader, bank: str, after: int, upto: int) -> Iterator[Story]:
    """Every hit that an entry with after < seq <= upto made or changed, the newest first."""
    found = set[int]()
    for start in range(after, upto, SUM_ROWS):
        end = min(upto, start + SUM_ROWS)
        found.update(hit for (hit,) in asked(ledger, bank, _WITHIN, start, end))
    run = list[int]()
    for hit in sorted(found, reverse=True):
        if run and (hit + 1 != run[-1] or len(run) == PAGE_MOST):
            yield from _read(ledger, bank, run)
            run = []
        run.append(hit)
    yield from _read(ledger, bank, run) if run else ()


def _read(ledger: Reader, bank: str, hits: Sequence[int]) -> Iterator[Story]:
    """hits: those that follow each other, the newest first."""
    history = _History()
    for seq, at, kind, version, table, body in asked(ledger, bank, _ENTRIES, hits[-1], hits[0]):
        history.take(seq, at, registry.decode(kind, version, body), table or 0)
    made = {story.hit.number: story for story in history.made}
    if not made.keys() >= set(hits):
        raise LedgerCorrupt(f"{bank}: hit_entry names a hit that no row made: jackpot verify says which row")
    yield from (made[hit] for hit in hits)


def story_of(ledger: Reader, bank: str, hit: int) -> Story | None:
    """One hit with all that became of it; None where there is none. Raises LedgerError."""
    found = next(stories(ledger, bank, hit + 1, 1), None)
    return found if found is not None and found.hit.number == hit else None


def changes(first: int, steps: Iterable[Step]) -> Iterator[tuple[Step, int]]:
    """The steps that changed what an award comes to, each by how much. first: what it came to at first."""
    now = first
    for step in steps:
        if step.what in ("raised", "corrected", "undone"):
            yield step, step.amount - now
            now = step.amount


def done_with(ledger: Reader, bank: str, hit: int) -> list[Done]:
    """What people did with a hit, the newest first; empty for a hit that never was. Raises LedgerError."""
    called = Called.of(ledger)
    return [
        Done(
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
    """The entries that wrote on the hit's papers, the oldest first. Raises LedgerError."""
    return _written(_events(ledger, bank, hit), hit)[::-1]


def erased_marks(ledger: Reader, bank: str, hit: int) -> list[bytes]:
    """The marks of what people wrote on the hit's papers before they were erased. Raises LedgerError."""
    since = dropwhile(lambda one: not isinstance(one[1], PapersErased), _events(ledger, bank, hit))
    return _marks(since, hit)


def marks_of(ledger: Reader, bank: str, hit: int) -> list[bytes]:
    """The marks of all that people wrote on the hit's papers. Raises LedgerError."""
    return _marks(_events(ledger, bank, hit), hit)


def outlived_marks(
    ledger: Reader, bank: str, kept_days: int, at: int, waiting: Collection[int]
) -> list[bytes]:
    """The marks of papers whose time is over: the newest of their hit's is that old. Raises LedgerError.

    waiting: hits that are not paid yet, whose papers stay. at: unix milliseconds.
    """
    left = papers.older(ledger, at - kept_days * DAY_MS)
    entries = of_kinds(ledger, bank, (kind.kind for kind in get_args(Written))) if left else ()
    written = [event for entry in entries if isinstance(event := entry.event, Written)]
    hits = {papers.hit_of(event) for event in written if event.paper in left}
    over = [hit for hit in hits - set(waiting) if outlived(last_written(ledger, bank, hit), kept_days, at)]
    return [mark for hit in over for mark in marks_of(ledger, bank, hit)]


def stray_marks(ledger: Reader, since: int) -> set[bytes]:
    """The marks of papers of no entry of any bank, kept from that moment on. Raises LedgerError."""
    left = papers.since(ledger, since)
    for bank in ledger.banks() if left else ():
        for entry in of_kinds(ledger, bank, (kind.kind for kind in get_args(Written))):
            if isinstance(event := entry.event, Written):
                left.discard(event.paper)
    return left


def same_patron(ledger: Reader, bank: str, hit: int, patron: str) -> tuple[int, ...]:
    """The seats of a hit whose papers name that patron, compared as people's names. Raises LedgerError."""
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
    """What people wrote on the papers of a hit when they validated or paid it. ERASED, MISSING: what is."""
    plain = {name: text for name in _PLAIN if (text := getattr(event, name, ""))}
    if not (mark := getattr(event, "paper", b"")):
        return plain
    kept = papers.facts(ledger, mark)
    if kept is None:
        return plain | {MISSING: "who it names"}
    return plain | (kept or {ERASED: "who it names"})


def _is_of(event: Any, hit: int) -> bool:
    """Whether it is done with that hit, and does not only raise an award of it."""
    return bool((event.number if isinstance(event, _OF_PAPERS) else event.hit) == hit)


def _events(ledger: Reader, bank: str, hit: int) -> Iterator[tuple[int, Any]]:
    """The entries of one hit, the newest first, each with when it was made."""
    for _, at, kind, version, _, body in asked(ledger, bank, _ENTRIES, hit, hit):
        yield at, registry.decode(kind, version, body)


class _History:
    """Hits on the way back through their entries. made: those whose making was reached."""

    def __init__(self) -> None:
        self.made: list[Story] = []
        self._more: dict[int, list[tuple[int, Award]]] = {}
        self._steps: dict[int, list[Step]] = {}
        self._disputed: dict[int, bool] = {}

    def take(self, seq: int, at: int, event: events.Event, table: int) -> None:
        """One entry, older than all that were taken before."""
        for award, amount in _raised(event):
            self._step(award, Step(seq, at, "raised", amount, event))
        match event:
            case Validated() | Paid() | Undone():
                for award in event.awards:
                    self._step(award, Step(seq, at, type(event).__name__.lower(), 0, event))
            case Disputed() | Lifted():
                self._disputed.setdefault(event.hit, isinstance(event, Disputed))
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
        self.made.append(Story(hit, made_in, first, steps, disputed))

    def _step(self, award: int, step: Step) -> None:
        self._steps.setdefault(award, []).append(step)


def _as_it_stands(award: Award, steps: Sequence[Step]) -> Award:
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
