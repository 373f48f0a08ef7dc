"""Whose name is kept no longer? The server looks, and the journal says that it was erased by age."""

import asyncio
from typing import Final

import structlog

from jackpot.ledger.store import LedgerError
from jackpot.rules.acts.act import outlived
from jackpot.rules.acts.erasure import EraseName
from jackpot.rules.engine import Engine
from jackpot.server.desk import Desk
from jackpot.server.people import Entrance
from jackpot.server.staff import Staff

# Days are counted, so an hour late is soon enough.
LOOK_S: Final = 60 * 60.0

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
    at = entrance.clock.unix_ms()

    def old(engine: Engine) -> list[int]:
        people = engine.state.people
        return [one.id for one in people if not one.erased and outlived(one.left, days, at)]

    for number in await desk.ask(old):
        await desk.person(EraseName(number, days), ())
    await Staff(entrance).forget()
