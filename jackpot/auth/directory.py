"""Directory of the site's people, followed in the ledger, whichever server writes it.

It is read for each act, so that nobody acts with a role that they have lost. While it cannot be read, no
person acts, and tables play on.
"""

from collections.abc import Callable
from typing import Final, TypeVar

import msgspec

from jackpot.config.phrases import PERSON
from jackpot.ledger import keyring
from jackpot.ledger.journal import Head, chained, genesis
from jackpot.ledger.keyring import StoredName
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import PAGE_ROWS, read_to, replay
from jackpot.ledger.store import LedgerCorrupt
from jackpot.reports.read.people import nameless
from jackpot.reports.read.reader import LedgerReader
from jackpot.rules.engine import Engine
from jackpot.rules.signing import SITE, Means, Proof, Role, Signed
from jackpot.rules.state import BankState, Person
from jackpot.text import Sentence

T = TypeVar("T")


class DirectorySnapshot(msgspec.Struct, frozen=True):
    """The people as of one entry of the bank `site`.

    named: by digest, those whose names are not erased. changed: the digests of rows whose name differs from
    the journal's digest.
    """

    state: BankState
    hash: bytes
    named: dict[bytes, StoredName]
    changed: frozenset[bytes] = frozenset()

    def person(self, number: int) -> Person | None:
        """The person of that number, if they have not left."""
        people = self.state.people
        found = people[number - 1] if 1 <= number <= len(people) else None
        return None if found is None or found.ended else found

    def of_login(self, login: str) -> Person | None:
        """The person with that login, if they have not left."""
        marks = {one.mark for one in self.named.values() if one.login == login}
        return next((one for one in self.state.people if one.mark in marks and not one.ended), None)

    def left(self, login: str) -> Person | None:
        """The person who had that login and has left."""
        marks = {one.mark for one in self.named.values() if one.login == login}
        return next((one for one in self.state.people if one.mark in marks and one.ended), None)

    def called(self, person: Person) -> StoredName:
        """The name of a person; their number if the name is erased, missing, or not theirs."""
        known = None if person.erased else self.named.get(person.mark)
        called = nameless(person.id, erased=person.erased, changed=person.mark in self.changed)
        return known or StoredName(person.mark, f"person {person.id}", called, b"")

    def secrets(self) -> set[bytes]:
        """The digests of the secrets that are valid for sign-in."""
        return {one.secret for one in self.state.people if one.secret}

    def in_names(self, text: str) -> str:
        """A sentence of the rules, which know people by their numbers alone, with names for people."""
        people = self.state.people

        def name(part: Sentence) -> object:
            number = part.values.get("number") if part.plain == PERSON else None
            if isinstance(number, int) and 1 <= number <= len(people):
                return self.called(people[number - 1]).name
            return part

        return text.renamed(name) if isinstance(text, Sentence) else text

    def signed(self, number: int, means: Means, roles: tuple[Role, ...], token: int = 0) -> Signed | None:
        """How a person signs now, with those of these roles that they have; None once they have left.

        token: the number of the one that they sign with; None once it was ended, too.
        """
        person, held = self.person(number), next((one for one in self.state.tokens if one.id == token), None)
        if person is None or (token and held is None):
            return None
        now = tuple(role for role in person.roles if role in roles)
        until = 0 if held is None else held.until
        return Signed(number, now, means, person.given_by, person.vouched, token, until, person.lost)

    def proof(self, *signed: Signed, seen: bytes = b"") -> Proof:
        """Proof to another bank of who these people are. seen: as in `Proof`."""
        return Proof(signed, self.state.seq, self.hash, seen=seen)


def people_of(ledger: Reader) -> BankState:
    """The bank of the site's people in a ledger. Raises LedgerCorrupt if it has none."""
    return read_to(ledger, SITE, _head(ledger)).state


def _head(ledger: Reader) -> Head:
    head = ledger.head(SITE)
    if not head.seq:
        raise LedgerCorrupt(f"bank {SITE} is not in the ledger: jackpot bank open {SITE} opens it")
    return head


class Directory:
    """Follows the site's people. Every look raises LedgerError if they cannot be read."""

    def __init__(self, books: LedgerReader) -> None:
        self._books = books
        self._engine = Engine(SITE)
        self._hash = genesis(SITE)
        self._sheet = DirectorySnapshot(self._engine.state, self._hash, {})
        self._rows: list[StoredName] = []

    async def look(self) -> DirectorySnapshot:
        """The people as the ledger has them now."""
        return await self._books.read(self._look)

    async def look_with(self, work: Callable[[Reader], T]) -> tuple[DirectorySnapshot, T]:
        """The people, and what else the ledger says, in one read."""
        return await self._books.read(lambda ledger: (self._look(ledger), work(ledger)))

    async def totp_key(self, person: int) -> bytes:
        """The key of a person's two-factor codes; empty if they sign in without."""
        found = (await self.look()).person(person)
        digest = b"" if found is None else found.secret
        kept = await self._books.read(lambda ledger: keyring.secret(ledger, digest))
        return b"" if kept is None else kept.totp

    def _look(self, ledger: Reader) -> DirectorySnapshot:
        """Reads in the ledger's own thread. Earlier snapshots are not touched."""
        head, rows = _head(ledger), keyring.names(ledger)
        if not self._follow(ledger, head.seq) or self._hash != head.hash:
            self._engine, self._hash = read_to(ledger, SITE, head), head.hash
        if self._sheet.hash != self._hash:
            state = Engine.from_snapshot(self._engine.snapshot()).state
            self._sheet = msgspec.structs.replace(self._sheet, state=state, hash=self._hash)
        if self._rows != rows:
            named = {row.mark: row for row in rows if row.is_marked()}
            changed = frozenset(row.mark for row in rows if row.mark not in named)
            self._sheet = msgspec.structs.replace(self._sheet, named=named, changed=changed)
            self._rows = rows
        return self._sheet

    def _follow(self, ledger: Reader, seq: int) -> bool:
        """Follows the chain to that row; false if it does not continue what was read before."""
        engine: Final = self._engine
        while engine.seq < seq:
            page = ledger.rows(SITE, engine.seq, min(PAGE_ROWS, seq - engine.seq))
            for row in page:
                if chained(self._hash, row) != row.hash:
                    return False
                replay(engine, row)
                self._hash = row.hash
            if not page:
                return False
        return engine.seq == seq
