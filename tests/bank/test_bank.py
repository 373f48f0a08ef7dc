"""A bank answers every caller, or raises BankStopped; commands take effect once, however its ledger fails."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from controllers.pace import Limits
from jackpot.app import Server
from jackpot.bank.bank import Bank, BankStopped
from jackpot.bank.lifecycle import LEASE_S, LifecycleState
from jackpot.clock import SystemClock
from jackpot.ledger.sqlite.async_sqlite import AsyncSqliteStore
from jackpot.ledger.store import CommitInDoubt
from jackpot.net.device_registry import DeviceRegistry
from jackpot.net.tables import TableListener
from jackpot.rules.acts.readings import Reading
from tests.running_server import (
    LINK,
    WAIT_S,
    Faulty,
    StepClock,
    administer,
    configure,
    doubt,
    on_loop,
    refuse,
    table,
    until,
)


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
        assert server.banks["main"].board.state(LINK)[0] == "suspended"


@on_loop
async def test_a_slow_commit_suspends_but_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN, lease: without an acknowledged commit tables are suspended; the commit itself is left alone."""
    monkeypatch.setattr("jackpot.bank.bank.SLOW_COMMIT_S", 0.01)
    config = configure(tmp_path)
    ledger = Faulty(config)
    async with Server(config, ledger=ledger) as server, table(server) as device:
        ledger.go.clear()
        device.wager(1, "R1", 1)
        assert (await device.type("link"))["state"] == "suspended"
        ledger.go.set()
        told = await device.type("link", "ack")
        assert (told["t"], told["state"]) == ("link", "active"), "first resumed, then answered"
        assert (await device.answer(1))["t"] == "ack"
        assert server.banks["main"].counts.doubts == 0


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
            sequencer = server.banks["main"].sequencer
            ledger.go.clear()
            device.wager(1, "R1", 1)
            await until(lambda: sequencer.engine.state.tables[0].last_seq == 1)
            ending.set()
            await until(lambda: not server.tables.accepting)
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
        sequencer = server.banks["main"].sequencer
        await until(lambda: sequencer.depth == 0)  # what the tables' arrival wrote is durable
        commits = sum(server.banks["main"].counts.batches.counts)
        ledger.go.clear()
        first.wager(1, "R1", 1)
        await until(lambda: sequencer.depth == 1)
        for seq in range(2, 6):
            first.wager(seq, "R1", seq)
        for seq in range(1, 6):
            second.wager(seq, "R1", seq)
        await until(lambda: sequencer.depth == 10)
        ledger.go.set()
        await first.answer(5)
        await second.answer(5)
        await until(lambda: sum(server.banks["main"].counts.batches.counts) == commits + 2)


