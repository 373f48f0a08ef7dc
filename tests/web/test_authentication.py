"""Authentication of HTTP requests: sessions, tokens, unsafe ways, and other sites' pages."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from multidict import CIMultiDict

from jackpot.api.http_call import HttpCall, target_of
from jackpot.api.operation import BASE
from jackpot.api.registry import ASKED_ACTS, QUESTIONS
from jackpot.app import Server
from jackpot.auth.auth_service import SESSION_IDLE_MS, Credentials
from jackpot.auth.login_rate_limiter import OF_LOGIN, OF_ONE
from jackpot.auth.person_admin import PersonAdmin
from jackpot.clock import Clock
from jackpot.rules.codes import Code
from jackpot.runtime.errors import Denied
from jackpot.web.api import REQUEST_MAX
from jackpot.web.authentication import DEVICE_COOKIE, PLAIN_COOKIE, SECURE_COOKIE, page_token
from tests.auth.test_auth_service import change
from tests.net.test_admin_socket import ROYAL, royal
from tests.running_server import LINKS, StepClock, configure, on_loop, table
from tests.web.staffed import SECRET, done, prove, staffed, token

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
    "/director",
    "/lab",
    "/lab/return-mega.svg",
)
KEY = {"Idempotency-Key": "one"}


@asynccontextmanager
async def floor(
    folder: Path, extra: str = "", clock: Clock | None = None, links: str = LINKS, of_tables: str = ""
) -> AsyncIterator[tuple[Server, aiohttp.ClientSession]]:
    """A server where ann and bo may sign in, and a browser without scripts."""
    jar = aiohttp.CookieJar(unsafe=True)
    async with staffed(configure(folder, links=links, extra=extra, of_tables=of_tables), clock) as server:
        at = f"http://127.0.0.1:{server.ports['http']}"
        async with aiohttp.ClientSession(at, cookie_jar=jar) as web:
            yield server, web


async def signed_in(web: aiohttp.ClientSession, **more: str) -> Any:
    data = {"login": "ann", "secret": SECRET, **more}
    return await web.post("/ops/sign-in", data=data, allow_redirects=False)


def routes() -> list[HttpCall]:
    """Every operation, with fields that fit its path."""
    fields = {"link": "floor-five", "table": "T01", "hit": "H1", "act": "undo"}
    kinds = (*QUESTIONS, *ASKED_ACTS)
    return [
        target_of(kind, {name: value for name, value in fields.items() if name in kind.__struct_fields__})
        for kind in kinds
    ]


@on_loop
async def test_without_a_session_nothing_is_answered(tmp_path: Path) -> None:
    """S5, access: every route of the API says 401, every page leads to sign-in; nobody's name is told."""
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
            assert "ign-in name, password or code is not right" in await answer.text()
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
        seq = server.banks["main"].sequencer.durable_seq
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
        assert server.banks["main"].sequencer.durable_seq == seq
        own = {"Origin": f"http://127.0.0.1:{server.ports['http']}"}
        async with web.post("/ops/acts/validate", data=good, headers=own, allow_redirects=False) as answer:
            assert answer.status == 303
        assert server.banks["main"].sequencer.durable_seq == seq + 1


@on_loop
async def test_secrets_travel_by_a_safe_way_alone(tmp_path: Path) -> None:
    """Access: through an unnamed proxy the sign-in page says how TLS is switched on, and takes no secret."""
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
        bank = server.banks["main"]
        mine = {"Authorization": f"Bearer {await token(server)}"}

        async def refused(act: str, **fields: str | int) -> tuple[int, str, bool]:
            """The status, the field or code, and whether the refusal is in the journal."""
            seq = bank.sequencer.durable_seq
            headers = {**mine, "Idempotency-Key": uuid.uuid4().hex}
            async with web.post(f"{BASE}/acts/{act}", json=fields, headers=headers) as answer:
                said = await answer.json()
            return answer.status, said.get("field") or said.get("code", ""), bank.sequencer.durable_seq > seq

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
        assert await refused("pay", hit="H1", document="W-1", patron="x" * REQUEST_MAX) == (413, "", False)
        assert await refused("pay", hit="H1", document="W-1", patron="Pat\nRon") == (400, "patron", False)


@on_loop
async def test_who_came_in_before_is_not_locked_out_by_a_neighbour(tmp_path: Path) -> None:
    """Misuse: behind one address a stranger's wrong guesses lock the strangers' place alone."""
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
                assert (page.status, "The ledger does not answer" in await page.text()) == (503, True)
        async with web.post("/ops/acts/suspend", data={"page": "guess"}) as page:
            assert page.status == 503
        async with await signed_in(web) as page:
            assert (page.status, "the head names" in await page.text()) == (503, False)
        async with web.get(f"{BASE}/links", headers=program) as answer:
            told = await answer.json()
            assert (answer.status, told["code"], told["next"]) == (503, "ledger", "ask again later")
            assert str(tmp_path) not in told["detail"]


@on_loop
async def test_a_screen_left_alone_is_signed_out(tmp_path: Path) -> None:
    """What a page asks for by itself keeps no session; what a person does keeps it."""
    clock = StepClock()
    async with floor(tmp_path, clock=clock) as (server, web):
        (await signed_in(web)).close()
        for page, ends in (("/ops/hits", False), ("/ops/waiting", True), ("/ops/floor", True)):
            seen = 0
            for _ in range(4):
                clock.ahead_s += SESSION_IDLE_MS / 3_000
                async with web.get(page, allow_redirects=False) as answer:
                    seen = answer.status
            assert seen == (401 if ends else 200)
        async with web.get("/ops/hits", allow_redirects=False) as answer:
            assert (answer.status, answer.headers["Location"]) == (
                303,
                "/ops/sign-in?back=/ops/hits&ended=yes",
            )
        async with web.get(answer.headers["Location"]) as answer:
            assert "Your session has ended." in await answer.text()
        assert server.banks["main"].active


