"""Performs what `jackpot users` asks for: through the running server, or by itself where none runs.

With a server, the requester is the login name of the person at the prompt, and another person confirms on a
page. Without one, the command takes the people's bank, and each signer types their password.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from jackpot.cli.act_command import ActCall
from jackpot.cli.offline_ledger import alone, until_free
from jackpot.cli.options import configured, fail, hidden

if TYPE_CHECKING:
    from jackpot.api.operation import Reply
    from jackpot.auth.auth_service import AuthenticatedPerson, AuthService
    from jackpot.auth.directory import DirectorySnapshot
    from jackpot.ledger.store import Store
    from jackpot.rules.signing import People

T = TypeVar("T")


def done(call: ActCall, said: str, **more: Any) -> None:
    """Performs an act and prints the result; ends the command on a refusal, or where it takes a second admin.

    said: with the names of fields, of the login and of the answer's code in braces. more: further fields.
    """
    client = call.client
    answer = _by_server(call, more) if client.answered() else _by_command(call, more)
    once = answer.get("then") if answer.get("done_already") else None
    words = {"login": call.login, "code": answer.get("code", ""), **call.fields}
    client.show(answer, once or said.format_map(words))


def act_offline(
    config: Path | None, work: "Callable[[AuthService], Awaitable[T]]", *, first: bool = False
) -> T:
    """Takes the people's bank of a ledger that no server has, and performs acts there.

    first: an empty one gets its banks, as at a server's first start; nobody may be writing any of them, for
    the first people's entry says where each stands.
    """
    from jackpot.auth.offline_people import sign_in_offline
    from jackpot.bank.config_alignment import open_configured
    from jackpot.clock import SystemClock
    from jackpot.ledger.store import LedgerError
    from jackpot.rules.signing import SITE
    from jackpot.runtime.errors import Denied

    found = configured(config, "give --config FILE")
    clock = SystemClock()

    async def enter() -> T:
        banks = (*found.banks, SITE) if first else (SITE,)
        async with alone(found, *banks, first=first, nobody=first) as store:
            if await open_configured(store, found, clock.unix_ms()):
                typer.echo(f"the ledger was empty: it has {', '.join((*found.banks, SITE))} now")
            async with sign_in_offline(store, found.ledger.url, clock) as auth:
                try:
                    return await work(auth)
                except Denied as denied:
                    fail((await auth.directory.look()).in_names(denied.message))

    try:
        return asyncio.run(enter())
    except LedgerError as error:
        fail(f"not done: {error}")


async def signers(store: "Store", url: str, *called: str) -> "People":
    """The people of an act on a ledger that no server has: each types their password.

    url: of that ledger. A name is believed only where the site has no people: `alone` has looked whether the
    configuration allows that. Ends the command on a refusal, and where a server has the people's bank: to
    sign in is written there. Raises LedgerError.
    """
    from jackpot.auth.offline_people import sign_in_offline
    from jackpot.clock import SystemClock
    from jackpot.ledger.reading import Reader
    from jackpot.rules.signing import SITE, People
    from jackpot.runtime.errors import Denied

    if SITE not in await store.run(Reader.banks):
        return People(called)
    sheet = await directory_of(url)
    if not sheet.state.people:
        return People(called, sheet.proof())
    await until_free(store, (SITE,))
    async with sign_in_offline(store, url, SystemClock()) as auth:
        try:
            people = [await _admin(auth, login) for login in called]
            return People(proof=await auth.proof_of(people))
        except Denied as denied:
            fail((await auth.directory.look()).in_names(denied.message))


async def directory_of(url: str) -> "DirectorySnapshot":
    """The directory of people from the ledger. Raises LedgerError."""
    from jackpot.auth.directory import Directory
    from jackpot.reports.read.reader import LedgerReader

    books = LedgerReader(url)
    try:
        return await Directory(books).look()
    finally:
        await books.close()


def _by_server(call: ActCall, more: dict[str, Any]) -> dict[str, Any]:
    from jackpot.api.queries.people import AskPeople, EraseName
    from jackpot.auth.auth_service import NOBODY_YET

    client = call.client
    if client.by is not None or client.and_by is not None:
        fail(
            "--by and --and-by: a server runs, and knows you by your login name on this machine: leave them "
            "out. A second admin confirms at /ops/requests"
        )
    people = client.ask(AskPeople())["people"]
    if not people:
        fail(NOBODY_YET)
    if call.login is None:
        return call.send(**more)
    left = call.kind is EraseName
    found = [one["person"] for one in people if one["login"] == _plain(call.login) and one["ended"] == left]
    return call.send(**more, person=found[0] if found else _nobody(call.login))


def _by_command(call: ActCall, more: dict[str, Any]) -> dict[str, Any]:
    import msgspec

    from jackpot.api.queries.people import EraseName

    client, login = call.client, call.login
    by: str = client.by or typer.prompt("By")

    async def work(auth: "AuthService") -> "Reply | str":
        people = [await _admin(auth, one) for one in (by, client.and_by) if one is not None]
        if login is None:
            return await _carried_out(auth, people, call.act(**more))
        sheet = await auth.directory.look()
        person = sheet.left(_plain(login)) if call.kind is EraseName else sheet.of_login(_plain(login))
        number = _nobody(login) if person is None else person.id
        return await _carried_out(auth, people, call.act(**more, person=number))

    answer = act_offline(client.config, work)
    if isinstance(answer, str):
        fail(answer)
    found: dict[str, Any] = msgspec.to_builtins(answer)
    if found.get("asked"):
        client.show(found, f"{client.waits(found['request'])}; or ask again with --and-by LOGIN")
        raise typer.Exit
    return found


async def _carried_out(auth: "AuthService", people: "list[AuthenticatedPerson]", asked: Any) -> "Reply | str":
    """Result of an act where no server runs; ends the command on a refusal."""
    from jackpot.api.act_reply import ActReply
    from jackpot.api.queries.people import AddPerson, EraseName, GiveCode, OneTimeCode
    from jackpot.auth.person_admin import PersonAdmin
    from jackpot.config.phrases import sentence_of
    from jackpot.rules.acts import erasure

    person_admin = PersonAdmin(auth)
    if isinstance(asked, GiveCode):
        given = await person_admin.give_code(people[0], asked.person)
        return OneTimeCode(person=given.person, code=given.code, until=given.until)
    if isinstance(asked, AddPerson):
        answer = await person_admin.add(people, asked.login, asked.name, asked.roles)
    else:
        act = erasure.EraseName(asked.person) if isinstance(asked, EraseName) else asked
        answer = await auth.act(auth.site, act, people)
        await person_admin.forget()
    if not answer.ok:
        return (await auth.directory.look()).in_names(sentence_of(answer.template, answer.values))
    return ActReply(asked=answer.asked, request=answer.request, person=answer.person)


async def _admin(auth: "AuthService", login: str) -> "AuthenticatedPerson":
    """A signer, authenticated by their own password."""
    secret = hidden(f"Password of {login}")
    digits = typer.prompt(f"Six digits of {login} (empty if there are none)", default="", show_default=False)
    return await auth.authenticate(login, secret, digits)


def _plain(login: str) -> str:
    from jackpot.rules import names

    return names.normal_form(login)


def _nobody(login: str) -> int:
    fail(f"nobody has the login {login}: jackpot users list shows who there is")
