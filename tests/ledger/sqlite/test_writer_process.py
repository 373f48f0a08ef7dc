"""The writer process writes what the thread would; each way that it ends is doubt."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from jackpot.ledger.journal import Row
from jackpot.ledger.sqlite import writer_process
from jackpot.ledger.sqlite.async_sqlite import AsyncSqliteStore
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.sqlite.writer_process import ENDED
from jackpot.ledger.store import CommitInDoubt, DataRefused, Fenced, LedgerCorrupt
from tests import ceilings
from tests.ledger.material import rows

LARGE = 3
# Somebody's triggers: one refuses rows, the other leaves them out.
REFUSES = "CREATE TRIGGER refuses BEFORE INSERT ON posting BEGIN SELECT RAISE(ABORT, 'no'); END"
LESS = "CREATE TRIGGER less BEFORE INSERT ON posting BEGIN SELECT RAISE(IGNORE); END"


def with_store(path: Path, use: Callable[[AsyncSqliteStore], Awaitable[None]]) -> None:
    """A ledger whose batches of three rows and more are large."""

    async def run() -> None:
        async with asyncio.timeout(ceilings.WAIT_S):
            store = AsyncSqliteStore(SqliteLedger(path), large=LARGE)
            try:
                await use(store)
            finally:
                await store.close()

    asyncio.run(run())


def writing(path: Path) -> list[int]:
    """The processes that write this ledger: none, or one."""
    children = Path("/proc/thread-self/children").read_text().split()
    return [int(pid) for pid in children if str(path) in Path(f"/proc/{pid}/cmdline").read_text()]


async def until_begun(store: AsyncSqliteStore) -> int:
    """The process that writes this ledger, once it takes batches."""
    while not await store._appender.ready():  # noqa: ASYNC110 - a process sends no event
        await asyncio.sleep(0.01)
    (pid,) = writing(store._ledger.path)
    return pid


async def until_ended(store: AsyncSqliteStore) -> None:
    """Returns once the process that was started is none that takes batches."""
    while store._appender._process is not None:
        assert not await store._appender.ready()
        await asyncio.sleep(0.01)


async def frozen(store: AsyncSqliteStore) -> tuple[int, list[Row]]:
    """The process that wrote four rows, and hangs from now on; and the four rows that come next."""
    await store.new_epoch("main", "test")
    made, pid = rows(8), await until_begun(store)
    await store.append("main", 1, 0, made[:4])
    os.kill(pid, signal.SIGSTOP)
    return pid, made[4:]


def test_large_and_small_batches_take_turns(tmp_path: Path) -> None:
    """S5: rows of both ways are there at once, in order and whole; no process is started for small ones."""

    async def use(store: AsyncSqliteStore) -> None:
        await store.new_epoch("main", "test")
        made, start = rows(46), 0
        for size in (2, 1, 3, 3, 2, 12, 1, 19, 3):
            assert bool(writing(tmp_path)) == (start > 3)
            if start > 6:
                await until_begun(store)
            await store.append("main", 1, start, made[start : start + size])
            start += size
            assert (await store.head("main")).seq == start
        assert await store.rows("main", 0, 100) == made

    with_store(tmp_path / "ledger.db", use)
    assert writing(tmp_path) == []


def test_a_small_batch_waits_for_the_large_one_before_it(tmp_path: Path) -> None:
    """DESIGN 1: two banks of a file are written in the order of their calls. Who reads does not wait."""

    async def use(store: AsyncSqliteStore) -> None:
        for bank in ("main", "other"):
            await store.new_epoch(bank, "test")
        pid = await until_begun(store)
        os.kill(pid, signal.SIGSTOP)
        async with asyncio.TaskGroup() as group:
            large = group.create_task(store.append("main", 1, 0, rows(LARGE)))
            small = group.create_task(store.append("other", 1, 0, rows(1, bank="other")))
            await asyncio.sleep(0)
            assert (await store.head("other")).seq == 0
            assert not small.done()
            os.kill(pid, signal.SIGCONT)
            await small
            assert large.done()

    with_store(tmp_path / "ledger.db", use)


def test_ctrl_c_is_for_the_server_alone(tmp_path: Path) -> None:
    """A terminal interrupts the server's group: from its first moment the process is in another one."""

    async def use(store: AsyncSqliteStore) -> None:
        await store.new_epoch("main", "test")
        await store.append("main", 1, 0, rows(LARGE))
        (pid,) = writing(tmp_path)
        assert os.getpgid(pid) == pid != os.getpgid(0)

    with_store(tmp_path / "ledger.db", use)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_end_is_left_to_the_server(tmp_path: Path, number: int) -> None:
    """DESIGN 4: a supervisor may tell every process of a unit to end; what is in hand is written."""

    async def use(store: AsyncSqliteStore) -> None:
        await store.new_epoch("main", "test")
        made, pid = rows(LARGE), await until_begun(store)
        os.kill(pid, number)
        await store.append("main", 1, 0, made)
        assert (writing(tmp_path), await store.rows("main", 0, 100)) == ([pid], made)

    with_store(tmp_path / "ledger.db", use)


