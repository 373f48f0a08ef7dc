"""What do tables and operators see when the ledger fails, and does everything still happen exactly once?"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from controllers.pace import Limits
from jackpot.app import Server
from jackpot.clock import SystemClock
from jackpot.config import Config
from jackpot.ledger.journal import Row
from jackpot.ledger.store import CommitInDoubt
from jackpot.ledger.verify import verify
from jackpot.rules.acts.readings import Reading
from jackpot.server.desk import BankStopped
from jackpot.server.floor import Floor
from jackpot.server.histogram import BATCH_ROWS, Histogram
from jackpot.server.life import State
from jackpot.server.register import Register
from jackpot.server.writer import Writer
from tests.ledger.waiting import open_ledger
from tests.server.bed import (
    LINK,
    WAIT_S,
    Faulty,
    StepClock,
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
def test_a_commit_in_doubt_suspends_and_resumes(
    tmp_path: Path, fault: Callable[[Callable[[], None]], None]
) -> None:
    """S4, DESIGN 4: told suspended at once, then resumed, then answered; the wager counts once either way."""

    @on_loop
    async def run() -> None:
        config = configure(tmp_path)
        ledger = Faulty(config)
        async with Server(config, ledger=ledger) as server, table(server) as device, sign(server) as board:
            epoch = server.writers["main"].core.epoch
            ledger.faults.append(fault)
            device.wager(1, "R1", 1)
            told = await device.type("link", "ack")
            assert (told["t"], told["state"], told["reason"]) == ("link", "suspended", "ledger")
            assert (await board.type("link"))["reason"] == "ledger"
            assert (await device.answer(1))["t"] == "ack"
            if not any(message.get("state") == "active" for message in device.heard):
                assert (await device.type("link"))["state"] == "active"
            assert server.writers["main"].core.epoch == epoch + 1
            assert await readiness(server) == 200
            device.wager(2, "R1", 2)
            assert (await device.answer(2))["t"] == "ack"
            values = server.writers["main"].board.links[LINK].levels
            assert values["mega"] == 1_000_018

    run()
    config = configure(tmp_path)
    assert verify(open_ledger(config.ledger.url), "main").problems == ()


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
async def test_refused_data_is_one_tables_trouble(tmp_path: Path) -> None:
    """DESIGN 4: the culprit alone gets `internal` and its links stop; the other table's answers come."""
    config = configure(tmp_path)
    ledger = Faulty(config)
    async with Server(config, ledger=ledger) as server, table(server) as device:
        ledger.faults = [refuse]
        device.wager(1, "R1", 1)
        answer = await device.answer(1)
        assert (answer["t"], answer["code"]) == ("nack", "internal")
        assert server.writers["main"].board.state(LINK)[0] == "suspended"


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

        core = server.writers["main"].core
        device.wager(1, "R1", 1)
        await device.answer(1)
        await say()
        ledger.faults = [refuse]
        device.say(t="lock", seq=2, round="R1")
        assert (await device.answer(2))["code"] == "internal"
        durable, epoch = core.durable_seq, core.epoch
        await say()
        assert (core.durable_seq, core.epoch) == (durable, epoch)


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


@on_loop
async def test_a_slow_commit_suspends_but_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN, lease: without an acknowledged commit tables are suspended; the commit itself is left alone."""
    monkeypatch.setattr("jackpot.server.writer.SLOW_COMMIT_S", 0.01)
    config = configure(tmp_path)
    ledger = Faulty(config)
    async with Server(config, ledger=ledger) as server, table(server) as device:
        ledger.go.clear()
        device.wager(1, "R1", 1)
        assert (await device.type("link"))["state"] == "suspended"
        ledger.go.set()
        assert (await device.answer(1))["t"] == "ack"
        assert server.writers["main"].counts.doubts == 0


class Checkpointed(Faulty):
    """A ledger that notes its batches and checkpoints, in their order."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.noted: list[str] = []

    def append(self, bank: str, epoch: int, seq_before: int, rows: Sequence[Row]) -> None:
        super().append(bank, epoch, seq_before, rows)
        self.noted.append("batch")

    def checkpoint(self) -> None:
        super().checkpoint()
        self.noted.append("checkpoint")


