"""Store of a ledger in one SQLite file: one transaction a batch, counted before its COMMIT."""

from collections.abc import Sequence
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any, Final

import apsw
from msgspec.structs import astuple

from jackpot.ledger import schema
from jackpot.ledger.journal import Head, Row, Snapshot, check_dense, genesis
from jackpot.ledger.names import KEEP as KEEP_NAME
from jackpot.ledger.names import names_of
from jackpot.ledger.reading import Reader
from jackpot.ledger.sqlite.file import SqliteFile
from jackpot.ledger.store import (
    DROP_SNAPSHOTS,
    SNAPSHOTS_KEPT,
    DataRefused,
    Statement,
    fenced,
    kept_apart,
    not_written,
)
from jackpot.ledger.takeovers import COPIED, OPENED, RELEASED, TAKEN
from jackpot.ledger.trigger_rows import DROP as DROP_TRIGGER
from jackpot.ledger.trigger_rows import KEEP as KEEP_TRIGGER
from jackpot.ledger.trigger_rows import TABLE as TRIGGERS

# Rows of a statement that is kept prepared: its text is below 16 KiB. One for fewer rows is filled up to
# the next power of two with rows of nothing, so there are ten texts a table. A text for each number of rows
# was prepared every time, which took two thirds of the insert.
PREPARED_ROWS: Final = 512
# What is more comes in one statement; SQLite binds 32,766 values, and a row has up to 13 of them.
ROWS_MAX: Final = 32_766 // 13

# The fields of a `Row`, from its seq to its body, that are columns of the journal as they stand.
_KEPT: Final = slice(Row.__struct_fields__.index("seq"), Row.__struct_fields__.index("postings"))
# Columns of a row.
_WIDTHS: Final = {"journal": 12, "posting": 13, "hit_entry": 3}
_FENCE: Final = "UPDATE head SET seq = ?, hash = ? WHERE bank = ? AND epoch = ? AND seq = ?"


class SqliteLedger(Reader):
    """Synchronous operations of a Store on one SQLite file; `async_sqlite` wraps it for asyncio.

    path, vfs, readonly, second: of the `file`. created, applied: as in a Store. Raises LedgerUnusable. Calls
    may come from any thread, one at a time.
    """

    def __init__(
        self, path: str | Path, vfs: str | None = None, *, readonly: bool = False, second: bool = False
    ) -> None:
        self.file = SqliteFile(path, vfs, readonly=readonly, second=second)
        super().__init__(
            self.file.ask,
            partial(schema.sqlite, self.file.version),
            schema.sqlite_version(self.file.version),
            end=self.file.close,
        )
        self.path = self.file.path
        self.created = self.file.created
        self.applied = self.file.applied

    def new_epoch(self, bank: str, holder: str, at_least: int = 0) -> Head:
        with self.file.transaction() as connection:
            connection.execute("INSERT OR IGNORE INTO bank (name) VALUES (?)", (bank,))
            connection.execute(
                "INSERT INTO head SELECT id, max(1, ?1), 0, ?2, ?3, 0 FROM bank WHERE name = ?4 "
                "ON CONFLICT (bank) DO UPDATE SET epoch = max(epoch + 1, ?1), holder = excluded.holder",
                (at_least, genesis(bank), holder, bank),
            )
            _check_wrote("head", connection.changes(), 1)
            _tell_taken(connection, bank, COPIED if at_least else TAKEN)
        self.file.proven()
        return self.head(bank)

    def open_banks(self, firsts: Sequence[Row]) -> None:
        with self.file.transaction() as connection:
            for row in firsts:
                connection.execute("INSERT INTO bank (name) VALUES (?)", (row.bank,))
                number = connection.last_insert_rowid()
                connection.execute(
                    "INSERT INTO head VALUES (?, ?, 0, ?, '', 0)", (number, row.epoch, genesis(row.bank))
                )
                _tell_taken(connection, row.bank, OPENED)
                _write(connection, number, row.epoch, 0, [row])

    def beat(self, bank: str, epoch: int) -> None:
        with self.file.transaction() as connection:
            self._lease(connection, bank, epoch, "beat = beat + 1")

    def release(self, bank: str, epoch: int) -> None:
        with self.file.transaction() as connection:
            self._lease(connection, bank, epoch, "holder = ''")
            _tell_taken(connection, bank, RELEASED)

    def _lease(self, connection: apsw.Connection, bank: str, epoch: int, change: str) -> None:
        connection.execute(
            f"UPDATE head SET {change} WHERE bank = ? AND epoch = ?",  # noqa: S608
            (self._number(bank), epoch),
        )
        if connection.changes() != 1:
            raise fenced(bank, epoch)

    def append(self, bank: str, epoch: int, seq_before: int, rows: Sequence[Row]) -> None:
        check_dense(bank, seq_before, [row.seq for row in rows])
        number = self._number(bank)
        try:
            with self.file.transaction() as connection:
                _write(connection, number, epoch, seq_before, rows)
        except DataRefused as error:
            head = self.head(bank)
            if (head.epoch, head.seq) != (epoch, seq_before):
                raise fenced(bank, epoch) from error
            raise

    def save_snapshot(self, snapshot: Snapshot) -> None:
        number = self._number(snapshot.bank)
        with self.file.transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?, ?, ?)",
                (number, snapshot.seq, snapshot.hash, snapshot.format, snapshot.state),
            )
            _check_wrote("snapshot", connection.changes(), 1)
            connection.execute(DROP_SNAPSHOTS, (number, snapshot.seq, SNAPSHOTS_KEPT, kept_apart(snapshot)))

    def change(self, *statements: Statement) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        with self.file.transaction() as connection:
            for sql, values in statements:
                found = connection.execute(sql, values).fetchall()
        return found

    def checkpoint(self) -> None:
        self.file.checkpoint()

    def recover(self) -> None:
        self._numbers.clear()
        self.file.recover()

    def integrity(self) -> list[str]:
        """Problems found by SQLite's integrity check."""
        found = self.file.ask("PRAGMA integrity_check")
        return [f"the file: {said}" for (said,) in found if said != "ok"]


