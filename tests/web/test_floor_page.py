"""The floor page: what waits comes first, in Spanish too, with room for each level."""

from pathlib import Path

import pytest

from jackpot.web import overview
from tests.net.test_admin_socket import royal
from tests.running_server import LINK, LINKS, configure, sign, table
from tests.web.browser import SIZES, chromium, needs_chromium, on_browser_loop, state
from tests.web.staffed import staffed
from tests.web.test_ops import AXE, FINDINGS

SIDE = LINKS.replace(LINK, "side")
# How many of the levels, without the first, begin a row; and what is wider than its level.
ROWS = """() => [...document.querySelectorAll('.levels')].map((link) =>
    new Set([...link.children].slice(1).map((level) => level.getBoundingClientRect().top)).size)"""
WIDER = """() => [...document.querySelectorAll('.level')].filter((level) =>
    [...level.children].some((part) => part.scrollWidth > level.clientWidth + 1)).length"""
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
                assert await page.inner_text("#trouble") == "Todo está en orden."
                await royal(device)
            await page.wait_for_selector("#waiting .hit.pending")
            assert await page.get_attribute("#waiting .hit", "href") == "/ops/hits/main/H1"
            assert not await page.is_visible("#trouble")
            said = await page.inner_text("body")
            assert "1 acierto espera" in said
            assert "Escalera real, Mega" in said
            assert [text for text in NOT_SPANISH if text in said] == []
            assert await page.evaluate(ROWS) == ([1, 1] if size != "phone" else [2, 2])
            assert await page.evaluate(WIDER) == 0
            assert await page.evaluate("document.documentElement.scrollWidth") <= width
            await page.evaluate(AXE)
            assert await page.evaluate(FINDINGS) == []
            await context.close()
