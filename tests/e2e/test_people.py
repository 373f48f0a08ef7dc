"""People start a site, enrol a colleague and work hits through, with the real program and a browser."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.e2e.site import Site, running
from tests.e2e.vendor import Vendor, bets
from tests.net.test_admin_socket import ROYAL
from tests.program import jackpot
from tests.web.browser import chromium, needs_chromium, on_browser_loop, opened

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

LINK = "five"
LINKS = f"""
[[link]]
id = "{LINK}"
paytable = "pa-643a-five-card-C"
wager = "1.00"
decks = 1
count_chips = false
hold_table = false
"""
ANN, BEN, CAL = "correct horse battery", "staple of the trade", "a secret of my own"
FIRST = f"ann\nAnn Arbor\n{ANN}\n{ANN}\nben\nBen Nevis\n{BEN}\n{BEN}\n"


def begin(site: Site) -> None:
    """`jackpot users init`, typed by two people where no terminal is."""
    done = jackpot("users", "init", "--config", site.config, given=FIRST)
    assert (done.returncode, "ann and ben are admins" in done.stdout) == (0, True), done.stderr


def royals(device: Vendor, *rounds: str) -> None:
    """A royal flush at seat 1 in each round."""
    for name in rounds:
        device.ack("wager", round=name, bets=bets(LINK, [1]), lock=True)
        device.ack("settle", round=name, hands=[ROYAL], board=["Js", "Ts"], close=True)


@asynccontextmanager
async def signed_in(
    browser: "Browser", site: Site, faults: list[str], login: str, secret: str, code: str = ""
) -> AsyncIterator["Page"]:
    """A person's own device, once they have signed in; code: at their first time."""
    page = await opened(browser, f"http://127.0.0.1:{site.ports['http']}/ops", "phone", faults)
    if code:
        await page.click("text=First time here")
        await page.fill("#first", code)
    await page.fill("#login", login)
    await page.fill("#secret", secret)
    await page.click("button.main")
    await page.wait_for_selector("header .site")
    yield page
    await page.close()


async def go(page: "Page", name: str) -> None:
    """Opens another page from the phone menu."""
    await page.click("text=Menu")
    await page.click(f"nav >> text={name}")


async def until_said(page: "Page", text: str) -> None:
    await page.wait_for_function("(text) => document.body.innerText.includes(text)", arg=text)


async def sign(page: "Page", act: str, login: str, secret: str) -> None:
    """A second person signs an act on this screen."""
    await page.click(f"form[action='/ops/acts/{act}'] .second summary")
    await page.fill(f"form[action='/ops/acts/{act}'] [name=second_login]", login)
    await page.fill(f"form[action='/ops/acts/{act}'] [name=second_secret]", secret)


async def join(page: "Page") -> str:
    """Ann and Ben add Cal for floor and cage on Ann's page; returns Cal's code."""
    await go(page, "People")
    await page.click("text=Add a person")
    await page.fill("#add-login", "cal")
    await page.fill("#add-name", "Cal Orie")
    await page.check("[value=floor]")
    await page.check("[value=cage]")
    await sign(page, "add-person", "ben", BEN)
    await page.click("text=Add them")
    await until_said(page, "They are added. Give them a code now.")
    await page.wait_for_selector("h1:text-is('Cal Orie')")
    await page.click("text=Give a code")
    await page.wait_for_selector(".secret")
    return await page.inner_text(".secret")


@needs_chromium
@on_browser_loop
async def test_people_come_to_a_site_and_work_its_hits_through(tmp_path: Path) -> None:
    """A10, A11: two begin, a third joins by a code, validates and pays; two undo; one asks of another."""
    faults: list[str] = []
    site = Site(tmp_path, LINKS)
    site.add("table", [LINK])
    (table,) = site.keys
    with running(site):
        site.stop()  # the ledger is there
    await asyncio.to_thread(begin, site)
    with running(site), site.table(table) as device:
        async with chromium() as browser, signed_in(browser, site, faults, "ann", ANN) as ann:
            code = await join(ann)
            async with signed_in(browser, site, faults, "cal", CAL, code) as cal:
                await asyncio.to_thread(royals, device, "R1")
                await cal.click("#waiting .hit.pending")
                await cal.click("text=Validate: the cards are right")
                await until_said(cal, "is validated. Now it is to be paid.")
                await cal.fill("#pay-document", "P-4711")
                await cal.click("button.main:text-is('Paid')")
                await until_said(cal, "Paid by Cal Orie")
                await go(ann, "People")
                row = ann.locator("tr:has-text('Cal Orie')")
                assert "not vouched for" in await row.inner_text(), "Ann alone gave the code"
                await ask_for_a_role(browser, site, faults, ann)
                await asyncio.to_thread(royals, device, "R2", "R3")
                await until_said(cal, "2 hits wait")  # one line leads to their list
                await cal.click("#waiting a:visible")
                await cal.click("#waiting li:first-child .hit.pending")
                await cal.click("text=Undo it")
                await cal.click("form:has([value=undo]) button")
                await cal.fill("#undo-reason", "a misdeal")
                await sign(cal, "undo", "ben", BEN)
                await cal.click("form[action='/ops/acts/undo'] button")
                await until_said(cal, "Undone by Cal Orie and Ben Nevis")
    assert site.cli("verify")
    assert faults == []


async def ask_for_a_role(browser: "Browser", site: Site, faults: list[str], ann: "Page") -> None:
    """Ann asks that Ben be of the floor; he reads that on his own screen, and confirms it."""
    await go(ann, "People")
    await ann.click("a:text('Ben Nevis')")
    await ann.click("text=Give a role")
    await ann.select_option("#grant-role", "floor")
    await ann.click("form[action='/ops/acts/grant'] button")
    await until_said(ann, "It is not done yet: it waits 15 minutes")
    async with signed_in(browser, site, faults, "ben", BEN) as ben:
        await go(ben, "Requests")
        await until_said(ben, "Ann Arbor asks for it.")
        assert "Ben Nevis" in await ben.inner_text(".facts")
        await ben.click("text=Confirm it")
        await until_said(ben, "It is confirmed. They have the role now.")
    await until_said(ann, "What this page shows has changed meanwhile.")
