"""Attacks through a restored or misconfigured PostgreSQL, or with few rights."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

import asyncpg
import pytest
from structlog.testing import capture_logs

from jackpot.bank.bank import RETRY_FIRST_S, Bank, BankStopped
from jackpot.bank.lifecycle import BankLifecycle
from jackpot.bank.supervisor import BankSupervisor
from jackpot.clock import SystemClock
from jackpot.lab.testing.postgres import Postgres
from jackpot.ledger import connect
from jackpot.ledger.journal import Snapshot, row_of
from jackpot.ledger.open import make_roles
from jackpot.ledger.postgres.schema import MIGRATION_LOCK
from jackpot.ledger.postgres.store import PostgresStore
from jackpot.ledger.reading import Reader
from jackpot.ledger.store import CommitInDoubt, LedgerUnusable
from jackpot.rules import row_commands, views
from jackpot.rules.acts.links import OpenLink
from jackpot.rules.acts.programs import BeginProgram
from jackpot.rules.acts.snapshot_seals import SEAL_STEP, SNAPSHOT_FORMAT, Sealed, SnapshotSeal, digest_of
from jackpot.rules.engine import Engine
from jackpot.rules.outcome import DecidedEntry
from tests.ledger.backends import WAIT_S, backend, stores, watching
from tests.ledger.material import rows
from tests.ledger.play import FIVE, THREE, Play
from tests.ledger.postgres.test_connection import outcome, until_synchronous
from tests.ledgers import Fresh
from tests.running_server import on_loop, until

# A database of last night, whose last row and last taker are gone again.
GOES_BACK = """
    ALTER TABLE journal DISABLE TRIGGER USER;
    ALTER TABLE posting DISABLE TRIGGER USER;
    ALTER TABLE hit_entry DISABLE TRIGGER USER;
    DELETE FROM journal WHERE seq = 2;
    DELETE FROM posting WHERE seq = 2;
    DELETE FROM hit_entry WHERE seq = 2;
    DELETE FROM snapshot;
    UPDATE head SET seq = 1, epoch = 1, writer = gen_random_uuid(), holder = 'last night',
        hash = (SELECT hash FROM journal WHERE seq = 1);
    ALTER TABLE journal ENABLE ALWAYS TRIGGER journal_is_never_changed;
    ALTER TABLE posting ENABLE ALWAYS TRIGGER posting_is_never_changed;
    ALTER TABLE hit_entry ENABLE ALWAYS TRIGGER hit_entry_is_never_changed;
    SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
"""

TABLES: Final = ("bank", "journal", "posting", "hit_entry", "head", "snapshot", "migration")

# The number of the next transaction: some 20 million before they run out, of a cluster that just was made.
NEARLY_OUT: Final = 2**31 - 20_000_000
# PostgreSQL keeps what became of so many transactions in one file of so many bytes.
CLOG_FILE: Final = 2**20, 2**18


@asynccontextmanager
async def holding(store: PostgresStore, *, alone: bool = True) -> AsyncIterator[Bank]:
    """A server that holds the bank; one of several looks first whether another has it."""
    clock = SystemClock()
    hold = BankLifecycle("main", "us", clock.monotonic(), shared=True, others=not alone)
    bank = Bank(hold, store, clock, BeginProgram("1", b"", "always"))

    async def taken(_bank: Bank) -> None:
        """Null callback: there is no device."""

    async with asyncio.TaskGroup() as group:
        supervisor = BankSupervisor(
            bank,
            waits=lambda: 0.0,
            start=group.create_task,
            on_taken=taken,
        )
        group.create_task(supervisor.run())
        await supervisor.settled()
        yield bank
        supervisor.end()


@on_loop
async def test_a_database_that_went_back_is_noticed_by_whoever_took_it_again(database: str) -> None:
    """S5: an act that was acknowledged is gone, the head is another writer's: the bank stops."""
    async with stores(database) as (store,), holding(store) as bank:
        await bank.person(OpenLink(THREE), ("p",))
        assert bank.sequencer.durable_seq == 2  # the program's row, and the link's
        owner = await asyncpg.connect(database, timeout=WAIT_S)
        try:
            await owner.execute(GOES_BACK)
        finally:
            owner.terminate()
        await until(lambda: bank.lifecycle.failed)
        assert "row 2, which was acknowledged, is not in the ledger" in (bank.lifecycle.stopped or "")


