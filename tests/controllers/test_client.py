"""The reference client survives what a network does to it."""

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from controllers.client import SignClient, TableClient
from controllers.memory import FileMemory, VolatileMemory
from controllers.states import SessionState
from controllers.table import Offline
from tests.controllers.host import CEILING_S, Host, until
from tests.controllers.pair import KEY, Pair, said

BET = {"seat": 1, "link": "floor-five", "amount": 100}


def run(body: Coroutine[Any, Any, None]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(CEILING_S):
            await body

    asyncio.run(limited())


def table(*servers: str, **facts: Any) -> TableClient:
    told = facts.pop("on_push", None)
    client = TableClient("T01", KEY, servers, facts.pop("memory", None) or VolatileMemory(), **facts)
    client.on_push = told
    return client


def test_every_command_is_answered() -> None:
    """WIRE table commands: each method sends its message and returns its answer."""

    async def body() -> None:
        async with Host() as host, table(host.address) as client:
            await client.wait_online()
            answers = [
                await client.wager("R1", [BET], chips={"floor-five": 1}),
                await client.withdraw("R1", [{"seat": 1, "link": "floor-five"}]),
                await client.lock("R1", {"floor-five": 1}),
                await client.settle("R1", [{"seat": 1, "cards": ["As"]}], board=["Ks", "Qs"]),
                await client.close("R1", {"floor-five": 1}),
                await client.void("R1", "misdeal"),
            ]
            assert answers == [{"t": "ack", "seq": seq} for seq in range(1, 7)]
            kinds = [type(message).__name__ for message in host.ledger.applied]
            assert kinds == ["Wager", "Withdraw", "Lock", "Settle", "Close", "Void"]
            assert host.ledger.applied[0].chips == host.ledger.applied[2].chips == {"floor-five": 1}

    run(body())


def test_no_command_is_lost_when_the_line_breaks(tmp_path: Path) -> None:
    """WIRE table commands: reconnected, the client sends again what is unanswered, and nothing twice."""

    async def body() -> None:
        memory = FileMemory(tmp_path / "T01.log", sync=False)
        async with Host() as host, table(host.address, memory=memory) as client, asyncio.TaskGroup() as group:
            await client.wait_online()
            host.deaf = True
            calls = [group.create_task(client.lock(f"R{number}")) for number in range(100)]
            await until(lambda: len(client.session.pending) == 64)
            host.cut()
            host.deaf = False
            answers = [await call for call in calls]
            assert [answer["seq"] for answer in answers] == list(range(1, 101))
            assert [message.round for message in host.ledger.applied] == [f"R{n}" for n in range(100)]
        memory.close()

    run(body())


def test_a_restarted_table_finishes_what_it_began(tmp_path: Path) -> None:
    """WIRE handshake: commands survive the table's own power loss."""

    async def body() -> None:
        memory = FileMemory(tmp_path / "T01.log")
        async with Host() as host:
            host.deaf = True
            async with table(host.address, memory=memory) as client, asyncio.TaskGroup() as group:
                await client.wait_online()
                call = group.create_task(client.lock("R1"))
                await until(lambda: client.session.pending)
                call.cancel()
            memory.close()
            host.deaf = False
            memory = FileMemory(tmp_path / "T01.log")
            async with table(host.address, memory=memory) as client:
                await client.wait_online()
                await client.wait_answered()
                assert client.session.acked == host.ledger.seq == 1
            memory.close()

    run(body())


def test_the_list_of_servers_is_walked() -> None:
    """WIRE handshake: past one that is not there and one that is not active, to the active one."""

    async def body() -> None:
        told: list[Any] = []
        async with Host() as active, Host() as standby:
            standby.standby = ["not a server", active.address]
            async with table("127.0.0.1:1", standby.address, on_push=told.append) as client:
                await client.wait_online()
                assert (await client.lock("R1"))["t"] == "ack"
                assert active.ledger.seq == 1
        assert [message["t"] for message in told] == ["error", "welcome", "meters"]
        assert client.trouble is None  # it is in: what was wrong before is over

    run(body())


def test_servers_that_are_not_active_do_not_pass_a_table_to_and_fro() -> None:
    """WIRE handshake: two that name each other first, again and again; the third is the active one."""

    async def body() -> None:
        async with Host() as first, Host() as second, Host() as active:
            first.standby = [second.address, active.address]
            second.standby = [first.address, active.address]
            for known in (
                [first.address, second.address, active.address],
                [first.address, second.address],
                [first.address],
            ):
                async with table(*known, memory=VolatileMemory()) as client:
                    await client.wait_online()
            assert [len(host.sessions) for host in (first, second, active)] == [3, 3, 3]

    run(body())


def test_a_silent_server_takes_the_table_offline() -> None:
    """S4: no wager while the server is away; back in contact the table goes on by itself."""

    async def body() -> None:
        async with Host(heartbeat_ms=200) as host, table(host.address) as client:
            await client.wait_online()
            host.sessions[0].data_to_send = lambda: b""  # type: ignore[method-assign]
            await until(lambda: not client.online)
            with pytest.raises(Offline):
                await client.wager("R1", [BET])
            await client.wait_online()
            assert (await client.wager("R1", [BET]))["t"] == "ack"

    run(body())


def test_a_quiet_line_is_kept_alive() -> None:
    """WIRE faults: pings both ways keep a table that has nothing to say."""

    async def body() -> None:
        async with Host(heartbeat_ms=50) as host, table(host.address) as client:
            await client.wait_online()
            beats = host.sessions[0].next_deadline() + 10 * 0.05
            await until(lambda: host.sessions[0].next_deadline() > beats)
            assert len(host.sessions) == 1
            assert host.sessions[0].state is SessionState.TABLE

    run(body())


def test_a_sign_asks_for_its_links_alone() -> None:
    """WIRE handshake: a sign's hello names the links that it shows; left out, it shows all."""
    for links in (["floor-five"], None):
        sign = SignClient("S01", KEY, ["127.0.0.1:1"], links=links)
        pair = Pair(sign.session)
        assert sign.session.receive_bytes(pair.server.data_to_send(), 0.0) == []
        (hello,) = said(sign.session)
        assert hello.get("links") == links


def test_a_sign_shows_and_faults() -> None:
    """S7: a sign shows the values it is told, and its fault state without the server."""

    async def body() -> None:
        async with Host() as host, SignClient("S01", KEY, [host.address]) as sign:
            await until(lambda: sign.meters)
            assert (sign.showing, dict(sign.meters)) == (True, {("floor-five", "meter"): 12_345})
            host.cut()
            await until(lambda: not sign.showing)
            await until(lambda: sign.showing and sign.meters)
            assert len(host.sessions) == 2

    run(body())
