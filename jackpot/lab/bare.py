"""What does a bare commit of PostgreSQL cost, and how much does it write to its own journal?"""

import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final, Self

import asyncpg

from jackpot.lab.load import LoadError
from jackpot.ledger.connect import Connection, connect, without_password

COMMITS_LEAST: Final = 5  # enough to measure a slow disk

_TABLES: Final = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
_WRITTEN: Final = "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint"
# The bytes are random, so PostgreSQL must not spend time on compressing them.
_MAKE: Final = (
    "CREATE TABLE bench (data bytea)",
    "ALTER TABLE bench ALTER data SET STORAGE EXTERNAL",
)
_SETTINGS: Final = """
    SELECT current_setting('server_version') AS version, current_setting('synchronous_commit') AS synchronous,
        current_setting('fsync') AS fsync, current_setting('synchronous_standby_names') AS standbys
"""


class Bare:
    """One connection to the database that the bench's ledger is in."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str) -> AsyncIterator[Self]:
        """Raises LoadError if the database fails or is not empty: no house's books get a bench's rounds."""
        try:
            connection = await connect(url)
            try:
                if await connection.fetch(_TABLES):
                    raise LoadError("the database is not empty: give the bench one of its own")
                yield cls(connection)
            finally:
                await connection.close()
        except (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
            raise LoadError(f"{without_password(url)}: {error}") from error

    async def settings(self) -> dict[str, Any]:
        """Its version, and what it waits for at a commit."""
        return dict(await self._connection.fetchrow(_SETTINGS) or {})

    async def written(self) -> int:
        """Bytes of PostgreSQL's journal by now, all databases of its cluster together."""
        found: int = await self._connection.fetchval(_WRITTEN)
        return found

    async def commits(self, size: int, seconds: float) -> list[float]:
        """Seconds of each INSERT of so many bytes with its COMMIT: one statement, one answer."""
        data = secrets.token_bytes(max(size, 1))
        for statement in _MAKE:
            await self._connection.execute(statement)
        insert = await self._connection.prepare("INSERT INTO bench VALUES ($1)")
        took: list[float] = []
        ends = time.perf_counter() + seconds
        while (began := time.perf_counter()) < ends or len(took) < COMMITS_LEAST:
            await insert.fetch(data)
            took.append(time.perf_counter() - began)
        await self._connection.execute("DROP TABLE bench")
        return took
