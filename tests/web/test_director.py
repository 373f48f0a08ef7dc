"""The director's page: a month's numbers, each leading to the rows that it is the sum of."""

import html
import re
from pathlib import Path

import pytest

from jackpot.config.writing import writing
from jackpot.lab.bench.pages import here
from jackpot.reports.director import DirectorDay
from jackpot.web.chart import BOTTOM, HEIGHT, ROOM, TOP, WIDTH
from jackpot.web.director import LEFT, trend
from tests.net.test_admin_socket import royal
from tests.running_server import LINK, StepClock, table, until
from tests.web.browser import chromium, needs_chromium, on_browser_loop, opened, until_true
from tests.web.staffed import sign_in
from tests.web.test_authentication import floor, signed_in

NUMBER = re.compile(r'<a href="(/ops/reports/[^"]+)">([^<]+)</a>')
WIDER = """() => [...document.querySelectorAll('.scroll')]
    .filter((part) => part.scrollWidth > part.clientWidth + 1).map((part) => part.innerText)"""
LAPTOP = (1366, 768)


@on_browser_loop
async def test_before_the_first_round_it_says_what_it_will_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The director: no round yet, so the page says what will stand here, in the reader's language."""
    monkeypatch.setattr("jackpot.app.readers", here)
    async with floor(tmp_path) as (_, web):
        (await signed_in(web)).close()
        async with web.get("/ops/director") as page:
            text = await page.text()
        assert page.status == 200
        assert "Once rounds are played, this page says" in text
        assert 'role="alert"' not in text
        async with web.get("/ops/director", headers={"Accept-Language": "es"}) as page:
            assert "Cuando se jueguen rondas, esta página dice" in await page.text()
        async with web.get("/ops/director?month=2026-13") as page:
            assert "is no month like 2026-11" in html.unescape(await page.text())


@on_browser_loop
async def test_every_number_leads_to_its_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The director: behind each number is a report that is not empty, in CSV, JSON and on paper, too."""
    monkeypatch.setattr("jackpot.app.readers", here)
    async with floor(tmp_path) as (_, web), table(_) as device:
        await royal(device)
        (await signed_in(web)).close()
        async with web.get("/ops/director") as page:
            text = await page.text()
        assert "The director" not in text
        for said in ("By link", "Top tables", "By game", "By shift", "By gaming day", "Let It Ride", "Trend"):
            assert said in text
        numbers = {html.unescape(at) for at, _ in NUMBER.findall(text)}
        assert {"$2.00", "$0.38", "$11,000.18", "$1,000.38"} <= {said for _, said in NUMBER.findall(text)}
        assert len(numbers) > 20
        for at in numbers:
            async with web.get(at) as page:
                rows = await page.text()
            assert (page.status, 'role="alert"' in rows) == (200, False), at
        month = re.search(r'<option value="([^"]+)" selected', text)
        assert month is not None
        for group in ("link", "table", "game", "shift", "day"):
            at = f"/ops/reports/result?month={month[1]}&group={group}"
            async with web.get(f"{at}&as=json") as file:
                totals = (await file.json())["totals"]
            assert (totals["wagered"], totals["paid"]) == ("2.000000", "11000.180000")
            async with web.get(f"{at}&as=print") as paper:
                assert "$11,000.18" in await paper.text()


@on_browser_loop
async def test_accounting_signs_one_page_and_each_link_has_a_slip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S2: the liability at a day's end, and the reading of a link, with lines for those who sign."""
    monkeypatch.setattr("jackpot.app.readers", here)
    clock = StepClock()
    async with floor(tmp_path, clock=clock) as (server, web), table(server) as device:
        await royal(device)
        clock.stepped_s += 86_400
        await until(lambda: bool(server.banks["main"].sequencer.engine.state.last_day))
        (await signed_in(web)).close()
        async with web.get("/ops/readings") as page:
            text = await page.text()
        papers = [
            html.unescape(at) for at in re.findall(r'href="(/ops/reports/(?:reading-slip|liab)[^"]+)"', text)
        ]
        assert len(papers) == 2
        slip, liability = papers
        assert f"link={LINK}" in slip
        async with web.get(slip) as paper:
            said = await paper.text()
            assert ("Witness, signature" in said, "<script" in said) == (True, False)
        async with web.get(f"{liability}&as=print") as paper:
            said = await paper.text()
        # What was won and is not validated: the mega, and the envy bonus of the house.
        for part in ("Accounting, signature", "landscape", "$10,000.18", "$1,000.00"):
            assert part in said, part


