"""`jackpot users`: who may act on this site, and how do people join it and leave it?"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from jackpot.cli.speak import ConfigFile, configured, fail, person
from jackpot.cli.speak import table as print_table
from jackpot.cli.talk import Talk, talking
from jackpot.words import counted

if TYPE_CHECKING:
    from jackpot.rules.commands import ActCommand
    from jackpot.rules.outcome import ActAnswer
    from jackpot.rules.signing import Role
    from jackpot.server.people import Entrance, Person
    from jackpot.server.staff import Coming

app = typer.Typer(
    help="People: make the first two, list, add, grant, withdraw, end, reset, give a code, recover.",
    epilog="Example: jackpot users init --config /etc/jackpot/config.toml",
    no_args_is_help=True,
)

T = TypeVar("T")

Login = Annotated[str, typer.Argument(metavar="LOGIN", help="What the person signs in with.")]
OfRole = Annotated[str, typer.Argument(metavar="ROLE", help="viewer, floor, cage, auditor or admin.")]
Name = Annotated[str | None, typer.Option("--name", help="What others read; default: the login.")]
Admin = Annotated[
    str, typer.Option("--by", metavar="LOGIN", help="An admin, who types their secret.", prompt="By")
]
Second = Annotated[
    str | None, typer.Option("--and-by", metavar="LOGIN", help="A second admin, who types theirs.")
]


@app.command()
def init(config: ConfigFile = None) -> None:
    """Make the first two people, both admins; each types their login, name and a secret of their own.

    It works once, while the ledger has no person, and while no server runs. From then on nobody acts by a
    name alone.

    Example: jackpot users init --config /etc/jackpot/config.toml
    """
    from jackpot.server.staff import Staff

    first = [_asked(f"{which} of two: ") for which in ("The first", "The second")]
    _enter(config, lambda entrance: Staff(entrance).begin(first, person(None)))
    typer.echo(f"{first[0].login} and {first[1].login} are admins. Start the server; both sign in.")


@app.command("list")
def list_(
    config: ConfigFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON list.")] = False,
) -> None:
    """List the people of the site and their roles; a server may run meanwhile.

    Example: jackpot users list --config /etc/jackpot/config.toml
    """
    from jackpot.books.reader import Books
    from jackpot.ledger.store import LedgerError
    from jackpot.server.roster import Roster, Sheet

    url = configured(config, "give --config FILE").ledger.url

    async def look() -> Sheet:
        books = Books(url)
        try:
            return await Roster(books).look()
        finally:
            await books.close()

    try:
        sheet = asyncio.run(look())
    except LedgerError as error:
        fail(f"not read: {error}")
    found: list[dict[str, Any]] = [
        {
            "id": one.id,
            "login": sheet.called(one).login,
            "name": sheet.called(one).name,
            "roles": list(one.roles),
            "state": "ended" if one.ended else "active" if one.secret else "without a secret",
        }
        for one in sheet.state.people
    ]
    if as_json:
        typer.echo(json.dumps(found, indent=2))
        return
    names = ["id", "login", "name", "roles", "state"]
    rows = [[_plain(one[name]) for name in names] for one in found]
    print_table(counted(len(found), "person"), names, rows)


@app.command()
@talking("config", "by", "and_by")
def add(
    talk: Talk,
    login: Login,
    name: Name = None,
    role: Annotated[list[str] | None, typer.Option("--role", help="Once for each role.")] = None,
) -> None:
    """Add a person, by one admin; with a role, by two. Then give them a code.

    Example: jackpot users add cal --name "Cal Orie" --role floor --by ann --and-by ben -c config.toml
    """
    from jackpot.server.staff import Staff

    roles = [_role(one) for one in role or ()]

    async def work(entrance: "Entrance") -> "ActAnswer":
        admins = await _admins(entrance, person(talk.by), talk.and_by)
        return await Staff(entrance).add(admins, login, name or login, roles)

    _done(_enter(talk.config, work), f"{login} is added: jackpot users code {login} gives them a code")


@app.command()
def grant(login: Login, role: OfRole, by: Admin, and_by: Second = None, config: ConfigFile = None) -> None:
    """Give a person a role, by two admins.

    Example: jackpot users grant cal cage --by ann --and-by ben -c config.toml
    """
    from jackpot.rules.acts.people import Grant

    granted = _role(role)
    _act(config, login, lambda number: Grant(number, granted), by, and_by)
    typer.echo(f"{login} is {role} from now on")


@app.command()
def withdraw(login: Login, role: OfRole, by: Admin, config: ConfigFile = None) -> None:
    """Take a role away from a person, by one admin.

    Example: jackpot users withdraw cal cage --by ann -c config.toml
    """
    from jackpot.rules.acts.people import WithdrawRole

    withdrawn = _role(role)
    _act(config, login, lambda number: WithdrawRole(number, withdrawn), by)
    typer.echo(f"{login} is {role} no more")


@app.command()
def end(login: Login, by: Admin, config: ConfigFile = None) -> None:
    """End a person: neither their secret nor their tokens let them in any more.

    Example: jackpot users end cal --by ann -c config.toml
    """
    from jackpot.rules.acts.people import EndPerson

    _act(config, login, EndPerson, by)
    typer.echo(f"{login} is here no more")


@app.command()
def reset(login: Login, by: Admin, and_by: Second = None, config: ConfigFile = None) -> None:
    """Take a person's secret away, by two admins. Then give them a code.

    Example: jackpot users reset cal --by ann --and-by ben -c config.toml
    """
    from jackpot.rules.acts.people import ResetSecret

    _act(config, login, ResetSecret, by, and_by)
    typer.echo(f"{login} has no secret any more: jackpot users code {login} gives them a code")


@app.command()
def code(login: Login, by: Admin, config: ConfigFile = None) -> None:
    """Show a one-time code, with which a person without a secret chooses one at their first sign-in.

    Hand it to nobody else: who was shown it never confirms together with that person.

    Example: jackpot users code cal --by ann -c config.toml
    """
    from jackpot.server.staff import Staff

    async def work(entrance: "Entrance") -> str:
        admin = (await _admins(entrance, by, None))[0]
        return await Staff(entrance).give_code(admin, await _number(entrance, login))

    typer.echo(f"the code of {login}, good once and for three days: {_enter(config, work)}")


@app.command()
def recover(login: Login, name: Name = None, config: ConfigFile = None) -> None:
    """Make another admin where every admin is lost. It is journalled with your login name, and alarmed.

    Example: jackpot users recover eve --name "Eve Adams" --config /etc/jackpot/config.toml
    """
    from jackpot.server.staff import Coming, Staff

    admin = Coming(login, name or login, _secret())
    _enter(config, lambda entrance: Staff(entrance).recover(admin, person(None)))
    typer.echo(f"{login} is an admin; the journal says that {person(None)} made them one")


def _act(
    config: ConfigFile,
    login: str,
    command: "Callable[[int], ActCommand]",
    by: str,
    and_by: str | None = None,
) -> None:
    """An act on a person; a refusal, or that it waits for a second admin, ends the command."""

    async def work(entrance: "Entrance") -> "ActAnswer":
        people = await _admins(entrance, by, and_by)
        return await entrance.act(entrance.site, command(await _number(entrance, login)), people)

    _done(_enter(config, work), "")


def _done(answer: "ActAnswer", said: str) -> None:
    if not answer.ok:
        fail(answer.message)
    if answer.asked:
        fail(f"{answer.request} waits for a second admin for 15 minutes; or ask again with --and-by LOGIN")
    if said:
        typer.echo(said)


def _enter(config: ConfigFile, work: "Callable[[Entrance], Awaitable[T]]") -> T:
    """Takes the people's bank from a ledger that no server has, and does that there."""
    from jackpot.cli.bank import until_free
    from jackpot.clock import SystemClock
    from jackpot.ledger.open import opened
    from jackpot.ledger.store import LedgerError
    from jackpot.rules.signing import SITE
    from jackpot.server.people import Denied
    from jackpot.server.stopped import entered

    url = configured(config, "give --config FILE").ledger.url

    async def enter() -> T:
        async with opened(url) as store:
            await until_free(store, (SITE,))
            async with entered(store, url, SystemClock()) as entrance:
                return await work(entrance)

    try:
        return asyncio.run(enter())
    except Denied as denied:
        fail(denied.message)
    except LedgerError as error:
        fail(f"not done: {error}")


