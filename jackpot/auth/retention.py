"""Which names and papers are kept no longer? The server looks once an hour.

The journal says that a name was erased by age. Papers of a hit that waits stay, however old they are. What
was kept for an act that was never decided goes, whatever the site keeps.
"""

import asyncio
from base64 import b64encode
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

import structlog

from jackpot.auth.auth_service import Entrance
from jackpot.auth.person_admin import Staff
from jackpot.bank.bank import Desk
from jackpot.clock import Clock
from jackpot.ledger import keyring, papers
from jackpot.ledger.joined_banks import and_its_parts
from jackpot.ledger.reading import Reader
from jackpot.ledger.store import LedgerError
from jackpot.reports.read.hits import outlived_marks, stray_marks
from jackpot.rules.acts.act import outlived
from jackpot.rules.acts.erasure import EraseName
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.engine import Engine
from jackpot.rules.state import UNPAID

# Days are counted, so an hour late is soon enough. No payment is on its way for as long as this.
LOOK_S: Final = 60 * 60.0
# Between two looks, the wall clock and the monotonic one may differ by what a time service slews in an hour.
STEP_MOST_MS: Final = 60_000

log: Final = structlog.get_logger()


async def names_by_age(desk: Desk, entrance: Entrance, days: int) -> None:
    """Erases the names of people who left so many days ago, while the site's bank is held here.

    Raises BankStopped.
    """
    await _each_hour("names_not_erased", entrance.clock, lambda: erase_names(desk, entrance, days))


async def papers_by_age(desk: Desk, entrance: Entrance, days: int) -> None:
    """Erases papers of a bank's paid hits that are so many days old, while it is held here.

    Raises BankStopped.
    """
    await _each_hour("papers_not_erased", entrance.clock, lambda: erase_papers(desk, entrance, days))


async def strays(desk: Desk, entrance: Entrance) -> None:
    """Drops papers of payouts that were never made, in any bank, and what is kept of people who never joined
    or of secrets by which nobody comes in, while the site's bank is held here.

    desk: of that bank. Raises BankStopped.
    """
    await _each_hour("strays_not_dropped", entrance.clock, Strays(desk, entrance).drop)


async def erase_names(desk: Desk, entrance: Entrance, days: int) -> None:
    """Erases those that are too old now. Raises LedgerError, BankStopped."""
    at = entrance.clock.unix_ms()

    def old(engine: Engine) -> list[int]:
        people = engine.state.people
        return [one.id for one in people if not one.erased and outlived(one.left, days, at)]

    for number in await desk.ask(old):
        await desk.person(EraseName(number, days), ())
    await Staff(entrance).forget()


async def erase_papers(desk: Desk, entrance: Entrance, days: int) -> None:
    """Erases those that are too old now, of no hit that waits; also of banks that became part of this one.

    Raises LedgerError, BankStopped.
    """
    at = entrance.clock.unix_ms()

    def waiting(engine: Engine) -> list[int]:
        hits = engine.state.hits.values()
        return [hit.number for hit in hits if any(award.status in UNPAID for award in hit.awards)]

    unpaid = await desk.ask(waiting)

    def outlived_of_all(ledger: Reader) -> list[bytes]:
        marks = []
        for bank in and_its_parts(ledger, desk.bank):
            # What waited in a bank was paid before it became part of another.
            marks += outlived_marks(ledger, bank, days, at, unpaid if bank == desk.bank else ())
        return marks

    marks = await entrance.books.read(outlived_of_all)
    if marks:
        await entrance.store.change(*(papers.erase(mark) for mark in marks))


class Strays:
    """Rows that no entry names: the act was never decided, as the ledger or the server failed before.

    What is one at two looks in a row is dropped: in between, whatever was on its way has been decided.
    """

    def __init__(self, desk: Desk, entrance: Entrance) -> None:
        self._desk = desk
        self._entrance = entrance
        self._before: _Look | None = None

    async def drop(self) -> None:
        """A look. Raises LedgerError, and the next one is a first one; BankStopped."""
        before, self._before = self._before or _Look(), None
        await self._desk.ask(lambda _engine: None)  # whether it is held here still
        at = self._entrance.clock.unix_ms()
        found = await self._entrance.books.read(lambda ledger: stray_marks(ledger, before.since))
        names, secrets = await self._of_people()
        statements = [
            *map(papers.drop, found & before.found),
            *map(keyring.drop_name, names & before.names),
            *map(keyring.drop_secret, secrets & before.secrets),
        ]
        if statements:
            await self._entrance.store.change(*statements)
        # What was there at the look before was found twice by now; a clock of a server may be behind.
        left = frozenset(found - before.found)
        self._before = _Look(left, at, before.at - DAY_MS, names - before.names, secrets - before.secrets)

    async def _of_people(self) -> tuple[frozenset[bytes], frozenset[bytes]]:
        """The marks of names and the digests of secrets that are nobody's.

        Such as fit their own key: what somebody changed stays for who looks into it.
        """
        books = self._entrance.books
        names, secrets = await books.read(lambda ledger: (keyring.names(ledger), keyring.secret_rows(ledger)))
        sheet = await self._entrance.roster.look()
        taken = {person.mark for person in sheet.state.people}
        asked = b"".join(request.command for request in sheet.state.requests)
        marks = {one.mark for one in names if one.is_marked()} - taken
        digests = {one.digest for one in secrets if one.is_its_own()} - sheet.secrets()
        waits = {mark for mark in marks if b64encode(mark) in asked}
        return frozenset(marks - waits), frozenset(digests)


class _Look(NamedTuple):
    """What one look found, and when it was. since: from when on the next one looks at papers that were kept.

    Both are unix milliseconds. found, names, secrets: the keys of rows of papers, of people, of secrets.
    """

    found: frozenset[bytes] = frozenset()
    at: int = 0
    since: int = 0
    names: frozenset[bytes] = frozenset()
    secrets: frozenset[bytes] = frozenset()


async def _each_hour(trouble: str, clock: Clock, work: Callable[[], Awaitable[None]]) -> None:
    """trouble: what is logged where the ledger did not let it be done.

    A look counts where the clock went on by itself since the one before. Nothing is done at the start: where
    the clock is wrong then, it has an hour to be put right, before what is erased is lost for ever.
    """
    before = _difference_ms(clock)
    while True:
        await asyncio.sleep(LOOK_S)
        now = _difference_ms(clock)
        stepped_ms, before = now - before, now
        if abs(stepped_ms) > STEP_MOST_MS:
            log.warning(trouble, reason=f"the clock was moved by {stepped_ms / 1000:.0f} s")
            continue
        try:
            await work()
        except LedgerError as error:  # it is done at the next look
            log.warning(trouble, reason=str(error))


def _difference_ms(clock: Clock) -> float:
    """What the wall clock is ahead of the monotonic one; a step of it alone changes this."""
    return clock.unix_ms() - clock.monotonic() * 1000
