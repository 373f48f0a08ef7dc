"""Pages on a PC: what is known at the left, what to do about it at the right; on a phone below it."""

from pathlib import Path
from typing import TYPE_CHECKING

from tests.net.test_admin_socket import royal
from tests.running_server import LINK, LINKS
from tests.web.browser import needs_chromium, on_browser_loop, until_true
from tests.web.test_ops import floor, signed_in

if TYPE_CHECKING:
    from playwright.async_api import Page

# By part of the page: its left edge, its top and its right edge.
PLACES = """() => Object.fromEntries(['about', 'to-do', 'more'].map((name) => {
    const box = document.querySelector(`.two > .${name}`)?.getBoundingClientRect();
    return [name, box ? [Math.round(box.left), Math.round(box.top), Math.round(box.right)] : null];
}))"""


async def beside(page: "Page") -> bool:
    """Whether what to do begins at the height of what is known, at the right of it; else it is below."""
    found = await page.evaluate(PLACES)
    (left, top, right), acts, more = found["about"], found["to-do"], found["more"]
    if acts[0] > left:
        assert (acts[0] >= right, acts[1]) == (True, top)
        assert more is None or (more[0] == left and more[2] <= acts[0])
        return True
    assert acts[1] > top
    assert more is None or more[1] > acts[1]
    return False


@needs_chromium
@on_browser_loop
async def test_what_to_do_stands_next_to_what_is_known(tmp_path: Path) -> None:
    """Pages: on a PC in two columns, on a phone the act comes right after the hit, before the rest of it."""
    faults: list[str] = []
    async with floor(tmp_path, LINKS) as (server, device, browser):
        await royal(device)
        page = await signed_in(server, browser, faults)
        root = f"http://127.0.0.1:{server.ports['http']}/ops"
        sizes = ((1366, 768, True), (1920, 1080, True), (390, 844, False))
        for path in (
            "/hits/main/H1",
            f"/links/{LINK}",
            "/tables/T01",
            "/people/2",
            "/hits/main/H1/preview?act=undo",
        ):
            await page.goto(f"{root}{path}")
            for width, height, two in sizes:
                await page.set_viewport_size({"width": width, "height": height})
                assert await beside(page) is two, (path, width)
                assert await page.evaluate("document.documentElement.scrollWidth") <= width
        await page.set_viewport_size({"width": 1366, "height": 768})
        await page.goto(f"{root}/hits/main/H1")
        button = await page.locator("text=Validate: the cards are right").bounding_box()
        assert button is not None
        assert button["y"] + button["height"] < 768, "the main button is on the first screen"
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_a_links_page_shows_the_figures_that_matter_and_a_chart_that_answers(tmp_path: Path) -> None:
    """S1, S2: the rest is folded, and there. A chart has its grid, and says what stood where one points."""
    faults: list[str] = []
    async with floor(tmp_path) as (server, device, browser):
        await royal(device)
        page = await signed_in(server, browser, faults)
        await page.goto(f"http://127.0.0.1:{server.ports['http']}/ops/links/{LINK}")
        rows = page.locator(".about tbody tr:visible th")
        assert await rows.all_inner_texts() == ["Meter", "Reserve", "Overflow", "Won so far", "Hits"]
        await page.click("summary:text-is('All figures')")
        assert {"Seed", "Limit", "Of a wager", "Wagers undone"} <= {*await rows.all_inner_texts()}
        chart = page.locator(".history").first
        assert await chart.locator("text").count() >= 2
        said = page.locator(".ends .spot").first
        before = await said.inner_text()
        await chart.scroll_into_view_if_needed()
        box = await chart.bounding_box()
        assert box is not None
        await page.mouse.move(box["x"] + 5, box["y"] + box["height"] / 2)
        await until_true(page, "document.querySelector('.ends .spot').textContent.includes(': $10,000.00')")
        assert await chart.locator(".here").count() == 1
        await page.mouse.move(box["x"] + box["width"] - 5, box["y"] + box["height"] / 2)
        await until_true(page, "document.querySelector('.here').getAttribute('cx') === '708'")
        await page.mouse.move(box["x"] + 5, box["y"] - 30)
        await until_true(page, "document.querySelector('.here') === null")
        assert await said.inner_text() == before
    assert faults == []
