"""kill -9 around the commit of a win on a committed level: one winner, told once, and no second draw."""

import asyncio
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from jackpot.app import Server
from jackpot.ledger.open import open_reader
from tests.bank.test_running_triggers import (
    LEVEL,
    Floor,
    compared,
    floor,
    key_file,
    now_running,
    proved,
    witnessed,
)
from tests.running_server import connected, on_loop, table

# A server that ends itself at a moment of the first win.
_SERVER: Final = """
import asyncio, os, sys
from jackpot.app import serve
from jackpot.bank.running_triggers import RunningTriggers
from jackpot.config import load
from jackpot.ledger.sqlite.store import SqliteLedger
moment, won = sys.argv[2], []
append, publish = SqliteLedger.append, RunningTriggers.publish

def at(here):
    if won and moment == here:
        os.kill(os.getpid(), 9)

def appended(self, bank, epoch, before, rows):
    won.extend(row for row in rows if row.triggers is not None and row.triggers.opened)
    at("before the commit")
    append(self, bank, epoch, before, rows)
    at("after the commit")

def published(self, kept):
    at("before the witness")
    publish(self, kept)
    at("after the witness")

SqliteLedger.append, RunningTriggers.publish = appended, published
asyncio.run(serve(load(sys.argv[1]), lambda server: print(server.ports["tables"], flush=True)))
"""
MOMENTS: Final = ("before the commit", "after the commit", "before the witness", "after the witness")


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_server_that_is_killed_as_a_level_is_won_tells_one_winner(tmp_path: Path, moment: str) -> None:
    """Y2, Y3, Y8, Y12: the table sends its close again, and it wins, by the trigger of before."""
    config = floor(tmp_path)

    @on_loop
    async def play() -> None:
        process = subprocess.Popen(
            [sys.executable, "-c", _SERVER, str(config.path), moment], stdout=subprocess.PIPE, text=True
        )
        with process:
            assert process.stdout is not None
            port = next(int(line) for line in process.stdout if line.strip().isdigit())
            async with connected(port) as device:
                await device.hello(config, "table", "T01")
                await device.type("welcome")
                place = Floor(device)
                _, trigger = await asyncio.to_thread(now_running, config)
                with pytest.raises((EOFError, ConnectionError)):
                    await place.until_won()
                assert not [heard for heard in device.heard if heard.get("awards")]
            assert process.wait() == -9
        name = f"R{place.seq - 2}"
        close: dict[str, Any] = {"t": "close", "seq": place.seq, "round": name}
        async with Server(config) as server, table(server) as device:
            assert device.heard[-1]["last_seq"] in {place.seq - 1, place.seq}
            device.say(**close)
            (award, *more) = (await device.answer(place.seq))["awards"]
            assert trigger.value <= award["amount"] * 10_000 < trigger.value + 500_000
            device.say(**close)
            assert (await device.answer(place.seq))["awards"] == [award, *more]
            place.device = device
            await place.until_won()

    play()
    with closing(open_reader(config.ledger.url)) as ledger:
        proved(ledger)
        assert not compared(ledger)
    row, _ = now_running(config)
    assert witnessed(config) == row.which.number
    assert (row.which.bank, row.which.link) == LEVEL[1:3]
    assert key_file(config).exists()