async def _admins(entrance: "Entrance", by: str, and_by: str | None) -> "list[Person]":
    """Those who stand for it, each by their own secret."""
    found = []
    for login in (by, and_by):
        if login is not None:
            secret = typer.prompt(f"Secret of {login}", hide_input=True)
            digits = typer.prompt(f"Six digits of {login} (empty without)", default="", show_default=False)
            found.append(await entrance.prove(login, secret, digits))
    return found


async def _number(entrance: "Entrance", login: str) -> int:
    from jackpot.rules import names

    found = (await entrance.roster.look()).of_login(names.plain(login))
    if found is None:
        fail(f"nobody has the login {login}: jackpot users list shows who there is")
    return found.id


def _plain(value: Any) -> str:
    return " ".join(value) if isinstance(value, list) else str(value)


def _asked(which: str) -> "Coming":
    from jackpot.server.staff import Coming

    return Coming(typer.prompt(f"{which}login"), typer.prompt("Name"), _secret())


def _secret() -> str:
    from jackpot.server.people import SECRET_LEAST

    secret: str = typer.prompt(
        f"Secret, {SECRET_LEAST} characters or more", hide_input=True, confirmation_prompt=True
    )
    return secret


def _role(role: str) -> "Role":
    from jackpot.rules.signing import ROLES

    found = next((one for one in ROLES if one == role), None)
    if found is None:
        fail(f"{role!r} is no role; there is {', '.join(ROLES)}")
    return found
