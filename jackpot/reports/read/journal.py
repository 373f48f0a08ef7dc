"""Paged search of a bank's journal, the newest first; of one kind, table, person, hit or span alone.

A page reads a bounded number of rows, however long the journal is: a search for what is rare goes on with
the next page, from where this one ended. What an index finds is found at once: the entries of a hit, and
acts, of which few are looked at for one by a person.
"""

from collections.abc import Iterable, Iterator
from heapq import merge
from operator import attrgetter
from typing import Any, Final, NamedTuple

from jackpot.ledger.archived import cut_of
from jackpot.ledger.journal import Row
from jackpot.ledger.reading import ACCOUNTS, Conversation, Reader
from jackpot.ledger.store import LedgerCorrupt
from jackpot.reports.read.entries import Entry, entries_before, one
from jackpot.reports.report import ReportRefused
from jackpot.rules import registry
from jackpot.rules.acts.sessions import SignedIn, SignedOut
from jackpot.rules.events import FRAMES, Refused
from jackpot.rules.postings import Posting

# Entries that one page of a search looks at, at most: some tens of milliseconds.
LOOKED_AT_MAX: Final = 20_000
# Acts that it looks into for one by a person: each is decoded, which takes as long.
ACTS_MAX: Final = 2_000
# Entries of one hit: its making, each act on it, and each correction of other hits that changed it.
OF_HIT_MAX: Final = 2_000

_FOUND: Final = """
    SELECT seq, at, epoch, kind, version, link, "table", table_seq, digest, body, hash FROM journal
    WHERE bank = ?1 AND seq < ?2 AND seq >= ?3
        AND (CAST(?4 AS bigint) IS NULL OR kind = ?4) AND (CAST(?5 AS bigint) IS NULL OR "table" = ?5)
    ORDER BY seq DESC LIMIT ?6
"""
_POSTINGS: Final = f"""
    SELECT seq, link, level, cycle, {ACCOUNTS} FROM posting
    WHERE bank = ?1 AND seq >= ?2 AND seq <= ?3 ORDER BY seq, link, level
"""  # noqa: S608

_OF_HIT: Final = """
    SELECT seq FROM hit_entry WHERE bank = ?1 AND hit = ?2 AND seq < ?3 AND seq >= ?4
    ORDER BY seq DESC LIMIT ?5
"""

# Kinds that only people, or the server, make: the index by kind has all of them.
_ACTS: Final = frozenset(registry.KINDS) - {*(event.kind for event in FRAMES), Refused.kind}
# Of these, and of rounds that people void, each says who stood for it.
_OF_PEOPLE: Final = frozenset(
    kind
    for kind, event in registry.KINDS.items()
    if "people" in event.__struct_fields__ or event in (SignedIn, SignedOut)
)
_NUMBERS: Final = {registry.name_of(kind): kind for kind in registry.KINDS}


class NoSuchKind(ReportRefused):
    """Unknown kind of entry; `said` lists the known ones."""


class JournalPage(NamedTuple):
    """One page of a search. before: where it goes on; None at its end.

    archived: up to that row the frames of tables that made no hit are in an archive alone; None where the
    page looks at no row that is so old.
    """

    rows: list[Row]
    before: int | None
    archived: int | None


class JournalFilter(NamedTuple):
    """Filter of a search.

    limit: entries of a page. before: exclusive upper bound. kind: its name. table, person, hit: by number.
    after: exclusive lower bound.
    """

    limit: int
    before: int | None = None
    kind: str | None = None
    table: int | None = None
    person: int | None = None
    hit: int | None = None
    after: int = 0


def search(ledger: Reader, bank: str, filter_: JournalFilter) -> JournalPage:
    """The newest entries that match. Raises NoSuchKind, LedgerError."""
    if filter_.kind is not None and filter_.kind not in _NUMBERS:
        kinds = ", ".join(sorted(_NUMBERS))
        raise NoSuchKind(
            "kind_not_known",
            "{kind} is unknown; there is {kinds}",
            field="kind",
            kind=repr(filter_.kind),
            kinds=kinds,
        )
    top = ledger.head(bank).seq + 1
    below = top if filter_.before is None else min(filter_.before, top)
    kind = None if filter_.kind is None else _NUMBERS[filter_.kind]
    if filter_.hit is not None or filter_.person is not None or kind in _ACTS:
        found, end = _by_index(ledger, bank, filter_, kind, below)
    else:
        least = max(below - LOOKED_AT_MAX, filter_.after + 1)
        values = (below, least, kind, filter_.table, filter_.limit)
        found = ledger.ask(bank, lambda number: _rows(bank, (number, *values)))
        end = found[-1].seq if len(found) == filter_.limit else least
    cut = cut_of(ledger, bank)
    archived = cut.seq if cut is not None and end <= cut.seq else None
    return JournalPage(found, end if end > filter_.after + 1 else None, archived)


