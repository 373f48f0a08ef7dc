"""The page on which two people resume a bank that came back from a copy (S9, Y8)."""

from pathlib import Path

from jackpot.rules.acts.links import Suspend
from jackpot.rules.money import from_cents
from tests.running_server import LINK
from tests.web.browser import needs_chromium, on_browser_loop
from tests.web.test_ops import AXE, FINDINGS, FREE, floor, second_signs, signed_in

MYSTERY = """
[[link]]
id = "must-hit"
kind = "mystery"
form = "drawn"
wager = "1.00"
[link.level.meter]
seed = "1000.00"
must_hit_by = "5000.00"
primary = "5%"
"""


@needs_chromium
@on_browser_loop
async def test_two_people_resume_a_restored_bank_on_a_page(tmp_path: Path) -> None:
    """S9, Y8: all of its links by one act, with the highest sum that was shown of each mystery level."""
    faults: list[str] = []
    async with floor(tmp_path, FREE + MYSTERY) as (server, _device, browser):
        bank = server.banks["main"]
        assert (await bank.person(Suspend("restored", (), ""), ())).ok
        page = await signed_in(server, browser, faults, "phone")
        await page.goto(f"{page.url}/links/{LINK}")
        await page.click("summary:has-text('Let wagers in on the links of bank main again')")
        await page.evaluate(AXE)
        assert await page.evaluate(FINDINGS) == []
        await page.fill("[name='highest.must-hit.meter']", "1234.56")
        await second_signs(page, "resume", "the tables agree")
        await page.wait_for_selector("text=Wagers are let in again.")
        links = bank.sequencer.engine.state.links
        assert [link.suspended for link in links] == [[], []]
        cycle = links[1].levels[0].mystery
        assert cycle is not None
        assert cycle.decided == from_cents(123_456)
        assert await page.locator("summary:has-text('Let wagers in on the links')").count() == 0
    assert faults == []
