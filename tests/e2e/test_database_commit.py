"""A connection that breaks exactly at COMMIT: each wager is counted once and answered once."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import pytest

from jackpot.app import Server, serve
from jackpot.config import Config, load
from jackpot.ledger.verify.verifier import verify
from tests.e2e import proxy as network
from tests.e2e.proxy import Plan, Proxy, proxying
from tests.ledger.backends import WAIT_S, Watcher, watching
from tests.ledger.waiting import open_ledger
from tests.running_server import LINK, Device, configure, on_loop, sign, table, until

SLOW_S = "jackpot.bank.bank.SLOW_COMMIT_S"
SUSPENDED = {"link": LINK, "state": "suspended", "reason": "ledger"}


class Bed:
    """A server that reaches its database through a proxy, a table and a sign."""

    def __init__(self, server: Server, proxy: Proxy, device: Device, board: Device) -> None:
        self.bank = server.banks["main"]
        self.proxy = proxy
        self.device = device
        self.board = board
        self.epoch = self.bank.sequencer.epoch

    async def wager(self, seq: int) -> dict[str, Any]:
        self.device.wager(seq, "R1", seq)
        return await self.device.answer(seq)

    async def told(self) -> None:
        """Waits until table and sign were told that the link is suspended, and why."""
        for each in (self.device, self.board):
            push = await each.hear(lambda push: push["t"] == "link" and push["state"] == "suspended")
            assert {name: push[name] for name in SUSPENDED} == SUSPENDED

    async def resumed(self) -> None:
        """Waits until both know that the link is active again; a table may be told before its answer."""
        for each in (self.device, self.board):
            states = [push["state"] for push in each.heard if push["t"] == "link"]
            if states[-1] != "active":
                await each.hear(lambda push: push["t"] == "link" and push["state"] == "active")


async def until_one(watcher: Watcher, query: str) -> None:
    """Waits until the query finds a row."""
    while not await watcher.run(query):  # noqa: ASYNC110 - a database sends no event
        await asyncio.sleep(0.01)


@asynccontextmanager
async def behind_a_proxy(database: str, folder: Path) -> AsyncIterator[Bed]:
    """Starts all of it; one wager has been answered."""
    async with proxying(urlsplit(database).port or 0) as proxy:
        url = database.replace(f":{proxy.target}/", f":{proxy.port}/")
        config = configured(folder, url)
        async with Server(config) as server, table(server) as device, sign(server) as board:
            bed = Bed(server, proxy, device, board)
            assert (await bed.wager(1))["t"] == "ack"
            yield bed


def configured(folder: Path, url: str) -> Config:
    path = configure(folder).path
    path.write_text(path.read_text().replace(f"sqlite:///{folder}/ledger.db", url))
    return load(path)


async def epochs(database: str) -> dict[int, list[int]]:
    """The epochs of the rows that each command of the table has."""
    connection = await asyncpg.connect(database)
    found: dict[int, list[int]] = {}
    for seq, epoch in await connection.fetch("SELECT table_seq, epoch FROM journal WHERE table_seq > 0"):
        found.setdefault(seq, []).append(epoch)
    await connection.close()
    return found


async def proven(bed: Bed, database: str, wagers: int) -> None:
    """Asserts that so many wagers are counted once each and shown, and that the books verify."""
    assert {seq: len(rows) for seq, rows in (await epochs(database)).items()} == dict.fromkeys(
        range(1, wagers + 1), 1
    )
    assert bed.bank.board.links[LINK].levels["mega"] == 1_000_000 + 9 * wagers
    assert bed.proxy.cancels == 0

    def look() -> None:
        with closing(open_ledger(database, readonly=True)) as ledger:
            assert verify(ledger, "main").problems == ()

    await asyncio.to_thread(look)


@pytest.mark.parametrize(
    ("plan", "again"), [(network.cut_before, True), (network.cut_after, False), (network.cut_during, None)]
)
@on_loop
async def test_a_connection_cut_at_commit(
    database: str, tmp_path: Path, plan: Plan, again: bool | None
) -> None:
    """S4, S5, DESIGN 4: not committed: decided again in the new epoch; committed: answered as decided."""
    async with behind_a_proxy(database, tmp_path) as bed:
        bed.proxy.plans.append(plan)
        assert (await bed.wager(2))["t"] == "ack"
        assert bed.bank.counts.doubts == 1
        assert bed.bank.sequencer.epoch == bed.epoch + 1
        found = await epochs(database)
        assert found[2] in ([[bed.epoch], [bed.epoch + 1]] if again is None else [[bed.epoch + again]])
        suspended = [push for push in bed.device.heard if push["t"] == "link"]
        assert suspended[0]["state"] == "suspended"
        assert (await bed.wager(3))["t"] == "ack"
        await proven(bed, database, 3)


@on_loop
async def test_a_connection_cut_at_commit_again_and_again(database: str, tmp_path: Path) -> None:
    """S4, DESIGN 4: many doubts in a row, committed and not: each command once, in its order."""
    async with behind_a_proxy(database, tmp_path) as bed:
        plans = [network.cut_after, network.cut_before, network.cut_during] * 3
        bed.proxy.plans += plans
        for seq in range(2, 8):
            bed.device.wager(seq, "R1", seq)
        for seq in range(2, 8):
            assert (await bed.device.answer(seq))["t"] == "ack"
        while bed.proxy.plans:
            bed.device.say(t="void", seq=(seq := seq + 1), round=f"R{seq}", reason="x")
            await bed.device.answer(seq)
        assert bed.bank.counts.doubts == len(plans)
        found = await epochs(database)
        assert all(len(rows) == 1 for rows in found.values())
        assert sorted(found) == list(range(1, seq + 1))


@on_loop
async def test_a_slow_commit_is_left_alone(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN 4, lease: after 2 s tables are told; the COMMIT is neither cancelled nor doubted."""
    async with behind_a_proxy(database, tmp_path) as bed:
        monkeypatch.setattr(SLOW_S, 0.05)
        bed.proxy.plans.append(bed.proxy.hold)
        bed.device.wager(2, "R1", 2)
        await bed.told()
        bed.proxy.go.set()
        assert (await bed.device.answer(2))["t"] == "ack"
        await bed.resumed()
        assert (bed.bank.counts.doubts, bed.bank.sequencer.epoch) == (0, bed.epoch)
        await proven(bed, database, 2)


