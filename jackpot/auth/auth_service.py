"""Authentication service: sign-in and sign-out, sessions, tokens, second signatures on the same screen.

Pages, the API and the admin socket ask here who somebody is, and have people's acts decided through here.
What a person may do is not decided here: each act names the roles that may ask it, and the rules check them.
"""

import secrets
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import msgspec

from jackpot.auth.device_cookie import known_device, signed_cookie
from jackpot.auth.directory import Directory, DirectorySnapshot
from jackpot.auth.login_rate_limiter import KNOWN, OF_ONE, LoginRateLimiter, knows
from jackpot.auth.password_hashing import PasswordHashing, totp_step
from jackpot.clock import Clock
from jackpot.config import People
from jackpot.config.phrases import either, sentence_of, unnamed
from jackpot.ledger import keyring
from jackpot.ledger.keyring import Secret, digest_of
from jackpot.ledger.store import DataRefused, Statement
from jackpot.reports.read.reader import LedgerReader
from jackpot.rules import names
from jackpot.rules.acts.people import SetSecret
from jackpot.rules.acts.requests import Confirm, waiting_request
from jackpot.rules.acts.rounds import AgreeToReopen, Reopen, asked_by
from jackpot.rules.acts.sessions import LockOut, SignIn, SignOut
from jackpot.rules.codes import Code
from jackpot.rules.commands import ActCommand
from jackpot.rules.engine import Engine
from jackpot.rules.outcome import ActAnswer
from jackpot.rules.signing import ROLES, SITE, Means, Proof, Role, Signed
from jackpot.rules.state import BankState
from jackpot.runtime.errors import Denied
from jackpot.text import RefusalSentence, Sentence, joined

# A session that nobody uses ends: a screen that was left alone is signed out within a break.
SESSION_IDLE_MS: Final = 30 * 60 * 1_000
# Any session ends after a long shift.
SESSION_MAX_MS: Final = 12 * 60 * 60 * 1_000
# How often a session in use is written down: often enough for the idle time, seldom for the disk.
SEEN_EVERY_MS: Final = 60 * 1_000
# A secret is long enough not to be guessed in ten tries a quarter of an hour, and no longer than a line.
SECRET_MIN: Final = 10
SECRET_MAX: Final = 256
TOKEN_BYTES: Final = 32
# How often an act is tried on the newest people, where they change meanwhile.
TRIES: Final = 3

NOBODY_YET: Final = "nobody is known yet: jackpot users init makes the first two people, while no server runs"
SIGN_IN: Final = RefusalSentence(
    "the site has people, and a name proves nothing: sign in, or use a token", field="by"
)
NOT_RIGHT: Final = "sign-in name, password or code is not right"
DIGITS_ALREADY: Final = "you sign in with a two-factor code already: stop it first"
NO_DIGITS: Final = "you sign in without a two-factor code already"
WRONG_DIGITS: Final = RefusalSentence(
    "this key has other digits now: type the newest ones, and look at the phone's clock", field="totp"
)
SHUT: Final = "signing in failed too often from here: try again in a quarter of an hour"
ASKER_IS_GONE: Final = RefusalSentence(
    "the token by which this was asked for has ended: ask for it again", field="by"
)
SESSION_OVER: Final = "the session has ended: sign in again"

T = TypeVar("T")


class AuthenticatedPerson(msgspec.Struct, frozen=True):
    """One person of the site, as they signed in.

    login: what they sign in with. name: what others read. roles: with which they act now; with a token
    perhaps fewer than they have. means: a person who signs with their own secret may confirm what another
    asked. token: the number of the one that they came in with.
    """

    id: int
    login: str
    name: str
    roles: tuple[Role, ...]
    means: Means
    token: int = 0


class Credentials(NamedTuple):
    """Credentials as typed. totp: two-factor code. place: as in a LoginRateLimiter."""

    secret: str
    totp: str = ""
    place: str = ""


class NewSession(msgspec.Struct, frozen=True):
    """A new session. token: for the browser's cookie; the ledger keeps only its digest."""

    token: str
    person: AuthenticatedPerson


class ActingBank(Protocol):
    """A bank that decides acts: a server's, or one that a command has taken."""

    name: str

    async def person(
        self, command: ActCommand, people: tuple[str, ...], digest: bytes = b"", proof: Proof = ...
    ) -> ActAnswer: ...

    async def ask(self, question: Callable[[Engine], T]) -> T: ...


