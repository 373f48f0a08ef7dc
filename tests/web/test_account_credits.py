"""Credits of awards to game accounts: programs, pages, the report and the metrics (P4)."""

from pathlib import Path
from typing import Final

from msgspec.structs import replace

from jackpot.app import Server
from jackpot.ledger.open import open_reader
from jackpot.reports.registry import REPORTS
from jackpot.reports.report import ReportRequest
from tests.running_server import LINK, LINKS, Device, administer, configure, on_loop, table
from tests.web.browser import needs_chromium, on_browser_loop
from tests.web.test_metrics import key, samples
from tests.web.test_ops import AXE, FINDINGS, floor, signed_in

HAND: Final = (
    LINKS.replace("pa-643a-five-card-C", "pa-643a-five-card-hand-bonus") + 'validate_at = "1000.00"\n'
)


async def flush(device: Device) -> str:
    """Seat 1 wins 50 for 1, final at once; the award's id."""
    device.wager(1, "R1", 1, lock=True)
    assert (await device.answer(1))["t"] == "ack"
    hand = {"seat": 1, "cards": ["As", "Ks", "9s"]}
    device.say(t="settle", seq=2, round="R1", board=["7s", "2s"], hands=[hand], close=True)
    (award,) = (await device.answer(2))["awards"]
    assert (award["pays"], award["status"], award["amount"]) == ("account", "final", 5_000)
    return str(award["award"])


@on_loop
async def test_a_program_confirms_a_credit_once(tmp_path: Path) -> None:
    """P4: the same request twice is one; another one is refused; the metrics count what is left."""
    config = configure(tmp_path, links=HAND)
    async with Server(config) as server, table(server) as device:
        award = await flush(device)
        found = await samples(server)
        assert found[key("jackpot_awards_uncredited", bank="main")] == 1
        assert found[key("jackpot_oldest_uncredited_timestamp_seconds", bank="main")] > 0
        assert found[key("jackpot_credit_within_seconds")] == 24 * 3_600
        (shown,) = (await administer(config, do="/hits/{hit}", hit="H1"))["awards"]
        assert shown["credited"] is False
        asked = {"do": "credit", "award": award, "reference": "TX-1", "by": "Ann"}
        for _ in range(2):
            assert (await administer(config, once="a-key-of-its-own-123", **asked))["ok"]
        assert (await administer(config, **asked))["code"] == "credited"
        hit = await administer(config, do="/hits/{hit}", hit="H1")
        assert hit["awards"][0]["credited"] is True
        assert [(step["what"], step["document"]) for step in hit["steps"]] == [("credited", "TX-1")]
        waits = await server.banks["main"].ask(lambda engine: engine.state.uncredited)
        assert waits == {}


@on_loop
async def test_the_report_names_what_waits_too_long(tmp_path: Path) -> None:
    """P4: by the site's own bound, counted to the newest entry of the bank; nothing else."""
    config = configure(tmp_path, links=HAND)
    async with Server(config) as server, table(server) as device:
        await flush(device)
    with_ledger = open_reader(config.ledger.url)
    try:
        wanted = ReportRequest(config.site, ("main",))
        assert list(REPORTS["credits"].find(with_ledger, wanted).rows) == []
        strict = wanted._replace(site=replace(config.site, credit_within_hours=-1))
        ((bank, award, hit, link, at, seat, _won, hours, amount),) = (
            REPORTS["credits"].find(with_ledger, strict).rows
        )
        assert (bank, award, hit, at, seat, hours, amount) == ("main", "A1", "H1", "T01", 1, 0, 50_000_000)
        assert str(link) == LINK
    finally:
        with_ledger.close()


@needs_chromium
@on_browser_loop
async def test_people_confirm_it_on_the_page_of_the_hit(tmp_path: Path) -> None:
    """P4: the form is there until it is done; then the page says so."""
    faults: list[str] = []
    async with floor(tmp_path, HAND) as (server, device, browser):
        award = await flush(device)
        page = await signed_in(server, browser, faults, "phone")
        await page.goto(f"{page.url}/hits/main/H1")
        await page.click(f"summary:has-text('Confirm that {award} is credited')")
        await page.fill(f"#credit-{award}-reference", "TX-7")
        await page.click("button:has-text('It is credited')")
        await page.wait_for_selector("text=The credit is confirmed.")
        assert await page.locator("summary:has-text('is credited')").count() == 0
        assert "document TX-7" in await page.inner_text(".steps")
        await page.evaluate(AXE)
        assert await page.evaluate(FINDINGS) == []
    assert faults == []
