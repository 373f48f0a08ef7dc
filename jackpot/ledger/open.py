"""Opens the ledger that a URL names."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from jackpot.ledger import schema
from jackpot.ledger.connect import without_password
from jackpot.ledger.postgres import rights
from jackpot.ledger.postgres.store import PostgresStore
from jackpot.ledger.reading import Reader
from jackpot.ledger.sqlite.async_sqlite import LARGE, AsyncSqliteStore
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import LedgerUnusable, Store

_SQLITE: Final = "sqlite:///"
_POSTGRES: Final = ("postgresql://", "postgres://")


def open_reader(url: str) -> Reader:
    """Opens a ledger to read it, for code without an event loop; url: as in `open_store`.

    It may run next to a server, and creates nothing. Raises LedgerUnusable.
    """
    if not url.startswith(_POSTGRES):
        return SqliteLedger(_path(url), readonly=True)
    runner = asyncio.Runner()
    try:
        store = runner.run(PostgresStore.open(url, readonly=True))
    except BaseException:
        runner.close()
        raise

    def ask(sql: str, values: tuple[Any, ...]) -> list[Any]:
        return runner.run(store.ask(sql, values))

    def end() -> None:
        try:
            runner.run(store.close())
        finally:
            runner.close()

    return Reader(ask, schema.postgres, schema.postgres_version(), end=end)


async def open_store(url: str, *, readonly: bool = False, require_synchronous: bool = False) -> Store:
    """Opens `sqlite:///relative.db`, `sqlite:////absolute.db` or `postgresql://user@host:port/database`.

    readonly: next to a server; creates nothing. Raises LedgerUnusable.
    """
    if url.startswith(_POSTGRES):
        return await PostgresStore.open(url, readonly=readonly, require_synchronous=require_synchronous)
    return await AsyncSqliteStore.open(partial(SqliteLedger, _path(url), readonly=readonly))


@asynccontextmanager
async def opened(
    url: str, *, readonly: bool = False, require_synchronous: bool = False
) -> AsyncIterator[Store]:
    """As `open_store`, and closed at the end."""
    store = await open_store(url, readonly=readonly, require_synchronous=require_synchronous)
    try:
        yield store
    finally:
        await store.close()


async def open_stores(
    url: str, banks: Sequence[str], *, require_synchronous: bool = False
) -> dict[str, Store]:
    """Opens a store for each bank to write it: separate on PostgreSQL, shared on one SQLite file.

    The first says whether the ledger was `created` and which `warnings` it has. Raises LedgerUnusable.
    """
    if not url.startswith(_POSTGRES):
        return dict.fromkeys(banks, await AsyncSqliteStore.open(partial(SqliteLedger, _path(url)), LARGE))
    stores: dict[str, Store] = {}
    try:
        for bank in banks:
            stores[bank] = await open_store(url, require_synchronous=require_synchronous)
    except BaseException:
        for store in stores.values():
            await store.close()
        raise
    return stores


def make_roles(url: str) -> bool:
    """Makes a PostgreSQL ledger's group roles and gives them their rights; False on SQLite, which has none.

    url: as the owner of the schema, who may create roles, or where they exist. Raises LedgerUnusable.
    """
    if not url.startswith(_POSTGRES):
        return False
    asyncio.run(rights.make_roles(url))
    return True


def _path(url: str) -> str:
    path = url.removeprefix(_SQLITE)
    if path in {url, ""}:
        urls = "sqlite:///relative.db, sqlite:////absolute.db or postgresql://user@host:port/database"
        meant = f"{_SQLITE}{url}" if Path(url).is_file() else urls
        raise LedgerUnusable(f"{without_password(url)!r} is not a ledger: write {meant}")
    return path
