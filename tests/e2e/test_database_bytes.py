"""A database connection that breaks after any byte of a commit leaves each command in the books once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

import pytest

from jackpot.app import Server
from jackpot.ledger.verify.verifier import verify
from tests.e2e.test_database_commit import configured, epochs
from tests.ledger.waiting import open_ledger
from tests.running_server import WAIT_S, on_loop, table

Way = Literal["to the database", "to the server"]
READ_BYTES: Final = 65_536
# More bytes than one commit takes: where they do not come to so many, the next one is cut.
REACH: Final = {"to the database": 1_200, "to the server": 160}
# Between two cuts, in bytes: prime, so that no field of a message is always left whole.
STEP: Final = {"to the database": 61, "to the server": 7}


class Cutter:
    """Passes bytes on, both ways. Once `left` bytes more went one way, that connection ends; None: never."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.port = 0
        self.left: dict[Way, int | None] = {"to the database": None, "to the server": None}

    async def serve(self, near_reader: asyncio.StreamReader, near: asyncio.StreamWriter) -> None:
        far_reader, far = await asyncio.open_connection("127.0.0.1", self.target)

        def cut() -> None:
            near.transport.abort()
            far.transport.abort()

        async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, way: Way) -> None:
            try:
                while data := await reader.read(READ_BYTES):
                    left = self.left[way]
                    if left is not None and left <= len(data):
                        self.left[way] = None
                        writer.write(data[:left])
                        await writer.drain()
                        return
                    if left is not None:
                        self.left[way] = left - len(data)
                    writer.write(data)
            except OSError:
                pass  # the other way was cut
            finally:
                cut()

        async with asyncio.TaskGroup() as both:
            both.create_task(carry(near_reader, far, "to the database"))
            both.create_task(carry(far_reader, near, "to the server"))


@asynccontextmanager
async def cutting(target: int) -> AsyncIterator[Cutter]:
    cutter = Cutter(target)
    server = await asyncio.start_server(cutter.serve, "127.0.0.1", 0)
    cutter.port = server.sockets[0].getsockname()[1]
    try:
        yield cutter
    finally:
        server.close()


@pytest.mark.parametrize("way", ["to the database", "to the server"])
@on_loop
async def test_a_connection_that_ends_after_any_byte(database: str, tmp_path: Path, way: Way) -> None:
    """S4, S5, DESIGN 4: each command is answered and has one row, and the books hold, wherever it was cut."""
    port = urlsplit(database).port or 0
    async with cutting(port) as cutter:
        config = configured(tmp_path, database.replace(f":{port}/", f":{cutter.port}/"))
        async with Server(config) as server, table(server) as device:
            seq = 0

            async def command() -> None:
                nonlocal seq
                seq += 1
                if seq % 2:
                    device.wager(seq, f"R{seq}", 1)
                else:
                    device.say(t="void", seq=seq, round=f"R{seq - 1}", reason="x")
                async with asyncio.timeout(WAIT_S):
                    assert (await device.answer(seq))["t"] == "ack"

            await command()
            for place in range(0, REACH[way], STEP[way]):
                cutter.left[way] = place
                await command()
            cutter.left[way] = None
            counts = server.banks["main"].counts
            assert counts.doubts > 3, "no cut was felt"
            assert (await epochs(database)).keys() == set(range(1, seq + 1))
            assert all(len(rows) == 1 for rows in (await epochs(database)).values())

    def look() -> None:
        with closing(open_ledger(database, readonly=True)) as ledger:
            assert verify(ledger, "main").problems == ()

    await asyncio.to_thread(look)
