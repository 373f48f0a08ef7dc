"""People join and leave a site from the command line, each with a secret of their own."""

import asyncio
import json
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import structlog
import typer
from typer.testing import CliRunner

from jackpot.app import Server
from jackpot.auth.person_admin import PersonAdmin
from jackpot.cli.__main__ import root
from jackpot.cli.options import PIPE_WIDTH, hidden
from jackpot.net import admin_socket
from jackpot.runtime.errors import Denied
from tests.auth.test_auth_service import journal
from tests.ledger.waiting import open_ledger
from tests.notify.heads import heads
from tests.running_server import administer, configure, on_loop
from tests.said import in_words

ANN, BEN, EVE = "correct horse battery", "staple of the trade", "everything was lost"
# What each of them types: secret and no digits.
BY_ANN, BY_BEN = f"{ANN}\n\n", f"{BEN}\n\n"
FIRST = f"ann\nAnn Arbor\n{ANN}\n{ANN}\nben\nBen Nevis\n{BEN}\n{BEN}\n"


async def users(config: Any, *words: str, typed: str = "") -> tuple[int, str]:
    """One `jackpot users` command; its exit code and all that it says."""

    def run() -> tuple[int, str]:
        command = ["users", *words, "--config", str(config.path)]
        done = CliRunner().invoke(root("users"), command, input=typed, env={"COLUMNS": str(PIPE_WIDTH)})
        return done.exit_code, done.output

    return await asyncio.to_thread(run)


async def ledger(config: Any) -> None:
    """A first start, and its end."""
    async with Server(config):
        pass


@on_loop
async def test_people_join_and_leave(tmp_path: Path) -> None:
    """The first two, a third with a role by both, a code, and the end of it; each step is journalled."""
    config = configure(tmp_path)
    assert (await users(config, "list"))[0] == 1, "there is no ledger"
    await ledger(config)
    code, said = await users(config, "init", typed=FIRST)
    assert (code, "ann and ben are admins" in said) == (0, True), said
    both = ("--by", "ann", "--and-by", "ben")
    steps: tuple[tuple[tuple[str, ...], str, str], ...] = (
        (("add", "cal", "--name", "Cal Orie", "--role", "floor", *both), BY_ANN + BY_BEN, "cal is added"),
        (("code", "cal", "--by", "ann"), BY_ANN, "the code of cal"),
        (("grant", "cal", "cage", *both), BY_ANN + BY_BEN, "cal is cage from now on"),
        (("withdraw", "cal", "cage", "--by", "ben"), BY_BEN, "cal is no longer cage"),
        (("reset", "ben", *both), BY_ANN + BY_BEN, "ben has no password any more"),
        (("recover", "eve"), f"{EVE}\n{EVE}\n", "eve is an admin"),
        (("end", "cal", "--by", "eve"), f"{EVE}\n\n", "cal has no access any more"),
    )
    for words, typed, expected in steps:
        code, said = await users(config, *words, typed=typed)
        assert (code, expected in said) == (0, True), said
        assert not any(secret in said for secret in (ANN, BEN, EVE))
    code, said = await users(config, "list", "--json")
    assert [(one["login"], one["name"], one["roles"], one["state"]) for one in json.loads(said)] == [
        ("ann", "Ann Arbor", ["admin"], "active"),
        ("ben", "Ben Nevis", ["admin"], "without a password"),
        ("cal", "Cal Orie", ["floor"], "ended"),
        ("eve", "eve", ["admin"], "active"),
    ]
    assert "4 people" in (await users(config, "list"))[1]
    both = ("--by", "eve", "--and-by", "ann")
    code, said = await users(config, "erase", "cal", *both, typed=f"{EVE}\n\n{ANN}\n\n")
    assert (code, "cal is erased" in said) == (0, True), said
    assert "person 3 (name erased)" in (await users(config, "list"))[1]
    assert journal(tmp_path)[1:] == [
        "people_begun",
        "person_added",
        "code_given",
        "granted",
        "role_withdrawn",
        "secret_reset",
        "recovered",
        "person_ended",
        "name_erased",
    ]


@on_loop
async def test_people_come_before_the_first_start(tmp_path: Path) -> None:
    """S3: `users init` on no ledger opens every bank, as a first start does; the start then opens links
    and warns of none.
    """
    config = configure(tmp_path)
    code, said = await users(config, "init", typed=FIRST)
    assert (code, "ann and ben are admins" in said) == (0, True), said
    with structlog.testing.capture_logs() as logs:
        async with Server(config):
            links = (await administer(config, do="/links"))["links"]
            assert [link["state"] for link in links] == ["active"]
    assert [line["log_level"] for line in logs if line["event"] == "link_opening"] == ["info"]


