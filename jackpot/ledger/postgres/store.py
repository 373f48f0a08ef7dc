"""Store of a ledger in PostgreSQL: one connection, one transaction a batch.

A batch is one message, and so is its answer. `connection` interprets failures.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Self, TypeVar

from jackpot.ledger import reading, schema
from jackpot.ledger.connect import FAILURES, text
from jackpot.ledger.journal import Head, Row, Snapshot, check_dense
from jackpot.ledger.postgres import rights
from jackpot.ledger.postgres.connection import REFUSALS, PostgresConnection
from jackpot.ledger.postgres.lease import TAKEN, Leases
from jackpot.ledger.postgres.rows import append_rows, begin_banks, carry_out, save_snapshot
from jackpot.ledger.postgres.schema import open_schema
from jackpot.ledger.reading import Reader
from jackpot.ledger.store import DataRefused, LedgerCorrupt, LedgerUnusable, Statement, fenced
from jackpot.ledger.thread_executor import ThreadExecutor

T = TypeVar("T")


class PostgresStore:
    """A Store in a PostgreSQL database of its own: `await PostgresStore.open(url)`."""

    shared = True

    def __init__(self, session: PostgresConnection) -> None:
        self.created = False
        self.applied: list[str] = []
        self.warnings: list[str] = []
        self.session = session
        self._leases = Leases(session)
        self._aside: ThreadExecutor | None = None

    @classmethod
    async def open(
        cls, url: str, *, readonly: bool = False, require_synchronous: bool = False, migrate: bool = True
    ) -> Self:
        """Connects, and creates or migrates the schema if requested and allowed.

        url: postgresql://user@host:port,host:port/database. Raises LedgerUnusable.
        """
        session = PostgresConnection(url, readonly=readonly, synchronous=require_synchronous)
        store = cls(session)
        try:
            await session.open()
            store.created, store.applied = await open_schema(
                session.ready(), session.shown, migrate=migrate and not readonly
            )
            if not readonly:
                store.warnings += await rights.warnings(session.ready())
        except FAILURES as error:
            await store.close()
            raise LedgerUnusable(f"the ledger {session.shown} cannot be opened: {text(error)}") from error
        except BaseException:
            await store.close()
            raise
        return store

    async def new_epoch(
        self, bank: str, holder: str, at_least: int = 0, *, expected: Head | None = None
    ) -> Head:
        return await self.session.alone(self._leases.take(bank, holder, at_least, expected))

    async def held(self, bank: str) -> bool:
        return await self.session.alone(self._leases.held(bank))

    async def beat(self, bank: str, epoch: int) -> None:
        await self.session.alone(self._leases.beat(bank, epoch))

    async def release(self, bank: str, epoch: int) -> None:
        await self.session.alone(self._leases.release(bank, epoch))

    async def append(self, bank: str, epoch: int, seq_before: int, rows: Sequence[Row]) -> None:
        check_dense(bank, seq_before, [row.seq for row in rows])
        await self.session.alone(self._append(bank, epoch, seq_before, rows))

    async def _append(self, bank: str, epoch: int, seq_before: int, rows: Sequence[Row]) -> None:
        session, connection = self.session, self.session.begin()
        number = await session.number(bank)
        try:
            await append_rows(connection, number, epoch, rows, synchronous=session.synchronous)
        except REFUSALS as error:
            await self._refused(bank, epoch, seq_before, error)
        except LedgerCorrupt:
            raise
        except Exception as error:  # whatever it was, it may be written
            if getattr(error, "sqlstate", None) == TAKEN:
                raise fenced(bank, epoch) from error
            raise session.in_doubt(error) from error
        else:
            await session.acknowledged()

    async def _refused(self, bank: str, epoch: int, seq_before: int, error: Exception) -> None:
        """Raises Fenced if the head has moved, otherwise DataRefused. The connection is live; nothing was
        written.
        """
        head = await self._leases.head(bank)
        if (head.epoch, head.seq) != (epoch, seq_before):
            raise fenced(bank, epoch) from error
        raise DataRefused(f"the ledger refused the data: {text(error)}") from error

    async def open_banks(self, firsts: Sequence[Row]) -> None:
        await self.session.alone(
            self.session.durable(lambda connection: begin_banks(connection, firsts, self._leases.writer))
        )

    async def save_snapshot(self, snapshot: Snapshot) -> None:
        await self.session.alone(save_snapshot(self.session, snapshot))

    async def change(self, *statements: Statement) -> list[tuple[Any, ...]]:
        return await self.session.alone(
            self.session.durable(lambda connection: carry_out(connection, statements))
        )

    async def head(self, bank: str) -> Head:
        return await self.session.alone(self._leases.head(bank))

    async def rows(self, bank: str, after: int, limit: int) -> list[Row]:
        async def found() -> list[Row]:
            number = await self.session.number(bank)
            return await self.session.read(reading.rows(bank, number, after, limit))

        return await self.session.alone(found())

    async def ask(self, sql: str, values: tuple[Any, ...]) -> list[Any]:
        """Rows of one statement of a generator."""
        return await self.session.alone(self.session.fetch(sql.replace("?", "$"), *values))

    async def run(self, work: Callable[[Reader], T]) -> T:
        loop = asyncio.get_running_loop()

        def ask(sql: str, values: tuple[Any, ...]) -> list[Any]:
            return asyncio.run_coroutine_threadsafe(self.ask(sql, values), loop).result()

        def save(snapshot: Snapshot) -> None:
            asyncio.run_coroutine_threadsafe(self.save_snapshot(snapshot), loop).result()

        reader = Reader(ask, schema.postgres, schema.postgres_version(), save=save)
        self._aside = self._aside or ThreadExecutor()
        return await self._aside.run(lambda: work(reader), self.session.drop)

    async def recover(self) -> None:
        await self.session.alone(self.session.recover())

    def leave(self) -> None:
        self.session.leave()

    async def close(self) -> None:
        if self._aside is not None:
            self._aside.end()
        await self.session.close()
