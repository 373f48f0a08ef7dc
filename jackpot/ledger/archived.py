"""Archive cuts: which rows of a bank only an archive has, and which rows stayed here.

An archive is a backup: a whole ledger from row 1. An `archived` row says up to where it has the tables'
frames; then they are deleted here, in one transaction. What stays of the old rows is no part of the chain any
more. So that row names its digest: over all of it, in order, each row's canonical bytes, its hash and hits.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from itertools import zip_longest
from typing import Final

import msgspec

from jackpot.ledger.journal import Row, canonical
from jackpot.ledger.reading import STAYS, Conversation, Reader, stays
from jackpot.rules import registry
from jackpot.rules.acts.archives import Archived, Cut
from jackpot.rules.events import Event
from jackpot.text import Sentence

# Rows of one read: a few milliseconds.
PAGE_ROWS: Final = 1_000

_ENTRIES: Final = f"""
    SELECT seq, version, body FROM journal
    WHERE +bank = ?1 AND kind = {Archived.kind} AND table_seq IS NULL ORDER BY seq DESC
"""  # noqa: S608
_THERE: Final = "SELECT 1 FROM journal WHERE bank = ?1 AND seq = ?2"
_BACK: Final = f"SELECT seq FROM journal WHERE bank = ?1 AND seq <= ?2 AND NOT {STAYS} ORDER BY seq LIMIT 1"  # noqa: S608
_HASHED: Final = "SELECT seq FROM journal WHERE bank = ?1 AND seq <= ?2 AND hash = ?3 LIMIT 1"
_LOOSE: Final = """
    SELECT seq FROM {table} AS loose WHERE bank = ?1 AND seq <= ?2 AND NOT EXISTS (
        SELECT 1 FROM journal WHERE journal.bank = loose.bank AND journal.seq = loose.seq
    ) ORDER BY seq LIMIT 1
