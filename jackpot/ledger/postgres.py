"""How does the ledger live in PostgreSQL, and what does each of its failures mean?

One connection, one transaction a batch: COPY the rows, then the fence and COMMIT in one message. A COMMIT is
never timed out or cancelled: a server that is told to stop waiting for its standby commits alone and says so
in a warning. So a call that is cancelled drops the connection, and every lost connection is doubt: the old
backend may still hold the COMMIT in its buffer, and only an acknowledged new epoch settles what became of it.
"""

import asyncio
import uuid
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from typing import Any, Final, Self, TypeVar

import asyncpg

from jackpot.ledger import connect, reading, rights, schema
from jackpot.ledger.blocking import Blocking
from jackpot.ledger.connect import text
from jackpot.ledger.journal import Head, Row, Snapshot, check_dense, genesis
from jackpot.ledger.migrations import APPLIED, CREATE, Migration, pending
from jackpot.ledger.postgres_rows import check_wrote, copy_rows
from jackpot.ledger.store import (
    SNAPSHOTS_KEPT,
    CommitInDoubt,
    DataRefused,
    Differences,
    Fenced,
    Ledger,
    LedgerCorrupt,
    LedgerUnusable,
    Question,
    not_kept,
)
from jackpot.rules.postings import Posting

# How long a backend that was told to end may take; one that does not is tried again with the next epoch.
END_BACKEND_MS: Final = 5_000

# Every program that changes the schema takes this advisory lock first; the number means nothing.
MIGRATION_LOCK: Final = 0x6A61636B706F74

# A migration waits so long for others that hold locks on the ledger's tables; later ones wait for it.
MIGRATION_WAITS_MS: Final = 5_000

# The database looked at the data and said no, or asyncpg could not even send it.
REFUSALS: Final = (
    asyncpg.DataError, asyncpg.IntegrityConstraintViolationError, asyncpg.ProgramLimitExceededError,
    OverflowError, TypeError, ValueError,
)  # fmt: skip
FAILURES: Final = connect.FAILURES

# SQLSTATEs of schemas/sql/postgres.
_TAKEN: Final = "JP001"
_NOT_KEPT: Final = "JP005"

# Who in the server warns of something that is not this COMMIT's: that numbers of transactions run out, which
# it says in each of the last 40 million and goes on. Any other warning is doubt.
_NOT_OF_COMMIT: Final = frozenset({"GetNewTransactionId", "GetNewMultiXactId"})

# Of another role's connection only the number is seen: one that may write here is taken for the holder's.
_END: Final = """
    SELECT usename, CASE WHEN backend_start = $2 THEN pg_terminate_backend(pid, $3::bigint) ELSE false END
    FROM pg_stat_activity
    WHERE pid = $1 AND pid <> pg_backend_pid() AND (backend_start = $2 OR backend_start IS NULL
        AND datname = current_database() AND application_name = current_setting('application_name')
        AND has_table_privilege(usesysid, 'journal', 'INSERT'))
"""
# With the type of every argument, here and below: else another function of that name, which somebody made
# next to the ledger's, may fit better.
_TAKE: Final = "SELECT take_bank($1::text, $2::bytea, $3::text, $4::uuid, $5::bigint, $6::bool, $7::bool)"
# A server takes a bank from its holder only as it saw it: it locks the row before it looks again.
_TAKE_SEEN: Final = f"""
    WITH seen AS MATERIALIZED (
        SELECT 1 FROM head JOIN bank ON bank.id = head.bank
        WHERE name = $1 AND head.epoch = $8 AND head.seq = $9 AND head.beat = $10 FOR UPDATE OF head
    )
    {_TAKE} FROM seen
"""  # noqa: S608

T = TypeVar("T")


async def _ended(work: Coroutine[Any, Any, T]) -> T | Exception:
    """What the work gives, or the error that it ends with: a group would end its caller with it."""
    try:
        return await work
    except Exception as error:  # noqa: BLE001 - the caller raises it
        return error


