"""Posted odds of a table: on a screen, in the hand, on paper, and to programs (P1)."""

from pathlib import Path
from typing import Any, Final

import aiohttp
from msgspec.structs import replace

from jackpot.app import Server
from jackpot.catalogue import load
from jackpot.config import Config
from tests.net.test_examples import OFFERS
from tests.running_server import LINK, LINKS, administer, configure, on_loop, sign
from tests.web.browser import (
    SIZES,
    chromium,
    needs_chromium,
    on_browser_loop,
    opened,
    resized,
    settled,
    until_true,
)
from tests.web.test_mystery import MYSTERY, OF_TABLE
from tests.web.test_ops import AXE, FINDINGS, FREE, floor, signed_in
from tests.web.test_sign_pages import page_of

# What is cut off of a wager, or lies off the screen.
CUT: Final = """() => [...document.querySelectorAll('.wager, header, footer')].filter((one) => {
    const {left, top, right, bottom} = one.getBoundingClientRect();
    return left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1
        || one.scrollWidth > one.clientWidth + 1;
}).map((one) => one.innerText)"""


def posting(folder: Path, **more: Any) -> Config:
    """A floor whose first two tables have bonus wagers, base wagers and a limit, which sign S01 gets."""
    config = configure(folder, signs=2, links=LINKS + OFFERS, **more)
    own, limit = ("pa-643a-base-A",), 75_000 * 1_000_000
    tables = tuple(
        replace(one, payout_limit=limit, base_wagers=own) if one.table in ("T01", "T02") else one
        for one in config.tables
    )
    signs = (replace(config.signs[0], tables=("T01", "T02")), *config.signs[1:])
    return replace(config, signs=signs, tables=tables)


@on_loop
async def test_a_sign_is_given_the_odds_of_its_tables(tmp_path: Path) -> None:
    """P1, WIRE: after its welcome; a sign without tables hears of none, as every sign of before."""
    async with Server(posting(tmp_path)) as server, sign(server) as device:
        first, second = await device.type("paytable"), await device.type("paytable")
        assert (first["table"], second["table"]) == ("T01", "T02")
        assert first["payout_limit"] == 7_500_000
        assert [wager["link"] for wager in first["wagers"]] == [LINK, "five-bonus", "three-bonus"]
        assert first["wagers"][0]["rows"][0] == {
            "hand": "royal-flush", "pays": "percent", "of": 10_000, "level": "mega",
        }  # fmt: skip
        async with sign(server, "S02") as other:
            await other.type("state")
            await other.type("meters")
            assert "paytable" not in {message["t"] for message in other.heard}


@on_loop
async def test_programs_are_told_what_is_posted(tmp_path: Path) -> None:
    """P1, M1: rows, sums and rates as everywhere in the API; a table that is not there has nothing."""
    async with Server(posting(tmp_path)) as server:
        found = await administer(server.config, do="/tables/{table}/posted", table="T01")
        five, bonus, _ = found["wagers"]
        assert (five["rows"][0]["rate"], five["rows"][0]["level"]) == ("100%", "mega")
        assert (five["envy"][0]["amount"], five["least"]) == ("1000.00", "1.00")
        assert (bonus["rows"][0]["n"], bonus["rows"][0]["pays"], bonus["most"]) == (20_000, "for", "5.00")
        assert (found["payout_limit"], found["base"][0]["rows"][0]["n"]) == ("75000.00", 1_000)
        nowhere = await administer(server.config, do="/tables/{table}/posted", table="T09")
        assert nowhere["code"] == "no_such_table"


