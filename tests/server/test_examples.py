"""Do tables written in other languages play against the real server, and survive a power loss?"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from jackpot.app import Server
from jackpot.rules import views
from tests.controllers.examples import c, node, playing
from tests.server.bed import LINK, LINKS, configure, on_loop

# A meter won by chance would hold the table for people, and there are none.
UNHELD = LINKS + "hold_table = false\n"
ROUNDS = 5


async def evening(server: Server, program: Sequence[str], table: str, folder: Path) -> list[int]:
    """A table plays, loses its power meanwhile, and plays on: the numbers of all answered commands."""
    address, key = f"127.0.0.1:{server.ports['tables']}", server.config.keys["table", table][0]
    async with playing(program, table, [address], key, folder, "--pause", "0") as before:
        await before.until_told(20)
    async with playing(
        program, table, [address], key, folder, "--rounds", str(ROUNDS), "--pause", "0"
    ) as after:
        await after.until_done()
    told = [*before.told, *after.told]
    assert {one["answer"]["t"] for one in told} == {"ack"}
    return [one["answer"]["seq"] for one in told]


@on_loop
async def test_tables_in_other_languages_play_and_survive(tmp_path: Path) -> None:
    """L6, S4, S5: each of their wagers is in the books once; a kill -9 loses and doubles nothing."""
    async with Server(configure(tmp_path, links=UNHELD)) as server:
        programs = {"T01": node(), "T02": c(tmp_path)}
        evenings = await asyncio.gather(
            *(evening(server, program, table, tmp_path) for table, program in programs.items())
        )
        books = await server.writers["main"].ask(views.statistics)
    for table, seqs in zip(books["tables"], evenings, strict=True):
        assert seqs == sorted(set(seqs))  # a command that was answered is never sent again
        assert table["last_seq"] == seqs[-1]
        assert table["wagers"][LINK] >= 3 * ROUNDS
    assert not any(books["alarms"].values())
