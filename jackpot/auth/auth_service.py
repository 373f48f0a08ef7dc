"""Who comes in, and as whom? Signing in and out, tokens, and the second person on the first one's screen.

Pages, the API and the admin socket ask here who somebody is, and have people's acts decided through here.
What a person may do is not decided here: each act names the roles that may ask it, which the rules look at.
"""

import secrets
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import msgspec

from jackpot.auth.device_cookie import known_device, signed_cookie
from jackpot.auth.directory import Roster, Sheet
from jackpot.auth.login_rate_limiter import KNOWN, OF_ONE, Gate, knows
from jackpot.auth.password_hashing import Hashing, totp_step
from jackpot.clock import Clock
from jackpot.config import People
from jackpot.ledger import keyring
from jackpot.ledger.keyring import Secret, digest_of
from jackpot.ledger.store import DataRefused, Statement
from jackpot.reports.read.reader import Books
from jackpot.rules import names
from jackpot.rules.acts.people import SetSecret
from jackpot.rules.acts.requests import Confirm, waits
from jackpot.rules.acts.rounds import AgreeToReopen, Reopen, asked_by
from jackpot.rules.acts.sessions import LockOut, SignIn, SignOut
from jackpot.rules.codes import Code
from jackpot.rules.commands import ActCommand
from jackpot.rules.engine import Engine
from jackpot.rules.outcome import ActAnswer
from jackpot.rules.signing import ROLES, SITE, Means, Proof, Role, Signed
from jackpot.rules.state import State
from jackpot.runtime.errors import Denied

# A session that nobody uses ends: a screen that was left alone is signed out within a break.
SESSION_IDLE_MS: Final = 30 * 60 * 1_000
# Any session ends after a long shift.
SESSION_MOST_MS: Final = 12 * 60 * 60 * 1_000
# How often a session in use is written down: often enough for the idle time, seldom for the disk.
SEEN_EVERY_MS: Final = 60 * 1_000
# A secret is long enough not to be guessed in ten tries a quarter of an hour, and no longer than a line.
SECRET_LEAST: Final = 10
SECRET_MOST: Final = 256
TOKEN_BYTES: Final = 32
# How often an act is tried on the newest people, where they change meanwhile.
TRIES: Final = 3

NOBODY_YET: Final = "nobody is known yet: jackpot users init makes the first two people, while no server runs"
SIGN_IN: Final = "by: the site has people, and a name proves nothing: sign in, or use a token"
NOT_RIGHT: Final = "login, password or code is not right"
DIGITS_ALREADY: Final = "you sign in with six digits already: stop them first"
NO_DIGITS: Final = "you sign in without six digits already"
WRONG_DIGITS: Final = (
    "totp: this key has other digits now: type the newest ones, and look at the phone's clock"
)
SHUT: Final = "signing in failed too often from here: try again in a quarter of an hour"
ASKER_IS_GONE: Final = "by: the token by which this was asked for has ended: ask for it again"
SESSION_OVER: Final = "the session has ended: sign in again"

T = TypeVar("T")


class Person(msgspec.Struct, frozen=True):
    """One person of the site, as they came in. login: what they sign in with. name: what others read.

    roles: with which they act now; with a token perhaps fewer than they have. means: a person who signs with
    their own secret may confirm what another asked. token: the number of the one that they came in with.
    """

    id: int
    login: str
    name: str
    roles: tuple[Role, ...]
    means: Means
    token: int = 0


class Typed(NamedTuple):
    """What somebody typed to show who they are. totp: six digits. place: as in a Gate."""

    secret: str
    totp: str = ""
    place: str = ""


class SignedIn(msgspec.Struct, frozen=True):
    """token: of the session, for the browser's cookie; the ledger keeps only its digest."""

    token: str
    person: Person


class Bank(Protocol):
    """Where an act is decided: a bank of a server, or one that a command has taken."""

    bank: str

    async def person(
        self, command: ActCommand, people: tuple[str, ...], digest: bytes = b"", proof: Proof = ...
    ) -> ActAnswer: ...

    async def ask(self, question: Callable[[Engine], T]) -> T: ...


