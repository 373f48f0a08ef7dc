"""The server that the tester plays detects a device that does not send what it should."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from controllers.frames import encode
from jackpot.lab.conformance.played import ConformanceSession, Setting
from jackpot.lab.conformance.report import ConformanceReport
from tests.running_server import Device, connected, on_loop, until

KEY = bytes(range(32))


@asynccontextmanager
async def played() -> AsyncIterator[ConformanceSession]:
    """A server for table T01, open."""
    found = ConformanceSession(Setting("table", "T01", KEY, "five", 100, 500), ConformanceReport("table"))
    await found.open()
    try:
        yield found
    finally:
        await found.close()


@asynccontextmanager
async def table(server: ConformanceSession, **hello: int) -> AsyncIterator[Device]:
    """A welcomed table of raw frames."""
    async with connected(int(server.addresses[0].rpartition(":")[2])) as device:
        await device.greet(KEY, "table", "T01", **hello)
        await device.type("meters")
        yield device


async def answer_ping(device: Device) -> None:
    ping = await device.type("ping")
    device.say(t="pong", at=ping["at"])


def failed(server: ConformanceSession) -> list[str]:
    return [one.name for one, verdict, _ in server.report.results() if verdict == "fail"]


@on_loop
async def test_a_wrong_key_is_found() -> None:
    """WIRE handshake: the mac."""
    async with played() as server, connected(int(server.addresses[0].rpartition(":")[2])) as device:
        await device.greet(bytes(32), "table", "T01")
        assert (await device.type("error"))["code"] == "auth_failed"
        await until(lambda: failed(server) == ["hello"])


@on_loop
async def test_a_hello_without_acked_is_found() -> None:
    """WIRE handshake: the table's `acked` reveals answers that the ledger lost."""
    async with played() as server, table(server):
        assert failed(server) == ["acked"]


@pytest.mark.parametrize("acked", [0, 2])
@on_loop
async def test_an_acked_that_is_not_its_last_answer_is_found(acked: int) -> None:
    """WIRE handshake: `acked` is the highest seq that the table has an answer to."""
    async with played() as server:
        async with table(server, acked=0) as device:
            device.say(t="wager", seq=1, round="R1", bets=[{"seat": 1, "link": "five", "amount": 100}])
            await device.answer(1)
            line = server.line
            assert line is not None
            sure, _ = await asyncio.gather(server.fence(line), answer_ping(device))
            assert sure
        async with table(server, acked=acked):
            assert "acked" in failed(server)


@on_loop
async def test_a_second_connection_and_strange_frames_are_found() -> None:
    """WIRE faults: one connection, frames that are frames, pongs to pings."""
    async with played() as server, table(server, acked=0) as first, table(server, acked=0):
        assert failed(server) == ["one-connection"]
        first.say(t="pong", at=77)
        await until(lambda: "pong" in failed(server))
        first.writer.write(encode({"t": "lock", "round": "R1"}))
        await until(lambda: "frames" in failed(server))


@on_loop
async def test_a_65th_unanswered_command_is_found() -> None:
    """WIRE table commands: up to 64 may be unanswered."""
    async with played() as server, table(server, acked=0) as device:
        server.reply = lambda _: None
        for seq in range(1, 65):
            device.say(t="lock", seq=seq, round="R1")
        await until(lambda: len(server.held) == 64)
        assert failed(server) == []
        device.say(t="lock", seq=65, round="R1")
        await until(lambda: failed(server) == ["unanswered"])
