"""What does a stranger cost the server, from its call to its end?"""

import asyncio
import sys
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

import jackpot
from controllers.pace import Limits
from jackpot.clock import SystemClock
from jackpot.config import Address
from jackpot.server import listening
from jackpot.server.door import Door
from jackpot.server.guests import Bounds
from jackpot.server.register import Register
from jackpot.server.tables import Tables
from tests.server.bed import call, ended, on_loop, until

HOUSE = Path(jackpot.__file__).parents[1]
PARTS = (str(HOUSE / "jackpot"), str(HOUSE / "controllers"))
STRANGERS = 20
# Calls of ours for one stranger with a bad frame: accepted, challenged, refused, counted, logged, forgotten.
CALLS_MOST = 90


@on_loop
async def test_a_stranger_with_a_bad_frame_costs_little() -> None:
    """WIRE, faults: strangers come as fast as the pace lets them in; each is a small number of calls."""
    clock = SystemClock()
    tables = Tables("north", Register("table", [], lambda _role, _device: ()), Limits(), clock)
    calls = 0

    def count(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call" and frame.f_code.co_filename.startswith(PARTS)

    with ExitStack() as stack:
        async with asyncio.TaskGroup() as group:
            door = Door("tables", Bounds(most=1_000, of_address=1_000, pace=1), clock, group.create_task)
            await door.bind(Address("127.0.0.1", 0))
            port = listening.listen(door, tables)
            sys.setprofile(count)
            try:
                for _ in range(STRANGERS):
                    raw = call(stack, port, bytes(8))
                    await until(lambda raw=raw: ended(raw))  # type: ignore[misc]
                    raw.close()
                await until(tables.gone.is_set)
            finally:
                sys.setprofile(None)
            door.close()
    assert tables.closed["bad_frame"] == STRANGERS
    assert calls <= STRANGERS * CALLS_MOST, calls / STRANGERS
