"""PostgreSQL connection of a ledger: one call at a time, and what each failure means.

A COMMIT is never timed out or cancelled: a server that is told to stop waiting for its standby commits alone
and says so in a warning. So a call that is cancelled drops the connection, and every lost connection is
doubt: the old backend may still hold the COMMIT in its buffer, and only an acknowledged new epoch settles
what became of it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from datetime import datetime
from typing import Any, Final, TypeVar

import asyncpg

from jackpot.ledger import connect, reading
from jackpot.ledger.connect import FAILURES, text
from jackpot.ledger.reading import Conversation
from jackpot.ledger.store import CommitInDoubt, DataRefused, LedgerUnusable
from jackpot.ledger.thread_executor import outlast

# The database looked at the data and said no, or asyncpg could not even send it.
REFUSALS: Final = (
    asyncpg.DataError, asyncpg.IntegrityConstraintViolationError, asyncpg.ProgramLimitExceededError,
    OverflowError, TypeError, ValueError,
)  # fmt: skip

# Who in the server warns of something that is not this COMMIT's: that numbers of transactions run out, which
# it says in each of the last 40 million and goes on. Any other warning is doubt.
_NOT_OF_COMMIT: Final = frozenset({"GetNewTransactionId", "GetNewMultiXactId"})

T = TypeVar("T")


async def _ended(work: Coroutine[Any, Any, T]) -> T | Exception:
    """Result of the work, or its error as a value: a TaskGroup would cancel its caller."""
    try:
        return await work
    except Exception as error:  # noqa: BLE001 - the caller raises it
        return error


class PostgresConnection:
    """One connection to a ledger's database, and after doubt another. url: as `connect` takes it.

    connection: None before the first, and where `recover` found none. own: the backends that served it, each
    with its number and when it began. synchronous: each COMMIT waits for a standby. shown: the URL as it may
    stand in a log.
    """

    def __init__(self, url: str, *, readonly: bool, synchronous: bool) -> None:
        self.shown = connect.without_password(url)
        self.synchronous = synchronous
        self.connection: connect.Connection | None = None
        self.own: list[tuple[int, datetime]] = []
        self._url = url
        self._readonly = readonly
        self._numbers: dict[str, int] = {}
        self._doubt: str | None = None
        self._said: list[str] = []
        self._order = asyncio.Lock()
        self._left = False

    async def open(self) -> None:
        """Opens a fresh connection to the writable host. Raises FAILURES, LedgerUnusable."""
        connection = await connect.connect(self._url, readonly=self._readonly)
        connection.add_log_listener(self._warned)
        self.connection = connection
        self._numbers.clear()
        if not self._readonly:
            await connect.check_settings(connection, self.shown)
            self.own.append(await connect.backend(connection))

    def _warned(self, _connection: Any, message: Any) -> None:
        if message.server_source_function not in _NOT_OF_COMMIT:
            self._said.append(str(message))

    # One call at a time

    async def alone(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs one call at a time, in order. A cancelled caller drops the connection, and waits."""
        try:
            await self._order.acquire()
        except BaseException:
            work.close()
            raise
        try:
            async with asyncio.TaskGroup() as group:
                call = group.create_task(_ended(work))
                cancelled = await outlast(call, self.drop)
        finally:
            self._order.release()
        result = call.result()
        if isinstance(result, Exception):
            raise result
        if cancelled is not None:
            raise cancelled
        return result

    def ready(self) -> connect.Connection:
        """The open connection. Raises CommitInDoubt where only `recover` may follow."""
        if self._doubt is not None or self.connection is None:
            raise CommitInDoubt(self._doubt or f"the ledger {self.shown} is closed")
        return self.connection

    def begin(self) -> connect.Connection:
        """The open connection with warnings cleared, for a call that ends with a COMMIT."""
        self._said.clear()
        return self.ready()

    async def acknowledged(self) -> None:
        """Raises CommitInDoubt if a warning says that the COMMIT was made without its standby.

        It is doubt, too, when a standby that every COMMIT must wait for is not waited for any more: where its
        name is taken out of the settings, a COMMIT that waits for it returns as if all were well.
        """
        if self.synchronous:
            try:
                await self.ready().execute("SELECT check_durable(true)")
            except FAILURES as error:
                raise self.in_doubt(error) from error
        await asyncio.sleep(0)  # asyncpg hands warnings over with its next callbacks
        if self._said:
            raise self.in_doubt(OSError(self._said[-1]))

    async def durable(self, work: Callable[[connect.Connection], Awaitable[T]]) -> T:
        """Runs one transaction, durable on the standbys too where required. Raises DataRefused, or as
        `in_doubt`.
        """
        connection = self.begin()
        try:
            async with connection.transaction():
                await connection.execute("SELECT check_durable($1::boolean)", self.synchronous)
                done = await work(connection)
        except REFUSALS as error:
            raise DataRefused(f"the ledger refused the data: {text(error)}") from error
        except FAILURES as error:
            raise self.in_doubt(error) from error
        await self.acknowledged()
        return done

    # Reading

    async def fetch(self, sql: str, *values: Any) -> list[Any]:
        """The rows that one statement finds."""
        try:
            return await self.ready().fetch(sql, *values)
        except FAILURES as error:
            raise self.in_doubt(error) from error

    async def read(self, conversation: Conversation[T]) -> T:
        """Runs a generator of SQL statements to its end."""
        found: Any = None
        while True:
            try:
                sql, values = conversation.send(found)
            except StopIteration as done:
                return done.value  # type: ignore[no-any-return]
            found = await self.fetch(sql.replace("?", "$"), *values)

    async def number(self, bank: str) -> int:
        """Number of a bank in the database; 0, which no bank has, if it is not known."""
        if bank not in self._numbers:
            if not (found := await self.read(reading.number(bank))):
                return 0
            self._numbers[bank] = found
        return self._numbers[bank]

    # Failing

    def in_doubt(self, error: Exception) -> CommitInDoubt | LedgerUnusable:
        """Error to raise for a failure; after it only `recover` may follow."""
        said = f"the ledger {self.shown} failed: {text(error)}"
        if self._readonly:
            return LedgerUnusable(said)
        self._doubt = said
        return CommitInDoubt(said)

    def drop(self) -> None:
        """Drops the connection: a call under way ends in doubt."""
        if self.connection is not None:
            self.connection.terminate()

    def leave(self) -> None:
        """As in `Store`."""
        self._left = True
        self.drop()

    async def recover(self) -> None:
        """Reconnects. Raises CommitInDoubt if that fails."""
        self.drop()
        self.connection = None
        if self._left:
            raise self.in_doubt(OSError("it is left, for the end"))
        try:
            await self.open()
        except (*FAILURES, LedgerUnusable) as error:
            raise self.in_doubt(error) from error
        self._doubt = None

    async def close(self) -> None:
        connection, self.connection = self.connection, None
        if connection is None:
            return
        try:
            if self._doubt is None and not self._order.locked():  # else it would cancel what runs
                await connection.close(timeout=connect.CONNECT_S)
        except FAILURES:
            pass  # it was over already
        finally:
            connection.terminate()
