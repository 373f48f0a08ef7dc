"""Reads journal entries for reports, page by page, by the small indexes that hold no wager.

Each page is one short statement, so a report holds up no writer and needs the memory of one page, however
long the journal is.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from heapq import merge
from typing import Any, Final, NamedTuple

from jackpot.ledger.archived import archived_message, cut_of
from jackpot.ledger.reading import Conversation, Reader
from jackpot.reports.report import InArchive
from jackpot.rules import registry
from jackpot.rules.events import FRAMES, Closed, Event, Refused, Settled, Wagered

# Entries that one statement reads: some milliseconds of work, and less than a megabyte.
PAGE: Final = 500
# The same of each kind, where the newest of all kinds are looked for.
FEW: Final = 50
# Above every entry's number.
BEYOND: Final = 2**63 - 1

# The key begins with the bank: +bank makes both planners use the small indexes alone.
_COLUMNS: Final = 'seq, at, kind, version, "table", table_seq, body'
_ONE: Final = f"SELECT {_COLUMNS} FROM journal WHERE bank = ?1 AND seq = ?2"  # noqa: S608
_OF_KIND: Final = f"""
    SELECT {_COLUMNS} FROM journal
    WHERE +bank = ?1 AND kind = ?2 AND table_seq IS NULL AND seq > ?3 AND seq <= ?4 ORDER BY seq LIMIT ?5
"""  # noqa: S608
_NEWEST: Final = f"""
    SELECT {_COLUMNS} FROM journal
    WHERE +bank = ?1 AND kind = ?2 AND table_seq IS NULL AND seq < ?3 ORDER BY seq DESC LIMIT 1
"""  # noqa: S608
_REFUSED: Final = f"""
    SELECT {_COLUMNS} FROM journal
    WHERE +bank = ?1 AND kind = {Refused.kind} AND seq > ?2 AND seq <= ?3 ORDER BY seq LIMIT ?4
"""  # noqa: S608
_WAGERED: Final = f"""
    SELECT {_COLUMNS} FROM journal WHERE bank = ?1 AND seq > ?2 AND seq < ?3 AND "table" = ?4
        AND kind = {Wagered.kind} ORDER BY seq DESC
"""  # noqa: S608
_BEFORE: Final = f"""
    SELECT {_COLUMNS} FROM journal
    WHERE +bank = ?1 AND kind = ?2 AND table_seq IS NULL AND seq > ?3 AND seq < ?4 ORDER BY seq DESC LIMIT ?5
"""  # noqa: S608
_SEQS: Final = """
    SELECT seq FROM journal WHERE +bank = ?1 AND kind = ?2 AND table_seq IS NULL ORDER BY seq
"""
_OF_HIT: Final = f"""
    SELECT {_COLUMNS} FROM journal WHERE bank = ?1 AND seq IN (
        SELECT seq FROM hit_entry WHERE bank = ?1 AND hit = ?2
    ) ORDER BY seq
"""  # noqa: S608
_WRITTEN: Final = """
    SELECT h.hit, j.kind, j.version, j.body FROM hit_entry AS h
    JOIN journal AS j ON j.bank = h.bank AND j.seq = h.seq
    WHERE h.bank = ?1 AND h.hit >= ?2 AND h.hit <= ?3 AND j.table_seq IS NULL
"""
_CARRIED_OUT: Final = ", ".join(str(event.kind) for event in FRAMES)
_COUNTING: Final = f"""
    SELECT {_COLUMNS} FROM journal WHERE bank = ?1 AND seq > ?2 AND seq <= ?3 AND kind IN ({_CARRIED_OUT})
        AND table_seq IS NOT NULL ORDER BY seq LIMIT ?4
"""  # noqa: S608
_FRAMES_OF_KIND: Final = f"""
    SELECT {_COLUMNS} FROM journal WHERE bank = ?1 AND seq > ?2 AND seq <= ?3 AND kind = ?5
        AND table_seq IS NOT NULL ORDER BY seq LIMIT ?4
"""  # noqa: S608


_WON: Final = f"""
    SELECT {_COLUMNS} FROM journal
    WHERE bank = ?1 AND kind IN ({Settled.kind}, {Closed.kind}) AND seq IN (
        SELECT seq FROM hit_entry WHERE bank = ?1 AND seq > ?2 AND seq <= ?3
    ) ORDER BY seq LIMIT ?4
"""  # noqa: S608


class Entry(NamedTuple):
    """One entry of the journal. at: unix milliseconds. table: the number of the table that sent it."""

    seq: int
    at: int
    kind: int
    version: int
    table: int | None
    table_seq: int | None
    body: bytes

    @property
    def event(self) -> Event:
        """The decoded event. Raises what `kinds.decode` raises."""
        return registry.decode(self.kind, self.version, self.body)

    @property
    def name(self) -> str:
        """The public name of its kind."""
        return registry.name_of(self.kind)


def must_be_here(ledger: Reader, bank: str, after: int) -> None:
    """Raises InArchive where frames of tables after that entry are archived."""
    cut = cut_of(ledger, bank)
    if cut is not None and after < cut.seq:
        raise InArchive("rows_archived", "{archived}", archived=archived_message(bank, cut))


def one(ledger: Reader, bank: str, seq: int) -> Entry | None:
    """The entry of that number."""
    found = asked(ledger, bank, _ONE, seq)
    return Entry(*found[0]) if found else None


def of_kind(ledger: Reader, bank: str, kind: int, after: int = 0, upto: int = BEYOND) -> Iterator[Entry]:
    """The entries of a kind with after < seq <= upto, the oldest first; a table's frames are left out."""
    return _paged(partial(_page_of_kind, ledger, bank, kind), after, upto)


