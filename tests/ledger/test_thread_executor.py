"""Jobs in the executor thread block nobody; their callers wait, leave or are cancelled."""

import asyncio
from collections.abc import Callable
from threading import Event

import pytest

from jackpot.ledger.store import CommitInDoubt
from jackpot.ledger.thread_executor import ThreadExecutor
from tests.running_server import on_loop


@on_loop
async def test_who_leaves_waits_for_nothing_that_was_asked() -> None:
    """DESIGN, ledger: a disk that hangs holds its thread and nobody else; what had not begun never begins."""
    aside, goes_on, began = ThreadExecutor(), Event(), list[str]()

    def work(name: str) -> None:
        began.append(name)
        goes_on.wait()

    async def left(name: str) -> None:
        with pytest.raises(CommitInDoubt, match="not waited for"):
            await aside.run(lambda: work(name))

    async with asyncio.TaskGroup() as tasks:
        for name in ("first", "second"):
            tasks.create_task(left(name))
        await asyncio.sleep(0)  # both are asked
        aside.leave()
    goes_on.set()
    assert await aside.run(lambda: "after") == "after"
    aside.end()
    assert "second" not in began


@on_loop
async def test_a_call_that_takes_too_long_is_given_up_alone() -> None:
    """Each reader waits for a time of its own: one that came later gets its answer after all."""
    aside, goes_on = ThreadExecutor(), Event()

    async def too_long() -> None:
        with pytest.raises(CommitInDoubt, match="not waited for"):
            await aside.run(goes_on.wait, within_s=0.01)
        goes_on.set()

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(too_long())
        await asyncio.sleep(0)  # it asks first
        assert await aside.run(lambda: "answer", within_s=30.0) == "answer"
    aside.end()


@on_loop
async def test_a_cancelled_caller_waits_for_the_end_of_its_work() -> None:
    """A commit is never left half heard: its caller drops it, hears its end, and is cancelled only then."""
    aside, goes_on, told = ThreadExecutor(), Event(), list[str]()

    def fails() -> None:
        goes_on.wait()
        raise OSError("the disk")

    async def called(work: Callable[[], object]) -> None:
        try:
            await aside.run(work, lambda: told.append("dropped"))
        except (asyncio.CancelledError, OSError) as error:
            told.append(type(error).__name__)

    for work, ends in ((goes_on.wait, "CancelledError"), (fails, "OSError")):
        goes_on.clear()
        told.clear()
        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(called(work))
            await asyncio.sleep(0)  # it asks first
            for _ in range(2):
                task.cancel()
                await asyncio.sleep(0)
            assert told == ["dropped", "dropped"]
            goes_on.set()
        assert told[2:] == [ends]
    aside.end()


@on_loop
async def test_the_threads_word_wakes_its_caller_at_once() -> None:
    """A lone wager waits for each step between the disk and its answer: one word, one waking, no more."""
    aside, loop, steps = ThreadExecutor(), asyncio.get_running_loop(), list[str]()
    await aside.run(lambda: None)  # the thread is there
    for name in ("call_soon", "call_soon_threadsafe"):
        setattr(loop, name, _noted(getattr(loop, name), name, steps))
    await aside.run(lambda: None)
    assert sorted(steps) == ["call_soon", "call_soon_threadsafe"]
    aside.end()


def _noted(call: Callable[..., object], name: str, into: list[str]) -> Callable[..., object]:
    """The same call, whose name is noted each time."""

    def noted(*args: object, **more: object) -> object:
        into.append(name)
        return call(*args, **more)

    return noted
