"""Watch over the announced ends of a bank's links: when the day is over the server ends them (P2, L8)."""

import asyncio
from typing import Final

import structlog

from jackpot.bank.bank import Bank
from jackpot.rules.acts.ends import EndLink, ending

# How long a bank is held before a link of it is closed. Each table has come back by then, and has said which
# answers it has: where the ledger lost rows, what was won in them is seen to before any money moves (S9).
HEARD_S: Final = 10 * 60.0
# How often the clock is looked at, as for readings: no wager is taken for longer once the day is over.
LOOK_EVERY_S: Final = 1.0

log: Final = structlog.get_logger()


async def watch_link_ends(bank: Bank) -> None:
    """Takes each step when its time has come, until cancelled. Raises BankStopped."""
    since = bank.clock.monotonic()
    while True:
        await end_links(bank, closes=bank.clock.monotonic() - since >= HEARD_S)
        await asyncio.sleep(LOOK_EVERY_S)


async def end_links(bank: Bank, *, closes: bool = False) -> None:
    """Takes every step that is due now; done before devices are accepted, too. Raises BankStopped.

    A step is decided by the state, so it is taken once, whichever server holds the bank. closes: whether
    links are closed, and not wagers stopped alone. By a clock that jumped ahead nothing ends.
    """
    ahead_ms = bank.clock_jump.ahead_ms()
    while due := await bank.ask(
        lambda engine: list(ending(engine.state, bank.clock.unix_ms(), closes=closes, ahead_ms=ahead_ms))
    ):
        for link in due:
            answer = await bank.person(EndLink(link, ahead_ms), ())
            if not answer.ok:  # something else came first
                log.info("end_not_taken", bank=bank.name, link=link, message=answer.message, kind=bank.name)
                return
