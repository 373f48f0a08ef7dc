"""How do people join a site, and get their codes and tokens? And how do the first two begin?"""

import secrets
from base64 import b64encode
from collections.abc import Sequence
from itertools import chain
from typing import Final, NamedTuple

from jackpot.auth.auth_service import TOKEN_BYTES, Entrance, Person, secret_fault
from jackpot.ledger import keyring
from jackpot.ledger.keyring import Named, Secret, digest_of
from jackpot.ledger.store import DataRefused
from jackpot.rules import names
from jackpot.rules.acts.people import AddPerson, FirstPeople, GiveCode, MakeToken, Newcomer, Recover
from jackpot.rules.codes import Code
from jackpot.rules.commands import ActCommand
from jackpot.rules.outcome import ActAnswer
from jackpot.rules.signing import Role
from jackpot.runtime.errors import Denied

# A code is read out or typed from a slip of paper; nobody guesses 80 bits.
CODE_BYTES: Final = 10
# A new person comes to work within some days; a code that lies about is good no longer.
CODE_HOLDS_MS: Final = 3 * 24 * 60 * 60 * 1_000


class Coming(NamedTuple):
    """Somebody who joins. secret: as they have just chosen it."""

    login: str
    name: str
    secret: str


class GivenCode(NamedTuple):
    """A one-time code, known to the admin alone. until: its end, unix milliseconds."""

    person: int
    code: str
    until: int


class Staff:
    """Has people join the site, through its entrance. Raises what that raises."""

    def __init__(self, entrance: Entrance) -> None:
        self._entrance = entrance

    async def begin(self, first: Sequence[Coming], by: str) -> None:
        """Makes the first two people, while there is nobody. by: who does it on the server's machine."""
        if len({names.plain(one.login) for one in first}) < len(first):
            raise Denied(Code.TWICE, "login: each of the first people has one of their own")
        if (await self._entrance.roster.look()).state.people:
            raise Denied(Code.NOT_EMPTY, "the site has people already: an admin adds others")
        newcomers = [await self._newcomer(one, number) for number, one in enumerate(first, 1)]
        await self._admit(FirstPeople(tuple(newcomers)), newcomers, by)

    async def recover(self, admin: Coming, by: str) -> int:
        """Makes another admin, where all are lost: their number. by: as in `begin`."""
        number = len((await self._entrance.roster.look()).state.people) + 1
        mark, secret = await self._newcomer(admin, number)
        return (await self._admit(Recover(mark, secret), [(mark, secret)], by)).person

    async def add(
        self, by: Sequence[Person], login: str, name: str, roles: Sequence[Role], digest: bytes = b""
    ) -> ActAnswer:
        """A person joins without a secret; where they come with a role it may wait for a second admin.

        digest: as in `Entrance.act`.
        """
        mark = await self._named(login, name)
        answer = await self._entrance.act(self._entrance.site, AddPerson(mark, tuple(roles)), by, digest)
        if not answer.ok:  # nobody has that name, and no request waits with it
            await self._entrance.store.change(keyring.drop_name(mark))
        return answer

    async def give_code(self, by: Person, person: int, digest: bytes = b"") -> GivenCode:
        """The one-time code for a person who has no secret; shown once, to that admin.

        digest: as in `add`.
        """
        code, until = secrets.token_hex(CODE_BYTES), self._entrance.clock.unix_ms() + CODE_HOLDS_MS
        command = GiveCode(person, digest_of(code), until)
        _check(await self._entrance.act(self._entrance.site, command, [by], digest))
        return GivenCode(person, code, until)

    async def forget(self) -> None:
        """Erases what is kept of those whose names the journal says are erased, and secrets by which nobody
        comes in any more: of who left, and of who waits for a code. Again where that failed.
        """
        # The secrets first: one that somebody chooses meanwhile is not among them.
        secrets_ = await self._entrance.books.read(keyring.secret_rows)
        sheet = await self._entrance.roster.look()
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
            await self._entrance.store.change(*erased, *left, *over)

    async def make_token(self, by: Person, roles: Sequence[Role], until: int, digest: bytes = b"") -> str:
        """A token for a program of that person's; shown once. until: its end, unix milliseconds.

        digest: as in `add`.
        """
        if until <= self._entrance.clock.unix_ms():
            raise Denied(Code.BAD_REQUEST, "until: it is over already")
        token = secrets.token_urlsafe(TOKEN_BYTES)
        command = MakeToken(digest_of(token), tuple(roles), until)
        _check(await self._entrance.act(self._entrance.site, command, [by], digest))
        return token

    async def _admit(self, act: ActCommand, newcomers: Sequence[Newcomer], by: str) -> ActAnswer:
        """Has people join; where that is refused, what was kept of them is dropped."""
        answer = await self._entrance.site.person(act, (by,))
        if not answer.ok:
            kept = [(keyring.drop_name(mark), keyring.drop_secret(secret)) for mark, secret in newcomers]
            await self._entrance.store.change(*chain.from_iterable(kept))
        return _check(answer)

    async def _newcomer(self, coming: Coming, number: int) -> Newcomer:
        """Keeps the name and the secret that somebody has chosen."""
        if (wrong := secret_fault(coming.secret, names.plain(coming.login))) is not None:
            raise Denied(Code.BAD_REQUEST, f"secret: {wrong}")
        mark = await self._named(coming.login, coming.name)
        kept = Secret(number, await self._entrance.hashing.hash(coming.secret))
        await self._entrance.store.change(kept.kept())
        return mark, kept.digest

    async def _named(self, login: str, name: str) -> bytes:
        """Keeps what a new person is called; its mark. One that nobody has in the end is in nobody's way."""
        for field, text in (("login", login), ("name", name)):
            if (wrong := names.fault(text)) is not None:
                raise Denied(Code.BAD_REQUEST, f"{field}: {wrong}")
        sheet, plain = await self._entrance.roster.look(), names.plain(login)
        taken = {person.mark for person in sheet.state.people}
        named = Named.of(plain, " ".join(name.split()))
        asked = b"".join(request.command for request in sheet.state.requests)
        kept = [one for one in sheet.named.values() if one.login == plain and one.mark not in taken]
        free = [one.mark for one in kept if b64encode(one.mark) not in asked]
        try:
            erased = [keyring.drop_name(mark) for mark in free]
            await self._entrance.store.change(*erased, named.kept())
        except DataRefused as error:
            raise Denied(Code.TWICE, f"login: {plain!r} is somebody's already") from error
        return named.mark


def _check(answer: ActAnswer) -> ActAnswer:
    if not answer.ok:
        raise Denied(Code(answer.code), answer.message)
    return answer
