"""The asyncio store on SQLite loses no error, no order, and no commit of a cancelled caller."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import pytest

from jackpot.ledger.journal import Row, Snapshot
from jackpot.ledger.sqlite import file
from jackpot.ledger.sqlite.async_sqlite import AsyncSqliteStore
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import CommitInDoubt, Fenced, LedgerError
from jackpot.ledger.thread_executor import ThreadExecutor
from tests import ceilings
from tests.faults.disk import Disk
from tests.ledger.material import rows

T = TypeVar("T")


def test_the_store_is_the_ledger(tmp_path: Path) -> None:
    """S5: every call reaches the ledger and brings back what it gave."""

    async def use() -> None:
        store = AsyncSqliteStore(SqliteLedger(tmp_path / "ledger.db"))
        assert (await store.head("main")).epoch == 0
        assert (await store.new_epoch("main", "test")).epoch == 1
        written = rows(4)
        await store.append("main", 1, 0, written)
        assert await store.rows("main", 1, 2) == written[1:3]
        snapshot = Snapshot("main", 4, written[-1].hash, 1, b"state")
        await store.save_snapshot(snapshot)
        assert await store.run(lambda ledger: ledger.newest_snapshot("main")) == snapshot
        assert await store.run(lambda ledger: ledger.newest_snapshot("main", 4)) is None
        await store.recover()
        assert (await store.new_epoch("main", "test")).seq == 4
        assert await store.run(lambda ledger: ledger.sums("main", None, 4)) != []
        await store.close()

    asyncio.run(use())


def test_errors_arrive(tmp_path: Path) -> None:
    """DESIGN 4: what the ledger raises is raised where it was asked."""

    async def use() -> None:
        store = AsyncSqliteStore(SqliteLedger(tmp_path / "ledger.db"))
        await store.new_epoch("main", "test")
        with pytest.raises(Fenced):
            await store.append("main", 7, 0, rows(1, epoch=7))
        await store.close()

    asyncio.run(use())


def test_one_thread_does_it_all(tmp_path: Path) -> None:
    """DESIGN 1: calls are carried out in order, one at a time, in a thread of their own."""

    async def use() -> list[str]:
        store = AsyncSqliteStore(SqliteLedger(tmp_path / "ledger.db"))
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(store.run(lambda _: threading.current_thread().name)) for _ in range(5)
            ]
        await store.close()
        return [task.result() for task in tasks]

    names = set(asyncio.run(use()))
    assert len(names) == 1
    assert names != {threading.current_thread().name}


class Noted(SqliteLedger):
    """A ledger that records its batches and checkpoints in order. fails: whether a checkpoint does."""

    def __init__(self, path: Path, disk: Disk) -> None:
        super().__init__(path, disk.name)
        self.noted: list[str] = []
        self.fails = False
        self._disk = disk

    def append(self, bank: str, epoch: int, seq_before: int, rows: Sequence[Row]) -> None:
        super().append(bank, epoch, seq_before, rows)
        self.noted.append("batch")

    def checkpoint(self) -> None:
        self._disk.revive_sync = self.fails
        super().checkpoint()
        self.noted.append("checkpoint")


def test_the_log_is_looked_after_between_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN, the ledger: checkpoints run off the commit path; a failed one leaves the next call in doubt."""
    monkeypatch.setattr(file, "CHECKPOINT_BYTES", 0)
    disk = Disk("ledger-later", Random(1))

    async def use() -> None:
        ledger = Noted(tmp_path / "ledger.db", disk)
        store, written = AsyncSqliteStore(ledger), rows(6)
        await store.new_epoch("main", "test")
        for start in (0, 2):
            await store.append("main", 1, start, written[start : start + 2])
        assert (await store.head("main")).seq == 4
        assert ledger.noted == ["batch", "checkpoint"] * 2
        ledger.fails = True
        await store.append("main", 1, 4, written[4:])
        with pytest.raises(CommitInDoubt):
            await store.head("main")
        await store.recover()
        assert (await store.new_epoch("main", "test")).seq == 6
        await store.close()

    asyncio.run(use())
    disk.unregister()


