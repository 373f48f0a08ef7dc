"""Pages of a bonus wager with fixed odds: its link, its table, and a hit (B1, B4, B16)."""

from pathlib import Path
from typing import Final

from jackpot.app import Server
from jackpot.config import load
from tests.running_server import on_loop, table
from tests.web.browser import needs_chromium, on_browser_loop
from tests.web.test_metrics import fetch
from tests.web.test_ops import FREE, floor, signed_in, until_open

OFFERS: Final = """
[[offer]]
id = "three-bonus"
paytable = "pa-643a-three-card-bonus-A"
placed = "layout"
approved = "letter of 1 November"
least = "5.00"
most = "100.00"
tables = ["T01"]

[[offer]]
id = "five-bonus"
paytable = "pa-643a-five-card-bonus-A"
placed = "device"
stake = "kept"
approved = "letter of 1 November"
least = "5.00"
most = "100.00"
count_chips = false
tables = ["T01"]
"""


ALONE: Final = """
[site]
name = "Bonus"
currency = "USD"
gaming_day_ends = "06:00"
timezone = "UTC"
[ledger]
url = "sqlite:///ledger.db"
[listen]
tables = "127.0.0.1:0"
http = "127.0.0.1:0"
[people]
required = false
[limits]
heartbeat_ms = 60000
[[offer]]
id = "three-bonus"
paytable = "pa-643a-three-card-bonus-A"
placed = "layout"
approved = "letter of 1 November"
least = "5.00"
most = "100.00"
tables = ["T01"]
[[table]]
id = "T01"
game = "let-it-ride"
seats = 7
key_file = "T01"
"""


@on_loop
async def test_a_floor_of_offers_alone_plays_and_is_shown(tmp_path: Path) -> None:
    """B1: no link with a meter is needed: the table plays, and pages and metrics have the offer."""
    key = tmp_path / "T01"
    key.touch(mode=0o600)
    key.write_text("ab" * 32)
    file = tmp_path / "config.toml"
    file.write_text(ALONE)
    async with Server(load(file)) as server, table(server) as device:
        bets = [{"seat": 1, "link": "three-bonus", "amount": 500}]
        device.say(t="wager", seq=1, round="R1", bets=bets, lock=True)
        device.say(
            t="settle", seq=2, round="R1", hands=[{"seat": 1, "cards": ["2s", "2h", "5d"]}], close=True
        )
        assert [award["amount"] for award in (await device.answer(2))["awards"]] == [500]
        said = {path: await fetch(server, path) for path in ("/", "/floor.json", "/metrics", "/readyz")}
    assert {status for status, _ in said.values()} == {200}
    assert '["Wagered", "$5.00"]' in said["/floor.json"][1]


@needs_chromium
@on_browser_loop
async def test_an_offer_is_no_meter_on_its_pages(tmp_path: Path) -> None:
    """B1, B4, B16, L8: nothing to correct or transfer; what is awarded, with stakes; whom to strike."""
    faults: list[str] = []
    async with floor(tmp_path, FREE + OFFERS) as (server, device, browser):
        bets = [
            {"seat": 3, "link": "three-bonus", "amount": 2_500},
            {"seat": 2, "link": "five-bonus", "amount": 500},
        ]
        device.say(t="wager", seq=1, round="R1", bets=bets, lock=True)
        assert (await device.answer(1))["t"] == "ack"
        page = await signed_in(server, browser, faults, "phone")
        ops = page.url
        await page.goto(ops.removesuffix("/ops"))
        await page.wait_for_selector(".link > .terms dd")
        totals = page.locator(".link > .terms div")
        shown = [text.split("\n") for text in await totals.all_inner_texts()]
        assert ["Wagered", "$25.00"] in shown
        assert ["Paid, with returned stakes", "$0.00"] in shown
        assert len(shown) == 4, "two of each offer, and none of a link with meters"
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390
        await page.goto(f"{ops}/tables/T01")
        assert not await page.locator("text=Strike it").is_visible()
        await page.click("summary:has-text('Strike a wager')")
        assert "when the cards that decide it cannot be shown" in await page.inner_text("main")
        assert await page.locator("select[name=link] option").all_inner_texts() == ["five-bonus"]
        hands = [{"seat": 3, "cards": ["2h", "3h", "4h"]}]
        device.say(t="settle", seq=2, round="R1", hands=hands, board=["Js", "Ts"])
        assert (await device.answer(2))["t"] == "ack"
        await page.goto(f"{ops}/tables/T01")
        assert "Strike a wager" not in await page.inner_text("main")
        await page.goto(f"{ops}/links/three-bonus")
        said = await page.inner_text("main")
        assert "wager $5.00 to $100.00" in said
        assert "Awarded, with stakes returned: $1,025.00" in said
        assert "Correct a meter" not in said
        assert "Transfer" not in said
        assert "Close it for ever" in said
        await page.goto(f"{ops}/hits/main/H1")
        assert "stake of $25.00 lies on the layout" in await page.inner_text("main")
    assert faults == []


