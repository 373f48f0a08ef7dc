"""Write interface of a ledger (the port of every backend) and its errors; `reading` has the read interface.

LedgerError
├── LedgerUnusable   it cannot be opened or read: missing, in use, not a ledger, a newer schema
├── DataRefused      the database, alive, refused this batch's data: nothing was written
├── Fenced           another writer has been here: nothing was written, this one must not write again
├── CommitInDoubt    it may or may not be written: `recover`, then `new_epoch`, then look
├── LedgerStopped    the disk failed twice: nothing it says can be believed, a person must look at it
└── LedgerCorrupt    what is written contradicts itself, or is not what was to be written
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeVar

from jackpot.ledger.journal import Head, Row, Snapshot
from jackpot.ledger.reading import Reader

# Of each bank: the two that a start needs, and one more should the journal not bear one of them out.
SNAPSHOTS_KEPT: Final = 3
# Of the older ones, one is kept each so many rows, so that `verify` can begin in many places at once: some
# seconds of its work. Where a state is large they lie further apart: as far as keeps it to a few bytes a row.
KEPT_APART: Final = 100_000
KEPT_BYTES_A_ROW: Final = 8
# Where rows were archived (kind 85), the oldest is what the rows that are left begin with.
# Which snapshots go when one of row ?2 was saved in bank ?1; ?3: how many of the newest stay, ?4: how far
# apart the others are.
DROP_SNAPSHOTS: Final = """
    DELETE FROM snapshot WHERE bank = ?1
        AND seq NOT IN (SELECT seq FROM snapshot WHERE bank = ?1 AND seq <= ?2 ORDER BY seq DESC LIMIT ?3)
        AND NOT (seq = (SELECT min(seq) FROM snapshot WHERE bank = ?1) AND EXISTS (
            SELECT 1 FROM journal WHERE +bank = ?1 AND kind = 85 AND table_seq IS NULL))
        AND (seq > ?2 OR seq < ?4 OR EXISTS (
            SELECT 1 FROM snapshot AS older
            WHERE older.bank = ?1 AND older.seq < snapshot.seq AND older.seq > snapshot.seq - ?4))
"""


def kept_apart(snapshot: Snapshot) -> int:
    """Distance in rows between the snapshots of such a state that are kept for `verify`."""
    return max(KEPT_APART, len(snapshot.state) // KEPT_BYTES_A_ROW)


Statement = tuple[str, tuple[Any, ...]]
"""SQL, in which a value's place is ?1, ?2 and so on, and its values."""

T = TypeVar("T")


class LedgerError(Exception):
    """Base of all that a ledger raises; its text is one sentence for the operator."""


class LedgerUnusable(LedgerError):
    """The ledger cannot be opened or read as it is."""


class DataRefused(LedgerError):
    """The batch cannot be written, ever: it was rolled back and the connection goes on."""


class Fenced(LedgerError):
    """The head is not where this writer left it: another took the bank."""


class CommitInDoubt(LedgerError):
    """It is unknown whether the last transaction is durable; only `recover` may follow."""


class LedgerStopped(LedgerError):
    """A second failure of the disk, or a lost file: stopped for the life of this process."""


class LedgerCorrupt(LedgerError):
    """The journal, its postings and its head do not fit together; says where."""


def fenced(bank: str, epoch: int) -> Fenced:
    """Error to raise if a writer's epoch is not the bank's any more."""
    return Fenced(f"bank {bank} was taken by another writer: epoch {epoch} is over")


_SOMEBODYS_HAND: Final = (
    "a trigger or rule that is not the ledger's interferes; nothing was kept, and jackpot verify "
    "says which it is"
)


def not_written(table: str, wrote: int, asked: int) -> LedgerCorrupt:
    """Error to raise, before COMMIT, if the database did not write exactly so many rows (S5).

    table: "all" for a transaction's, which counts what triggers wrote and deleted as well.
    """
    rows = "rows in all" if table == "all" else f"rows of {table}"
    return LedgerCorrupt(f"the database wrote {wrote} {rows}, not {asked}: {_SOMEBODYS_HAND}")


def not_kept(said: str) -> LedgerCorrupt:
    """Error to raise, before COMMIT, if written rows are not there (S5). said: how many are."""
    return LedgerCorrupt(f"the database did not keep what it wrote: {said}: {_SOMEBODYS_HAND}")


class Store(Protocol):
    """The book of record: the one port through which it is written, for asyncio.

    created: opening it made its schema; applied: the notes of the migrations that this took, each with its
    number. warnings: what an operator should change, a sentence each. shared: other servers can reach it too,
    so that a bank's lease must be watched and confirmed.

    Calls are carried out in order. Cancelling one waits for it to end, since a commit cannot be taken back:
    then the call's own error is raised, or CancelledError if it succeeded. After CommitInDoubt every call but
    `recover` and `close` raises CommitInDoubt again; after LedgerStopped every call but `close` raises
    LedgerStopped.
    """

    created: bool
    applied: list[str]
    warnings: list[str]
    shared: bool

    async def new_epoch(
        self, bank: str, holder: str, at_least: int = 0, *, expected: Head | None = None
    ) -> Head:
        """Takes the bank for `holder` by one acknowledged commit that raises the epoch. Returns its head.

        Makes a new bank's head. at_least: the epoch of a ledger that is copied here. seen: the head that the
        taking was decided on. Raises Fenced where that has moved since, or where another process took the
        bank from this one; CommitInDoubt.
        """

    async def open_banks(self, firsts: Sequence[Row]) -> None:
        """Makes new banks, each with its first row and free to be taken: all in one transaction.

        Raises DataRefused where one of them is there already, CommitInDoubt, LedgerCorrupt as in `append`.
        """

    async def beat(self, bank: str, epoch: int) -> None:
        """Confirms the lease without any other work. Raises Fenced, CommitInDoubt."""

    async def release(self, bank: str, epoch: int) -> None:
        """Gives the lease up: nobody holds the bank now, its epoch stays. Raises Fenced, CommitInDoubt."""

    async def append(self, bank: str, epoch: int, seq_before: int, rows: Sequence[Row]) -> None:
        """Makes the rows durable, in one transaction, or raises.

        rows: one or more, of `epoch` or (a copy) older ones, dense from seq_before + 1. Raises DataRefused,
        Fenced, CommitInDoubt; LedgerCorrupt, having kept nothing, where the database did not write them all.
        """

    async def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keeps a snapshot of durable rows and the two before it, and no other of its bank.

        In a transaction of its own.
        """

    async def change(self, *statements: Statement) -> list[tuple[Any, ...]]:
        """Changes side tables in one transaction. Returns the rows of the last statement.

        Raises DataRefused, CommitInDoubt.
        """

    async def recover(self) -> None:
        """After doubt: a fresh connection on which what is read is durable; `new_epoch` must follow.

        Raises CommitInDoubt where it may be tried again (the disk is still full), else LedgerStopped.
        """

    async def close(self) -> None:
        """Ends the use of the ledger; nothing else may be called after it."""

    async def head(self, bank: str) -> Head:
        """As in `Reader`."""

    async def rows(self, bank: str, after: int, limit: int) -> list[Row]:
        """As in `Reader`."""

    async def held(self, bank: str) -> bool:
        """Whether the connection that took the bank still stands; False proves nothing about the process."""

    async def run(self, work: Callable[[Reader], T]) -> T:
        """Runs a function of several reads (rebuild, verify) in a thread that may block."""

    def leave(self) -> None:
        """Abandons calls under way: they end in doubt, and so does every later call but `close`."""
