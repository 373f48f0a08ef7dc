"""What can be asked of a ledger, and how can it fail? The one interface of every backend.

LedgerError
├── LedgerUnusable   it cannot be opened or read: missing, in use, not a ledger, a newer schema
├── DataRefused      the database, alive, refused this batch's data: nothing was written
├── Fenced           another writer has been here: nothing was written, this one must not write again
├── CommitInDoubt    it may or may not be written: `recover`, then `new_epoch`, then look
├── LedgerStopped    the disk failed twice: nothing it says can be believed, a person must look at it
└── LedgerCorrupt    what is written contradicts itself, or is not what was to be written
"""

import asyncio
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from jackpot.ledger.journal import Head, Row, Snapshot
from jackpot.rules.postings import Posting

# Of each bank: the newest, and the one before it should the journal not bear the newest out.
SNAPSHOTS_KEPT: Final = 2

T = TypeVar("T")
Conversation = Generator[tuple[str, tuple[Any, ...]], Sequence[Any], T]
"""What is asked in SQL, the same for every backend: `reading` says how."""
Question = Callable[[int], Conversation[T]]
"""One about a bank, given its number in the database."""


class LedgerError(Exception):
    """Base of all that a ledger raises; its text is one sentence for the operator."""


class LedgerUnusable(LedgerError):
    """The ledger cannot be opened or read as it is."""


class DataRefused(LedgerError):
    """The batch cannot be written, ever: it was rolled back and the connection goes on."""


class Fenced(LedgerError):
    """The head is not where this writer left it: another took the bank."""


class CommitInDoubt(LedgerError):
    """Whether the last transaction is durable is unknown; only `recover` may follow."""


class LedgerStopped(LedgerError):
    """A second failure of the disk, or a lost file: stopped for the life of this process."""


class LedgerCorrupt(LedgerError):
    """The journal, its postings and its head do not fit together; says where."""


_SOMEBODYS_HAND: Final = (
    "a trigger or rule that is not the ledger's has its hand in it; nothing was kept, and jackpot verify "
    "says which it is"
)


def not_written(table: str, wrote: int, asked: int) -> LedgerCorrupt:
    """What to raise, before COMMIT, where the database says that it wrote other than so many rows (S5).

    table: "all" for a transaction's, which counts what triggers wrote and deleted as well.
    """
    rows = "rows in all" if table == "all" else f"rows of {table}"
    return LedgerCorrupt(f"the database wrote {wrote} {rows}, not {asked}: {_SOMEBODYS_HAND}")


def not_kept(said: str) -> LedgerCorrupt:
    """What to raise, before COMMIT, where rows that were written are not there (S5). said: how many are."""
    return LedgerCorrupt(f"the database did not keep what it wrote: {said}: {_SOMEBODYS_HAND}")


class Differences(NamedTuple):
    """problems: nothing may start with them. warnings: what an operator should know. A sentence each."""

    problems: list[str]
    warnings: list[str]


class Reader(Protocol):
    """What verify and rebuild need. Every call is a short read of its own, also while a writer is at work."""

    def banks(self) -> list[str]:
        """The banks that ever had a writer, in the order of their first."""

    def head(self, bank: str) -> Head:
        """Where the bank stands; epoch 0, seq 0 and the genesis hash where it is not known."""

    def rows(self, bank: str, after: int, limit: int) -> list[Row]:
        """At most `limit` rows with a seq above `after`, in order, each with its postings."""

    def newest_snapshot(self, bank: str, below: int | None = None) -> Snapshot | None:
        """The newest snapshot; `below`: of a seq less than that."""

    def sums(self, bank: str, after: int | None, upto: int) -> list[Posting]:
        """The database's own sums of the stored postings of seqs after < seq <= upto, by (link, level).

        after: None for no lower bound. cycle is 0 (M4).
        """

    def ask(self, bank: str, question: Question[T]) -> T:
        """The answer to a question that is asked in SQL."""

    def strays(self, bank: str) -> list[str]:
        """A sentence for each kind of row that belongs to no entry of any bank, none where all is well."""

    def schema(self) -> Differences:
        """How the stored schema differs from what the migrations make (S3)."""

    def close(self) -> None:
        """Ends the use of the ledger; nothing else may be called after it."""


