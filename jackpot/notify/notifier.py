"""How do people who look at no page hear of what waits? A web server of theirs is told, and pages them.

Each notice is read from the journal, and the ledger keeps up to which entry everything was taken: so none is
lost, whatever ends in between, and one may come twice, with the same id. One that is refused time and again
is given up, logged and counted, so that the later ones come. Nothing of it is on the money's way.
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

from jackpot.bank.bank import Desk
from jackpot.clock import Clock
from jackpot.config import Notify
from jackpot.ledger.reading import Reader
from jackpot.ledger.store import LedgerError, Statement, Store
from jackpot.notify.sinks import Outbox, ToWebhook
from jackpot.reports.notifications import News
from jackpot.reports.read.reader import Books

# A person is told within a second or two; an idle floor costs one short read a second and bank.
LOOK_EVERY_S: Final = 1.0
# Where nothing is told the place in the journal is kept so often: a start reads what came since.
KEEP_EVERY_S: Final = 60.0
# Notices that are read ahead and wait; the others wait in the journal.
WAITING_MOST: Final = 100
# Where the ledger keeps none, people are told of what comes from now on; the pages have what came before.
_FROM: Final = "SELECT seq FROM told WHERE bank = ?1"
_KEEP: Final = """
    INSERT INTO told VALUES (?1, ?2) ON CONFLICT (bank) DO UPDATE SET seq = excluded.seq
"""

log: Final = structlog.get_logger()


def kept(bank: str, seq: int) -> Statement:
    """Keeps up to which entry everything was told."""
    return _KEEP, (bank, seq)


def told(ledger: Reader, bank: str) -> int | None:
    """Up to which entry everything was told; None where nobody ever was."""
    found = ledger.look_up(_FROM, bank)
    return int(found[0][0]) if found else None


def signature(secret: bytes, body: bytes, unix_s: int) -> str:
    """The value of the header `Jackpot-Signature`: when it was sent, and HMAC-SHA256 of that and the body."""
    mac = hmac.new(secret, b"%d." % unix_s + body, hashlib.sha256)
    return f"t={unix_s},v1={mac.hexdigest()}"


class Pagers:
    """Tells the web server of the configuration. store: any of the ledger's, off the money's way."""

    def __init__(self, notify: Notify, books: Books, store: Store, clock: Clock) -> None:
        self.outbox = Outbox(ToWebhook(notify.url, notify.ca, self._headers), clock, "notice", gives_up=True)
        self._notify = notify
        self._books = books
        self._store = store
        self._clock = clock
        self._waiting: Counter[str] = Counter()

    async def watch(self, desk: Desk) -> None:
        """Tells of a bank, as long as it is held here. Raises BankStopped."""
        reading: _Reading | None = None
        while True:
            site, upto = await desk.ask(lambda engine: (engine.state.site, engine.seq))
            try:
                if reading is None:
                    news = News(desk.bank, site, self._notify.events)
                    reading = _Reading(news, await self._from(desk.bank, upto))
                await self._look(desk.bank, reading, upto)
            except LedgerError as error:  # the money may go on; this looks again
                log.warning("news_not_read", bank=desk.bank, reason=str(error), kind=desk.bank)
            await asyncio.sleep(LOOK_EVERY_S)

    def statistics(self) -> dict[str, Any]:
        """As of its outbox."""
        return self.outbox.statistics()

    async def _look(self, bank: str, reading: "_Reading", upto: int) -> None:
        room = min(WAITING_MOST - self._waiting[bank], self.outbox.room)
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
        """Up to which entry everything was told."""
        known = await self._books.read(lambda ledger: told(ledger, bank))
        if known is None:
            await self._keep(bank, upto)
        return upto if known is None else min(known, upto)

    async def _took(self, bank: str, seq: int) -> None:
        """A notice was taken; everything up to `seq` is told."""
        self._waiting[bank] -= 1
        try:
            await self._keep(bank, seq)
        except LedgerError as error:  # the next one is kept, or this one is told twice
            log.warning("notice_not_kept", bank=bank, reason=str(error), kind=bank)

    async def _keep(self, bank: str, seq: int) -> None:
        await self._store.change(kept(bank, seq))

    def _headers(self, body: bytes) -> Mapping[str, str]:
        now = self._clock.unix_ms() // 1000
        return {"Jackpot-Signature": signature(self._notify.secret, body, now)}


class _Reading(msgspec.Struct):
    """How far a bank is read. after: the last entry looked at. kept: the last one that was kept, and when."""

    news: News
    after: int
    kept: int = 0
    kept_at: float = 0.0