def of_kinds(
    ledger: Reader, bank: str, wanted: Iterable[int], after: int = 0, upto: int = BEYOND
) -> Iterator[Entry]:
    """The same of several kinds, in the order of the journal."""
    return merge(*(of_kind(ledger, bank, kind, after, upto) for kind in sorted(set(wanted))))


def newest(ledger: Reader, bank: str, kind: int, below: int = BEYOND) -> Entry | None:
    """The last entry of a kind before `below`; no frame of a table."""
    found = asked(ledger, bank, _NEWEST, kind, below)
    return Entry(*found[0]) if found else None


def entries_before(
    ledger: Reader, bank: str, kind: int, below: int = BEYOND, after: int = 0
) -> Iterator[Entry]:
    """The entries of a kind with after < seq < below, the newest first; a table's frames are left out."""
    while found := asked(ledger, bank, _BEFORE, kind, after, below, FEW):
        for row in found:
            yield Entry(*row)
        below = found[-1][0]


def entries_of_hit(ledger: Reader, bank: str, hit: int) -> list[Entry]:
    """The entries that made or changed a hit, by its number in this bank, the oldest first."""
    return [Entry(*row) for row in asked(ledger, bank, _OF_HIT, hit)]


def written_on_hits(
    ledger: Reader, bank: str, first: int, last: int, kinds: Collection[int]
) -> Iterator[tuple[int, Event]]:
    """The entries of these kinds that changed a hit numbered first to last, each with that hit's number."""
    for hit, kind, version, body in asked(ledger, bank, _WRITTEN, first, last):
        if kind in kinds:
            yield hit, registry.decode(kind, version, body)


def seqs(ledger: Reader, bank: str, kind: int) -> list[int]:
    """The numbers of all entries of a kind that comes once a day or less."""
    return [seq for (seq,) in asked(ledger, bank, _SEQS, kind)]


def refused(ledger: Reader, bank: str, after: int = 0, upto: int = BEYOND) -> Iterator[Entry]:
    """The durable refusals with after < seq <= upto, a table's frames too."""
    return _paged(partial(_page, ledger, bank, _REFUSED), after, upto)


def counting(ledger: Reader, bank: str, after: int, upto: int) -> Iterator[Entry]:
    """The frames of tables with after < seq <= upto that were carried out."""
    return _paged(partial(_page, ledger, bank, _COUNTING), after, upto)


def frames_of_kind(ledger: Reader, bank: str, kind: int, after: int, upto: int) -> Iterator[Entry]:
    """The frames of tables of one kind with after < seq <= upto; each row between is looked at."""

    def page(after: int, upto: int) -> Sequence[Any]:
        return asked(ledger, bank, _FRAMES_OF_KIND, after, upto, PAGE, kind)

    return _paged(page, after, upto)


def won(ledger: Reader, bank: str, after: int, upto: int) -> Iterator[Entry]:
    """The frames with after < seq <= upto that ended a round, or settled hands, and made a hit."""
    return _paged(partial(_page, ledger, bank, _WON), after, upto)


def wagers_before(
    ledger: Reader, bank: str, table: int, before: int, down_to: int
) -> Iterator[tuple[int, Wagered]]:
    """A table's frames with wagers before that entry, the newest first, each with its entry's number.

    down_to: the entry behind which frames are here.
    """
    while before > down_to + 1:
        after = max(down_to, before - PAGE)
        for row in asked(ledger, bank, _WAGERED, after, before, table):
            entry = Entry(*row)
            if isinstance(event := entry.event, Wagered):
                yield entry.seq, event
        before = after + 1


def asked(ledger: Reader, bank: str, sql: str, *values: Any) -> Sequence[Any]:
    """Rows of one statement; its first parameter is the bank's number."""

    def question(number: int) -> Conversation[Sequence[Any]]:
        return (yield sql, (number, *values))

    return ledger.ask(bank, question)


def _page_of_kind(ledger: Reader, bank: str, kind: int, after: int, upto: int) -> Sequence[Any]:
    return asked(ledger, bank, _OF_KIND, kind, after, upto, PAGE)


def _page(ledger: Reader, bank: str, sql: str, after: int, upto: int) -> Sequence[Any]:
    return asked(ledger, bank, sql, after, upto, PAGE)


def _paged(page: Callable[[int, int], Sequence[Any]], after: int, upto: int) -> Iterator[Entry]:
    while True:
        found = page(after, upto)
        for row in found:
            yield Entry(*row)
        if len(found) < PAGE:
            return
        after = found[-1][0]
