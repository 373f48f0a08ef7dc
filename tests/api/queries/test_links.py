"""Links and levels, shown with everything that the ledger knows of them."""

import json
import re
from pathlib import Path

from jackpot.app import Server
from tests.net.test_admin_socket import jackpot
from tests.running_server import LINK, LINKS, administer, configure, on_loop, table
from tests.web.test_metrics import fetch


@on_loop
async def test_a_level_shows_its_rates_and_terms_everywhere(tmp_path: Path) -> None:
    """S1: value, seed, reseed, rates, limit, hits, wins, wagers; on the page, in the command, as a metric."""
    bonus = LINKS.replace("pa-643a-five-card-C", "pa-643a-five-card-hand-bonus") + (
        '[link.level.meter]\nlimit = "20000.00"\nlimit_approval = "tests"\n'
    )
    config = configure(tmp_path, links=bonus)
    async with Server(config) as server, table(server) as device:
        device.wager(1, "R1", 1, 2, lock=True)
        assert (await device.answer(1))["t"] == "ack"
        device.say(t="void", seq=2, round="R1", reason="misdeal")
        assert (await device.answer(2))["t"] == "ack"
        device.wager(3, "R2", 1, lock=True)
        assert (await device.answer(3))["t"] == "ack"
        terms = json.loads((await fetch(server, "/floor.json"))[1])["terms"][LINK]["meter"]
        metrics = (await fetch(server, "/metrics"))[1].splitlines()
        _, shown, _ = await jackpot("links", "show", LINK, "-c", str(config.path))
        missing = await jackpot("links", "show", "nowhere", "-c", str(config.path))
    assert dict(terms) == {
        "Of a wager": "13 %", "To the reserve": "8 %", "Seed": "$10,000.00", "Reseed": "$0.00",
        "Reserve": "$0.08", "Overflow": "$0.00", "Hits": "0", "Won so far": "$0.00", "Wagers": "1",
        "Limit": "$20,000.00", "Hits undone": "0", "Wagers undone": "2",
    }  # fmt: skip
    told = {
        name: value
        for name, _, value in (line.partition(f'{{level="meter",link="{LINK}"}} ') for line in metrics)
        if value
    }
    assert {name.removeprefix("jackpot_"): float(told[name]) for name in told if "_rate_" in name} == {
        "primary_rate_ratio": 0.13,
        "reserve_rate_ratio": 0.08,
    }
    money = {name: float(told[f"jackpot_{name}_currency_units"]) for name in ("seed", "reseed", "limit")}
    assert money == {"seed": 10_000, "reseed": 0, "limit": 20_000}
    facts = dict(re.findall(r"^│ ([a-z ]+?) +│ (\S.*?) +│$", shown, re.MULTILINE))
    assert (facts["primary rate"], facts["reserve rate"]) == ("13 %", "8 %")
    assert (facts["limit"], facts["wagers"], facts["wagers undone"]) == ("$20,000.00", "1", "2")
    assert (missing[0], missing[2]) == (1, "there is no link nowhere: `jackpot links list` names them all\n")


@on_loop
async def test_a_suspended_link_says_who_stopped_it_when_and_why(tmp_path: Path) -> None:
    """S4: of several who asked it is the first, since the link was resumed last."""
    config = configure(tmp_path)
    async with Server(config):
        acts = [("suspend", "Ann", "drill"), ("suspend", "Bo", "too"), ("resume", "Bo", "over")]
        for act, by, reason in [*acts, ("suspend", "Bo", "felt torn"), ("suspend", "Ann", "also")]:
            done = await administer(config, do=act, cause="operator", links=[LINK], reason=reason, by=by)
            assert done["ok"], done
        journal = (await administer(config, do="/journal", limit="2"))["entries"]
        links = (await administer(config, do="/links"))["links"]
    (one,) = next(link for link in links if link["link"] == LINK)["suspensions"]
    first = journal[-1]
    assert one == {
        "cause": "operator", "people": ["Bo"], "reason": "felt torn", "at": first["at"], "seq": first["seq"],
    }  # fmt: skip
    assert not any(link["suspensions"] for link in links if link["link"] != LINK)
