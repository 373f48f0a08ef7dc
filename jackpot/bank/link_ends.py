"""Watch over the announced ends of a bank's links: when the day is over the server ends them (P2, L8)."""

import asyncio
from typing import Final

import structlog

from jackpot.bank.bank import Bank
from jackpot.rules.acts.ends import EndLink, ending

# How often the clock is looked at, as for readings: no wager is taken for longer once the day is over.
LOOK_EVERY_S: Final = 1.0

log: Final = structlog.get_logger()


async def watch_link_ends(bank: Bank) -> None:
    """Takes each step when its time has come, until cancelled. Raises BankStopped."""
    while True:
        await end_links(bank)
        await asyncio.sleep(LOOK_EVERY_S)


async def end_links(bank: Bank) -> None:
    """Takes every step that is due now; done before devices are accepted, too. Raises BankStopped.

    A step is decided by the state, so it is taken once, whichever server holds the bank.
    """
    while due := await bank.ask(lambda engine: list(ending(engine.state, bank.clock.unix_ms()))):
        for link in due:
            answer = await bank.person(EndLink(link), ())
            if not answer.ok:  # something else came first
                log.info("end_not_taken", bank=bank.name, link=link, message=answer.message, kind=bank.name)
                return