@on_loop
async def test_a_browser_is_known_again_by_every_server(tmp_path: Path) -> None:
    """Misuse: 100 failures elsewhere shut a login; its own browser comes in, after a restart too."""
    jar = aiohttp.CookieJar(unsafe=True)
    config = configure(tmp_path)

    async def tries(server: Server, secret: str = SECRET, login: str = "ann") -> int:
        """Tries to sign in in the browser that was used before."""
        async with aiohttp.ClientSession(cookie_jar=jar) as web:
            data = {"login": login, "secret": secret}
            at = f"http://127.0.0.1:{server.ports['http']}/ops/sign-in"
            async with web.post(at, data=data, allow_redirects=False) as answer:
                return answer.status

    def device() -> str:
        (found,) = [one.value for one in jar if one.key == DEVICE_COOKIE]
        return found.partition(".")[0]

    async def shut(server: Server) -> None:
        """Has a hundred strangers try Ann's and Bo's passwords, and somebody at this address, too."""
        for login in ("ann", "bo"):
            for number in range(OF_LOGIN):
                server.auth.rate_limiter.failed(login, f"10.1.0.{number}")
            assert server.auth.rate_limiter.is_locked(login, "127.0.0.1")

    async with staffed(config) as server:
        assert await tries(server) == 303
        before = device()
        await shut(server)
        assert await tries(server) == 303
        assert await tries(server, login="bo") == 403, "Bo was never in this browser"
        assert device() == before, "the id stays"
    async with Server(config) as server:  # started again, with nothing in memory
        await shut(server)
        assert await tries(server, "wrong wrong wrong") == 403
        assert await tries(server) == 303
        assert device() == before
        for _ in range(OF_ONE):
            assert await tries(server, "wrong wrong wrong") == 403
        assert await tries(server) == 403, "the browser has a limit of its own"
    async with Server(config) as server:
        ann = await prove(server, "ann")
        await server.auth.change(ann, Credentials(SECRET), "another horse battery")
        await shut(server)
        assert await tries(server, "another horse battery") == 403, (
            "a new password ends what the old one gave"
        )


@on_loop
async def test_a_forged_forwarding_hides_nobody(tmp_path: Path) -> None:
    """Behind a proxy that adds a line of its own the last line counts: forged ones share one limit."""
    async with floor(tmp_path, 'proxies = ["127.0.0.1"]') as (_, web):

        async def tries(secret: str, *lines: str) -> int:
            headers = CIMultiDict([("X-Forwarded-Proto", "https")])
            for line in lines:
                headers.add("X-Forwarded-For", line)
            data = {"login": "ann", "secret": secret}
            async with web.post("/ops/sign-in", data=data, headers=headers, allow_redirects=False) as answer:
                return answer.status

        for number in range(OF_ONE):
            assert await tries("wrong wrong wrong", f"198.51.100.{number}", "203.0.113.9") == 403
        assert await tries(SECRET, "198.51.100.77", "203.0.113.9") == 403, "the attacker's own is shut"
        assert await tries(SECRET, "198.51.100.77, 192.0.2.1") == 303, "another client's is not"
        assert await tries(SECRET, "203.0.113.9", "192.0.2.1") == 303, "nor whose address was forged"


@on_loop
async def test_a_strangers_form_is_not_read(tmp_path: Path) -> None:
    """Who has no session is sent to sign-in before the body of the request has come."""
    async with floor(tmp_path) as (server, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.ports["http"])
        head = "POST /ops/acts/validate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"
        more = "Referer: http://localhost/ops/hits?page=2\r\nContent-Type: application/x-www-form-urlencoded"
        writer.write(f"{head}{more}\r\n\r\nhit=".encode())
        answer = await reader.readuntil(b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 303 ")
        assert b"Location: /ops/sign-in?back=/ops/hits%3Fpage%3D2\r\n" in answer
        writer.close()


@on_loop
async def test_wrong_codes_shut_nobodys_password(tmp_path: Path) -> None:
    """Misuse: a hundred wrong one-time codes from ten addresses lock no password, and no code elsewhere."""
    async with staffed(configure(tmp_path)) as server:
        auth = server.auth
        ann, bo = [await prove(server, login) for login in ("ann", "bo")]
        added = done(await PersonAdmin(auth).add([ann, bo], "cy", "Cy", ("floor",)))
        given = await PersonAdmin(auth).give_code(ann, added.person)

        async def refused(login: str, place: str) -> Code:
            with pytest.raises(Denied) as refusal:
                await auth.choose(login, "wrong", SECRET, place)
            return refusal.value.code

        for login in ("ann", "bo", "cy"):
            found = [await refused(login, f"10.0.0.{number % 10}") for number in range(100)]
            assert found == [Code.WRONG_SECRET] * 100
            assert await refused(login, "10.0.0.0") is Code.LOCKED, "its own place is shut"
        for login in ("ann", "bo"):
            assert (await auth.authenticate(login, SECRET, place="10.0.0.0")).login == login
        assert (await auth.choose("cy", given.code, SECRET, "192.0.2.1")).person.login == "cy"
