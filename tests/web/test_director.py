"""The director's page: a month's numbers, each leading to the rows that it is the sum of."""

import html
import re
from pathlib import Path

import pytest

from jackpot.lab.bench.pages import here
from tests.net.test_admin_socket import royal
from tests.running_server import LINK, StepClock, table, until
from tests.web.browser import chromium, needs_chromium, on_browser_loop, opened
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
