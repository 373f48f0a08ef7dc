"""The HTTP API: answers as documented, acts once for each key, and problems that name what is wrong."""

import asyncio
import json
from pathlib import Path
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from jackpot.api.admin_client import HttpAnswer, exchange
from jackpot.api.executor import OperationExecutor
from jackpot.api.http_call import HttpCall, target_of
from jackpot.api.operation import BASE, BadRequest, NotDone, OperationCall, Reply
from jackpot.api.queries.payouts import Correct, Pay, Validate
from jackpot.api.registry import ASKED_ACTS
from jackpot.app import Server
from jackpot.ledger.store import LedgerError
from jackpot.rules.codes import OF_ACTS
from jackpot.runtime.errors import Denied
from jackpot.web.api import REQUEST_MAX, ApiSource, api
from tests.net.test_admin_socket import pay, royal
from tests.running_server import administer, configure, on_loop, table


async def asked(server: Server, target: HttpCall, key: str | None = None) -> HttpAnswer:
    return await asyncio.to_thread(exchange, server.config.listen.admin, target, key)


async def raw(server: Server, request: str) -> tuple[int, dict[str, Any]]:
    """Sends a request as it is written; the raw answer."""
    reader, writer = await asyncio.open_unix_connection(server.config.listen.admin)
    writer.write(request.replace("\n", "\r\n").encode())
    head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    await writer.wait_closed()
    assert b"content-type: application/problem+json" in head.lower()
    return int(head.split()[1]), json.loads(body)


def post(name: str, body: str, *headers: str) -> str:
    lines = [f"POST /api/v1/acts/{name} HTTP/1.1", "Host: localhost", "Connection: close", *headers]
    return "\n".join([*lines, f"Content-Length: {len(body)}", "", body])


JSON = "Content-Type: application/json"
KEY = "Idempotency-Key: k"
TWO = {"by": "Ann", "and_by": "Bo"}


@on_loop
async def test_an_act_that_is_sent_twice_is_done_once(tmp_path: Path) -> None:
    """S5: a program that lost the answer asks again with its key; another act with that key is refused."""
    config = configure(tmp_path)
    async with Server(config) as server, table(server) as device:
        await royal(device)
        validate = target_of(Validate, {"hit": "H1"})
        first = await asked(server, validate, "one")
        seq = server.banks["main"].sequencer.durable_seq
        assert (first.ok, first.said["awards"][0]["status"]) == (True, "validated")
        assert await asked(server, validate, "one") == first
        assert server.banks["main"].sequencer.durable_seq == seq
        other = await asked(server, target_of(Pay, {"hit": "H1", "document": "W-1"}), "one")
        assert (other.status, other.said["code"]) == (422, "key_used")
        assert (await asked(server, validate, "two")).said["code"] == "not_pending"
    async with Server(config) as server:  # the journal remembers
        assert await asked(server, validate, "one") == first


@on_loop
async def test_a_correction_says_what_is_journalled_against_a_paid_award(tmp_path: Path) -> None:
    """A10: by this correction and by all of them, as the hit is shown; the same where it is sent again."""
    config = configure(tmp_path)

    async def correct(server: Server, amount: str) -> dict[str, Any]:
        fix = {"award": "A1", "amount": amount, "document": "W-9", "reason": "misread", **TWO}
        answer = await asked(server, target_of(Correct, fix), amount)
        assert answer.ok, answer
        return answer.said

    async with Server(config) as server, table(server) as device:
        await royal(device)
        assert (await administer(config, do="validate", hit="H1"))["ok"]
        await pay(config)
        first = await correct(server, "10049.97")
        assert (first["difference"], first["awards"][0]["difference"]) == ("49.79", "49.79")
        second = await correct(server, "10040.18")
        assert (second["difference"], second["awards"][0]["difference"]) == ("-9.79", "40.00")
        shown = (await administer(config, do="/hits/{hit}", hit="H1"))["awards"]
        assert shown[0]["difference"] == "40.00"
    async with Server(config) as server:
        assert await correct(server, "10049.97") == first


@on_loop
async def test_an_act_of_the_server_is_done_once_too(tmp_path: Path) -> None:
    """S5: a key that was revoked under a key is told as revoked again, and not as unknown."""
    async with Server(configure(tmp_path)) as server:
        request = {"do": "revoke", "device": "T01", "once": "k"}
        first = await administer(server.config, **request)
        assert (first["ok"], len(first["revoked"])) == (True, 1)
        assert await administer(server.config, **request) == first
        assert (await administer(server.config, **request | {"device": "T02"}))["code"] == "key_used"
        assert not (await administer(server.config, do="revoke", device="T01"))["ok"]


