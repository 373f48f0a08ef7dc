"""A seat whose player left, on the pages of the floor (P6)."""

import json
from pathlib import Path

from tests.running_server import LINK
from tests.web.browser import needs_chromium, on_browser_loop
from tests.web.test_metrics import fetch
from tests.web.test_ops import floor, signed_in, until_open


@needs_chromium
@on_browser_loop
async def test_a_floorperson_answers_on_the_page_of_the_table(tmp_path: Path) -> None:
    """P6: the floor page says that it waits; once answered, the table is told and closes the round."""
    faults: list[str] = []
    async with floor(tmp_path) as (server, device, browser):
        device.wager(1, "R1", 5, 2, lock=True)
        await device.answer(1)
        device.say(t="settle", seq=2, round="R1", hands=[{"seat": 5, "abandoned": True}])
        await device.answer(2)
        device.say(t="close", seq=3, round="R1")
        refused = await device.answer(3)
        assert refused["message"].startswith("abandoned: a floorperson first answers for seat 5")
        found = json.loads((await fetch(server, "/floor.json"))[1])["troubles"]
        troubles = {one["what"]: one["next"] for one in found}
        said = "Table T01: seat 5 may be abandoned; its round waits for a floorperson"
        assert troubles[said] == "a floorperson answers: `jackpot rounds decide-abandoned T01 R1 5`"
        page = await signed_in(server, browser, faults)
        await page.click("#requests-wait")
        await until_open(page, "T01: has the player left seat 5?")
        await page.click("text=Answer it")
        await page.fill("#abandoned-5-reason", "went home")
        await page.keyboard.press("Enter")
        assert await page.evaluate("document.activeElement.id") == "abandoned-5-abandoned", (
            "nothing is chosen yet"
        )
        await page.select_option("#abandoned-5-abandoned", "true")
        await page.click("text=Answer it")
        await until_open(page, "Seat 5 is abandoned: its wagers lose.")
        await page.wait_for_function("document.activeElement.id === 'main'")
        told = await device.type("round")
        assert told["abandoned"] == [{"seat": 5, "confirmed": True}]
        assert {bet["link"] for bet in told["bets"]} == {LINK}
        device.say(t="close", seq=4, round="R1")
        assert (await device.answer(4))["t"] == "ack"
    assert faults == []
