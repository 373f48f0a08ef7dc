"""Reads the history of all hits from the journal, by pages, the newest first.

A small table indexes the entries that made or changed each hit, so the oldest is found as fast as the newest.
They are read backwards, because acts on a hit come later in the journal than the hit. A hit's history is told
in the numbers of the bank that made it; what was done with it in a bank that this one became is part of it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import dropwhile, islice
from typing import Any, Final, Literal, NamedTuple, get_args

from msgspec.structs import replace

from controllers.messages import LampState
from jackpot.catalogue.figures import rate_text
from jackpot.ledger import papers
from jackpot.ledger.joined_banks import (
    NOWHERE,
    first_own_hit,
    former_numbers,
    later_banks,
    parts_of,
    traced,
)
from jackpot.ledger.papers import Written, last_written
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import SUM_ROWS
from jackpot.ledger.store import LedgerCorrupt
from jackpot.reports.read.entries import BEYOND, asked, of_kinds
from jackpot.reports.read.people import PersonNames
from jackpot.rules import events, names, registry
from jackpot.rules.acts.account_credits import Credited
from jackpot.rules.acts.act import outlived
from jackpot.rules.acts.banks import Offsets, renumbered
from jackpot.rules.acts.disputes import Disputed, Lifted
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.acts.hits import Corrected, Paid, Undone, Validated
from jackpot.rules.acts.papers import PapersAdded, PapersErased
from jackpot.rules.money import decimal, from_cents
from jackpot.rules.state import UNPAID, Award, Hit, Status

# Hits of one page: as many as a person looks at, and as an answer holds.
PAGE_MAX: Final = 100

_HITS: Final = """
    SELECT DISTINCT hit FROM hit_entry WHERE bank = ?1 AND hit < ?2 AND hit >= ?4 ORDER BY hit DESC LIMIT ?3
"""
_WITHIN: Final = "SELECT hit FROM hit_entry WHERE bank = ?1 AND seq > ?2 AND seq <= ?3"
_ENTRIES: Final = """
    SELECT seq, at, kind, version, "table", body FROM journal WHERE bank = ?1 AND seq IN (
        SELECT seq FROM hit_entry WHERE bank = ?1 AND hit >= ?2 AND hit <= ?3
    ) ORDER BY seq DESC
