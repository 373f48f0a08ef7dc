"""Typed input outlives the end of the session, a refusal, and a server that is gone."""

from pathlib import Path

from tests.running_server import configure
from tests.web.browser import chromium, needs_chromium, on_browser_loop, until_true
from tests.web.staffed import sign_in, staffed
from tests.web.test_ops import floor, signed_in, to_pay, until_open

KEPT = "sessionStorage.getItem('typed')"
PAY = "button:text-is('Paid to seat 1')"


@needs_chromium
@on_browser_loop
async def test_what_was_typed_outlives_the_session(tmp_path: Path) -> None:
    """Misuse: the session ends in the middle of a hit: after the sign-in the form is as it was; once it is
    done nothing is kept. A password is never kept, and another person does not see what was typed.
    """  # fmt: skip
    faults: list[str] = []
    async with floor(tmp_path) as (server, device, browser):
        page = await to_pay(server, device, browser, faults)
        await page.goto(f"{page.url}/hits/main/H1/preview?act=correct&award=A1&amount=9000.00")
        await page.fill("#correct-reason", "misread")
        await page.click("form[action='/ops/acts/correct'] .second summary")
        await page.fill("#correct-second-login", "bo")
        await page.fill("#correct-second-secret", "no secret is kept")
        await page.goto(page.url.partition("/preview")[0])
        await page.wait_for_selector("#s1-document")
        assert "misread" in await page.evaluate(KEPT)
        assert "no secret" not in await page.evaluate(KEPT)
        assert "correct-second-login" not in await page.evaluate(KEPT), "a second person signs anew"
        await page.fill("#s1-document", "P-4711")
        await page.click("summary:text-is('Patron, tax form')")
        await page.fill("#s1-patron", "Pat Ron")
        await page.click("button[popovertarget=menu]")
        await page.click("button[name=language][value=es]")
        await until_open(page, "Pagado al asiento 1")
        # Another language loses nothing.
        await until_true(page, "document.querySelector('#s1-document').value === 'P-4711'")
        await page.click("button[popovertarget=menu]")
        await page.click("button[name=language][value=en]")
        await until_open(page, "Paid to seat 1")
        await server.auth.store.change(("DELETE FROM session", ()))
        await sign_in(page)  # the page asks for what waits, and learns that the session has ended
        await page.wait_for_selector("#s1-document")
        await until_true(page, "document.querySelector('#s1-document').value === 'P-4711'")
        assert await page.input_value("#s1-patron") == "Pat Ron"
        assert await page.is_visible("#s1-patron")
        await page.click(PAY)
        await until_open(page, "Seat 1 of H1 is paid, form P-4711.")
        await until_true(page, f"{KEPT} === null")
        own = page.url
        await page.goto(own.partition("/hits")[0])
        assert "1 of 2 paid" in await page.inner_text("#waiting .hit")
        assert "$1,000.00" in await page.inner_text("#waiting .hit")
        await page.goto(own.partition("?")[0])
        assert "$1,000.00 envy is still to be paid: 1 of 2 paid" in await page.inner_text(".hero")
        await page.fill("#s2-document", "P-4712")
        await server.auth.store.change(("DELETE FROM session", ()))
        await sign_in(page, "bo")
        await page.wait_for_selector("#s2-document", state="attached")
        assert await page.input_value("#s2-document") == ""
        await page.fill("#s2-document", "P-4713")
        assert "P-4713" in await page.evaluate(KEPT)
        await page.evaluate("document.querySelector(\"form[action='/ops/sign-out']\").requestSubmit()")
        await page.wait_for_selector("#login")
        assert await page.evaluate(KEPT) is None, "who signs out leaves nothing behind"
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_a_server_that_does_not_answer_loses_nothing(tmp_path: Path) -> None:
    """Misuse: the server is gone while somebody pays: the page says so, keeps the form, and pays once."""
    faults: list[str] = []
    async with floor(tmp_path) as (server, device, browser):
        page = await to_pay(server, device, browser, faults)
        await page.click("#waiting .hit")
        await page.fill("#s1-document", "P-4711")
        await page.context.set_offline(True)
        await page.click(PAY)
        await page.wait_for_selector(".unanswered:has-text('What you typed is still here')")
        assert await page.input_value("#s1-document") == "P-4711"
        async with page.expect_response("**/ops/waiting"):  # the browser has noticed that it is back
            await page.context.set_offline(False)
        await page.click(PAY)
        await until_open(page, "Seat 1 of H1 is paid, form P-4711.")
    assert [fault for fault in faults if "ERR_INTERNET" not in fault and "htmx:" not in fault] == []


@needs_chromium
@on_browser_loop
async def test_a_page_says_that_its_server_is_gone(tmp_path: Path) -> None:
    """Misuse: a page that stays open when the server stops says that what it shows is old."""
    async with chromium() as browser:
        async with staffed(configure(tmp_path)) as server:
            page = await signed_in(server, browser, [], "phone")
            assert not await page.is_visible("#lost")
        await page.wait_for_selector("#lost:has-text('The server does not answer')")
