"""Overview of the floor: what waits for people, and how far each journal is signed."""

import json
import re
from pathlib import Path

from msgspec.structs import replace

from jackpot.app import Server
from tests.notify.heads import heads
from tests.running_server import LINKS, configure, connected, on_loop, until
from tests.web.test_metrics import fetch


@on_loop
async def test_the_floor_page_says_what_alarmed_and_what_was_signed(tmp_path: Path) -> None:
    """T3, S8, S9: an alarm is counted until somebody acknowledges it; each bank's newest head is named."""
    config = configure(tmp_path, links=LINKS, extra=heads(tmp_path))
    async with Server(config) as server, connected(server.ports["tables"]) as device:
        await device.hello(config, "table", "T01", acked=7)
        assert (await device.type("error"))["code"] == "ledger_behind"
        signer = server.signer
        assert signer is not None
        await until(lambda: {"main", "site"} <= {bank["bank"] for bank in signer.statistics()["banks"]})
        await until(lambda: all(outbox.sent for outbox in signer.outboxes))
        floor = json.loads((await fetch(server, "/floor.json"))[1])
    assert floor["alarms"] == "1 alarm is open"
    ago = r"\(\d+ s ago\)"
    assert re.fullmatch(rf"Signed: .*main up to row \d+ {ago}.*\. Taken by: file {ago}", floor["heads"])


@on_loop
async def test_the_floor_writes_a_game_as_its_rules_do(tmp_path: Path) -> None:
    """A table of Ultimate Texas Hold 'Em is called alike on the floor, on its page and on its placard."""
    config = configure(tmp_path, links=LINKS)
    texas = "ultimate-texas-holdem"
    tables = tuple(replace(table, game=texas, seats=6, adjacent_boxes=1) for table in config.tables)
    async with Server(replace(config, tables=tables)) as server:
        floor = json.loads((await fetch(server, "/floor.json"))[1])
    assert {table["game"] for table in floor["tables"]} == {"Ultimate Texas Hold 'Em"}
