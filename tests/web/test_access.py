"""Is nobody let in who has not signed in, by a safe way, from a page of ours?"""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from jackpot.app import Server
from jackpot.clock import Clock
from jackpot.server.asks.ask import BASE
from jackpot.server.asks.registry import ASKED_ACTS, QUESTIONS
from jackpot.server.asks.target import Target, target_of
from jackpot.server.gate import OF_ONE
from jackpot.web.access import PLAIN_COOKIE, SECURE_COOKIE, page_token
from jackpot.web.api import REQUEST_MOST
from tests.server.bed import LINKS, configure, on_loop, table
from tests.server.test_admin import ROYAL, royal
from tests.server.test_people import change
from tests.web.staffed import SECRET, staffed, token

PAGES = (
    "",
    "/hits",
    "/hits/main/H1",
    "/links/floor-five",
    "/tables/T01",
    "/requests",
    "/people",
    "/people/1",
    "/account",
    "/journal",
    "/reports",
    "/reports/slip?hit=H1",
    "/readings",
    "/lab",
    "/lab/return-mega.svg",
)
KEY = {"Idempotency-Key": "one"}


@asynccontextmanager
async def floor(
    folder: Path, extra: str = "", clock: Clock | None = None, links: str = LINKS
) -> AsyncIterator[tuple[Server, aiohttp.ClientSession]]:
    """A server where ann and bo may sign in, and a browser without scripts."""
    jar = aiohttp.CookieJar(unsafe=True)
    async with staffed(configure(folder, links=links, extra=extra), clock) as server:
        at = f"http://127.0.0.1:{server.ports['http']}"
        async with aiohttp.ClientSession(at, cookie_jar=jar) as web:
            yield server, web


async def signed_in(web: aiohttp.ClientSession, **more: str) -> Any:
    data = {"login": "ann", "secret": SECRET, **more}
    return await web.post("/ops/sign-in", data=data, allow_redirects=False)


def routes() -> list[Target]:
    """Every ask, with fields that fit its path."""
    fields = {"link": "floor-five", "table": "T01", "hit": "H1", "act": "undo"}
    kinds = (*QUESTIONS, *ASKED_ACTS)
    return [
        target_of(kind, {name: value for name, value in fields.items() if name in kind.__struct_fields__})
        for kind in kinds
    ]


@on_loop
async def test_without_a_session_nothing_is_answered(tmp_path: Path) -> None:
    """S5, access: every route of the API says 401, every page leads to the door; nobody's name is told."""
    async with floor(tmp_path) as (_, web):
        for target in routes():
            async with web.request(
                target.method, BASE + target.path, json=target.body, headers=KEY
            ) as answer:
                assert (answer.status, answer.content_type) == (401, "application/problem+json"), target
                said = await answer.json()
                assert (said["code"], said["status"]) == ("no_person", 401)
        for page in PAGES:
            async with web.get(f"/ops{page}", allow_redirects=False) as answer:
                assert (answer.status, answer.headers["Location"][:17]) == (303, "/ops/sign-in?back")
        async with web.post("/ops/acts/validate", data={"hit": "H1"}, allow_redirects=False) as answer:
            assert answer.headers["Location"].startswith("/ops/sign-in")


@on_loop
async def test_a_program_with_a_token_asks_and_acts(tmp_path: Path) -> None:
    """Access: a token needs no cookie and no page; a wrong one is none."""
    async with floor(tmp_path) as (server, web), table(server) as device:
        await royal(device)
        mine = {"Authorization": f"Bearer {await token(server)}", **KEY}
        async with web.get(f"{BASE}/hits/H1", headers=mine) as answer:
            assert (await answer.json())["amount"] == "10000.18"
        for _ in range(2):
            async with web.post(f"{BASE}/acts/validate", json={"hit": "H1"}, headers=mine) as answer:
                assert (answer.status, (await answer.json())["hit"]) == (200, "H1")
        async with web.post(
            f"{BASE}/acts/pay", json={"hit": "H1", "document": "W-1", "by": "Cy"}, headers=mine
        ) as answer:
            assert (answer.status, (await answer.json())["field"]) == (400, "by")
        async with web.get(f"{BASE}/hits/H1", headers={"Authorization": "Bearer other"}) as answer:
            assert answer.status == 401