@on_loop
async def test_a_database_that_went_back_is_noticed_by_whoever_only_watched(database: str) -> None:
    """S5: rows that another server made, which is gone with its database; they were seen by its standby."""
    async with stores(database, 2) as (old, new):
        head = await old.new_epoch("main", "another")
        play = Play(1)
        await old.append("main", head.epoch, 0, play.rows[:2])
        async with holding(new, alone=False) as bank, watching(database) as owner:
            await until(lambda: bank.lifecycle.held_by == "" and "another" in (bank.lifecycle.stopped or ""))
            await old.close()
            with capture_logs() as logs:
                for statement in GOES_BACK.split(";"):
                    await owner.run(statement)
                await until(lambda: bank.lifecycle.failed)
            assert [(line["was"], line["seq"]) for line in logs if line["event"] == "ledger_rolled_back"] == [
                (2, 1)
            ]
            assert "row 2, which was acknowledged, is not in the ledger" in (bank.lifecycle.stopped or "")


@on_loop
async def test_a_standby_that_is_no_longer_waited_for_is_doubt(tmp_path: Path) -> None:
    """[ledger] require_synchronous, S5: its name is taken out while a COMMIT waits, which ends it."""
    with Postgres(tmp_path / "primary") as primary:
        standby = primary.standby(tmp_path / "standby", "second")
        primary.configure({"synchronous_standby_names": "second"})
        url = primary.create("ledger")
        opened = stores(url, require_synchronous=True)
        async with opened as (store,), watching(url) as other, asyncio.TaskGroup() as group:
            await store.new_epoch("main", "test")
            standby.freeze()
            call = group.create_task(outcome(store.append("main", 1, 0, rows(2))))
            await other.until_waiting(backend(store))
            primary.configure({"synchronous_standby_names": ""})
            with pytest.raises(CommitInDoubt, match="synchronous_standby_names is empty"):
                raise await call
            primary.configure({"synchronous_standby_names": "second"})
            await until_synchronous(other, "second")
            standby.thaw()
            await store.recover()
            assert (await store.new_epoch("main", "test")).seq == 2


@on_loop
async def test_a_warning_of_something_else_is_no_doubt(tmp_path: Path) -> None:
    """DESIGN 4: that numbers of transactions run out is said with every epoch and batch; they are durable."""
    with Postgres(tmp_path / "own") as cluster:
        cluster.stop()
        cluster.programs.run("pg_resetwal", "-x", str(NEARLY_OUT), cluster.data)
        numbers, size = CLOG_FILE
        (cluster.data / "pg_xact" / f"{NEARLY_OUT // numbers:04X}").write_bytes(bytes(size))
        cluster.start()
        async with stores(cluster.url("postgres")) as (store,):
            await store.new_epoch("main", "test")
            await store.append("main", 1, 0, rows(2))
            await store.beat("main", 1)
        assert "must be vacuumed within" in cluster.log.read_text()


@on_loop
async def test_a_column_that_somebody_adds_stops_nothing(database: str) -> None:
    """DESIGN, migrations only add: what is written by an older program names each column that it fills."""
    async with stores(database) as (store,), watching(database) as owner:
        for table in TABLES:
            await owner.run(f"ALTER TABLE {table} ADD COLUMN note text")
        await store.new_epoch("main", "test")
        await store.append("main", 1, 0, rows(2))
        await store.save_snapshot(Snapshot("main", 2, rows(2)[-1].hash, 1, b"state"))
        assert await store.rows("main", 0, 10) == rows(2)


