"""Notices on signs, on posted odds, on the pages of people, and at the command line (P2)."""

from datetime import datetime, time
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from jackpot.api.operation import BadRequest
from jackpot.api.queries.notices import Announce, AnnouncePayoutLimit
from jackpot.app import Server
from jackpot.config import Site, load
from tests.running_server import LINK, LINKS, OFFER, administer, configure, on_loop, sign
from tests.web.browser import chromium, needs_chromium, on_browser_loop, opened, until_true
from tests.web.test_metrics import key, samples
from tests.web.test_ops import AXE, FINDINGS, FREE, floor, second_signs, signed_in
from tests.web.test_posted import posting
from tests.web.test_sign_pages import page_of

DAY = "2099-12-24"
GIVEN = {"day": DAY, "reason": "a new game", "by": "Ann"}


def test_the_day_is_the_gaming_day_of_that_date() -> None:
    """P2: it begins when the day before ends, by the site's clocks; and there must be such a day."""
    site = Site("House", "USD", time(6, 0), "America/New_York")
    (given, limit) = (
        Announce(LINK, "2026-12-24", "x").of_site(site),
        AnnouncePayoutLimit("T01", 5_000_000, "2026-12-24", "x").of_site(site),
    )
    began = datetime(2026, 12, 24, 6, tzinfo=ZoneInfo("America/New_York"))
    assert given.due == limit.due == int(began.timestamp()) * 1000
    assert limit.amount == 5_000_000 * 10_000
    with pytest.raises(BadRequest):
        Announce(LINK, "2026-02-30", "x").of_site(site)


@pytest.mark.parametrize("rate", ["0%", "101%", "999.99%"])
def test_a_rate_is_a_part_of_the_wager(rate: str) -> None:
    """P2, Y11: in basis points; none of nothing, or of more than all."""
    site = Site("House", "USD", time(6, 0), "America/New_York")
    assert Announce(LINK, "2026-12-24", "x", rate="2.5%").of_site(site).rate == 250
    with pytest.raises(BadRequest):
        Announce(LINK, "2026-12-24", "x", rate=rate).of_site(site)


@on_loop
async def test_what_is_announced_is_on_signs_and_in_the_api(tmp_path: Path) -> None:
    """P2: at once, for those that are there and those that come later, until it is withdrawn."""
    async with Server(posting(tmp_path)) as server, sign(server) as device:
        assert "notices" not in await device.type("state")
        assert (await administer(server.config, do="announce", link=LINK, **GIVEN))["ok"]
        while "notices" not in (told := await device.type("state")):
            pass
        assert told["notices"] == [{"day": DAY}]
        limit = {"table": "T01", "amount": "50000.00", **GIVEN}
        assert (await administer(server.config, do="announce-payout-limit", **limit))["ok"]
        async with sign(server) as later:
            (first,) = [one for one in [await later.type("state")] if one["link"] == LINK]
            assert first["notices"] == [{"day": DAY}, {"day": DAY, "table": "T01", "amount": 5_000_000}]
        link = await administer(server.config, do="/links/{link}", link=LINK)
        assert [(one["notice"], one["day"], one["amount"]) for one in link["notices"]] == [("N1", DAY, None)]
        at = await administer(server.config, do="/tables/{table}", table="T01")
        assert [(one["notice"], one["amount"]) for one in at["notices"]] == [("N1", None), ("N2", "50000.00")]
        assert (await samples(server))[key("jackpot_notices", bank="main")] == 2
        gone = {"notice": "N1", "reason": "it stays", "by": "Ann", "bank": "main"}
        assert (await administer(server.config, do="withdraw-notice", **gone))["ok"]
        early = {"link": LINK, "day": "2020-01-01", "reason": "x", "by": "Ann"}
        assert (await administer(server.config, do="announce", **early))["code"] == "bad_request"


