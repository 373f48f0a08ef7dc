"""Sends notices of what waits for people to a web server of theirs, which pages them.

Notices are read from the journal, and the ledger keeps the last entry up to which all were delivered. So none
is lost, and one may come twice, with the same id. One that is refused repeatedly is dropped, logged and
counted, so that later ones are delivered. No wager waits for it.
"""

import asyncio
import hashlib
import hmac
from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import msgspec
import structlog

from jackpot.bank.bank import Bank
from jackpot.clock import Clock
from jackpot.config import Notify
from jackpot.ledger.reading import Reader
from jackpot.ledger.store import LedgerError, Statement, Store
from jackpot.notify.sinks import Outbox, WebhookSink
from jackpot.reports.notifications import Notifications
from jackpot.reports.read.reader import LedgerReader
from jackpot.runtime.cancelled import end_if_cancelled

# A person is told within a second or two; an idle floor costs one short read a second and bank.
LOOK_EVERY_S: Final = 1.0
# Where nothing is told the place in the journal is kept so often: a start reads what came since.
KEEP_EVERY_S: Final = 60.0
# Notices that are read ahead and wait; the others wait in the journal.
WAITING_MAX: Final = 100
# Where the ledger keeps none, people are told of what comes from now on; the pages have what came before.
_FROM: Final = "SELECT seq FROM told WHERE bank = ?1"
_KEEP: Final = """
    INSERT INTO told VALUES (?1, ?2) ON CONFLICT (bank) DO UPDATE SET seq = excluded.seq
"""

log: Final = structlog.get_logger()


def keep_delivered(bank: str, seq: int) -> Statement:
    """Statement that stores the last entry up to which all notices were delivered."""
    return _KEEP, (bank, seq)


def delivered_upto(ledger: Reader, bank: str) -> int | None:
    """Last entry up to which all notices were delivered; None if none ever was."""
    found = ledger.look_up(_FROM, bank)
    return int(found[0][0]) if found else None


def signature(secret: bytes, body: bytes, unix_s: int) -> str:
    """The value of the header `Jackpot-Signature`: when it was sent, and HMAC-SHA256 of that and the body."""
    mac = hmac.new(secret, b"%d." % unix_s + body, hashlib.sha256)
    return f"t={unix_s},v1={mac.hexdigest()}"


class Notifier:
    """Sends notices to the configured web server. store: any of the ledger's; no wager waits for it."""

    def __init__(self, notify: Notify, books: LedgerReader, store: Store, clock: Clock) -> None:
        self.outbox = Outbox(
            WebhookSink(notify.url, notify.ca, self._headers), clock, "notice", gives_up=True
        )
        self._notify = notify
        self._books = books
        self._store = store
        self._clock = clock
        self._waiting: Counter[str] = Counter()

    async def watch(self, bank: Bank) -> None:
        """Sends the notices of a bank while it is held here. Raises BankStopped."""
        reading: _Reading | None = None
        while True:
            site, upto = await bank.ask(lambda engine: (engine.state.site, engine.seq))
            try:
                if reading is None:
                    news = Notifications(bank.name, site, self._notify.events)
                    reading = _Reading(news, await self._from(bank.name, upto))
                await self._look(bank.name, reading, upto)
            except LedgerError as error:  # the money may go on; this looks again
                log.warning("notices_unreadable", bank=bank.name, reason=str(error), kind=bank.name)
            end_if_cancelled()
            await asyncio.sleep(LOOK_EVERY_S)

    def statistics(self) -> dict[str, Any]:
        """As of its outbox."""
        return self.outbox.statistics()

    async def _look(self, bank: str, reading: "_Reading", upto: int) -> None:
        room = min(WAITING_MAX - self._waiting[bank], self.outbox.room)
        if room > 0 and reading.after < upto:
            look = partial(reading.news.look, after=reading.after, upto=upto, most=room)
            notices, reading.after = await self._books.read(look)
            ends = [*(notice.seq - 1 for notice in notices[1:]), reading.after]
            for notice, end in zip(notices, ends, strict=False):
                self._waiting[bank] += 1
                self.outbox.put(msgspec.json.encode(notice), partial(self._took, bank, end))
        now = self._clock.monotonic()
        if not self._waiting[bank] and reading.kept < reading.after and now - reading.kept_at >= KEEP_EVERY_S:
            await self._keep(bank, reading.after)
            reading.kept, reading.kept_at = reading.after, now

    async def _from(self, bank: str, upto: int) -> int:
        """Last entry up to which all notices were delivered."""
        known = await self._books.read(lambda ledger: delivered_upto(ledger, bank))
        if known is None:
            await self._keep(bank, upto)
        return upto if known is None else min(known, upto)

    async def _took(self, bank: str, seq: int) -> None:
        """A notice was delivered; so is everything up to `seq`."""
        self._waiting[bank] -= 1
        try:
            await self._keep(bank, seq)
        except LedgerError as error:  # the next one is kept, or this one is told twice
            log.warning("notice_position_not_kept", bank=bank, reason=str(error), kind=bank)

    async def _keep(self, bank: str, seq: int) -> None:
        await self._store.change(keep_delivered(bank, seq))

    def _headers(self, body: bytes) -> Mapping[str, str]:
        now = self._clock.unix_ms() // 1000
        return {"Jackpot-Signature": signature(self._notify.secret, body, now)}


class _Reading(msgspec.Struct):
    """Read progress in a bank. after: the last entry read. kept: the last one stored as delivered, and
    when.
    """

    news: Notifications
    after: int
    kept: int = 0
    kept_at: float = 0.0