class PostgresStore:
    """A Store in a PostgreSQL database of its own: `await PostgresStore.open(url)`.

    created, applied: as of a Ledger. warnings: what an operator should change, a sentence each.
    """

    shared = True

    def __init__(self, url: str, *, readonly: bool = False, require_synchronous: bool = False) -> None:
        self.created = False
        self.applied: list[str] = []
        self.warnings: list[str] = []
        self._url = url
        self._shown = connect.without_password(url)
        self._readonly = readonly
        self._synchronous = require_synchronous
        self._writer = uuid.uuid4()
        self._connection: connect.Connection | None = None
        self._own: list[tuple[int, datetime]] = []
        self._taken: set[str] = set()
        self._banks: dict[str, int] = {}
        self._doubt: str | None = None
        self._said: list[str] = []
        self._order = asyncio.Lock()
        self._thread: ThreadPoolExecutor | None = None
        self._left = False

    @classmethod
    async def open(
        cls, url: str, *, readonly: bool = False, require_synchronous: bool = False, migrate: bool = True
    ) -> Self:
        """Connects, and makes or migrates the schema where that is wanted and allowed.

        url: postgresql://user@host:port,host:port/database. Raises LedgerUnusable.
        """
        store = cls(url, readonly=readonly, require_synchronous=require_synchronous)
        try:
            await store._connect()
            await store._open_schema(migrate=migrate and not readonly)
            if not readonly:
                store.warnings += await rights.warnings(store._ready())
        except FAILURES as error:
            await store.close()
            raise LedgerUnusable(f"the ledger {store._shown} cannot be opened: {text(error)}") from error
        except BaseException:
            await store.close()
            raise
        return store

    async def _connect(self) -> None:
        """A fresh connection to where the database can be written. Raises FAILURES, LedgerUnusable."""
        connection = await connect.connect(self._url, readonly=self._readonly)
        connection.add_log_listener(self._warned)
        self._connection = connection
        self._banks.clear()
        if not self._readonly:
            await connect.check_settings(connection, self._shown)
            self._own.append(await connect.backend(connection))

    def _warned(self, _connection: Any, message: Any) -> None:
        if message.server_source_function not in _NOT_OF_COMMIT:
            self._said.append(str(message))

    async def _open_schema(self, *, migrate: bool) -> None:
        connection = self._ready()
        tables = {name for (name,) in await connection.fetch(
            "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
        )}  # fmt: skip
        if tables and "migration" not in tables:
            raise LedgerUnusable(
                f"{self._shown} is a database, but not a ledger, which has one of its own, empty at first"
            )
        if not tables and not migrate:
            raise LedgerUnusable(f"{self._shown} holds no ledger yet: jackpot ledger init makes it")
        todo = await self._pending() if tables else []
        if todo and not migrate:
            raise LedgerUnusable(
                f"the schema of {self._shown} is older than this program: jackpot ledger migrate"
            )
        if todo or not tables:
            try:
                await self._migrate()
            except asyncpg.InsufficientPrivilegeError as error:
                what = "migrate" if tables else "init"
                raise LedgerUnusable(
                    f"the schema of {self._shown} must be made by its owner: jackpot ledger {what} URL"
                ) from error
            except asyncpg.LockNotAvailableError as error:
                raise LedgerUnusable(
                    f"the schema of {self._shown} cannot be made while others have it in hand, as another "
                    "migration or a query that was left open: end them (pg_stat_activity), then try again"
                ) from error
        self.created = not tables and bool(self.applied)

    async def _pending(self) -> list[Migration]:
        """What the schema lacks. Raises LedgerUnusable where it is ahead of this program."""
        return pending("postgres", [number for (number,) in await self._ready().fetch(APPLIED)])

    async def _migrate(self) -> None:
        """Brings the schema up to date, under a lock."""
        connection = self._ready()
        async with connection.transaction():
            await connection.execute(f"SET LOCAL lock_timeout = {MIGRATION_WAITS_MS}")
            await connection.execute("SELECT pg_advisory_xact_lock($1::bigint)", MIGRATION_LOCK)
            await connection.execute(CREATE)
            todo = await self._pending()
            for migration in todo:
                await connection.execute(migration.sql)
                await connection.execute(
                    "INSERT INTO migration VALUES ($1, $2)", migration.number, migration.name
                )
        self.applied += [f"{migration.number:04} {migration.note}" for migration in todo]

    # Writing

    async def new_epoch(self, bank: str, holder: str, at_least: int = 0, *, seen: Head | None = None) -> Head:
        """As the interface says; also raises Fenced where another process took the bank from this one."""
        return await self._alone(self._new_epoch(bank, holder, at_least, seen))

    async def _new_epoch(self, bank: str, holder: str, at_least: int, seen: Head | None) -> Head:
        connection = self._ready()
        self._said.clear()
        again = bank in self._taken or (seen is not None and seen.epoch == 0)
        values = bank, genesis(bank), holder, self._writer, at_least, again, self._synchronous
        where = () if seen is None or seen.epoch == 0 else (seen.epoch, seen.seq, seen.beat)
        try:
            await self._end_backends(connection, bank, seen)
            status = await connection.execute(_TAKE_SEEN if where else _TAKE, *values, *where)
        except FAILURES as error:
            if getattr(error, "sqlstate", None) == _TAKEN:
                raise self._lost(bank) from error
            raise self._in_doubt(error) from error
        if status != "SELECT 1":
            raise self._moved(bank)
        await self._acknowledged()
        self._taken.add(bank)
        head = await self._head(bank)
        # Another may have taken it since, and the epoch that was read be his.
        own = "SELECT 1 FROM head WHERE bank = $1 AND epoch = $2 AND writer = $3"
        if not await self._fetch(own, await self._bank(bank), head.epoch, self._writer):
            raise self._lost(bank)
        return head

    def _lost(self, bank: str) -> Fenced:
        self._taken.discard(bank)  # to take it now would be a decision of its own
        return Fenced(f"bank {bank} was taken by another writer")

    def _moved(self, bank: str) -> Fenced:
        return Fenced(f"bank {bank} is at work, or another took it first")

    async def _end_backends(self, connection: connect.Connection, bank: str, seen: Head | None) -> None:
        """Ends the connection that held the bank, and every earlier one of ours: each may hold its locks.

        Raises Fenced, and lets it live, where another process has the bank that this one had, or where the
        head has moved since it was seen.
        """
        held = await connection.fetch(
            "SELECT epoch, seq, beat, writer, backend, backend_start FROM head JOIN bank ON id = head.bank "
            "WHERE name = $1",
            bank,
        )
        if bank in self._taken and any(writer != self._writer for *_, writer, _, _ in held):
            raise self._lost(bank)
        if seen is not None and any(tuple(one)[:3] != (seen.epoch, seen.seq, seen.beat) for one in held):
            raise self._moved(bank)
        for pid, start in [*((pid, start) for *_, pid, start in held), *self._own]:
            for role, ended in await connection.fetch(_END, pid, start, END_BACKEND_MS):
                if not ended:
                    raise OSError(
                        f"the database does not end the connection that held the bank (backend {pid} of role "
                        f"{role}); all servers of a ledger sign in as one role"
                    )
        del self._own[:-1]

    async def held(self, bank: str) -> bool:
        return await self._alone(self._held(bank))

    async def _held(self, bank: str) -> bool:
        found = await self._fetch(
            "SELECT 1 FROM head JOIN pg_stat_activity AS a ON a.pid = backend AND a.backend_start = "
            "head.backend_start WHERE bank = $1",
            await self._bank(bank),
        )
        return bool(found)

    async def beat(self, bank: str, epoch: int) -> None:
        await self._alone(self._lease(bank, epoch, "beat = beat + 1"))

    async def release(self, bank: str, epoch: int) -> None:
        await self._alone(self._lease(bank, epoch, "holder = ''"))

    async def _lease(self, bank: str, epoch: int, change: str) -> None:
        connection = self._ready()
        number = await self._bank(bank)
        self._said.clear()
        try:
            status = await connection.execute(
                f"UPDATE head SET {change} WHERE bank = $1 AND epoch = $2",  # noqa: S608 - one of two
                number,
                epoch,
            )
        except FAILURES as error:
            raise self._in_doubt(error) from error
        await self._acknowledged()
        if status != "UPDATE 1":
            raise Fenced(f"bank {bank} was taken by another writer: epoch {epoch} is over")

    async def append(self, bank: str, epoch: int, seq_before: int, rows: Sequence[Row]) -> None:
        check_dense(bank, seq_before, rows)
        await self._alone(self._append(bank, epoch, seq_before, rows))

    async def _append(self, bank: str, epoch: int, seq_before: int, rows: Sequence[Row]) -> None:
        connection = self._ready()
        number = await self._bank(bank)
        self._said.clear()
        try:
            await connection.execute("BEGIN")
            await copy_rows(connection, number, rows)
            # One message: what decides whether this writer may write, and the COMMIT itself.
            status = await connection.execute(
                f"SELECT fence({number:d}::integer, {epoch:d}::bigint, {seq_before:d}::bigint, "
                f"{rows[-1].seq:d}::bigint, '\\x{rows[-1].hash.hex()}'::bytea, "
                f"{sum(len(row.postings) for row in rows):d}::bigint, {self._synchronous}); COMMIT"
            )
        except REFUSALS as error:
            await self._refused(bank, epoch, seq_before, error)
        except LedgerCorrupt:
            await self._roll_back()
            raise
        except Exception as error:  # whatever it was, the transaction is open
            state = getattr(error, "sqlstate", None)
            if state not in {_TAKEN, _NOT_KEPT}:
                raise self._in_doubt(error) from error
            await self._roll_back()
            if state == _NOT_KEPT:
                raise not_kept(text(error)) from error
            raise Fenced(f"bank {bank} was taken by another writer: epoch {epoch} is over") from error
        else:
            if status != "COMMIT":
                raise self._in_doubt(OSError(f"COMMIT ended in {status}"))
            await self._acknowledged()

    async def open_banks(self, firsts: Sequence[Row]) -> None:
        await self._alone(self._open_banks(firsts))

    async def _open_banks(self, firsts: Sequence[Row]) -> None:
        """No connection holds them: backend 0 is nobody's."""
        connection = self._ready()
        self._said.clear()
        try:
            async with connection.transaction():
                await connection.execute("SELECT check_durable($1::boolean)", self._synchronous)
                for row in firsts:
                    number = await connection.fetchval(
                        "INSERT INTO bank (name) VALUES ($1) RETURNING id", row.bank
                    )
                    status = await connection.execute(
                        "INSERT INTO head VALUES ($1, $2, $3, $4, '', 0, $5, 0, now())",
                        number, row.epoch, row.seq, row.hash, self._writer,
                    )  # fmt: skip
                    check_wrote("head", status, 1)
                    await copy_rows(connection, number, [row])
        except REFUSALS as error:
            raise DataRefused(f"the ledger refused the data: {text(error)}") from error
        except FAILURES as error:
            raise self._in_doubt(error) from error
        await self._acknowledged()

    async def _refused(self, bank: str, epoch: int, seq_before: int, error: Exception) -> None:
        """Before COMMIT and on a live connection; a row that is there already is another writer's."""
        await self._roll_back()
        head = await self._head(bank)
        if (head.epoch, head.seq) != (epoch, seq_before):
            raise Fenced(f"bank {bank} was taken by another writer: epoch {epoch} is over") from error
        raise DataRefused(f"the ledger refused the data: {text(error)}") from error

    async def _roll_back(self) -> None:
        try:
            await self._ready().execute("ROLLBACK")
        except FAILURES as error:
            raise self._in_doubt(error) from error

    async def _acknowledged(self) -> None:
        """A warning at a COMMIT says that it was made here alone, without its standby: that is doubt.

        It is doubt, too, when a standby that every COMMIT must wait for is not waited for any more: where its
        name is taken out of the settings, a COMMIT that waits for it returns as if all were well.
        """
        if self._synchronous:
            try:
                await self._ready().execute("SELECT check_durable(true)")
            except FAILURES as error:
                raise self._in_doubt(error) from error
        await asyncio.sleep(0)  # asyncpg hands warnings over with its next callbacks
        if self._said:
            raise self._in_doubt(OSError(self._said[-1]))

    async def save_snapshot(self, snapshot: Snapshot) -> None:
        await self._alone(self._save_snapshot(snapshot))

    async def _save_snapshot(self, snapshot: Snapshot) -> None:
        connection = self._ready()
        number = await self._bank(snapshot.bank)
        try:
            async with connection.transaction():
                # It only shortens a start, so nothing waits for it.
                await connection.execute("SET LOCAL synchronous_commit = off")
                status = await connection.execute(
                    "INSERT INTO snapshot VALUES ($1, $2, $3, $4, $5) ON CONFLICT (bank, seq) DO UPDATE "
                    "SET hash = excluded.hash, format = excluded.format, state = excluded.state",
                    number, snapshot.seq, snapshot.hash, snapshot.format, snapshot.state,
                )  # fmt: skip
                check_wrote("snapshot", status, 1)
                await connection.execute(
                    "DELETE FROM snapshot WHERE bank = $1 AND seq NOT IN "
                    "(SELECT seq FROM snapshot WHERE bank = $1 AND seq <= $2 ORDER BY seq DESC LIMIT $3)",
                    number, snapshot.seq, SNAPSHOTS_KEPT,
                )  # fmt: skip
        except FAILURES as error:
            raise self._in_doubt(error) from error

    async def checkpoint(self) -> None:
        """PostgreSQL keeps its own house."""

    # Failing

    def _in_doubt(self, error: Exception) -> CommitInDoubt | LedgerUnusable:
        """What to raise for a failure; after it nothing but `recover` may follow."""
        said = f"the ledger {self._shown} failed: {text(error)}"
        if self._readonly:
            return LedgerUnusable(said)
        self._doubt = said
        return CommitInDoubt(said)

    def _ready(self) -> connect.Connection:
        if self._doubt is not None or self._connection is None:
            raise CommitInDoubt(self._doubt or f"the ledger {self._shown} is closed")
        return self._connection

    async def recover(self) -> None:
        await self._alone(self._recover())

    def leave(self) -> None:
        self._left = True
        if self._connection is not None:
            self._connection.terminate()

    async def _recover(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None
        if self._left:
            raise self._in_doubt(OSError("it is left, for the end"))
        try:
            await self._connect()
        except (*FAILURES, LedgerUnusable) as error:
            raise self._in_doubt(error) from error
        self._doubt = None

    async def close(self) -> None:
        if self._thread is not None:
            self._thread.shutdown(wait=False)
        connection, self._connection = self._connection, None
        if connection is None:
            return
        try:
            if self._doubt is None and not self._order.locked():  # else it would cancel what runs
                await connection.close(timeout=connect.CONNECT_S)
        except FAILURES:
            pass  # it was over already
        finally:
            connection.terminate()

    async def _alone(self, work: Coroutine[Any, Any, T]) -> T:
        """One call at a time, in order. A caller that is cancelled has the connection dropped, and waits."""
        try:
            await self._order.acquire()
        except BaseException:
            work.close()
            raise
        cancelled: asyncio.CancelledError | None = None
        try:
            async with asyncio.TaskGroup() as group:
                call = group.create_task(_ended(work))
                while not call.done():
                    try:
                        await asyncio.wait((call,))
                    except asyncio.CancelledError as error:
                        cancelled = error
                        if self._connection is not None:
                            self._connection.terminate()
        finally:
            self._order.release()
        result = call.result()
        if isinstance(result, Exception):
            raise result
        if cancelled is not None:
            raise cancelled
        return result

    async def run(self, work: Callable[[Ledger], T]) -> T:
        loop = asyncio.get_running_loop()
        if self._thread is None:
            self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ledger")
        ledger = Blocking(self, lambda call: asyncio.run_coroutine_threadsafe(call, loop).result())
        done = loop.run_in_executor(self._thread, work, ledger)
        cancelled: asyncio.CancelledError | None = None
        while not done.done():
            try:
                await asyncio.wait((done,))
            except asyncio.CancelledError as error:
                cancelled = error
                if self._connection is not None:
                    self._connection.terminate()
        if cancelled is not None and done.exception() is None:
            raise cancelled
        return done.result()

    # Reading

    async def _fetch(self, sql: str, *values: Any) -> list[Any]:
        try:
            return await self._ready().fetch(sql, *values)
        except FAILURES as error:
            raise self._in_doubt(error) from error

    async def _bank(self, bank: str) -> int:
        """The bank's number in the database; 0, which no bank has, where it is not known."""
        if bank not in self._banks:
            found = await self._fetch("SELECT id FROM bank WHERE name = $1", bank)
            if not found:
                return 0
            self._banks[bank] = found[0][0]
        return self._banks[bank]

    async def _read(self, bank: str, conversation: Question[T]) -> T:
        """Carries a conversation about a bank on, given its number."""
        saying = conversation(await self._bank(bank))
        found: Sequence[Any] | None = None
        while True:
            try:
                sql, values = saying.send(found)  # type: ignore[arg-type]  # a generator starts with None
            except StopIteration as done:
                return done.value  # type: ignore[no-any-return]
            found = await self._fetch(sql.replace("?", "$"), *values)

    async def banks(self) -> list[str]:
        return await self._alone(self._read("", lambda _: reading.banks()))

    async def head(self, bank: str) -> Head:
        return await self._alone(self._head(bank))

    async def _head(self, bank: str) -> Head:
        return await self._read(bank, partial(reading.head, bank))

    async def rows(self, bank: str, after: int, limit: int) -> list[Row]:
        return await self._alone(self._read(bank, lambda number: reading.rows(bank, number, after, limit)))

    async def newest_snapshot(self, bank: str, below: int | None = None) -> Snapshot | None:
        return await self._alone(
            self._read(bank, lambda number: reading.newest_snapshot(bank, number, below))
        )

    async def sums(self, bank: str, after: int | None, upto: int) -> list[Posting]:
        return await self._alone(self._read(bank, lambda number: reading.sums(number, after, upto)))

    async def ask(self, bank: str, question: Question[T]) -> T:
        return await self._alone(self._read(bank, question))

    async def strays(self, bank: str) -> list[str]:
        return await self._alone(self._read(bank, reading.strays))

    async def schema(self) -> Differences:
        return await self._alone(self._read("", lambda _: schema.postgres()))