def _by_index(
    ledger: Reader, bank: str, filter_: JournalFilter, kind: int | None, below: int
) -> tuple[list[Row], int]:
    """The matching rows that indexes find, and the last entry that was looked at."""
    found, last = list[Row](), filter_.after + 1
    for looked, (seq, people) in enumerate(_candidates(ledger, bank, filter_, kind, below), 1):
        if filter_.person is None or filter_.person in people:
            found += _row_numbered(ledger, bank, filter_, kind, seq)
        if len(found) == filter_.limit or looked == ACTS_MAX:
            return found, seq
    return found, last


def _row_numbered(ledger: Reader, bank: str, filter_: JournalFilter, kind: int | None, seq: int) -> list[Row]:
    """The row of that number, if it is of the kind and table; empty if it is not."""
    return ledger.ask(bank, lambda number: _rows(bank, (number, seq + 1, seq, kind, filter_.table, 1)))


def _candidates(
    ledger: Reader, bank: str, filter_: JournalFilter, kind: int | None, below: int
) -> Iterator[tuple[int, frozenset[int]]]:
    """Entries that an index finds, the newest first, each with the numbers of its signers."""
    if filter_.hit is not None:
        values = (filter_.hit, below, filter_.after + 1, OF_HIT_MAX)

        def of_hit(number: int) -> Conversation[list[int]]:
            return [seq for (seq,) in (yield _OF_HIT, (number, *values))]

        for seq in ledger.ask(bank, of_hit):
            yield seq, frozenset() if filter_.person is None else _signers(_entry(ledger, bank, seq))
        return
    kinds = (_OF_PEOPLE if filter_.person is not None else _ACTS) if kind is None else {kind}
    for entry in _newest(ledger, bank, kinds, below, filter_.after):
        yield entry.seq, frozenset() if filter_.person is None else _signers(entry)


def _newest(ledger: Reader, bank: str, kinds: Iterable[int], below: int, after: int) -> Iterator[Entry]:
    """The entries of these kinds with after < seq < below, the newest first; no frames of tables."""
    each = (entries_before(ledger, bank, kind, below, after) for kind in sorted(kinds))
    return merge(*each, key=attrgetter("seq"), reverse=True)


def _entry(ledger: Reader, bank: str, seq: int) -> Entry:
    found = one(ledger, bank, seq)
    if found is None:
        raise LedgerCorrupt(f"{bank}: row {seq} is of a hit and is not there")
    return found


def _signers(entry: Entry) -> frozenset[int]:
    """The numbers of the people who signed an entry, or signed in or out by it."""
    event = entry.event
    if isinstance(event, SignedIn | SignedOut):
        return frozenset({event.person})
    people = getattr(event, "people", None)
    return frozenset(one.id for one in people.signed) if people is not None else frozenset()


def _rows(bank: str, values: tuple[int | None, ...]) -> Conversation[list[Row]]:
    found = yield _FOUND, values
    postings: dict[int, list[Posting]] = {}
    for seqs in _runs([row[0] for row in found]):
        posted = yield _POSTINGS, (values[0], *seqs)
        for seq, *moved in posted:
            postings.setdefault(seq, []).append(Posting(*moved))
    return [_row(bank, row, tuple(postings.get(row[0], ()))) for row in found]


def _runs(seqs: list[int]) -> list[tuple[int, int]]:
    """The first and last of each run of consecutive numbers, which arrive in falling order."""
    runs: list[tuple[int, int]] = []
    for seq in seqs:
        if runs and runs[-1][0] == seq + 1:
            runs[-1] = seq, runs[-1][1]
        else:
            runs.append((seq, seq))
    return runs


def _row(bank: str, values: Any, postings: tuple[Posting, ...]) -> Row:
    seq, at, epoch, kind, version, link, table, table_seq, digest, body, hash_ = values
    return Row(bank, seq, at, epoch, kind, version, link, table, table_seq, digest, body, postings, hash_)