"""


# Facts of a payment that name nobody; the journal itself has them.
_PLAIN: Final = ("surveillance", "lamp", "tax_form", "way", "other_way", "treaty_form")
# Facts that name somebody: they lie next to the journal, and can be erased.
PERSONAL: Final = (
    "dealer", "witness", "patron", "tax_number", "identification", "taxpayer_number", "way_number",
    "other_number",
)  # fmt: skip
# Facts of a payment in the order in which they are typed; the others follow.
_ORDER: Final = (
    "patron", "identification", "taxpayer_number", "tax_form", "tax_number", "treaty_rate", "treaty_form",
    "withheld", "way", "way_number", "other_way", "other_sum", "other_number",
)  # fmt: skip
# Placeholder for facts that were erased.
ERASED: Final = "erased"
# Placeholder for documents that are missing or do not match their entry, though nobody had them erased.
MISSING: Final = "missing"
# Entries that concern a hit's documents alone.
_OF_PAPERS: Final = (PapersAdded, PapersErased)
# Name of each act of people on a hit.
What = Literal[
    "validated", "paid", "undone", "corrected", "disputed", "lifted", "added", "erased", "credited"
]
_WHAT: Final[Mapping[type[events.Event], What]] = {
    Validated: "validated",
    Paid: "paid",
    Undone: "undone",
    events.Voided: "undone",
    Corrected: "corrected",
    Disputed: "disputed",
    Lifted: "lifted",
    PapersAdded: "added",
    PapersErased: "erased",
    Credited: "credited",
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
    """A later change of an award. amount: its new sum in micro-dollars, if it has one. at: unix ms.

    bank: whose entry it is.
    """

    seq: int
    at: int
    what: str
    amount: int
    event: events.Event
    bank: str


class HitStory(NamedTuple):
    """A hit as it stands now. made: by award, the entry that made it. steps: by award, the oldest first.

    first: by award, what it came to when it was made, in micro-dollars. began: by award, its status then.
    disputed: what waits of it is not
    paid until that is lifted. bank: which made it. All numbers are of that bank.
    """

    hit: Hit
    made: dict[int, int]
    first: dict[int, int]
    steps: dict[int, list[AwardChange]]
    disputed: bool
    bank: str
    began: dict[int, Status]

    def called_in(self, by: Offsets) -> "HitStory":
        """The same in the numbers of a bank that its bank became."""
        return self._replace(
            hit=renumbered(self.hit, by),
            made={number + by.awards: row for number, row in self.made.items()},
            first={number + by.awards: sum_ for number, sum_ in self.first.items()},
            steps={number + by.awards: steps for number, steps in self.steps.items()},
            began={number + by.awards: status for number, status in self.began.items()},
        )


class HitPage(NamedTuple):
    """One page of hits. before: where the next page begins; None where there are no older hits."""

    hits: list[Hit]
    before: int | None


def page(ledger: Reader, bank: str, before: int | None = None, limit: int = PAGE_MAX) -> HitPage:
    """The newest hits of a bank with a number below `before`, as they stand now. Raises LedgerError.

    Those that it made come first, then those of the banks that became it, all by the numbers that they have
    in it.
    """
    hits = list(islice(_called(ledger, bank, before, limit + 1), limit + 1))
    return HitPage(hits[:limit], hits[limit - 1].number if len(hits) > limit else None)


def _called(ledger: Reader, bank: str, before: int | None, limit: int) -> Iterator[Hit]:
    """The hits of a bank and of all that became it, by its own numbers, the newest number first."""
    yield from (story.hit for story in stories(ledger, bank, before, limit))
    for part in reversed(parts_of(ledger, bank)):
        below = part.hits.stop if before is None else min(before, part.hits.stop)
        if below > part.hits.start:
            found = _called(ledger, part.bank, below - part.by.hits, limit)
            yield from (renumbered(hit, part.by) for hit in found)


def stories(
    ledger: Reader, bank: str, before: int | None = None, limit: int = PAGE_MAX
) -> Iterator[HitStory]:
    """Every hit that the bank made with a number below `before`, the newest first, with its history.

    limit: so many are read at once.
    """
    below, least = BEYOND if before is None else before, first_own_hit(ledger, bank)
    while found := [hit for (hit,) in asked(ledger, bank, _HITS, below, limit, least)]:
        below = found[-1]
        yield from _read(ledger, bank, found)


def stories_within(ledger: Reader, bank: str, after: int, upto: int) -> Iterator[HitStory]:
    """Every hit that an entry with after < seq <= upto made or changed, the newest first.

    All are told in the numbers of this bank.
    """
    found = set[int]()
    for start in range(after, upto, SUM_ROWS):
        end = min(upto, start + SUM_ROWS)
        found.update(hit for (hit,) in asked(ledger, bank, _WITHIN, start, end))
    run, least = list[int](), first_own_hit(ledger, bank)
    for hit in sorted(found, reverse=True):
        if run and (hit < least or hit + 1 != run[-1] or len(run) == PAGE_MAX):
            yield from _read(ledger, bank, run)
            run = []
        if hit >= least:
            run.append(hit)
        elif (story := story_called(ledger, bank, hit)) is not None:
            yield story
    yield from _read(ledger, bank, run) if run else ()


def _read(ledger: Reader, bank: str, hits: Sequence[int]) -> Iterator[HitStory]:
    """Histories of hits that the bank made, with consecutive numbers, the newest first."""
    history = _History(bank)
    for later, by in reversed(later_banks(ledger, bank)):
        found = asked(ledger, later, _ENTRIES, hits[-1] + by.hits, hits[0] + by.hits)
        for seq, at, kind, version, table, body in found:
            event = registry.decode(kind, version, body)
            if later == bank:
                history.take(seq, at, event, table or 0)
            elif isinstance(event, Corrected):
                history.correct(later, seq, at, event, by)
    made = {story.hit.number: story for story in history.made}
    if not made.keys() >= set(hits):
        raise LedgerCorrupt(f"{bank}: hit_entry names a hit that no row made: jackpot verify says which row")
    yield from (made[hit] for hit in hits)


def story_of(ledger: Reader, bank: str, hit: int) -> HitStory | None:
    """One hit with its history; None where there is none. Raises LedgerError.

    It is told by the bank that made it, which may have become this one.
    """
    made = traced(ledger, bank, hit)[0]
    found = next(stories(ledger, made.bank, made.number + 1, 1), None)
    return found if found is not None and found.hit.number == made.number else None


def story_called(ledger: Reader, bank: str, hit: int) -> HitStory | None:
    """As `story_of`, told in the numbers of the bank that is asked."""
    found = story_of(ledger, bank, hit)
    return None if found is None else found.called_in(traced(ledger, bank, hit)[-1].by)


def changes(first: int, steps: Iterable[AwardChange]) -> Iterator[tuple[AwardChange, int]]:
    """The changes of an award's amount, each as a difference. first: its first amount."""
    now = first
    for step in steps:
        if step.what in ("raised", "corrected", "undone"):
            yield step, step.amount - now
            now = step.amount


