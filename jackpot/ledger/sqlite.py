"""How does the ledger live in one SQLite file, and what does each of its failures mean?

WAL and synchronous=FULL: a commit that returned is on the disk. A commit that failed may be revived by the
next reader of the WAL, and a sync that failed may be followed by one that lies. So after any failure the
connection is thrown away. What the file then shows is believed only after `recover` has carried it from the
WAL into the database, and synced it again.
"""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeVar

import apsw

from jackpot.ledger import reading, schema
from jackpot.ledger.journal import Head, Row, Snapshot, check_dense, genesis
from jackpot.ledger.migrations import APPLIED, CREATE, pending
from jackpot.ledger.store import (
    SNAPSHOTS_KEPT,
    CommitInDoubt,
    Conversation,
    DataRefused,
    Differences,
    Fenced,
    LedgerError,
    LedgerStopped,
    LedgerUnusable,
    Question,
    not_written,
)
from jackpot.rules.postings import Posting

# How long a writer waits for another program's lock on the file (an auditor's tool, a backup).
BUSY_MS: Final = 5_000

# WAL that gathers before it is carried into the database: some 40,000 rounds, a second of writing.
CHECKPOINT_BYTES: Final = 16 * 1024 * 1024

# Bound values of one statement; SQLite allows 32,766. Postings beyond it (1,900 levels) take one more.
VALUES_MAX: Final = 32_766 // 13 * 13

# The database looked at the data and said no; the file and the connection are well.
REFUSALS: Final = (
    apsw.ConstraintError, apsw.TooBigError, apsw.MismatchError, apsw.RangeError, apsw.BindingsError,
    apsw.MisuseError, apsw.SQLError, OverflowError, TypeError, ValueError,
)  # fmt: skip

_ROW_MARKS: Final = "(" + ",".join("?" * 12) + ")"
_POSTING_MARKS: Final = "(" + ",".join("?" * 13) + ")"
_FENCE: Final = "UPDATE head SET seq = ?, hash = ? WHERE bank = ? AND epoch = ? AND seq = ?"

T = TypeVar("T")


