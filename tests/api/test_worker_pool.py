"""Worker pool: few processes, one for equal questions, each ended in time."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
import structlog

from jackpot.api.operation import NotDone
from jackpot.api.worker_pool import COMPLAINT_MAX, JOINED_EACH, WorkerPool, WorkerTimeout
from jackpot.odds.worker import LabReply
from jackpot.rules.codes import Code
from tests.odds.test_worker import asked
from tests.running_server import WAIT_S, on_loop, until

ANN, BO = 1, 2
PAUSE = "__import__('signal').pause()"


class Held(WorkerPool):
    """A worker pool whose processes answer once they may. begun: the questions, in order."""

    def __init__(self, *, each_max: int, total_max: int, at_once: int = 1) -> None:
        super().__init__("nothing", "the reader", each_max=each_max, total_max=total_max, at_once=at_once)
        self.begun: list[bytes] = []
        self.ended = asyncio.Event()

    async def _answer(self, question: bytes, _within_s: float) -> bytes:
        self.begun.append(question)
        await self.ended.wait()
        return question.upper()


def running(code: str, **more: Any) -> WorkerPool:
    """A pool of real processes of that code, which reads its question as the others do."""
    apart = WorkerPool("nothing", "the reader", each_max=9, total_max=9, **more)
    apart._program = (
        sys.executable,
        "-c",
        f"from jackpot import worker_limits; worker_limits.answer(lambda question: {code})",
    )
    return apart


def children() -> list[str]:
    """The live child processes of this one."""
    found: list[str] = []
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError):  # a thread that has ended meanwhile
            found += (task / "children").read_text().split()
    return found


@asynccontextmanager
async def asking(apart: WorkerPool, *who: tuple[bytes, int]) -> AsyncIterator[list["asyncio.Task[bytes]"]]:
    """Starts questions and leaves them on their way."""
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
        tasks = [group.create_task(apart.ask(question, person, WAIT_S)) for question, person in who]
        await asyncio.sleep(0)  # each has come as far as it can without an answer
        await asyncio.sleep(0)
        yield tasks


@on_loop
async def test_one_question_asked_twice_is_answered_once() -> None:
    """Misuse: the same report for two people is one process, and counts for who asked first."""
    apart = Held(each_max=1, total_max=2)
    async with asking(apart, (b"a", ANN), (b"a", BO), (b"a", ANN), (b"b", BO)) as tasks:
        assert apart.begun == [b"a"], "one at a time"
        apart.ended.set()
    assert [task.result() for task in tasks] == [b"A", b"A", b"A", b"B"]
    assert apart.begun == [b"a", b"b"]
    assert await apart.ask(b"a", ANN, WAIT_S) == b"A"
    assert apart.begun == [b"a", b"b", b"a"], "no answer is kept: the books have moved on"


@on_loop
async def test_nobody_fills_it_for_the_others() -> None:
    """Misuse: one person waits for so many, all for so many; what was answered counts no more."""
    apart = Held(each_max=2, total_max=3)
    async with asking(apart, (b"a", ANN), (b"b", ANN), (b"c", BO)):
        for question, person in ((b"d", ANN), (b"d", 3)):
            with pytest.raises(NotDone) as refused:
                await apart.ask(question, person, WAIT_S)
            assert refused.value.code is Code.BUSY
        apart.ended.set()
    assert await apart.ask(b"d", ANN, WAIT_S) == b"D"


@on_loop
async def test_what_nobody_waits_for_ends() -> None:
    """Misuse: it goes on while somebody waits; once all who asked have left, its process ends at once."""
    before, apart = children(), running(PAUSE)
    async with asking(apart, (b"a", ANN), (b"a", BO)) as tasks:
        await until(lambda: len(children()) == len(before) + 1)
        theirs = children()
        tasks[0].cancel()
        await asyncio.wait(tasks[:1])
        assert children() == theirs, "it is not begun once more for the other one"
        tasks[1].cancel()
    assert children() == before
    assert not apart._asked


@on_loop
async def test_a_question_counts_for_one_who_waits() -> None:
    """Misuse: who has left waits for nothing; what they asked counts for who has waited longest since."""
    apart = Held(each_max=1, total_max=3)
    async with asking(apart, (b"a", ANN), (b"a", BO)) as tasks:
        tasks[0].cancel()
        await asyncio.wait(tasks[:1])
        with pytest.raises(NotDone):
            await apart.ask(b"b", BO, WAIT_S)
        async with asking(apart, (b"b", ANN)):
            apart.ended.set()
    assert apart.begun == [b"a", b"b"]


@on_loop
async def test_nobody_waits_for_one_answer_without_end() -> None:
    """Misuse: one question joined again and again by one person is refused; another one may join it."""
    apart = Held(each_max=1, total_max=1)
    async with asking(apart, *[(b"a", ANN)] * JOINED_EACH, (b"a", BO)):
        with pytest.raises(NotDone) as refused:
            await apart.ask(b"a", ANN, WAIT_S)
        assert refused.value.code is Code.BUSY
        apart.ended.set()


@on_loop
async def test_a_process_is_ended_at_its_limit_and_one_that_fails_is_told_of() -> None:
    """Misuse: none outlives its time; what breaks, or wants more memory than it may have, is a refusal."""
    before = children()
    with pytest.raises(WorkerTimeout):
        await running(PAUSE).ask(b"", ANN, 0.1)
    for code in ("1 // 0", "bytes(2**40)"):
        with pytest.raises(NotDone) as failed:
            await running(code).ask(b"", ANN, WAIT_S)
        assert (failed.value.code, str(failed.value)) == (
            Code.INTERNAL,
            "the reader failed: the log says how",
        )
    assert await running("question * 2").ask(b"ab", ANN, WAIT_S) == b"abab"
    assert children() == before


@on_loop
async def test_it_runs_nothing_of_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Access: who may write to the folder that a server was started in cannot have it run their program."""
    (tmp_path / "msgspec.py").write_text("raise SystemExit('it was read from the working directory')")
    monkeypatch.chdir(tmp_path)
    apart = WorkerPool("jackpot.odds.worker", "the lab", each_max=1, total_max=1)
    said = await apart.ask(msgspec.json.encode(asked(players=9)), ANN, WAIT_S)
    refusal = msgspec.json.decode(said, type=LabReply).refusal
    assert refusal is not None
    assert (refusal.code, refusal.said.field) == (Code.BAD_REQUEST, "players")


