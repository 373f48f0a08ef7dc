"""`jackpot users`: manages people, their roles, sign-in codes and tokens."""

import asyncio
import json
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from jackpot.api.queries.people import AddPerson, EraseName, GiveCode
from jackpot.cli.act_command import ActCall, act_command
from jackpot.cli.options import ConfigFile, configured, fail, hidden, person
from jackpot.cli.options import table as print_table
from jackpot.cli.person_admin import act_offline, directory_of, done
from jackpot.rules.acts.people import EndPerson, EndToken, Grant, ResetSecret, WithdrawRole
from jackpot.text import counted

if TYPE_CHECKING:
    from jackpot.auth.directory import DirectorySnapshot
    from jackpot.auth.person_admin import NewPerson
    from jackpot.config import Config

app = typer.Typer(
    help="People: make the first two, list, add, grant, withdraw, end, reset, codes, tokens, erase, recover.",
    epilog="Example: jackpot users init --config /etc/jackpot/config.toml",
    no_args_is_help=True,
)

Login = Annotated[str, typer.Argument(metavar="LOGIN", help="What the person signs in with.")]
Name = Annotated[str | None, typer.Option("--name", help="The name that others read; default: the login.")]

# A login of this machine cannot issue a code, so while a server runs there is only the page.
_GIVES_CODE: Final = (
    "an admin gives them a code at /ops/people, or by jackpot users code where no server runs"
)


@app.command()
def init(config: ConfigFile = None) -> None:
    """Make the first two people, both admins; each types their login, name and a password of their own.

    It works once, while the ledger has no person, and while no server runs. From then on nobody acts by a
    name alone.

    Example: jackpot users init --config /etc/jackpot/config.toml
    """
    from jackpot.auth.person_admin import PersonAdmin

    first = [_ask_person(f"{which} of two: ") for which in ("The first", "The second")]
    act_offline(config, lambda auth: PersonAdmin(auth).begin(first, person(None)), first=True)
    typer.echo(f"{first[0].login} and {first[1].login} are admins. Start the server; both sign in.")


@app.command("list")
def list_(
    config: ConfigFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON list.")] = False,
) -> None:
    """List the people of the site and their roles. A server may run meanwhile.

    Example: jackpot users list --config /etc/jackpot/config.toml
    """
    sheet = _sheet(configured(config, "give --config FILE"))
    found: list[dict[str, Any]] = [
        {
            "id": one.id,
            "login": sheet.called(one).login,
            "name": sheet.called(one).name,
            "roles": list(one.roles),
            "state": "ended" if one.ended else "active" if one.secret else "without a password",
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
def tokens(
    config: ConfigFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON list.")] = False,
) -> None:
    """List the tokens of programs: whose they are, their roles and their end. A server may run meanwhile.

    A token may do what its roles may, as long as its person has them too. People make tokens at /ops/account.

    Example: jackpot users tokens --config /etc/jackpot/config.toml
    """
    from jackpot.config.writing import moment

    read = configured(config, "give --config FILE")
    sheet = _sheet(read)
    people = sheet.state.people
    found: list[dict[str, Any]] = [
        {
            "token": one.id,
            "login": sheet.called(people[one.person - 1]).login,
            "roles": list(one.roles),
            "until": one.until,
        }
        for one in sheet.state.tokens
    ]
    if as_json:
        typer.echo(json.dumps(found, indent=2))
        return
    names = ["token", "login", "roles", "until"]
    rows = [
        [_plain(value) for value in (one | {"until": moment(one["until"], read.site.timezone)}).values()]
        for one in found
    ]
    print_table(counted(len(found), "token"), names, rows)


@act_command(app, EndToken)
def end_token(call: ActCall) -> None:
    """End a token: it lets no program in any more. It takes its person, or one admin.

    Example: jackpot users end-token 3 -c config.toml
    """
    done(call, "token {token} lets nobody in any more")


@act_command(app, AddPerson, without=("name",))
def add(call: ActCall, name: Name = None) -> None:
    """Add a person, which takes one admin, or two where the person gets a role. Then give them a code.

    While a server runs, your login name on this machine says who you are, and a second admin confirms at
    /ops/requests. While none runs, name the admins with --by and --and-by; each types their password.

    Example: jackpot users add cal --name "Cal Orie" --role floor -c config.toml
    """
    done(call, f"{{login}} is added: {_GIVES_CODE}", name=name or call.fields["login"])


@act_command(app, Grant)
def grant(call: ActCall) -> None:
    """Give a person a role. It takes two admins, as with `add`.

    Example: jackpot users grant cal cage -c config.toml
    """
    done(call, "{login} is {role} from now on")


@act_command(app, WithdrawRole)
def withdraw(call: ActCall) -> None:
    """Take a role away from a person. It takes one admin.

    Example: jackpot users withdraw cal cage -c config.toml
    """
    done(call, "{login} is no longer {role}")


@act_command(app, EndPerson)
def end(call: ActCall) -> None:
    """End a person's access: neither their password nor their tokens let them in any more.

    Example: jackpot users end cal -c config.toml
    """
    done(call, "{login} has no access any more")


@act_command(app, ResetSecret)
def reset(call: ActCall) -> None:
    """Take a person's password away. It takes two admins, as with `add`. Then give them a code.

    Example: jackpot users reset cal -c config.toml
    """
    done(call, f"{{login}} has no password any more: {_GIVES_CODE}")


@act_command(app, GiveCode)
def code(call: ActCall) -> None:
    """Show a one-time code, with which a person who has no password signs in and chooses one.

    Hand it to nobody else: the admin who saw it confirms nothing together with that person. It takes an
    admin's own password: while a server runs, an admin gives codes at /ops/people and not here.

    Example: jackpot users code cal -c config.toml
    """
    done(call, "the code of {login}, good once and for three days: {code}")


@act_command(app, EraseName)
def erase(call: ActCall) -> None:
    """Erase the name and login of a person whose access has ended. It takes two admins.

    The journal keeps the person's number, and backups from before keep the name. Another person may then get
    the login.

    Example: jackpot users erase cal -c config.toml
    """
    done(call, "{login} is erased: the journal, pages and reports have only a number")


@app.command()
def recover(login: Login, name: Name = None, config: ConfigFile = None) -> None:
    """Make another admin where no admin can sign in.

    It is journalled with your login name, and raises an alarm.

    Example: jackpot users recover eve --name "Eve Adams" --config /etc/jackpot/config.toml
    """
    from jackpot.auth.person_admin import NewPerson, PersonAdmin

    admin = NewPerson(login, name or login, _secret())
    act_offline(config, lambda auth: PersonAdmin(auth).recover(admin, person(None)))
    typer.echo(f"{login} is an admin; the journal says that {person(None)} made them one")


def _sheet(config: "Config") -> "DirectorySnapshot":
    """The directory of people from the ledger."""
    from jackpot.ledger.store import LedgerError

    try:
        return asyncio.run(directory_of(config.ledger.url))
    except LedgerError as error:
        fail(f"not read: {error}")


def _plain(value: Any) -> str:
    return " ".join(value) if isinstance(value, list) else str(value)


def _ask_person(which: str) -> "NewPerson":
    from jackpot.auth.person_admin import NewPerson

    return NewPerson(typer.prompt(f"{which}login"), typer.prompt("Name"), _secret())


def _secret() -> str:
    from jackpot.auth.auth_service import SECRET_MIN

    return hidden(f"Password, {SECRET_MIN} characters or more", twice=True)
