"""Refusals that say what was done before, or what comes first."""

import re
from pathlib import Path

from jackpot.app import Server
from tests.net.test_admin_socket import jackpot, pay, royal
from tests.running_server import LINKS, administer, configure, on_loop, table
from tests.said import in_words, problem


@on_loop
async def test_what_was_done_already_is_said_with_by_whom_and_when(tmp_path: Path) -> None:
    """A10: a second person who pays a paid hit learns who did, also once only the ledger knows the hit."""
    config = configure(tmp_path, links=LINKS + "hold_table = false\n")
    where = ("--config", str(config.path))
    when = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d E[SD]T\n"
    async with Server(config) as server, table(server) as device:
        await royal(device)
        assert (await administer(config, do="validate", hit="H1", by="Ann Lee"))["ok"]
        code, _, error = await jackpot("hits", "validate", "H1", *where)
        assert code == 1
        assert re.fullmatch(f"H1 is validated already, by Ann Lee, {when}", error)
        await pay(config, by="Bo")
        for lock in (False, True):
            if lock:
                device.wager(3, "R2", 1, lock=True)
                assert (await device.answer(3))["t"] == "ack"
            for act in ("validate", "pay", "undo"):
                reason = {"undo": {"reason": "again"}, "pay": {"document": "W-1"}}.get(act, {})
                answer = await administer(config, do=act, hit="H1", by="Cy", **reason)
                assert (answer["ok"], answer["code"]) == (False, "paid"), answer
                assert re.fullmatch(when, answer["values"].pop("at") + "\n")
                assert answer["values"] == {"award": "H1", "status": "paid", "people": "Bo"}
            answer = await administer(config, do="pay", hit="H1", award="A2", document="W-1", by="Cy")
            assert (answer["code"], answer["values"]["award"]) == ("paid", "A2")


@on_loop
async def test_an_act_on_what_is_not_validated_yet_says_what_comes_first(tmp_path: Path) -> None:
    """A10: a pending hit is not called done, and a correction makes a validated one pending again."""
    config = configure(tmp_path)
    async with Server(config) as server, table(server) as device:
        await royal(device)
        code, _, error = await jackpot(
            "hits", "pay", "H1", "--write", "document=W-1", "--config", str(config.path)
        )
        assert (code, error) == (1, f"{in_words('hit_has_nothing_validated', hit=1)}; validate it first\n")
        assert (await administer(config, do="validate", hit="H1", by="Ann"))["ok"]
        fix = {"award": "A1", "amount": "0.05", "reason": "misread", "by": "Ann", "and_by": "Bo"}
        assert (await administer(config, do="correct", **fix))["ok"]
        answer = await administer(config, do="pay", hit="H1", award="A1", document="W-1", by="Ann")
        assert problem(answer)[:2] == ("not_validated", "award_not_validated")
