"""Schedules the signing of heads and sends them off this machine (S8).

Whenever a bank is taken, after each reading and each hit, after each act of the people's bank, and at least
hourly. Once a second each bank gets an ordinary query: so a wager never waits for it, and many hits in a
second share one head.
"""

import asyncio
from collections.abc import Collection
from contextlib import suppress
from math import inf
from typing import Any, Final

import structlog

from jackpot.bank.bank import Bank
from jackpot.clock import Clock
from jackpot.config import Heads
from jackpot.ledger.heads import SiteKey
from jackpot.ledger.journal import Head
from jackpot.notify.sinks import Outbox, sinks_of
from jackpot.rules.engine import Engine
from jackpot.rules.signing import SITE

# At least hourly (S8): a minute sooner, for an auditor's machine has another clock.
HOURLY_S: Final = 59 * 60.0
# At most one head a bank in this time, the newest.
LOOK_EVERY_S: Final = 1.0
# At the end the last heads have this long to leave: a sink that hangs must not keep a server running.
LEAVE_WITHIN_S: Final = 3.0

log: Final = structlog.get_logger()

_Mark = tuple[int, str]


def _mark(engine: Engine) -> tuple[str, _Mark]:
    """Site, and a value that changes with each hit and reading; in the people's bank with each row."""
    state = engine.state
    return state.site, (state.seq if state.bank == SITE else state.next_hit, state.last_day)


class HeadSigner:
    """Signs the heads of the banks that this server holds, and passes them to every sink."""

    def __init__(self, heads: Heads, clock: Clock) -> None:
        self.outboxes = [Outbox(destination, clock) for destination in sinks_of(heads)]
        self._key = SiteKey(heads.key)
        self._clock = clock
        self._sites: dict[str, str] = {}
        self._signed: dict[str, tuple[int, int]] = {}

    async def watch(self, bank: Bank) -> None:
        """Signs when it is due, as long as the bank is held here. Raises BankStopped."""
        signed, at = None, -inf
        while True:
            self._sites[bank.name], mark = await bank.ask(_mark)
            now = self._clock.monotonic()
            if mark != signed or now - at >= HOURLY_S:
                self.sign(bank)
                signed, at = mark, now
            await asyncio.sleep(LOOK_EVERY_S)

    def sign(self, bank: Bank) -> None:
        """Signs the durable head of the bank."""
        sequencer, now = bank.sequencer, self._clock.unix_ms()
        head = Head(bank.name, sequencer.epoch, sequencer.durable_seq, sequencer.durable_hash, "", 0)
        line = self._key.sign(self._sites[bank.name], head, now).line()
        self._signed[bank.name] = head.seq, now
        for outbox in self.outboxes:
            outbox.put(line)

    async def end(self, banks: Collection[Bank]) -> None:
        """Signs the last heads of these banks, and waits briefly until they are sent."""
        for bank in banks:
            if bank.name in self._signed and self._signed[bank.name][0] < bank.sequencer.durable_seq:
                self.sign(bank)
        with suppress(TimeoutError):
            async with asyncio.timeout(LEAVE_WITHIN_S):
                for outbox in self.outboxes:
                    await outbox.emptied()
        for outbox in self.outboxes:
            await outbox.close()

    def statistics(self) -> dict[str, list[dict[str, Any]]]:
        """Of each bank the last row that was signed here, and when (unix seconds); and each sink."""
        return {
            "banks": [
                {"bank": bank, "signed_seq": seq, "signed_at": at / 1000}
                for bank, (seq, at) in self._signed.items()
            ],
            "destinations": [outbox.statistics() for outbox in self.outboxes],
        }
