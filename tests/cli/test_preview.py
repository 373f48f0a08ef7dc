"""An act is previewed on the command line, and then carried out as it was shown (L8, A11)."""

import json
from pathlib import Path

from jackpot.app import Server
from tests.net.test_admin_socket import jackpot, royal
from tests.running_server import LINKS, configure, on_loop, table

TWO = ("--reason", "approved", "--by", "Ann", "--and-by", "Bo")


@on_loop
async def test_what_an_undo_and_what_it_leaves_would_do_is_looked_at_first(tmp_path: Path) -> None:
    """A10, A11, L8: a preview names awards and sums, and does nothing; its mark holds the act to it."""
    config = configure(tmp_path, links=LINKS + "hold_table = false\n")
    where = ("--config", str(config.path))
    async with Server(config) as server, table(server) as device:
        await royal(device)
        await royal(device, 3, "R2")

        async def looked(*words: str) -> tuple[str, str]:
            """What the preview prints, and its hash."""
            code, out, error = await jackpot(*words, "--preview", *TWO, *where)
            assert code == 0, error
            return out, out.rpartition("--seen ")[2].split()[0]

        said, mark = await looked("hits", "undo", "H1")
        assert "it would raise" in said
        for part in ("H2", "A3", "10000.18", "10000.36"):
            assert part in said
        said, _ = await looked("hits", "undo", "H1", "--award", "A2")
        for part in ("it would undo", "A2", "1000.00", "no meter would move"):
            assert part in said, "the envy ends, though the house paid it"
        corrected = ("hits", "correct", "A3", "--amount", "1200.00")
        said, _ = await looked(*corrected)
        assert "-$1" not in said
        assert "the award is paid by cage\n" in said, "A8: a part of a meter"
        envy, _ = await looked("hits", "correct", "A2", "--amount", "900.00")
        assert "the award is paid by floor or cage\n" in envy
        assert (await jackpot(*corrected, "--seen", mark, *TWO, *where))[0] == 1, "it is the other's mark"
        hits = json.loads((await jackpot("hits", "list", "--json", *where))[1])
        assert {hit["status"] for hit in hits} == {"pending"}
        for act, *paper in (("validate",), ("pay", "--seat", "1", "--write", "document=W-1")):
            assert (await jackpot("hits", act, "H2", *paper, "--by", "Ann", *where))[0] == 0
        code, _, error = await jackpot("hits", "undo", "H1", "--seen", mark, *TWO, *where)
        assert (code, "look at it again" in error) == (1, True), "H2 is paid since"
        said, mark = await looked("hits", "undo", "H1")
        assert "it would leave to decide on" in said
        code, _, error = await jackpot("hits", "undo", "H1", "--seen", mark, *TWO, *where)
        assert code == 0, error
        decide = ("links", "decide", "D1", "--remove")
        said, mark = await looked(*decide)
        assert "it would move" in said
        assert (await jackpot(*decide, "--seen", mark, *TWO, *where))[0] == 0