@on_loop
async def test_a_lost_ledger_is_not_begun_again(tmp_path: Path) -> None:
    """S3, S8: `users init` finds the heads that were signed of it; no other command makes a ledger."""
    config = configure(tmp_path, extra=heads(tmp_path))
    await ledger(config)
    for file in tmp_path.glob("ledger.db*"):
        file.unlink()
    recover = ("recover", "eve"), f"{EVE}\n{EVE}\n"
    for words, typed, expected in (
        (*recover, "the ledger is empty: if it was lost, bring it back"),
        (("end", "cal", "--by", "ann"), BY_ANN, "the ledger is empty"),
        (("init",), FIRST, "was signed, and the journal ends at row 0"),
        (*recover, "was signed, and the journal ends at row 0"),
    ):
        code, said = await users(config, *words, typed=typed)
        assert (code, expected in said) == (1, True), said
    with closing(open_ledger(config.ledger.url, readonly=True)) as found:
        assert found.banks() == []


@on_loop
async def test_what_is_refused_is_one_clear_line(tmp_path: Path) -> None:
    """A wrong secret, one admin for what takes two, nobody of that login, no such role, a second init."""
    config = configure(tmp_path)
    await ledger(config)
    await users(config, "init", typed=FIRST)
    for words, typed, expected in (
        (("init",), FIRST, "the site has people already"),
        (
            ("grant", "ben", "floor", "--by", "ann"),
            "wrong, wrong\n\n",
            "sign-in name, password or code is not right",
        ),
        (("grant", "cal", "floor", "--by", "ann"), BY_ANN, "nobody has the login cal"),
        (("grant", "ben", "boss", "--by", "ann"), "", "'boss' is no role"),
        (
            ("withdraw", "ann", "floor", "--by", "ann"),
            BY_ANN,
            in_words("role_not_held", person="Ann Arbor", role="floor"),
        ),
    ):
        code, said = await users(config, *words, typed=typed)
        assert (code, expected in said) == (1, True), said


@on_loop
async def test_a_running_server_keeps_its_people(tmp_path: Path) -> None:
    """Next to a server people are listed, and what changes them waits for its end; then names are refused."""
    config = configure(tmp_path)
    async with Server(config):
        code, said = await users(config, "init", typed=FIRST)
        assert (code, "not done: " in said) == (1, True), said
    await users(config, "init", typed=FIRST)
    async with Server(config):
        assert (await users(config, "list"))[0] == 0
        refused = await administer(config, do="suspend", cause="operator", links=[], reason="a look")
        assert refused["code"] == "no_person"


@on_loop
async def test_tokens_are_listed_and_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Access: whose they are, their roles and their end; one that is ended lets nobody in."""
    config = configure(tmp_path)
    await users(config, "init", typed=FIRST)
    async with Server(config) as server:
        ann = await server.auth.authenticate("ann", ANN)
        until = server.clock.unix_ms() + 60_000
        secrets = [await PersonAdmin(server.auth).make_token(ann, ("admin",), until) for _ in range(2)]
        code, said = await users(config, "tokens", "--json")
        assert [(one["token"], one["login"], one["roles"], one["until"]) for one in json.loads(said)] == [
            (1, "ann", ["admin"], until),
            (2, "ann", ["admin"], until),
        ]
    for words, typed, expected in (
        (("end-token", "9", "--by", "ann"), BY_ANN, in_words("token_unknown", token=9)),
        (("end-token", "1", "--by", "ben"), BY_BEN, "token 1 lets nobody in any more"),
    ):
        code, said = await users(config, *words, typed=typed)
        assert (code, expected in said) == (int("no token" in expected), True), said
    code, said = await users(config, "tokens")
    assert (code, "1 token" in said, "ann" in said) == (0, True, True)
    async with Server(config) as server:
        with pytest.raises(Denied):
            await server.auth.bearer(secrets[0])
        assert (await server.auth.bearer(secrets[1])).login == "ann"
        monkeypatch.setattr(admin_socket, "login_of", lambda _uid: "ben")
        code, ended = await users(config, "end-token", "2")
        assert (code, "token 2 lets nobody in any more" in ended) == (0, True), ended
        with pytest.raises(Denied):
            await server.auth.bearer(secrets[1])
    assert not any(secret in said for secret in secrets)


def test_a_password_is_read_from_a_pipe_without_a_word_of_python(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """cli/README: without a terminal nothing can be echoed, so nobody is warned that it may be."""
    monkeypatch.setattr("sys.stdin", StringIO(f"{ANN}\n{ANN}\r\n{BEN}\n{EVE}\n"))
    assert hidden("Password", twice=True) == ANN
    with pytest.raises(typer.Exit):
        hidden("Password", twice=True)
    told = capsys.readouterr()
    assert told.err == "the two entered values do not match\n"
    assert "Password: " in told.out
    assert ANN not in told.out
    with pytest.raises(typer.Abort):
        hidden("Password")
