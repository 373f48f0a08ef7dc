"""`jackpot users` acts through the server where one runs, and by itself where none does."""

import asyncio
import getpass
import re
from contextlib import closing
from pathlib import Path

import pytest
from typer import Exit

from jackpot.api.act_reply import ActReply
from jackpot.api.http_call import with_idempotency_key
from jackpot.api.operation import OperationCall
from jackpot.app import Server
from jackpot.cli.person_admin import signers
from jackpot.ledger.open import opened
from jackpot.rules.acts.requests import Confirm
from jackpot.rules.signing import SITE
from tests.auth.test_auth_service import journal
from tests.cli.test_users import BEN, BY_ANN, FIRST, ledger, users
from tests.ledger.people import Paper
from tests.ledger.waiting import open_ledger
from tests.running_server import configure, on_loop
from tests.said import in_words


@on_loop
async def test_one_admin_asks_and_is_told_who_answers(tmp_path: Path) -> None:
    """Without a server too: what takes two waits under its number, and is not done."""
    config = configure(tmp_path)
    await ledger(config)
    await users(config, "init", typed=FIRST)
    code, said = await users(config, "grant", "ben", "floor", "--by", "ann", typed=BY_ANN)
    assert (code, "site-1: asked for, and not done" in said) == (0, True), said
    assert "--and-by LOGIN" in said


@on_loop
async def test_next_to_a_server_a_login_asks_and_a_second_person_confirms(tmp_path: Path) -> None:
    """One asks by their login on this machine, which gives no code; the other confirms what is printed."""
    me = getpass.getuser()
    config = configure(tmp_path)
    await ledger(config)
    await users(config, "init", typed=FIRST.replace("ann", me, 1))
    async with Server(config) as server:
        ben = await server.auth.authenticate("ben", BEN)

        async def step(*words: str) -> str:
            code, said = await users(config, *words)
            assert code == 0, said
            return said

        async def confirmed(said: str) -> None:
            found = re.search(r"(site-\d+): asked for, and not done.* at (\S*)/ops/requests\n", said)
            assert found is not None, said
            act = Confirm(found[1])
            done = await server.acts.carry_out(
                with_idempotency_key(OperationCall(act, (ben,), SITE), ben, repr(act))
            )
            assert isinstance(done, ActReply)

        assert "cal is added" in await step("add", "cal", "--name", "Cal Orie")
        await confirmed(await step("grant", "cal", "floor"))
        await confirmed(await step("add", "dan", "--role", "cage"))
        assert "dan is no longer cage" in await step("withdraw", "dan", "cage")
        assert "dan has no access any more" in await step("end", "dan")
        await confirmed(await step("erase", "dan"))
        await confirmed(await step("reset", "ben"))
        assert "cal is erased" not in (await users(config, "erase", "cal"))[1]
        assert "dan is added" in await step("add", "dan")
        for words, expected in (
            (("code", "dan"), in_words("code_needs_own_password")),
            (("end", "cal", "--by", "ben"), "knows you by your login name"),
            (("end", "eve"), "nobody has the login eve"),
            (("withdraw", "cal", "cage"), in_words("role_not_held", person="Cal Orie", role="cage")),
            (("end", me), in_words("last_admin", person="Ann Arbor")),
        ):
            code, said = await users(config, *words)
            assert (code, expected in said) == (1, True), said
    assert journal(tmp_path)[3:] == [
        "requested", "granted", "requested", "person_added", "role_withdrawn", "person_ended",
        "requested", "name_erased", "requested", "secret_reset", "person_added", "act_refused",
        "act_refused", "act_refused",
    ]  # fmt: skip


def test_nobody_signs_in_where_a_server_has_the_people(
    database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """S4, S8: an act on another bank takes the people's bank from no server that runs."""
    with closing(open_ledger(database)) as begun:
        Paper().write(begun)

    @on_loop
    async def asked() -> None:
        async with opened(database) as server, opened(database) as command:
            head = await server.new_epoch(SITE, "a server")

            done = asyncio.Event()

            async def at_work() -> None:
                while not done.is_set():
                    await server.beat(SITE, head.epoch)

            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(at_work())
                with pytest.raises(Exit):
                    await signers(command, database, "ann")
                done.set()
            assert (await server.head(SITE)).epoch == head.epoch

    asked()
    assert "a server is writing bank site: stop it first" in capsys.readouterr().err
