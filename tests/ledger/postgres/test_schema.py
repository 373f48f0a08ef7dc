"""Creation and migration of a PostgreSQL schema, and what is refused."""

import asyncio

import pytest

from jackpot.ledger.migrations import pending
from jackpot.ledger.postgres import schema
from jackpot.ledger.postgres.store import PostgresStore
from jackpot.ledger.store import LedgerUnusable
from tests.ledger.backends import stores, watching
from tests.ledgers import Fresh
from tests.running_server import on_loop


@on_loop
async def test_programs_that_start_at_once_make_one_schema(fresh: Fresh) -> None:
    """DESIGN, migrations run under a lock: one program makes the schema, the others find it."""
    url = fresh("postgres")
    opened = await asyncio.gather(*(PostgresStore.open(url) for _ in range(4)))
    try:
        assert sorted(len(store.applied) > 0 for store in opened) == [False, False, False, True]
        assert [store.created for store in opened] == [bool(store.applied) for store in opened]
        await opened[3].new_epoch("main", "test")
    finally:
        for store in opened:
            await store.close()


@on_loop
async def test_what_is_no_ledger_is_refused(fresh: Fresh) -> None:
    """DESIGN, the ledger: another program's database is left alone; a reader makes nothing."""
    database = fresh("postgres")
    with pytest.raises(LedgerUnusable, match="holds no ledger yet: jackpot ledger init"):
        await PostgresStore.open(database, readonly=True)
    async with watching(database) as other:
        await other.run("CREATE TABLE music (name text)")
        with pytest.raises(LedgerUnusable, match="is a database, but not a ledger"):
            await PostgresStore.open(database)
        assert await other.run("SELECT tablename FROM pg_tables WHERE schemaname = 'public'") == [("music",)]


@on_loop
async def test_a_reader_of_an_older_schema_is_told_what_to_do(fresh: Fresh) -> None:
    """S3: it changes nothing itself; once the owner has migrated, it reads."""
    url = fresh("postgres")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "pending", lambda *given: [one for one in pending(*given) if one.number < 3])
        async with stores(url):
            pass
    said = "stop its servers, then its owner brings it up to date: jackpot ledger migrate --ledger URL"
    with pytest.raises(LedgerUnusable, match=said):
        await PostgresStore.open(url, readonly=True)
    async with stores(url) as (store,):
        assert [note[:4] for note in store.applied] == ["0003", "0004", "0005"]
    async with stores(url, readonly=True) as (reader,):
        assert reader.applied == []


@on_loop
async def test_a_newer_schema_is_refused(database: str) -> None:
    """DESIGN, the ledger: a program never writes a schema that it does not know."""
    async with stores(database), watching(database) as other:
        await other.run("INSERT INTO migration VALUES (9999, 'tomorrow')")
        for readonly in (False, True):
            with pytest.raises(LedgerUnusable, match="schema is at 9999"):
                await PostgresStore.open(database, readonly=readonly)