@pytest.mark.parametrize("made", [False, True])
@on_loop
async def test_a_network_that_goes_dark_at_commit(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: bool
) -> None:
    """DESIGN 4, lease: no byte and no reset: tables are told; light again: looked at, and counted once."""
    async with behind_a_proxy(database, tmp_path) as bed:
        monkeypatch.setattr(SLOW_S, 0.05)
        bed.proxy.plans.append(bed.proxy.swallow_answer if made else bed.proxy.swallow)
        bed.device.wager(2, "R1", 2)
        await bed.told()
        await bed.proxy.held.wait()
        bed.device.wager(3, "R1", 3)
        assert (await epochs(database)).keys() == ({1, 2} if made else {1})
        bed.proxy.go.set()
        assert (await bed.device.answer(3))["t"] == "ack"
        await bed.resumed()
        await until(lambda: bed.bank.counts.doubts == 1)
        assert (await epochs(database))[2] == [bed.epoch if made else bed.epoch + 1]
        await proven(bed, database, 3)


@pytest.mark.parametrize("made", [False, True])
@on_loop
async def test_a_server_ends_while_its_commit_waits(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: bool
) -> None:
    """DESIGN 4: a server ends in bounded time and cancels nothing; the next one has the wager once."""
    monkeypatch.setattr("jackpot.app.STOP_WITHIN_S", 0.1)
    async with behind_a_proxy(database, tmp_path) as bed:
        bed.proxy.plans.append(bed.proxy.withhold if made else bed.proxy.hold)
        bed.device.wager(2, "R1", 2)
        await bed.proxy.held.wait()
    assert not [message for message in bed.device.heard if message.get("seq") == 2]
    assert bed.proxy.cancels == 0
    async with Server(configured(tmp_path, database)) as server, table(server, acked=1) as device:
        device.wager(2, "R1", 2)
        assert (await device.answer(2))["t"] == "ack"
        found = await epochs(database)
        assert found[2] == [bed.epoch if made else server.banks["main"].sequencer.epoch]


@on_loop
async def test_a_server_ends_while_it_waits_to_start(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN 4: SIGTERM ends a server in bounded time, also where its first epoch is not acknowledged."""
    monkeypatch.setattr("jackpot.app.STOP_WITHIN_S", 0.1)
    config = configured(tmp_path, database)
    waiting = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'jackpot' AND wait_event = 'relation'"
    async with watching(database) as locking, watching(database) as other, asyncio.TaskGroup() as group:
        await locking.run("BEGIN")
        await locking.run("LOCK TABLE head")
        serving = group.create_task(serve(config))
        async with asyncio.timeout(WAIT_S):
            await until_one(other, waiting)
            signal.raise_signal(signal.SIGTERM)
            await serving
        await locking.run("COMMIT")
        assert await other.run("SELECT count(*) FROM journal") == [(0,)]
