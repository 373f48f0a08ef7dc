"""A person chooses the language of their pages, on a screen that others share."""

from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from jackpot.web.language_choice import asked_by, choose, chosen
from tests.web.browser import needs_chromium, on_browser_loop
from tests.web.staffed import sign_in
from tests.web.test_ops import floor, signed_in

SIGN_OUT = "button:text-is('Sign out'), button:text-is('Salir')"


@needs_chromium
@on_browser_loop
async def test_each_person_of_a_shared_screen_has_their_own_language(tmp_path: Path) -> None:
    """Pages: one button changes the language of every page, in place; it holds for that person alone."""
    faults: list[str] = []
    async with floor(tmp_path) as (server, _, browser):
        page = await signed_in(server, browser, faults)
        root = f"http://127.0.0.1:{server.ports['http']}/ops"
        await page.goto(f"{root}/hits")
        assert await page.get_attribute(".languages button", "lang") == "es"
        await page.click("button:text-is('Español')")
        await page.wait_for_selector("h1:text-is('Aciertos')")
        assert page.url == f"{root}/hits"
        await page.click("nav >> text=Progresivos")
        await page.wait_for_selector("h1:text-is('Progresivos')")
        assert await page.get_attribute("html", "lang") == "es"
        for login, heading in (("bo", "Hits"), ("ann", "Aciertos")):
            await page.click(SIGN_OUT)
            await sign_in(page, login)
            await page.goto(f"{root}/hits")
            assert await page.inner_text("h1") == heading
        await page.click("button:text-is('English')")
        await page.wait_for_selector("h1:text-is('Hits')")
    assert faults == []


def asks(person: int, cookie: str) -> web.Request:
    """A request of a page of that person, with that cookie."""
    request = make_mocked_request("GET", "/ops", headers={"Cookie": f"languages={cookie}"})
    asked_by(request, person)
    return request


@pytest.mark.parametrize(
    "cookie", ["", "7", "7-", "7-xx", "-es", "x-es", "\u0661-es", "7-es-MX", "....", "8-es"]
)
def test_a_cookie_that_somebody_made_up_chooses_nothing(cookie: str) -> None:
    """Misuse: what a browser sends may be anything; then its own language counts."""
    assert chosen(asks(7, cookie)) is None


def test_a_screen_keeps_the_latest_choices_and_no_more() -> None:
    """Pages: the cookie goes with each request, so it stays short however many people share the screen."""
    cookie = ""
    for person in (*range(1, 201), 190):
        answer = web.Response()
        choose(asks(person, cookie), answer, "es", secure=True)
        kept = answer.cookies["languages"]
        assert (kept["path"], kept["httponly"], kept["secure"]) == ("/ops", True, True)
        cookie = kept.value
    assert len(cookie) < 500
    asked = {person: chosen(asks(person, cookie)) for person in (1, 150, 151, 190, 200)}
    assert asked == {1: None, 150: None, 151: "es", 190: "es", 200: "es"}
