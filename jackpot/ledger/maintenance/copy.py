"""Copies a whole ledger into another one of either database, row by row, and proves the copy.

Rows up to a head never change. So a copy made while a server runs is the ledger as it was at that head; each
bank is copied up to its own head. A copy that was interrupted goes on. A finished one can take the rows that
have come since, if nobody else has written into it.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

import msgspec

from jackpot.ledger import keyring, papers, trigger_rows
from jackpot.ledger.archived import archived_message, cut_of
from jackpot.ledger.banks import COPY_HOLDER, UNFINISHED_COPY
from jackpot.ledger.journal import Head, Row, Snapshot, chained, genesis
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import PAGE_ROWS, check_sealed
from jackpot.ledger.store import LedgerCorrupt, LedgerError, LedgerUnusable, Store
from jackpot.ledger.trigger_rows import SealedTrigger
from jackpot.ledger.verify.verifier import VerifyOptions, verify

# Called with what is being done, how many rows are done, and how many there are.
Progress = Callable[[str, int, int], None]


class NotACopy(LedgerError):
    """The target holds other rows than the source: nothing was written."""


class Copied(msgspec.Struct, frozen=True):
    """One bank that was copied. head: the source's, at which the copy stands. rows: how many were added."""

    head: Head
    rows: int


async def copy(
    source: Store, target: Store, progress: Progress = lambda _what, _done, _of: None
) -> list[Copied]:
    """Copies every bank of `source` into `target` and proves it: `carry`, `prove`, then `finish`.

    Raises what they raise. After CommitInDoubt, or any other interruption, the same call goes on.
    """
    copied = await carry(source, target, progress)
    await prove(target, [bank.head for bank in copied], progress)
    await finish(target)
    return copied


async def carry(
    source: Store, target: Store, progress: Progress = lambda _what, _done, _of: None
) -> list[Copied]:
    """Adds to `target` what it lacks of `source`: rows with their epochs and hashes, the newest snapshots,
    and what lies next to the journal about people and payouts; running triggers, sealed, as of those heads.

    Raises NotACopy before anything is written; LedgerUnusable for an empty source; LedgerCorrupt if a row
    does not follow from the one before it, naming the row, before that page is written; and what the ledgers
    raise.
    """
    heads, triggers = await source.run(_heads_and_triggers)
    await _check(source, target, heads)
    copied = [Copied(head, await _carry_bank(source, target, head, progress)) for head in heads]
    await target.change(
        *await source.run(keyring.carried),
        *await source.run(papers.carried),
        *trigger_rows.carried(triggers),
    )
    return copied


async def finish(target: Store) -> None:
    """Marks the copy as a whole ledger, which a server may take."""
    for bank in await target.run(Reader.banks):
        await target.new_epoch(bank, COPY_HOLDER)


def heads_of(ledger: Reader) -> list[Head]:
    """The head of each bank. Raises LedgerUnusable if there is no bank, LedgerCorrupt if a head is gone."""
    heads = [ledger.head(bank) for bank in ledger.banks()]
    if not heads:
        raise LedgerUnusable("the ledger is empty: no server has ever opened it")
    for head in heads:
        if head.epoch == 0:
            raise LedgerCorrupt(f"{head.bank}: its head is gone")
    return heads


def _heads_and_triggers(ledger: Reader) -> tuple[list[Head], list[SealedTrigger]]:
    """The heads, as `heads_of`, and the running triggers of that very moment, by one statement.

    A trigger that was opened after its head was read would be missing where the copy's commitment still runs.
    """
    heads = heads_of(ledger)
    if trigger_rows.TABLE in ledger.version.lacks:
        return heads, []
    at, triggers = trigger_rows.stored_with_heads(ledger)
    return [
        msgspec.structs.replace(head, seq=at[head.bank][0], hash=at[head.bank][1]) for head in heads
    ], triggers


async def prove(
    ledger: Store, heads: Sequence[Head], progress: Progress = lambda _what, _done, _of: None
) -> None:
    """Verifies every bank of a ledger from its first row, and compares its head with the one copied to.

    Raises LedgerCorrupt with the first problem (S3, M4).
    """
    banks = await ledger.run(Reader.banks)
    if set(banks) != {head.bank for head in heads}:
        raise LedgerCorrupt(f"the ledger has the banks {banks}: others than were copied")
    for head in heads:
        tell = partial(progress, f"{head.bank}: proving")
        report = await ledger.run(
            partial(verify, bank=head.bank, known=head.hash, options=VerifyOptions(progress=tell))
        )
        for problem in report.problems:
            raise LedgerCorrupt(problem)
        if (report.head.seq, report.head.hash) != (head.seq, head.hash):
            raise LedgerCorrupt(
                f"{head.bank}: the copy stands at row {report.head.seq}, it was copied to row {head.seq}"
            )


