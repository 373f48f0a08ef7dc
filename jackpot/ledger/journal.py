"""Row of the journal and its hash chain.

README.md in this folder says the same to an auditor; both are fixed for ever.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

import msgspec

from jackpot.ledger.trigger_rows import TriggerChanges
from jackpot.rules.outcome import DecidedEntry
from jackpot.rules.postings import Posting

# First element of every canonical row: a later form could never be mistaken for this one.
ROW_FORMAT: Final = 1

_GENESIS_PREFIX: Final = b"jackpot ledger 1 "
_encode: Final = msgspec.msgpack.Encoder().encode


class Row(msgspec.Struct, frozen=True, gc=False):
    """One journalled command of one bank, with its postings.

    at: unix milliseconds. digest: 16 bytes, of the decoded request. postings: sorted by (link, level), at
    most one of each. hash: SHA-256 over the previous row's hash and `canonical` of this row. The other fields
    are those of `DecidedEntry`. hits: not hashed, since they follow from earlier rows. triggers: what its
    transaction does to the table next to the journal; only on the way there, and in no row that was read.
    """

    bank: str
    seq: int
    at: int
    epoch: int
    kind: int
    version: int
    link: int | None
    table: int | None
    table_seq: int | None
    digest: bytes
    body: bytes
    postings: tuple[Posting, ...]
    hash: bytes
    hits: tuple[int, ...] = ()
    triggers: TriggerChanges | None = None


class Head(msgspec.Struct, frozen=True):
    """Head of a bank: its last row, and its writer by lease and epoch.

    epoch: 0 before the first writer. seq, hash: of the last row; 0 and `genesis` in an empty bank.
    holder: the server that took the epoch, for people. beat: raised by a holder without work.
    """

    bank: str
    epoch: int
    seq: int
    hash: bytes
    holder: str
    beat: int


class Snapshot(msgspec.Struct, frozen=True):
    """The state after row `seq`, valid only where the journal holds that seq with that hash."""

    bank: str
    seq: int
    hash: bytes
    format: int
    state: bytes


def genesis(bank: str) -> bytes:
    """Previous hash of the first row of a bank; unique for each bank."""
    return sha256(_GENESIS_PREFIX + bank.encode()).digest()


def canonical(row: Row) -> bytes:
    """Canonical bytes of a row and its postings, without the hash: one msgpack array in a fixed order.

    Integers and lengths take their shortest form, digest and body are `bin`, absent values are nil.
    Raises OverflowError for an integer that 64 bits cannot hold.
    """
    return _encode((
        ROW_FORMAT, row.bank, row.seq, row.at, row.epoch, row.kind, row.version, row.link, row.table,
        row.table_seq, row.digest, row.body, row.postings,
    ))  # fmt: skip


def chained(previous: bytes, row: Row) -> bytes:
    """Hash of `row` behind a row whose hash is `previous`; 32 bytes."""
    return sha256(previous + canonical(row)).digest()


def row_of(
    bank: str, epoch: int, entry: DecidedEntry, previous: bytes, triggers: TriggerChanges | None = None
) -> Row:
    """The row that journals `entry` behind a row whose hash is `previous` (M4: postings go with it)."""
    hashed = (
        bank, entry.seq, entry.at, epoch, entry.kind, entry.version, entry.link, entry.table, entry.table_seq,
        entry.digest, entry.body, entry.postings,
    )  # fmt: skip
    row_hash = sha256(previous + _encode((ROW_FORMAT, *hashed))).digest()
    return Row(*hashed, row_hash, entry.hits, triggers)


def check_dense(bank: str, seq_before: int, seqs: Sequence[int]) -> None:
    """Raises ValueError, a caller's bug, unless these row numbers are dense behind seq_before."""
    if not seqs or seqs != list(range(seq_before + 1, seq_before + len(seqs) + 1)):
        raise ValueError(f"rows to append to {bank} are not dense from {seq_before + 1}")