class SqliteLedger:
    """A Ledger in one SQLite file, created if it is missing; one process at a time may write it.

    path: of the file; `path`-wal and `path`-shm are part of it, `path`-lock is held while it is open.
    vfs: name of the SQLite VFS underneath, for tests. readonly: next to a writer, without the lock.
    Raises LedgerUnusable. Calls may come from any thread, one at a time.
    """

    def __init__(self, path: str | Path, vfs: str | None = None, *, readonly: bool = False) -> None:
        self.path = Path(path)
        self.created = False
        self.applied: list[str] = []
        self._vfs = vfs
        self._readonly = readonly
        self._connection: apsw.Connection | None = None
        self._files: tuple[tuple[int, int], ...] | None = None
        self._banks: dict[str, int] = {}
        self._doubt: str | None = None
        self._stopped: str | None = None
        self._unproven = False
        self._wal_pages = self._wal_pages_done = self._page_bytes = 0
        self._lock = None if readonly else locked(self.path)
        try:
            self._connection = self._connect(apsw.SQLITE_OPEN_CREATE)
            if not readonly:  # the last process may have died in doubt: build nothing on a WAL it left (S5)
                self._connection.wal_checkpoint("main", apsw.SQLITE_CHECKPOINT_TRUNCATE)
            self._migrate(self._connection)
        except (apsw.Error, LedgerError) as error:
            self.close()
            if isinstance(error, LedgerError):
                raise
            missing = readonly and vfs is None and not self.path.exists()
            said = "there is no such file" if missing else _said(error)
            raise LedgerUnusable(f"the ledger {self.path} cannot be opened: {said}") from error

    def _connect(self, create: int = 0) -> apsw.Connection:
        flags = apsw.SQLITE_OPEN_READONLY if self._readonly else apsw.SQLITE_OPEN_READWRITE | create
        connection = apsw.Connection(str(self.path), flags=flags, vfs=self._vfs)
        connection.set_busy_timeout(BUSY_MS)
        if self._readonly:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        else:
            if connection.pragma("journal_mode", "wal") != "wal":
                raise LedgerUnusable(f"the file system of {self.path} cannot hold a write-ahead log")
            connection.pragma("synchronous", "full")
            connection.pragma("fullfsync", True)  # macOS: a plain sync stays in the drive's cache
            connection.pragma("checkpoint_fullfsync", True)
            connection.set_wal_hook(self._wal_grew)  # takes the place of automatic checkpoints
        self._banks.clear()
        self._files = None
        self._wal_pages = self._wal_pages_done = 0
        self._page_bytes = int(connection.pragma("page_size"))
        return connection

    def _wal_grew(self, _connection: apsw.Connection, _database: str, pages: int) -> int:
        if pages < self._wal_pages:
            self._wal_pages_done = 0
        self._wal_pages = pages
        return apsw.SQLITE_OK

    def _migrate(self, connection: apsw.Connection) -> None:
        tables = {
            name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        }
        if tables and "migration" not in tables:
            raise LedgerUnusable(f"{self.path} is a database, but not a ledger")
        if not self._readonly:
            connection.execute(CREATE)
        elif not tables:
            raise LedgerUnusable(f"{self.path} holds no ledger yet")
        todo = pending("sqlite", [number for (number,) in connection.execute(APPLIED)])
        if todo and self._readonly:
            raise LedgerUnusable(
                f"the schema of {self.path} is older than this program: let the server migrate it"
            )
        for migration in todo:
            with self._transaction():
                connection.execute(migration.sql)
                connection.execute("INSERT INTO migration VALUES (?, ?)", (migration.number, migration.name))
            self.applied.append(f"{migration.number:04} {migration.note}")
        self.created = not tables

    # Writing

    def new_epoch(self, bank: str, holder: str, at_least: int = 0) -> Head:
        with self._transaction() as connection:
            connection.execute("INSERT OR IGNORE INTO bank (name) VALUES (?)", (bank,))
            connection.execute(
                "INSERT INTO head SELECT id, max(1, ?1), 0, ?2, ?3, 0 FROM bank WHERE name = ?4 "
                "ON CONFLICT (bank) DO UPDATE SET epoch = max(epoch + 1, ?1), holder = excluded.holder",
                (at_least, genesis(bank), holder, bank),
            )
            _check_wrote("head", connection.changes(), 1)
        self._unproven = False
        return self.head(bank)

    def open_banks(self, firsts: Sequence[Row]) -> None:
        with self._transaction() as connection:
            for row in firsts:
                connection.execute("INSERT INTO bank (name) VALUES (?)", (row.bank,))
                number = connection.last_insert_rowid()
                connection.execute(
                    "INSERT INTO head VALUES (?, ?, 0, ?, '', 0)", (number, row.epoch, genesis(row.bank))
                )
                _write(connection, number, row.epoch, 0, [row])

    def beat(self, bank: str, epoch: int) -> None:
        self._lease(bank, epoch, "beat = beat + 1")

    def release(self, bank: str, epoch: int) -> None:
        self._lease(bank, epoch, "holder = ''")

    def _lease(self, bank: str, epoch: int, change: str) -> None:
        with self._transaction() as connection:
            connection.execute(
                f"UPDATE head SET {change} WHERE bank = ? AND epoch = ?",  # noqa: S608
                (self._bank(bank), epoch),
            )
            if connection.changes() != 1:
                raise Fenced(f"bank {bank} was taken by another writer: epoch {epoch} is over")

    def append(self, bank: str, epoch: int, seq_before: int, rows: Sequence[Row]) -> None:
        check_dense(bank, seq_before, rows)
        number = self._bank(bank)
        try:
            with self._transaction() as connection:
                _write(connection, number, epoch, seq_before, rows)
        except DataRefused as error:
            head = self.head(bank)
            if (head.epoch, head.seq) != (epoch, seq_before):
                raise Fenced(f"bank {bank} was taken by another writer: epoch {epoch} is over") from error
            raise

    def save_snapshot(self, snapshot: Snapshot) -> None:
        number = self._bank(snapshot.bank)
        with self._transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?, ?, ?)",
                (number, snapshot.seq, snapshot.hash, snapshot.format, snapshot.state),
            )
            _check_wrote("snapshot", connection.changes(), 1)
            connection.execute(
                "DELETE FROM snapshot WHERE bank = ?1 AND seq NOT IN "
                "(SELECT seq FROM snapshot WHERE bank = ?1 AND seq <= ?2 ORDER BY seq DESC LIMIT ?3)",
                (number, snapshot.seq, SNAPSHOTS_KEPT),
            )

    def checkpoint(self) -> None:
        """Carries the WAL into the database where 16 MiB have gathered; a reader may make it wait."""
        connection = self._ready()
        if (self._wal_pages - self._wal_pages_done) * self._page_bytes < CHECKPOINT_BYTES:
            return
        with self._disk():
            _, self._wal_pages_done = connection.wal_checkpoint("main", apsw.SQLITE_CHECKPOINT_PASSIVE)

    @contextmanager
    def _transaction(self) -> Iterator[apsw.Connection]:
        """One transaction: what the body raises decides between refusal and doubt; COMMIT only doubts."""
        connection = self._ready()
        with self._disk():
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except REFUSALS as error:
                _roll_back(connection)
                raise DataRefused(f"the ledger refused the data: {_said(error)}") from error
            except apsw.Error:
                raise
            except BaseException:
                _roll_back(connection)
                raise
            connection.execute("COMMIT")
            self._still_there()

    def _still_there(self) -> None:
        """A commit into a file that was removed or replaced under the server is lost with the process."""
        files = _identities(self.path)
        if self._files is None:
            self._files = files
        if files != self._files:
            self._doubt = f"the ledger's file {self.path}, or its -wal, was removed or replaced"
            raise CommitInDoubt(self._doubt)

    # Failing

    @contextmanager
    def _disk(self) -> Iterator[None]:
        """Whatever SQLite raises in here leaves the file in doubt; soon after another failure, for good."""
        try:
            yield
        except apsw.Error as error:
            said = f"the ledger {self.path} failed: {_said(error)}"
            if self._readonly:
                raise LedgerUnusable(said) from error
            self._doubt = said
            if self._unproven and not _passes(error):
                self._stopped = f"{said}, again"
                raise LedgerStopped(self._stopped) from error
            raise CommitInDoubt(said) from error

    def _ready(self) -> apsw.Connection:
        if self._stopped is not None:
            raise LedgerStopped(self._stopped)
        if self._doubt is not None or self._connection is None:
            raise CommitInDoubt(self._doubt or f"the ledger {self.path} is closed")
        return self._connection

    def recover(self) -> None:
        if self._stopped is not None:
            raise LedgerStopped(self._stopped)
        known = self._files
        try:
            self._disconnect()
            self._connection = self._connect()
            self._connection.wal_checkpoint("main", apsw.SQLITE_CHECKPOINT_TRUNCATE)
            if known is not None and known != _identities(self.path):
                raise apsw.CantOpenError("the file, or its -wal, was removed or replaced under the server")
        except (apsw.Error, LedgerUnusable) as error:
            self._files = known
            self._doubt = f"the ledger {self.path} cannot be recovered: {_said(error)}"
            if _passes(error):
                raise CommitInDoubt(self._doubt) from error
            self._stopped = self._doubt
            raise LedgerStopped(self._stopped) from error
        self._doubt = None
        self._unproven = True

    def _disconnect(self) -> None:
        """Closes without the checkpoint that SQLite would make in passing, whose failure nobody would see."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.close()

    def close(self) -> None:
        try:
            with self._disk():
                if self._doubt is not None:
                    self._disconnect()
                elif self._connection is not None:
                    self._connection.close()
        finally:
            self._connection = None
            if self._lock is not None:
                os.close(self._lock)
                self._lock = None

    # Reading

    def _bank(self, bank: str) -> int:
        """The bank's number in the file; 0, which no bank has, where it is not known."""
        if bank not in self._banks:
            found = self._all("SELECT id FROM bank WHERE name = ?", bank)
            if not found:
                return 0
            self._banks[bank] = found[0][0]
        return self._banks[bank]

    def _all(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        connection = self._ready()
        with self._disk():
            return connection.execute(sql, values).fetchall()

    def _read(self, conversation: Conversation[T]) -> T:
        return reading.carry(conversation, lambda sql, values: self._all(sql, *values))

    def banks(self) -> list[str]:
        return self._read(reading.banks())

    def head(self, bank: str) -> Head:
        return self._read(reading.head(bank, self._bank(bank)))

    def rows(self, bank: str, after: int, limit: int) -> list[Row]:
        return self._read(reading.rows(bank, self._bank(bank), after, limit))

    def newest_snapshot(self, bank: str, below: int | None = None) -> Snapshot | None:
        return self._read(reading.newest_snapshot(bank, self._bank(bank), below))

    def sums(self, bank: str, after: int | None, upto: int) -> list[Posting]:
        return self._read(reading.sums(self._bank(bank), after, upto))

    def ask(self, bank: str, question: Question[T]) -> T:
        return self._read(question(self._bank(bank)))

    def strays(self, bank: str) -> list[str]:
        return self._read(reading.strays(self._bank(bank)))

    def integrity(self) -> list[str]:
        """What SQLite finds wrong with its own file, as an index that lacks a row of its table."""
        found = self._all("PRAGMA integrity_check")
        return [f"the file: {said}" for (said,) in found if said != "ok"]

    def schema(self) -> Differences:
        return self._read(schema.sqlite())


def _write(
    connection: apsw.Connection, number: int, epoch: int, seq_before: int, rows: Sequence[Row]
) -> None:
    """Adds the rows and moves the head, in a transaction; Fenced, LedgerCorrupt. number: the bank's."""
    journal = list(chain.from_iterable(
        (number, row.seq, row.at, row.epoch, row.kind, row.version, row.link, row.table, row.table_seq,
         row.digest, row.body, row.hash)
        for row in rows
    ))  # fmt: skip
    postings = [n for row in rows for posting in row.postings for n in (number, row.seq, *posting)]
    before = connection.total_changes()
    _insert(connection, "journal", _ROW_MARKS, journal)
    _insert(connection, "posting", _POSTING_MARKS, postings)
    connection.execute(_FENCE, (rows[-1].seq, rows[-1].hash, number, epoch, seq_before))
    if connection.changes() != 1:
        raise Fenced(f"bank {rows[0].bank} was taken by another writer: epoch {epoch} is over")
    # What triggers do is in the total alone.
    written = len(rows) + sum(len(row.postings) for row in rows) + 1
    _check_wrote("all", connection.total_changes() - before, written)


def _insert(connection: apsw.Connection, table: str, marks: str, values: list[Any]) -> None:
    """All rows in one statement, for the writer's thread gives up the GIL at each; rarely in two."""
    width = marks.count("?")
    for start in range(0, len(values), VALUES_MAX):
        part = values[start : start + VALUES_MAX]
        count = len(part) // width
        connection.execute(f"INSERT INTO {table} VALUES " + ",".join([marks] * count), part)  # noqa: S608
        _check_wrote(table, connection.changes(), count)


def _check_wrote(table: str, wrote: int, asked: int) -> None:
    if wrote != asked:
        raise not_written(table, wrote, asked)


def _roll_back(connection: apsw.Connection) -> None:
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def locked(path: Path) -> int:
    """Takes the right to write the ledger at `path`: the lock file's descriptor, to be closed at the end.

    Its text is for people: whose it is. Raises LedgerUnusable where another process has it.
    """
    lock = path.with_name(path.name + "-lock")
    try:
        held = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        said = error.strerror if path.parent.is_dir() else f"there is no folder {path.parent}"
        raise LedgerUnusable(f"the ledger {path} cannot be locked: {said}") from error
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = os.pread(held, 20, 0).decode("ascii", "replace") or "unknown"
        os.close(held)
        raise LedgerUnusable(
            f"the ledger {path} is in use by process {holder}: one server at a time"
        ) from error
    os.ftruncate(held, 0)
    os.pwrite(held, str(os.getpid()).encode(), 0)
    return held


def _identities(path: Path) -> tuple[tuple[int, int], ...]:
    """Which files the database and its WAL are; shorter where one cannot be seen."""
    found = []
    for name in (path, path.with_name(path.name + "-wal")):
        try:
            status = name.stat()
        except OSError:
            break
        found.append((status.st_dev, status.st_ino))
    return tuple(found)


def _passes(error: Exception) -> bool:
    """May it be tried again? A full disk and a lock pass; the shared index of the WAL holds no data."""
    return (
        isinstance(error, apsw.FullError | apsw.BusyError)
        or getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE
    )


def _said(error: Exception) -> str:
    return f"{error} ({type(error).__name__})"
