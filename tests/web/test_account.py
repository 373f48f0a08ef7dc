"""Account page: a person's own password, two-factor code and API tokens."""

import re
import uuid
from base64 import b32decode
from pathlib import Path

import aiohttp

from jackpot.api.operation import BASE
from jackpot.auth.login_rate_limiter import OF_ONE
from jackpot.auth.password_hashing import TOTP_STEP_S, totp_at
from jackpot.rules.acts.people import EndPerson, WithdrawRole
from jackpot.web.account import ACCOUNT
from jackpot.web.authentication import PLAIN_COOKIE, page_token
from tests.running_server import StepClock, on_loop
from tests.web.browser import needs_chromium, on_browser_loop
from tests.web.staffed import SECRET, done, join, prove, token
from tests.web.test_authentication import floor, signed_in
from tests.web.test_ops import floor as seen_floor
from tests.web.test_ops import signed_in as seen_signed_in

NEW = "another horse battery"


def page_of(web: aiohttp.ClientSession) -> str:
    """The page token that a page of ours sends next to the cookie."""
    (cookie,) = [one for one in web.cookie_jar if one.key == PLAIN_COOKIE]
    return page_token(cookie.value)


async def sent(web: aiohttp.ClientSession, at: str, **fields: str) -> tuple[int, str]:
    """Sends a form: the status and the text of the page that it leads to."""
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
        at, act = ACCOUNT, "change-secret"
        for fields, status, said in (
            ({"secret": SECRET, "new": NEW, "again": "something else"}, 400, "type the new one twice"),
            ({"secret": "a guess of mine", "new": NEW, "again": NEW}, 401, "is not right"),
            ({"secret": SECRET, "new": "short", "again": "short"}, 400, "10 to 256 characters"),
        ):
            assert (found := await sent(web, at, act=act, **fields))[0] == status, found
            assert said in found[1]
        status, page = await sent(web, at, act=act, secret=SECRET, new=NEW, again=NEW)
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
        for act in ("change-secret", "set-digits", "end-digits"):
            form = {"act": act, "secret": SECRET, "new": NEW, "again": NEW, "page": "guess"}
            async with web.post(ACCOUNT, data=form) as answer:
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
        found = re.search(r'name="totp_key" value="([A-Z2-7]{32})"', page)
        assert found is not None
        assert "<svg" in page
        key = b32decode(found[1])

        def digits() -> str:
            clock.stepped_s += 2 * TOTP_STEP_S
            return totp_at(key, clock.unix_ms() // 1000 // TOTP_STEP_S)

        setup, stop = {"act": "set-digits", "secret": SECRET}, {"act": "end-digits", "secret": SECRET}
        wrong = await sent(web, ACCOUNT, form="setup", **setup, totp_key=found[1], totp="000000")
        assert (wrong[0], "This key has other digits now" in wrong[1]) == (401, True)
        assert found[0] in wrong[1], "the phone has that key already"
        assert "<details open>" in wrong[1]
        bad = await sent(web, ACCOUNT, **setup, totp_key="ABC", totp=digits())
        assert (bad[0], "160 random bits" in bad[1]) == (400, True)
        now = digits()
        status, page = await sent(web, ACCOUNT, **setup, totp_key=found[1], totp=f"{now[:3]} {now[3:]}")
        assert (status, "From now on you sign in with a two-factor code." in page) == (200, True)
        assert "<svg" not in page
        async with await signed_in(web) as answer:
            assert answer.status == 403
        async with await signed_in(web, totp=digits()) as answer:
            assert answer.status == 303
        assert (await sent(web, ACCOUNT, **stop, totp="000000"))[0] == 401, "the password alone stops nothing"
        status, page = await sent(web, ACCOUNT, **stop, totp=digits())
        assert (status, "You sign in without a two-factor code now." in page) == (200, True)
        async with await signed_in(web) as answer:
            assert answer.status == 303


@on_loop
async def test_a_token_is_made_used_and_ended(tmp_path: Path) -> None:
    """A program asks for its person, in the roles that they gave it, until somebody ends it or it is over."""
    clock = StepClock()
    async with floor(tmp_path, clock=clock) as (server, web), aiohttp.ClientSession() as program:
        api = f"http://127.0.0.1:{server.ports['http']}/api/v1"
        (await signed_in(web)).close()
        status, page = await sent(web, "/ops/acts/make-token", secret=SECRET, days="30")
        assert (status, "A token has at least one" in page) == (400, True)
        status, page = await sent(web, "/ops/acts/make-token", secret=SECRET, roles="floor", days="400")
        assert (status, "days" in page) == (400, True)
        status, page = await sent(web, "/ops/acts/make-token", secret=SECRET, roles="floor", days="30")
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
        status, page = await sent(web, "/ops/acts/make-token", secret=SECRET, roles="floor", days="30")
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
        _, page = await sent(web, "/ops/acts/make-token", secret=SECRET, roles="floor", days="1")
        found = re.search(r'<p class="secret">([\w-]{43})</p>', page)
        assert found is not None
        (await signed_in(web, login="bo")).close()
        await sent(web, "/ops/acts/make-token", secret=SECRET, roles="cage", days="1")
        headers = {"Authorization": f"Bearer {found[1]}", "Idempotency-Key": "one"}
        made = {"roles": ["floor"], "days": 1, "secret": SECRET}
        async with program.post(f"{api}/acts/make-token", json=made, headers=headers) as answer:
            assert answer.status == 403
            assert "with their own password" in await answer.text()
        async with program.get(f"{api}/tokens", headers=headers) as answer:
            assert [one["token"] for one in (await answer.json())["tokens"]] == [1]


@needs_chromium
@on_browser_loop
async def test_one_sets_up_a_phone_by_finger(tmp_path: Path) -> None:
    """One's name leads to the page; the drawing fits a phone; what was set up stands there."""
    faults: list[str] = []
    async with seen_floor(tmp_path) as (server, _, browser):
        page = await seen_signed_in(server, browser, faults, "phone")
        await page.click("text=Menu")
        await page.click("a.name")
        await page.wait_for_selector("h1:text-is('Ann')")
        await page.click("summary:has-text('Set up a two-factor code')")
        drawing = await page.locator(".drawing svg").bounding_box()
        assert drawing is not None
        assert 150 <= drawing["width"] <= 350
        assert (await page.get_attribute("a[href^='otpauth://totp/']", "href") or "").count("ann") == 1
        key = b32decode(await page.get_attribute("[name=totp_key]", "value") or "")
        step = server.clock.unix_ms() // 1000 // TOTP_STEP_S
        await page.fill("#digits", totp_at(key, step))
        await page.fill("#setup-secret", SECRET)
        await page.click("button:text-is('Set it up')")
        await page.wait_for_selector("text=From now on you sign in with a two-factor code.")
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390
        await page.click("summary:has-text('Make a token')")
        await page.check("[name=roles][value=floor]")
        await page.fill("#token-secret", SECRET)
        await page.fill("#token-totp", totp_at(key, step + 1))
        await page.click("button:text-is('Make it')")
        await page.wait_for_selector(".secret")
        await page.click("a:text-is('Back')")
        await page.wait_for_selector("text=Token 1")
        await page.click("button:text-is('End it')")
        await page.wait_for_selector("text=The token has ended.")
        await server.auth.store.change(("DELETE FROM attempt", ()))  # else it takes half a minute
        await page.click("text=Menu")
        await page.click("text=Sign out")
        for shown in ("", totp_at(key, step + 1)):
            await page.fill("#login", "ann")
            await page.fill("#secret", SECRET)
            await page.fill("#totp", shown)
            await page.keyboard.press("Enter")
            await page.wait_for_selector("header .site" if shown else ".problem")
    assert faults == []


@on_loop
async def test_a_screen_left_alone_makes_no_token_and_is_no_place_to_guess_at(tmp_path: Path) -> None:
    """Misuse: a session alone changes nothing; ten wrong passwords lock the forms, and not sign-in."""
    async with floor(tmp_path) as (_, web):
        (await signed_in(web)).close()
        wanted = {"roles": "floor", "days": "1"}
        assert (await sent(web, "/ops/acts/make-token", secret="a guess", **wanted))[0] == 401
        change = {"act": "change-secret", "new": NEW, "again": NEW}
        for _ in range(OF_ONE - 1):
            assert (await sent(web, ACCOUNT, secret="a guess", **change))[0] == 401
        status, page = await sent(web, ACCOUNT, secret=SECRET, **change)
        assert (status, "Signing in failed too often" in page) == (429, True)
        assert (await sent(web, "/ops/acts/make-token", secret=SECRET, **wanted))[0] == 429
        async with await signed_in(web) as answer:
            assert answer.status == 303


@on_loop
async def test_a_refusal_is_in_the_pages_language(tmp_path: Path) -> None:
    """Pages, Spanish: each thing that may be wrong with a form of one's own is said in it."""
    async with floor(tmp_path) as (_, web):
        (await signed_in(web)).close()
        form = {"page": page_of(web), "secret": SECRET, "new": NEW, "again": NEW, "totp_key": 8 * "ABCD"}
        for fields, said in (
            ({"act": "change-secret", "again": "else"}, "escriba la nueva dos veces"),
            ({"act": "change-secret", "new": "short", "again": "short"}, "de 10 a 256 caracteres"),
            ({"act": "change-secret", "secret": "guess"}, "no es correcto"),
            ({"act": "set-digits", "totp": "12345"}, "Son las seis cifras que muestra la aplicación"),
            ({"act": "set-digits", "totp": "000000"}, "Esta clave tiene otras cifras ahora"),
            ({"act": "end-digits", "totp": "000000"}, "Ya entra sin código de verificación"),
        ):
            async with web.post(ACCOUNT, data=form | fields, headers={"Accept-Language": "es"}) as answer:
                assert said in await answer.text(), fields


@on_loop
async def test_a_program_changes_what_its_person_can_prove(tmp_path: Path) -> None:
    """S5, API: digits are set up, kept by a new password, and ended; each takes the password as well."""
    clock, key = StepClock(), 8 * "ABCD"
    async with floor(tmp_path, clock=clock) as (server, web):
        program = {"Authorization": f"Bearer {await token(server)}"}

        def digits() -> str:
            clock.stepped_s += 2 * TOTP_STEP_S
            return totp_at(b32decode(key), clock.unix_ms() // 1000 // TOTP_STEP_S)

        async def act(name: str, **fields: str) -> str:
            headers = program | {"Idempotency-Key": uuid.uuid4().hex}
            async with web.post(f"{BASE}/acts/{name}", json=fields, headers=headers) as answer:
                return str((await answer.json()).get("code", answer.status))

        async def has_digits() -> bool:
            async with web.get(f"{BASE}/me", headers=program) as answer:
                me = await answer.json()
                assert (me["login"], me["roles"]) == ("ann", ["floor", "cage", "admin"])
                return bool(me["digits"])

        assert await act("set-digits", secret="guess", totp_key=key, totp=digits()) == "wrong_secret"
        assert not await has_digits()
        used = digits()
        assert await act("set-digits", secret=SECRET, totp_key=key, totp=used) == "200"
        assert await has_digits()
        assert await act("set-digits", secret=SECRET, totp_key=key, totp=digits()) == "unchanged"
        assert await act("change-secret", secret=SECRET, new=NEW) == "wrong_secret", "digits, too"
        assert await act("change-secret", secret=SECRET, new=NEW, totp=digits()) == "200"
        assert await has_digits()
        assert await act("end-digits", secret=NEW, totp=used) == "wrong_secret", "used already"
        assert await act("end-digits", secret=NEW, totp=digits()) == "200"
        assert not await has_digits()


@on_loop
async def test_a_token_has_no_more_than_its_person(tmp_path: Path) -> None:
    """Access: a role that somebody lost is lost to their programs; with their access these end."""
    async with floor(tmp_path) as (server, web):
        await join(server, "cal", "floor", "auditor")
        program = {"Authorization": f"Bearer {await token(server, 'cal')}"}
        ann, bo = await prove(server, "ann"), await prove(server, "bo")

        async def asks() -> int:
            async with web.get(f"{BASE}/people", headers=program) as answer:
                return answer.status

        assert await asks() == 200
        done(await server.auth.act(server.people, WithdrawRole(3, "auditor"), [ann, bo]))
        assert await asks() == 403
        async with web.get(f"{BASE}/me", headers=program) as answer:
            assert (await answer.json())["roles"] == ["floor"]
        done(await server.auth.act(server.people, EndPerson(3), [ann]))
        assert await asks() == 401