@on_loop
async def test_a_checkpoint_comes_every_so_many_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The batches that were written are counted for it; a metric, which is cleared here, steers nothing."""
    monkeypatch.setattr("jackpot.server.writer.CHECKPOINT_BATCHES", 3)
    config = configure(tmp_path)
    ledger = Checkpointed(config)
    async with Server(config, ledger=ledger) as server, table(server) as device:
        ledger.noted.clear()
        for seq in range(1, 8):
            server.writers["main"].counts.batches = Histogram(BATCH_ROWS)
            device.wager(seq, "R1", seq)
            assert (await device.answer(seq))["t"] == "ack"
        await until(lambda: ledger.noted.count("checkpoint") >= 2)
    first = ledger.noted.index("checkpoint")
    assert ledger.noted[first : first + 5] == ["checkpoint", "batch", "batch", "batch", "checkpoint"]


@on_loop
async def test_a_graceful_stop_answers_what_is_in_flight(tmp_path: Path) -> None:
    """DESIGN, deployment: in-flight answers are delivered, and nothing that was not."""
    config = configure(tmp_path)
    ledger = Faulty(config)
    server = Server(config, ledger=ledger)
    ending = asyncio.Event()

    async def run() -> None:
        async with server:
            await ending.wait()

    async with asyncio.TaskGroup() as group:
        group.create_task(run())
        await until(lambda: "http" in server.ports)
        async with table(server) as device:
            ledger.go.clear()
            device.wager(1, "R1", 1)
            await until(lambda: server.writers["main"].core.depth == 1)
            ending.set()
            await until(lambda: not server.floor.accepting)
            device.wager(2, "R1", 2)
            ledger.go.set()
            assert (await device.answer(1))["t"] == "ack"
            await device.closed()
            assert device.heard[-1]["t"] != "ack" or device.heard[-1]["seq"] == 1


@on_loop
async def test_many_tables_share_a_commit(tmp_path: Path) -> None:
    """DESIGN 2: what queues up during one transaction is one next transaction."""
    config = configure(tmp_path)
    ledger = Faulty(config)
    async with (
        Server(config, ledger=ledger) as server,
        table(server) as first,
        table(server, "T02") as second,
    ):
        core = server.writers["main"].core
        ledger.go.clear()
        first.wager(1, "R1", 1)
        await until(lambda: core.depth == 1)
        commits = sum(server.writers["main"].counts.batches.counts)
        for seq in range(2, 6):
            first.wager(seq, "R1", seq)
        for seq in range(1, 6):
            second.wager(seq, "R1", seq)
        await until(lambda: core.depth == 10)
        ledger.go.set()
        await first.answer(5)
        await second.answer(5)
        await until(lambda: sum(server.writers["main"].counts.batches.counts) == commits + 2)


@on_loop
async def test_a_full_queue_reads_no_further(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN 2: at the queue's limit tables are read no further; all is answered once there is room."""
    monkeypatch.setattr("jackpot.server.sequencer.QUEUE_MAX", 4)
    config = configure(tmp_path)
    ledger = Faulty(config)
    async with (
        Server(config, ledger=ledger) as server,
        table(server) as first,
        table(server, "T02") as second,
    ):
        core = server.writers["main"].core
        ledger.go.clear()
        for seq in range(1, 5):
            first.wager(seq, "R1", seq)
        await until(lambda: core.full)
        second.wager(1, "R1", 1)
        late = server.floor.current["T02"]
        await until(lambda: late.session.intake.halted)
        second.wager(2, "R1", 2)
        assert core.depth <= 5
        ledger.go.set()
        assert (await first.answer(4))["t"] == "ack"
        assert (await second.answer(2))["t"] == "ack"


