"""Which names and papers are kept no longer? The server looks once an hour.

The journal says that a name was erased by age. Papers of a hit that waits stay, however old they are.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from jackpot.books.hits import outlived_marks
from jackpot.ledger import papers
from jackpot.ledger.store import LedgerError
from jackpot.rules.acts.act import outlived
from jackpot.rules.acts.erasure import EraseName
from jackpot.rules.engine import Engine
from jackpot.rules.state import UNPAID
from jackpot.server.desk import Desk
from jackpot.server.people import Entrance
from jackpot.server.staff import Staff

# Days are counted, so an hour late is soon enough.
LOOK_S: Final = 60 * 60.0

log: Final = structlog.get_logger()


async def names_by_age(desk: Desk, entrance: Entrance, days: int) -> None:
    """Erases the names of people who left so many days ago, while the site's bank is held here.

    Raises BankStopped.
    """
    await _each_hour("names_not_erased", lambda: erase_names(desk, entrance, days))


async def papers_by_age(desk: Desk, entrance: Entrance, days: int) -> None:
    """Erases papers of a bank's paid hits that are so many days old, while it is held here.

    Raises BankStopped.
    """
    await _each_hour("papers_not_erased", lambda: erase_papers(desk, entrance, days))


async def erase_names(desk: Desk, entrance: Entrance, days: int) -> None:
    """Erases those that are too old now. Raises LedgerError, BankStopped."""
    at = entrance.clock.unix_ms()

    def old(engine: Engine) -> list[int]:
        people = engine.state.people
        return [one.id for one in people if not one.erased and outlived(one.left, days, at)]

    for number in await desk.ask(old):
        await desk.person(EraseName(number, days), ())
    await Staff(entrance).forget()


async def erase_papers(desk: Desk, entrance: Entrance, days: int) -> None:
    """Erases those that are too old now, of no hit that waits. Raises LedgerError, BankStopped."""
    at = entrance.clock.unix_ms()

    def waiting(engine: Engine) -> list[int]:
        hits = engine.state.hits.values()
        return [hit.number for hit in hits if any(award.status in UNPAID for award in hit.awards)]

    unpaid = await desk.ask(waiting)
    marks = await entrance.books.read(lambda ledger: outlived_marks(ledger, desk.bank, days, at, unpaid))
    if marks:
        await entrance.store.change(*(papers.erase(mark) for mark in marks))


async def _each_hour(trouble: str, work: Callable[[], Awaitable[None]]) -> None:
    """trouble: what is logged where the ledger did not let it be done."""
    while True:
        try:
            await work()
        except LedgerError as error:  # it is done at the next look
            log.warning(trouble, reason=str(error))
        await asyncio.sleep(LOOK_S)