@on_loop
async def test_a_full_queue_reads_no_further(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN 2: at the queue's limit tables are read no further; all is answered once there is room."""
    monkeypatch.setattr("jackpot.bank.bank.QUEUE_MAX", 4)
    config = configure(tmp_path)
    ledger = Faulty(config)
    async with (
        Server(config, ledger=ledger) as server,
        table(server) as first,
        table(server, "T02") as second,
    ):
        sequencer = server.banks["main"].sequencer
        ledger.go.clear()
        for seq in range(1, 5):
            first.wager(seq, "R1", seq)
        await until(lambda: server.banks["main"].full)
        second.wager(1, "R1", 1)
        late = server.tables.current["T02"]
        await until(lambda: late.session.intake.halted)
        second.wager(2, "R1", 2)
        assert sequencer.depth <= 5
        ledger.go.set()
        assert (await first.answer(4))["t"] == "ack"
        assert (await second.answer(2))["t"] == "ack"


@on_loop
async def test_a_bank_is_full_at_its_limit_and_while_it_drains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN 2, 4: from the last command that it takes until a commit makes room; for good once it ends."""
    monkeypatch.setattr("jackpot.bank.bank.QUEUE_MAX", 3)
    config = configure(tmp_path)
    ledger = Faulty(config)
    async with Server(config, ledger=ledger) as server:
        bank = server.banks["main"]
        await until(lambda: bank.sequencer.depth == 0)
        ledger.go.clear()
        seen = [bank.full]
        for day in ("2026-01-01", "2026-01-02", "2026-01-03"):
            bank.act(Reading(day), lambda _outcome: None)
            seen.append(bank.full)
        ledger.go.set()
        await until(lambda: bank.sequencer.depth == 0)
        seen.append(bank.full)
        bank.end()
        seen.append(bank.full)
        assert seen == [False, False, False, True, False, True]
        await until(lambda: bank.lifecycle.stopped is not None)


class Stalled:
    """A connection, its device and that one's bank, as the registry sees them."""

    full = True
    pumps = 0

    @property
    def device(self) -> "Stalled":
        return self

    @property
    def banks(self) -> list["Stalled"]:
        return [self]

    def pump(self) -> None:
        self.pumps += 1


def test_what_was_stalled_is_read_on_at_the_first_commit_that_makes_room() -> None:
    """DESIGN 2: a table that nothing else wakes, for its last answer came before, is pumped once."""
    tables = TableListener(
        "north", DeviceRegistry("table", [], lambda _role, _device: ()), Limits(), SystemClock()
    )
    one: Any = Stalled()
    tables.stall(one)
    tables.flush()
    assert one.pumps == 0
    one.full = False
    tables.flush()
    tables.flush()
    assert one.pumps == 1


@on_loop
async def test_a_table_that_awaits_nothing_is_read_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN 2, WIRE faults: no answer of its own wakes it, only room in the queue; nor is it silent."""
    monkeypatch.setattr("jackpot.bank.bank.QUEUE_MAX", 4)
    config = configure(tmp_path)
    ledger, clock = Faulty(config), StepClock()
    async with (
        Server(config, clock=clock, ledger=ledger) as server,
        table(server) as first,
        table(server, "T02") as second,
    ):
        sequencer = server.banks["main"].sequencer
        ledger.go.clear()
        for seq in range(1, 5):
            first.wager(seq, "R1", seq)
        await until(lambda: server.banks["main"].full)
        waits = sequencer.depth  # a reading too, where a gaming day ends just now
        second.wager(1, "R1", 1)
        late = server.tables.current["T02"]
        await until(lambda: late.session.intake.halted)
        assert sequencer.depth == waits
        for _ in range(3):
            clock.ahead_s += 59.0
            await second.type("ping")
        assert server.tables.current == {"T01": server.tables.current["T01"], "T02": late}
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
            sequencer = server.banks["main"].sequencer
            ledger.go.clear()
            device.wager(1, "R1", 1)
            await until(lambda: sequencer.engine.state.tables[0].last_seq == 1)
        assert server.banks["main"].lifecycle.stopped is not None
    with pytest.raises(ConnectionError):
        await administer(config, do="/links")
    assert not [message for message in device.heard if message["t"] == "ack"]
    ledger.go.set()


class HeldBack(Faulty):
    """A ledger whose beats wait for `go`, as its commits do."""

    def beat(self, bank: str, epoch: int) -> None:
        assert self.go.wait(WAIT_S)
        super().beat(bank, epoch)


class StoodStill(StepClock):
    """A clock that only the test moves on."""

    def monotonic(self) -> float:
        return self.ahead_s


@on_loop
async def test_a_lease_holds_from_the_beginning_of_a_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN, lease: what a standby saw move at the beginning of a slow commit is as old as that commit."""
    monkeypatch.setattr(AsyncSqliteStore, "shared", True)
    config, clock = configure(tmp_path), StoodStill()
    ledger = HeldBack(config)
    before_s = LEASE_S * 3 / 4

    def slow(append: Callable[[], None]) -> None:
        clock.ahead_s += before_s
        append()
        ledger.go.clear()  # nothing is confirmed from here on

    async with Server(config, clock, ledger) as server, table(server) as device:
        bank = server.banks["main"]
        ledger.faults = [slow]
        device.wager(1, "R1", 1)
        assert (await device.answer(1))["t"] == "ack"
        assert bank.board.state(LINK)[0] == "active"
        clock.ahead_s += LEASE_S - before_s
        assert (await device.type("link"))["state"] == "suspended"
        ledger.go.set()
        assert (await device.type("link"))["state"] == "active"


@on_loop
async def test_a_stopped_bank_takes_no_command_in_silence(tmp_path: Path) -> None:
    """WIRE: a stopped bank refuses a command aloud, and a table is sent to the active server."""
    config = configure(tmp_path)
    async with Server(config) as server, table(server) as device:
        bank = server.banks["main"]
        bank.lifecycle.state = LifecycleState.WATCHING
        with pytest.raises(BankStopped, match="starting"):
            bank.act(Reading("2026-01-01"), lambda _outcome: None)
        device.wager(1, "R1", 1)
        assert (await device.type("error", "ack", "nack"))["code"] == "not_active"
        bank.lifecycle.state = LifecycleState.SERVING


async def ask_in_vain(bank: Bank) -> None:
    """A query that is refused when the bank ends."""
    with pytest.raises(BankStopped):
        await bank.ask(lambda engine: engine.seq)


@on_loop
async def test_a_question_does_not_outlive_the_bank(tmp_path: Path) -> None:
    """S5: a query after the end of the server is refused, and one that was pending as well."""
    config = configure(tmp_path)
    ledger = Faulty(config)
    async with asyncio.TaskGroup() as group, AsyncExitStack() as tables:
        async with Server(config, ledger=ledger) as server:
            device = await tables.enter_async_context(table(server))
            bank = server.banks["main"]
            ledger.faults.append(doubt)
            ledger.recover_faults = [CommitInDoubt("database or disk is full") for _ in range(100)]
            device.wager(1, "R1", 1)
            assert (await device.type("link"))["state"] == "suspended"
            asked = group.create_task(ask_in_vain(bank))
            # With the wager it is two; the server's own acts may wait, too.
            await until(lambda: bank.sequencer.depth >= 2)
        assert (await device.type("error"))["code"] == "not_active"
        for question in (asked, ask_in_vain(bank)):
            await asyncio.wait_for(question, WAIT_S)