@needs_chromium
@on_browser_loop
async def test_screens_say_what_is_announced(tmp_path: Path) -> None:
    """P2: a sign and the posted odds, each while it is looked at, in the site's language or another."""
    faults = list[str]()
    async with chromium() as browser, Server(posting(tmp_path)) as server:
        a_sign = await opened(browser, page_of(server, f"/sign/{LINK}"), "wall", faults)
        placard = await opened(browser, page_of(server, "/sign/T01/posted?language=es"), "wall", faults)
        await until_true(placard, "document.body.dataset.fitted")
        assert "diciembre" not in await placard.inner_text("body")
        assert (await administer(server.config, do="announce", link=LINK, **GIVEN))["ok"]
        await until_true(placard, "document.body.innerText.includes('Cierra el 24 de diciembre')")
        await until_true(placard, "document.body.dataset.fitted")
        limit = {"table": "T01", "amount": "50000.00", **GIVEN}
        assert (await administer(server.config, do="announce-payout-limit", **limit))["ok"]
        said = "Closes on December 24, 2099 · From December 24, 2099 on base wagers at table T01 pay at most"
        await until_true(a_sign, f"document.getElementById('notice').textContent.startsWith('{said}')")
        assert await a_sign.evaluate("document.documentElement.scrollWidth <= innerWidth")
        # It is loaded again for each of the two.
        await until_true(placard, "document.querySelector('footer')?.innerText.includes('$50,000.00')")
        fresh = await opened(browser, placard.url, "wall", faults)
        assert "Cierra el 24 de diciembre de 2099" in await fresh.inner_text(".announced")
        await fresh.evaluate(AXE)
        assert await fresh.evaluate(FINDINGS) == []
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_people_announce_on_the_page_of_the_link(tmp_path: Path) -> None:
    """P2: by a form, which comes back with what is wrong; it stands there with the way to withdraw it."""
    faults: list[str] = []
    async with floor(tmp_path, FREE + OFFER) as (server, _device, browser):
        page = await signed_in(server, browser, faults, "phone")
        home = page.url
        await page.goto(f"{home}/links/{LINK}")
        await page.click("summary:has-text('Announce that it closes')")
        await page.fill("#announce-day", "2020-01-01")
        await page.fill("#announce-reason", "a new game")
        await page.click("button:has-text('Announce it')")
        await page.wait_for_selector("text=has begun already")
        await page.fill("#announce-day", DAY)
        await page.click("button:has-text('Announce it')")
        await page.wait_for_selector(f"h2:has-text('Closes on {DAY}')")
        await page.evaluate(AXE)
        assert await page.evaluate(FINDINGS) == []
        await page.goto(f"{home}/links/three-bonus")
        await page.click("summary:has-text('Announce that it closes')")
        await page.fill("#announce-day", DAY)
        await page.fill("#announce-amount", "50")
        await page.fill("#announce-reason", "a smaller wager")
        await page.click("button:has-text('Announce it')")
        await page.wait_for_selector("h2:has-text('a wager is at most $50')")
        await page.goto(f"{home}/tables/T01")
        assert await page.locator("h2:has-text('Closes on')").count() == 1
        await page.goto(f"{home}/links/{LINK}")
        await page.click("summary:has-text('Withdraw the notice')")
        await page.fill("#withdraw-N1-reason", "it stays")
        await page.click("button:has-text('Withdraw notice N1')")
        await page.wait_for_selector("text=The notice is withdrawn.")
        assert await page.locator("h2:has-text('Closes on')").count() == 0
    assert faults == []


SEASON = LINKS.replace(LINK, "other")
END = {"link": LINK, "to": "other", "day": DAY, "reason": "a season", "by": "Ann", "and_by": "Bo"}


