"""Tables: their rounds, and whom they wait for."""

from pathlib import Path

from jackpot.app import Server
from tests.running_server import COUNTED, LINK, LINKS, OFFER, administer, configure, on_loop, table


@on_loop
async def test_rounds_are_struck_voided_and_reopened(tmp_path: Path) -> None:
    """T3, T6, T10: the table is told its round by a `round` push."""
    config = configure(tmp_path, links=COUNTED)
    async with Server(config) as server, table(server) as device:
        device.wager(1, "R1", 1, 2, lock=True, chips={LINK: 1})
        assert (await device.answer(1))["warn"]
        shown = await administer(config, do="/tables/{table}", table="T01")
        assert shown["round"]["state"] == "mismatch"
        request = {"table": "T01", "round": "R1", "reason": "no chip", "by": "Ann"}
        assert (await administer(config, do="strike", seat=2, link=LINK, **request))["ok"]
        assert (await device.type("round"))["state"] == "locked"
        device.say(t="close", seq=2, round="R1")
        assert (await device.answer(2))["t"] == "ack"
        assert (await administer(config, do="reopen", **request))["asked"]
        device.wager(3, "R2", 1)
        assert (await device.answer(3))["code"] == "table_held"
        shown = await administer(config, do="/tables/{table}", table="T01")
        assert shown["round"]["asked"] == "Ann"
        assert (await administer(config, do="decline", **request))["ok"]
        assert (await administer(config, do="reopen", **request))["asked"]
        assert (await administer(config, do="reopen", **request | {"by": "Bo"}))["ok"]
        assert (await device.type("round"))["round"] == "R1"
        voided = await administer(config, do="void", and_by="Bo", **request)
        assert [refund["seat"] for refund in voided["refunds"]] == [1]


@on_loop
async def test_a_table_tells_what_its_bonus_wagers_came_to(tmp_path: Path) -> None:
    """B3, S6: by offer, over the table's life, those that went back included; a link has its count alone."""
    config = configure(tmp_path, links=LINKS + OFFER)
    async with Server(config) as server, table(server) as device:
        bets = [{"seat": seat, "link": "three-bonus", "amount": 500 * seat} for seat in (1, 2)]
        device.say(t="wager", seq=1, round="R1", bets=bets)
        device.say(t="withdraw", seq=2, round="R1", bets=[{"seat": 1, "link": "three-bonus"}])
        await device.answer(2)
        shown = await administer(config, do="/tables/{table}", table="T01")
    assert shown["wagered"] == {"three-bonus": "15.00"}
    assert shown["wagers"] == {LINK: 0, "three-bonus": 2}
