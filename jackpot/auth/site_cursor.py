"""When does a bank note that people have lost a right? Soon after, and when it is taken (S8)."""

import asyncio
from contextlib import suppress
from typing import Final

from jackpot.auth.directory import Roster
from jackpot.bank.bank import Desk
from jackpot.ledger.store import LedgerError
from jackpot.rules.acts.site_cursor import SeePeople

# Nobody acts by a right that they have lost; so soon a forged act by it is seen in any bank, too.
LOOK_S: Final = 10.0


async def see_people(desk: Desk, roster: Roster) -> None:
    """Notes it again and again, as long as the bank is held here. Raises BankStopped."""
    while True:
        with suppress(LedgerError):  # who cannot be read has lost nothing yet that is known
            await see_now(desk, roster)
        await asyncio.sleep(LOOK_S)


async def see_now(desk: Desk, roster: Roster) -> None:
    """Notes it, if there is anything new. Raises LedgerError, BankStopped."""
    sheet = await roster.look()
    if sheet.state.lost > await desk.ask(lambda engine: engine.state.known):
        await desk.person(SeePeople(sheet.state.seq, sheet.hash), ())
