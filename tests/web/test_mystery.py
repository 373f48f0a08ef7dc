"""A mystery from its close to its validated award: on the wire, on its sign, on its pages (Y3, Y6, Y10)."""

from pathlib import Path

from tests.running_server import LINK, configure, table
from tests.web.browser import chromium, needs_chromium, on_browser_loop, opened
from tests.web.staffed import sign_in, staffed

# Whatever is drawn, the second of two wagers lifts it from 50 cents to its highest sum at the latest.
MYSTERY = f"""
[[link]]
id = "{LINK}"
kind = "mystery"
form = "drawn"
wager = "1.00"
[link.level.meter]
seed = "0.00"
must_hit_by = "0.60"
primary = "50%"
"""
OF_TABLE = 'game = "any"\nmax_rounds_per_minute = 60\n'


@needs_chromium
@on_browser_loop
async def test_a_mystery_is_won_shown_and_validated(tmp_path: Path) -> None:
    """Y3, Y6, Y7, Y10: the close answers with the award; its page asks for the pictures of its round."""
    faults: list[str] = []
    config = configure(tmp_path, links=MYSTERY, of_tables=OF_TABLE)
    async with staffed(config) as server, table(server) as device, chromium() as browser:
        (facts,) = device.heard[1]["links"]
        assert (facts["must_hit_by"], facts["count"]) == ({"meter": 60}, True)
        base = f"http://127.0.0.1:{server.ports['http']}"
        page = await opened(browser, f"{base}/sign/{LINK}", "wall", faults)
        await page.wait_for_selector("text=Must hit by $0.60")
        bets = [{"seat": seat, "link": LINK, "amount": 100} for seat in (1, 2)]
        device.say(t="wager", seq=1, round="R1", bets=bets, lock=True, chips={LINK: 2})
        device.say(t="close", seq=2, round="R1")
        awards = (await device.answer(2))["awards"]
        assert [(one["hand"], one["pays"], one["status"]) for one in awards[:1]] == [
            ("mystery", "cage", "pending")
        ]
        page = await opened(browser, f"{base}/ops", "phone", faults)
        await sign_in(page, "ann")
        await page.goto(f"{base}/ops/links/{LINK}")
        await page.wait_for_selector("text=must hit by $0.60, whatever the cards")
        await page.goto(f"{base}/ops/hits/main/H1")
        await page.wait_for_selector("text=No cards decided it.")
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390
        await page.fill("#validate-surveillance", "camera 12, 20:14")
        await page.click("button.main:has-text('the round was played')")
        await page.wait_for_selector("text=H1 is validated.")
    assert faults == []
