"""Can people see to what is their own: their password, six digits on their phone, and their programs?"""

import re
from base64 import b32decode
from pathlib import Path

import aiohttp

from jackpot.server.hashing import TOTP_STEP_S, totp_at
from jackpot.web.access import PLAIN_COOKIE, page_token
from jackpot.web.account import ACCOUNT
from tests.server.bed import StepClock, on_loop
from tests.web.browser import needs_chromium
from tests.web.staffed import SECRET
from tests.web.test_access import floor, signed_in
from tests.web.test_ops import floor as seen_floor
from tests.web.test_ops import signed_in as seen_signed_in

NEW = "another horse battery"


def page_of(web: aiohttp.ClientSession) -> str:
    """What a page of ours sends next to the cookie."""
    (cookie,) = [one for one in web.cookie_jar if one.key == PLAIN_COOKIE]
    return page_token(cookie.value)


async def sent(web: aiohttp.ClientSession, at: str, **fields: str) -> tuple[int, str]:
    """The status and the text of the page that a form leads to."""
    form = {"page": page_of(web), "back": ACCOUNT} | fields
    async with web.post(at, data=form) as answer:
        return answer.status, await answer.text()


async def text(web: aiohttp.ClientSession, at: str = ACCOUNT) -> str:
    async with web.get(at) as page:
        return await page.text()


@on_loop
async def test_a_password_is_changed_by_who_knows_it(tmp_path: Path) -> None:
    """The old one is asked for, and the new one twice. Then the old one lets nobody in, and one goes on."""
    async with floor(tmp_path) as (_, web):
        (await signed_in(web)).close()
        at = f"{ACCOUNT}/password"
        for fields, status, said in (
            ({"secret": SECRET, "new": NEW, "again": "something else"}, 400, "type the new one twice"),
            ({"secret": "a guess of mine", "new": NEW, "again": NEW}, 401, "is not right"),
            ({"secret": SECRET, "new": "short", "again": "short"}, 400, "10 to 256 characters"),
        ):
            assert (found := await sent(web, at, **fields))[0] == status, found
            assert said in found[1]
        status, page = await sent(web, at, secret=SECRET, new=NEW, again=NEW)
        assert (status, "Your password is changed." in page) == (200, True)
        assert "Ann" in await text(web), "in the session that has begun"
        async with await signed_in(web) as answer:
            assert answer.status == 403
        async with await signed_in(web, secret=NEW) as answer:
            assert answer.status == 303


@on_loop
async def test_a_form_of_another_site_changes_nothing(tmp_path: Path) -> None:
    """Misuse: without what only our page knows nothing of one's own is changed, whatever else is right."""
    async with floor(tmp_path) as (_, web):
        (await signed_in(web)).close()
        for name in ("password", "digits"):
            form = {"secret": SECRET, "new": NEW, "again": NEW, "new_key": "", "page": "guess"}
            async with web.post(f"{ACCOUNT}/{name}", data=form) as answer:
                assert answer.status == 403
        async with await signed_in(web) as answer:
            assert answer.status == 303


