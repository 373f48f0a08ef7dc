"""Pages of a committed link: its triggers are replaced, and it is resumed after a roll-back (Y8, Y12)."""

from pathlib import Path
from typing import TYPE_CHECKING

from jackpot.app import Server
from jackpot.config import load
from jackpot.rules.acts.links import Suspend
from jackpot.rules.invariant import require
from jackpot.rules.rounds import mystery
from jackpot.rules.state import MysteryCycle
from tests.bank.test_running_triggers import floor
from tests.running_server import LINK, connected
from tests.web.browser import chromium, needs_chromium, on_browser_loop, opened
from tests.web.staffed import SECRET, sign_in, staffed

if TYPE_CHECKING:
    from playwright.async_api import Page


def cycle(server: Server) -> MysteryCycle:
    (link,) = server.banks["main"].sequencer.engine.state.links
    return mystery.cycle_of(link.levels[0])


def number(server: Server) -> int:
    return require(cycle(server).commitment, "a commitment").number


async def signs(page: "Page", act: str, reason: str) -> None:
    """Bo signs on the first one's screen, also where the form came back open, and it is sent."""
    form = f"form[action='/ops/acts/{act}']"
    await page.fill(f"{form} [name=reason]", reason)
    await page.eval_on_selector(f"{form} .second", "one => { one.open = true }")
    await page.fill(f"{form} [name=second_login]", "bo")
    await page.fill(f"{form} [name=second_secret]", SECRET)
    await page.click(f"{form} > button")


async def fits(page: "Page") -> bool:
    width: int = await page.evaluate("document.documentElement.scrollWidth")
    return width <= 390


@needs_chromium
@on_browser_loop
async def test_two_people_replace_and_state_on_pages(tmp_path: Path) -> None:
    """Y8, Y12: the page of the link, and that of a table that is believed, ask for what was shown."""
    faults: list[str] = []
    config = load(floor(tmp_path).path)
    async with staffed(config) as server, chromium() as browser:
        base = f"http://127.0.0.1:{server.ports['http']}"
        page = await opened(browser, f"{base}/ops", "phone", faults)
        await sign_in(page, "ann")
        await page.goto(f"{base}/ops/links/{LINK}")
        await page.click("summary:has-text('Replace its triggers after a leak')")
        assert await fits(page)
        await signs(page, "replace-triggers", "a copy of the key")
        await page.wait_for_selector("text=They are opened and replaced.")
        assert number(server) == 2

        assert (await server.banks["main"].person(Suspend("rolled_back", (LINK,), ""), ())).ok
        await page.goto(f"{base}/ops/links/{LINK}")
        await page.click("summary:has-text('Let wagers in although the ledger was rolled back')")
        shown = f"[name='highest.{LINK}.meter']"
        await page.fill(shown, "lots")
        await signs(page, "resume", "an old copy")
        await page.wait_for_selector(f"{shown}[aria-invalid=true]")
        await page.fill(shown, "21")
        await signs(page, "resume", "an old copy")
        await page.wait_for_selector("text=a value before the win is below that")
        assert await fits(page)
        await page.fill(shown, "12.50")
        await signs(page, "resume", "an old copy")
        await page.wait_for_selector("text=Wagers are let in again.")
        assert (number(server), cycle(server).decided) == (3, 12_500_000)

        async with connected(server.ports["tables"]) as device:
            await device.hello(config, "table", "T01", acked=7)
            assert (await device.type("error"))["code"] == "ledger_behind"
        await page.goto(f"{base}/ops/tables/T01")
        await page.fill(shown, "13")
        assert await fits(page)
        await signs(page, "confirm-behind", "its log")
        await page.wait_for_selector("text=The decision about the lost answers is journalled.")
        assert (number(server), cycle(server).decided) == (4, 13_000_000)
    assert faults == []
