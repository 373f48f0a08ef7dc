"""When is a request over that nobody confirmed? The server looks, and the journal says so for all to see.

Its time is over, or the one who asked has lost a right since.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from jackpot.auth.directory import Roster
from jackpot.bank.bank import BankStopped, Desk
from jackpot.ledger.store import LedgerError
from jackpot.rules.acts.requests import REQUEST_HOLDS_MS, ExpireRequest
from jackpot.rules.state import Request

# How long after its end a request may still be counted among those that wait.
LOOK_S: Final = 5.0


async def expire(desks: Sequence[Desk], roster: Roster) -> None:
    """Ends the requests that are over, in each bank that is decided here."""
    while True:
        await asyncio.sleep(LOOK_S)
        for desk in desks:
            with suppress(BankStopped):  # who has it by now looks after its requests
                await expire_now(desk, roster)


async def expire_now(desk: Desk, roster: Roster) -> None:
    """Ends those that are over now. Raises BankStopped."""
    tick = int(desk.clock.monotonic() * 1000)
    waited = await desk.ask(
        lambda engine: [(one, engine.epoch.waited_ms(one, tick)) for one in engine.state.requests]
    )
    for request, waited_ms in waited:
        lost = 0
        with suppress(LedgerError):  # the rules refuse anyway what such a person asked for
            lost = await lost_since(roster, request)
        if lost or waited_ms >= REQUEST_HOLDS_MS:
            await desk.person(ExpireRequest(f"{desk.bank}-{request.id}", waited_ms, lost), ())


async def lost_since(roster: Roster, request: Request) -> int:
    """The entry by which the one who asked has lost a right since, 0 for none. Raises LedgerError."""
    asker = request.people.signed[0]
    lost = (await roster.look()).state.people[asker.id - 1].lost
    return lost if lost > asker.lost else 0
