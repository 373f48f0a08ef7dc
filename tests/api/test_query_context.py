"""Queries answer nothing that another server may have changed."""

from pathlib import Path

from jackpot.app import Server
from tests.net.test_admin_socket import royal
from tests.running_server import administer, configure, on_loop, table


@on_loop
async def test_what_another_server_may_have_changed_is_not_listed(tmp_path: Path) -> None:
    """DESIGN, lease: a server that was frozen or cut off lists no hit as pending that may be paid by now."""
    config = configure(tmp_path)
    async with Server(config) as server, table(server) as device:
        await royal(device)
        server.banks["main"].lifecycle._until = 0.0
        for request in ({"do": "/hits"}, {"do": "/tables/{table}", "table": "T01"}):
            answer = await administer(config, **request)
            assert (answer["ok"], answer["code"]) == (False, "bank_stopped")
            assert "not confirmed by the ledger" in answer["message"]
