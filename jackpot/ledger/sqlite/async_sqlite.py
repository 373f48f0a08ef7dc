"""Asyncio store on SQLite: the ledger is opened and used in one thread of its own.

Large batches go to a separate process (`writer_process`), which pays off where they follow one another. A
floor at its usual pace has none, and no such process. Thread and process take turns, in the order of the
calls: SQLite's own locking would make one of them poll.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from typing import Any, Final, Self, TypeVar

from jackpot.ledger.journal import Head, Row, Snapshot
from jackpot.ledger.reading import Reader
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.sqlite.writer_process import WriterProcess
from jackpot.ledger.store import CommitInDoubt, Statement
from jackpot.ledger.thread_executor import LEFT, ThreadExecutor

# So many rows are a large batch: writing them takes a few times as long as to hand them to another process.
LARGE: Final = 48

T = TypeVar("T")


class AsyncSqliteStore:
    """A Store on a ledger in SQLite, opened by this server only. aside: the executor of the ledger's thread.

    large: batches of so many rows are written by a process of their own; None where it shall be none.
    """

    shared = False

    def __init__(
        self, ledger: SqliteLedger, aside: ThreadExecutor | None = None, large: int | None = None
    ) -> None:
        self.created = ledger.created
        self.applied = ledger.applied
        self.warnings: list[str] = []
        self._ledger = ledger
        self._left = False
        self._aside = aside or ThreadExecutor()
        self._appender = WriterProcess(ledger.path)
        self._turn = asyncio.Lock()
        self._large = inf if large is None else large

    @classmethod
    async def open(cls, make: Callable[[], SqliteLedger], large: int | None = None) -> Self:
        """Opens the ledger in its thread. A cancelled caller does not wait for a disk that hangs.

        Raises what `make` raises; CommitInDoubt where the caller is cancelled.
        """
        aside, left = ThreadExecutor(), list[bool]()

        def opened() -> SqliteLedger:
            ledger = make()
            if left:
                ledger.close()
            return ledger

        def drop() -> None:
            left.append(True)
            aside.leave()

        try:
            return cls(await aside.run(opened, drop), aside, large)
        except BaseException:
            aside.end()
            raise

    async def _call(self, work: Callable[[SqliteLedger], T]) -> T:
        if self._left:
            raise CommitInDoubt(LEFT)
        return await self._aside.run(lambda: work(self._ledger))

    async def _write(self, work: Callable[[SqliteLedger], T]) -> T:
        async with self._turn:
            return await self._call(work)

    async def run(self, work: Callable[[Reader], T]) -> T:
        return await self._call(work)

    def leave(self) -> None:
        self._left = True
        self._appender.leave()
        self._aside.leave()

    async def head(self, bank: str) -> Head:
        return await self._call(lambda ledger: ledger.head(bank))

    async def rows(self, bank: str, after: int, limit: int) -> list[Row]:
        return await self._call(lambda ledger: ledger.rows(bank, after, limit))

    async def new_epoch(
        self,
        bank: str,
        holder: str,
        at_least: int = 0,
        *,
        expected: Head | None = None,  # noqa: ARG002 - nobody else can have moved it
    ) -> Head:
        return await self._write(lambda ledger: ledger.new_epoch(bank, holder, at_least))

    async def open_banks(self, firsts: Sequence[Row]) -> None:
        await self._write(lambda ledger: ledger.open_banks(firsts))

    async def held(self, bank: str) -> bool:  # noqa: ARG002 - its lock file says so of every bank
        return True

    async def beat(self, bank: str, epoch: int) -> None:
        await self._write(lambda ledger: ledger.beat(bank, epoch))

    async def release(self, bank: str, epoch: int) -> None:
        await self._write(lambda ledger: ledger.release(bank, epoch))

    async def append(self, bank: str, epoch: int, seq_before: int, rows: Sequence[Row]) -> None:
        async with self._turn:
            if len(rows) >= self._large and not self._left and await self._appender.ready():
                await self._append_apart(bank, epoch, seq_before, rows)
                return
            if self._left:
                raise CommitInDoubt(LEFT)
            await self._aside.run(partial(self._ledger.append, bank, epoch, seq_before, rows))
        # A thread that is woken for nothing takes the interpreter from the answers that are about to leave.
        if self._ledger.file.checkpoint_due:
            self._aside.later(self._ledger.checkpoint)  # where it fails, the file is in doubt

    async def _append_apart(self, bank: str, epoch: int, seq_before: int, rows: Sequence[Row]) -> None:
        self._ledger.file.ready()
        try:
            await self._appender.append(bank, epoch, seq_before, rows)
        except CommitInDoubt as error:
            self._ledger.file.doubt(str(error))
            raise

    async def save_snapshot(self, snapshot: Snapshot) -> None:
        await self._write(lambda ledger: ledger.save_snapshot(snapshot))

    async def change(self, *statements: Statement) -> list[tuple[Any, ...]]:
        return await self._write(lambda ledger: ledger.change(*statements))

    async def recover(self) -> None:
        async with self._turn:
            if self._left:
                raise CommitInDoubt(LEFT)
            await self._appender.end()  # whichever writer failed, both let go of the file
            await self._call(lambda ledger: ledger.recover())

    async def close(self) -> None:
        if self._left:
            return  # the system closes its files, once it can
        try:
            await self._appender.close()
            await self._call(lambda ledger: ledger.close())
        finally:
            self._aside.end()