def _write(
    connection: apsw.Connection, number: int, epoch: int, seq_before: int, rows: Sequence[Row]
) -> None:
    """Adds the rows and moves the head, in a transaction; Fenced, LedgerCorrupt. number: the bank's."""
    journal = list(chain.from_iterable((number, *astuple(row)[_KEPT], row.hash) for row in rows))
    postings = list(chain.from_iterable(
        (number, row.seq, *posting) for row in rows for posting in row.postings
    ))  # fmt: skip
    hits = [n for row in rows for hit in row.hits for n in (number, row.seq, hit)]
    before = connection.total_changes()
    _insert(connection, "journal", journal)
    _insert(connection, "posting", postings)
    _insert(connection, "hit_entry", hits)
    named = 0
    for name in names_of(rows):
        connection.execute(KEEP_NAME, name.values(number))
        named += connection.changes()  # none where it is there
    changed = _change_triggers(connection, rows)
    connection.execute(_FENCE, (rows[-1].seq, rows[-1].hash, number, epoch, seq_before))
    if connection.changes() != 1:
        raise fenced(rows[0].bank, epoch)
    # What triggers do is in the total alone.
    written = sum(1 + len(row.postings) + len(row.hits) for row in rows) + named + changed + 1
    _check_wrote("all", connection.total_changes() - before, written)


def _change_triggers(connection: apsw.Connection, rows: Sequence[Row]) -> int:
    """Keeps and deletes running triggers with the rows that commit to them and open them. Returns the number
    of changed rows. One that was deleted by somebody else has nothing left to delete.
    """
    changed = 0
    for row in rows:
        if row.triggers is None:
            continue
        for kept in row.triggers.kept:
            connection.execute(KEEP_TRIGGER, kept.values())
            _check_wrote(TRIGGERS, connection.changes(), 1)
            changed += 1
        for committed in row.triggers.opened:
            connection.execute(DROP_TRIGGER, (committed,))
            changed += connection.changes()
    return changed


def _tell_taken(connection: apsw.Connection, bank: str, how: str) -> None:
    """Adds the current head to the table `takeover`."""
    connection.execute(
        "INSERT INTO takeover (bank, epoch, how, holder, seq) SELECT head.bank, epoch, ?, holder, seq "
        "FROM head JOIN bank ON bank.id = head.bank WHERE bank.name = ?",
        (how, bank),
    )
    _check_wrote("takeover", connection.changes(), 1)


def _insert(connection: apsw.Connection, table: str, values: list[Any]) -> None:
    """Inserts all rows in one statement or two, rarely more: the thread releases the GIL at each."""
    width, start, most = _WIDTHS[table], 0, PREPARED_ROWS
    while part := values[start : start + most * width]:
        count = size = len(part) // width
        if count <= PREPARED_ROWS:
            size = 1 << (count - 1).bit_length()
            part += [None] * ((size - count) * width)
        connection.execute(_inserting(table, size), part)
        _check_wrote(table, connection.changes(), count)
        start, most = start + most * width, ROWS_MAX


@lru_cache(64)
def _inserting(table: str, size: int) -> str:
    """Statement that inserts so many rows, except those without a bank."""
    row = "(" + ",".join("?" * _WIDTHS[table]) + ")"
    rows = ",".join([row] * size)
    return f"INSERT INTO {table} SELECT * FROM (VALUES {rows}) WHERE column1 IS NOT NULL"  # noqa: S608


def _check_wrote(table: str, wrote: int, asked: int) -> None:
    if wrote != asked:
        raise not_written(table, wrote, asked)
