"""A site before its first people: it believes no name, plays on, and says how the first are made."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
import structlog.testing
from msgspec.structs import replace
from typer.testing import CliRunner

from jackpot.api.operation import name_of
from jackpot.api.registry import ASKED_ACTS
from jackpot.app import Server
from jackpot.auth.auth_service import NOBODY_YET
from jackpot.auth.person_admin import PersonAdmin
from jackpot.cli.__main__ import root
from jackpot.config import Config, load
from jackpot.ledger.banks import open_banks
from jackpot.ledger.maintenance.join import Joining, join
from jackpot.ledger.open import opened as ledger_of
from jackpot.ledger.store import LedgerError
from jackpot.ledger.verify.verifier import verify
from jackpot.rules import registry
from jackpot.rules.acts.people import Grant
from jackpot.rules.codes import Code
from jackpot.rules.signing import SITE, People
from tests.api.example_acts import example
from tests.auth.test_auth_service import ANN, BEN, STOP, denied, opened
from tests.cli.test_users import EVE, FIRST, users
from tests.ledger.waiting import open_ledger
from tests.net.test_admin_socket import jackpot, royal
from tests.running_server import LINK, LINKS, administer, configure, on_loop, table
from tests.web.test_metrics import fetch

# As a configuration is that says nothing of people.
NOTHING_SAID: Final = ""
SIDE: Final = f'{LINKS.replace(LINK, "side").strip()}\nbank = "side"'
BY: Final = ("--by", "Ann")
WRONG: Final = "none of theirs at all"
BOTH: Final = (*BY, "--and-by", "Bo")


def strict(folder: Path, links: str = LINKS) -> Config:
    """A floor whose configuration says nothing of people."""
    return configure(folder, links=links, people=NOTHING_SAID)


async def troubles(server: Server) -> list[tuple[str, str]]:
    """Alerts with what comes next, by the floor page; devices that are away are left out."""
    found = json.loads((await fetch(server, "/floor.json"))[1])["troubles"]
    return [(one["what"], one["next"]) for one in found if "offline" not in one["what"]]


def rows(config: Config, bank: str = "main") -> int:
    """How many entries the bank has."""
    with closing(open_ledger(config.ledger.url, readonly=True)) as ledger:
        return ledger.head(bank).seq


@on_loop
async def test_no_act_is_done_for_a_name(tmp_path: Path) -> None:
    """A10, L8: whatever people may ask for is refused, with one name or two, and nothing of it happens."""
    config = strict(tmp_path)
    async with Server(config) as server, table(server) as device:
        await royal(device)
        before = rows(config)
        for kind in ASKED_ACTS:
            name = name_of(kind)
            for people in ({}, {"by": "Ann"}, {"by": "Ann", "and_by": "Bo"}):
                answer = await administer(config, do=name, **example(kind), **people)
                assert (answer["ok"], answer.get("code")) == (False, Code.NO_PEOPLE), (name, answer)
                assert answer["message"] == NOBODY_YET
                assert "jackpot users init" in answer["next"]
        assert rows(config) == before
        assert device.writer.transport.is_closing() is False, "its key is not ended for a moment either"
        assert (await administer(config, do="/hits/waiting"))["hits"], "its own user reads the ledger anyway"


@on_loop
async def test_no_way_around_the_requests_believes_a_name(tmp_path: Path) -> None:
    """L8: the auth service itself refuses names from every caller, until the first people are there."""
    config = strict(tmp_path)
    async with Server(config) as server:
        main = server.banks["main"]
        await denied(server.auth.act(main, STOP, ["ann"]), Code.NO_PEOPLE)
        await denied(server.auth.act(main, STOP, ["ann", "ben"]), Code.NO_PEOPLE)
        await denied(server.auth.act(main, STOP, []), Code.NO_PEOPLE)
        await PersonAdmin(server.auth).begin((ANN, BEN), "root")
        await denied(server.auth.act(main, STOP, ["ann"]), Code.NO_PERSON)


@on_loop
async def test_a_name_is_believed_where_the_configuration_says_so(tmp_path: Path) -> None:
    """People: `required = false` takes any name, until there are people."""
    async with opened(tmp_path, empty=True) as site:
        assert not site.server.config.people.required
        assert (await site.auth.act(site.main, STOP, ["ann"])).ok
        await site.person_admin.begin((ANN, BEN), "root")
        await denied(site.auth.act(site.main, STOP, ["ann"]), Code.NO_PERSON)


@pytest.mark.parametrize(
    "words",
    [
        ("bank", "open", "side", *BY),
        ("bank", "join", "main", "side", "--into", "floor", "--reason", "one room", *BY),
        ("ledger", "seal", "archive.db", "--reason", "books of then", *BOTH),
    ],
    ids=lambda words: " ".join(words[:2]),
)
@on_loop
async def test_no_command_writes_for_a_name_where_no_server_runs(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    """L8: it takes the lease itself, and believes nobody either; once there are people it goes on."""
    joined = words[1] == "join"
    async with Server(strict(tmp_path, f"{LINKS}\n{SIDE}" if joined else LINKS)):
        pass
    config = strict(tmp_path, f"{LINKS}\n{SIDE}")
    where = ("--config", str(config.path))
    words = tuple(str(tmp_path / word) if word == "archive.db" else word for word in words)
    code, _, error = await jackpot(*words, *where)
    assert (code, error) == (1, f"{NOBODY_YET}\n")
    with closing(open_ledger(config.ledger.url, readonly=True)) as ledger:
        assert ledger.banks() == (["main", "side", "site"] if joined else ["main", "site"])
    assert not (tmp_path / "archive.db").exists()
    code, said = await users(config, "init", typed=FIRST)
    assert (code, "ann and ben are admins" in said) == (0, True), said
    code, said = await typed(words, config, *2 * (WRONG,))
    assert (code, "not right" in said) == (1, True), said
    acts = [word if word not in ("Ann", "Bo") else {"Ann": "ann", "Bo": "ben"}[word] for word in words]
    code, said = await typed(acts, config, ANN.secret, BEN.secret)
    done = {"open": "bank side is open", "join": "suspend it first", "seal": "nothing to archive"}[words[1]]
    assert (code, done in said) == (joined, True), said


async def typed(words: Sequence[str], config: Config, *secrets: str) -> tuple[int, str]:
    """One command, with the password of each who acts and no digits; its exit code and all that it says."""

    def run() -> tuple[int, str]:
        command, given = [*words, "--config", str(config.path)], "".join(f"{one}\n\n" for one in secrets)
        done = CliRunner().invoke(root(words[0]), command, input=given)
        return done.exit_code, done.output

    return await asyncio.to_thread(run)


@on_loop
async def test_a_name_ends_no_bank_in_which_people_have_signed(tmp_path: Path) -> None:
    """L8, S8: the rules refuse it, and so does a second decision of its row."""
    config = strict(tmp_path, f"{LINKS}\n{SIDE}")
    async with Server(config) as server:
        await PersonAdmin(server.auth).begin((ANN, BEN), "root")
        ann, ben = [await server.auth.authenticate(one.login, one.secret) for one in (ANN, BEN)]
        assert (await server.auth.act(server.people, Grant(ann.id, "floor"), [ann, ben])).ok
        ann = await server.auth.authenticate(ANN.login, ANN.secret)
        for bank, link in (("main", LINK), ("side", "side")):
            assert (await server.auth.act(server.banks[bank], replace(STOP, links=(link,)), [ann])).ok
    async with ledger_of(config.ledger.url) as store:
        with pytest.raises(LedgerError, match="the people are those of row 0"):
            await join(store, ("main", "side"), Joining("floor", People(("ann",)), "one room", 1))
    words = ("bank", "join", "main", "side", "--into", "floor", "--reason", "one room", "--by", "ann")
    code, said = await typed(words, config, ANN.secret)
    assert (code, "main and side are floor now" in said) == (0, True), said
    with closing(open_ledger(config.ledger.url, readonly=True)) as ledger:
        for bank in ("main", "side"):
            (row,) = ledger.rows(bank, ledger.head(bank).seq - 1, 1)
            event: Any = registry.decode(row.kind, row.version, row.body)
            assert ([one.id for one in event.people.signed], event.people.names) == ([1], ())
            assert verify(ledger, bank).problems == ()


@on_loop
async def test_no_admin_is_made_in_place_of_the_first_two(tmp_path: Path) -> None:
    """S8: `users recover` is for a site that lost its admins, and not for one that never had any."""
    config = strict(tmp_path)
    async with Server(config):
        pass
    code, said = await users(config, "recover", "eve", typed=f"{EVE}\n{EVE}\n")
    assert (code, NOBODY_YET in said) == (1, True), said
    assert rows(config, SITE) == 2  # it is opened, and the program began


@on_loop
async def test_the_bank_of_the_people_itself_is_opened_before_there_are_any(tmp_path: Path) -> None:
    """S3: a ledger without it can have no people, so opening it takes none, and `users init` comes next."""
    config = strict(tmp_path)
    async with ledger_of(config.ledger.url) as store:
        await open_banks(store, ["main"], config.site.first_id, 1)
    where = ("--config", str(config.path))
    code, _, error = await jackpot("ledger", "seal", "x.db", "--reason", "then", *BOTH, *where)
    assert (code, "jackpot bank open site opens it" in error) == (1, True), error
    code, _, error = await jackpot("bank", "open", SITE, *BY, *where)
    assert code == 0, error
    code, said = await users(config, "init", typed=FIRST)
    assert (code, "ann and ben are admins" in said) == (0, True), said


@on_loop
async def test_a_server_without_people_plays_and_says_how_the_first_are_made(tmp_path: Path) -> None:
    """S4: readings, openings and rounds are nobody's acts. Log, floor page and sign-in say what is next."""
    config = strict(tmp_path)
    with structlog.testing.capture_logs() as logs:
        async with Server(config) as server, table(server) as device:
            await royal(device)
            (trouble,) = await troubles(server)
            assert trouble == ("Nobody may validate or pay a hit", NOBODY_YET)
            status, page = await fetch(server, "/ops/hits")
            assert (status, NOBODY_YET[1:] in page) == (200, True), "it leads to where people sign in"
            await PersonAdmin(server.auth).begin((ANN, BEN), "root")
            _, page = await fetch(server, "/ops/sign-in")
            assert NOBODY_YET[1:] not in page
    assert [log["do"] for log in logs if log["event"] == "no_people"] == [NOBODY_YET]
    with structlog.testing.capture_logs() as logs:
        async with Server(config) as server:
            assert await troubles(server) == []
    assert "no_people" not in [log["event"] for log in logs]


@on_loop
async def test_the_sign_in_page_says_it_in_spanish(tmp_path: Path) -> None:
    """Pages: what to do next stands there in the site's language."""
    config = strict(tmp_path)
    async with Server(replace(config, site=replace(config.site, locale="es_US"))) as server:
        _, page = await fetch(server, "/ops/sign-in")
        assert "Todavía no se conoce a nadie: jackpot users init" in page


def test_the_configuration_requires_people_unless_it_says_otherwise(tmp_path: Path) -> None:
    """People: required is the default; where it is not, `config check` and the log warn of it."""
    config = strict(tmp_path)
    assert (config.people.required, config.warnings) == (True, ())
    loose = load(configure(tmp_path).path)
    assert not loose.people.required
    (warning,) = loose.warnings
    assert warning == "people.required: until jackpot users init makes the first people, any name is believed"
