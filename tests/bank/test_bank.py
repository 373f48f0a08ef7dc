"""Every caller of a bank gets an answer, or BankStopped."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from jackpot.app import Server
from jackpot.bank.bank import BankStopped
from jackpot.bank.lifecycle import LifecycleState
from jackpot.bank.writer import Writer
from jackpot.ledger.store import CommitInDoubt
from jackpot.rules.acts.readings import Reading
from tests.running_server import WAIT_S, Faulty, configure, doubt, on_loop, table, until


@on_loop
async def test_a_stopped_bank_takes_no_command_in_silence(tmp_path: Path) -> None:
    """WIRE: a stopped bank refuses a command aloud, and a table is sent to the active server."""
    config = configure(tmp_path)
    async with Server(config) as server, table(server) as device:
        writer = server.writers["main"]
        writer.lifecycle.state = LifecycleState.WATCHING
        with pytest.raises(BankStopped, match="starting"):
            writer.act(Reading("2026-01-01"), lambda _outcome: None)
        device.wager(1, "R1", 1)
        assert (await device.type("error", "ack", "nack"))["code"] == "not_active"
        writer.lifecycle.state = LifecycleState.SERVING


async def ask_in_vain(writer: Writer) -> None:
    """A query that is refused when the bank ends."""
    with pytest.raises(BankStopped):
        await writer.ask(lambda engine: engine.seq)


@on_loop
async def test_a_question_does_not_outlive_the_bank(tmp_path: Path) -> None:
    """S5: a query after the end of the server is refused, and one that was pending as well."""
    config = configure(tmp_path)
    ledger = Faulty(config)
    async with asyncio.TaskGroup() as group, AsyncExitStack() as tables:
        async with Server(config, ledger=ledger) as server:
            device = await tables.enter_async_context(table(server))
            writer = server.writers["main"]
            ledger.faults.append(doubt)
            ledger.recover_faults = [CommitInDoubt("database or disk is full") for _ in range(100)]
            device.wager(1, "R1", 1)
            assert (await device.type("link"))["state"] == "suspended"
            asked = group.create_task(ask_in_vain(writer))
            await until(lambda: writer.sequencer.depth == 2)
        assert (await device.type("error"))["code"] == "not_active"
        for question in (asked, ask_in_vain(writer)):
            await asyncio.wait_for(question, WAIT_S)
