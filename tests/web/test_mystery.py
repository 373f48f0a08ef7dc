"""A mystery from its close to its validated award: on the wire, on its sign, on its pages (Y3, Y6, Y10)."""

from pathlib import Path

from tests.running_server import LINK, configure, table
from tests.web.browser import chromium, needs_chromium, on_browser_loop, opened, until_true
from tests.web.staffed import sign_in, staffed
from tests.web.test_ops import AXE, FINDINGS

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
    """Y3, Y6, Y7, Y10: the close answers with the award; its page says how its round was played, and asks for
    the pictures of it. What is announced of its terms is on sign and placard (P2, Y11).
    """
    faults: list[str] = []
    config = configure(tmp_path, links=MYSTERY, of_tables=OF_TABLE)
    async with staffed(config) as server, table(server) as device, chromium() as browser:
        (facts,) = device.heard[1]["links"]
        assert (facts["must_hit_by"], facts["count"]) == ({"meter": 60}, True)
        base = f"http://127.0.0.1:{server.ports['http']}"
        a_sign = await opened(browser, f"{base}/sign/{LINK}", "wall", faults)
        await a_sign.wait_for_selector("text=Must hit by $0.60")
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
        facts = await page.inner_text(".facts:has-text('Wagers that counted')")
        assert facts.split("\n") == [
            *("Wagers that counted", "2, $2.00 in all"),
            *("Chips that the dealer counted", "2"),
            *("Rounds of the table in the hour up to it", "1"),
            *(
                "Usual at this hour",
                "no hour before: nothing is here of this table at this hour on the days before",
            ),
        ]
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390
        await page.evaluate(AXE)
        assert await page.evaluate(FINDINGS) == []
        await page.set_extra_http_headers({"Accept-Language": "es"})
        await page.reload()
        await page.wait_for_selector("text=Lo habitual a esta hora")
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390
        await page.set_extra_http_headers({"Accept-Language": "en"})
        await page.reload()
        await page.fill("#validate-surveillance", "camera 12, 20:14")
        await page.click("button.main:has-text('the round was played')")
        await page.wait_for_selector("text=H1 is validated.")
        await page.goto(f"{base}/ops/links/{LINK}")
        await page.click("summary:has-text('Announce that it closes, or another figure')")
        await page.fill("#announce-day", "2099-12-24")
        await page.fill("#announce-rate", "2,125 %")
        await page.fill("#announce-reason", "a longer cycle")
        await page.click("button:has-text('Announce it')")
        await page.wait_for_selector("#announce-rate[aria-invalid]")
        await page.fill("#announce-rate", "2,5 %")
        await page.click("button:has-text('Announce it')")
        await page.wait_for_selector("h2:has-text('From 2099-12-24 on 2.50% of a wager goes to the')")
        await page.evaluate(AXE)
        assert await page.evaluate(FINDINGS) == []
        await page.click("summary:has-text('Announce that it closes, or another figure')")
        await page.fill("#announce-day", "2099-12-24")
        await page.fill("#announce-seed", "0.10")
        await page.fill("#announce-reason", "more at once")
        await page.click("button:has-text('Announce it')")
        await page.wait_for_selector("h2:has-text('begins with $0.10')")
        said = "From December 24, 2099 on 2.50 % of a wager goes to the"
        await until_true(a_sign, f"document.getElementById('notice').textContent.startsWith('{said}')")
        await until_true(
            a_sign, "document.getElementById('notice').textContent.endsWith('begins with $0.10')"
        )
        placard = await opened(browser, f"{base}/sign/T01/posted", "wall", faults)
        await placard.wait_for_selector(f"text={said}")
    assert faults == []
