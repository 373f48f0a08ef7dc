"""A committed mystery link on a PostgreSQL pair whose primary dies between a draw and its opening."""

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Any

from jackpot.app import Server
from jackpot.config import Config
from jackpot.lab.testing.postgres import Postgres
from jackpot.ledger.open import open_reader
from tests.bank.test_running_triggers import (
    Floor,
    floor,
    now_running,
    playing,
    proved,
    suspended,
    witnessed,
)
from tests.e2e.test_database_behind import until_received
from tests.running_server import LINK, administer, on_loop, table, until


def pair(folder: Path, primary: Postgres, standby: Postgres) -> Config:
    """A floor whose ledger is on two nodes."""
    url = primary.create("ledger").replace("/ledger", f",127.0.0.1:{standby.port}/ledger")
    return floor(folder, url)


def verified(config: Config) -> None:
    with closing(open_reader(config.ledger.url)) as ledger:
        proved(ledger)


async def fail_over(primary: Postgres, standby: Postgres) -> None:
    await asyncio.to_thread(primary.kill)
    await asyncio.to_thread(standby.promote, alone=True)


async def go_on(server: Server, name: str) -> list[dict[str, Any]]:
    """The table as it comes back once the bank is durable again: it closes its round, and plays on."""
    await until(lambda: server.banks["main"].active)
    async with table(server) as device:
        place = Floor(device)
        answer = await place.send(t="close", round=name)
        assert answer["t"] == "ack", answer
        won = answer.get("awards") or await place.until_won()
        await place.until_won()
    return list(won)


@on_loop
async def test_a_fail_over_between_draw_and_opening_changes_no_trigger(tmp_path: Path) -> None:
    """Y2, Y8, S5: the standby has the sealed trigger with its row; the round is won by that of before."""
    with Postgres(tmp_path / "first") as primary:
        standby = primary.standby(tmp_path / "second", "second")
        config = pair(tmp_path, primary, standby)
        primary.configure({"synchronous_standby_names": "second"})
        async with Server(config) as server:
            async with table(server) as device:
                name = await Floor(device).lock()
                row, trigger = await asyncio.to_thread(now_running, config)
            await fail_over(primary, standby)
            won = await go_on(server, name)
            assert 0 <= won[0]["amount"] * 10_000 - trigger.value < 500_000
        now, _ = await asyncio.to_thread(now_running, config)
        assert witnessed(config) == now.which.number > row.which.number
        await asyncio.to_thread(verified, config)


@on_loop
async def test_a_fail_over_that_loses_a_published_commitment_is_found_out(tmp_path: Path) -> None:
    """Y8: the bank stops; started again, no trigger of before is played on until two people state a value."""
    with Postgres(tmp_path / "first") as primary:
        standby = primary.standby(tmp_path / "second", "second")
        config = pair(tmp_path, primary, standby)
        async with playing(config) as place:
            await until_received(primary, standby)
            await asyncio.to_thread(standby.stop)
            await place.until_won()
            lost, _ = await asyncio.to_thread(now_running, config)
            await asyncio.to_thread(primary.kill)
            await asyncio.to_thread(standby.start)
            await asyncio.to_thread(standby.promote, alone=True)
            bank = place.server.banks["main"]
            await until(lambda: bank.lifecycle.failed)
        assert witnessed(config) == lost.which.number
        async with Server(config):
            assert suspended(await administer(config, do="/links")) == ["rolled_back"]
            resumed = {"cause": "rolled_back", "links": [LINK], "highest": [f"{LINK}.meter=19.00"]}
            answer = await administer(
                config, do="resume", by="Ann", and_by="Bo", reason="the standby was behind", **resumed
            )
            assert answer["ok"], answer
        now, trigger = await asyncio.to_thread(now_running, config)
        assert now.which.number > lost.which.number
        assert trigger.value > 19_000_000
        await asyncio.to_thread(verified, config)
