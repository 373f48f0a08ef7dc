"""A flood of unauthenticated connections reaches the server, and each is refused."""

import asyncio
from pathlib import Path

from jackpot.app import Server
from jackpot.lab.bench.strangers import flood
from tests.running_server import configure, on_loop, until


@on_loop
async def test_strangers_come_again_and_again(tmp_path: Path) -> None:
    """Bench: each says a hello that proves nothing, and calls again."""
    async with Server(configure(tmp_path)) as server, asyncio.TaskGroup() as group:
        flooding = group.create_task(flood(server.ports["tables"]))
        await until(lambda: server.tables.closed["auth_failed"] >= 40)
        flooding.cancel()
    assert server.tables.current == {}
