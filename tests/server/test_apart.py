"""Is long work done in processes that are few, asked once for one question, and ended in time?"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from jackpot.odds.aside import Told
from jackpot.rules.codes import Code
from jackpot.server.apart import Apart, Late
from jackpot.server.asks.ask import NotDone
from tests.odds.test_aside import asked
from tests.server.bed import WAIT_S, on_loop, until

ANN, BO = 1, 2


class Held(Apart):
    """Its processes answer once they may. begun: the questions, in order."""

    def __init__(self, *, each: int, most: int, at_once: int = 1) -> None:
        super().__init__("nothing", "the reader", each=each, most=most, at_once=at_once)
        self.begun: list[bytes] = []
        self.ended = asyncio.Event()

    async def _answer(self, question: bytes, _within_s: float) -> bytes:
        self.begun.append(question)
        await self.ended.wait()
        return question.upper()


def running(code: str) -> Apart:
    """Real processes of that code, which reads its question as the others do."""
    apart = Apart("nothing", "the reader", each=9, most=9)
    apart._program = (
        sys.executable,
        "-c",
        f"from jackpot import behind; behind.answer(lambda question: {code})",
    )
    return apart


def children() -> list[str]:
    """The processes that this one has started, and that live."""
    return [
        pid for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()
    ]


@asynccontextmanager
async def asking(apart: Apart, *who: tuple[bytes, int]) -> AsyncIterator[list["asyncio.Task[bytes]"]]:
    """Questions on their way."""
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
        tasks = [group.create_task(apart.ask(question, person, WAIT_S)) for question, person in who]
        await asyncio.sleep(0)  # each has come as far as it can without an answer
        await asyncio.sleep(0)
        yield tasks


@on_loop
async def test_one_question_asked_twice_is_answered_once() -> None:
    """Misuse: the same report for two people is one process, and counts for who asked first."""
    apart = Held(each=1, most=2)
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
    apart = Held(each=2, most=3)
    async with asking(apart, (b"a", ANN), (b"b", ANN), (b"c", BO)):
        for question, person in ((b"d", ANN), (b"d", 3)):
            with pytest.raises(NotDone) as refused:
                await apart.ask(question, person, WAIT_S)
            assert refused.value.code is Code.BUSY
        apart.ended.set()
    assert await apart.ask(b"d", ANN, WAIT_S) == b"D"


@on_loop
async def test_what_nobody_waits_for_ends() -> None:
    """Misuse: once all who asked have left, the question is dropped, and its place is free."""
    apart = Held(each=1, most=1)
    async with asking(apart, (b"a", ANN), (b"a", BO)) as tasks:
        tasks[0].cancel()
        await until(lambda: len(apart.begun) == 2)
        assert len(apart._asked) == 1, "the second one has it asked again"
        tasks[1].cancel()
    assert not apart._asked
    apart.ended.set()
    assert await apart.ask(b"b", BO, WAIT_S) == b"B"


@on_loop
async def test_a_process_is_ended_at_its_limit_and_one_that_fails_is_told_of() -> None:
    """Misuse: none outlives its time; what breaks, or wants more memory than it may have, is a refusal."""
    before = children()
    with pytest.raises(Late):
        await running("__import__('signal').pause()").ask(b"", ANN, 0.1)
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
    apart = Apart("jackpot.odds.aside", "the lab", each=1, most=1)
    said = await apart.ask(msgspec.json.encode(asked(players=9)), ANN, WAIT_S)
    assert msgspec.json.decode(said, type=Told).problem == "players: let-it-ride seats 1 to 7, not 9"
