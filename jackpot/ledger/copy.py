"""How does a whole ledger get into another, of either kind? Copied row by row, then proved.

Rows up to a head never change, so a copy taken while a server runs is what the ledger was at that head;
each bank is copied to its own. A copy that was interrupted goes on, and a finished one takes what has come
since, as long as nobody else has written into it.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

import msgspec

from jackpot.ledger.journal import Head, Row, Snapshot, chained, genesis
from jackpot.ledger.rebuild import PAGE_ROWS, check_sealed
from jackpot.ledger.store import Ledger, LedgerCorrupt, LedgerError, LedgerUnusable, Reader
from jackpot.ledger.verify import verify

# Who holds a copy's banks; a server that takes one puts its own name there, and it is a copy no longer.
HOLDER: Final = "copy"

# And until it is proved: a part of a ledger, which no server takes.
UNFINISHED: Final = "unfinished copy"

# Called with what is being done, how many rows it has behind it, and how many it will have.
Progress = Callable[[str, int, int], None]


class NotACopy(LedgerError):
    """The target holds something else than the source did: nothing was written."""


class Copied(msgspec.Struct, frozen=True):
    """One bank that was copied. head: the source's, at which the copy stands. rows: how many were added."""

    head: Head
    rows: int


def copy(source: Reader, target: Ledger, progress: Progress = lambda _what, _done, _of: None) -> list[Copied]:
    """Brings every bank of `source` into `target` and proves it: `carry`, `prove`, then `finish`.

    Raises what they raise. After CommitInDoubt, or any other interruption, the same call goes on.
    """
    copied = carry(source, target, progress)
    prove(target, [bank.head for bank in copied], progress)
    finish(target)
    return copied


def carry(
    source: Reader, target: Ledger, progress: Progress = lambda _what, _done, _of: None
) -> list[Copied]:
    """Adds to `target` what `source` has beyond it: rows with their epochs and hashes, newest snapshots.

    Raises NotACopy before anything is written, LedgerUnusable for an empty source, LedgerCorrupt, naming the
    row, before the page with a row that does not follow from the one before it; and what the ledgers raise.
    """
    heads = heads_of(source)
    _check(source, target, heads)
    return [Copied(head, _carry_bank(source, target, head, progress)) for head in heads]


def finish(target: Ledger) -> None:
    """From here on it is a whole ledger, which a server may take."""
    for bank in target.banks():
        target.new_epoch(bank, HOLDER)


def heads_of(ledger: Reader) -> list[Head]:
    """Where each bank stands. Raises LedgerUnusable if there is none, LedgerCorrupt if a head is gone."""
    heads = [ledger.head(bank) for bank in ledger.banks()]
    if not heads:
        raise LedgerUnusable("the ledger is empty: no server has ever opened it")
    for head in heads:
        if head.epoch == 0:
            raise LedgerCorrupt(f"{head.bank}: its head is gone")
    return heads


def prove(ledger: Reader, heads: Sequence[Head], progress: Progress = lambda _what, _done, _of: None) -> None:
    """Verifies every bank of a ledger from its first row and holds its head against the one it was copied to.

    Raises LedgerCorrupt with the first problem (S3, M4).
    """
    if set(ledger.banks()) != {head.bank for head in heads}:
        raise LedgerCorrupt(f"the ledger has the banks {ledger.banks()}: others than were copied")
    for head in heads:
        report = verify(ledger, head.bank, head.hash, partial(progress, f"{head.bank}: proving"))
        for problem in report.problems:
            raise LedgerCorrupt(problem)
        if (report.head.seq, report.head.hash) != (head.seq, head.hash):
            raise LedgerCorrupt(
                f"{head.bank}: the copy stands at row {report.head.seq}, it was copied to row {head.seq}"
            )


def _check(source: Reader, target: Ledger, heads: list[Head]) -> None:
    """Only a new ledger, or one that holds nothing but what the source held, is written to."""
    unknown = set(target.banks()) - {head.bank for head in heads}
    if unknown:
        raise NotACopy(f"the target has a bank that the source does not know: {', '.join(sorted(unknown))}")
    for head in heads:
        there = target.head(head.bank)
        if there.epoch == 0:
            continue
        if there.seq > head.seq:
            raise NotACopy(
                f"{head.bank}: the target has {there.seq} rows, the source {head.seq}: no copy of it"
            )
        if there.hash != _hash_at(source, head, there.seq):
            raise NotACopy(f"{head.bank}: row {there.seq} of the target is not the source's: no copy of it")
        if there.holder not in {HOLDER, UNFINISHED}:
            raise NotACopy(
                f"{head.bank}: the target is a copy no longer: {there.holder or 'a server'} has taken it"
            )


def _hash_at(source: Reader, head: Head, seq: int) -> bytes | None:
    """The hash that the source has at `seq`, itself or what stands in its place before the first row."""
    if seq == head.seq:
        return head.hash
    if seq == 0:
        return genesis(head.bank)
    return next((row.hash for row in source.rows(head.bank, seq - 1, 1) if row.seq == seq), None)


def _carry_bank(source: Reader, target: Ledger, head: Head, progress: Progress) -> int:
    """One bank up to `head`; how many rows were added."""
    start = target.new_epoch(head.bank, UNFINISHED, at_least=head.epoch)
    seq, last = start.seq, start.hash
    progress(f"{head.bank}: copying", seq, head.seq)
    while seq < head.seq:
        page = source.rows(head.bank, seq, min(PAGE_ROWS, head.seq - seq))
        if not page:
            raise LedgerCorrupt(f"{head.bank}: row {seq + 1} is missing, the head stands at {head.seq}")
        for number, row in enumerate(page, seq + 1):
            _check_row(row, number, last)
            last = row.hash
        target.append(head.bank, start.epoch, seq, page)
        target.checkpoint()
        seq += len(page)
        progress(f"{head.bank}: copying", seq, head.seq)
    if last != head.hash:
        raise LedgerCorrupt(f"{head.bank}: the head names another hash than row {head.seq} has")
    for snapshot in _snapshots(source, head):
        target.save_snapshot(snapshot)
    return seq - start.seq


def _check_row(row: Row, seq: int, last: bytes) -> None:
    """Whether it is the row `seq` that follows from the one before, and balances."""
    if row.seq != seq:
        raise LedgerCorrupt(f"{row.bank}: row {seq} is missing, row {row.seq} is there")
    if chained(last, row) != row.hash:
        raise LedgerCorrupt(f"{row.bank}: row {seq} does not follow from row {seq - 1}")
    for posting in row.postings:
        if sum(posting[3:]) != 0:
            raise LedgerCorrupt(f"{row.bank}: row {seq} does not balance: {posting} (M4)")


def _snapshots(source: Reader, head: Head) -> list[Snapshot]:
    """Those that the chain seals, the older first."""
    found: list[Snapshot] = []
    snapshot = source.newest_snapshot(head.bank, below=head.seq)
    while snapshot is not None:
        with suppress(LedgerCorrupt):
            check_sealed(source, snapshot)
            found.append(snapshot)
        snapshot = source.newest_snapshot(head.bank, below=snapshot.seq)
    return found[::-1]
