"""SQLite file of a ledger: its lock, its opening, and what each failure means.

WAL and synchronous=FULL: a commit that returned is on the disk. A commit that failed may be revived by the
next reader of the WAL, and a sync that failed may be followed by one that lies. So after any failure the
connection is thrown away. What the file then shows is believed only after `recover` has carried it from the
WAL into the database, and synced it again.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import apsw

from jackpot.ledger.migrations import APPLIED, CREATE, pending
from jackpot.ledger.reading import carry
from jackpot.ledger.store import CommitInDoubt, DataRefused, LedgerError, LedgerStopped, LedgerUnusable

# How long a writer waits for another program's lock on the file (an auditor's tool, a backup).
BUSY_MS: Final = 5_000

# WAL that gathers before it is carried into the database: some 40,000 rounds, a second of writing.
CHECKPOINT_BYTES: Final = 16 * 1024 * 1024

# The database looked at the data and said no; the file and the connection are well.
REFUSALS: Final = (
    apsw.ConstraintError, apsw.TooBigError, apsw.MismatchError, apsw.RangeError, apsw.BindingsError,
    apsw.MisuseError, apsw.SQLError, OverflowError, TypeError, ValueError,
)  # fmt: skip


class SqliteFile:
    """One SQLite file, created and migrated if need be; one process at a time may write it.

    A reader migrates nothing: an earlier program's file stays as it is. version: of its last migration.

    path: of the file; `path`-wal and `path`-shm are part of it, `path`-lock is held while it is open.
    vfs: name of the SQLite VFS underneath, for tests. readonly: next to a writer, without the lock.
    second: for a writer that has opened the file, holds its lock, and waits for what is done here.
    Raises LedgerUnusable. Calls may come from any thread, one at a time.
    """

    def __init__(
        self, path: str | Path, vfs: str | None = None, *, readonly: bool = False, second: bool = False
    ) -> None:
        self.path = Path(path)
        self.created = False
        self.applied: list[str] = []
        self.version = 0
        self._vfs = vfs
        self._readonly = readonly
        self._names = str(self.path), f"{self.path}-wal"
        self._connection: apsw.Connection | None = None
        self._files: tuple[tuple[int, int], ...] | None = None
        self._doubt: str | None = None
        self._stopped: str | None = None
        self._unproven = False
        self._wal_pages = self._wal_pages_done = self._page_bytes = 0
        self._lock = None if readonly or second else locked(self.path)
        try:
            self._connection = self._connect(0 if second else apsw.SQLITE_OPEN_CREATE)
            if self._lock is not None:
                # The last process may have died in doubt: build nothing on a WAL it left (S5).
                self._connection.wal_checkpoint("main", apsw.SQLITE_CHECKPOINT_TRUNCATE)
            if not second:
                self._migrate(self._connection)
            self.version = max(number for (number,) in self._connection.execute(APPLIED))
        except (apsw.Error, LedgerError) as error:
            self.close()
            if isinstance(error, LedgerError):
                raise
            missing = readonly and vfs is None and not self.path.exists()
            said = "there is no such file" if missing else _error_text(error)
            raise LedgerUnusable(f"the ledger {self.path} cannot be opened: {said}") from error

    def _connect(self, create: int = 0) -> apsw.Connection:
        flags = apsw.SQLITE_OPEN_READONLY if self._readonly else apsw.SQLITE_OPEN_READWRITE | create
        if create and not self._readonly and self._vfs is None:
            _make(self.path)
        connection = apsw.Connection(str(self.path), flags=flags, vfs=self._vfs)
        connection.set_busy_timeout(BUSY_MS)
        if self._readonly:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        else:
            if connection.pragma("journal_mode", "wal") != "wal":
                raise LedgerUnusable(f"the file system of {self.path} cannot hold a write-ahead log")
            connection.pragma("synchronous", "full")
            connection.pragma("secure_delete", True)  # of what is erased no page keeps a copy
            connection.pragma("fullfsync", True)  # macOS: a plain sync stays in the drive's cache
            connection.pragma("checkpoint_fullfsync", True)
            connection.set_wal_hook(self._wal_grew)  # takes the place of automatic checkpoints
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
        applied = [number for (number,) in connection.execute(APPLIED)]
        todo = pending("sqlite", applied)
        if self._readonly:
            if not applied:
                raise LedgerUnusable(f"{self.path} holds no ledger yet")
            return
        for migration in todo:
            with self.transaction():
                connection.execute(migration.sql)
                carry(migration.fill(), lambda sql, values: connection.execute(sql, values).fetchall())
                connection.execute("INSERT INTO migration VALUES (?, ?)", (migration.number, migration.name))
            self.applied.append(f"{migration.number:04} {migration.note}")
        self.created = not tables

    def ask(self, sql: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Rows of one statement."""
        connection = self.ready()
        with self._disk():
            return connection.execute(sql, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[apsw.Connection]:
        """Context of one transaction: an error in the body is a refusal or doubt; one in COMMIT is always
        doubt.
        """
        connection = self.ready()
        with self._disk():
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except REFUSALS as error:
                _roll_back(connection)
                raise DataRefused(f"the ledger refused the data: {_error_text(error)}") from error
            except apsw.Error:
                raise
            except BaseException:
                _roll_back(connection)
                raise
            connection.execute("COMMIT")
            self._still_there()

    def _still_there(self) -> None:
        """Checks that the file was not removed or replaced: such a commit would be lost with the process."""
        files = _identities(self._names)
        if self._files is None:
            self._files = files
        if files != self._files:
            self._doubt = f"the ledger's file {self.path}, or its -wal, was removed or replaced"
            raise CommitInDoubt(self._doubt)

    @contextmanager
    def _disk(self) -> Iterator[None]:
        """Context in which an error of SQLite leaves the file in doubt; soon after another failure, for
        good.
        """
        try:
            yield
        except apsw.Error as error:
            said = f"the ledger {self.path} failed: {_error_text(error)}"
            if self._readonly:
                raise LedgerUnusable(said) from error
            self._doubt = said
            if self._unproven and not _passes(error):
                self._stopped = f"{said}, again"
                raise LedgerStopped(self._stopped) from error
            raise CommitInDoubt(said) from error

    def ready(self) -> apsw.Connection:
        if self._stopped is not None:
            raise LedgerStopped(self._stopped)
        if self._doubt is not None or self._connection is None:
            raise CommitInDoubt(self._doubt or f"the ledger {self.path} is closed")
        return self._connection

    def doubt(self, why: str) -> None:
        """Marks the file as in doubt, after a second writer's commit was."""
        self._doubt = why

    def proven(self) -> None:
        """Marks the disk as good again, after a commit that follows `recover` was acknowledged."""
        self._unproven = False

    def recover(self) -> None:
        """As in `Store`."""
        if self._stopped is not None:
            raise LedgerStopped(self._stopped)
        known = self._files
        try:
            self._disconnect()
            self._connection = self._connect()
            self._connection.wal_checkpoint("main", apsw.SQLITE_CHECKPOINT_TRUNCATE)
            if known is not None and known != _identities(self._names):
                raise apsw.CantOpenError("the file, or its -wal, was removed or replaced under the server")
        except (apsw.Error, LedgerUnusable) as error:
            self._files = known
            self._doubt = f"the ledger {self.path} cannot be recovered: {_error_text(error)}"
            if _passes(error):
                raise CommitInDoubt(self._doubt) from error
            self._stopped = self._doubt
            raise LedgerStopped(self._stopped) from error
        self._doubt = None
        self._unproven = True

    def _disconnect(self) -> None:
        """Closes without SQLite's implicit checkpoint, whose failure would go unnoticed."""
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

    @property
    def checkpoint_due(self) -> bool:
        """Whether so much of the WAL has gathered; any thread may look between two calls."""
        return (self._wal_pages - self._wal_pages_done) * self._page_bytes >= CHECKPOINT_BYTES

    def checkpoint(self) -> None:
        """Carries the WAL into the database where 16 MiB have gathered; a reader may make it wait."""
        connection = self.ready()
        if not self.checkpoint_due:
            return
        with self._disk(), suppress(apsw.BusyError):  # another writer carries it over at this moment
            _, self._wal_pages_done = connection.wal_checkpoint("main", apsw.SQLITE_CHECKPOINT_PASSIVE)


def _roll_back(connection: apsw.Connection) -> None:
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def locked(path: Path) -> int:
    """Takes the write lock of the ledger at `path`. Returns the lock file's descriptor, to be closed at the
    end.

    The file's text names the holder. Raises LedgerUnusable where another process has it.
    """
    lock = path.with_name(path.name + "-lock")
    try:
        held = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
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


def _identities(names: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """Device and inode of these files; shorter if one cannot be seen. Each commit checks them."""
    found = []
    for name in names:
        try:
            status = os.stat(name)  # noqa: PTH116 - a Path takes twice as long
        except OSError:
            break
        found.append((status.st_dev, status.st_ino))
    return tuple(found)


def _passes(error: Exception) -> bool:
    """Whether an error is transient: a full disk, a lock, or the shared index of the WAL, which holds no
    data.
    """
    return (
        isinstance(error, apsw.FullError | apsw.BusyError)
        or getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE
    )


def _make(path: Path) -> None:
    """Creates an empty file that only its owner may read, if there is none: it will hold names and
    secrets.
    """
    with suppress(OSError):  # SQLite meets the same, and says it
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


def _error_text(error: Exception) -> str:
    return f"{error} ({type(error).__name__})"
