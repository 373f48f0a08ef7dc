"""Lists on a phone: short, and in full Spanish."""

from pathlib import Path

from jackpot.rules.acts.hits import Correct
from tests.net.test_admin_socket import royal
from tests.web.browser import needs_chromium, on_browser_loop
from tests.web.staffed import prove
from tests.web.test_ops import floor, signed_in

# Two lines, the small one of the envy bonus, and the room between rows, at lines of 24 px.
LINES_MAX = 4.5 * 24
HIGHEST = (
    "() => Math.max(...[...document.querySelectorAll('.compact tbody tr')].map((row) => row.offsetHeight))"
)


@needs_chromium
@on_browser_loop
async def test_a_hit_is_two_lines_on_a_phone(tmp_path: Path) -> None:
    """Pages: hits and awards are short rows in the hand that lead to the hit; Spanish has articles."""
    faults: list[str] = []
    async with floor(tmp_path) as (server, device, browser):
        await royal(device)
        ann = await prove(server, "ann")
        for amount in (900_000, 800_000):
            assert (
                await server.auth.act(server.banks["main"], Correct("A1", amount, "misread"), [ann])
            ).asked
        page = await signed_in(server, browser, faults, "phone")
        asked = page.locator("#waiting .also time[data-left]")
        assert await asked.count() == 2
        assert await asked.last.is_visible(), "each request is there, with its time"
        hits = f"{page.url}/hits"
        for path in (f"{hits}/main/H1", hits):
            await page.goto(path)
            assert 0 < await page.evaluate(HIGHEST) <= LINES_MAX, path
        row = page.locator(".compact tbody tr")
        await row.click(position={"x": 300, "y": 8})
        await page.wait_for_selector("h1:text-is('Royal flush')")
        await page.set_extra_http_headers({"Accept-Language": "es"})
        await page.goto(f"{page.url.partition('/hits')[0]}/reports/slip?hit=H1&bank=main")
        said = await page.inner_text("main")
        assert "Mega de Floor Five, al asiento 1" in said
        assert "Envidia por la mano del asiento 1, al asiento 2, la paga la casa" in said
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_a_long_report_is_folded_on_a_phone(tmp_path: Path) -> None:
    """P7: each table and each of its wagers is one line there, until somebody looks into it."""
    faults: list[str] = []
    async with floor(tmp_path) as (server, _, browser):
        page = await signed_in(server, browser, faults, "phone")
        await page.goto(f"{page.url}/reports/submission")
        rows = page.locator(".report tbody tr:not(.part)")
        assert await rows.count() > 20
        assert not await rows.first.is_visible()
        assert await page.evaluate("document.querySelector('.report').offsetHeight") < 844
        await page.locator(".report .part input").first.check()
        assert await rows.first.is_visible()
        assert not await rows.last.is_visible()
        await page.set_viewport_size({"width": 1366, "height": 768})
        assert await rows.last.is_visible()
        assert not await page.locator(".report .part").first.is_visible()
    assert faults == []