class Keeper(Protocol):
    """What changes the tables next to the journal: a Store."""

    async def change(self, *statements: Statement) -> list[tuple[Any, ...]]: ...


class Entrance:
    """Lets people in. Every call may raise Denied, LedgerError, and BankStopped where another has the people.

    site: the bank of the people. store: that bank's. books: for reading; nobody else uses them.
    terms: whether it takes a name for somebody while the site has no people.
    """

    def __init__(self, site: Bank, store: Keeper, books: Books, clock: Clock, terms: People) -> None:
        self._required = terms.required
        self._begun = False
        self.site = site
        self.store = store
        self.roster = Roster(books)
        self.hashing = Hashing()
        self.gate = Gate(clock)
        # Apart from passwords: a stranger who guesses codes locks nobody's password, and the other way round.
        # A code has 80 bits, so guesses from everywhere need no limit for the login as a whole.
        self.codes = Gate(clock, of_login=None)
        self.clock = clock
        self.books = books

    def close(self) -> None:
        """Ends its use; nobody is waited for."""
        self.hashing.close()

    async def place(self, login: str, address: str, cookie: str) -> str:
        """Where somebody tries to sign in, as in a Gate. cookie: of their browser, "" for none."""
        hash_ = await self._hash_of(login) if cookie else None
        if hash_ is None:
            return address
        device = known_device(cookie, names.plain(login), hash_, self.clock.unix_ms())
        return address if device is None else f"{KNOWN}device {device}"

    async def device_cookie(self, login: str, cookie: str) -> str:
        """By what a browser is known once somebody came in with it. cookie: its own until now."""
        hash_ = await self._hash_of(login)
        if hash_ is None:
            return cookie
        return signed_cookie(cookie, names.plain(login), hash_, self.clock.unix_ms())

    async def _hash_of(self, login: str) -> str | None:
        """The hash of a person's password; None for nobody's."""
        person = (await self.roster.look()).of_login(names.plain(login))
        if person is None or not person.secret:
            return None
        kept = await self.books.read(lambda ledger: keyring.secret(ledger, person.secret))
        return None if kept is None else kept.hash

    async def sign_in(self, login: str, secret: str, totp: str = "", place: str = "") -> SignedIn:
        """Begins a session. totp: the six digits, for people who have set that up. place: as in a Gate."""
        return await self.begin(await self.prove(login, secret, totp, place))

    async def choose(self, login: str, code: str, secret: str, place: str = "") -> SignedIn:
        """The first sign-in: with the one-time code from an admin a person chooses their own secret."""
        sheet, plain = await self._sheet(), names.plain(login)
        _check(self.codes, plain, place)
        person = sheet.of_login(plain)
        good = (
            person is not None and person.code == digest_of(code) and self.clock.unix_ms() < person.code_until
        )
        if person is None or not good:
            self.codes.failed(plain, place)
            raise Denied(
                Code.WRONG_SECRET, "the code is wrong, or it has ended: ask an admin for another one"
            )
        signed = Signed(person.id, tuple(person.roles), "code")
        await self._keep(signed, sheet.called(person).login, secret)
        return await self.begin(_person(await self._sheet(), person.id, "secret", ROLES))

    async def change(self, person: Person, own: Typed, new: str, digest: bytes = b"") -> None:
        """Another secret; six digits stay as they are. Their sessions have ended. digest: as in `act`."""
        if (wrong := secret_fault(new, person.login)) is not None:  # before the six digits are used up
            raise Denied(Code.BAD_REQUEST, f"new: {wrong}")
        again = await self.prove(person.login, *own)
        signed = _signed(await self._sheet(), again.id, "secret", ROLES)
        await self._keep(signed, again.login, new, await self.roster.totp_key(again.id), digest)

    async def set_digits(
        self, person: Person, own: Typed, key: bytes, digits: str, digest: bytes = b""
    ) -> None:
        """From now on six digits of this key are needed to sign in; none by an empty one.

        digits: of the new key, which show that it has arrived. Their sessions have ended.
        digest: as in `act`.
        """
        if bool(key) == bool(await self.roster.totp_key(person.id)):
            raise Denied(Code.UNCHANGED, DIGITS_ALREADY if key else NO_DIGITS)
        again = await self.prove(person.login, *own)
        step = totp_step(key, digits, self.clock.unix_ms(), 0) if key else 0
        if step is None:
            raise Denied(Code.WRONG_SECRET, WRONG_DIGITS)
        signed = _signed(await self._sheet(), again.id, "secret", ROLES)
        await self._keep(signed, again.login, own.secret, key, digest)
        if step:  # of another key than what was used before, so no step of that one stands in its way
            await self.store.change(
                ("DELETE FROM attempt WHERE person = ?1", (again.id,)), *_used(again.id, step)
            )

    async def _keep(
        self, signed: Signed, login: str, secret: str, key: bytes = b"", digest: bytes = b""
    ) -> None:
        """A person has chosen their secret: what was begun with another one has ended."""
        if (wrong := secret_fault(secret, login)) is not None:
            raise Denied(Code.BAD_REQUEST, f"secret: {wrong}")
        kept = Secret(signed.id, await self.hashing.hash(secret), key)
        await self.store.change(kept.kept())  # the journal says which secret counts, so this goes first
        answer = await self.site.person(SetSecret(kept.digest), (), digest, Proof((signed,)))
        if not answer.ok:
            await self.store.change(keyring.drop_secret(kept.digest))
            raise Denied(Code(answer.code), answer.message)
        await self.store.change(
            ("DELETE FROM secret WHERE person = ?1 AND digest <> ?2", (signed.id, kept.digest)),
            ("DELETE FROM session WHERE person = ?1", (signed.id,)),
        )

    async def who(self, token: str, *, used: bool = True) -> Person:
        """Whose session it is. An idle session ends by itself. used: somebody is there who uses it."""
        sheet, digest, now = await self._sheet(), digest_of(token), self.clock.unix_ms()
        begun = sheet.state.sessions.get(digest)
        seen = await self.books.read(lambda ledger: keyring.session_seen(ledger, digest))
        if begun is None or seen is None:
            raise Denied(Code.NO_PERSON, SESSION_OVER)
        if now - seen >= SESSION_IDLE_MS or now - begun.at >= SESSION_MOST_MS:
            await self.store.change(keyring.end_session(digest))
            raise Denied(Code.NO_PERSON, SESSION_OVER)
        if used and now - seen >= SEEN_EVERY_MS:
            await self.store.change(("UPDATE session SET seen = ?2 WHERE token = ?1", (digest, now)))
        return _person(sheet, begun.person, "secret", ROLES)

    async def bearer(self, token: str) -> Person:
        """Whose API token it is."""
        sheet, digest = await self._sheet(), digest_of(token)
        kept = next((one for one in sheet.state.tokens if one.digest == digest), None)
        if kept is None or self.clock.unix_ms() >= kept.until:
            raise Denied(Code.NO_PERSON, "the token is not valid, or has ended")
        return _person(sheet, kept.person, "token", tuple(kept.roles), kept.id)

    async def of_login(self, login: str) -> Person | None:
        """Who has that login name on this machine; None while the site has no person: then it is a name."""
        sheet = await self.roster.look()
        if not sheet.state.people:
            return None
        person = sheet.of_login(names.plain(login))
        if person is None:
            raise Denied(
                Code.NO_PERSON,
                f"by: nobody of the site has the login {login!r}, which is yours on this machine: sign in at "
                "/ops, or have an admin add a person with that login",
            )
        return _person(sheet, person.id, "login", ROLES)

    async def sign_out(self, token: str) -> None:
        """Ends a session; one that has ended already is no mistake."""
        digest = digest_of(token)
        await self.store.change(keyring.end_session(digest))
        await self.site.person(SignOut(digest), ())

    async def second(self, first: Person, login: str, secret: str, totp: str = "", place: str = "") -> Person:
        """Another person signs an act on the first one's screen; no session begins."""
        person = await self.prove(login, secret, totp, place)
        if person.id == first.id:
            raise Denied(Code.TWO_PEOPLE, "a second person signs: this is the first one")
        return person

    async def is_nobodys(self) -> bool:
        """Whether the site has no people. It is not read again once it has: there is always a first one."""
        if not self._begun:
            self._begun = bool((await self.roster.look()).state.people)
        return not self._begun

    async def believe(self, by: Sequence[Person | str]) -> Sheet:
        """The people as of now, where these may stand for an act at all: as nobody but themselves.

        A name alone is believed only where the site has no people, and its configuration says so.
        """
        sheet = await self.roster.look()
        check_known(sheet.state, required=self._required)
        named = [one for one in by if isinstance(one, str)]
        if named and (sheet.state.people or len(named) < len(by)):
            raise Denied(Code.NO_PERSON, SIGN_IN)
        return sheet

    def allow(self, by: Sequence[Person | str], power: Sequence[Role], what: str) -> None:
        """Refuses people who may not have this server itself do something. what: in the words of people.

        power: one of these roles does; none is needed for what is their own.
        """
        for one in by:
            if isinstance(one, Person) and power and not set(power) & set(one.roles):
                own = ", ".join(one.roles) or "no role"
                message = f"by: only {' or '.join(power)} may {what}; {one.login} has {own}"
                raise Denied(Code.NOT_ALLOWED, message)

    async def act(
        self,
        bank: Bank,
        command: ActCommand,
        by: Sequence[Person | str],
        digest: bytes = b"",
        seen: bytes = b"",
    ) -> ActAnswer:
        """Has a bank decide an act, answered once it is durable. digest: under which it is done once alone.

        by: who stands for it, one or two; a plain name where the site has no person yet. One alone who asks
        for what takes two is answered with `asked`, and another confirms it. seen: as in `Proof`.
        """
        for _ in range(TRIES - 1):
            answer = await self._act(bank, command, by, digest, seen)
            if answer.code != Code.STALE:
                return answer
        return await self._act(bank, command, by, digest, seen)

    async def _act(
        self, bank: Bank, command: ActCommand, by: Sequence[Person | str], digest: bytes, seen: bytes
    ) -> ActAnswer:
        called = tuple(one for one in by if isinstance(one, str))
        people = [one for one in by if not isinstance(one, str)]
        sheet = await self.believe(by)
        signed = [_signed(sheet, one.id, one.means, one.roles, one.token) for one in people]
        if len(signed) == 1:  # else who asked signs here as well, on their own screen
            asker = await bank.ask(lambda engine: _asker(engine, command))
            if asker is not None and isinstance(command, Confirm):
                signed.insert(0, self._still(sheet, asker))
            elif asker is not None and isinstance(command, Reopen) and asker.id != signed[0].id:
                signed.insert(0, self._still(sheet, asker))
                command = AgreeToReopen(command.table, command.round, command.reason)
        proof = Proof(tuple(signed)) if bank.bank == SITE else sheet.proof(*signed)
        return await bank.person(command, called, digest, msgspec.structs.replace(proof, seen=seen))

    def _still(self, sheet: Sheet, asker: Signed) -> Signed:
        """Who asked for what another answers, as they stand now."""
        if asker.token and self.clock.unix_ms() >= asker.until:
            raise Denied(Code.EXPIRED, ASKER_IS_GONE)
        return _signed(sheet, asker.id, asker.means, asker.roles, asker.token)

    async def _sheet(self) -> Sheet:
        sheet = await self.roster.look()
        check_known(sheet.state, required=True)
        return sheet

    async def prove(self, login: str, secret: str, totp: str = "", place: str = "") -> Person:
        """Who that is, if all of it is right; what is wrong is not said. No session begins.

        place: as in a Gate. A login that nobody has gets the same answers, as late.
        """
        sheet, now, plain = await self._sheet(), self.clock.unix_ms(), names.plain(login)
        _check(self.gate, plain, place)
        person = sheet.of_login(plain)
        number, digest = (person.id, person.secret) if person is not None and person.secret else (0, b"")
        kept = await self.books.read(lambda ledger: keyring.secret(ledger, digest))
        used = await self.books.read(lambda ledger: keyring.used_step(ledger, number))
        hash_ = kept.hash if kept else None
        fits = await self.hashing.fits(hash_, secret[:SECRET_MOST], place, known=knows(place))
        _check(self.gate, plain, place)  # again: others may have failed there meanwhile
        step: int | None = 0
        if kept is not None and kept.totp:
            step = totp_step(kept.totp, totp, now, used)
        if not fits or step is None or not await self._uses(number, step):
            await self._failed(number, plain, place)
            raise Denied(Code.WRONG_SECRET, NOT_RIGHT)
        self.gate.came(plain, place)
        return _person(sheet, number, "secret", ROLES)

    async def _uses(self, number: int, step: int) -> bool:
        """Uses six digits up; false where somebody did so since they were looked at. step: 0 for none."""
        if step:
            try:
                await self.store.change(*_used(number, step))
            except DataRefused:
                return False
        return True

    async def _failed(self, number: int, login: str, place: str) -> None:
        """Counts a failure. The last one that is allowed is journalled, if the site has that person."""
        failures = self.gate.failed(login, place)
        if number and failures == OF_ONE and self.gate.to_tell(number):
            await self.site.person(LockOut(number, failures), ())

    async def begin(self, person: Person) -> SignedIn:
        """A session of one who has proved who they are, once the journal says that they came in by it."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        digest = digest_of(token)
        answer = await self.site.person(SignIn(person.id, digest), ())
        if not answer.ok:
            raise Denied(Code(answer.code), answer.message)
        row = (digest, person.id, self.clock.unix_ms())
        await self.store.change(("INSERT INTO session VALUES (?1, ?2, ?3)", row))
        return SignedIn(token, person)


def check_known(state: State, *, required: bool) -> None:
    """Refuses whoever acts, or comes in, while the site has no people. state: of the people's bank.

    Only making the first of them does not come here. Raises Denied.
    """
    if required and not state.people:
        raise Denied(Code.NO_PEOPLE, NOBODY_YET)


def secret_fault(secret: str, login: str) -> str | None:
    """Why nobody may have that secret; None where they may."""
    if not SECRET_LEAST <= len(secret) <= SECRET_MOST:
        return f"{SECRET_LEAST} to {SECRET_MOST} characters"
    return "it is the login" if login == names.plain(secret) else None


def _asker(engine: Engine, command: ActCommand) -> Signed | None:
    """Who signed as they asked for what this answers; None where nobody waits."""
    if isinstance(command, Confirm):
        request = waits(engine.state, command.request)
        return None if request is None else request.people.signed[0]
    return asked_by(engine.state, command.table) if isinstance(command, Reopen) else None


def _used(number: int, step: int) -> tuple[Statement, Statement]:
    """Nobody comes in by the digits of that step, or of one before it, once more.

    The ledger refuses them where they were used meanwhile: a person has one row there.
    """
    return (
        ("DELETE FROM attempt WHERE person = ?1 AND totp_step < ?2", (number, step)),
        ("INSERT INTO attempt VALUES (?1, ?2)", (number, step)),
    )


def _check(gate: Gate, login: str, place: str) -> None:
    if gate.shut(login, place):
        raise Denied(Code.LOCKED, SHUT)


def _signed(sheet: Sheet, number: int, means: Means, roles: tuple[Role, ...], token: int = 0) -> Signed:
    signed = sheet.signed(number, means, roles, token)
    if signed is None:
        raise Denied(
            Code.NO_PERSON, f"person {number} has left{', or their token has ended' if token else ''}"
        )
    return signed


def _person(sheet: Sheet, number: int, means: Means, roles: tuple[Role, ...], token: int = 0) -> Person:
    signed = _signed(sheet, number, means, roles, token)
    called = sheet.called(sheet.state.people[number - 1])
    return Person(number, called.login, called.name, signed.roles, means, token)
