"""API reference page of the server."""

import json
from pathlib import Path

from jackpot.app import Server
from jackpot.rules.codes import OF_ACTS
from jackpot.web.openapi import document
from tests.running_server import configure, on_loop
from tests.web.test_metrics import fetch


@on_loop
async def test_the_page_has_every_route_and_every_refusal(tmp_path: Path) -> None:
    """DESIGN, one surface: offline, each route, each reply, and each code where a problem's `type` points."""
    async with Server(configure(tmp_path)) as server:
        status, page = await fetch(server, "/api/docs")
        assert status == 200
        assert json.loads((await fetch(server, "/api/v1/openapi.json"))[1]) == document()
    found = document()
    for path in found["paths"]:
        assert f"<code>{path}</code>" in page
    for name in (*found["components"]["schemas"], *OF_ACTS):
        assert f'id="{name}"' in page
    assert "<code>Idempotency-Key</code>" in page
    assert "`" not in page
    assert "http://" not in page
    assert "https://" not in page
