"""Idempotency of the server's own acts: once for each key, and again after a refusal."""

import asyncio

import pytest

from jackpot.api.idempotency import IdempotencyCache
from jackpot.api.operation import NotDone
from jackpot.api.queries.servers import HandedOver
from jackpot.rules.codes import Code
from tests.running_server import on_loop

# A digest ends with its key.
ASKED, OTHER = b"asked" + b"k" * 8, b"other" + b"k" * 8


@on_loop
async def test_the_same_act_is_done_once_however_often_it_is_asked() -> None:
    """S5: who asks while it is being done waits for the one answer; another act with the key is refused."""
    once, answer = IdempotencyCache(), HandedOver(bank="main", holder="b")
    begun, times = asyncio.Event(), []

    async def work() -> HandedOver:
        times.append(1)
        begun.set()
        await refused.wait()
        return answer

    refused = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(once.done(ASKED, work)) for _ in range(2)]
        await begun.wait()
        with pytest.raises(NotDone) as other:
            await once.done(OTHER, work)
        refused.set()
    assert [one.result() for one in asked] == [answer, await once.done(ASKED, work)]
    assert (len(times), other.value.code) == (1, Code.KEY_USED)


@on_loop
async def test_what_was_refused_is_tried_again() -> None:
    """S5: a refusal is no answer to keep, for what stood in the way may be over."""
    once, answer = IdempotencyCache(), HandedOver(bank="main", holder="b")

    async def refuse() -> HandedOver:
        raise NotDone(Code.BUSY, "not now")

    async def work() -> HandedOver:
        return answer

    with pytest.raises(NotDone, match="not now"):
        await once.done(ASKED, refuse)
    assert await once.done(ASKED, work) == answer
