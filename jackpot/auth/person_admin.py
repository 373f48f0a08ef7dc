"""Administration of people: the first two admins, new people, one-time codes and API tokens."""

import secrets
from base64 import b64encode
from collections.abc import Sequence
from itertools import chain
from typing import Final, NamedTuple

from jackpot.auth.auth_service import TOKEN_BYTES, AuthenticatedPerson, AuthService, denied, secret_fault
from jackpot.config.phrases import sentence
from jackpot.ledger import keyring
from jackpot.ledger.keyring import Secret, StoredName, digest_of
from jackpot.ledger.reading import Reader
from jackpot.ledger.store import DataRefused
from jackpot.rules import names
from jackpot.rules.acts.people import AddPerson, FirstPeople, GiveCode, MakeToken, Newcomer, Recover
from jackpot.rules.codes import Code
from jackpot.rules.commands import ActCommand
from jackpot.rules.outcome import ActAnswer
from jackpot.rules.signing import SITE, Role
from jackpot.runtime.errors import Denied
from jackpot.text import RefusalSentence

# A code is read out or typed from a slip of paper; nobody guesses 80 bits.
CODE_BYTES: Final = 10
# A new person comes to work within some days; a code that lies about is good no longer.
CODE_HOLDS_MS: Final = 3 * 24 * 60 * 60 * 1_000


class NewPerson(NamedTuple):
    """A person who joins. secret: as they have just chosen it."""

    login: str
    name: str
    secret: str


class GivenCode(NamedTuple):
    """A one-time code, known to the admin alone. until: its end, unix milliseconds."""

    person: int
    code: str
    until: int


