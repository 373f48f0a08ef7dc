"""Traces one accepted wager through the server. By hand: `python -m tests.measure.wager_path`.

A real server on SQLite, a real table. Every call of ours is noted from the table's bytes (`data_received`) to
the bytes of its answer (`transport.write`), in the loop and in the ledger's thread, but for those of a tick.
Printed: functions and files that are handed the wager, how often the way crosses from one file into another,
and the forms that the wager takes: the types that carry its seat, link and amount from one place to the next.
Then the same of every call on the way, for the frame and for the commit that it waits for.
"""

import argparse
import asyncio
import sys
import tempfile
from collections import deque
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple

import msgspec

from jackpot.app import Server
from tests.measure.call_trace import Call, CallTrace, bytes_of, profiling, report
from tests.running_server import LINK, Device, configure, table

BEGINS: Final = "data_received"
ANSWER: Final = b"\xa3ack"
# A player that no other wager has: what holds it is a form of this one.
PLAYER: Final = "the player of the traced wager"
ROUND: Final = "traced"
# A batch holds rows, an envelope a command that holds wagers: no deeper than this does one hold another.
DEPTH_MAX: Final = 5


class Way(NamedTuple):
    """The path of one wager: the calls that were handed it. forms: names of types, in the order in which they
    were met. frame, commit: every call on the way, while its bytes are read and afterwards.
    """

    calls: list[Call]
    forms: list[str]
    frame: list[Call]
    commit: list[Call]


class WagerTrace(CallTrace):
    """Trace of one wager. calls: those that were handed it."""

    def __init__(self) -> None:
        super().__init__(_begins, ANSWER)
        self.forms: dict[str, None] = {}
        self.frame: list[Call] = []
        self.commit: list[Call] = []

    def note(self, frame: FrameType, call: Call, roots: list[str]) -> None:
        (self.frame if any(root.endswith(BEGINS) for root in roots) else self.commit).append(call)
        handed = [value for key, value in frame.f_locals.items() if key != "self"]
        carriers = [found for value in handed if (found := _carrier(value)) is not None]
        if carriers:
            self.calls.append(call)
        for carrier in carriers:
            self.forms.setdefault(_form(carrier))


def _begins(frame: FrameType) -> bool:
    """Whether it reads the bytes of the wager."""
    reads = frame.f_code.co_qualname.endswith(BEGINS)
    return reads and any(PLAYER.encode() in value for value in bytes_of(frame))


def _carrier(value: object, depth: int = DEPTH_MAX) -> object | None:
    """The value that holds the wager itself, here or nested; None where nothing does."""
    if isinstance(value, bytes | bytearray):
        return value if PLAYER.encode() in value else None
    if isinstance(value, str):
        return value if value == PLAYER else None
    parts = _parts(value) if depth else []
    for part in parts:
        if (found := _carrier(part, depth - 1)) is not None:
            return value if isinstance(found, str) else found
    return None


def _parts(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, list | tuple | deque):
        return list(value)
    if isinstance(value, msgspec.Struct):
        return [getattr(value, name) for name in value.__struct_fields__]
    return [getattr(value, name) for name in getattr(type(value), "__slots__", ()) if hasattr(value, name)]


def _form(carrier: object) -> str:
    kind = type(carrier)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


async def trace(folder: Path) -> Way:
    """Plays one wager with its lock, alone."""
    config = configure(folder, tables=1, signs=0)
    found = WagerTrace()
    with profiling(found):
        async with Server(config) as server, table(server) as device:
            await _wager(device)
    return Way(found.calls, list(found.forms), found.frame, found.commit)


async def _wager(device: Device) -> None:
    bet: dict[str, Any] = {"seat": 1, "link": LINK, "amount": 100, "player": PLAYER}
    device.say(t="wager", seq=1, round=ROUND, bets=[bet], lock=True)
    answer = await device.answer(1)
    assert answer["t"] == "ack", answer


def main() -> int:
    argparse.ArgumentParser(
        "python -m tests.measure.wager_path", description="Traces one accepted wager through the server."
    ).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        way = asyncio.run(trace(Path(folder)))
    for call in way.calls:
        print(f"{call.file}: {call.function}")
    report("handed the wager", way.calls)
    report("the frame", way.frame)
    report("the commit", way.commit)
    report("all", way.frame + way.commit)
    print(f"{len(way.forms)} forms: {', '.join(way.forms)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
