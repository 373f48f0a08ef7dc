"""Lamps of awards: programs, pages, commands, papers; lamps, voids and abandoned seats in the metrics."""

from pathlib import Path
from typing import Any, Final

from jackpot.app import Server
from jackpot.ledger.open import open_reader
from jackpot.reports.registry import REPORTS
from jackpot.reports.report import ReportRequest
from tests.net.test_admin_socket import jackpot, royal
from tests.running_server import Device, administer, configure, on_loop, table
from tests.web.browser import needs_chromium, on_browser_loop
from tests.web.test_metrics import key, samples
from tests.web.test_ops import AXE, FINDINGS, floor, signed_in

FAILED: Final = "lamp_failed"
CAUSES: Final = ("none", "exposed-card", "stub-count")


async def lamps(device: Device, *said: tuple[str, str], first: int = 3) -> None:
    """The table says what these lamps show, from that number on."""
    for seq, (award, state) in enumerate(said, first):
        device.say(t="lamp", seq=seq, award=award, state=state)
        assert await device.answer(seq) == {"t": "ack", "seq": seq}


def paper(url: str, site: Any) -> dict[str, str]:
    """What the payout form of the hit says of lamps."""
    ledger = open_reader(url)
    try:
        facts = REPORTS["payout"].find(ledger, ReportRequest(site, ("main",), hit=1)).facts
    finally:
        ledger.close()
    return {fact.name: str(fact.value) for fact in facts if "lamp" in fact.name}


@on_loop
async def test_what_a_lamp_shows_is_told_to_programs_commands_and_papers(tmp_path: Path) -> None:
    """P3: of the award, and what the validation saw; an alarm and its report say that one failed."""
    config = configure(tmp_path)
    where = ("--config", str(config.path))
    async with Server(config) as server, table(server) as device:
        await royal(device)
        assert "lamp" not in (await jackpot("hits", "show", "H1", *where))[1]
        await lamps(device, ("A1", "lit"), ("A2", FAILED))
        told = await administer(config, do="/hits/{hit}", hit="H1")
        assert [award["lamp"] for award in told["awards"]] == ["lit", FAILED]
        (alarm,) = (await administer(config, do="/alarms"))["alarms"]
        assert (alarm["kind"], alarm["place"]) == (FAILED, "table T01")
        refused = await administer(config, do="validate", hit="H1", by="Ann")
        assert (refused["code"], refused["field"]) == (FAILED, "lamp")
        done = await jackpot("hits", "validate", "H1", "--lamp", FAILED, "--by", "Ann", *where)
        assert done[0] == 0, done
        found = await samples(server)
        assert found[key("jackpot_lamps_total", bank="main", state="lit")] == 1
        assert found[key("jackpot_lamps_total", bank="main", state=FAILED)] == 1
        assert found[key("jackpot_alarms_open", bank="main", code=FAILED)] == 1
        shown = (await jackpot("hits", "show", "H1", *where))[1]
        (step,) = (await administer(config, do="/hits/{hit}", hit="H1"))["steps"]
        assert step["facts"] == {"lamp": FAILED}
    assert {"lit", "failed"} <= set(shown.replace("|", " ").split())
    assert paper(config.ledger.url, config.site) == {"lamp": "lit", "lamp seen": "failed"}
    ledger = open_reader(config.ledger.url)
    try:
        rows = REPORTS["alarms"].find(ledger, ReportRequest(config.site, ("main",))).rows
        assert [str(row[3]) for row in rows] == [FAILED]
    finally:
        ledger.close()


@on_loop
async def test_voids_and_abandoned_seats_are_counted(tmp_path: Path) -> None:
    """P5, P6: by cause and by decision, from 0; a seat waits until a floorperson has answered."""
    config = configure(tmp_path)
    async with Server(config) as server, table(server) as device:
        found = await samples(server)
        for cause in CAUSES:
            assert found[key("jackpot_rounds_void_total", bank="main", cause=cause)] == 0
        device.wager(1, "R1", 1)
        device.say(t="void", seq=2, round="R1", reason="misdeal")
        device.wager(3, "R2", 1)
        device.say(t="void", seq=4, round="R2", reason="it fell", cause="exposed-card")
        device.wager(5, "R3", 1, 2, 3, lock=True)
        hands = [{"seat": seat, "abandoned": True} for seat in (3, 2)]
        device.say(t="settle", seq=6, round="R3", hands=hands)
        assert (await device.answer(6))["t"] == "ack"
        for seat, left in ((3, True), (2, False)):
            answer = {"table": "T01", "round": "R3", "seat": seat, "abandoned": left, "reason": "seen"}
            assert (await administer(config, do="decide-abandoned", by="Ann", **answer))["ok"]
        device.say(t="settle", seq=7, round="R3", hands=[{"seat": 1, "abandoned": True}])
        assert (await device.answer(7))["t"] == "ack"
    async with Server(config) as server:  # over the ledger's life
        found = await samples(server)
    voids = {cause: found[key("jackpot_rounds_void_total", bank="main", cause=cause)] for cause in CAUSES}
    assert voids == {"none": 1, "exposed-card": 1, "stub-count": 0}
    decided = "jackpot_abandoned_decided_total"
    assert found[key(decided, bank="main", decision="confirmed")] == 1
    assert found[key(decided, bank="main", decision="denied")] == 1
    assert found[key("jackpot_table_abandoned_waiting", table="T01")] == 1
    assert found[key("jackpot_table_abandoned_waiting", table="T02")] == 0


@needs_chromium
@on_browser_loop
async def test_a_failed_lamp_is_seen_and_said_on_the_page_of_the_hit(tmp_path: Path) -> None:
    """P3: the page shows each lamp; the validation has a field for it, which a failed one makes a must."""
    faults: list[str] = []
    async with floor(tmp_path) as (server, device, browser):
        await royal(device)
        page = await signed_in(server, browser, faults, "phone", login="bo")
        await page.goto(f"{page.url}/hits/main/H1")
        assert await page.locator("#validate-lamp[required]").count() == 0
        await lamps(device, ("A1", "lit"), ("A2", FAILED))
        await page.reload()
        assert "lamp lit" in await page.inner_text("table.compact")
        assert "The table says that a lamp failed" in await page.inner_text(".to-do")
        assert await page.locator("#validate-lamp[required]").count() == 1
        await page.evaluate(AXE)
        assert await page.evaluate(FINDINGS) == []
        await page.select_option("#validate-lamp", FAILED)
        await page.click("button:has-text('Validate')")
        await page.wait_for_selector("text=is validated")
        assert "lamp failed" in await page.inner_text(".steps")
    assert faults == []
