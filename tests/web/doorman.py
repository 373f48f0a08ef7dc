"""Who comes in, where a test is about the pages and not about secrets? A door with people of its own."""

import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

import pytest

from jackpot.app import Server
from jackpot.clock import Clock
from jackpot.config import Config
from jackpot.rules.codes import Code
from jackpot.rules.commands import ActCommand
from jackpot.rules.outcome import ActAnswer
from jackpot.server.people import Bank, Denied, Entrance, Person, SignedIn

SECRET: Final = "correct horse battery"
TOKEN: Final = "a-program"


@asynccontextmanager
async def opened_by(door: "Doorman", config: Config, clock: Clock | None = None) -> AsyncIterator[Server]:
    """A server whose people come in by that door."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("jackpot.app.Entrance", lambda *_: door)
        async with Server(config, clock) as server:
            yield server


class Doorman(Entrance):
    """Everybody's secret is SECRET. Acts are journalled under names, as those of a site without people."""

    def __init__(self, *people: str) -> None:
        self.people = {
            login: Person(number, login, login.title(), ("floor", "cage"), "secret")
            for number, login in enumerate(people, 1)
        }
        self.sessions: dict[str, Person] = {}

    async def sign_in(self, login: str, secret: str, totp: str = "") -> SignedIn:
        if login not in self.people or secret != SECRET:
            raise Denied(Code.NO_PERSON, "the name or the password is wrong")
        token = secrets.token_urlsafe(32)
        self.sessions[token] = self.people[login]
        return SignedIn(token, self.people[login])

    async def who(self, token: str) -> Person:
        if token not in self.sessions:
            raise Denied(Code.NO_PERSON, "the session has ended")
        return self.sessions[token]

    async def bearer(self, token: str) -> Person:
        if token != TOKEN:
            raise Denied(Code.NO_PERSON, "the token is unknown")
        return next(iter(self.people.values()))

    async def of_login(self, login: str) -> Person | None:
        return None

    async def sign_out(self, token: str) -> None:
        self.sessions.pop(token, None)

    async def second(self, first: Person, login: str, secret: str, totp: str = "") -> Person:
        second = (await self.sign_in(login, secret, totp)).person
        if second == first:
            raise Denied(Code.TWO_PEOPLE, "another person signs")
        return second

    async def act(
        self, bank: Bank, command: ActCommand, by: Sequence[Person | str], digest: bytes = b""
    ) -> ActAnswer:
        names = tuple(one if isinstance(one, str) else one.name for one in by)
        return await bank.person(command, names, digest)

    def close(self) -> None:
        """Nothing is open."""