@on_loop
async def test_a_request_that_is_none_is_a_problem_that_says_why(tmp_path: Path) -> None:
    """RFC 9457: its status, its code, the field, and what comes next; the server goes on."""
    validate = '{"hit": "H1"}'
    deep = '{"hit": ' + "[" * 30_000 + "]" * 30_000 + "}"
    wrong = {
        post("validate", validate, JSON): (400, "bad_request", "Idempotency-Key"),
        post("validate", validate, JSON, f"Idempotency-Key: {'k' * 65}"): (
            400,
            "bad_request",
            "Idempotency-Key",
        ),
        post("validate", validate, KEY): (415, "", None),
        post("validate", validate, KEY, "Content-Type: text/plain"): (415, "", None),
        post("validate", "[1]", KEY, JSON): (400, "bad_request", "body"),
        post("validate", '{"hit"', KEY, JSON): (400, "bad_request", "body"),
        post("validate", deep, KEY, JSON): (400, "bad_request", "body"),
        post("validate", " " * REQUEST_MAX + validate, KEY, JSON): (413, "", None),
        post("validate", "{}", KEY, JSON): (400, "bad_request", "hit"),
        post("validate", '{"colour": 1}', KEY, JSON): (400, "bad_request", "colour"),
        post("validate", validate, KEY, JSON): (404, "no_such_hit", "hit"),
        post("open-link", "{}", KEY, JSON): (404, "", None),
        "GET /api/v1/acts/validate HTTP/1.1\nHost: localhost\nConnection: close\n\n": (405, "", None),
        "GET /api/v1/hits?limit=1&limit=2 HTTP/1.1\nHost: localhost\nConnection: close\n\n": (
            400,
            "bad_request",
            "limit",
        ),
        "GET /api/v1/tables/..%2f.. HTTP/1.1\nHost: localhost\nConnection: close\n\n": (
            400,
            "bad_request",
            "table",
        ),
    }
    async with Server(configure(tmp_path)) as server:
        for request, (status, code, field) in wrong.items():
            answered, said = await raw(server, request)
            assert (answered, said["status"], said["code"], said.get("field")) == (
                status,
                status,
                code,
                field,
            ), said
            assert said["detail"]
            if status in (404, 405):  # where no path or method answers, too
                assert said["next"], said
            assert said["title"]
        assert (await administer(server.config, do="/site"))["name"] == "Test"


class Refusing(OperationExecutor):
    """An API source that refuses whatever is asked, for one reason."""

    def __init__(self, refusal: NotDone | Denied | BadRequest | LedgerError) -> None:
        self.refusal = refusal

    async def carry_out(self, _request: OperationCall) -> Reply:
        raise self.refusal


def refusals() -> list[NotDone | Denied | BadRequest | LedgerError]:
    """Every refusal of an operation, with every code; one of them by a server whose address is known."""
    said = [NotDone(code, "no", server=server) for code in OF_ACTS for server in ("", "b", "c")]
    return [*said, *(Denied(code, "no") for code in OF_ACTS), BadRequest("no"), LedgerError("no")]


@on_loop
async def test_a_problem_has_the_status_of_its_answer() -> None:
    """RFC 9457: a program that reads the body alone learns the same, whatever the code."""

    async def who(_request: web.Request) -> str:
        return "ann"

    acts = Refusing(BadRequest("no"))
    app = web.Application()
    app.add_subapp(BASE, api(ApiSource(acts, who, "http", {"b": "http://127.0.0.1:9"})))
    seen = set()
    async with TestClient(TestServer(app)) as client:
        for refusal in refusals():
            acts.refusal = refusal
            async with client.get(f"{BASE}/site", allow_redirects=False) as answer:
                assert answer.content_type == "application/problem+json"
                assert (await answer.json())["status"] == answer.status, refusal
                seen.add(answer.status)
    assert seen == {*(about.status for about in OF_ACTS.values()), 307, 401}


@on_loop
async def test_every_act_has_its_route(tmp_path: Path) -> None:
    """A10, S4: an act without fields is refused for a field of its own, or for who may do it: it is known."""
    async with Server(configure(tmp_path)) as server:
        for kind in ASKED_ACTS:
            answer = await asked(server, target_of(kind, {}))
            assert answer.said["code"] in {"bad_request", "bank_stopped"}, (kind, answer)
