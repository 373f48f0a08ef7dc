"""Lists of a bank's hits, which forget none."""

import json
from pathlib import Path

from jackpot.app import Server
from tests.net.test_admin_socket import ROYAL, jackpot, pay
from tests.running_server import LINKS, administer, configure, on_loop, table
from tests.web.test_metrics import fetch


@on_loop
async def test_no_hit_is_forgotten(tmp_path: Path) -> None:
    """S1: paid, undone and odds hits are listed for ever, the newest first, on the page and by command."""
    config = configure(tmp_path, links=LINKS + 'hold_table = false\nvalidate_at = "500.00"\n')
    where = ("--config", str(config.path))
    flush = {"seat": 1, "cards": ["As", "Ks", "9s"]}
    async with Server(config) as server, table(server) as device:
        for number, hand in enumerate((ROYAL, flush, ROYAL)):
            device.wager(2 * number + 1, f"R{number}", 1, 2, lock=True)
            settle = {"hands": [hand], "board": ["Js", "Ts"], "close": True}
            device.say(t="settle", seq=2 * number + 2, round=f"R{number}", **settle)
            assert (await device.answer(2 * number + 2))["t"] == "ack"
        await administer(config, do="validate", hit="H1", by="Ann")
        await pay(config)
        await administer(config, do="undo", hit="H3", by="Ann", reason="a misdeal")
        device.wager(7, "R9", 1, lock=True)
        await device.answer(7)
        assert (await administer(config, do="/hits/waiting"))["hits"] == []
        late = await administer(config, do="validate", hit="H2", by="Ann")
        assert (late["code"], late["values"]) == ("not_pending", {"award": "H2"})
        told = await administer(config, do="/hits", limit=2)
        assert [(hit["hit"], hit["status"]) for hit in told["hits"]] == [("H3", "undone"), ("H2", "final")]
        assert told["more"] == "H2"
        told = await administer(config, do="/hits", before="H2", limit=2)
        assert [(hit["hit"], hit["status"]) for hit in told["hits"]] == [("H1", "paid")]
        assert told["more"] is None
        hit = await administer(config, do="/hits/{hit}", hit="H1")
        assert (hit["amount"], hit["round"], hit["seat"], hit["table"]) == ("10000.18", "R0", 1, "T01")
        assert [(step["what"], step["people"]) for step in hit["steps"]] == [
            ("paid", ["Ann"]),
            ("paid", ["Ann"]),
            ("validated", ["Ann"]),
        ]
        assert (await administer(config, do="/hits/{hit}", hit="H77"))["code"] == "no_such_hit"
        assert (await administer(config, do="/hits/{hit}", hit="one"))["code"] == "bad_request"
        shown = json.loads((await fetch(server, "/floor.json"))[1])["hits"]
        assert [hit["status"] for hit in shown] == ["undone", "final", "paid"]
        code, out, _ = await jackpot("hits", "list", "--all", "--limit", "2", *where)
        assert (code, "--bank main --before H2" in out, "undone" in out, "final" in out) == (
            0,
            True,
            True,
            True,
        )
        code, out, _ = await jackpot("hits", "list", "--all", "--before", "H2", *where)
        assert (code, "H1 " in out, "H2 " in out) == (0, True, False)