class SecretStore(Protocol):
    """Changes the tables next to the journal; a Store."""

    async def change(self, *statements: Statement) -> list[tuple[Any, ...]]: ...


class AuthService:
    """Authenticates people.

    Every call may raise Denied, LedgerError, and BankStopped if another server has the people's bank. site:
    the bank of the people. store: that bank's. books: the ledger, for reading; nobody else uses it. terms:
    whether it takes a name for somebody while the site has no people.
    """

    def __init__(
        self, site: ActingBank, store: SecretStore, books: LedgerReader, clock: Clock, terms: People
    ) -> None:
        self._required = terms.required
        self._begun = False
        self.site = site
        self.store = store
        self.directory = Directory(books)
        self.hashing = PasswordHashing()
        self.rate_limiter = LoginRateLimiter(clock)
        # Apart from passwords: a stranger who guesses codes locks nobody's password, and the other way round.
        # A code has 80 bits, so guesses from everywhere need no limit for the login as a whole.
        self.codes = LoginRateLimiter(clock, of_login=None)
        self.clock = clock
        self.books = books

    def close(self) -> None:
        """Ends its use; waits for nobody."""
        self.hashing.close()

    async def place(self, login: str, address: str, cookie: str) -> str:
        """The place of a sign-in, as in a LoginRateLimiter. cookie: of their browser, "" for none."""
        hash_ = await self._hash_of(login) if cookie else None
        if hash_ is None:
            return address
        device = known_device(cookie, names.normal_form(login), hash_, self.clock.unix_ms())
        return address if device is None else f"{KNOWN}device {device}"

    async def device_cookie(self, login: str, cookie: str) -> str:
        """The device cookie for a browser in which that person has signed in. cookie: its own until now."""
        hash_ = await self._hash_of(login)
        if hash_ is None:
            return cookie
        return signed_cookie(cookie, names.normal_form(login), hash_, self.clock.unix_ms())

    async def _hash_of(self, login: str) -> str | None:
        """The hash of a person's password; None if there is no such person."""
        person = (await self.directory.look()).of_login(names.normal_form(login))
        if person is None or not person.secret:
            return None
        kept = await self.books.read(lambda ledger: keyring.secret(ledger, person.secret))
        return None if kept is None else kept.hash

    async def sign_in(self, login: str, secret: str, totp: str = "", place: str = "") -> NewSession:
        """Begins a session.

        totp: the two-factor code, for people who have set that up. place: as in a LoginRateLimiter.
        """
        return await self.begin(await self.authenticate(login, secret, totp, place))

    async def choose(self, login: str, code: str, secret: str, place: str = "") -> NewSession:
        """The first sign-in: a person with a one-time code from an admin chooses their own secret.

        Spaces in the code, and its case, do not count: people type what somebody wrote down.
        """
        sheet, plain = await self._sheet(), names.normal_form(login)
        _check(self.codes, plain, place)
        person = sheet.of_login(plain)
        good = (
            person is not None
            and person.code == digest_of(_as_given(code))
            and self.clock.unix_ms() < person.code_until
        )
        if person is None or not good:
            self.codes.failed(plain, place)
            raise Denied(
                Code.WRONG_SECRET, "the code is wrong, or it has ended: ask an admin for another one"
            )
        signed = Signed(person.id, tuple(person.roles), "code")
        await self._keep(signed, sheet.called(person).login, secret)
        return await self.begin(_person(await self._sheet(), person.id, "secret", ROLES))

    async def change(
        self, person: AuthenticatedPerson, own: Credentials, new: str, digest: bytes = b""
    ) -> None:
        """Changes the person's secret; the two-factor key stays. Their sessions end. digest: as in `act`."""
        # Before the two-factor code is used up.
        if (wrong := secret_fault(new, person.login, "new")) is not None:
            raise Denied(Code.BAD_REQUEST, wrong)
        again = await self.authenticate(person.login, *own)
        signed = _signed(await self._sheet(), again.id, "secret", ROLES)
        await self._keep(signed, again.login, new, await self.directory.totp_key(again.id), digest)

    async def set_digits(
        self, person: AuthenticatedPerson, own: Credentials, key: bytes, digits: str, digest: bytes = b""
    ) -> None:
        """Sets the two-factor key that sign-in needs from now on; an empty key ends that.

        digits: a code of the new key, which shows that the key has arrived. Their sessions end. digest: as in
        `act`.
        """
        if bool(key) == bool(await self.directory.totp_key(person.id)):
            raise Denied(Code.UNCHANGED, DIGITS_ALREADY if key else NO_DIGITS)
        again = await self.authenticate(person.login, *own)
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
        """Keeps the secret that a person has chosen, and ends what was begun with another one."""
        if (wrong := secret_fault(secret, login)) is not None:
            raise Denied(Code.BAD_REQUEST, wrong)
        kept = Secret(signed.id, await self.hashing.hash(secret), key)
        await self.store.change(kept.kept())  # the journal says which secret counts, so this goes first
        answer = await self.site.person(SetSecret(kept.digest), (), digest, Proof((signed,)))
        if not answer.ok:
            await self.store.change(keyring.drop_secret(kept.digest))
            raise denied(answer)
        await self.store.change(
            ("DELETE FROM secret WHERE person = ?1 AND digest <> ?2", (signed.id, kept.digest)),
            ("DELETE FROM session WHERE person = ?1", (signed.id,)),
        )

    async def who(self, token: str, *, used: bool = True) -> AuthenticatedPerson:
        """The person of a session. An idle session ends by itself. used: a person is there who uses it."""
        digest, now = digest_of(token), self.clock.unix_ms()
        sheet, seen = await self.directory.look_with(lambda ledger: keyring.session_seen(ledger, digest))
        check_known(sheet.state, required=True)
        begun = sheet.state.sessions.get(digest)
        if begun is None or seen is None:
            raise Denied(Code.NO_PERSON, SESSION_OVER)
        if now - seen >= SESSION_IDLE_MS or now - begun.at >= SESSION_MAX_MS:
            await self.store.change(keyring.end_session(digest))
            raise Denied(Code.NO_PERSON, SESSION_OVER)
        if used and now - seen >= SEEN_EVERY_MS:
            await self.store.change(("UPDATE session SET seen = ?2 WHERE token = ?1", (digest, now)))
        return _person(sheet, begun.person, "secret", ROLES)

    async def bearer(self, token: str) -> AuthenticatedPerson:
        """The person of an API token."""
        sheet, digest = await self._sheet(), digest_of(token)
        kept = next((one for one in sheet.state.tokens if one.digest == digest), None)
        if kept is None or self.clock.unix_ms() >= kept.until:
            raise Denied(Code.NO_PERSON, "the token is not valid, or has ended")
        return _person(sheet, kept.person, "token", tuple(kept.roles), kept.id)

    async def of_login(self, login: str) -> AuthenticatedPerson | None:
        """The person with that login name on this machine; None while the site has no people."""
        sheet = await self.directory.look()
        if not sheet.state.people:
            return None
        person = sheet.of_login(names.normal_form(login))
        if person is None:
            raise Denied(
                Code.NO_PERSON,
                RefusalSentence(
                    "nobody of the site has the login {login}, which is yours on this machine: sign in at "
                    "/ops, or have an admin add a person with that login",
                    field="by",
                    login=repr(login),
                ),
            )
        return _person(sheet, person.id, "login", ROLES)

    async def sign_out(self, token: str) -> None:
        """Ends a session; one that has ended already is no mistake."""
        digest = digest_of(token)
        await self.store.change(keyring.end_session(digest))
        await self.site.person(SignOut(digest), ())

    async def second(
        self, first: AuthenticatedPerson, login: str, secret: str, totp: str = "", place: str = ""
    ) -> AuthenticatedPerson:
        """Authenticates a second person who signs on the first one's screen; no session begins."""
        person = await self.authenticate(login, secret, totp, place)
        if person.id == first.id:
            raise Denied(Code.TWO_PEOPLE, "a second person signs: this is the first one")
        return person

    async def is_nobodys(self) -> bool:
        """Whether the site has no people.

        It is not read again once it has some: the first one always stays.
        """
        if not self._begun:
            self._begun = bool((await self.directory.look()).state.people)
        return not self._begun

    async def believe(self, by: Sequence[AuthenticatedPerson | str]) -> DirectorySnapshot:
        """The people as of now, if they may sign an act at all; each must be authenticated.

        A name alone is believed only if the site has no people, and its configuration says so.
        """
        sheet = await self.directory.look()
        check_known(sheet.state, required=self._required)
        named = [one for one in by if isinstance(one, str)]
        if named and (sheet.state.people or len(named) < len(by)):
            raise Denied(Code.NO_PERSON, SIGN_IN)
        return sheet

    def allow(self, by: Sequence[AuthenticatedPerson | str], power: Sequence[Role], what: str) -> None:
        """Refuses people who lack the role for an act of this server itself. what: in the words of people.

        power: one of these roles is enough; none is needed for what is their own.
        """
        for one in by:
            if isinstance(one, AuthenticatedPerson) and power and not set(power) & set(one.roles):
                own = joined([Sentence(role) for role in one.roles]) if one.roles else Sentence("no role")
                said = {"power": either(power), "what": Sentence(what), "who": one.login, "own": own}
                message = RefusalSentence("only {power} may {what}; {who} has {own}", field="by", **said)
                raise Denied(Code.NOT_ALLOWED, message)

    async def proof_of(self, people: Sequence[AuthenticatedPerson]) -> Proof:
        """Proof to another bank that these people sign, as the site has them now. Raises Denied."""
        sheet = await self._sheet()
        return sheet.proof(*(_signed(sheet, one.id, one.means, one.roles, one.token) for one in people))

    async def act(
        self,
        bank: ActingBank,
        command: ActCommand,
        by: Sequence[AuthenticatedPerson | str],
        digest: bytes = b"",
        seen: bytes = b"",
        sheet: DirectorySnapshot | None = None,
    ) -> ActAnswer:
        """Has a bank decide an act; answers once it is durable. digest: the act is done once for each.

        by: the signers, one or two; a plain name if the site has no person yet. One alone who asks for what
        takes two is answered with `asked`, and another confirms it. seen: as in `Proof`. sheet: as `believe`
        has just found the people. Where they change before the bank decides, the act is tried again.
        """
        called = tuple(one for one in by if isinstance(one, str))
        tried = 0
        while True:
            tried += 1
            sheet = sheet or await self.believe(by)
            signed = [
                _signed(sheet, one.id, one.means, one.roles, one.token)
                for one in by
                if not isinstance(one, str)
            ]
            decided = command
            # Else who asked signs here as well, on their own screen.
            if len(signed) == 1 and isinstance(command, Confirm | Reopen):
                asker = await bank.ask(lambda engine: _asker(engine, command))
                if asker is not None and isinstance(command, Confirm):
                    signed.insert(0, self._still(sheet, asker))
                elif asker is not None and isinstance(command, Reopen) and asker.id != signed[0].id:
                    signed.insert(0, self._still(sheet, asker))
                    decided = AgreeToReopen(command.table, command.round, command.reason)
            of_site = bank.name == SITE
            proof = Proof(tuple(signed), seen=seen) if of_site else sheet.proof(*signed, seen=seen)
            answer = await bank.person(decided, called, digest, proof)
            if answer.code != Code.STALE or tried == TRIES:
                return answer
            sheet = None

    def _still(self, sheet: DirectorySnapshot, asker: Signed) -> Signed:
        """The signers of the request that this act answers, as they stand now."""
        if asker.token and self.clock.unix_ms() >= asker.until:
            raise Denied(Code.EXPIRED, ASKER_IS_GONE)
        return _signed(sheet, asker.id, asker.means, asker.roles, asker.token)

    async def _sheet(self) -> DirectorySnapshot:
        sheet = await self.directory.look()
        check_known(sheet.state, required=True)
        return sheet

    async def authenticate(
        self, login: str, secret: str, totp: str = "", place: str = ""
    ) -> AuthenticatedPerson:
        """Authenticates a person; the refusal does not say what is wrong. No session begins.

        place: as in a LoginRateLimiter. A login that nobody has gets the same answers, as late.
        """
        sheet, now, plain = await self._sheet(), self.clock.unix_ms(), names.normal_form(login)
        _check(self.rate_limiter, plain, place)
        person = sheet.of_login(plain)
        number, digest = (person.id, person.secret) if person is not None and person.secret else (0, b"")
        kept = await self.books.read(lambda ledger: keyring.secret(ledger, digest))
        used = await self.books.read(lambda ledger: keyring.used_step(ledger, number))
        hash_ = kept.hash if kept else None
        fits = await self.hashing.fits(hash_, secret[:SECRET_MAX], place, known=knows(place))
        _check(self.rate_limiter, plain, place)  # again: others may have failed there meanwhile
        step: int | None = 0
        if kept is not None and kept.totp:
            step = totp_step(kept.totp, totp, now, used)
        if not fits or step is None or not await self._uses(number, step):
            await self._failed(number, plain, place)
            raise Denied(Code.WRONG_SECRET, NOT_RIGHT)
        self.rate_limiter.record_success(plain, place)
        return _person(sheet, number, "secret", ROLES)

    async def _uses(self, number: int, step: int) -> bool:
        """Marks a two-factor code as used; false if it was used since it was checked. step: 0 for none."""
        if step:
            try:
                await self.store.change(*_used(number, step))
            except DataRefused:
                return False
        return True

    async def _failed(self, number: int, login: str, place: str) -> None:
        """Counts a failure. The last one that is allowed is journalled, if the site has that person."""
        failures = self.rate_limiter.failed(login, place)
        if number and failures == OF_ONE and self.rate_limiter.to_tell(number):
            await self.site.person(LockOut(number, failures), ())

    async def begin(self, person: AuthenticatedPerson) -> NewSession:
        """Begins a session of an authenticated person, once the journal says that they signed in."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        digest = digest_of(token)
        answer = await self.site.person(SignIn(person.id, digest), ())
        if not answer.ok:
            raise denied(answer)
        row = (digest, person.id, self.clock.unix_ms())
        await self.store.change(("INSERT INTO session VALUES (?1, ?2, ?3)", row))
        return NewSession(token, person)


def denied(answer: ActAnswer) -> Denied:
    """What the rules refuse, as people are told it."""
    return Denied(Code(answer.code), sentence_of(answer.template, answer.values))


def check_known(state: BankState, *, required: bool) -> None:
    """Refuses every act and sign-in while the site has no people. state: of the people's bank.

    Only making the first of them bypasses this. Raises Denied.
    """
    if required and not state.people:
        raise Denied(Code.NO_PEOPLE, NOBODY_YET)


def secret_fault(secret: str, login: str, field: str = "secret") -> RefusalSentence | None:
    """Why that secret may not be chosen; None if it may. field: that the secret came in."""
    if not SECRET_MIN <= len(secret) <= SECRET_MAX:
        plain = "{least} to {most} characters"
        return RefusalSentence(plain, field=field, least=SECRET_MIN, most=SECRET_MAX)
    return RefusalSentence("it is the login", field=field) if login == names.normal_form(secret) else None


def _asker(engine: Engine, command: Confirm | Reopen) -> Signed | None:
    """The signer of the request that this act answers; None if no request waits."""
    if isinstance(command, Reopen):
        return asked_by(engine.state, command.table)
    request = waiting_request(engine.state, command.request)
    return None if request is None else request.people.signed[0]


def _used(number: int, step: int) -> tuple[Statement, Statement]:
    """Marks a two-factor code's step as used; neither it nor an earlier one is accepted again.

    The ledger refuses them if they were used meanwhile: a person has one row there.
    """
    return (
        ("DELETE FROM attempt WHERE person = ?1 AND totp_step < ?2", (number, step)),
        ("INSERT INTO attempt VALUES (?1, ?2)", (number, step)),
    )


def _check(rate_limiter: LoginRateLimiter, login: str, place: str) -> None:
    if rate_limiter.is_locked(login, place):
        raise Denied(Code.LOCKED, SHUT)


def _signed(
    sheet: DirectorySnapshot, number: int, means: Means, roles: tuple[Role, ...], token: int = 0
) -> Signed:
    signed = sheet.signed(number, means, roles, token)
    if signed is None:
        plain = "{person} has left, or their token has ended" if token else "{person} has left"
        raise Denied(Code.NO_PERSON, Sentence(plain, person=unnamed(number)))
    return signed


def _as_given(code: str) -> str:
    """A one-time code as it was given, however somebody typed it."""
    return "".join(code.split()).lower()


def _person(
    sheet: DirectorySnapshot, number: int, means: Means, roles: tuple[Role, ...], token: int = 0
) -> AuthenticatedPerson:
    signed = _signed(sheet, number, means, roles, token)
    called = sheet.called(sheet.state.people[number - 1])
    return AuthenticatedPerson(number, called.login, called.name, signed.roles, means, token)