async def _check(source: Store, target: Store, heads: list[Head]) -> None:
    """Refuses a target that holds anything that the source does not. A new ledger holds nothing."""
    unknown = set(await target.run(Reader.banks)) - {head.bank for head in heads}
    if unknown:
        raise NotACopy(f"the target has a bank that the source does not know: {', '.join(sorted(unknown))}")
    for head in heads:
        there = await target.head(head.bank)
        await _check_here(source, head.bank, there.seq)
        if there.epoch == 0:
            continue
        if there.seq > head.seq:
            raise NotACopy(
                f"{head.bank}: the target has {there.seq} rows, the source {head.seq}: no copy of it"
            )
        if there.hash != await _hash_at(source, head, there.seq):
            raise NotACopy(f"{head.bank}: row {there.seq} of the target is not the source's: no copy of it")
        if there.holder not in {COPY_HOLDER, UNFINISHED_COPY}:
            raise NotACopy(
                f"{head.bank}: the target is a copy no longer: {there.holder or 'a server'} has taken it"
            )


async def _check_here(source: Store, bank: str, after: int) -> None:
    """Raises NotACopy where rows after that one are archived: the source lacks some of them."""
    cut = await source.run(partial(cut_of, bank=bank))
    if cut is not None and after < cut.seq:
        raise NotACopy(f"{archived_message(bank, cut)}: copy that one")


async def _hash_at(source: Store, head: Head, seq: int) -> bytes | None:
    """The source's hash at `seq`: of that row, or for 0 the value before the first row."""
    if seq == head.seq:
        return head.hash
    if seq == 0:
        return genesis(head.bank)
    return next((row.hash for row in await source.rows(head.bank, seq - 1, 1) if row.seq == seq), None)


async def _carry_bank(source: Store, target: Store, head: Head, progress: Progress) -> int:
    """Copies one bank up to `head`: how many rows were added."""
    start = await target.new_epoch(head.bank, UNFINISHED_COPY, at_least=head.epoch)
    seq, last = start.seq, start.hash
    progress(f"{head.bank}: copying", seq, head.seq)
    while seq < head.seq:
        page = await source.rows(head.bank, seq, min(PAGE_ROWS, head.seq - seq))
        await _check_here(source, head.bank, seq)  # they may leave meanwhile
        if not page:
            raise LedgerCorrupt(f"{head.bank}: row {seq + 1} is missing, the head stands at {head.seq}")
        for number, row in enumerate(page, seq + 1):
            _check_row(row, number, last)
            last = row.hash
        await target.append(head.bank, start.epoch, seq, page)
        seq += len(page)
        progress(f"{head.bank}: copying", seq, head.seq)
    if last != head.hash:
        raise LedgerCorrupt(f"{head.bank}: the head names another hash than row {head.seq} has")
    for snapshot in await source.run(partial(_snapshots, head=head)):
        await target.save_snapshot(snapshot)
    return seq - start.seq


def _check_row(row: Row, seq: int, last: bytes) -> None:
    """Refuses a row that is not row `seq`, does not follow from the row before, or does not balance."""
    if row.seq != seq:
        raise LedgerCorrupt(f"{row.bank}: row {seq} is missing, row {row.seq} is there")
    if chained(last, row) != row.hash:
        raise LedgerCorrupt(f"{row.bank}: row {seq} does not follow from row {seq - 1}")
    for posting in row.postings:
        if sum(posting[3:]) != 0:
            raise LedgerCorrupt(f"{row.bank}: row {seq} does not balance: {posting} (M4)")


def _snapshots(source: Reader, head: Head) -> list[Snapshot]:
    """Snapshots that the chain seals, the older first."""
    found: list[Snapshot] = []
    snapshot = source.newest_snapshot(head.bank, below=head.seq)
    while snapshot is not None:
        with suppress(LedgerCorrupt):
            check_sealed(source, snapshot)
            found.append(snapshot)
        snapshot = source.newest_snapshot(head.bank, below=snapshot.seq)
    return found[::-1]
