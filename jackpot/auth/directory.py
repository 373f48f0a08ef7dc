"""Who are the people of the site now? Its chain, followed in the ledger, whichever server writes it.

It is read for each act, so that nobody acts with a power that they have lost. What cannot be read bears
nobody out: then no person acts, and tables play on.
"""

import re
from typing import Final

import msgspec

from jackpot.ledger import keyring
from jackpot.ledger.journal import Head, chained, genesis
from jackpot.ledger.keyring import Named
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import PAGE_ROWS, read_to, replay
from jackpot.ledger.store import LedgerCorrupt
from jackpot.reports.read.people import nameless
from jackpot.reports.read.reader import Books
from jackpot.rules.engine import Engine
from jackpot.rules.signing import SITE, Means, Proof, Role, Signed
from jackpot.rules.state import Person, State

# How a text of the rules names somebody.
_NUMBERED: Final = re.compile(r"\bperson (\d{1,9})\b")


class Sheet(msgspec.Struct, frozen=True):
    """The people as of one entry of the bank `site`. named: by mark, those whose names are not erased.

    changed: the marks of rows whose name is another one than the journal has the mark of.
    """

    state: State
    hash: bytes
    named: dict[bytes, Named]
    changed: frozenset[bytes] = frozenset()

    def person(self, number: int) -> Person | None:
        """The person of that number, while they are here."""
        people = self.state.people
        found = people[number - 1] if 1 <= number <= len(people) else None
        return None if found is None or found.ended else found

    def of_login(self, login: str) -> Person | None:
        """Who signs in with that, while they are here."""
        marks = {one.mark for one in self.named.values() if one.login == login}
        return next((one for one in self.state.people if one.mark in marks and not one.ended), None)

    def left(self, login: str) -> Person | None:
        """Who had that login, and has left."""
        marks = {one.mark for one in self.named.values() if one.login == login}
        return next((one for one in self.state.people if one.mark in marks and one.ended), None)

    def called(self, person: Person) -> Named:
        """What a person is called; by their number where the name is erased, missing, or not theirs."""
        known = None if person.erased else self.named.get(person.mark)
        called = nameless(person.id, erased=person.erased, changed=person.mark in self.changed)
        return known or Named(person.mark, f"person {person.id}", called, b"")

    def secrets(self) -> set[bytes]:
        """The digests of the secrets by which people come in."""
        return {one.secret for one in self.state.people if one.secret}

    def in_names(self, text: str) -> str:
        """A text of the rules, which know people by their numbers alone, as people read it."""
        people = self.state.people

        def name(found: re.Match[str]) -> str:
            number = int(found[1])
            return self.called(people[number - 1]).name if 1 <= number <= len(people) else found[0]

        return _NUMBERED.sub(name, text)

    def signed(self, number: int, means: Means, roles: tuple[Role, ...], token: int = 0) -> Signed | None:
        """How a person signs now, with those of these roles that they have; None once they are not here.

        token: the number of the one that they sign with; None once it was ended, too.
        """
        person, held = self.person(number), next((one for one in self.state.tokens if one.id == token), None)
        if person is None or (token and held is None):
            return None
        now = tuple(role for role in person.roles if role in roles)
        until = 0 if held is None else held.until
        return Signed(number, now, means, person.given_by, person.vouched, token, until, person.lost)

    def proof(self, *signed: Signed) -> Proof:
        """What proves to another bank who these people are."""
        return Proof(signed, self.state.seq, self.hash)


def people_of(ledger: Reader) -> State:
    """The bank of the site's people as a ledger has it. Raises LedgerCorrupt where it has none."""
    return read_to(ledger, SITE, _head(ledger)).state


def _head(ledger: Reader) -> Head:
    head = ledger.head(SITE)
    if not head.seq:
        raise LedgerCorrupt(f"bank {SITE} is not in the ledger: jackpot bank open {SITE} opens it")
    return head


class Roster:
    """Follows the site's people. Every look raises LedgerError where they cannot be read."""

    def __init__(self, books: Books) -> None:
        self._books = books
        self._engine = Engine(SITE)
        self._hash = genesis(SITE)
        self._sheet = Sheet(self._engine.state, self._hash, {})

    async def look(self) -> Sheet:
        """The people as the ledger has them now."""
        return await self._books.read(self._look)

    async def totp_key(self, person: int) -> bytes:
        """The key of a person's six digits; empty where they sign in without."""
        found = (await self.look()).person(person)
        digest = b"" if found is None else found.secret
        kept = await self._books.read(lambda ledger: keyring.secret(ledger, digest))
        return b"" if kept is None else kept.totp

    def _look(self, ledger: Reader) -> Sheet:
        """In the books' own thread. What was given out before is not touched."""
        head, rows = _head(ledger), keyring.names(ledger)
        named = {row.mark: row for row in rows if row.is_marked()}
        changed = frozenset(row.mark for row in rows if row.mark not in named)
        if not self._follow(ledger, head.seq) or self._hash != head.hash:
            self._engine, self._hash = read_to(ledger, SITE, head), head.hash
        if self._sheet.hash != self._hash:
            state = Engine.from_snapshot(self._engine.snapshot()).state
            self._sheet = Sheet(state, self._hash, named, changed)
        elif (self._sheet.named, self._sheet.changed) != (named, changed):
            self._sheet = msgspec.structs.replace(self._sheet, named=named, changed=changed)
        return self._sheet

    def _follow(self, ledger: Reader, seq: int) -> bool:
        """Goes on to that row; false where what comes does not follow from what was read before."""
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
