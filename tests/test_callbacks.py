"""Proves that an exception in an event-loop callback fails the test that caused it."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from tests.callbacks import failures_of_callbacks


def fail() -> None:
    raise ValueError("in a callback")


class Failing(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()
        fail()


async def soon() -> None:
    asyncio.get_running_loop().call_soon(fail)
    await asyncio.sleep(0)


async def later() -> None:
    loop = asyncio.get_running_loop()
    passed = loop.create_future()
    loop.call_later(0, fail)
    loop.call_later(0.001, passed.set_result, None)
    await passed


async def connected() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Failing, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    assert await reader.read() == b""
    writer.close()
    server.close()
    await server.wait_closed()


@pytest.mark.parametrize("cause", [soon, later, connected])
def test_what_a_callback_raises_is_found(cause: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """House: no exception is swallowed, not by an event loop either."""
    with failures_of_callbacks() as failed:
        asyncio.run(cause())
    assert len(failed) == 1
    assert "ValueError('in a callback')" in failed[0]


def test_a_quiet_loop_is_left_alone() -> None:
    """What a task raises is its group's, and no callback's."""

    async def work() -> None:
        with pytest.raises(ExceptionGroup):
            async with asyncio.TaskGroup() as group:
                group.create_task(raising())

    async def raising() -> None:
        fail()

    with failures_of_callbacks() as failed:
        asyncio.run(work())
    assert failed == []
