"""A refused form comes back on its page: the problem in the label of its field, and what was typed."""

import html
import re
from pathlib import Path

import pytest

from jackpot.rules.acts.hits import Validate
from jackpot.web.authentication import PLAIN_COOKIE, page_token
from tests.net.test_admin_socket import royal
from tests.running_server import LINK, on_loop, table
from tests.web.browser import needs_chromium, on_browser_loop
from tests.web.staffed import done, prove
from tests.web.test_authentication import floor as web_floor
from tests.web.test_authentication import signed_in as web_signed_in
from tests.web.test_ops import floor, signed_in, to_pay, until_open

IN_SIGHT = """(id) => {
    const box = document.getElementById(id).getBoundingClientRect();
    return box.top >= 0 && box.bottom <= innerHeight;
}"""


@needs_chromium
@on_browser_loop
async def test_a_refused_payment_comes_back_with_what_was_typed(tmp_path: Path) -> None:
    """A10: the form of another winner is told at its field, on the hit's own page; the patron is kept."""
    faults: list[str] = []
    async with floor(tmp_path) as (server, device, browser):
        page = await to_pay(server, device, browser, faults)
        await page.click("#waiting .hit")
        await page.fill("#s1-document", "P-1")
        await page.click("button:text-is('Paid to seat 1')")
        await until_open(page, "Seat 1 of H1 is paid, form P-1.")
        own = page.url.partition("?")[0]
        await page.click("form:has(#s2-document) summary:text-is('Patron, tax form')")
        await page.fill("#s2-patron", "Pat <b>Ron</b>")
        await page.fill("#s2-document", "P-1")
        await page.click("button:text-is('Paid to seat 2')")
        await page.wait_for_selector("#s2-document[aria-invalid=true]")
        label = await page.inner_text("label[for=s2-document]")
        assert label.startswith("Number of the payout form")
        assert "Form P-1 is the form of seat 1 already" in label
        assert "document:" not in await page.inner_text("main")
        assert page.url == own, "a reload asks for the page, and sends nothing again"
        assert await page.input_value("#s2-document") == "P-1"
        assert await page.input_value("#s2-patron") == "Pat <b>Ron</b>"
        assert await page.is_visible("#s2-patron")
        await page.wait_for_function(IN_SIGHT, arg="s2-document")
        assert await page.evaluate("document.activeElement.id") == "s2-document"
        assert await page.locator("main .problem").count() == 0, "it is said once"
        await page.fill("#s2-document", "P-2")
        await page.click("button:text-is('Paid to seat 2')")
        await until_open(page, "Seat 2 of H1 is paid, form P-2.")
        await page.reload()
        assert await page.evaluate("sessionStorage.getItem('typed')") is None
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_what_is_refused_before_it_is_looked_at_comes_back_too(tmp_path: Path) -> None:
    """L8: a sum that is none is told at its field on the link's page, with the level that was chosen."""
    faults: list[str] = []
    async with floor(tmp_path) as (server, _, browser):
        page = await signed_in(server, browser, faults)
        own = f"{page.url}/links/{LINK}"
        await page.goto(own)
        await page.click("text=Correct a meter")
        level = await page.locator("#correct-level option").last.get_attribute("value")
        await page.select_option("#correct-level", level)
        await page.fill("#correct-amount", "1,20")
        await page.click("button:has-text('Review') >> visible=true")
        await page.wait_for_selector("#correct-amount[aria-invalid=true]")
        assert "'1,20' is no sum" in await page.inner_text("label[for=correct-amount]")
        assert (await page.input_value("#correct-level"), page.url) == (level, own)
    assert faults == []


@on_loop
async def test_a_page_without_scripts_has_it_too(tmp_path: Path) -> None:
    """Pages: one mechanism of the server's; where its form is gone, the page says why, as it stands now."""
    async with web_floor(tmp_path) as (server, web), table(server) as device:
        await royal(device)
        done(await server.auth.act(server.banks["main"], Validate("H1"), [await prove(server, "bo")]))
        async with await web_signed_in(web) as answer:
            token = page_token(answer.cookies[PLAIN_COOKIE].value)
        at = {"page": token, "back": "/ops/hits/main/H1", "here": "/ops/hits/main/H1", "hit": "H1"}
        pay = {**at, "form": "s1", "seat": "1", "patron": "Pat", "tax_form": "W-2G", "document": "P-1"}
        async with web.post("/ops/acts/pay", data=pay) as answer:
            page = await answer.text()
        assert answer.status == 400
        found = re.search(r'<label for="s1-tax_number">(.*?)</label><input ([^>]*)>', page)
        assert found is not None
        assert "A tax form has a name and a number" in found[1]
        assert 'aria-invalid="true"' in found[2]
        assert 'id="s1-patron" name="patron" maxlength="128" autocomplete="off" value="Pat"' in page
        async with web.post("/ops/acts/pay", data=pay, headers={"Accept-Language": "es"}) as answer:
            assert "formulario fiscal tiene nombre y número" in (said := await answer.text())
        assert "tax_number»" not in said, "no name of the API"
        async with web.post("/ops/acts/validate", data={**at, "form": "validate"}) as answer:
            page = html.unescape(await answer.text())
        assert '<p class="detail">H1 is validated already, by Bo, ' in page
        assert 'action="/ops/acts/pay"' in page, "the page as it stands now"
        assert "hit:" not in re.sub("<[^>]*>", "", page)


@pytest.mark.parametrize(
    "here", ["//evil.example/ops", "/ops/acts/validate", "/ops/none", "/ops/hits/main/H9", ""]
)
@on_loop
async def test_a_form_from_nowhere_is_told_why_all_the_same(tmp_path: Path, here: str) -> None:
    """Misuse: a form names any page as its own, and is refused on a page of ours that says why."""
    async with web_floor(tmp_path) as (_, web):
        async with await web_signed_in(web) as answer:
            token = page_token(answer.cookies[PLAIN_COOKIE].value)
        form = {"page": token, "here": here, "form": "x", "hit": "H7"}
        async with web.post("/ops/acts/validate", data=form) as answer:
            page = await answer.text()
        assert (answer.status, answer.url.path) == (404, "/ops/acts/validate")
        assert "is not an open hit" in page or "no H7" in page
