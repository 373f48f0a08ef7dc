"""Whose name is kept no longer? The server looks, and the journal says that it was erased by age."""

import asyncio
from typing import Final

import structlog

from jackpot.books.people import ended_before
from jackpot.ledger.store import LedgerError
from jackpot.rules.acts.erasure import EraseName
from jackpot.server.desk import Desk
from jackpot.server.people import Entrance
from jackpot.server.staff import Staff

# Days are counted, so an hour late is soon enough.
LOOK_S: Final = 60 * 60.0
DAY_MS: Final = 24 * 60 * 60 * 1_000

log: Final = structlog.get_logger()


async def erase_old(desk: Desk, entrance: Entrance, days: int) -> None:
    """Erases the names of people who left so many days ago, while the site's bank is held here.

    Raises BankStopped.
    """
    while True:
        try:
            await erase_now(desk, entrance, days)
        except LedgerError as error:  # it is done at the next look
            log.warning("names_not_erased", reason=str(error))
        await asyncio.sleep(LOOK_S)


async def erase_now(desk: Desk, entrance: Entrance, days: int) -> None:
    """Erases those that are too old now. Raises LedgerError, BankStopped."""
    old = await too_old(entrance, days)
    kept = await desk.ask(lambda engine: [one.id for one in engine.state.people if not one.erased])
    for number in sorted(old.intersection(kept)):
        await desk.person(EraseName(number, due=True), ())
    await Staff(entrance).forget()


async def too_old(entrance: Entrance, days: int | None) -> set[int]:
    """Who left so many days ago, erased or not; None is for ever. Raises LedgerError."""
    if days is None:
        return set()
    before = entrance.clock.unix_ms() - days * DAY_MS
    return set(await entrance.books.read(lambda ledger: ended_before(ledger, before)))