@on_loop
async def test_what_nobody_expected_is_doubt(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN 4: an error of whatever kind, inside a transaction, is no reason to go on in it."""
    async with stores(database) as (store,):
        await store.new_epoch("main", "test")

        async def broken(*_: Any, **__: Any) -> str:
            raise IndexError("tuple index out of range")

        with monkeypatch.context() as patched:
            patched.setattr(connect._MonitoredConnection, "execute", broken)
            with pytest.raises(CommitInDoubt, match="IndexError"):
                await store.append("main", 1, 0, rows(2))
        await store.recover()
        assert (await store.new_epoch("main", "test")).seq == 0
        await store.append("main", 2, 0, rows(2, epoch=2))


@on_loop
async def test_tables_of_the_same_name_elsewhere_are_not_the_ledgers(
    database: str, postgres: Postgres
) -> None:
    """DESIGN, a database of its own: whatever search_path somebody set, rows go where the ledger is."""
    async with stores(database) as (store,), watching(database) as owner:
        await store.new_epoch("main", "test")
        await owner.run("CREATE SCHEMA elsewhere")
        for table in TABLES:
            await owner.run(f"CREATE TABLE elsewhere.{table} AS SELECT * FROM public.{table}")
        await owner.run(f"ALTER DATABASE {database.rpartition('/')[2]} SET search_path = elsewhere")
    async with stores(database) as (store,):
        await store.new_epoch("main", "test")
        await store.append("main", 2, 0, rows(2, epoch=2))
    async with stores(database, readonly=True) as (reader,), watching(database) as owner:
        assert (await reader.head("main")).seq == 2
        assert await owner.run("SELECT count(*) FROM elsewhere.journal") == [(0,)]


@on_loop
async def test_a_pooler_is_not_the_database(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN 4, fence: what names another connection than the one that answers is refused, but to readers."""
    with monkeypatch.context() as patched:
        patched.setattr(connect._MonitoredConnection, "get_server_pid", lambda _self: 1)
        with pytest.raises(LedgerUnusable, match="through a pooler"):
            await PostgresStore.open(database)
        async with stores(database, readonly=True) as (reader,):
            assert await reader.run(Reader.banks) == []


@contextmanager
def signing_in(cluster: Postgres, url: str, group: str) -> Iterator[str]:
    """The ledger's URL for somebody of a group."""
    make_roles(url)
    cluster.sql(f"CREATE ROLE insider LOGIN IN ROLE {group}")
    try:
        yield url.replace("postgres@", "insider@")
    finally:
        cluster.sql("DROP OWNED BY insider CASCADE", url.rpartition("/")[2])
        cluster.sql("DROP ROLE insider")


# Functions that fit a call better than the ledger's, where its arguments have no types.
SHADOWS: Final = (
    "fence(integer, integer, integer, integer, text, integer, boolean)",
    "append_rows(integer, integer, bigint, journal_row[], posting_row[], hit_row[], boolean)",
    "take_bank(text, text, text, text, text, text, text)",
    "pg_advisory_xact_lock(text)",
    "pg_terminate_backend(integer, text)",
    "current_setting(varchar)",
    "check_durable(text)",
)


def test_no_function_of_another_fits_better_than_the_ledgers(database: str, postgres: Postgres) -> None:
    """DESIGN, roles: where everybody may make functions, an auditor's are still not called by a server."""
    with signing_in(postgres, database, "jackpot_auditor") as auditor:
        postgres.sql("GRANT CREATE ON SCHEMA public TO PUBLIC", database.rpartition("/")[2])

        @on_loop
        async def run() -> None:
            async with watching(auditor) as insider:
                for shadow in SHADOWS:
                    await insider.run(
                        f"CREATE FUNCTION public.{shadow} RETURNS boolean LANGUAGE plpgsql AS "
                        "$$ BEGIN RAISE EXCEPTION 'called by %', current_user; END $$"
                    )
            async with stores(database) as (store,):
                assert any("REVOKE CREATE ON SCHEMA public FROM PUBLIC" in said for said in store.warnings)
                await store.new_epoch("main", "test")
                await store.append("main", 1, 0, rows(2))
                seen = await store.head("main")
                assert (await store.new_epoch("main", "test", expected=seen)).epoch == 2
                await store.recover()
                assert (await store.new_epoch("main", "test")).epoch == 3

        run()


def test_who_only_reads_takes_no_room_and_makes_nothing(database: str, postgres: Postgres) -> None:
    """DESIGN, roles: what PostgreSQL gives everybody is taken away with the roles."""
    with signing_in(postgres, database, "jackpot_auditor") as auditor:

        @on_loop
        async def run() -> None:
            async with watching(auditor) as insider:
                for made in ("TEMP TABLE room (number int)", "TABLE public.room (number int)"):
                    with pytest.raises(asyncpg.InsufficientPrivilegeError):
                        await insider.run(f"CREATE {made}")
                await insider.run("SELECT * FROM head")
            postgres.sql("REVOKE jackpot_auditor FROM insider")
            with pytest.raises(LedgerUnusable, match=r"for database .* DETAIL: .* CONNECT"):
                await PostgresStore.open(auditor, readonly=True)

        run()


@on_loop
async def test_a_guard_that_somebody_left_off_is_told(database: str) -> None:
    """DESIGN, append-only, S3: the owner can switch a trigger off; then the schema is another."""
    async with watching(database) as owner, stores(database) as (store,):
        for change in ("DISABLE TRIGGER USER", "ENABLE TRIGGER journal_is_never_changed"):
            await owner.run(f"ALTER TABLE journal {change}")
            (said,) = (await store.run(Reader.schema)).problems
            assert said.startswith("the schema: trigger journal_is_never_changed on journal is ")
        await owner.run("ALTER TABLE journal ENABLE ALWAYS TRIGGER journal_is_never_changed")
        assert (await store.run(Reader.schema)).problems == []


@on_loop
async def test_a_table_that_a_crash_empties_is_refused(database: str) -> None:
    """DESIGN 3: no bank is taken where somebody made a table of the ledger UNLOGGED."""
    async with stores(database) as (store,), watching(database) as owner:
        for table in ("bank", "journal", "posting", "head"):
            await owner.run(f"ALTER TABLE {table} SET UNLOGGED")
            with pytest.raises(CommitInDoubt, match=f"SET LOGGED: {table}"):
                await store.new_epoch("main", "test")
            await owner.run(f"ALTER TABLE {table} SET LOGGED")
            await store.recover()
        await store.new_epoch("main", "test")


@on_loop
async def test_an_epoch_uses_up_no_number(database: str) -> None:
    """DESIGN 4: a bank is taken as often as there is trouble; the numbers of banks are few."""
    async with stores(database) as (store,), watching(database) as owner:
        for _ in range(5):
            await store.new_epoch("main", "test")
        await store.new_epoch("second", "test")
        assert await owner.run("SELECT id FROM bank ORDER BY id") == [(1,), (2,)]


@on_loop
async def test_a_bank_is_found_however_letters_are_ordered(database: str) -> None:
    """S3: a restored cluster may order letters otherwise, and an index of names by it would miss one."""
    async with watching(database) as owner:
        found = await owner.run(
            "SELECT attcollation::regcollation::text FROM pg_attribute "
            "WHERE attname = 'name' AND attrelid = 'bank'::regclass"
        )
        assert found == [('"C"',)]


@on_loop
async def test_whoever_holds_a_lock_lets_no_migration_hang(
    fresh: Fresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN, migrations: any role that may sign in can have the lock; a program that waits is told."""
    url = fresh("postgres")
    monkeypatch.setattr("jackpot.ledger.postgres.schema.MIGRATION_TURN_MS", 10)
    async with watching(url) as other:
        await other.run("SELECT pg_advisory_lock($1)", MIGRATION_LOCK)
        with pytest.raises(LedgerUnusable, match="cannot be made while others use it"):
            await PostgresStore.open(url)
    async with stores(url) as (store,):
        assert store.created


async def until_it_waits(first: Any, second: asyncio.Task[PostgresStore]) -> None:
    """Waits until the second server has waited 0.1 s for the schema's lock, or has given up."""
    waiting = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
        "AND wait_event = 'advisory' AND clock_timestamp() - query_start > '0.1 s'"
    )
    async with asyncio.timeout(WAIT_S):
        while await first.run(waiting) == [(0,)] and not second.done():  # noqa: ASYNC110 - it has no event
            await asyncio.sleep(0.01)


@on_loop
async def test_two_that_start_on_an_empty_database_wait_for_each_other(
    fresh: Fresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN, migrations: who comes second has the patience that the first one's work takes."""
    url = fresh("postgres")
    monkeypatch.setattr("jackpot.ledger.postgres.schema.MIGRATION_WAITS_MS", 10)
    async with watching(url) as first, asyncio.TaskGroup() as group:
        await first.run("SELECT pg_advisory_lock($1)", MIGRATION_LOCK)
        second = group.create_task(PostgresStore.open(url))
        await until_it_waits(first, second)
        await first.run("SELECT pg_advisory_unlock($1)", MIGRATION_LOCK)
        store = await second
    assert store.created
    await store.close()


def test_a_number_that_another_connection_has_now_stops_nothing(database: str, postgres: Postgres) -> None:
    """DESIGN, fence: after a restart of the database the old backend's number may be a monitor's."""
    with signing_in(postgres, database, "jackpot_server") as server:

        @on_loop
        async def run() -> None:
            async with watching(database) as monitor:
                async with stores(server) as (store,):
                    await store.new_epoch("main", "test")
                await monitor.run("UPDATE head SET backend = pg_backend_pid()")
                async with stores(server) as (store,):
                    assert (await store.new_epoch("main", "test")).epoch == 2

        run()


def test_a_forged_snapshot_is_not_what_a_server_goes_on_from(database: str, postgres: Postgres) -> None:
    """S3: with a server's rights somebody writes a state of their own: a start passes it over.

    A doubt goes on from what the server itself holds.
    """
    with signing_in(postgres, database, "jackpot_server") as server:

        @on_loop
        async def run() -> None:
            async with stores(server) as (store,), watching(server) as insider:
                with capture_logs() as logs:
                    async with holding(store) as bank:
                        bank.sequencer._snapshot_every = 1
                        await bank.person(OpenLink(THREE), ("p",))
                        honest = await bank.ask(_books)
                        newest = await saved(store)
                        bank.sequencer._snapshot_every = SEAL_STEP
                        forged = Engine.from_snapshot(newest.state)
                        forged.state.links[0].levels[0].accounts.primary += 1_000_000_000_000
                        plant = "UPDATE snapshot SET state = $1", forged.snapshot()
                        await insider.run(*plant)
                        await insider.run("SELECT pg_terminate_backend(backend, 5000) FROM head")
                        await until(lambda: bank.counts.doubts == 1 and bank.active)
                        assert await bank.ask(_books) == honest
                    async with holding(store) as bank:
                        assert await bank.ask(_books) == honest
                reason = "main: the snapshot of row 2 is not what row 3 sealed"
                replayed = [line for line in logs if line["event"] == "ledger_replayed"]
                # With the row of the epoch after the doubt.
                assert [(line["rows"], line["reasons"]) for line in replayed] == [(4, [reason])]

        run()


def test_a_forged_tail_stops_a_server_that_runs(database: str, postgres: Postgres) -> None:
    """S3: with a server's rights somebody appends a seal of their state, and its snapshot: it stops."""
    with signing_in(postgres, database, "jackpot_server") as server:

        @on_loop
        async def run() -> None:
            async with stores(server) as (store,), watching(server) as insider, holding(store) as bank:
                await bank.person(OpenLink(THREE), ("p",))
                head = await store.head("main")
                rich = Engine.from_snapshot(await bank.ask(Engine.snapshot))
                rich.state.links[0].levels[0].accounts.primary += 1_000_000_000_000
                rich.state.links[0].levels[0].accounts.house -= 1_000_000_000_000
                state = rich.snapshot()
                body = row_commands.encode(Sealed(SNAPSHOT_FORMAT, digest_of(state)), SnapshotSeal())
                entry = DecidedEntry(head.seq + 1, 0, Sealed.kind, 1, None, None, None, bytes(16), body, ())
                row = row_of("main", head.epoch, entry, head.hash)
                await insider.run(
                    "INSERT INTO journal VALUES (1, $1, 0, $2, $3, 1, NULL, NULL, NULL, $4, $5, $6)",
                    row.seq, row.epoch, row.kind, row.digest, row.body, row.hash,
                )  # fmt: skip
                plant = "INSERT INTO snapshot VALUES (1, $1, $2, $3, $4)"
                await insider.run(plant, head.seq, head.hash, SNAPSHOT_FORMAT, state)
                await insider.run("UPDATE head SET seq = $1, hash = $2", row.seq, row.hash)
                with pytest.raises(BankStopped):  # fenced; then it takes the bank again, and reads it
                    await bank.person(OpenLink(FIVE), ("p",))
                await until(lambda: bank.lifecycle.failed)
                said = "row 3 seals another state than the rows before it make: .* jackpot ledger restore"
                assert re.search(said, bank.lifecycle.stopped or "")

        run()


def _books(engine: Engine) -> dict[str, Any]:
    """State of the ledger, except its last row."""
    return {name: value for name, value in views.statistics(engine).items() if name != "seq"}


async def saved(store: PostgresStore) -> Snapshot:
    """The first snapshot that is in the ledger."""
    async with asyncio.timeout(WAIT_S):
        while (newest := await store.run(lambda ledger: ledger.newest_snapshot("main"))) is None:
            pass
    return newest


def test_a_ledger_that_takes_no_row_is_tried_ever_more_seldom(database: str, postgres: Postgres) -> None:
    """DESIGN 4: each try is an epoch, though the connection and the head are well; relieved, all goes on."""
    name = database.rpartition("/")[2]
    with signing_in(postgres, database, "jackpot_server") as server:

        @on_loop
        async def run() -> None:
            async with stores(server) as (store,), holding(store) as bank, asyncio.TaskGroup() as group:
                postgres.sql("REVOKE INSERT ON posting FROM jackpot_server", name)
                act = group.create_task(bank.person(OpenLink(FIVE), ("p",)))
                await until(lambda: bank._pause > 2 * RETRY_FIRST_S)
                assert bank.counts.doubts == 3
                postgres.sql("GRANT INSERT ON posting TO jackpot_server", name)
                assert (await act).ok
                assert bank._pause == 0

        run()


@on_loop
async def test_a_second_server_by_mistake_ends_no_other(database: str) -> None:
    """DESIGN, lease: one that knows of no other stands by too where a bank is held, until it is free."""
    async with stores(database, 2) as (store, another), AsyncExitStack() as until_last:
        async with holding(store) as bank:
            epoch = bank.sequencer.epoch
            mistaken = await until_last.enter_async_context(holding(another))
            assert mistaken.lifecycle.stopped == "standby: us has bank main"
            assert (await bank.person(OpenLink(FIVE), ("p",))).ok
            assert (bank.active, bank.sequencer.epoch) == (True, epoch)
        await until(lambda: mistaken.active)
        assert mistaken.epoch > epoch