@on_loop
async def test_where_none_can_be_started_it_is_busy() -> None:
    """Misuse: out of descriptors, processes or room for a folder, people are told to come again."""
    apart = running("question")
    apart._program = ("/nowhere/python",)
    with pytest.raises(NotDone) as refused:
        await apart.ask(b"", ANN, WAIT_S)
    assert (refused.value.code, str(refused.value)) == (
        Code.BUSY,
        "the reader cannot begin now: try again in some seconds",
    )


@on_loop
async def test_of_a_long_complaint_the_end_is_kept() -> None:
    """Misuse: what breaks with a long text fills neither the log nor the memory; its last words count."""
    code = "__import__('sys').stderr.write('x' * 10**6 + 'the last word') and 1 // 0"
    with structlog.testing.capture_logs() as logs, pytest.raises(NotDone):
        await running(code).ask(b"", ANN, WAIT_S)
    (complaint,) = [line["complaint"] for line in logs if line["event"] == "process_failed"]
    assert len(complaint) <= COMPLAINT_MAX
    assert "the last word" in complaint
    assert "ZeroDivisionError" in complaint


@on_loop
async def test_it_is_told_of_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Access: passwords and the service manager's socket are the server's; PG* for who reads a ledger."""
    for name in ("PGPASSWORD", "NOTIFY_SOCKET", "TZ"):
        monkeypatch.setenv(name, "UTC")
    code = "' '.join(__import__('os').environ).encode()"
    lab, reader = [
        set((await running(code, told=told).ask(b"", ANN, WAIT_S)).decode().split()) for told in ((), ("PG",))
    ]
    assert {"PATH", "TZ"} <= lab
    assert not {"PGPASSWORD", "NOTIFY_SOCKET"} & lab
    assert reader - lab == {"PGPASSWORD"}


@on_loop
async def test_its_folder_goes_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Access: matplotlib obeys no file of the working directory; what a killed process left is removed."""
    there, here = tmp_path / "there", tmp_path / "here"
    for folder in (there, here):
        folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(there))
    monkeypatch.chdir(here)
    (here / "matplotlibrc").write_text("font.size: 77")
    size = "str(__import__('matplotlib').rcParams['font.size']).encode()"
    assert await running(size).ask(b"", ANN, WAIT_S) == b"77.0"
    assert await running(size, own_folder=True).ask(b"", ANN, WAIT_S) == b"10.0"
    assert list(there.iterdir()) == []
    wrote = "open('left', 'w').close()"
    async with asking(running(f"{wrote} or {PAUSE}", own_folder=True), (b"", ANN)) as tasks:
        await until(lambda: bool(list(there.glob("*/left"))))
        tasks[0].cancel()
    assert list(there.iterdir()) == []


@on_loop
async def test_a_process_says_how_far_it_is() -> None:
    """What-if: progress comes line by line before the answer, which may be long, and only to who asked so."""
    code = "[worker_limits.tell(done, 30) for done in (10, 20, 30)] and question * 100_000"
    apart, told = running(code), list[tuple[int, int]]()
    answer = await apart.ask_with_progress(b"asked", ANN, WAIT_S, lambda done, of: told.append((done, of)))
    assert told == [(10, 30), (20, 30), (30, 30)]
    assert answer == b"asked" * 100_000
    assert apart._progress == {}


@on_loop
async def test_each_who_asks_the_same_is_told_how_far_it_is() -> None:
    """What-if: one process works for two people; who leaves takes the progress of nobody else away."""
    code = "[worker_limits.tell(done, 30) for done in (10, 20, 30)] and question * 100_000"
    apart, told = running(code), list[tuple[int, int]]()
    turn = apart._turns[""]
    await turn.acquire()

    async def ask(who: int) -> bytes:
        return await apart.ask_with_progress(
            b"asked", who, WAIT_S, lambda done, _of: told.append((who, done))
        )

    async with asyncio.TaskGroup() as both:
        first, second = (both.create_task(ask(who)) for who in (ANN, BO))
        await until(lambda: len(apart._progress[b"asked"]) == 2)
        await until(lambda: apart._asked[b"asked"].waiting[BO] == 1)
        first.cancel()
        await asyncio.wait([first])
        turn.release()
    assert second.result() == b"asked" * 100_000
    assert told == [(BO, done) for done in (10, 20, 30)]
