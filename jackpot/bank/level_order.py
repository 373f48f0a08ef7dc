"""Watch over the order of a bank's levels: a minor above its major is journalled and alarmed (L12)."""

import asyncio
from typing import Final

import structlog

from jackpot.bank.bank import Bank
from jackpot.rules.acts.level_order import CheckLevelOrder, order_changed
from jackpot.rules.engine import Engine

# How often the levels are compared. Meters rise by cents a wager, so people have minutes to act on it.
COMPARE_EVERY_S: Final = 60.0

log: Final = structlog.get_logger()


async def watch_level_order(bank: Bank) -> None:
    """Compares the levels of each link now and at intervals, until cancelled. Raises BankStopped."""
    while True:
        await check_level_order(bank)
        await asyncio.sleep(COMPARE_EVERY_S)


async def check_level_order(bank: Bank) -> None:
    """Journals each link whose order of levels changed. Raises BankStopped."""
    for link in await bank.ask(_changed):
        answer = await bank.person(CheckLevelOrder(link), ())
        if not answer.ok:  # it changed back meanwhile
            log.info("level_order_unrecorded", bank=bank.name, message=answer.message, kind=bank.name)


def _changed(engine: Engine) -> list[str]:
    """The links whose order of levels is not what the journal says."""
    return [link.terms.link for link in engine.state.links if order_changed(link)]