class Ledger(Reader, Protocol):
    """The book of record, written by one thread at a time.

    created: opening it made its schema; applied: the notes of the migrations that this took, each with
    its number, none where the schema was up to date. After CommitInDoubt every call but `recover` and
    `close` raises CommitInDoubt again; after LedgerStopped every call but `close` raises LedgerStopped.
    """

    created: bool
    applied: list[str]

    def new_epoch(self, bank: str, holder: str, at_least: int = 0) -> Head:
        """Takes the bank for `holder`: one acknowledged commit that raises the epoch, then where it stands.

        Makes a new bank's head. at_least: the epoch of a ledger that is copied here. Raises CommitInDoubt.
        """

    def open_banks(self, firsts: Sequence[Row]) -> None:
        """Makes new banks, each with its first row and free to be taken: all in one transaction.

        Raises DataRefused where one of them is there already, CommitInDoubt, LedgerCorrupt as of `append`.
        """

    def beat(self, bank: str, epoch: int) -> None:
        """Confirms the lease without any other work. Raises Fenced, CommitInDoubt."""

    def release(self, bank: str, epoch: int) -> None:
        """Gives the lease up: nobody holds the bank now, its epoch stays. Raises Fenced, CommitInDoubt."""

    def append(self, bank: str, epoch: int, seq_before: int, rows: Sequence[Row]) -> None:
        """Makes the rows durable, in one transaction, or raises.

        rows: one or more, of `epoch` or (a copy) older ones, dense from seq_before + 1. Raises DataRefused,
        Fenced, CommitInDoubt; LedgerCorrupt, having kept nothing, where the database did not write them all.
        """

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keeps a snapshot of durable rows and the one before it, and no other of its bank.

        In a transaction of its own.
        """

    def checkpoint(self) -> None:
        """Housekeeping between batches, off the commit path; cheap where there is nothing to do."""

    def recover(self) -> None:
        """After doubt: a fresh connection on which what is read is durable; `new_epoch` must follow.

        Raises CommitInDoubt where it may be tried again (the disk is still full), else LedgerStopped.
        """


class Store(Protocol):
    """The same ledger for asyncio.

    created: opening it made its schema. warnings: what an operator should change, a sentence each.
    shared: other servers can reach it too, so that a bank's lease must be watched and confirmed.
    Cancelling any of these waits for the call to end, since a commit cannot be taken back: then the
    call's own error is raised, or CancelledError if it succeeded. Calls are carried out in order.
    """

    created: bool
    warnings: list[str]
    shared: bool

    async def held(self, bank: str) -> bool:
        """Whether the connection that took the bank still stands; false tells nothing about the process."""

    async def banks(self) -> list[str]: ...
    async def head(self, bank: str) -> Head: ...
    async def rows(self, bank: str, after: int, limit: int) -> list[Row]: ...
    async def newest_snapshot(self, bank: str, below: int | None = None) -> Snapshot | None: ...
    async def new_epoch(self, bank: str, holder: str, at_least: int = 0, *, seen: Head | None = None) -> Head:
        """As a Ledger's. seen: what a standby decided on; raises Fenced where the head has moved since."""

    async def beat(self, bank: str, epoch: int) -> None: ...
    async def release(self, bank: str, epoch: int) -> None: ...
    async def append(self, bank: str, epoch: int, seq_before: int, rows: Sequence[Row]) -> None: ...
    async def save_snapshot(self, snapshot: Snapshot) -> None: ...
    async def checkpoint(self) -> None: ...
    async def recover(self) -> None: ...
    async def run(self, work: Callable[[Ledger], T]) -> T:
        """Whatever takes several calls (rebuild), as one."""

    def leave(self) -> None:
        """Waits for nothing any more: what is under way ends in doubt, and so does all but `close`."""

    async def close(self) -> None: ...


