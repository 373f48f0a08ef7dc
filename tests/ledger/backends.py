"""Watches the backends of PostgreSQL, for tests that must act while one waits."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import asyncpg

from jackpot.ledger.postgres.store import PostgresStore
from tests import ceilings

WAIT_S: Final = ceilings.WAIT_S
STANDBY: Final = "SyncRep"  # the wait event of a COMMIT that waits for its standby


class Watcher:
    """A connection that watches the other backends."""

    def __init__(self, connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        self.connection = connection

    async def run(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in await self.connection.fetch(statement, *values)]

    async def waits_for(self, backend: int) -> str | None:
        """Wait event of a backend; None if it is gone or does not wait."""
        found = await self.run("SELECT wait_event FROM pg_stat_activity WHERE pid = $1", backend)
        return found[0][0] if found else None

    async def until_waiting(self, backend: int, event: str = STANDBY) -> None:
        """Waits until a backend has that wait event."""
        async with asyncio.timeout(WAIT_S):
            while await self.waits_for(backend) != event:  # noqa: ASYNC110 - a database sends no event
                await asyncio.sleep(0.01)


@asynccontextmanager
async def watching(url: str) -> AsyncIterator[Watcher]:
    connection = await asyncpg.connect(url, timeout=WAIT_S)
    try:
        # What it changes waits for no standby.
        await connection.execute("SET synchronous_commit = local")
        yield Watcher(connection)
    finally:
        connection.terminate()


@asynccontextmanager
async def stores(url: str, count: int = 1, **how: Any) -> AsyncIterator[list[PostgresStore]]:
    """Servers' stores of one ledger; the first makes its schema."""
    opened: list[PostgresStore] = []
    try:
        while len(opened) < count:
            opened.append(await PostgresStore.open(url, **how))
        yield opened
    finally:
        for store in opened:
            await store.close()


def backend(store: PostgresStore) -> int:
    """The number of the process that serves a store."""
    return store.session.own[-1][0]