@needs_chromium
@pytest.mark.parametrize("language", ["en-US", "es-MX"])
@on_browser_loop
async def test_nothing_is_cut_off_on_a_laptop(tmp_path: Path, language: str) -> None:
    """AA: the columns of the director's page, of the cost and of the result fit a screen of 1366 pixels."""
    faults: list[str] = []
    async with floor(tmp_path) as (server, _), table(server) as device, chromium() as browser:
        await royal(device)
        at = f"http://127.0.0.1:{server.ports['http']}/ops"
        page = await opened(browser, at, "wall", faults, locale=language)
        await page.set_viewport_size({"width": LAPTOP[0], "height": LAPTOP[1]})
        await sign_in(page)
        for path in (
            "director",
            "reports/cost?by=day",
            "reports/result",
            "reports/liability",
            "reports/expected",
        ):
            await page.goto(f"{at}/{path}")
            await page.wait_for_selector("table")
            assert await page.evaluate(WIDER) == [], path
            text = await page.inner_text("main")
            assert "primary" not in text.lower(), path
            assert "_" not in text, path
    assert faults == []


def test_the_trend_has_an_axis_a_grid_and_days_that_do_not_touch() -> None:
    """The director: sums at the grid's lines, some days below, and a gain of a day below zero."""
    days = [DirectorDay(f"2026-11-{day:02}", day * 100_000_000, 40_000_000) for day in range(1, 31)]
    days[4] = DirectorDay("2026-11-05", 500_000_000, -1_000_000_000)
    drawn = trend(days, writing("en_US", "USD"))
    assert drawn is not None
    assert [line.text for line in drawn.sums] == ["-$1,000", "$0", "$1,000", "$2,000", "$3,000"]
    assert {line.at for line in drawn.sums} >= {drawn.base, HEIGHT - BOTTOM, TOP}
    fifth, last = drawn.days[4], drawn.days[-1]
    assert (fifth.running.y, fifth.running.y + fifth.running.height) == (drawn.base, HEIGHT - BOTTOM)
    assert (last.wagered.y, last.wagered.y + last.wagered.height) == (TOP, drawn.base)
    assert all(LEFT <= day.x <= day.middle <= day.x + day.width <= WIDTH - ROOM for day in drawn.days)
    assert [line.text for line in drawn.labels[:2]] == ["11-01", "11-06"]
    assert (drawn.low, drawn.high) == ("$100.00", "$3,000.00")
    assert trend([DirectorDay("2026-11-01", 0, 0)], writing("en_US", "USD")) is None


@needs_chromium
@on_browser_loop
async def test_the_trend_says_what_a_day_was_where_one_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The director: as in every chart, a pointer or a finger on it has the day's sums below it."""
    monkeypatch.setattr("jackpot.app.readers", here)
    faults: list[str] = []
    async with floor(tmp_path) as (server, _), table(server) as device, chromium() as browser:
        await royal(device)
        page = await opened(browser, f"http://127.0.0.1:{server.ports['http']}/ops", "phone", faults)
        await sign_in(page)
        await page.goto(f"{page.url}/director")
        chart = page.locator("svg.trend")
        assert await chart.locator(".grid path.axis").count() == 1
        assert await chart.locator(".sums text").count() >= 2
        assert await chart.locator(".times text").count() == 1
        assert "$2.00 to $2.00 wagered" in await page.inner_text(".ends .spot")
        await chart.hover()
        await until_true(
            page, "document.querySelector('.ends .spot').textContent.includes(': $2.00 wagered')"
        )
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390
    assert faults == []
