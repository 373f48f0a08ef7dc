"""Commits in doubt, as tables and operators see them; decisions follow the ledger afterwards."""

import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import aiohttp
import pytest

from jackpot.app import Server
from jackpot.ledger.store import CommitInDoubt
from jackpot.ledger.verify.verifier import verify
from tests.ledger.waiting import open_ledger
from tests.running_server import (
    LINK,
    WAIT_S,
    Faulty,
    administer,
    configure,
    connected,
    doubt,
    doubt_but_written,
    on_loop,
    refuse,
    sign,
    stop,
    table,
    until,
)


async def readiness(server: Server) -> int:
    address = f"http://127.0.0.1:{server.ports['http']}/readyz"
    async with aiohttp.ClientSession() as session, session.get(address) as response:
        return response.status


@pytest.mark.parametrize("fault", [doubt, doubt_but_written])
@on_loop
async def test_a_commit_in_doubt_suspends_and_resumes(
    tmp_path: Path, fault: Callable[[Callable[[], None]], None]
) -> None:
    """S4, DESIGN 4: told suspended at once, then resumed, then answered; the wager counts once either way."""
    config = configure(tmp_path)
    ledger = Faulty(config)
    async with Server(config, ledger=ledger) as server, table(server) as device, sign(server) as board:
        epoch = server.banks["main"].sequencer.epoch
        ledger.faults.append(fault)
        device.wager(1, "R1", 1)
        told = await device.type("link", "ack")
        assert (told["t"], told["state"], told["reason"]) == ("link", "suspended", "ledger")
        assert (await board.type("link"))["reason"] == "ledger"
        assert (await device.answer(1))["t"] == "ack"
        if not any(message.get("state") == "active" for message in device.heard):
            assert (await device.type("link"))["state"] == "active"
        assert server.banks["main"].sequencer.epoch == epoch + 1
        assert await readiness(server) == 200
        device.wager(2, "R1", 2)
        assert (await device.answer(2))["t"] == "ack"
        values = server.banks["main"].board.links[LINK].levels
        assert values["mega"] == 1_000_018
    with closing(open_ledger(configure(tmp_path).ledger.url)) as written:
        assert verify(written, "main").problems == ()


@on_loop
async def test_after_a_doubt_a_board_shows_what_is_durable_alone(tmp_path: Path) -> None:
    """S5, DESIGN 4: what was waiting is decided again at once, and is shown once that is durable."""
    config = configure(tmp_path)
    ledger = Faulty(config)
    async with Server(config, ledger=ledger) as server, table(server) as device:
        bank = server.banks["main"]
        held, go = threading.Event(), threading.Event()

        def poll_next_tick(append: Callable[[], None]) -> None:
            held.set()
            assert go.wait(WAIT_S)
            append()

        durable = bank.sequencer.durable_seq
        ledger.faults = [doubt, poll_next_tick]
        device.wager(1, "R1", 1)
        await until(held.is_set)
        # the new epoch's own row, and the wager
        assert (bank.sequencer.engine.seq, bank.sequencer.durable_seq) == (durable + 2, durable)
        assert (bank.board.rev, bank.board.links[LINK].levels["mega"]) == (durable, 1_000_000)
        go.set()
        assert (await device.answer(1))["t"] == "ack"
        assert bank.board.links[LINK].levels["mega"] == 1_000_009


@on_loop
async def test_a_full_disk_is_tried_again(tmp_path: Path) -> None:
    """DESIGN 4: while nothing can be written tables stay suspended and unanswered, `/readyz` says 503."""
    config = configure(tmp_path)
    ledger = Faulty(config)
    async with Server(config, ledger=ledger) as server, table(server) as device:
        full = CommitInDoubt("database or disk is full")
        ledger.faults.append(doubt)
        ledger.recover_faults = [full, full]
        device.wager(1, "R1", 1)
        assert (await device.type("link"))["state"] == "suspended"
        assert await readiness(server) == 503
        device.wager(2, "R1", 2)
        assert (await device.type("ack"))["seq"] == 1
        assert (await device.type("ack"))["seq"] == 2
        assert ledger.recover_faults == []


@on_loop
async def test_refused_data_begins_no_epoch(tmp_path: Path) -> None:
    """S9: what a table says is journalled once in an epoch, though the bank looked at its ledger again."""
    config = configure(tmp_path)
    ledger = Faulty(config)
    async with Server(config, ledger=ledger) as server, table(server) as device:

        async def say() -> None:
            async with connected(server.ports["tables"]) as late:
                await late.hello(config, "table", "T02", acked=7)
                assert (await late.type("error"))["code"] == "ledger_behind"

        sequencer = server.banks["main"].sequencer
        device.wager(1, "R1", 1)
        await device.answer(1)
        await say()
        ledger.faults = [refuse]
        device.say(t="lock", seq=2, round="R1")
        assert (await device.answer(2))["code"] == "internal"
        durable, epoch = sequencer.durable_seq, sequencer.epoch
        await say()
        assert (sequencer.durable_seq, sequencer.epoch) == (durable, epoch)


@on_loop
async def test_a_ledger_that_lies_stops_the_bank_for_good(tmp_path: Path) -> None:
    """DESIGN, SQLite: after a second I/O error nothing is believed; tables, pages and acts say so."""
    config = configure(tmp_path)
    ledger = Faulty(config)
    async with Server(config, ledger=ledger) as server, table(server) as device:
        ledger.faults = [stop]
        device.wager(1, "R1", 1)
        assert (await device.type("link"))["reason"] == "ledger"
        assert (await device.type("error"))["code"] == "not_active"
        assert not [message for message in device.heard if message["t"] in {"ack", "nack"}]
        async with connected(server.ports["tables"]) as late:
            await late.hello(config, "table", "T02")
            assert (await late.type("error"))["code"] == "not_active"
        assert await readiness(server) == 503
        answer = await administer(config, do="validate", hit="H1")
        assert (answer["ok"], answer["code"]) == (False, "bank_stopped")
