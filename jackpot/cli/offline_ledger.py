"""Write access to a ledger while no server runs; only if the signed heads prove it is the right one."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Final

from jackpot.cli.options import fail

if TYPE_CHECKING:
    from jackpot.config import Config
    from jackpot.ledger.store import Store

_EMPTY: Final = (
    "the ledger is empty: if it was lost, bring it back; "
    "a new one is made by the first start of the server, or by jackpot users init"
)


@asynccontextmanager
async def alone(
    config: "Config", *banks: str, first: bool = False, nobody: bool = False
) -> "AsyncIterator[Store]":
    """Opens the configured ledger exclusively, with the checks of a server's start (S3, S8).

    banks: those that nobody may be writing. first: the ledger may be empty, or not there; else it was lost,
    or never had anything, and the command ends. nobody: it is for making the first people; else the command
    ends where there are none and the configuration requires them. Raises LedgerError.
    """
    from jackpot.auth.auth_service import check_known
    from jackpot.auth.directory import people_of
    from jackpot.bank.config_alignment import check_books
    from jackpot.ledger.open import opened
    from jackpot.ledger.reading import Reader
    from jackpot.runtime.errors import Denied

    url = config.ledger.url
    if not first and _missing(url):
        fail(_EMPTY)  # no file is made, which would stand in the way of the one to restore
    async with opened(url, require_synchronous=config.ledger.require_synchronous) as store:
        await check_books(store, config)
        if not first and not await store.run(Reader.banks):
            fail(_EMPTY)
        if config.people.required and not nobody:
            try:
                check_known(await store.run(people_of), required=True)
            except Denied as denied:
                fail(denied.message)
        await until_free(store, banks)
        yield store


def _missing(url: str) -> bool:
    return url.startswith("sqlite:///") and not Path(url.removeprefix("sqlite:///")).exists()


async def until_free(store: "Store", banks: Sequence[str]) -> None:
    """Ends the command if a server is running: it is, if the head of a bank moves."""
    from jackpot.bank.lifecycle import LOOK_S, TAKEOVER_S

    if not store.shared:
        return  # its lock shows that no server has it
    seen = {bank: await store.head(bank) for bank in banks}
    for _ in range(ceil(TAKEOVER_S / LOOK_S)):
        if not any(head.holder for head in seen.values()):
            return
        await asyncio.sleep(LOOK_S)
        for bank, head in seen.items():
            if await store.head(bank) != head:
                fail(f"not done: {head.holder or 'a server'} is writing bank {bank}: stop it first")
