"""Does a measured server say where it is, and why it does not start?"""

from pathlib import Path

import pytest

from jackpot.lab.bench.load import LoadError
from jackpot.lab.bench.servers import Ours, used
from jackpot.lab.house import SQLITE


def test_a_server_tells_its_ports_and_its_batches(tmp_path: Path) -> None:
    """Bench: `jackpot serve` as anybody runs it; what it used and wrote is read from outside."""
    with Ours(tmp_path / "ours", SQLITE, 2, tuple) as server:
        assert server.ports.keys() == {"tables", "http"}
        assert list(server.keys) == ["T00001", "T00002"]
        rows, commits = server.batches()
        assert rows >= commits >= 0
        assert server.written() > 0
        (cpu,) = server.cpu().values()
        assert cpu > 0


def test_a_server_that_does_not_start_says_why(tmp_path: Path) -> None:
    """Bench: its last words are told."""
    server = Ours(tmp_path / "ours", "sqlite:////nowhere/at/all.db", 1, tuple)
    with pytest.raises(LoadError, match=r"(?s)does not start: .*not started: "):
        server.__enter__()


def test_a_process_that_ended_meanwhile_counts_for_nothing() -> None:
    """Bench: only what is there at the end has used the time in between; a new one all of its own."""
    assert used({1: 5.0, 2: 3.0}, {1: 6.0, 3: 0.5}) == 1.5
