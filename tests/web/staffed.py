"""A real server's people for tests of pages, with passwords that cost nothing to check."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from jackpot.app import Server
from jackpot.auth.auth_service import AuthenticatedPerson
from jackpot.auth.password_hashing import PasswordHashing
from jackpot.auth.person_admin import NewPerson, PersonAdmin
from jackpot.clock import Clock
from jackpot.config import Config
from jackpot.rules.acts.people import Grant
from jackpot.rules.outcome import ActAnswer
from jackpot.rules.signing import ROLES, Role
from tests.auth.test_auth_service import QUICK

if TYPE_CHECKING:
    from playwright.async_api import Page

SECRET: Final = "correct horse battery"
FIRST: Final = ("ann", "bo")
HOUR_MS: Final = 3_600_000


@asynccontextmanager
async def staffed(config: Config, clock: Clock | None = None) -> AsyncIterator[Server]:
    """A server where Ann and Bo, its two admins, are on the floor and in the cage. Each has SECRET."""
    async with Server(config, clock) as server:
        server.auth.hashing.close()
        server.auth.hashing = PasswordHashing(QUICK)
        await PersonAdmin(server.auth).begin(
            [NewPerson(login, login.title(), SECRET) for login in FIRST], "root"
        )
        both = [await prove(server, login) for login in FIRST]
        for person in both:
            for role in ("floor", "cage"):
                done(await server.auth.act(server.people, Grant(person.id, role), both))
        yield server


async def prove(server: Server, login: str) -> AuthenticatedPerson:
    """Authenticates that person, as one who has typed their secret."""
    return await server.auth.authenticate(login, SECRET)


async def join(server: Server, login: str, *roles: Role) -> AuthenticatedPerson:
    """Adds another person, who came by a code of Ann's and has chosen SECRET."""
    ann, bo = [await prove(server, first) for first in FIRST]
    staff = PersonAdmin(server.auth)
    added = done(await staff.add([ann, bo], login, login.title(), roles))
    given = await staff.give_code(ann, added.person)
    return (await server.auth.choose(login, given.code, SECRET)).person


async def token(server: Server, login: str = "ann", roles: tuple[Role, ...] = ()) -> str:
    """A token of that person's program, with all of their roles, or with these."""
    person = await prove(server, login)
    until = server.clock.unix_ms() + HOUR_MS
    mine = roles or tuple(role for role in ROLES if role in person.roles)
    return await PersonAdmin(server.auth).make_token(person, mine, until)


def done(answer: ActAnswer) -> ActAnswer:
    """Performs an act that is neither refused nor waits for anybody; its answer."""
    assert answer.ok, answer.message
    assert not answer.asked
    return answer


async def sign_in(page: "Page", login: str = "ann") -> None:
    """Signs a person in on the sign-in page that is open or comes. Its scripts and the next page's run."""
    await page.wait_for_selector("#login")
    await page.wait_for_load_state()
    await page.fill("#login", login)
    await page.fill("#secret", SECRET)
    await page.press("#secret", "Enter")
    await page.wait_for_selector("header .site")
    await page.wait_for_load_state()
