"""The floor page: what waits comes first, in Spanish too, with room for each level."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from jackpot.web import overview
from tests.net.test_admin_socket import royal
from tests.running_server import LINK, LINKS, configure, sign, table
from tests.web.browser import SIZES, chromium, needs_chromium, on_browser_loop, state, until_true
from tests.web.staffed import staffed
from tests.web.test_ops import AXE, FINDINGS, played

SIDE = LINKS.replace(LINK, "side")
# How many of the levels, without the first, begin a row; and what is wider than its level.
ROWS = """() => [...document.querySelectorAll('.levels')].map((link) =>
    new Set([...link.children].slice(1).map((level) => level.getBoundingClientRect().top)).size)"""
WIDER = """() => [...document.querySelectorAll('.level')].filter((level) =>
    [...level.children].some((part) => part.scrollWidth > level.clientWidth + 1)).length"""
# Of each hit that waits, where its columns begin; of a sum, where it ends.
LEFTS = """() => ['.sum', '.what', '.where', '.waited'].map((name) =>
    [...document.querySelectorAll(`#waiting .hit ${name}`)].map((part) => {
        const box = part.getBoundingClientRect();
        return Math.round(['.sum', '.waited'].includes(name) ? box.right : box.left);
    }))"""
WIDTHS = """() => [...document.querySelectorAll('.link, .below section')].map((card) =>
    Math.round(card.getBoundingClientRect().width))"""
HEADS = ["when", "hit", "table", "seat", "hand", "link", "level", "amount", "status"]
# Words of ours that are the same in Spanish, and names.
NOT_SPANISH = ("All is in order", "Sign in", "wager", "ready", "Tables", "Last hits", "pending", "reserve")


@needs_chromium
@on_browser_loop
async def test_what_waits_stands_first_in_the_browsers_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Floor page: with a hit that waits nothing is said to be in order; its line leads to where it is worked
    at. All of it is Spanish to who reads Spanish, at every size, and axe finds nothing.
    """  # fmt: skip
    monkeypatch.setattr(overview, "BACK_WITHIN_S", 0.0)
    config = configure(tmp_path, tables=1, links=LINKS + "hold_table = false\n" + SIDE)
    async with staffed(config) as server, table(server) as device, sign(server), chromium() as browser:
        there = f"http://127.0.0.1:{server.ports['http']}/"
        for size in ("wall", "tablet", "phone"):
            width, height = SIZES[size]
            context = await browser.new_context(locale="es-MX", viewport={"width": width, "height": height})
            page = await context.new_page()
            await page.goto(there)
            await state(page, "good")
            if size == "wall":
                await until_true(
                    page, "document.getElementById('trouble').innerText === 'Todo está en orden.'"
                )
                await royal(device)
            await page.wait_for_selector("#waiting .hit.pending")
            assert await page.get_attribute("#waiting .hit", "href") == "/ops/hits/main/H1"
            assert not await page.is_visible("#trouble")
            said = await page.inner_text("body")
            assert "1 acierto espera" in said
            assert "Escalera real" in said
            assert [text for text in NOT_SPANISH if text in said] == []
            assert await page.evaluate(ROWS) == ([1, 1] if size != "phone" else [2, 2])
            assert await page.evaluate(WIDER) == 0
            assert await page.evaluate("document.documentElement.scrollWidth") <= width
            await page.evaluate(AXE)
            assert await page.evaluate(FINDINGS) == []
            await context.close()


@needs_chromium
@on_browser_loop
async def test_figures_have_labels_hits_have_columns_and_dates_are_the_sites(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S1, floor page: each figure of a level next to its label; a hit's parts under the heads of columns.

    Dates are written as the site's locale does. What waits is ranked, and says for how long. Every card is as
    wide as the page.
    """
    monkeypatch.setattr(overview, "BACK_WITHIN_S", 0.0)
    config = configure(tmp_path, tables=1, links=LINKS + "hold_table = false\n" + SIDE)
    config = replace(config, site=replace(config.site, locale="es_MX"))
    async with staffed(config) as server, table(server) as device, chromium() as browser:
        await played(device, 1, "Kh Kd Ks", "Qh Qd")
        await royal(device, 3, "R3")
        context = await browser.new_context(locale="en-US", viewport={"width": 1366, "height": 768})
        page = await context.new_page()
        await page.goto(f"http://127.0.0.1:{server.ports['http']}/")
        await page.wait_for_selector("#hits .status.pending")
        level = page.locator(".level").first
        pairs = [text.split("\n") for text in await level.locator(".terms div").all_inner_texts()]
        labels = [
            "Of a wager",
            "To the reserve",
            "Seed",
            "Reseed",
            "Reserve",
            "Overflow",
            "Hits",
            "Won so far",
            "Wagers",
        ]
        assert [label for label, _ in pairs[:9]] == labels
        assert dict(pairs)["Wagers"] == "3"
        heads = await page.locator("#hits thead th").all_inner_texts()
        assert [head.lower() for head in heads] == HEADS
        row = await page.locator("#hits tbody tr").first.locator("td").all_inner_texts()
        assert re.fullmatch(r"\d{1,2} \w{3} \d{4}, \d{1,2}:\d{2}\s[ap]\.m\. E[SD]T", row[0]), row
        assert row[1:7] == ["H2", "T01", "1", "Royal flush", "Floor Five", "Mega"]
        waiting = await page.locator("#waiting .hit").all_inner_texts()
        hands = await page.locator("#waiting .what").all_inner_texts()
        assert [hand.split()[0] for hand in hands] == ["Royal", "Full"]
        assert all("0 min" in text for text in waiting)
        lefts = await page.evaluate(LEFTS)
        assert [len({*column}) for column in lefts] == [1, 1, 1, 1]
        widths = await page.evaluate(WIDTHS)
        assert len({*widths}) == 1, "a card that is narrower leaves half of the page empty"
        await context.close()