"""


def _rows(ledger: Reader, bank: str) -> list[tuple[int, Archived]]:
    """The `archived` rows of a bank, the newest first.

    One that is unreadable, or names rows that are not before it, is skipped: no rule decides it.
    """

    def asked(number: int) -> Conversation[list[tuple[int, Event]]]:
        found = []
        for seq, version, body in (yield _ENTRIES, (number,)):
            with suppress(registry.UnknownEventError, msgspec.MsgspecError):
                found.append((seq, registry.decode(Archived.kind, version, body)))
        return found

    return [
        (seq, event)
        for seq, event in ledger.ask(bank, asked)
        if isinstance(event, Archived) and 0 < event.cut.gone <= event.cut.seq < seq
    ]


def archived_events(ledger: Reader, bank: str) -> list[Archived]:
    """Events of the `archived` rows of a bank, the newest first."""
    return [event for _, event in _rows(ledger, bank)]


def cuts(ledger: Reader, bank: str) -> list[tuple[int, Cut]]:
    """The `archived` rows of a bank, the newest first, each with its cut."""
    return [(seq, event.cut) for seq, event in _rows(ledger, bank)]


def cut_of(ledger: Reader, bank: str) -> Cut | None:
    """Cut at which the bank's chain begins in this ledger; None where it is whole from row 1.

    Rows leave in one transaction. So where the first of them is still here, all are: nothing was deleted yet,
    or this is an archive.
    """
    return next((cut for _, cut in cuts(ledger, bank) if not is_there(ledger, bank, cut.gone)), None)


def is_there(ledger: Reader, bank: str, seq: int) -> bool:
    """Whether the journal has that row."""

    def asked(number: int) -> Conversation[bool]:
        return bool((yield _THERE, (number, seq)))

    return ledger.ask(bank, asked)


def staying(ledger: Reader, bank: str, upto: int) -> Iterator[Row]:
    """Rows up to a cut that stay when the others are deleted, in order; an archive has the same ones."""
    after = 0
    while True:

        def asked(number: int, after: int = after) -> Conversation[list[Row]]:
            return stays(bank, number, (after, upto, PAGE_ROWS))

        page = ledger.ask(bank, asked)
        yield from page
        if len(page) < PAGE_ROWS:
            return
        after = page[-1].seq


def digest_of_staying(ledger: Reader, bank: str, upto: int) -> bytes:
    """Digest of the staying rows, as `stays` of an `archived` row."""
    return _digests(ledger, bank, [upto])[upto]


def _digests(ledger: Reader, bank: str, ends: Sequence[int]) -> dict[int, bytes]:
    """Digests of the staying rows up to several cuts, in one pass. ends: at least one, ascending."""
    sum_, found = sha256(), dict[int, bytes]()
    for row in staying(ledger, bank, ends[-1]):
        for end in ends[len(found) :]:
            if row.seq <= end:
                break
            found[end] = sum_.digest()
        sum_.update(canonical(row) + row.hash + msgspec.msgpack.encode(row.hits))
    return dict.fromkeys(ends, sum_.digest()) | found


def undeleted_rows(ledger: Reader, bank: str, cut: Cut) -> list[str]:
    """Problems: remains of old rows that should have been deleted with the others."""

    def back(number: int) -> Conversation[list[int]]:
        return [seq for (seq,) in (yield _BACK, (number, cut.seq))]

    said = [f"{bank}: row {seq} is archived, and here as well" for seq in ledger.ask(bank, back)]
    for table in ("posting", "hit_entry"):

        def asked(number: int, table: str = table) -> Conversation[list[int]]:
            return [seq for (seq,) in (yield _LOOSE.format(table=table), (number, cut.seq))]

        loose = ledger.ask(bank, asked)
        said += [f"{bank}: {table} has a line of row {seq}, which is archived" for seq in loose]
    return said


def untrue_cuts(ledger: Reader, bank: str) -> list[str]:
    """Problems: `archived` rows whose digest does not match the rows that stayed.

    Each is checked, however many came after it: rows that stay once stay for ever.
    """
    said, told = list[str](), cuts(ledger, bank)
    digests = _digests(ledger, bank, sorted({cut.seq for _, cut in told})) if told else {}
    for seq, cut in told:
        named = cut.hash, cut.epoch, cut.version
        said += [
            f"{bank}: row {seq} says that row {cut.seq} is another one than it is"
            for row in ledger.rows(bank, cut.seq - 1, 1)
            if row.seq == cut.seq and (row.hash, row.epoch, row.version) != named
        ]
        if digests[cut.seq] != cut.stays:
            said.append(
                f"{bank}: of rows 1 to {cut.seq}, which row {seq} says are archived, some stayed, and one of "
                "them was changed, added or taken away since"
            )
    return said


def why_not_archive(ledger: Reader, archive: Reader, bank: str, cut: Cut) -> str | None:
    """Why a ledger cannot be the archive of this one; None if it can.

    Its own rows are not verified here.
    """
    head = archive.head(bank)
    if head.seq < cut.seq:
        return f"{bank}: the archive ends at row {head.seq}, and rows up to {cut.seq} are archived"
    if cut_of(archive, bank) is not None:
        return f"{bank}: what was given as the archive lacks rows itself"
    for mine, theirs in zip_longest(staying(ledger, bank, cut.seq), staying(archive, bank, cut.seq)):
        if mine != theirs:
            seq = min(row.seq for row in (mine, theirs) if row is not None)
            return f"{bank}: row {seq} is another one in the archive than here"
    return None


def archive_differences(ledger: Reader, archive: Reader, banks: Iterable[str]) -> list[str]:
    """Problems: banks that the archive lacks or has otherwise than the ledger, and banks that only the
    archive has.

    An archive is a whole ledger: it has each bank that there was when the newest rows left, the people's too,
    whose chain says who signed. A bank that opened since may be missing until the archive is continued. One
    without a row is of an unfinished join, and is ignored.
    """
    heads = {bank: end for bank in archive.banks() if (end := archive.head(bank)).seq}
    said = [
        f"{bank}: the archive has this bank, and the ledger does not: it was taken out"
        for bank in sorted(heads.keys() - set(ledger.banks()))
    ]
    left_at = _last_left(ledger)
    for bank in banks:
        if (head := heads.get(bank)) is not None:
            row = next(iter(ledger.rows(bank, head.seq - 1, 1)), None)
            if row is None or (row.seq, row.hash) != (head.seq, head.hash):
                said.append(f"{bank}: the archive ends with a row {head.seq} that the ledger does not have")
        elif any(first.at <= left_at for first in ledger.rows(bank, 0, 1)):
            said.append(
                f"{bank}: the archive lacks this bank, which was there when rows left: it was taken out"
            )
    return said


def _last_left(ledger: Reader) -> int:
    """When rows of any bank last left for the archive, in unix milliseconds; -1 where none ever did."""
    seqs = ((bank, told[0][0]) for bank in ledger.banks() if (told := cuts(ledger, bank)))
    return max((row.at for bank, seq in seqs for row in ledger.rows(bank, seq - 1, 1)), default=-1)


def has_hash(ledger: Reader, bank: str, hash_: bytes, upto: int) -> bool:
    """Whether one of the rows up to that one has the hash; a linear scan."""

    def asked(number: int) -> Conversation[bool]:
        return bool((yield _HASHED, (number, upto, hash_)))

    return ledger.ask(bank, asked)


def archived_message(bank: str, cut: Cut) -> Sentence:
    """Message for callers that need archived rows."""
    return Sentence(
        "{bank}: tables' frames of rows 1 to {row} are archived: bring a copy of the archive up to date "
        "with `jackpot ledger backup COPY.db`; sqlite:///COPY.db is whole from row 1",
        bank=bank,
        row=cut.seq,
    )
