"""A measured server reports its ports, and why it does not start."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

from jackpot.lab.bench.load import LoadError
from jackpot.lab.bench.servers import JackpotServer, Program, end, used
from jackpot.lab.demo.house import SQLITE

# Told to end, it waits until the file of its first word is there, makes that of its second, and ends.
WAITS: Final = """
import pathlib, signal, sys, time

first, second = map(pathlib.Path, sys.argv[1:])

def wait(*_):
    while not first.exists():
        time.sleep(0.01)
    second.touch()
    sys.exit()

signal.signal(signal.SIGTERM, wait)
print("ready", flush=True)
while True:
    time.sleep(60)
"""
# What is written in memory, where other tests have their files, counts for nothing.
DISK = "/var/tmp"  # noqa: S108 - each test makes a folder of its own there


def test_a_server_tells_its_ports_and_its_batches() -> None:
    """Bench: `jackpot serve` as anybody runs it; what it used and wrote is read from outside."""
    with (
        TemporaryDirectory(dir=DISK) as folder,
        JackpotServer(Path(folder) / "ours", SQLITE, 2, tuple) as server,
    ):
        assert server.ports.keys() == {"tables", "http"}
        assert list(server.keys) == ["T00001", "T00002"]
        rows, commits = server.batches()
        assert rows >= commits >= 0
        assert server.written() > 0
        (cpu,) = server.cpu().values()
        assert cpu > 0


def test_a_server_that_does_not_start_says_why(tmp_path: Path) -> None:
    """Bench: its last words are told."""
    server = JackpotServer(tmp_path / "ours", "sqlite:////nowhere/at/all.db", 1, tuple)
    with pytest.raises(LoadError, match=r"(?s)does not start: .*not started: "):
        server.__enter__()


def test_a_process_that_ended_meanwhile_counts_for_nothing() -> None:
    """Bench: only what is there at the end has used the time in between; a new one all of its own."""
    assert used({1: 5.0, 2: 3.0}, {1: 6.0, 3: 0.5}) == 1.5


def test_programs_that_end_together_do_not_wait_for_each_other(tmp_path: Path) -> None:
    """Deploy: the first one ends only after the second, so both were told before either was waited for."""
    first, second = tmp_path / "first", tmp_path / "second"
    programs = {
        "first": Program(first, "-c", WAITS, str(second / "ended"), str(first / "ended")),
        "second": Program(second, "-c", WAITS, str(second), str(second / "ended")),
    }
    for program in programs.values():
        program.start()
        program.said(str.strip)
    assert end(programs) == [], "none had to be killed"
    assert (first / "ended").exists()