@on_loop
async def test_an_end_is_on_signs_and_in_the_api(tmp_path: Path) -> None:
    """P2: the day is the last one; who is asked for it sees where the money goes."""
    config = configure(tmp_path, links=LINKS + SEASON)
    async with Server(config) as server, sign(server) as device:
        await device.type("state")
        assert (await administer(config, do="announce-end", **END))["ok"]
        while "notices" not in (told := await device.type("state")):
            pass
        assert told["notices"] == [{"day": DAY, "last": True}]
        (one,) = (await administer(config, do="/links/{link}", link=LINK))["notices"]
        assert (one["notice"], one["day"], one["ends"], one["to"]) == ("N1", DAY, True, "other")
        alone = {"notice": "N1", "reason": "it goes on", "by": "Ann", "bank": "main"}
        assert (await administer(config, do="withdraw-notice", **alone))["code"] == "two_people"
        assert (await administer(config, do="withdraw-notice", and_by="Bo", **alone))["ok"]
        far = END | {"day": "9999-12-31"}
        assert (await administer(config, do="announce-end", **far))["code"] == "bad_request"
        seen = await administer(
            config, do="/preview/{act}", act="announce-end", link=LINK, to="other", day=DAY
        )
        assert {one["link"] for one in seen["moved"]} == {LINK}
        assert {one["value_after"] for one in seen["moved"]} == {"0.00"}
        assert seen["why_two"] == "the end of a link is announced, and where its money goes"
        other = END | {"seen": seen["seen"], "day": "2099-12-23"}
        assert (await administer(config, do="announce-end", **other))["code"] == "changed"
        assert (await administer(config, do="announce-end", seen=seen["seen"], **END))["ok"]


@needs_chromium
@on_browser_loop
async def test_screens_say_the_last_day(tmp_path: Path) -> None:
    """P2: a sign, and the posted odds of a table, in the site's language or another."""
    faults = list[str]()
    config = posting(tmp_path)
    text = config.path.read_text()
    config.path.write_text(text + SEASON)
    async with chromium() as browser, Server(load(config.path)) as server:
        a_sign = await opened(browser, page_of(server, f"/sign/{LINK}"), "wall", faults)
        assert (await administer(server.config, do="announce-end", **END))["ok"]
        await until_true(
            a_sign, "document.getElementById('notice').textContent === 'Last day: December 24, 2099'"
        )
        placard = await opened(browser, page_of(server, "/sign/T01/posted?language=es"), "wall", faults)
        assert "Último día: 24 de diciembre de 2099" in await placard.inner_text(".announced")
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_people_announce_an_end_on_the_page_of_the_link(tmp_path: Path) -> None:
    """P2, L8: they look at what it would move, and a second person signs; it stands there until then."""
    faults: list[str] = []
    async with floor(tmp_path, FREE + SEASON) as (server, _device, browser):
        page = await signed_in(server, browser, faults, "phone")
        home = page.url
        await page.goto(f"{home}/links/{LINK}")
        await page.click("summary:has-text('Announce its last day')")
        await page.fill("#announce-end-day", "2020-01-01")
        await page.click("#announce-end-day >> xpath=ancestor::form >> button:has-text('Review')")
        await page.wait_for_selector("text=is over already")
        await page.fill("#announce-end-day", DAY)
        await page.click("#announce-end-day >> xpath=ancestor::form >> button:has-text('Review')")
        await page.wait_for_selector(f"text=Last day: {DAY}")
        assert "This is what would move if it ended now" in await page.inner_text("main")
        await page.evaluate(AXE)
        assert await page.evaluate(FINDINGS) == []
        preview = page.url
        await page.fill("#announce-end-reason", "a season")
        await page.click("button:has-text('Announce its end')")
        await page.wait_for_selector("text=It is not done yet")
        await page.goto(f"{home}/requests")
        assert "Announce its end" in await page.inner_text("main")
        await page.evaluate(AXE)
        assert await page.evaluate(FINDINGS) == []
        await page.goto(preview)
        await second_signs(page, "announce-end", "a season")
        await page.wait_for_selector("text=Its end is announced.")
        await page.goto(f"{home}/links/{LINK}")
        assert await page.locator(f"h2:has-text('Last day: {DAY}')").count() == 1
        assert "Its money goes to Other." in await page.inner_text(".to-do")
        assert await page.locator("summary:has-text('Announce its last day')").count() == 0
        await page.evaluate(AXE)
        assert await page.evaluate(FINDINGS) == []
    assert faults == []