def done_with(ledger: Reader, bank: str, hit: int) -> list[PersonAct]:
    """Acts of people on a hit, the newest first; empty for a hit that never was. Raises LedgerError.

    awards: by their numbers in this bank.
    """
    called, here = PersonNames.of(ledger), traced(ledger, bank, hit)[-1].by.awards
    return [
        PersonAct(
            _WHAT[type(event)],
            at,
            [number - there + here for number in _awards_of(event)],
            called.said(event.people),
            getattr(event, "reason", ""),
            getattr(event, "document", "") or getattr(event, "reference", ""),
            facts_of(ledger, event),
            getattr(event, "seat", 0),
        )
        for at, event, there in _events(ledger, bank, hit)
    ]


def _awards_of(event: Any) -> list[int]:
    """The awards that an act of people is about; none where it is about the whole hit."""
    match event:
        case Corrected() | Credited():
            return [event.award]
        case events.Voided():
            return event.undone
    return getattr(event, "awards", [])


def written_on(ledger: Reader, bank: str, hit: int) -> list[Written]:
    """The entries that wrote on the hit's documents, the oldest first. Raises LedgerError."""
    return _written(_events(ledger, bank, hit))[::-1]


def erased_marks(ledger: Reader, bank: str, hit: int) -> list[bytes]:
    """The digests of what people wrote on the hit's documents before it was erased. Raises LedgerError."""
    since = dropwhile(lambda one: not isinstance(one[1], PapersErased), _events(ledger, bank, hit))
    return _marks(since)


def marks_of(ledger: Reader, bank: str, hit: int) -> list[bytes]:
    """The digests of all that people wrote on the hit's documents. Raises LedgerError."""
    return _marks(_events(ledger, bank, hit))


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
    over = [hit for hit in hits - set(waiting) if outlived(_last_written(ledger, bank, hit), kept_days, at)]
    return [mark for hit in over for mark in marks_of(ledger, bank, hit)]


def _last_written(ledger: Reader, bank: str, hit: int) -> int:
    """When the newest of the hit's papers was written, in whichever bank."""
    now = former_numbers(ledger, bank, hit)[-1]
    return last_written(ledger, now.bank, now.number)


def orphan_marks(ledger: Reader, since: int) -> set[bytes]:
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
    named = patrons(ledger, bank, hit)
    return tuple(
        sorted(
            seat for seat, whom in named.items() if names.normal_form(patron) in map(names.normal_form, whom)
        )
    )


def patrons(ledger: Reader, bank: str, hit: int) -> dict[int, list[str]]:
    """By seat, whom the documents of a hit's winners name as the patron, the oldest first.

    Raises LedgerError.
    """
    found = story_of(ledger, bank, hit)
    seats = {award.number: award.seat for award in found.hit.awards} if found is not None else {}
    named: dict[int, list[str]] = {}
    for event in written_on(ledger, bank, hit):
        if not (patron := facts_of(ledger, event).get("patron", "")):
            continue
        if isinstance(event, Paid):
            # Its awards have their maker's numbers: nobody pays a hit that another bank has handed on.
            for seat in {seats[award] for award in event.awards}:
                named.setdefault(seat, []).append(patron)
        elif isinstance(event, PapersAdded) and event.seat:
            named.setdefault(event.seat, []).append(patron)
    return named


def _marks(found: Iterable[tuple[int, Any, int]]) -> list[bytes]:
    return [event.paper for event in _written(found) if event.paper]


def _written(found: Iterable[tuple[int, Any, int]]) -> list[Written]:
    return [event for _, event, _ in found if isinstance(event, Written)]


def facts_of(ledger: Reader, event: events.Event) -> dict[str, str]:
    """What people wrote when they validated or paid a hit; ERASED or MISSING in place of what is gone.

    In the order of a payment's form.
    """
    found = _facts(ledger, event)
    return {name: found[name] for name in sorted(found, key=_place)}


def _place(name: str) -> int:
    return _ORDER.index(name) if name in _ORDER else len(_ORDER)


def _facts(ledger: Reader, event: events.Event) -> dict[str, str]:
    plain = {name: text for name in _PLAIN if (text := getattr(event, name, ""))}
    plain |= _sums(event)
    if not (mark := getattr(event, "paper", b"")):
        return plain
    kept = papers.facts(ledger, mark)
    if kept is None:
        return plain | {MISSING: "who it names"}
    return plain | (kept or {ERASED: "who it names"})


