"""A server takes a bank, opens it, loses it and hands it over, on a real database."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import date
from itertools import count
from typing import Any

import pytest

from jackpot.bank.bank import Bank, BankStopped
from jackpot.bank.lifecycle import (
    AWAY_S,
    LEASE_S,
    LOOK_S,
    BankLifecycle,
)
from jackpot.bank.supervisor import RETRY_S, BankSupervisor
from jackpot.clock import Clock, SystemClock
from jackpot.ledger.journal import Head, Row, genesis
from jackpot.ledger.postgres.lease import Leases
from jackpot.ledger.postgres.store import PostgresStore
from jackpot.ledger.reading import OTHER_SCHEMA, Reader
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.store import CommitInDoubt, Fenced, LedgerCorrupt
from jackpot.rules.acts.programs import BeginProgram
from jackpot.rules.acts.readings import Reading
from jackpot.runtime.service import Service
from tests.ledger.backends import stores
from tests.ledger.material import rows
from tests.running_server import WAIT_S, StepClock, on_loop, until


@on_loop
async def test_a_take_that_was_overtaken_is_no_take(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN, lease: an epoch is one server's, also where two took the bank in the same moment."""
    async with stores(database, 2) as (first, second):
        both: list[Any] = []
        read = Leases.head

        async def overtaken(self: Leases, bank: str) -> Head:
            if self is first._leases and not both:
                both.append(await second.new_epoch("main", "second"))
            return await read(self, bank)

        ended = Leases._end_backends

        async def nobody(self: Leases, *whom: Any) -> None:
            if self is first._leases:
                await ended(self, *whom)

        monkeypatch.setattr(Leases, "head", overtaken)
        monkeypatch.setattr(Leases, "_end_backends", nobody)
        with pytest.raises(Fenced):
            await first.new_epoch("main", "first")
        assert both[0].holder == "second"
        await second.beat("main", both[0].epoch)


async def nobody_there(_bank: Bank) -> None:
    """Null callback: there is no device."""


@asynccontextmanager
async def supervisor(
    store: PostgresStore,
    clock: Clock | None = None,
    taken: Callable[[Bank], Awaitable[None]] = nobody_there,
    server: str = "first",
) -> AsyncIterator[tuple[BankSupervisor, Bank]]:
    """The bank in one server of several, without devices."""
    clock = clock or SystemClock()
    hold = BankLifecycle("main", server, clock.monotonic(), shared=True, others=True)
    bank = Bank(hold, store, clock, BeginProgram("1", b"", "always"))
    async with asyncio.TaskGroup() as group:
        own = BankSupervisor(
            bank,
            waits=lambda: 0.0,
            start=group.create_task,
            on_taken=taken,
        )
        group.create_task(own.run())
        yield own, bank
        own.end()


@pytest.mark.parametrize("doubted", [False, True])
@on_loop
async def test_a_server_overtaken_while_it_reads_does_not_hold_the_bank(
    database: str, monkeypatch: pytest.MonkeyPatch, doubted: bool
) -> None:
    """DESIGN, lease: two took the bank at once, at the start or after a doubt; the later one has it.

    The earlier taker reads that epoch before it looks at the state, and must not write in it.
    """
    async with stores(database, 2) as (first, second):
        taken: list[Head] = []
        read = PostgresStore.run

        async def overtaken(self: PostgresStore, work: Any) -> Any:
            if not taken:
                taken.append(await second.new_epoch("main", "second"))
            return await read(self, work)

        async def nobody(self: Leases, *whom: Any) -> None:
            """Ends no connection: the old one has ended before the takeover."""

        async with supervisor(first) as (_, bank):
            if doubted:
                await until(lambda: bank.active)
            monkeypatch.setattr(Leases, "_end_backends", nobody)
            monkeypatch.setattr(PostgresStore, "run", overtaken)
            if doubted:
                assert first.session.connection is not None
                first.session.connection.terminate()
            await until(lambda: bank.lifecycle.stopped == "standby: second has bank main")
            assert not bank.active
            assert (await second.head("main")).epoch == taken[0].epoch
            await second.beat("main", taken[0].epoch)
            known = await second.rows("main", 0, 2)  # the first one's own row, if it was durable before
            more = rows(1, epoch=taken[0].epoch, after=known[-1] if known else None)
            await second.append("main", taken[0].epoch, len(known), more)


