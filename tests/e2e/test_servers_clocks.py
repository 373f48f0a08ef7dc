"""Wall clocks that are hours apart or step decide nothing. Real servers, with clocks by libfaketime."""

import asyncio
import signal
import time
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

from jackpot.bank.lifecycle import AWAY_S, LEASE_S
from jackpot.rules.acts.readings import ReadingTaken
from tests.e2e.floors import EASY
from tests.e2e.load import load
from tests.e2e.servers import Heard, Server, Servers, kill, serving, verdict
from tests.ledger.waiting import open_ledger
from tests.nightly import at_night

LIBRARY: Final = next(iter(Path("/usr/lib").glob("*/faketime/libfaketime.so.1")), None)
HOUR_S: Final = 3_600
HOUR_MS: Final = HOUR_S * 1_000
# What would be logged if a lease depended on what a clock says. A standby without an answer for a moment says
# again that it stands by, whatever its clock.
LOST: Final = ("lease_expired", "commit_slow", "commit_in_doubt", "bank_taken_over")
# A standby that lost a bank while the floor came up may hear only later who has it.
LOST_BY_STANDBY: Final = LOST[:-1]


def own_clock(file: Path) -> dict[str, str]:
    """The environment of a program whose wall clock, and no other, is what `set_clock` says of the file."""
    return {
        "LD_PRELOAD": str(LIBRARY),
        "FAKETIME_TIMESTAMP_FILE": str(file),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }


def set_clock(file: Path, seconds: int) -> None:
    """Sets the clock's offset from the machine's."""
    new = file.with_suffix(".new")
    new.write_text(f"{seconds:+d}s\n")
    new.rename(file)


def step(server: Server, seconds: int) -> None:
    """Sets the wall clock's offset from the machine's; the monotonic clock stays the machine's."""
    file = server.config.with_suffix(".clock")
    set_clock(file, seconds)
    server.more = own_clock(file)


def lost(holder: Server, standby: Server) -> list[int]:
    """How often each lease-loss event was logged."""
    said = [(holder, event) for event in LOST] + [(standby, event) for event in LOST_BY_STANDBY]
    return [server.count(event) for server, event in said]


def wait_for_a_lease() -> None:
    """Waits long enough for any lost lease to show."""
    time.sleep(LEASE_S + AWAY_S)


# libfaketime lets every thread that waits for a while spin: half a minute of a processor. In each run the
# clocks of simulated servers step (tests/faults/test_simulation.py).
@at_night
@pytest.mark.skipif(LIBRARY is None, reason="needs libfaketime")
def test_clocks_hours_apart_and_stepping_decide_nothing(tmp_path: Path, database: str) -> None:
    """Lease: no times of two machines are compared; the journal tells what each clock said, in its order."""
    floor = Servers(tmp_path, EASY, database)
    floor.add("table", ["easy"], 4)
    floor.add("sign", ["easy"])
    step(floor["a"], HOUR_S)
    step(floor["b"], -HOUR_S)
    heard = Heard()

    async def scenario() -> None:
        async with load(floor, heard, tmp_path) as names:
            await heard.until_all_play(names)
            holder = await asyncio.to_thread(floor.holder)
            standby = floor.other(holder)
            before = lost(holder, standby)
            for seconds in (0, -24 * HOUR_S, 24 * HOUR_S, HOUR_S):
                step(holder, seconds)
                step(standby, -seconds)
                await heard.until_all_play(names)
            await asyncio.to_thread(wait_for_a_lease)
            assert lost(holder, standby) == before
            await asyncio.to_thread(kill, holder)
            await heard.until_all_play(names)
            await asyncio.to_thread(holder.start)
            assert await asyncio.to_thread(standby.stop, signal.SIGTERM) == 0
            await heard.until_all_play(names)

    with serving(floor):
        asyncio.run(scenario())
    verdict(floor, heard)
    with closing(open_ledger(database, readonly=True)) as ledger:
        rows = ledger.rows("main", 0, 10**9)
    steps = [later.at - row.at for row, later in pairwise(rows)]
    assert min(steps) < -HOUR_MS, "no clock stepped back"
    assert max(steps) > HOUR_MS, "no clock stepped forward"
    assert len([row for row in rows if row.kind == ReadingTaken.kind]) <= 3