def _sums(event: events.Event) -> dict[str, str]:
    """What a payment, or its correction, says of sums.

    The part that was given another way, and of a form that was due the rate of a treaty and the sum withheld.
    """
    if not isinstance(event, Paid | Corrected):
        return {}
    paid = event if isinstance(event, Paid) else None
    told = {"other_sum": decimal(from_cents(paid.other_sum))} if paid and paid.other_sum else {}
    if not event.form:
        return told
    if paid and paid.treaty_rate is not None:
        told["treaty_rate"] = rate_text(paid.treaty_rate)
    return told | {"withheld": decimal(from_cents(event.withheld))}


def _is_of(event: Any, hit: int) -> bool:
    """Whether the event acts on that hit, and does not only raise an award of it."""
    return bool((event.number if isinstance(event, _OF_PAPERS) else event.hit) == hit)


def _events(ledger: Reader, bank: str, hit: int) -> Iterator[tuple[int, Any, int]]:
    """The acts of people on one hit, in whichever bank, the newest first.

    Each with its time, and how far its award numbers are above those of the hit's maker. A void names the
    awards of this hit alone that it undid (B15).
    """
    for known in reversed(former_numbers(ledger, bank, hit)):
        found = asked(ledger, known.bank, _ENTRIES, known.number, known.number)
        decoded = [(at, registry.decode(kind, version, body)) for _, at, kind, version, _, body in found]
        own = {award.number for _, event in decoded for award in _made(event, known.number)}
        for at, event in decoded:
            if isinstance(event, events.Voided):
                undone = [award for award in event.undone if award in own]
                if undone:
                    yield at, replace(event, undone=undone), known.by.awards
            elif type(event) in _WHAT and _is_of(event, known.number):
                yield at, event, known.by.awards


def _made(event: events.Event, hit: int) -> list[Award]:
    """The awards of a hit that an entry made."""
    made = event.made.hits if isinstance(event, events.Settled | events.Closed) else ()
    return [award for one in made if one.number == hit for award in one.awards]


class _History:
    """State of the backward read of hits of one bank. made: the hits whose making was reached."""

    def __init__(self, bank: str) -> None:
        self._bank = bank
        self.made: list[HitStory] = []
        self._more: dict[int, list[tuple[int, Award]]] = {}
        self._steps: dict[int, list[AwardChange]] = {}
        self._disputed: dict[int, bool] = {}
        self._lamps: dict[int, list[LampState]] = {}

    def take(self, seq: int, at: int, event: events.Event, table: int) -> None:
        """Applies one entry, older than all before."""
        for award, amount in _raised(event):
            self._step(award, AwardChange(seq, at, "raised", amount, event, self._bank))
        match event:
            case Validated() | Paid() | Undone():
                for award in event.awards:
                    what = type(event).__name__.lower()
                    self._step(award, AwardChange(seq, at, what, 0, event, self._bank))
            case events.Voided():
                for award in event.undone:
                    self._step(award, AwardChange(seq, at, "undone", 0, event, self._bank))
            case Disputed() | Lifted():
                self._disputed.setdefault(event.hit, isinstance(event, Disputed))
            case events.LampReported():
                self._lamps.setdefault(event.award, []).append(event.state)
            case Corrected():
                self.correct(self._bank, seq, at, event, NOWHERE)
            case events.Settled() | events.Closed():
                for made in reversed(event.made.hits):
                    later = self._more.pop(made.number, [])
                    self._more[made.number] = [*((seq, award) for award in made.awards), *later]
                    if not made.more:
                        self._make(seq, at, event, table, made)

    def correct(self, bank: str, seq: int, at: int, event: Corrected, by: Offsets) -> None:
        """Applies a correction. by: how far the numbers of that bank are above those of the hit's maker."""
        step = AwardChange(seq, at, "corrected", event.amount, event, bank)
        self._step(event.award - by.awards, step)

    def _make(
        self, seq: int, at: int, event: events.Settled | events.Closed, table: int, made: events.HitMade
    ) -> None:
        awards = self._more.pop(made.number)
        steps = {award.number: self._steps.pop(award.number, [])[::-1] for _, award in awards}
        # Before they stand as they do now.
        first = {award.number: award.amount for _, award in awards}
        began = {award.number: award.status for _, award in awards}
        for _, award in awards:
            award.lamps = tuple(self._lamps.pop(award.number, ())[::-1])
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
        self.made.append(HitStory(hit, made_in, first, steps, disputed, self._bank, began))

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