@on_loop
async def test_a_session_is_kept_by_the_browser_and_ends(tmp_path: Path) -> None:
    """Access: HttpOnly, SameSite=Strict; a wrong password opens nothing; signed out it is worth nothing."""
    async with floor(tmp_path) as (_, web):
        async with await signed_in(web, secret="guess") as answer:
            assert answer.status == 403
            assert "login, password or code is not right" in await answer.text()
            assert not answer.cookies
        async with await signed_in(web, back="/ops/hits") as answer:
            assert (answer.status, answer.headers["Location"]) == (303, "/ops/hits")
            cookie = answer.cookies[PLAIN_COOKIE]
            assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Strict", "/")
        async with web.get("/ops") as answer:
            page = await answer.text()
            assert answer.headers["Cache-Control"] == "no-store"
            assert "form-action 'self'" in answer.headers["Content-Security-Policy"]
            assert "frame-ancestors 'self'" in answer.headers["Content-Security-Policy"]
        assert page_token(cookie.value) in page
        assert cookie.value not in page
        out = {"page": page_token(cookie.value)}
        async with web.post("/ops/sign-out", data=out, allow_redirects=False) as answer:
            assert answer.headers["Location"] == "/ops/sign-in"
        headers = {"Cookie": f"{PLAIN_COOKIE}={cookie.value}"}
        async with web.get("/ops", headers=headers, allow_redirects=False) as answer:
            assert answer.status == 303


@on_loop
async def test_another_sites_page_does_nothing_with_a_session(tmp_path: Path) -> None:
    """CSRF: without the page's token, or from another origin, an act is refused and nothing is journalled."""
    async with floor(tmp_path) as (server, web), table(server) as device:
        await royal(device)
        async with await signed_in(web) as answer:
            own_page = page_token(answer.cookies[PLAIN_COOKIE].value)
        seq = server.writers["main"].core.durable_seq
        good = {"hit": "H1", "page": own_page}
        for data, origin in (
            ({"hit": "H1"}, None),
            ({"hit": "H1", "page": "guess"}, None),
            (good, "http://evil.example"),
            (good, "null"),
        ):
            headers = {} if origin is None else {"Origin": origin}
            async with web.post("/ops/acts/validate", data=data, headers=headers) as answer:
                assert answer.status == 403
        async with web.post(f"{BASE}/acts/validate", json={"hit": "H1"}, headers=KEY) as answer:
            assert answer.status == 403
        async with web.post("/ops/sign-in", data={"login": "ann"}, headers={"Origin": "null"}) as answer:
            assert answer.status == 403
        assert server.writers["main"].core.durable_seq == seq
        own = {"Origin": f"http://127.0.0.1:{server.ports['http']}"}
        async with web.post("/ops/acts/validate", data=good, headers=own, allow_redirects=False) as answer:
            assert answer.status == 303
        assert server.writers["main"].core.durable_seq == seq + 1


@on_loop
async def test_secrets_travel_by_a_safe_way_alone(tmp_path: Path) -> None:
    """Access: through a proxy that nobody named the door says how TLS is switched on, and takes no secret."""
    async with floor(tmp_path) as (server, web):
        passed = {"X-Forwarded-For": "10.1.2.3", "X-Forwarded-Proto": "https"}
        async with web.get("/ops/sign-in", headers=passed) as answer:
            assert answer.status == 403
            assert "give [listen.tls] a certificate" in await answer.text()
        data = {"login": "ann", "secret": SECRET}
        async with web.post("/ops/sign-in", data=data, headers=passed) as answer:
            assert (answer.status, len(answer.cookies)) == (403, 0)
        mine = {"Authorization": f"Bearer {await token(server)}", **passed}
        async with web.get(f"{BASE}/site", headers=mine) as answer:
            assert answer.status == 403
    (tmp_path / "other").mkdir()
    async with floor(tmp_path / "other", 'proxies = ["127.0.0.1"]') as (_, web):
        answer = await web.post("/ops/sign-in", data=data, headers=passed, allow_redirects=False)
        cookie = answer.cookies[SECURE_COOKIE]
        assert (cookie["secure"], cookie["path"], cookie["domain"]) == (True, "/", "")
        answer.close()


