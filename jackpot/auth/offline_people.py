"""The people's bank in the hands of a command, for acts of people where no server runs."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Final, Self, TypeVar

from jackpot.auth.auth_service import AuthService
from jackpot.bank.bank import UNPROVED
from jackpot.clock import Clock
from jackpot.config import People
from jackpot.ledger.journal import Head
from jackpot.ledger.maintenance.offline import execute
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.store import Store
from jackpot.reports.read.reader import LedgerReader
from jackpot.rules.commands import DIGEST_BYTES, ActCommand, Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.outcome import ActAnswer
from jackpot.rules.signing import SITE, Proof

HOLDER: Final = "users"
# Whatever the configuration says of names: here each who acts types their password.
_TERMS: Final = People(required=True)

T = TypeVar("T")


class OfflinePeopleBank:
    """The people's bank in the hands of a command: `await OfflinePeopleBank.take(store, clock)`."""

    name = SITE

    def __init__(self, store: Store, clock: Clock, engine: Engine, head: Head) -> None:
        self._store = store
        self._clock = clock
        self._engine = engine
        self._head = head
        self.alarms: list[str] = []

    @classmethod
    async def take(cls, store: Store, clock: Clock) -> Self:
        """Takes the bank, checked whole (S3). No server may have it. Raises LedgerError."""
        await store.new_epoch(SITE, HOLDER)
        engine, head = await store.run(partial(rebuild, bank=SITE))
        engine.new_epoch(int(clock.monotonic() * 1000))
        return cls(store, clock, engine, head)

    async def person(
        self, command: ActCommand, people: tuple[str, ...], digest: bytes = b"", proof: Proof = UNPROVED
    ) -> ActAnswer:
        """As of a Bank."""
        at, tick = self._clock.unix_ms(), int(self._clock.monotonic() * 1000)
        digest = digest or os.urandom(DIGEST_BYTES)
        envelope = Envelope(command, at, tick, digest, people=people, proof=proof)
        outcome, self._head = await execute(self._store, self._engine, self._head, envelope)
        self.alarms += [name for name, _ in outcome.alarms]
        return outcome.of_act()

    async def ask(self, question: Callable[[Engine], T]) -> T:
        """As of a Bank."""
        return question(self._engine)


@asynccontextmanager
async def sign_in_offline(store: Store, url: str, clock: Clock) -> AsyncIterator[AuthService]:
    """An auth service for a ledger that no server has. url: of that ledger. Raises LedgerError."""
    books = LedgerReader(url)
    auth = AuthService(await OfflinePeopleBank.take(store, clock), store, books, clock, _TERMS)
    try:
        yield auth
    finally:
        auth.close()
        await books.close()
