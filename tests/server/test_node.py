"""Does a table written in another language play against the real server?"""

import asyncio
from pathlib import Path

from jackpot.app import Server
from jackpot.rules import views
from tests.controllers.test_node import install, play
from tests.server.bed import LINK, configure


def test_a_round_from_node_is_in_the_books(tmp_path: Path) -> None:
    """L6, S5: an independent implementation of the table's side plays a round; the meters hold its wager."""
    install()

    async def body() -> None:
        config = configure(tmp_path)
        async with Server(config) as server:
            address = f"127.0.0.1:{server.ports['tables']}"
            seen = await play(address, "T01", config.keys["table", "T01"][0], LINK, 100)
            assert [answer["t"] for answer in seen["answers"]] == ["ack", "ack"]
            books = await server.writers["main"].ask(views.statistics)
            assert books["tables"][0]["last_seq"] == 2
            assert books["tables"][0]["rounds"] == 1
            assert books["links"][0]["levels"][0]["wagers"] == books["tables"][0]["wagers"][LINK] > 0

    asyncio.run(body())
