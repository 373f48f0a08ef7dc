"""Does work in a thread of its own hold nobody up?"""

import asyncio
from threading import Event

import pytest

from jackpot.ledger.aside import Aside
from jackpot.ledger.store import CommitInDoubt
from tests.server.bed import on_loop


@on_loop
async def test_who_leaves_waits_for_nothing_that_was_asked() -> None:
    """DESIGN, ledger: a disk that hangs holds its thread and nobody else; what had not begun never begins."""
    aside, goes_on, began = Aside(), Event(), list[str]()

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
    aside, goes_on = Aside(), Event()

    async def too_long() -> None:
        with pytest.raises(CommitInDoubt, match="not waited for"):
            await aside.run(goes_on.wait, within_s=0.01)
        goes_on.set()

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(too_long())
        await asyncio.sleep(0)  # it asks first
        assert await aside.run(lambda: "answer", within_s=30.0) == "answer"
    aside.end()
