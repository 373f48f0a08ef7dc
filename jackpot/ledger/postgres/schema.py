"""Finds, creates or migrates the schema of a PostgreSQL ledger when it is opened."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

import asyncpg

from jackpot.ledger.connect import Connection
from jackpot.ledger.migrations import APPLIED, CREATE, Migration, pending
from jackpot.ledger.reading import Conversation
from jackpot.ledger.store import LedgerUnusable

# Every program that changes the schema takes this advisory lock first; the number means nothing.
MIGRATION_LOCK: Final = 0x6A61636B706F74

# A program waits so long for another one that changes the schema, such as the second of two servers that are
# started on an empty database. Nobody else waits meanwhile.
MIGRATION_TURN_MS: Final = 60_000
# A migration waits so long for others that hold locks on the ledger's tables; later ones wait for it.
MIGRATION_WAITS_MS: Final = 5_000


class SchemaMade(NamedTuple):
    """As in `Store`."""

    created: bool
    applied: list[str]


async def open_schema(connection: Connection, shown: str, *, migrate: bool) -> SchemaMade:
    """Makes or migrates the schema where that is wanted and allowed. shown: the ledger's URL, for people.

    Raises FAILURES, LedgerUnusable.
    """
    found = await connection.fetch(
        "SELECT tablename, tableowner FROM pg_tables WHERE schemaname = current_schema()"
    )
    tables: dict[str, str] = {table: owner for table, owner in found}  # noqa: C416 - a record is no pair
    if tables and "migration" not in tables:
        raise LedgerUnusable(
            f"{shown} is a database, but not a ledger, which has one of its own, empty at first"
        )
    if not tables and not migrate:
        raise LedgerUnusable(f"{shown} holds no ledger yet: jackpot ledger init makes it")
    todo = await _pending(connection) if tables else []
    if todo and not migrate:
        raise LedgerUnusable(
            f"the schema of {shown} is older than this program: stop its servers, then its owner brings it "
            "up to date: jackpot ledger migrate --ledger URL"
        )
    applied: list[str] = []
    if todo or not tables:
        try:
            applied = await _migrate(connection, tables.get("journal"))
        except asyncpg.InsufficientPrivilegeError as error:
            what = "migrate" if tables else "init"
            raise LedgerUnusable(
                f"the schema of {shown} must be made by its owner: jackpot ledger {what} --ledger URL"
            ) from error
        except asyncpg.LockNotAvailableError as error:
            raise LedgerUnusable(
                f"the schema of {shown} cannot be made while others use it, such as another migration or "
                "a query that was left open: end them (pg_stat_activity), then try again"
            ) from error
    return SchemaMade(not tables and bool(applied), applied)


async def _pending(connection: Connection) -> list[Migration]:
    """Pending migrations. Raises LedgerUnusable if the schema is newer than this program."""
    return pending("postgres", [number for (number,) in await connection.fetch(APPLIED)])


async def _migrate(connection: Connection, owner: str | None) -> list[str]:
    """Applies pending migrations under a lock. Returns their notes.

    owner: the role that owns the tables and will own new ones; None if there are none.
    """
    async with connection.transaction():
        await connection.execute(f"SET LOCAL lock_timeout = {MIGRATION_TURN_MS}")
        await connection.execute("SELECT pg_advisory_xact_lock($1::bigint)", MIGRATION_LOCK)
        await connection.execute(f"SET LOCAL lock_timeout = {MIGRATION_WAITS_MS}")
        if owner is not None:  # a superuser's tables would be others than the ledger's
            await connection.execute(f'SET LOCAL ROLE "{owner.replace(chr(34), chr(34) * 2)}"')
        await connection.execute(CREATE)
        todo = await _pending(connection)
        for migration in todo:
            await connection.execute(migration.sql)
            await _carry(connection, migration.fill())
            await connection.execute(
                "INSERT INTO migration VALUES ($1, $2)", migration.number, migration.name
            )
    return [f"{migration.number:04} {migration.note}" for migration in todo]


async def _carry(connection: Connection, conversation: Conversation[None]) -> None:
    """Runs a generator of SQL statements to its end, in the open transaction."""
    found: Sequence[Any] | None = None
    with suppress(StopIteration):
        while True:
            sql, values = conversation.send(found)  # type: ignore[arg-type]  # a generator starts with None
            found = await connection.fetch(sql.replace("?", "$"), *values)