def test_the_thread_is_not_woken_for_a_short_log(tmp_path: Path) -> None:
    """DESIGN, the ledger: a lone batch costs its thread one waking, for nothing else is due after it."""

    class Counted(ThreadExecutor):
        asked = 0

        def later(self, work: Callable[[], Any]) -> None:
            self.asked += 1
            super().later(work)

    async def use() -> int:
        aside = Counted()
        store = AsyncSqliteStore(SqliteLedger(tmp_path / "ledger.db"), aside)
        await store.new_epoch("main", "test")
        await store.append("main", 1, 0, rows(2))
        await store.close()
        return aside.asked

    assert asyncio.run(use()) == 0


class Gate:
    """A job that signals its start, and ends when released."""

    def __init__(self, end: Callable[[SqliteLedger], None]) -> None:
        self.begun = threading.Event()
        self.let = threading.Event()
        self.end = end

    def __call__(self, ledger: SqliteLedger) -> None:
        self.begun.set()
        assert self.let.wait(30)
        self.end(ledger)


async def cancel_within(store: AsyncSqliteStore, gate: Gate) -> bool:
    """Whether a caller, cancelled twice while its work is under way, ends so; its error comes in a group."""
    async with asyncio.TaskGroup() as group:
        task = group.create_task(store._call(gate))
        await asyncio.get_running_loop().run_in_executor(None, gate.begun.wait, 30)
        for _ in range(2):
            task.cancel()
            done, _ = await asyncio.wait({task}, timeout=0)
            assert not done
        gate.let.set()
    return task.cancelled()


def test_a_cancelled_call_is_waited_for(tmp_path: Path) -> None:
    """S5: a commit under way cannot be taken back, so cancelling returns when it is done."""

    async def use() -> None:
        store = AsyncSqliteStore(SqliteLedger(tmp_path / "ledger.db"))
        await store.new_epoch("main", "test")
        assert await cancel_within(store, Gate(lambda ledger: ledger.append("main", 1, 0, rows(3))))
        assert (await store.head("main")).seq == 3
        await store.close()

    asyncio.run(use())


def test_a_cancelled_call_keeps_its_error(tmp_path: Path) -> None:
    """DESIGN 4: the failure of a cancelled call is not lost: it is raised in place of the cancellation."""

    def fail(_ledger: SqliteLedger) -> None:
        raise LedgerError("the disk is gone")

    async def use() -> None:
        store = AsyncSqliteStore(SqliteLedger(tmp_path / "ledger.db"))
        with pytest.raises(ExceptionGroup) as raised:
            await cancel_within(store, Gate(fail))
        assert raised.group_contains(LedgerError, match="the disk is gone")
        await store.close()

    asyncio.run(use())


def test_a_call_that_hangs_is_left(tmp_path: Path) -> None:
    """A disk that hangs keeps nobody: what waits for it ends in doubt, what had not begun never does."""

    async def use() -> None:
        gate, began = Gate(lambda _ledger: None), list[int]()
        store = AsyncSqliteStore(SqliteLedger(tmp_path / "ledger.db"))
        async with asyncio.timeout(ceilings.WAIT_S), asyncio.TaskGroup() as group:
            calls = [group.create_task(doubtful(store._call(gate)))]
            await asyncio.get_running_loop().run_in_executor(None, gate.begun.wait, 30)
            calls.append(group.create_task(doubtful(store.run(lambda _ledger: began.append(1)))))
            await asyncio.sleep(0)
            store.leave()
        assert all(call.result() for call in calls)
        assert await doubtful(store.head("main"))
        await store.close()
        gate.let.set()
        assert began == []

    asyncio.run(use())


async def doubtful(call: Coroutine[Any, Any, object]) -> bool:
    """Whether the call ends in doubt."""
    try:
        await call
    except CommitInDoubt:
        return True
    return False