class Stalled:
    """A connection, and its device, as the registry sees them."""

    full = True
    pumps = 0

    @property
    def device(self) -> "Stalled":
        return self

    def pump(self) -> None:
        self.pumps += 1


def test_what_was_stalled_is_read_on_at_the_first_commit_that_makes_room() -> None:
    """DESIGN 2: a table that nothing else wakes, for its last answer came before, is pumped once."""
    floor = Floor("north", Register("table", [], lambda _role, _device: ()), Limits(), SystemClock())
    one: Any = Stalled()
    floor.stall(one)
    floor.flush()
    assert one.pumps == 0
    one.full = False
    floor.flush()
    floor.flush()
    assert one.pumps == 1


@on_loop
async def test_a_table_that_awaits_nothing_is_read_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN 2, WIRE faults: no answer of its own wakes it, only room in the queue; nor is it silent."""
    monkeypatch.setattr("jackpot.server.sequencer.QUEUE_MAX", 4)
    config = configure(tmp_path, heartbeat_ms=60_000)
    ledger, clock = Faulty(config), StepClock()
    async with (
        Server(config, clock=clock, ledger=ledger) as server,
        table(server) as first,
        table(server, "T02") as second,
    ):
        core = server.writers["main"].core
        ledger.go.clear()
        for seq in range(1, 5):
            first.wager(seq, "R1", seq)
        await until(lambda: core.full)
        second.wager(1, "R1", 1)
        late = server.floor.current["T02"]
        await until(lambda: late.session.intake.halted)
        assert core.depth == 4
        for _ in range(3):
            clock.ahead_s += 59.0
            await second.type("ping")
        assert server.floor.current == {"T01": server.floor.current["T01"], "T02": late}
        ledger.go.set()
        assert (await second.answer(1))["t"] == "ack"
        assert (await first.answer(4))["t"] == "ack"


@on_loop
async def test_a_server_ends_while_its_disk_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN 4: a stop waits 20 s for the disk and no longer; what was not durable is not answered."""
    monkeypatch.setattr("jackpot.app.STOP_WITHIN_S", 0.1)
    ledger = Faulty(config := configure(tmp_path))
    async with asyncio.timeout(WAIT_S):
        async with Server(config, ledger=ledger) as server, table(server) as device:
            ledger.go.clear()
            device.wager(1, "R1", 1)
            await until(lambda: server.writers["main"].core.depth == 1)
        assert server.writers["main"].hold.stopped is not None
    with pytest.raises(ConnectionError):
        await administer(config, do="status")
    assert not [message for message in device.heard if message["t"] == "ack"]
    ledger.go.set()


@on_loop
async def test_a_stopped_bank_takes_no_command_in_silence(tmp_path: Path) -> None:
    """WIRE: whoever commands a bank that is stopped is told so, and a table is sent to the active server."""
    config = configure(tmp_path)
    async with Server(config) as server, table(server) as device:
        writer = server.writers["main"]
        writer.hold.state = State.WATCHING
        with pytest.raises(BankStopped, match="starting"):
            writer.act(Reading("2026-01-01"), lambda _outcome: None)
        device.wager(1, "R1", 1)
        assert (await device.type("error", "ack", "nack"))["code"] == "not_active"
        writer.hold.state = State.SERVING


async def ask_in_vain(writer: Writer) -> None:
    """A question that the bank's end answers."""
    with pytest.raises(BankStopped):
        await writer.ask(lambda engine: engine.seq)


@on_loop
async def test_a_question_does_not_outlive_the_bank(tmp_path: Path) -> None:
    """S5: what is asked when the server has ended is refused, and what was asked before it too."""
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
            await until(lambda: writer.core.depth == 2)
        assert (await device.type("error"))["code"] == "not_active"
        for question in (asked, ask_in_vain(writer)):
            await asyncio.wait_for(question, WAIT_S)
