"""What can a restored database, a half-configured one or somebody with few rights do to a ledger?"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import asyncpg
import pytest

from jackpot.clock import SystemClock
from jackpot.lab.engines import Postgres
from jackpot.ledger import connect
from jackpot.ledger.journal import Snapshot
from jackpot.ledger.postgres import PostgresStore
from jackpot.ledger.store import CommitInDoubt, LedgerUnusable
from jackpot.rules import commands as c
from jackpot.server.tenure import Tenure
from jackpot.server.writer import Writer
from tests.ledger.backends import WAIT_S, backend, stores, watching
from tests.ledger.material import rows
from tests.ledger.play import FIVE, THREE
from tests.ledger.test_postgres_standby import outcome, until_synchronous
from tests.server.bed import on_loop, until

# A database of last night, whose last row and last taker are gone again.
GOES_BACK = """
    ALTER TABLE journal DISABLE TRIGGER USER;
    ALTER TABLE posting DISABLE TRIGGER USER;
    DELETE FROM journal WHERE seq = 2;
    DELETE FROM posting WHERE seq = 2;
    DELETE FROM snapshot;
    UPDATE head SET seq = 1, epoch = 1, writer = gen_random_uuid(), holder = 'last night',
        hash = (SELECT hash FROM journal WHERE seq = 1);
    SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
"""

TABLES: Final = ("bank", "journal", "posting", "head", "snapshot", "migration")

# The number of the next transaction: some 20 million before they run out, of a cluster that just was made.
NEARLY_OUT: Final = 2**31 - 20_000_000
# PostgreSQL keeps what became of so many transactions in one file of so many bytes.
CLOG_FILE: Final = 2**20, 2**18


@asynccontextmanager
async def holding(store: PostgresStore) -> AsyncIterator[Writer]:
    """A server alone on its ledger, that holds the bank."""
    loop = asyncio.get_running_loop()
    writer = Writer.standing_by("main", store, SystemClock())

    async def taken(_writer: Writer) -> None:
        """No device is there."""

    tenure = Tenure(
        writer,
        store,
        SystemClock(),
        "us",
        alone=True,
        waits=lambda: 0.0,
        start=loop.create_task,
        on_taken=taken,
    )
    running = loop.create_task(tenure.run())
    await tenure.settled()
    yield writer
    tenure.end()
    await running


@on_loop
async def test_a_database_that_went_back_is_noticed_by_whoever_took_it_again(database: str) -> None:
    """S5: an act that was acknowledged is gone, the head is another writer's: the bank stops."""
    async with stores(database) as (store,), holding(store) as writer:
        for terms in (FIVE, THREE):
            await writer.person(c.OpenLink(terms), ("p",))
        assert writer.core.durable_seq == 2
        owner = await asyncpg.connect(database, timeout=WAIT_S)
        try:
            await owner.execute(GOES_BACK)
        finally:
            owner.terminate()
        await until(lambda: writer.failed)
        assert "row 2, which was acknowledged, is not in the ledger" in (writer.stopped or "")


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
        cluster._run("pg_resetwal", "-x", str(NEARLY_OUT), cluster.data)
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
            patched.setattr(connect._Watched, "copy_records_to_table", broken)
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
        patched.setattr(connect._Watched, "get_server_pid", lambda _self: 1)
        with pytest.raises(LedgerUnusable, match="through a pooler"):
            await PostgresStore.open(database)
        async with stores(database, readonly=True) as (reader,):
            assert await reader.banks() == []
