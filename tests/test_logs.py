"""Logging: sampling, bounded memory, and no effect of a failing log on the server."""

import asyncio
import json
import logging
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import structlog

from controllers.frames import encode
from jackpot import logs
from jackpot.logs import (
    KINDS_MAX,
    LINES_A_SECOND,
    LINES_MAX,
    SAMPLE_S,
    Sampling,
    Sink,
    lines_dropped,
    write_logs,
)
from tests import ceilings
from tests.running_server import StepClock, configure, connected


@pytest.fixture
def configured() -> Iterator[None]:
    """Configures structlog and logging, which are global, and restores them."""
    before, handlers, level = structlog.get_config(), logging.root.handlers[:], logging.root.level
    yield
    for sink in logs._sinks:
        sink._sampling.rest()
    structlog.configure(**before)
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)


def through(sampling: Sampling, **event: Any) -> dict[str, Any] | None:
    try:
        return dict(sampling(None, "warning", event))
    except structlog.DropEvent:
        return None


def test_the_first_of_a_kind_leaves_and_later_ones_are_counted() -> None:
    """Sampling: the first at once, then at most one in 10 s, with how many more there were."""
    clock = StepClock()
    sampling = Sampling(clock)
    assert through(sampling, event="closed", kind="a", n=1) == {"event": "closed", "n": 1}
    assert [through(sampling, event="closed", kind="a", n=n) for n in range(2, 102)] == [None] * 100
    assert through(sampling, event="closed", kind="b") == {"event": "closed"}
    assert through(sampling, event="lost", kind="a") == {"event": "lost"}
    assert [through(sampling, event="act") for _ in range(3)] == [{"event": "act"}] * 3
    assert sampling.due() == []
    clock.ahead_s += SAMPLE_S
    assert through(sampling, event="closed", kind="a", n=102) == {"event": "closed", "n": 102, "more": 100}


def test_a_kind_that_goes_silent_is_told_to_its_end() -> None:
    """Sampling: the last line of a flood leaves by itself, with its count; then the kind is forgotten."""
    clock = StepClock()
    sampling = Sampling(clock)
    for n in range(5):
        through(sampling, event="closed", kind="a", n=n)
    clock.ahead_s += SAMPLE_S
    assert sampling.due() == [("warning", {"event": "closed", "n": 4, "more": 3})]
    assert through(sampling, event="closed", kind="a", n=5) is None
    clock.ahead_s += SAMPLE_S
    assert sampling.due() == [("warning", {"event": "closed", "n": 5})]
    clock.ahead_s += SAMPLE_S
    assert sampling.due() == []
    assert not sampling._events["closed"].kinds


def test_an_event_of_many_kinds_is_two_lines_a_second() -> None:
    """Sampling: 50 devices that one cause touches fill no screen; each has its line in the end, in turn."""
    clock = StepClock()
    sampling = Sampling(clock)
    told: list[Any] = []
    for _ in range(3):
        passed = [through(sampling, event="closed", kind=n, n=n) for n in range(50)]
        told += [line["n"] for line in passed if line]
    assert told == [0, 1]
    assert through(sampling, event="lost", kind=0) == {"event": "lost"}
    seconds = 0
    while len(told) < 50:
        seconds += 1
        clock.ahead_s += 1.001
        through(sampling, event="closed", kind=f"newcomer {seconds}", n=None)
        lines = [event for _, event in sampling.due()]
        assert len(lines) == LINES_A_SECOND
        assert all(line["more"] == 2 for line in lines)
        told += [line["n"] for line in lines]
    assert told == list(range(50))


def test_what_is_held_back_at_the_end_is_one_line_an_event() -> None:
    """Sampling: what waits for its turn when the process ends is counted in a last line."""
    sampling = Sampling(StepClock())
    for n in range(20):
        through(sampling, event="closed", kind=n, n=n)
    assert sampling.rest() == [("warning", {"event": "closed", "n": 19, "more": 17})]
    assert sampling.rest() == []


