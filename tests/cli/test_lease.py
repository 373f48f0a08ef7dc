"""`jackpot lease` shows which server holds a bank."""

import json
from pathlib import Path

from jackpot.app import Server
from jackpot.rules.signing import SITE
from tests.net.test_admin_socket import jackpot
from tests.running_server import configure, on_loop


@on_loop
async def test_the_only_server_has_every_bank_and_hands_none_over(tmp_path: Path) -> None:
    """S3: its lease is shown with the row it stands at; a ledger in SQLite has nobody else to take it."""
    config = configure(tmp_path)
    where = ("--config", str(config.path))
    async with Server(config) as server:
        code, out, _ = await jackpot("lease", "show", *where)
        assert (code, out.splitlines()[0].strip(), " held " in out) == (0, "2 banks", True)
        (lease, of_people) = json.loads((await jackpot("lease", "show", "--json", *where))[1])
        assert (lease["bank"], lease["here"], lease["seq"]) == (
            "main",
            "held",
            server.banks["main"].sequencer.durable_seq,
        )
        assert (of_people["bank"], of_people["here"]) == (SITE, "held")
        code, _, error = await jackpot("lease", "hand-over", "main", *where)
        assert (code, error.startswith("a ledger in SQLite has one server")) == (1, True)
        code, _, error = await jackpot("lease", "hand-over", "side", *where)
        assert (code, error) == (1, "bank: 'side' is unknown; there is main\n")