@on_loop
async def test_a_bank_is_taken_as_it_was_seen(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN, lease: a holder that wakes while a standby is about to take its bank keeps it, or knows."""
    first, second = [await PostgresStore.open(database) for _ in range(2)]
    never = await second.head("main")
    epoch = (await first.new_epoch("main", "first", expected=never)).epoch
    with pytest.raises(Fenced):
        await second.new_epoch("main", "second", expected=never)
    seen = await second.head("main")
    await first.beat("main", epoch)
    with pytest.raises(Fenced):
        await second.new_epoch("main", "second", expected=seen)
    await first.beat("main", epoch)
    ended = Leases._end_backends

    async def awake(self: Leases, *what: Any) -> None:
        await ended(self, *what)
        await holder.beat("main", epoch)

    holder = await PostgresStore.open(database)
    monkeypatch.setattr(Leases, "_end_backends", awake)
    with pytest.raises(Fenced):
        await second.new_epoch("main", "second", expected=await second.head("main"))
    monkeypatch.setattr(Leases, "_end_backends", ended)
    taken = await second.new_epoch("main", "second", expected=await second.head("main"))
    assert (taken.epoch, taken.holder) == (epoch + 1, "second")
    for store in (first, second, holder):
        await store.close()


@on_loop
async def test_a_commit_whose_answer_came_after_a_takeover_confirms_nothing(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN, lease: it holds from when the commit was sent: a standby counts from when that was carried out.

    Both servers have one clock. While the answer to a durable commit is on its way, the standby sees the head
    stand still, and takes the bank. The answer, once it comes, must not let the old holder show the bank.
    """
    clock = StepClock()
    async with (
        stores(database, 2) as (first, second),
        supervisor(first, clock) as (_, holder),
        AsyncExitStack() as later,
    ):
        await until(lambda: holder.active and holder.sequencer.durable_seq == 1)  # the epoch's own row
        _, standby = await later.enter_async_context(supervisor(second, clock, server="second"))
        append = PostgresStore.append

        async def answered_late(self: PostgresStore, *what: Any) -> None:
            await append(self, *what)
            if self is first and not shown:  # it may take the bank again when the standby ends
                await until_taken_over()

        async def until_taken_over() -> None:
            async with asyncio.timeout(WAIT_S):
                while not standby.active:
                    clock.ahead_s += LOOK_S / 2
                    await asyncio.sleep(0.01)

        shown: list[tuple[bool, bool]] = []
        monkeypatch.setattr(PostgresStore, "append", answered_late)
        holder.act(Reading("2026-11-21"), lambda _outcome: shown.append((holder.active, standby.active)))
        await until(lambda: bool(shown))
        assert shown == [(False, True)]


@on_loop
async def test_a_bank_that_is_given_up_is_not_shown_any_more(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN, lease: another may take the bank before this server hears that it is free."""
    async with stores(database) as (store,):
        shown: list[bool] = []
        release = PostgresStore.release

        async def released(self: PostgresStore, name: str, epoch: int) -> None:
            shown.append(bank.board.trusted or bank.active)
            await release(self, name, epoch)

        monkeypatch.setattr(PostgresStore, "release", released)
        async with supervisor(store) as (_, bank):
            await until(lambda: bank.active)
        assert shown == [False]
        assert (await store.head("main")).holder == ""


@on_loop
async def test_a_bank_whose_snapshots_cannot_be_saved_is_held(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN 5: a snapshot only spares a replay; a server that cannot save one goes on."""
    async with stores(database) as (store,):

        async def lost(_self: PostgresStore, _snapshot: Any) -> None:
            monkeypatch.undo()  # the next one is saved: how often it is tried is the bank's own affair
            raise CommitInDoubt("the connection was lost")

        async with supervisor(store) as (_, bank):
            await until(lambda: bank.active and bank.service is Service.HERE)
            monkeypatch.setattr(PostgresStore, "save_snapshot", lost)
            bank.sequencer._snapshot_every = 1
            assert (await bank.person(Reading("2026-11-21"), ())).ok
            await until(lambda: bank.counts.doubts == 1 and bank.active)
            assert (await bank.person(Reading("2026-11-22"), ())).ok
            assert bank.counts.doubts == 1
        assert not bank.lifecycle.failed
        assert (await store.head("main")).holder == ""


@pytest.fixture
def rows_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Row numbers of bank main that are read to rebuild its state."""
    read: list[int] = []
    right = Reader.rows

    def rows(reader: Reader, bank: str, after: int, limit: int) -> list[Row]:
        found = right(reader, bank, after, limit)
        read.extend(row.seq for row in found)
        return found

    monkeypatch.setattr(Reader, "rows", rows)
    return read


@pytest.mark.parametrize("durable", [False, True])
@on_loop
async def test_a_switchover_reads_nothing_again(
    database: str, monkeypatch: pytest.MonkeyPatch, rows_read: list[int], durable: bool
) -> None:
    """DESIGN 4: a bank whose database is another node now goes on from what it holds, if that has it all.

    durable: whether the commit that was cut off came through.
    """
    append = PostgresStore.append

    async def cut(store: PostgresStore, *what: Any) -> None:
        monkeypatch.setattr(PostgresStore, "append", append)
        if durable:
            await append(store, *what)
        store.session.drop()
        raise store.session.in_doubt(OSError("the primary is gone"))

    days = (date.fromordinal(number).isoformat() for number in count(1))
    async with stores(database) as (store,), supervisor(store) as (_, bank):
        await until(lambda: bank.active)
        for _ in range(5):
            assert (await bank.person(Reading(next(days)), ())).ok
        before = bank.sequencer.engine
        rows_read.clear()
        monkeypatch.setattr(PostgresStore, "append", cut)
        assert (await bank.person(Reading(next(days)), ())).ok
        assert (bank.counts.doubts, rows_read) == (1, [])
        assert bank.sequencer.engine is not before
        truth, _ = await store.run(lambda ledger: rebuild(ledger, "main"))
        assert bank.sequencer.engine.snapshot() == truth.snapshot()
        assert truth.seq == bank.sequencer.durable_seq


@on_loop
async def test_another_row_at_the_head_has_everything_read(database: str, rows_read: list[int]) -> None:
    """S3, S5: a server whose rows the ledger does not have reads it all, and finds them lost."""
    async with stores(database) as (store,), supervisor(store) as (_, bank):
        await until(lambda: bank.active)
        for number in range(1, 4):
            assert (await bank.person(Reading(date.fromordinal(number).isoformat()), ())).ok
        rows_read.clear()
        bank.sequencer.held._hash = bank.sequencer.durable_hash = bytes(32)
        store.session.drop()
        await until(lambda: bank.lifecycle.failed)
        assert rows_read == [1, 2, 3, 4]
        assert "row 4, which was acknowledged, is not in the ledger" in str(bank.lifecycle.stopped)


@on_loop
async def test_a_trigger_that_was_planted_since_the_start_is_found_at_a_takeover(database: str) -> None:
    """S3: the schema is compared whenever a bank is taken, and not at the start of the process alone."""
    async with stores(database) as (store,):
        assert store.session.connection is not None
        await store.session.connection.execute(
            "CREATE TRIGGER no_room BEFORE INSERT ON posting EXECUTE FUNCTION refuse_change()"
        )
        async with supervisor(store) as (_, bank):
            await until(lambda: bank.lifecycle.failed)
            assert "trigger no_room on posting is not the ledger's" in str(bank.lifecycle.stopped)
            assert OTHER_SCHEMA in str(bank.lifecycle.stopped), "what to do"


@on_loop
async def test_a_bank_that_cannot_be_taken_is_tried_without_haste(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN 4: a database that refuses every epoch is not loaded with connections and lines of log."""
    store = await PostgresStore.open(database, require_synchronous=True)
    recover, pause, done = PostgresStore.recover, BankSupervisor._pause, list[object]()

    async def recovered(self: PostgresStore) -> None:
        done.append("recover")
        await recover(self)

    async def paused(self: BankSupervisor, seconds: float) -> None:
        done.append(seconds)
        await pause(self, seconds)

    monkeypatch.setattr(PostgresStore, "recover", recovered)
    monkeypatch.setattr(BankSupervisor, "_pause", paused)
    async with supervisor(store) as (_, bank):
        await until(lambda: len(done) >= 5)
        assert not bank.active
    assert done[:5] == ["recover", RETRY_S, "recover", RETRY_S, "recover"]
    await store.close()


@on_loop
async def test_a_bank_is_handed_over_under_any_load(database: str) -> None:
    """Lease: a hand-over ends though devices always have more to say, and says who took the bank."""
    async with (
        stores(database, 2) as (first, second),
        supervisor(first) as (own, bank),
        asyncio.timeout(WAIT_S),
        asyncio.TaskGroup() as group,
    ):
        await until(lambda: bank.active)
        days = (date.fromordinal(number).isoformat() for number in count(1))

        def more(_outcome: object) -> None:
            if not bank.full:
                bank.act(Reading(next(days)), more)

        for _ in range(10):
            more(None)
        handing = group.create_task(own.hand_over())
        await until_free(second)
        await second.new_epoch("main", "b host:7:abc")
        assert await handing == "b host:7:abc"


@on_loop
async def test_a_bank_that_nobody_takes_comes_back(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lease: a person who hands a bank over is told that nobody took it, and that it is here again."""
    monkeypatch.setattr("jackpot.bank.lifecycle.HANDED_OVER_S", 0.3)
    async with stores(database) as (store,), supervisor(store) as (own, bank), asyncio.timeout(WAIT_S):
        await until(lambda: bank.active)
        with pytest.raises(BankStopped, match="no other server took main: this one has it again"):
            await own.hand_over()
        await until(lambda: bank.active)
        assert bank.sequencer.epoch == 2


@on_loop
async def test_no_device_is_let_in_before_the_journal_was_read(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L9: also where reading it took longer than the lease, which the next beat confirms again."""
    async with stores(database) as (store,):
        clock = StepClock()
        read = PostgresStore.run
        agreed = asyncio.Event()

        async def slowly(self: PostgresStore, work: Any) -> Any:
            found = await read(self, work)
            clock.ahead_s += LEASE_S + AWAY_S
            return found

        monkeypatch.setattr(PostgresStore, "run", slowly)

        async def taken(_bank: Bank) -> None:
            bank.tick()
            await agreed.wait()

        async with supervisor(store, clock, taken) as (_, bank):
            opened: list[bool] = []
            bank.on_opened.append(lambda _bank: opened.append(agreed.is_set()))
            await until(lambda: bank.board.leased)
            agreed.set()
            await until(lambda: bank.service is Service.HERE)
        assert opened == [True]


@on_loop
async def test_a_doubt_while_a_bank_is_opened_is_got_over(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN, lease: what follows a taking is done again once the ledger answers; the server goes on."""
    monkeypatch.setattr("jackpot.bank.supervisor.RETRY_S", 0.01)
    doubts = [CommitInDoubt("lost"), CommitInDoubt("lost")]

    async def taken(_: Bank) -> None:
        if doubts:
            raise doubts.pop()

    async with stores(database) as (store,), supervisor(store, taken=taken) as (_, bank):
        await until(lambda: bank.service is Service.HERE)
        assert doubts == []


@on_loop
async def test_a_bank_that_cannot_be_opened_stops_alone(database: str) -> None:
    """S3: what is wrong with a ledger stops its bank and is said; the server's other banks go on."""

    async def taken(_: Bank) -> None:
        raise LedgerCorrupt("other: row 7 is missing")

    async with stores(database) as (store,), supervisor(store, taken=taken) as (own, bank):
        with pytest.raises(BankStopped, match="row 7 is missing"):
            await own.settled()
        assert bank.lifecycle.failed


async def until_free(store: PostgresStore) -> None:
    """Returns once the head names no holder."""
    while (await store.head("main")).holder:  # noqa: ASYNC110 - the database tells nobody
        await asyncio.sleep(0.01)


async def lose_rows(store: PostgresStore) -> None:
    """Deletes all rows, as if a standby that was behind were promoted."""
    assert store.session.connection is not None
    for table in ("posting", "journal"):
        trigger = f"TRIGGER {table}_is_never_changed"
        await store.session.connection.execute(
            f"ALTER TABLE {table} DISABLE {trigger}; DELETE FROM {table}; "
            f"ALTER TABLE {table} ENABLE ALWAYS {trigger}"
        )
    await store.session.connection.execute(f"UPDATE head SET seq = 0, hash = '\\x{genesis('main').hex()}'")


@on_loop
async def test_a_takeover_knows_what_was_acknowledged_before(database: str) -> None:
    """S5: a server that has acknowledged a row takes its bank back only with that row."""
    async with stores(database, 2) as (first, second), supervisor(first) as (_, bank):
        await until(lambda: bank.active)
        await bank.person(Reading("2026-11-21"), ())
        epoch = (await second.new_epoch("main", "second")).epoch
        await lose_rows(second)
        await second.release("main", epoch)
        await until(lambda: bank.lifecycle.failed)
        assert "row 2, which was acknowledged, is not in the ledger" in str(bank.lifecycle.stopped)


@on_loop
async def test_a_takeover_knows_what_another_server_was_seen_to_acknowledge(database: str) -> None:
    """S5: a standby that saw a head takes the bank only with that row."""
    async with stores(database, 2) as (first, second):
        epoch = (await second.new_epoch("main", "second")).epoch
        async with supervisor(first) as (own, bank):
            await second.append("main", epoch, 0, rows(1, epoch=epoch))
            await until(lambda: own.look().seq == 1)
            await lose_rows(second)
            await second.release("main", epoch)
            await until(lambda: bank.lifecycle.failed)
            assert "row 1, which was acknowledged, is not in the ledger" in str(bank.lifecycle.stopped)
