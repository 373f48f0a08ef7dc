"""Who works on the pages of a test? Real people of a real server, whose secrets cost nothing to check."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from jackpot.app import Server
from jackpot.auth.auth_service import Person
from jackpot.auth.password_hashing import Hashing
from jackpot.auth.person_admin import Coming, Staff
from jackpot.clock import Clock
from jackpot.config import Config
from jackpot.rules.acts.people import Grant
from jackpot.rules.outcome import ActAnswer
from jackpot.rules.signing import ROLES, Role
from tests.auth.test_auth_service import QUICK

SECRET: Final = "correct horse battery"
FIRST: Final = ("ann", "bo")
HOUR_MS: Final = 3_600_000


@asynccontextmanager
async def staffed(config: Config, clock: Clock | None = None) -> AsyncIterator[Server]:
    """A server where Ann and Bo, its two admins, are on the floor and in the cage. Each has SECRET."""
    async with Server(config, clock) as server:
        server.entrance.hashing.close()
        server.entrance.hashing = Hashing(QUICK)
        await Staff(server.entrance).begin([Coming(login, login.title(), SECRET) for login in FIRST], "root")
        both = [await prove(server, login) for login in FIRST]
        for person in both:
            for role in ("floor", "cage"):
                done(await server.entrance.act(server.people, Grant(person.id, role), both))
        yield server


async def prove(server: Server, login: str) -> Person:
    """That person, as one who has typed their secret."""
    return await server.entrance.prove(login, SECRET)


async def join(server: Server, login: str, *roles: Role) -> Person:
    """Another person, who came by a code of Ann's and has chosen SECRET."""
    ann, bo = [await prove(server, first) for first in FIRST]
    staff = Staff(server.entrance)
    added = done(await staff.add([ann, bo], login, login.title(), roles))
    given = await staff.give_code(ann, added.person)
    return (await server.entrance.choose(login, given.code, SECRET)).person


async def token(server: Server, login: str = "ann", roles: tuple[Role, ...] = ()) -> str:
    """A program's, with all roles of its person's, or with those."""
    person = await prove(server, login)
    until = server.clock.unix_ms() + HOUR_MS
    mine = roles or tuple(role for role in ROLES if role in person.roles)
    return await Staff(server.entrance).make_token(person, mine, until)


def done(answer: ActAnswer) -> ActAnswer:
    """The answer to what is not refused, and waits for nobody."""
    assert answer.ok, answer.message
    assert not answer.asked
    return answer
