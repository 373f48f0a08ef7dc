"""The page of a link after a restore: two people let wagers in on all links of its bank."""

from pathlib import Path

from jackpot.config import load
from jackpot.rules.acts.links import Suspend
from tests.bank.test_running_triggers import floor
from tests.running_server import LINK, LINKS, OFFER, configure
from tests.web.browser import chromium, needs_chromium, on_browser_loop, opened
from tests.web.staffed import sign_in, staffed
from tests.web.test_committed_pages import cycle, fits, signs


@needs_chromium
@on_browser_loop
async def test_two_people_open_a_restored_bank_on_the_page_of_a_link(tmp_path: Path) -> None:
    """S9: nobody needs a login of the server's machine to open the floor again."""
    faults: list[str] = []
    config = configure(tmp_path, links=LINKS + OFFER)
    async with staffed(config) as server, chromium() as browser:
        links = server.banks["main"].sequencer.engine.state.links
        assert (await server.banks["main"].person(Suspend("restored", (), ""), ())).ok
        assert [[*link.suspended] for link in links] == [["restored"]] * 2
        base = f"http://127.0.0.1:{server.ports['http']}"
        page = await opened(browser, f"{base}/ops", "phone", faults)
        await sign_in(page, "ann")
        await page.goto(f"{base}/ops/links/{LINK}")
        assert await fits(page)
        await signs(page, "resume", "restored, case 1204")
        await page.wait_for_selector("text=Wagers are let in again.")
        assert [[*link.suspended] for link in links] == [[], []]
        assert "after the ledger was restored" not in await page.inner_text("main")
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_the_page_asks_how_high_restored_mysteries_stood(tmp_path: Path) -> None:
    """S9, Y8: the ledger may have lost rows of them."""
    faults: list[str] = []
    config = load(floor(tmp_path).path)
    async with staffed(config) as server, chromium() as browser:
        assert (await server.banks["main"].person(Suspend("restored", (), ""), ())).ok
        base = f"http://127.0.0.1:{server.ports['http']}"
        page = await opened(browser, f"{base}/ops", "phone", faults)
        await sign_in(page, "ann")
        await page.goto(f"{base}/ops/links/{LINK}")
        await page.fill(f"[name='highest.{LINK}.meter']", "12.50")
        await signs(page, "resume", "an old copy")
        await page.wait_for_selector("text=Wagers are let in again.")
        assert cycle(server).decided == 12_500_000
    assert faults == []
