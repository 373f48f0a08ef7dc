"""Acts on a link's money and terms from the command line, and their previews (L8, L9)."""

import json
from pathlib import Path
from typing import Any

from jackpot.app import Server
from jackpot.rules.phrases import phrase
from tests.net.test_admin_socket import jackpot
from tests.running_server import LINK, LINKS, configure, on_loop, table
from tests.said import in_words

TWO = ("--reason", "approved", "--by", "Ann", "--and-by", "Bo")
OTHER = LINKS.replace(LINK, "side")


async def shown(*where: str) -> dict[str, Any]:
    """The link, as `jackpot links show` has it."""
    code, out, error = await jackpot("links", "show", LINK, "--json", *where)
    assert code == 0, error
    found: dict[str, Any] = json.loads(out)
    return found


@on_loop
async def test_a_configuration_that_differs_is_shown_and_confirmed_by_two(tmp_path: Path) -> None:
    """L9: the ledger's terms hold and the link stands still, until two people have seen both side by side."""
    async with Server(configure(tmp_path)):
        pass
    config = configure(tmp_path, links=LINKS + 'validate_at = "50.00"\n')
    where = ("--config", str(config.path))
    _, out, _ = await jackpot("config", "check", str(config.path))
    differs = "validate_at: none in the ledger, 50.00 in the configuration"
    assert f"warning: link {LINK} stands still until two people confirm: {differs}" in out
    async with Server(config) as server, table(server) as device:
        found = await shown(*where)
        one = {"what": "validate_at", "ledger": "none", "configuration": "50.00", "fixed": False}
        assert (found["state"], found["reasons"], found["differences"]) == ("suspended", ["config"], [one])
        looked = await jackpot("links", "change", LINK, "--preview", *TWO, *where)
        assert "50.00" in looked[1], looked
        alone = await jackpot("links", "change", LINK, "--reason", "approved", "--by", "Ann", *where)
        why = phrase("why_parameters_change")
        assert (alone[0], in_words("two_people", why=why) in alone[2]) == (1, True), alone
        done = await jackpot("links", "change", LINK, *TWO, *where)
        assert (done[0], done[1]) == (0, f"{LINK}: it plays on the terms of the configuration\n"), done
        found = await shown(*where)
        assert (found["state"], found["differences"]) == ("active", [])
        device.wager(1, "R1", 1)
        assert (await device.answer(1))["t"] == "ack"
    async with Server(config) as server, table(server) as device:
        assert device.heard[-1]["links"][0]["state"] == "active"


@on_loop
async def test_money_is_corrected_transferred_and_a_link_closed(tmp_path: Path) -> None:
    """L8: looked at first, done by two; the meters say it at once, and a closed link is told to be one."""
    config = configure(tmp_path, links=LINKS + OTHER)
    where = ("--config", str(config.path))
    async with Server(config) as server, table(server) as device:
        device.wager(1, "R1", 1, lock=True)
        device.say(t="close", seq=2, round="R1")
        await device.answer(2)
        before = (await shown(*where))["levels"][0]
        correct = ("links", "correct", LINK, before["level"], "12.345678")
        looked = await jackpot(*correct, "--preview", *TWO, *where)
        assert "10012.435678" in looked[1], looked
        mark = looked[1].rpartition("--seen ")[2].split()[0]
        other = await jackpot(*correct, "--seen", "0" * len(mark), *TWO, *where)
        assert (other[0], in_words("shown_otherwise") in other[2]) == (1, True), other
        assert (await shown(*where))["levels"][0] == before
        assert (await jackpot(*correct, "--seen", mark, *TWO, *where))[1] == f"{LINK}: corrected\n"
        level = (await shown(*where))["levels"][0]
        assert (level["value"], level["corrections"]) == ("10012.435678", "12.345678")
        early = await jackpot("links", "close", LINK, "--to", "side", *TWO, *where)
        assert (early[0], in_words("link_takes_wagers", link=LINK) in early[2]) == (1, True), early
        assert (await jackpot("links", "suspend", LINK, "--reason", "x", *where))[0] == 0
        homeless = await jackpot("links", "close", LINK, *TWO, *where)
        refused = in_words("money_needs_link", left=12_345_678 + 190_000)  # with one wager's part of it
        assert (homeless[0], refused in homeless[2]) == (1, True), homeless
        done = await jackpot("links", "close", LINK, "--to", "side", *TWO, *where)
        assert (done[0], done[1]) == (0, f"{LINK}: closed\n"), done
        found = await shown(*where)
        assert (found["state"], found["levels"][0]["value"]) == ("closed", "0.00")
        assert found["levels"][0]["transfers"] == "-12.435678"
    _, out, _ = await jackpot("config", "check", str(config.path))
    assert f"warning: link {LINK} was closed and takes nothing more: take it out" in out
    async with Server(config):
        assert (await shown(*where))["state"] == "closed"
