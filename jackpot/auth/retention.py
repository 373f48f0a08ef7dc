"""Retention: erases names and papers by age, and drops rows that no entry names, once an hour.

The journal says that a name was erased by age. Papers of a hit that waits stay, however old they are. What
was kept for an act that was never decided goes, whatever the site keeps.
"""

import asyncio
from base64 import b64encode
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

import structlog

from jackpot.auth.auth_service import AuthService
from jackpot.auth.person_admin import PersonAdmin
from jackpot.bank.bank import Bank
from jackpot.clock import Clock
from jackpot.ledger import keyring, papers
from jackpot.ledger.joined_banks import and_its_parts
from jackpot.ledger.reading import Reader
from jackpot.ledger.store import LedgerError
from jackpot.reports.read.hits import orphan_marks, outlived_marks
from jackpot.rules.acts.act import outlived
from jackpot.rules.acts.erasure import EraseName
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.engine import Engine
from jackpot.rules.state import UNPAID
from jackpot.runtime.cancelled import end_if_cancelled

# Days are counted, so an hour late is soon enough. No payment is on its way for as long as this.
LOOK_S: Final = 60 * 60.0
# Between two looks, the wall clock and the monotonic one may differ by what a time service slews in an hour.
STEP_MAX_MS: Final = 60_000

log: Final = structlog.get_logger()


async def names_by_age(bank: Bank, auth: AuthService, days: int) -> None:
    """Erases the names of people who left so many days ago, while the site's bank is held here.

    Raises BankStopped.
    """
    await _each_hour("names_not_erased", auth.clock, lambda: erase_names(bank, auth, days))


async def papers_by_age(bank: Bank, auth: AuthService, days: int) -> None:
    """Erases papers of a bank's paid hits that are so many days old, while it is held here.

    Raises BankStopped.
    """
    await _each_hour("papers_not_erased", auth.clock, lambda: erase_papers(bank, auth, days))


async def orphan_rows(bank: Bank, auth: AuthService) -> None:
    """Drops rows that no entry names, while the site's bank is held here.

    These are papers of payouts that were never made, in any bank, people who never joined, and secrets that
    are not valid. bank: of that bank. Raises BankStopped.
    """
    await _each_hour("orphan_rows_not_dropped", auth.clock, OrphanRows(bank, auth).drop)


async def erase_names(bank: Bank, auth: AuthService, days: int) -> None:
    """Erases the names that are too old now. Raises LedgerError, BankStopped."""
    at = auth.clock.unix_ms()

    def old(engine: Engine) -> list[int]:
        people = engine.state.people
        return [one.id for one in people if not one.erased and outlived(one.left, days, at)]

    for number in await bank.ask(old):
        await bank.person(EraseName(number, days), ())
    await PersonAdmin(auth).forget()


async def erase_papers(bank: Bank, auth: AuthService, days: int) -> None:
    """Erases papers that are too old now, of no hit that waits; also those of banks that joined this one.

    Raises LedgerError, BankStopped.
    """
    at = auth.clock.unix_ms()

    def waiting(engine: Engine) -> list[int]:
        hits = engine.state.hits.values()
        return [hit.number for hit in hits if any(award.status in UNPAID for award in hit.awards)]

    unpaid = await bank.ask(waiting)

    def outlived_of_all(ledger: Reader) -> list[bytes]:
        marks = []
        for name in and_its_parts(ledger, bank.name):
            # What waited in a bank was paid before it became part of another.
            marks += outlived_marks(ledger, name, days, at, unpaid if name == bank.name else ())
        return marks

    marks = await auth.books.read(outlived_of_all)
    if marks:
        await auth.store.change(*(papers.erase(mark) for mark in marks))


class OrphanRows:
    """Rows that no entry names: the act was never decided, as the ledger or the server failed before.

    What is one at two looks in a row is dropped: in between, whatever was on its way has been decided.
    """

    def __init__(self, bank: Bank, auth: AuthService) -> None:
        self._bank = bank
        self._auth = auth
        self._before: _RetentionRun | None = None

    async def drop(self) -> None:
        """Takes a look, and drops what it finds for the second time.

        Raises LedgerError, and the next look is a first one; BankStopped.
        """
        before, self._before = self._before or _RetentionRun(), None
        await self._bank.ask(lambda _engine: None)  # whether it is held here still
        at = self._auth.clock.unix_ms()
        found = await self._auth.books.read(lambda ledger: orphan_marks(ledger, before.since))
        names, secrets = await self._of_people()
        statements = [
            *map(papers.drop, found & before.found),
            *map(keyring.drop_name, names & before.names),
            *map(keyring.drop_secret, secrets & before.secrets),
        ]
        if statements:
            await self._auth.store.change(*statements)
        # What was there at the look before was found twice by now; a clock of a server may be behind.
        left = frozenset(found - before.found)
        self._before = _RetentionRun(
            left, at, before.at - DAY_MS, names - before.names, secrets - before.secrets
        )

    async def _of_people(self) -> tuple[frozenset[bytes], frozenset[bytes]]:
        """The digests of names and of secrets that no person has.

        Only rows that fit their own key: what somebody changed stays for an investigation.
        """
        books = self._auth.books
        names, secrets = await books.read(lambda ledger: (keyring.names(ledger), keyring.secret_rows(ledger)))
        sheet = await self._auth.directory.look()
        taken = {person.mark for person in sheet.state.people}
        asked = b"".join(request.command for request in sheet.state.requests)
        marks = {one.mark for one in names if one.is_marked()} - taken
        digests = {one.digest for one in secrets if one.is_its_own()} - sheet.secrets()
        waits = {mark for mark in marks if b64encode(mark) in asked}
        return frozenset(marks - waits), frozenset(digests)


class _RetentionRun(NamedTuple):
    """Result of one look, and its time. since: from when on the next one looks at papers that were kept.

    Both are unix milliseconds. found, names, secrets: the keys of rows of papers, of people, of secrets.
    """

    found: frozenset[bytes] = frozenset()
    at: int = 0
    since: int = 0
    names: frozenset[bytes] = frozenset()
    secrets: frozenset[bytes] = frozenset()


async def _each_hour(trouble: str, clock: Clock, work: Callable[[], Awaitable[None]]) -> None:
    """Runs a job each hour. trouble: what is logged if the ledger did not let it be done.

    A look counts if the clock was not stepped since the one before. Nothing is done at the start: if the
    clock is wrong then, it has an hour to be put right, before what is erased is lost for ever.
    """
    before = _difference_ms(clock)
    while True:
        await asyncio.sleep(LOOK_S)
        now = _difference_ms(clock)
        stepped_ms, before = now - before, now
        if abs(stepped_ms) > STEP_MAX_MS:
            log.warning(trouble, reason=f"the clock was moved by {stepped_ms / 1000:.0f} s")
            continue
        try:
            await work()
        except LedgerError as error:  # it is done at the next look
            log.warning(trouble, reason=str(error))
        end_if_cancelled()


def _difference_ms(clock: Clock) -> float:
    """The wall clock minus the monotonic one; only a step of the wall clock changes this."""
    return clock.unix_ms() - clock.monotonic() * 1000