@on_loop
async def test_a_running_cycle_is_posted_by_its_own_sum(tmp_path: Path) -> None:
    """P1, Y6, Y11: it must hit by what it began with, whatever the configuration says of the next one."""

    def of(links: str) -> Config:
        config = configure(tmp_path, signs=1, links=links, of_tables=OF_TABLE)
        return replace(config, signs=(replace(config.signs[0], tables=("T01",)),))

    async with Server(of(MYSTERY)):
        pass
    server = Server(of(MYSTERY.replace("0.60", "0.70")))
    async with server, sign(server) as device, aiohttp.ClientSession() as web:
        assert (await device.type("paytable"))["wagers"][0]["must_hit_by"] == {"meter": 60}
        found = await administer(server.config, do="/tables/{table}/posted", table="T01")
        assert found["wagers"][0]["must_hit_by"] == {"meter": "0.60"}
        async with web.get(page_of(server, "/sign/T01/posted")) as answer:
            assert "must hit by $0.60" in await answer.text()


@on_loop
async def test_an_address_of_no_table_says_which_there_are(tmp_path: Path) -> None:
    """P1: a wrong id, or a language that nobody has written, is no empty placard."""
    async with Server(posting(tmp_path)) as server, aiohttp.ClientSession() as web:
        async with web.get(page_of(server, "/sign/T09/posted")) as answer:
            assert (answer.status, "/sign/T01/posted" in await answer.text()) == (404, True)
        async with web.get(page_of(server, "/sign/T01/posted?language=xx")) as answer:
            assert (answer.status, "en, es" in await answer.text()) == (404, True)


@needs_chromium
@on_browser_loop
async def test_the_whole_of_it_fits_every_screen_at_a_table(tmp_path: Path) -> None:
    """P1: nothing is cut off and nobody scrolls, but in the hand; each wager has all of its rows."""
    faults = list[str]()
    async with chromium() as browser, Server(config := posting(tmp_path)) as server:
        page = await opened(browser, page_of(server, "/sign/T01/posted"), "wall", faults)
        await until_true(page, "document.body.dataset.fitted")
        rows = len(config.links[0].rows) + len(config.links[0].envy)
        rows += sum(len(link.rows) for link in config.links[1:]) + len(load("pa-643a-base-A").rows)
        assert await page.locator("tbody tr").count() == rows
        for size in SIZES:
            await resized(page, size)
            await until_true(page, "document.body.dataset.fitted")
            await until_true(page, "document.documentElement.scrollWidth <= innerWidth")
            if size not in ("phone", "strip"):
                assert (size, await settled(page, CUT)) == (size, [])
        said = await page.inner_text("body")
        assert "Base wagers pay at most $75,000.00 on one hand." in said
        assert "A wager of $5.00 to $100.00" in said
        await page.evaluate(AXE)
        assert await page.evaluate(FINDINGS) == []
        await page.goto(page_of(server, "/sign/T01/posted?language=es"))
        said = await page.inner_text("body")
        assert "Las apuestas básicas pagan como máximo $75,000.00 por una mano." in said
        assert "Escalera real" in said
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_a_placard_is_printed_whole(tmp_path: Path) -> None:
    """P1: dark on white, and what a screen would cut is on paper."""
    faults = list[str]()
    async with chromium() as browser, Server(posting(tmp_path)) as server:
        page = await opened(browser, page_of(server, "/sign/T01/posted"), "wall", faults)
        await until_true(page, "document.body.dataset.fitted")
        await page.emulate_media(media="print")
        ink = "getComputedStyle(document.querySelector('td')).color"
        assert await page.evaluate(ink) == "rgb(0, 0, 0)"
        assert await page.locator("tbody tr").last.is_visible()
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_the_page_of_a_table_has_what_is_posted_there(tmp_path: Path) -> None:
    """P1: the same rows, and the way to the placard."""
    faults: list[str] = []
    async with floor(tmp_path, FREE + OFFERS) as (server, _device, browser):
        page = await signed_in(server, browser, faults, "phone")
        await page.goto(f"{page.url}/tables/T01")
        await page.click("summary:has-text('Posted odds')")
        said = await page.inner_text("main")
        assert "20,000 for 1" in said
        assert "100 % of the Mega" in said
        await page.click("text=For a screen at the table")
        await until_true(page, "document.body.dataset.fitted")
        assert page.url.endswith("/sign/T01/posted?language=en")
    assert faults == []
