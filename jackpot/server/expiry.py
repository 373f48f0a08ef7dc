"""When is a request over that nobody confirmed? The server looks, and the journal says so for all to see."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from jackpot.rules.acts.requests import REQUEST_HOLDS_MS, ExpireRequest
from jackpot.server.desk import BankStopped, Desk

# How long after its end a request may still be counted among those that wait.
LOOK_S: Final = 5.0


async def expire(desks: Sequence[Desk]) -> None:
    """Ends the requests whose time is over, in each bank that is decided here."""
    while True:
        await asyncio.sleep(LOOK_S)
        for desk in desks:
            with suppress(BankStopped):  # who has it by now looks after its requests
                await expire_now(desk)


async def expire_now(desk: Desk) -> None:
    """Ends those that are over now. Raises BankStopped."""
    tick = int(desk.clock.monotonic() * 1000)
    waited = await desk.ask(
        lambda engine: [(one.id, engine.epoch.waited_ms(one, tick)) for one in engine.state.requests]
    )
    for number, waited_ms in waited:
        if waited_ms >= REQUEST_HOLDS_MS:
            await desk.person(ExpireRequest(f"{desk.bank}-{number}", waited_ms), ())