# A server of which nothing matters but that it started such a process, which reads what the server was given.
SERVER = """
import subprocess, sys
words = "-P", "-m", "jackpot.ledger.sqlite.writer_process", sys.argv[1]
with subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, process_group=0) as process:
    process.stdout.readline()
    print(process.pid, flush=True)
"""


def test_it_ends_with_a_server_that_is_killed(tmp_path: Path) -> None:
    """S5: also where another process keeps its input open: nobody may write for the dead."""
    path = tmp_path / "ledger.db"
    SqliteLedger(path).close()
    words = [sys.executable, "-c", SERVER, str(path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        pid = int(server.stdout.readline())
        server.kill()
        server.wait()
        wait_until_ended(pid)


def wait_until_ended(pid: int) -> None:
    """Returns once nothing of that process runs any more."""
    ends = time.monotonic() + 30
    while not has_ended(pid):
        assert time.monotonic() < ends
        time.sleep(0.01)


def has_ended(pid: int) -> bool:
    """Whether nothing of it runs any more: what nobody has waited for yet is a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_its_errors_arrive(tmp_path: Path) -> None:
    """DESIGN 4: what it met is raised where the batch was given; only doubt ends it."""

    async def use(store: AsyncSqliteStore) -> None:
        await store.new_epoch("main", "test")
        made = rows(12)
        await until_begun(store)
        await store.append("main", 1, 0, made[:4])
        with pytest.raises(Fenced, match="epoch 7 is over"):
            await store.append("main", 7, 4, made[4:8])
        await store.change((REFUSES, ()))
        with pytest.raises(DataRefused, match="no"):
            await store.append("main", 1, 4, made[4:8])
        await store.change(("DROP TRIGGER refuses", ()))
        await store.change((LESS, ()))
        with pytest.raises(LedgerCorrupt):
            await store.append("main", 1, 4, made[4:8])
        await store.change(("DROP TRIGGER less", ()))
        await store.append("main", 1, 4, made[4:])
        assert await store.rows("main", 0, 100) == made

    with_store(tmp_path / "ledger.db", use)


def test_its_end_is_doubt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S5: nothing is read or written before `recover`, by no bank; then the thread writes, later another."""

    async def use(store: AsyncSqliteStore) -> None:
        made = {bank: rows(12, bank=bank) for bank in ("main", "other")}
        for bank in made:
            await store.new_epoch(bank, "test")
            await store.append(bank, 1, 0, made[bank][:4])
        pid = await until_begun(store)
        os.kill(pid, signal.SIGSTOP)
        async with asyncio.TaskGroup() as group:
            for bank in made:
                group.create_task(doubted(store, bank, made[bank][4:8]))
            await asyncio.sleep(0)
            os.kill(pid, signal.SIGKILL)
        for bank in made:
            with pytest.raises(CommitInDoubt, match=ENDED):
                await store.head(bank)
        for bank in made:
            await store.recover()
            assert (await store.new_epoch(bank, "test")).seq == 4
            await store.append(bank, 2, 4, rows(8, bank=bank, epoch=2, after=made[bank][3]))
        assert writing(tmp_path) == []
        monkeypatch.setattr(writer_process, "AGAIN_S", 0.0)
        assert await until_begun(store) != pid

    with_store(tmp_path / "ledger.db", use)


async def doubted(store: AsyncSqliteStore, bank: str, more: list[Row]) -> None:
    with pytest.raises(CommitInDoubt, match=ENDED):
        await store.append(bank, 1, 4, more)


def test_a_process_that_hangs_is_left(tmp_path: Path) -> None:
    """A disk that hangs keeps nobody: what waits for it ends in doubt, and the store can be closed."""

    async def use(store: AsyncSqliteStore) -> None:
        _, more = await frozen(store)
        async with asyncio.TaskGroup() as group:
            asked = group.create_task(left(store, more))
            await asyncio.sleep(0)
            store.leave()
            await asked

    with_store(tmp_path / "ledger.db", use)


async def left(store: AsyncSqliteStore, more: list[Row]) -> None:
    with pytest.raises(CommitInDoubt, match="not waited for"):
        await store.append("main", 1, 4, more)


def test_a_cancelled_batch_is_waited_for(tmp_path: Path) -> None:
    """S5: a commit under way cannot be taken back, so cancelling returns when it is done."""

    async def use(store: AsyncSqliteStore) -> None:
        pid, more = await frozen(store)
        async with asyncio.TaskGroup() as group:
            asked = group.create_task(store.append("main", 1, 4, more))
            await asyncio.sleep(0)
            asked.cancel()
            done, _ = await asyncio.wait({asked}, timeout=0)
            assert not done
            os.kill(pid, signal.SIGCONT)
        assert asked.cancelled()
        assert (await store.head("main")).seq == 8

    with_store(tmp_path / "ledger.db", use)


def test_a_doubt_of_the_thread_ends_it_too(tmp_path: Path) -> None:
    """DESIGN, the ledger: after a failure of the file, no connection from before it writes again."""

    async def use(store: AsyncSqliteStore) -> None:
        await store.new_epoch("main", "test")
        await until_begun(store)
        store._ledger.file.doubt("the disk failed")
        with pytest.raises(CommitInDoubt, match="the disk failed"):
            await store.append("main", 1, 0, rows(1))
        await store.recover()
        assert writing(tmp_path) == []

    with_store(tmp_path / "ledger.db", use)


@pytest.mark.parametrize("program", ["/nowhere/python", "/bin/false", "/bin/echo"])
def test_without_such_a_process_the_thread_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    """DESIGN 4: where it cannot be started, ends at once, or is another program, nothing is in doubt.

    It is tried again later.
    """
    right = sys.executable
    monkeypatch.setattr(sys, "executable", program)

    async def use(store: AsyncSqliteStore) -> None:
        await store.new_epoch("main", "test")
        made = rows(12)
        await store.append("main", 1, 0, made[:4])
        await until_ended(store)
        await store.append("main", 1, 4, made[4:8])
        monkeypatch.setattr(sys, "executable", right)
        assert not await store._appender.ready()
        monkeypatch.setattr(writer_process, "AGAIN_S", 0.0)
        await until_begun(store)
        await store.append("main", 1, 8, made[8:])
        assert await store.rows("main", 0, 100) == made

    with_store(tmp_path / "ledger.db", use)


def test_where_no_thread_can_watch_it_the_thread_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN 4: a limit on tasks may allow a process, and not asyncio's thread that waits for its end."""

    def none_left(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    async def use(store: AsyncSqliteStore) -> None:
        await store.new_epoch("main", "test")
        with monkeypatch.context() as limited:
            limited.setattr(threading.Thread, "start", none_left)
            await store.append("main", 1, 0, rows(LARGE))
        assert (await store.head("main")).seq == LARGE
        for pid in writing(tmp_path):
            os.kill(pid, signal.SIGKILL)

    with_store(tmp_path / "ledger.db", use)
