"""Traces one accepted wager through the server. By hand: `python -m tests.measure.wager_path`.

A real server on SQLite, a real table. Every call of ours is noted from the table's bytes (`data_received`) to
the bytes of its answer (`transport.write`), in the loop and in the ledger's thread, but for those of a tick.
Printed: functions and files that are handed the wager, how often the way crosses from one file into another,
and the forms that the wager takes: the types that carry its seat, link and amount from one place to the next.
Then the same of every call on the way, for the frame and for the commit that it waits for.
"""

import asyncio
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple

import msgspec

import jackpot
from jackpot.app import Server
from tests.running_server import LINK, Device, configure, table

HOUSE: Final = Path(jackpot.__file__).parents[1]
PARTS: Final = (str(HOUSE / "jackpot"), str(HOUSE / "controllers"))
BEGINS: Final = "data_received"
# What time alone causes, ten times a second, is not on the way.
TICK: Final = "Process._tick"
# The event loop's own transport, whose `write` is the end of the way.
TRANSPORT: Final = "selector_events.py"
ANSWER: Final = b"\xa3ack"
# A player that no other wager has: what holds it is a form of this one.
PLAYER: Final = "the player of the traced wager"
ROUND: Final = "traced"
# A batch holds rows, an envelope a command that holds wagers: no deeper than this does one hold another.
DEPTH_MAX: Final = 5


class Call(NamedTuple):
    """One call. file, function: as in the source. by: the file of ours that called, None for the loop."""

    file: str
    function: str
    by: str | None


class Way(NamedTuple):
    """The path of one wager: the calls that were handed it. forms: names of types, in the order in which they
    were met. frame, commit: every call on the way, while its bytes are read and afterwards.
    """

    calls: list[Call]
    forms: list[str]
    frame: list[Call]
    commit: list[Call]


class Trace:
    """Profiler that records calls of ours while the wager is under way, in every thread started later."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.forms: dict[str, None] = {}
        self.frame: list[Call] = []
        self.commit: list[Call] = []
        self.on = False

    def __call__(self, frame: FrameType, event: str, _argument: object) -> None:
        name = frame.f_code.co_filename
        if self.on and event == "call" and name.endswith(TRANSPORT) and frame.f_code.co_name == "write":
            self.on = not any(ANSWER in value for value in _bytes(frame))
        if event != "call" or not name.startswith(PARTS):
            return
        function = frame.f_code.co_qualname
        if function.endswith(BEGINS) and any(PLAYER.encode() in value for value in _bytes(frame)):
            self.on = True
        if not self.on or "<" in function.rpartition(".")[2]:
            return
        roots = _roots(frame)
        if any(root.endswith(TICK) for root in roots):
            return
        call = Call(_short(name), function, _caller(frame))
        (self.frame if any(root.endswith(BEGINS) for root in roots) else self.commit).append(call)
        handed = [value for key, value in frame.f_locals.items() if key != "self"]
        carriers = [found for value in handed if (found := _carrier(value)) is not None]
        if not carriers:
            return
        self.calls.append(call)
        for carrier in carriers:
            self.forms.setdefault(_form(carrier))


def _bytes(frame: FrameType) -> Iterator[bytes]:
    for value in frame.f_locals.values():
        if isinstance(value, bytes | bytearray | memoryview):
            yield bytes(value)


def _short(file: str) -> str:
    return str(Path(file).relative_to(HOUSE))


def _roots(frame: FrameType) -> list[str]:
    """The functions of ours that the call is made in, itself among them."""
    functions = []
    at: FrameType | None = frame
    while at is not None:
        if at.f_code.co_filename.startswith(PARTS):
            functions.append(at.f_code.co_qualname)
        at = at.f_back
    return functions


def _caller(frame: FrameType) -> str | None:
    above = frame.f_back
    while above is not None:
        if above.f_code.co_filename.startswith(PARTS):
            return _short(above.f_code.co_filename)
        above = above.f_back
    return None


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
    found = Trace()
    threading.setprofile(found)
    sys.setprofile(found)
    try:
        async with Server(config) as server, table(server) as device:
            await _wager(device)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return Way(found.calls, list(found.forms), found.frame, found.commit)


async def _wager(device: Device) -> None:
    bet: dict[str, Any] = {"seat": 1, "link": LINK, "amount": 100, "player": PLAYER}
    device.say(t="wager", seq=1, round=ROUND, bets=[bet], lock=True)
    answer = await device.answer(1)
    assert answer["t"] == "ack", answer


def _report(what: str, calls: list[Call]) -> None:
    functions = {(call.file, call.function) for call in calls}
    files = len({call.file for call in calls})
    crossings = sum(call.by is not None and call.by != call.file for call in calls)
    print(
        f"{what}: {len(calls)} calls, {len(functions)} functions, {files} files, "
        f"{crossings} crossings between files"
    )


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        way = asyncio.run(trace(Path(folder)))
    for call in way.calls:
        print(f"{call.file}: {call.function}")
    _report("handed the wager", way.calls)
    _report("the frame", way.frame)
    _report("the commit", way.commit)
    _report("all", way.frame + way.commit)
    print(f"{len(way.forms)} forms: {', '.join(way.forms)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
