"""Promotion of an asynchronous standby: the commits that it never received are detected."""

import asyncio
from pathlib import Path

from jackpot.app import Server
from jackpot.lab.testing.postgres import Postgres
from tests.e2e.test_database_commit import configured
from tests.running_server import administer, connected, on_loop, table, until


async def until_received(primary: Postgres, standby: Postgres) -> None:
    """Waits until the standby has all that the primary has now."""
    [(end,)] = await asyncio.to_thread(primary.sql, "SELECT pg_current_wal_lsn()::text")
    reached = f"SELECT pg_last_wal_replay_lsn() >= '{end}'"
    while await asyncio.to_thread(standby.sql, reached) != [(True,)]:
        pass


@on_loop
async def test_what_a_promoted_standby_lacks_is_missed(tmp_path: Path) -> None:
    """S4, S5: the server that acknowledged it stops its bank; started again, the table's own memory tells."""
    with Postgres(tmp_path / "first") as primary:
        standby = primary.standby(tmp_path / "second", "second")
        url = primary.create("ledger").replace("/ledger", f",127.0.0.1:{standby.port}/ledger")
        config = configured(tmp_path, url)
        async with Server(config) as server, table(server) as device:
            bank = server.banks["main"]
            device.wager(1, "R1", 1)
            await device.answer(1)
            await until_received(primary, standby)
            await asyncio.to_thread(standby.stop)
            device.wager(2, "R1", 2)
            assert (await device.answer(2))["t"] == "ack"
            lost = bank.sequencer.durable_seq
            await asyncio.to_thread(primary.kill)
            await asyncio.to_thread(standby.start)
            await asyncio.to_thread(standby.promote, alone=True)
            await until(lambda: bank.lifecycle.failed)
            assert f"row {lost}, which was acknowledged, is not in the ledger" in (
                bank.lifecycle.stopped or ""
            )
        async with Server(config) as server:
            async with connected(server.ports["tables"]) as device:
                await device.hello(config, "table", "T01", acked=2)
                assert (await device.type("error"))["code"] == "ledger_behind"
            confirmed = await administer(
                config,
                do="confirm-behind",
                table="T01",
                reason="the standby was behind",
                believe=True,
                by="Ann",
                and_by="Bo",
            )
            assert confirmed["ok"]
            async with table(server, acked=2) as device:
                device.wager(3, "R1", 3)
                assert (await device.answer(3))["t"] == "ack"
