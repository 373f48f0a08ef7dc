"""Trace of the calls of our own functions, from the bytes of a request to the bytes of its answer."""

import dis
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final, NamedTuple

import jackpot

HOUSE: Final = Path(jackpot.__file__).parents[1]
PARTS: Final = (str(HOUSE / "jackpot"), str(HOUSE / "controllers"))
# What time alone causes, ten times a second, is not on the way.
TICK: Final = "Process._tick"
# The event loop's own transport, whose `write` is the end of the way.
TRANSPORT: Final = "selector_events.py"
WRITES: Final = ("write", "writelines")
# With 0 it begins a function, else it goes on with one.
RESUME: Final = dis.opmap["RESUME"]


class Call(NamedTuple):
    """One call. file, function: as in the source. by: the file of ours that called, None for the loop."""

    file: str
    function: str
    by: str | None


class CallTrace:
    """Profiler that records calls of ours while a request is under way, in every thread started later.

    begins: whether this call of ours is the request's first. answer: bytes that only its answer has.
    """

    def __init__(self, begins: Callable[[FrameType], bool], answer: bytes) -> None:
        self.calls: list[Call] = []
        self.on = False
        self._begins = begins
        self._answer = answer

    def __call__(self, frame: FrameType, event: str, _argument: object) -> None:
        if event != "call":
            return
        name, function = frame.f_code.co_filename, frame.f_code.co_qualname
        if self.on and name.endswith(TRANSPORT) and frame.f_code.co_name in WRITES:
            self.on = not any(self._answer in value for value in bytes_of(frame))
        if not name.startswith(PARTS):
            return
        self.on = self.on or self._begins(frame)
        if not self.on or "<" in function.rpartition(".")[2] or _goes_on(frame):
            return
        roots = _roots(frame)
        if not any(root.endswith(TICK) for root in roots):
            self.note(frame, Call(_short(name), function, _caller(frame)), roots)

    def note(self, _frame: FrameType, call: Call, _roots: list[str]) -> None:
        """Records a call on the way. roots: the functions of ours that it is made in, itself among them."""
        self.calls.append(call)


@contextmanager
def profiling(trace: CallTrace) -> Iterator[None]:
    """Profiles this thread, and those that begin meanwhile."""
    threading.setprofile(trace)
    sys.setprofile(trace)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def bytes_of(frame: FrameType) -> Iterator[bytes]:
    """The bytes that a call was handed, alone or in a list."""
    for value in frame.f_locals.values():
        for part in value if isinstance(value, list | tuple) else (value,):
            if isinstance(part, bytes | bytearray | memoryview):
                yield bytes(part)


def report(what: str, calls: list[Call]) -> None:
    """Prints the size of a way in one line."""
    functions = {(call.file, call.function) for call in calls}
    files = len({call.file for call in calls})
    crossings = sum(call.by is not None and call.by != call.file for call in calls)
    print(
        f"{what}: {len(calls)} calls, {len(functions)} functions, {files} files, "
        f"{crossings} crossings between files"
    )


def _goes_on(frame: FrameType) -> bool:
    """Whether it is the next step of a coroutine or generator, which was called before."""
    code, at = frame.f_code.co_code, frame.f_lasti
    return at >= 0 and code[at] == RESUME and code[at + 1] != 0


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