_LEFT: Final = "the ledger did not answer in time, and is not waited for"


class Aside:
    """Work in one thread, in order. No end of the process waits for it: a hanging disk holds it for ever."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[Any]] = set()
        self._calls: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        Thread(target=self._work, name="ledger", daemon=True).start()

    def _work(self) -> None:
        while (asked := self._calls.get()) is not None:
            call, work = asked
            if call.set_running_or_notify_cancel():
                try:
                    call.set_result(work())
                except BaseException as error:  # noqa: BLE001 - it is raised where the call was made
                    call.set_exception(error)

    async def run(self, work: Callable[[], T]) -> T:
        """A cancelled caller waits for the end; then the work's error is raised, or CancelledError.

        Raises CommitInDoubt where it is not waited for any more.
        """
        asked: Future[T] = Future()
        call = asyncio.wrap_future(asked)
        self._waiting.add(call)
        self._calls.put((asked, work))
        cancelled: asyncio.CancelledError | None = None
        while not call.done():
            try:
                await asyncio.wait((call,))
            except asyncio.CancelledError as error:
                cancelled = error
        self._waiting.discard(call)
        if call.cancelled():
            raise CommitInDoubt(_LEFT)
        if cancelled is not None and call.exception() is None:
            raise cancelled
        return call.result()

    def leave(self) -> None:
        """Waits no longer for what is under way; what has not begun never does."""
        for call in self._waiting:
            call.cancel()

    def end(self) -> None:
        """Lets the thread end after what was asked of it."""
        self._calls.put(None)


class Threaded:
    """A synchronous Ledger in one thread of its own, as a Store; this process alone has it open."""

    shared = False

    def __init__(self, ledger: Ledger) -> None:
        self.created = ledger.created
        self.warnings: list[str] = []
        self._ledger = ledger
        self._left = False
        self._aside = Aside()

    async def run(self, work: Callable[[Ledger], T]) -> T:
        if self._left:
            raise CommitInDoubt(_LEFT)
        return await self._aside.run(lambda: work(self._ledger))

    def leave(self) -> None:
        self._left = True
        self._aside.leave()

    async def banks(self) -> list[str]:
        return await self.run(lambda ledger: ledger.banks())

    async def head(self, bank: str) -> Head:
        return await self.run(lambda ledger: ledger.head(bank))

    async def rows(self, bank: str, after: int, limit: int) -> list[Row]:
        return await self.run(lambda ledger: ledger.rows(bank, after, limit))

    async def newest_snapshot(self, bank: str, below: int | None = None) -> Snapshot | None:
        return await self.run(lambda ledger: ledger.newest_snapshot(bank, below))

    async def new_epoch(
        self,
        bank: str,
        holder: str,
        at_least: int = 0,
        *,
        seen: Head | None = None,  # noqa: ARG002 - nobody else can have moved it
    ) -> Head:
        return await self.run(lambda ledger: ledger.new_epoch(bank, holder, at_least))

    async def held(self, bank: str) -> bool:  # noqa: ARG002 - its lock file says so of every bank
        return True

    async def beat(self, bank: str, epoch: int) -> None:
        await self.run(lambda ledger: ledger.beat(bank, epoch))

    async def release(self, bank: str, epoch: int) -> None:
        await self.run(lambda ledger: ledger.release(bank, epoch))

    async def append(self, bank: str, epoch: int, seq_before: int, rows: Sequence[Row]) -> None:
        await self.run(lambda ledger: ledger.append(bank, epoch, seq_before, rows))

    async def save_snapshot(self, snapshot: Snapshot) -> None:
        await self.run(lambda ledger: ledger.save_snapshot(snapshot))

    async def checkpoint(self) -> None:
        await self.run(lambda ledger: ledger.checkpoint())

    async def recover(self) -> None:
        await self.run(lambda ledger: ledger.recover())

    async def close(self) -> None:
        if self._left:
            return  # the system closes its files, once it can
        try:
            await self.run(lambda ledger: ledger.close())
        finally:
            self._aside.end()