SIX: Final = """
[[offer]]
id = "six-bonus"
paytable = "pa-643a-six-card-bonus-A"
placed = "layout"
approved = "letter of 1 November"
least = "5.00"
most = "100.00"
tables = ["T01"]
"""


@needs_chromium
@on_browser_loop
async def test_a_hit_of_six_cards_shows_the_bonus_cards(tmp_path: Path) -> None:
    """B16: the page on which people validate a hit shows all six of its cards."""
    faults: list[str] = []
    async with floor(tmp_path, FREE + SIX) as (server, device, browser):
        device.say(
            t="wager",
            seq=1,
            round="R1",
            bets=[{"seat": 3, "link": "six-bonus", "amount": 500}],
            lock=True,
        )
        hands = [{"seat": 3, "cards": ["2h", "3h", "4h"]}]
        device.say(t="settle", seq=2, round="R1", hands=hands, board=["Js", "Ts"], bonus=["5h", "6h", "9c"])
        assert (await device.answer(2))["t"] == "ack"
        page = await signed_in(server, browser, faults, "phone")
        await page.goto(f"{page.url}/hits/main/H1")
        shown = page.locator(".dealt p", has=page.locator("text=Bonus cards"))
        assert await shown.locator(".face").count() == 3
        assert await page.locator(".face.counts").count() == 6
    assert faults == []


@needs_chromium
@on_browser_loop
async def test_a_final_award_of_an_unfinished_round_is_undone_on_its_page(tmp_path: Path) -> None:
    """A11, B15: the hit's page offers its undo until the round has ended, and then the correction alone."""
    faults: list[str] = []
    async with floor(tmp_path, FREE + OFFERS) as (server, device, browser):
        bets = [{"seat": seat, "link": "three-bonus", "amount": 500} for seat in (3, 4)]
        device.say(t="wager", seq=1, round="R1", bets=bets, lock=True)
        assert (await device.answer(1))["t"] == "ack"
        for seq, cards in ((2, ["2h", "2d", "4h"]), (3, ["3h", "3d", "5h"])):
            device.say(t="settle", seq=seq, round="R1", hands=[{"seat": 6 - seq, "cards": cards}])
            (award,) = (await device.answer(seq))["awards"]
            assert award["status"] == "final"
        page = await signed_in(server, browser, faults, "phone")
        hits = f"{page.url}/hits/main"
        await page.goto(f"{hits}/H1")
        await page.click("summary:has-text('Undo it')")
        assert "It can be undone until its round has ended" in await page.inner_text("main")
        await page.click("button:text-is('Review') >> visible=true")
        await until_open(page, "It takes one person.")
        await page.fill("#undo-reason", "misread")
        await page.click("button.danger >> visible=true")
        await until_open(page, "Undone by Ann")
        assert await page.locator(".status").first.inner_text() == "undone"
        device.say(t="settle", seq=4, round="R1", hands=[], board=["Js", "Ts"], close=True)
        assert (await device.answer(4))["t"] == "ack"
        await page.goto(f"{hits}/H2")
        assert await page.locator("summary:has-text('Undo it')").count() == 0
        assert await page.locator("summary:has-text('Correct an award')").count() == 1
    assert faults == []
