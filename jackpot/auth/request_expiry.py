"""Expiry of requests that nobody confirmed in time; the journal records it.

A request is over when its time is, or once the one who asked has lost a right since.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from jackpot.auth.directory import Directory
from jackpot.bank.bank import Bank, BankStopped
from jackpot.ledger.store import LedgerError
from jackpot.rules.acts.requests import REQUEST_HOLDS_MS, ExpireRequest
from jackpot.rules.state import ApprovalRequest
from jackpot.runtime.cancelled import end_if_cancelled

# How long after its end a request may still be counted among those that wait.
LOOK_S: Final = 5.0


async def expire(banks: Sequence[Bank], directory: Directory) -> None:
    """Ends expired requests, in each bank that is decided here."""
    while True:
        await asyncio.sleep(LOOK_S)
        for bank in banks:
            with suppress(BankStopped):  # who has it by now looks after its requests
                await expire_now(bank, directory)


async def expire_now(bank: Bank, directory: Directory) -> None:
    """Ends the requests that are expired now. Raises BankStopped."""
    tick = int(bank.clock.monotonic() * 1000)
    waited = await bank.ask(
        lambda engine: [(one, engine.epoch.waited_ms(one, tick)) for one in engine.state.requests]
    )
    for request, waited_ms in waited:
        lost = 0
        with suppress(LedgerError):  # the rules refuse anyway what such a person asked for
            lost = await lost_since(directory, request)
        end_if_cancelled()
        if lost or waited_ms >= REQUEST_HOLDS_MS:
            await bank.person(ExpireRequest(f"{bank.name}-{request.id}", waited_ms, lost), ())


async def lost_since(directory: Directory, request: ApprovalRequest) -> int:
    """The entry by which the asker has lost a right since, 0 for none. Raises LedgerError."""
    asker = request.people.signed[0]
    lost = (await directory.look()).state.people[asker.id - 1].lost
    return lost if lost > asker.lost else 0