def test_kinds_are_bounded() -> None:
    """Sampling: endless invented kinds fill neither memory nor log, nor another event's quota."""
    clock = StepClock()
    sampling = Sampling(clock)
    passed = [through(sampling, event="refused", kind=n, n=n) for n in range(2 * KINDS_MAX)]
    assert len([line for line in passed if line]) == LINES_A_SECOND
    assert len(sampling._events["refused"].kinds) == KINDS_MAX + 1
    assert through(sampling, event="lost", kind="a", n=1) == {"event": "lost", "n": 1}
    assert through(sampling, event="left", kind="b", n=2) == {"event": "left", "n": 2}
    assert [through(sampling, event=event, kind=n, n=n) for event in ("lost", "left") for n in (3, 4)] == [
        {"event": "lost", "n": 3},
        None,
        {"event": "left", "n": 3},
        None,
    ]
    clock.ahead_s += SAMPLE_S
    told = [event for _, event in sampling.due()]
    assert {"event": "lost", "n": 4} in told
    assert {"event": "left", "n": 4} in told


def test_sources_take_turns() -> None:
    """Sampling: one address that tries 300 devices keeps no other address waiting behind its 300 kinds."""
    clock = StepClock()
    sampling = Sampling(clock)

    def tried(address: str, device: int) -> dict[str, Any] | None:
        return through(sampling, event="stranger_closed", kind=device, source=address, who=(address, device))

    assert [tried("a", device) for device in range(300)][LINES_A_SECOND:] == [None] * 298
    assert tried("b", 7) is None
    told: list[tuple[str, int]] = []
    for _ in range(4):
        for device in range(300):
            tried("a", device)
        clock.ahead_s += 1.001
        lines = sampling.due()
        assert len(lines) == LINES_A_SECOND
        told += [event["who"] for _, event in lines]
    assert told[0] == ("b", 7)
    assert all(address == "a" for address, _ in told[1:])


def test_a_reader_that_reads_nothing_keeps_nobody_waiting() -> None:
    """A logger cannot hurt: a full pipe holds lines up to a bound, the rest are counted; none is torn."""
    reading, writing = os.pipe()
    sink = Sink(writing, Sampling(StepClock()))
    line = "x" * 1_000
    for _ in range(4 * LINES_MAX):
        sink.write(f"{line}\n")
    assert sink.dropped >= LINES_MAX
    with open(reading, "rb") as file:  # noqa: PTH123 - a pipe
        kept = 4 * LINES_MAX - sink.dropped
        assert [file.readline() for _ in range(kept)] == [f"{line}\n".encode()] * kept
    sink.write("nobody\n")
    before = sink.dropped
    sink.close()
    assert sink.dropped == before + 1


def test_a_line_that_cannot_be_made_is_dropped(configured: None, tmp_path: Path) -> None:
    """A logger cannot hurt: whatever raises inside of it is counted."""

    class Unshowable:
        def __repr__(self) -> str:
            raise ValueError

    with (tmp_path / "log").open("w") as file:
        write_logs(file)
        before = lines_dropped()
        structlog.get_logger().info("one", what=Unshowable())
        structlog.get_logger().info("two")
        assert lines_dropped() == before + 1


def test_a_terminal_is_told_in_words(configured: None, tmp_path: Path) -> None:
    """A person at a terminal reads words; a file gets JSON; neither ever gets the value of a variable."""
    ours, terminal = os.openpty()
    secret = "of " + "nobody"
    with open(terminal, "w") as screen, (tmp_path / "log").open("w+") as file:  # noqa: PTH123 - a descriptor
        for out in (screen, file):
            sink = write_logs(out)
            try:
                int("as it is")
            except ValueError:
                structlog.get_logger().error("serving", http=8080, exc_info=True)
            sink.close()
        shown = re.sub(r"\x1b\[[0-9;]*m", "", os.read(ours, 65_536).decode())
        file.seek(0)
        kept = file.read()
    os.close(ours)
    assert re.search(r"\[error +\] serving +http=8080", shown)
    assert "ValueError: invalid literal" in shown
    assert json.loads(kept)["event"] == "serving"
    assert secret not in shown + kept