@on_loop
async def test_what_cannot_be_done_with_a_hit_does_no_harm(tmp_path: Path) -> None:
    """Misuse: a sum that was not won, a second payment or undo, a huge body: a clear no, journalled."""
    async with floor(tmp_path) as (server, web), table(server) as device:
        await royal(device)
        bank = server.writers["main"]
        mine = {"Authorization": f"Bearer {await token(server)}"}

        async def refused(act: str, **fields: str | int) -> tuple[int, str, bool]:
            """The status, the field or code, and whether the refusal is in the journal."""
            seq = bank.core.durable_seq
            headers = {**mine, "Idempotency-Key": uuid.uuid4().hex}
            async with web.post(f"{BASE}/acts/{act}", json=fields, headers=headers) as answer:
                said = await answer.json()
            return answer.status, said.get("field") or said.get("code", ""), bank.core.durable_seq > seq

        assert await refused("pay", hit="H1", amount="99999.00") == (400, "amount", False)
        assert await refused("pay", hit="H1", document="W-1") == (409, "hit", True)
        assert (await refused("validate", hit="H1"))[0] == 200
        assert await refused("pay", hit="H1", document="W-1") == (400, "seat", True)
        for seat in (1, 2):
            assert (await refused("pay", hit="H1", document=f"W-{seat}", seat=seat))[0] == 200
        assert await refused("pay", hit="H1", document="W-1") == (409, "paid", True)
        assert await refused("undo", hit="H1", reason="again") == (409, "paid", True)
        device.wager(3, "R2", 1, 2, lock=True)
        device.say(t="settle", seq=4, round="R2", hands=[ROYAL], board=["Js", "Ts"], close=True)
        assert (await device.answer(4))["t"] == "ack"
        assert (await refused("undo", hit="H2", reason="misdeal"))[0] == 200
        assert await refused("undo", hit="H2", reason="misdeal") == (409, "undone", True)
        assert await refused("pay", hit="H2", document="W-1") == (409, "undone", True)
        assert await refused("dispute", hit="H2", reason="x") == (409, "hit", True)
        more = {"award": "A1", "amount": "1000000000.01", "reason": "x", "document": "W-1", "bank": "main"}
        assert await refused("correct", **more) == (400, "amount", False)
        assert await refused("pay", hit="H1", document="W-1", patron="x" * REQUEST_MOST) == (413, "", False)
        assert await refused("pay", hit="H1", document="W-1", patron="Pat\nRon") == (400, "patron", False)


@on_loop
async def test_who_came_in_before_is_not_locked_out_by_a_neighbour(tmp_path: Path) -> None:
    """Misuse: behind one address a stranger's wrong guesses shut the strangers' way alone."""
    async with floor(tmp_path) as (_, web):
        async with await signed_in(web) as answer:
            assert answer.status == 303
        at = str(web._base_url)
        async with aiohttp.ClientSession(at, cookie_jar=aiohttp.CookieJar(unsafe=True)) as stranger:
            for _ in range(OF_ONE):
                async with await signed_in(stranger, secret="guess") as answer:
                    assert "is not right" in await answer.text()
            async with await signed_in(stranger) as answer:
                assert "failed too often from here" in await answer.text()
        async with await signed_in(web) as answer:
            assert answer.status == 303


@on_loop
async def test_while_the_people_cannot_be_read_everybody_is_told_so(tmp_path: Path) -> None:
    """DESIGN 4: pages and programs hear that the ledger does not answer; it is no fault of the server's."""
    lost = "UPDATE head SET hash = zeroblob(32) WHERE bank = (SELECT id FROM bank WHERE name = 'site')"
    async with floor(tmp_path) as (server, web):
        program = {"Authorization": f"Bearer {await token(server)}"}
        (await signed_in(web)).close()
        await asyncio.to_thread(change, tmp_path, lost)
        for at in ("/ops", "/ops/hits", "/ops/account"):
            async with web.get(at, allow_redirects=False) as page:
                assert (page.status, "the ledger does not answer" in await page.text()) == (503, True)
        async with web.post("/ops/acts/suspend", data={"page": "guess"}) as page:
            assert page.status == 503
        async with await signed_in(web) as page:
            assert (page.status, "the head names" in await page.text()) == (503, False)
        async with web.get(f"{BASE}/links", headers=program) as answer:
            told = await answer.json()
            assert (answer.status, told["code"], told["next"]) == (503, "ledger", "ask again later")
            assert str(tmp_path) not in told["detail"]
