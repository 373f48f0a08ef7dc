"""Writes rows and snapshots into the tables of PostgreSQL, and checks how many were written."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

import asyncpg

from jackpot.ledger.connect import FAILURES, Connection, text
from jackpot.ledger.journal import Row, Snapshot, genesis
from jackpot.ledger.names import KEEP as KEEP_NAME
from jackpot.ledger.names import names_of
from jackpot.ledger.postgres.connection import PostgresConnection
from jackpot.ledger.store import DROP_SNAPSHOTS, SNAPSHOTS_KEPT, Statement, kept_apart, not_kept, not_written
from jackpot.ledger.takeovers import OPENED
from jackpot.ledger.trigger_rows import DROP as DROP_TRIGGER
from jackpot.ledger.trigger_rows import KEEP as KEEP_TRIGGER
from jackpot.ledger.trigger_rows import TABLE as TRIGGERS
from jackpot.ledger.trigger_rows import TriggerChanges

# The SQLSTATE of schemas/sql/postgres for rows that are not there before COMMIT.
_NOT_KEPT: Final = "JP005"

# With the type of every argument, as in `postgres_lease`.
_APPEND: Final = """
    SELECT append_rows(
        $1::integer, $2::bigint, $3::bigint, $4::journal_row[], $5::posting_row[], $6::hit_row[], $7::boolean
    )
"""
_KEEP_NAME: Final = KEEP_NAME.replace("?", "$")
_KEEP_TRIGGER: Final = KEEP_TRIGGER.replace("?", "$")
_DROP_TRIGGER: Final = DROP_TRIGGER.replace("?", "$")


async def append_rows(
    connection: Connection, number: int, epoch: int, rows: Sequence[Row], *, synchronous: bool
) -> None:
    """Adds the rows and moves the head, which must stand before the first of them: one message to the
    database, with its COMMIT unless a transaction is open; some more where a row names anything. number: the
    bank's. So do those with which a running trigger is kept or opened.

    Raises LedgerCorrupt where the database does not have all of them then, and what it raises itself.
    """
    journal = [
        (number, row.seq, row.at, row.epoch, row.kind, row.version, row.link, row.table, row.table_seq,
         row.digest, row.body, row.hash)
        for row in rows
    ]  # fmt: skip
    postings = [(number, row.seq, *posting) for row in rows for posting in row.postings]
    hits = [(number, row.seq, hit) for row in rows for hit in row.hits]
    values = number, epoch, rows[0].seq - 1, journal, postings, hits, synchronous
    names, changes = names_of(rows), [row.triggers for row in rows if row.triggers is not None]
    try:
        if names or changes:
            async with connection.transaction():
                await connection.execute(_APPEND, *values)
                await connection.executemany(_KEEP_NAME, [name.values(number) for name in names])
                for change in changes:
                    await _change_triggers(connection, change)
        else:
            await connection.execute(_APPEND, *values)
    except asyncpg.PostgresError as error:
        if error.sqlstate == _NOT_KEPT:
            raise not_kept(text(error)) from error
        raise


async def _change_triggers(connection: Connection, change: TriggerChanges) -> None:
    """Keeps and deletes running triggers, in the transaction of their row. One that was deleted by somebody
    else has nothing left to delete.
    """
    for kept in change.kept:
        _check_wrote(TRIGGERS, await connection.execute(_KEEP_TRIGGER, *kept.values()))
    for committed in change.opened:
        await connection.execute(_DROP_TRIGGER, committed)


def _check_wrote(table: str, status: str) -> None:
    """status: the command tag of the database, "INSERT 0 1", which does not count a row that a trigger
    swallowed.
    """
    if status != "INSERT 0 1":
        raise not_written(table, int(status.rpartition(" ")[2]), 1)


async def begin_banks(connection: Connection, firsts: Sequence[Row], writer: UUID) -> None:
    """Adds banks with their first rows, in a transaction. No connection holds them: their backend is 0."""
    for row in firsts:
        number = await connection.fetchval("INSERT INTO bank (name) VALUES ($1) RETURNING id", row.bank)
        status = await connection.execute(
            "INSERT INTO head VALUES ($1, $2, $3, $4, '', 0, $5, 0, now())",
            number, row.epoch, row.seq - 1, genesis(row.bank), writer,
        )  # fmt: skip
        _check_wrote("head", status)
        status = await connection.execute(
            "INSERT INTO takeover (bank, epoch, how, holder, seq) VALUES ($1, $2, $3, '', $4)",
            number, row.epoch, OPENED, row.seq - 1,
        )  # fmt: skip
        _check_wrote("takeover", status)
        await append_rows(connection, number, row.epoch, [row], synchronous=False)


async def carry_out(connection: Connection, statements: Sequence[Statement]) -> list[tuple[Any, ...]]:
    """Changes side tables, in a transaction. Returns the rows of the last statement."""
    found: list[Any] = []
    for sql, values in statements:
        found = await connection.fetch(sql.replace("?", "$"), *values)
    return [tuple(row) for row in found]


async def save_snapshot(session: PostgresConnection, snapshot: Snapshot) -> None:
    """As in `Store`."""
    connection = session.ready()
    number = await session.number(snapshot.bank)
    try:
        async with connection.transaction():
            # It only shortens a start, so nothing waits for it.
            await connection.execute("SET LOCAL synchronous_commit = off")
            status = await connection.execute(
                "INSERT INTO snapshot VALUES ($1, $2, $3, $4, $5) ON CONFLICT (bank, seq) DO UPDATE "
                "SET hash = excluded.hash, format = excluded.format, state = excluded.state",
                number, snapshot.seq, snapshot.hash, snapshot.format, snapshot.state,
            )  # fmt: skip
            _check_wrote("snapshot", status)
            await connection.execute(
                DROP_SNAPSHOTS.replace("?", "$"), number, snapshot.seq, SNAPSHOTS_KEPT, kept_apart(snapshot)
            )  # fmt: skip
    except FAILURES as error:
        raise session.in_doubt(error) from error
