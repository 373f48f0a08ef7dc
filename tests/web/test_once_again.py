"""Idempotency of acts next to the journal, whichever server is asked again."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, Final, NamedTuple

import aiohttp
import pytest

from jackpot.api.http_call import act_of, with_idempotency_key
from jackpot.api.operation import BASE
from jackpot.api.queries.people import ChangeSecret
from jackpot.app import Server
from jackpot.auth.password_hashing import PasswordHashing
from jackpot.config import Config
from jackpot.ledger.journal import Row
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.web.authentication import CSRF_HEADER, PLAIN_COOKIE, page_token
from tests.auth.test_auth_service import QUICK
from tests.running_server import configure, on_loop
from tests.web.staffed import SECRET, prove, staffed, token

NEW = "another horse battery"
ADDED = {"login": "cy", "name": "Cy Young"}
# Each act, what it is asked with, what it is asked with otherwise, and whether by the session or a token.
ACTS: Final[dict[str, tuple[dict[str, Any], dict[str, Any], bool]]] = {
    "add-person": (ADDED, ADDED | {"name": "Cy Old"}, False),
    "give-code": ({"person": 3}, {"person": 2}, True),
    "make-token": ({"days": 1, "secret": SECRET, "roles": ["floor"]}, {"days": 2, "secret": SECRET}, True),
    "revoke": ({"device": "T01"}, {"device": "T02"}, False),
    "change-secret": ({"secret": SECRET, "new": NEW}, {"secret": SECRET, "new": NEW + "!"}, False),
}


class Asker(NamedTuple):
    """Ann, with a session and a token of hers. web: to the server."""

    web: aiohttp.ClientSession
    session: str
    token: str

    async def ask(self, act: str, body: Any, key: str) -> tuple[int, dict[str, Any]]:
        by = {"Authorization": f"Bearer {self.token}"}
        if ACTS[act][2]:
            by = {"Cookie": f"{PLAIN_COOKIE}={self.session}", CSRF_HEADER: page_token(self.session)}
        headers = {"Idempotency-Key": key, **by}
        async with self.web.post(f"{BASE}/acts/{act}", json=body, headers=headers) as answer:
            return answer.status, await answer.json()


@asynccontextmanager
async def asking(server: Server, session: str, token: str) -> AsyncIterator[Asker]:
    async with aiohttp.ClientSession(f"http://127.0.0.1:{server.ports['http']}") as web:
        yield Asker(web, session, token)


@asynccontextmanager
async def again(config: Config) -> AsyncIterator[Server]:
    """Starts the next server on that ledger."""
    async with Server(config) as server:
        server.auth.hashing.close()
        server.auth.hashing = PasswordHashing(QUICK)
        yield server


@on_loop
async def test_it_is_done_once_also_by_the_next_server(tmp_path: Path) -> None:
    """S5: 200 and 200 again; what is told once alone says when it was done. Another act is refused."""
    config, key, first = configure(tmp_path), uuid.uuid4().hex, {}
    async with staffed(config) as server:
        session = (await server.auth.begin(await prove(server, "ann"))).token
        mine = await token(server)
        async with asking(server, session, mine) as ann:
            for act, (body, _, _) in ACTS.items():
                status, first[act] = await ann.ask(act, body, f"{key}-{act}")
                assert status == 200, (act, first[act])
            rows = durable(server)
            told = {act: (await ann.ask(act, ACTS[act][0], f"{key}-{act}"))[1] for act in untold(first)}
        assert durable(server) == rows
    async with again(config) as server:
        async with asking(server, session, mine) as ann:
            for act in untold(first):
                body, other, _ = ACTS[act]
                assert await ann.ask(act, body, f"{key}-{act}") == (200, told[act])
                status, said = await ann.ask(act, other, f"{key}-{act}")
                assert (status, said["code"]) == (422, "key_used"), act
        assert durable(server)["site"] == rows["site"] + 1  # the program of its epoch
        assert (await server.auth.sign_in("ann", NEW)).person.login == "ann"
    assert (first["add-person"], first["revoke"], first["change-secret"]) == (
        told["add-person"], told["revoke"], told["change-secret"],
    )  # fmt: skip
    assert first["add-person"]["person"] == 3
    assert len(first["revoke"]["revoked"]) == 1


def untold(first: dict[str, Any]) -> list[str]:
    """The acts that are asked for again; what begins with the session ended with the password."""
    return [act for act in first if not ACTS[act][2]]


@on_loop
@pytest.mark.parametrize(("act", "secret"), [("give-code", "code"), ("make-token", "secret")])
async def test_what_is_told_once_is_not_told_again(tmp_path: Path, act: str, secret: str) -> None:
    """S5: the answer says that it was done, when, and how to make another; no code and no token is kept."""
    config, key, body = configure(tmp_path), uuid.uuid4().hex, ACTS[act][0]
    async with staffed(config) as server:
        session = (await server.auth.begin(await prove(server, "ann"))).token
        async with asking(server, session, await token(server)) as ann:
            assert (await ann.ask("add-person", ADDED, "add"))[0] == 200
            status, first = await ann.ask(act, body, key)
            assert (status, len(first[secret]) > 10, "done_already" in first) == (200, True, False)
            here = await ann.ask(act, body, key)
    async with again(config) as server, asking(server, session, "") as ann:
        status, said = await ann.ask(act, body, key)
        assert (status, said) == here
        assert (status, said["done_already"], secret in said) == (200, True, False)
        assert "under a new key" in said["then"]
        assert (await ann.ask(act, ACTS[act][1], key))[1]["code"] == "key_used"
        another = (await ann.ask(act, body, uuid.uuid4().hex))[1]
        assert another[secret] != first[secret]
    at = {row.at for row in rows_of(tmp_path)}
    assert said["at"] in at


@on_loop
async def test_no_password_can_be_guessed_from_a_digest(tmp_path: Path) -> None:
    """Misuse: who reads the journal knows what was asked, but for the password, and guesses that one."""
    config = configure(tmp_path)
    async with staffed(config) as server:
        mine = await token(server)
        before = len(rows_of(tmp_path))
        async with asking(server, "", mine) as ann:
            assert (await ann.ask("change-secret", ACTS["change-secret"][0], "guessable"))[0] == 200
        fast = await fast_digest(server, mine)
    (row,) = rows_of(tmp_path)[before:]
    assert row.digest[-8:] == fast[-8:]
    assert row.digest[:-8] != fast[:-8]


async def fast_digest(server: Server, mine: str) -> bytes:
    """The digest of that request before its password is hidden."""
    person = await server.auth.bearer(mine)
    asked = act_of(ChangeSecret, ACTS["change-secret"][0], person)
    return with_idempotency_key(asked, person, "guessable").digest


def durable(server: Server) -> dict[str, int]:
    """The last entry of each bank."""
    return {bank.name: bank.sequencer.durable_seq for bank in (server.people, server.banks["main"])}


def rows_of(folder: Path) -> list[Row]:
    """The entries of the bank of the people."""
    with closing(SqliteLedger(folder / "ledger.db", readonly=True)) as ledger:
        return ledger.rows("site", 0, 1_000)