@on_loop
async def test_six_digits_are_set_up_and_stopped(tmp_path: Path) -> None:
    """TOTP: the page draws a key. Once its digits are typed, nobody signs in without; people stop them."""
    clock = StepClock()
    async with floor(tmp_path, clock=clock) as (_, web):
        (await signed_in(web)).close()
        page = await text(web)
        found = re.search(r'name="new_key" value="([A-Z2-7]{32})"', page)
        assert found is not None
        assert "<svg" in page
        key = b32decode(found[1])

        def digits() -> str:
            clock.stepped_s += 2 * TOTP_STEP_S
            return totp_at(key, clock.unix_ms() // 1000 // TOTP_STEP_S)

        at = f"{ACCOUNT}/digits"
        wrong = await sent(web, at, secret=SECRET, new_key=found[1], digits="000000")
        assert (wrong[0], "this key has others now" in wrong[1]) == (401, True)
        bad = await sent(web, at, secret=SECRET, new_key="ABC", digits=digits())
        assert (bad[0], "it is not the key of this page" in bad[1]) == (400, True)
        status, page = await sent(web, at, secret=SECRET, new_key=found[1], digits=digits())
        assert (status, "From now on you sign in with six digits." in page) == (200, True)
        assert "<svg" not in page
        async with await signed_in(web) as answer:
            assert answer.status == 403
        async with await signed_in(web, totp=digits()) as answer:
            assert answer.status == 303
        assert (await sent(web, at, secret=SECRET))[0] == 401, "the password alone stops nothing"
        status, page = await sent(web, at, secret=SECRET, totp=digits())
        assert (status, "You sign in without six digits now." in page) == (200, True)
        async with await signed_in(web) as answer:
            assert answer.status == 303


@on_loop
async def test_a_token_is_made_used_and_ended(tmp_path: Path) -> None:
    """A program asks for its person, in the roles that they gave it, until somebody ends it or it is over."""
    clock = StepClock()
    async with floor(tmp_path, clock=clock) as (server, web), aiohttp.ClientSession() as program:
        api = f"http://127.0.0.1:{server.ports['http']}/api/v1"
        (await signed_in(web)).close()
        status, page = await sent(web, "/ops/acts/make-token", days="30")
        assert (status, "a token has at least one" in page) == (400, True)
        status, page = await sent(web, "/ops/acts/make-token", roles="floor", days="400")
        assert (status, "days" in page) == (400, True)
        status, page = await sent(web, "/ops/acts/make-token", roles="floor", days="30")
        found = re.search(r'<p class="secret">([\w-]{43})</p>', page)
        assert found is not None, page
        assert "/api/v1/links" in page
        bearer = {"Authorization": f"Bearer {found[1]}"}

        async def asks(path: str) -> int:
            async with program.get(f"{api}{path}", headers=bearer) as answer:
                return answer.status

        assert (await asks("/links"), await asks("/people")) == (200, 403), "a floorperson sees no people"
        page = await text(web)
        assert "Token 1" in page
        assert found[1] not in page, "it is shown once"
        (await signed_in(web, login="bo")).close()
        assert "Token 1" not in await text(web), "it is Ann's"
        assert "Token 1" in await text(web, "/ops/people/1"), "an admin sees and ends it"
        status, page = await sent(web, "/ops/acts/end-token", token="1")
        assert (status, "The token has ended." in page) == (200, True)
        assert await asks("/links") == 401
        status, page = await sent(web, "/ops/acts/make-token", roles="floor", days="30")
        found = re.search(r'<p class="secret">([\w-]{43})</p>', page)
        assert found is not None
        bearer = {"Authorization": f"Bearer {found[1]}"}
        assert await asks("/links") == 200
        clock.stepped_s += 30 * 86_400
        assert await asks("/links") == 401


@on_loop
async def test_a_program_makes_no_token(tmp_path: Path) -> None:
    """Misuse: a token that somebody stole cannot make another one, nor see those of others."""
    async with floor(tmp_path) as (server, web), aiohttp.ClientSession() as program:
        api = f"http://127.0.0.1:{server.ports['http']}/api/v1"
        (await signed_in(web)).close()
        _, page = await sent(web, "/ops/acts/make-token", roles="floor", days="1")
        found = re.search(r'<p class="secret">([\w-]{43})</p>', page)
        assert found is not None
        (await signed_in(web, login="bo")).close()
        await sent(web, "/ops/acts/make-token", roles="cage", days="1")
        headers = {"Authorization": f"Bearer {found[1]}", "Idempotency-Key": "one"}
        made = {"roles": ["floor"], "days": 1}
        async with program.post(f"{api}/acts/make-token", json=made, headers=headers) as answer:
            assert answer.status == 403
            assert "with their own password" in await answer.text()
        async with program.get(f"{api}/tokens", headers=headers) as answer:
            assert [one["token"] for one in (await answer.json())["tokens"]] == [1]


@needs_chromium
@on_loop
async def test_one_sets_up_a_phone_by_finger(tmp_path: Path) -> None:
    """One's name leads to the page; the drawing fits a phone; what was set up stands there."""
    faults: list[str] = []
    async with seen_floor(tmp_path) as (server, _, browser):
        page = await seen_signed_in(server, browser, faults, "phone")
        await page.click("text=Menu")
        await page.click("a.name")
        await page.wait_for_selector("h1:text-is('Ann')")
        await page.click("summary:has-text('Set up six digits')")
        drawing = await page.locator(".drawing svg").bounding_box()
        assert drawing is not None
        assert 150 <= drawing["width"] <= 350
        key = b32decode(await page.get_attribute("[name=new_key]", "value") or "")
        step = server.clock.unix_ms() // 1000 // TOTP_STEP_S
        await page.fill("#digits", totp_at(key, step))
        await page.fill("#setup-secret", SECRET)
        await page.click("button:text-is('Set them up')")
        await page.wait_for_selector("text=From now on you sign in with six digits.")
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390
        await page.click("summary:has-text('Make a token')")
        await page.check("[name=roles][value=floor]")
        await page.click("button:text-is('Make it')")
        await page.wait_for_selector(".secret")
        await page.click("a:text-is('Back')")
        await page.wait_for_selector("text=Token 1")
        await page.click("button:text-is('End it')")
        await page.wait_for_selector("text=The token has ended.")
    assert faults == []