class PersonAdmin:
    """Has people join the site, through its auth service. Raises what that raises."""

    def __init__(self, auth: AuthService) -> None:
        self._auth = auth

    async def begin(self, first: Sequence[NewPerson], by: str) -> None:
        """Makes the first two people, while there is nobody. by: who does it on the server's machine."""
        if len({names.normal_form(one.login) for one in first}) < len(first):
            raise Denied(
                Code.TWICE, RefusalSentence("each of the first people has one of their own", field="login")
            )
        if (await self._auth.directory.look()).state.people:
            raise Denied(Code.NOT_EMPTY, "the site has people already: an admin adds others")
        newcomers = [await self._newcomer(one, number) for number, one in enumerate(first, 1)]
        stood = await self._auth.books.read(_bank_positions)
        await self._admit(FirstPeople(tuple(newcomers), stood), newcomers, by)

    async def recover(self, admin: NewPerson, by: str) -> int:
        """Makes another admin after all are lost; their number. by: as in `begin`."""
        number = len((await self._auth.directory.look()).state.people) + 1
        mark, secret = await self._newcomer(admin, number)
        return (await self._admit(Recover(mark, secret), [(mark, secret)], by)).person

    async def add(
        self,
        by: Sequence[AuthenticatedPerson],
        login: str,
        name: str,
        roles: Sequence[Role],
        digest: bytes = b"",
    ) -> ActAnswer:
        """Adds a person without a secret; with a role that may wait for a second admin.

        digest: as in `AuthService.act`.
        """
        mark = await self._named(login, name)
        answer = await self._auth.act(self._auth.site, AddPerson(mark, tuple(roles)), by, digest)
        if not answer.ok:  # nobody has that name, and no request waits with it
            await self._auth.store.change(keyring.drop_name(mark))
        return answer

    async def give_code(self, by: AuthenticatedPerson, person: int, digest: bytes = b"") -> GivenCode:
        """Makes a one-time code for a person who has no secret; shown once, to that admin.

        digest: as in `add`.
        """
        code, until = secrets.token_hex(CODE_BYTES), self._auth.clock.unix_ms() + CODE_HOLDS_MS
        command = GiveCode(person, digest_of(code), until)
        _check(await self._auth.act(self._auth.site, command, [by], digest))
        return GivenCode(person, code, until)

    async def forget(self) -> None:
        """Erases what is kept of people whose names are erased, and secrets that are no longer valid.

        Such secrets are those of people who left, or who wait for a code. Repeats what failed before.
        """
        # The secrets first: one that somebody chooses meanwhile is not among them.
        secrets_ = await self._auth.books.read(keyring.secret_rows)
        sheet = await self._auth.directory.look()
        gone = [one for one in sheet.state.people if one.erased and one.mark in sheet.named]
        erased = [keyring.drop_name(one.mark) for one in gone]
        left = [
            (f"DELETE FROM {table} WHERE person = ?1", (one.id,))  # noqa: S608 - names of ours
            for one in gone
            for table in ("secret", "session", "attempt")
        ]
        shut = {one.id for one in sheet.state.people if not (one.secret or one.code)}
        over = [
            keyring.drop_secret(row.digest)
            for row in secrets_
            if row.kept.person in shut and row.digest not in sheet.secrets() and row.is_its_own()
        ]
        if gone or over:
            await self._auth.store.change(*erased, *left, *over)

    async def make_token(
        self, by: AuthenticatedPerson, roles: Sequence[Role], until: int, digest: bytes = b""
    ) -> str:
        """Makes an API token for that person's program; shown once.

        until: its end, unix milliseconds. digest: as in `add`.
        """
        if until <= self._auth.clock.unix_ms():
            raise Denied(Code.BAD_REQUEST, RefusalSentence("it is over already", field="until"))
        token = secrets.token_urlsafe(TOKEN_BYTES)
        command = MakeToken(digest_of(token), tuple(roles), until)
        _check(await self._auth.act(self._auth.site, command, [by], digest))
        return token

    async def _admit(self, act: ActCommand, newcomers: Sequence[Newcomer], by: str) -> ActAnswer:
        """Has people join; if that is refused, drops what was kept of them."""
        answer = await self._auth.site.person(act, (by,))
        if not answer.ok:
            kept = [(keyring.drop_name(mark), keyring.drop_secret(secret)) for mark, secret in newcomers]
            await self._auth.store.change(*chain.from_iterable(kept))
        return _check(answer)

    async def _newcomer(self, coming: NewPerson, number: int) -> Newcomer:
        """Keeps the name and the secret that somebody has chosen."""
        if (wrong := secret_fault(coming.secret, names.normal_form(coming.login))) is not None:
            raise Denied(Code.BAD_REQUEST, wrong)
        mark = await self._named(coming.login, coming.name)
        kept = Secret(number, await self._auth.hashing.hash(coming.secret))
        await self._auth.store.change(kept.kept())
        return mark, kept.digest

    async def _named(self, login: str, name: str) -> bytes:
        """Keeps the name of a new person; returns its digest.

        A name that nobody gets in the end does no harm.
        """
        for field, text in (("login", login), ("name", name)):
            if (wrong := names.fault(text)) is not None:
                raise Denied(Code.BAD_REQUEST, sentence(wrong, field))
        sheet, plain = await self._auth.directory.look(), names.normal_form(login)
        taken = {person.mark for person in sheet.state.people}
        named = StoredName.of(plain, " ".join(name.split()))
        asked = b"".join(request.command for request in sheet.state.requests)
        kept = [one for one in sheet.named.values() if one.login == plain and one.mark not in taken]
        free = [one.mark for one in kept if b64encode(one.mark) not in asked]
        try:
            erased = [keyring.drop_name(mark) for mark in free]
            await self._auth.store.change(*erased, named.kept())
        except DataRefused as error:
            raise Denied(
                Code.TWICE, RefusalSentence("{login} is somebody's already", field="login", login=repr(plain))
            ) from error
        return named.mark


def _bank_positions(ledger: Reader) -> tuple[tuple[str, int, bytes], ...]:
    """Where each bank but that of the people stands."""
    heads = [ledger.head(bank) for bank in ledger.banks() if bank != SITE]
    return tuple((head.bank, head.seq, head.hash) for head in heads)


def _check(answer: ActAnswer) -> ActAnswer:
    if not answer.ok:
        raise denied(answer)
    return answer
