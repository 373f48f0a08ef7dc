"""Site cursor of each bank: has it note that people have lost a right, soon after and at takeover (S8)."""

import asyncio
from contextlib import suppress
from typing import Final

from jackpot.auth.directory import Directory
from jackpot.bank.bank import Bank
from jackpot.ledger.store import LedgerError
from jackpot.rules.acts.site_cursor import SeePeople
from jackpot.runtime.cancelled import end_if_cancelled

# Nobody acts by a right that they have lost; so soon a forged act by it is seen in any bank, too.
LOOK_S: Final = 10.0


async def see_people(bank: Bank, directory: Directory) -> None:
    """Updates the cursor again and again, as long as the bank is held here. Raises BankStopped."""
    while True:
        with suppress(LedgerError):  # who cannot be read has lost nothing yet that is known
            await see_now(bank, directory)
        end_if_cancelled()
        await asyncio.sleep(LOOK_S)


async def see_now(bank: Bank, directory: Directory) -> None:
    """Updates the cursor, if there is anything new. Raises LedgerError, BankStopped."""
    sheet = await directory.look()
    if sheet.state.lost > await bank.ask(lambda engine: engine.state.known):
        await bank.person(SeePeople(sheet.state.seq, sheet.hash), ())
