"""Who carries out what `jackpot users` asks for? The server that runs, or the command itself where none does.

Next to a server the login name of the person at the prompt says who asks, and another person confirms on a
page. Where none runs the command takes the people's bank, and each person who signs types their password.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from jackpot.cli.api_client import Talk
from jackpot.cli.offline_ledger import alone
from jackpot.cli.options import configured, fail

if TYPE_CHECKING:
    from jackpot.api.operation import Reply
    from jackpot.api.queries.people import AddPerson, EraseName, GiveCode
    from jackpot.auth.auth_service import Entrance, Person
    from jackpot.rules.acts.people import EndToken
    from jackpot.rules.commands import ActCommand

    Asked = AddPerson | EraseName | GiveCode | ActCommand
    # An act, or what it is for the number of a person.
    Wanted = AddPerson | EndToken | Callable[[int], Asked]

T = TypeVar("T")


def done(talk: Talk, asked: "Wanted", said: str, login: str = "") -> None:
    """Has an act done, and says so; a refusal, or that it waits for a second admin, ends the command.

    asked: the act, or what it is for the number of the person with that login, who has left where it erases
    their name. said: "{code}" in it is the answer's.
    """
    answer = _by_server(talk, asked, login) if talk.answered() else _by_command(talk, asked, login)
    once = answer.get("then") if answer.get("done_already") else None
    talk.show(answer, once or said.replace("{code}", answer.get("code", "")))


def entered(config: Path | None, work: "Callable[[Entrance], Awaitable[T]]", *, first: bool = False) -> T:
    """Takes the people's bank from a ledger that no server has, and does that there.

    first: an empty one gets its banks, as at a server's first start.
    """
    from jackpot.auth.offline_people import entered as taken
    from jackpot.bank.config_alignment import begin
    from jackpot.clock import SystemClock
    from jackpot.ledger.store import LedgerError
    from jackpot.rules.signing import SITE
    from jackpot.runtime.errors import Denied

    found = configured(config, "give --config FILE")
    clock = SystemClock()

    async def enter() -> T:
        async with alone(found, SITE, first=first, nobody=first) as store:
            if await begin(store, found, clock.unix_ms()):
                typer.echo(f"the ledger was empty: it has {', '.join((*found.banks, SITE))} now")
            async with taken(store, found.ledger.url, clock) as entrance:
                try:
                    return await work(entrance)
                except Denied as denied:
                    fail((await entrance.roster.look()).in_names(denied.message))

    try:
        return asyncio.run(enter())
    except LedgerError as error:
        fail(f"not done: {error}")


def _by_server(talk: Talk, asked: "Wanted", login: str) -> dict[str, Any]:
    from jackpot.api.queries.people import AskPeople, EraseName
    from jackpot.auth.auth_service import NOBODY_YET

    if talk.by is not None or talk.and_by is not None:
        fail(
            "--by and --and-by: a server runs, and knows you by your login name on this machine: leave them "
            "out. A second admin confirms at /ops/requests"
        )
    people = talk.ask(AskPeople())["people"]
    if not people:
        fail(NOBODY_YET)
    if not callable(asked):
        return talk.ask(asked)
    left = asked is EraseName
    found = [one["person"] for one in people if one["login"] == _plain(login) and one["ended"] == left]
    return talk.ask(asked(found[0] if found else _nobody(login)))


def _by_command(talk: Talk, asked: "Wanted", login: str) -> dict[str, Any]:
    import msgspec

    from jackpot.api.queries.people import EraseName

    by: str = talk.by or typer.prompt("By")

    async def work(entrance: "Entrance") -> "Reply | str":
        people = [await _admin(entrance, one) for one in (by, talk.and_by) if one is not None]
        if not callable(asked):
            return await _carried_out(entrance, people, asked)
        sheet = await entrance.roster.look()
        person = sheet.left(_plain(login)) if asked is EraseName else sheet.of_login(_plain(login))
        return await _carried_out(entrance, people, asked(_nobody(login) if person is None else person.id))

    answer = entered(talk.config, work)
    if isinstance(answer, str):
        fail(answer)
    found: dict[str, Any] = msgspec.to_builtins(answer)
    if found.get("asked"):
        talk.show(found, f"{talk.waits(found['request'])}; or ask again with --and-by LOGIN")
        raise typer.Exit
    return found


async def _carried_out(entrance: "Entrance", people: "list[Person]", asked: "Asked") -> "Reply | str":
    """What it comes to where no server runs; a refusal in words."""
    from jackpot.api.act_reply import Done
    from jackpot.api.queries.people import AddPerson, EraseName, GiveCode, OneTimeCode
    from jackpot.auth.person_admin import Staff
    from jackpot.rules.acts import erasure

    staff = Staff(entrance)
    if isinstance(asked, GiveCode):
        given = await staff.give_code(people[0], asked.person)
        return OneTimeCode(person=given.person, code=given.code, until=given.until)
    if isinstance(asked, AddPerson):
        answer = await staff.add(people, asked.login, asked.name, asked.roles)
    else:
        act = erasure.EraseName(asked.person) if isinstance(asked, EraseName) else asked
        answer = await entrance.act(entrance.site, act, people)
        await staff.forget()
    if not answer.ok:
        return (await entrance.roster.look()).in_names(answer.message)
    return Done(asked=answer.asked, request=answer.request, person=answer.person)


async def _admin(entrance: "Entrance", login: str) -> "Person":
    """Who signs, by their own password."""
    secret = typer.prompt(f"Password of {login}", hide_input=True)
    digits = typer.prompt(f"Six digits of {login} (empty if there are none)", default="", show_default=False)
    return await entrance.prove(login, secret, digits)


def _plain(login: str) -> str:
    from jackpot.rules import names

    return names.plain(login)


def _nobody(login: str) -> int:
    fail(f"nobody has the login {login}: jackpot users list shows who there is")