def test_what_libraries_log_is_one_line_of_ours(configured: None, tmp_path: Path) -> None:
    """Sampling: a traceback of asyncio or aiohttp is one JSON line in 10 s, without anybody's variables."""
    with (tmp_path / "log").open("w") as file:
        write_logs(file)
        for number in range(100):
            try:
                secret = "not in a log"  # noqa: F841 - what a traceback must not show
                raise ValueError("it broke")  # noqa: TRY301 - the traceback is the point
            except ValueError:
                logging.getLogger("aiohttp.server").exception("Error of %s", number)
        structlog.get_logger().info("end")
    lines = (tmp_path / "log").read_text().splitlines()
    while len(lines) < 2:
        lines = (tmp_path / "log").read_text().splitlines()
    found = json.loads(lines[0])
    assert (found["event"], found["logger"], found["message"]) == ("library", "aiohttp.server", "Error of 0")
    assert found["exception"][0]["exc_value"] == "it broke"
    assert "not in a log" not in lines[0]
    assert json.loads(lines[1])["event"] == "end"


def test_the_last_word_comes_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed start ends with its reason, also while its last lines are still queued."""
    monkeypatch.setattr("jackpot.logs.CLOSE_WITHIN_S", 0.01)
    reader, writer = os.pipe()
    sink = Sink(writer, Sampling(StepClock()))
    for number in range(LINES_MAX):
        sink.write(f"{number:063}\n")
    sink.close("not started: the port is taken")  # the pipe is full: nobody has read yet
    with os.fdopen(reader) as lines:
        told = [lines.readline() for _ in range(LINES_MAX + 1 - sink.dropped)]
    assert told[-1] == "not started: the port is taken\n"
    assert len(told) > LINES_MAX // 2


def test_a_busy_machine_loses_no_last_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last lines are delivered to a live reader, however late the log thread runs."""
    monkeypatch.setattr("jackpot.logs.CLOSE_WITHIN_S", 0.05)
    reader, writer = os.pipe()
    sink, write = Sink(writer, Sampling(StepClock())), os.write
    wait_for, second, written = sink._news.wait_for, threading.Event(), list[bytes]()
    turns = 0

    def late(file: int, data: bytes) -> int:
        second.wait(30)
        written.append(bytes(data))
        return write(file, data)

    def turn(predicate: Callable[[], bool], within: float) -> bool:
        nonlocal turns
        if threading.current_thread() is threading.main_thread():
            turns += 1
            if turns > 1:
                second.set()
        return wait_for(predicate, within)

    monkeypatch.setattr("jackpot.logs.os.write", late)
    monkeypatch.setattr(sink._news, "wait_for", turn)
    sink.close("not started: the port is taken")
    assert written == [b"not started: the port is taken\n"]
    assert os.read(reader, 64) == written[0]


def test_a_server_whose_log_reader_died_serves_and_ends(tmp_path: Path) -> None:
    """A logger cannot hurt: the pipe is closed; a frame that is refused is answered, and SIGTERM ends it."""
    config = configure(tmp_path)
    command = [sys.executable, "-m", "jackpot.cli", "serve", "--config", str(config.path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        said: dict[str, Any] = {"event": ""}
        while said["event"] != "serving":
            said = json.loads(server.stderr.readline())
        server.stderr.close()
        codes, dropped = asyncio.run(_refused(said["tables"], said["http"]))
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=ceilings.WAIT_S) == 0
    assert codes == ["bad_frame", "auth_failed"]
    assert dropped >= 1


async def _refused(tables: int, http: int) -> tuple[list[str], float]:
    """Sends two bad hellos; returns their answers and the number of lost log lines."""
    codes = []
    for said in (b"\0\0\0\0", encode({"t": "hello", "v": 1, "role": "table", "id": "T01", "mac": bytes(32)})):
        async with connected(tables) as device:
            await device.type("challenge")
            device.writer.write(said)
            codes.append((await device.type("error"))["code"])
    address = f"http://127.0.0.1:{http}/metrics"
    async with asyncio.timeout(ceilings.WAIT_S), aiohttp.ClientSession() as session:
        while True:
            async with session.get(address) as response:
                text = await response.text()
            found = re.search(r"^jackpot_log_lines_dropped_total (\S+)$", text, re.MULTILINE)
            if found is not None and float(found[1]):
                return codes, float(found[1])
