"""Which ledger does a URL name, and how is it opened?"""

import asyncio
from collections.abc import Sequence
from typing import Final

from jackpot.ledger import rights
from jackpot.ledger.blocking import Blocking
from jackpot.ledger.connect import without_password
from jackpot.ledger.postgres import PostgresStore
from jackpot.ledger.sqlite import SqliteLedger
from jackpot.ledger.store import Ledger, LedgerUnusable, Store, Threaded

_SQLITE: Final = "sqlite:///"
_POSTGRES: Final = ("postgresql://", "postgres://")


def open_ledger(url: str, *, readonly: bool = False) -> Ledger:
    """Opens `sqlite:///relative.db`, `sqlite:////absolute.db` or `postgresql://user@host:port/database`.

    readonly: may run next to a server, and creates nothing. For code without an event loop. Raises
    LedgerUnusable.
    """
    if not url.startswith(_POSTGRES):
        return SqliteLedger(_path(url), readonly=readonly)
    runner = asyncio.Runner()
    try:
        return Blocking(runner.run(PostgresStore.open(url, readonly=readonly)), runner.run, runner.close)
    except BaseException:
        runner.close()
        raise


def make_roles(url: str) -> bool:
    """Makes a PostgreSQL ledger's group roles and gives them their rights; False on SQLite, which has none.

    url: as the owner of the schema, who may create roles, or where they exist. Raises LedgerUnusable.
    """
    if not url.startswith(_POSTGRES):
        return False
    asyncio.run(rights.make_roles(url))
    return True


async def open_stores(
    url: str, banks: Sequence[str], *, require_synchronous: bool = False
) -> dict[str, Store]:
    """A store for each bank, to write it: of its own on PostgreSQL, the same one where there is one file.

    The first says whether the ledger was `created` and which `warnings` it has. Raises LedgerUnusable.
    """
    if not url.startswith(_POSTGRES):
        return dict.fromkeys(banks, Threaded(SqliteLedger(_path(url))))
    stores: dict[str, Store] = {}
    try:
        for bank in banks:
            stores[bank] = await PostgresStore.open(url, require_synchronous=require_synchronous)
    except BaseException:
        for store in stores.values():
            await store.close()
        raise
    return stores


def _path(url: str) -> str:
    path = url.removeprefix(_SQLITE)
    if path in {url, ""}:
        raise LedgerUnusable(
            f"{without_password(url)!r} is not a ledger: write sqlite:///relative.db, "
            "sqlite:////absolute.db or postgresql://user@host:port/database"
        )
    return path
