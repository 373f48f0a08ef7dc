"""The bench's crowd reports when all are connected, and when each sign shows a wager."""

from pathlib import Path

import pytest

from jackpot.lab.bench.load import LoadError
from jackpot.lab.bench.parts import CrowdProcess
from jackpot.lab.bench.servers import JackpotServer, ServedFloor
from jackpot.lab.demo.house import SQLITE


def test_a_crowd_comes_and_sees_a_wager(tmp_path: Path) -> None:
    """Bench: tables and signs come, a table of its own plays, and all come again; a wrong key is told."""
    with JackpotServer(tmp_path / "ours", SQLITE, ServedFloor(3, signs=2)) as server:
        player, *others = server.keys.items()
        with CrowdProcess(server, dict(others), server.signs, player) as company:
            assert company.does("connect")["again"] == 0
            seen = company.does("watch", 0.2)
            assert 0 < seen["p50"] <= seen["max"]
            assert company.does("connect")["seconds"] > 0
        unknown = CrowdProcess(server, {}, {}, (player[0], "00" * 32))
        with unknown, pytest.raises(LoadError, match="auth_failed"):
            unknown.does("watch", 0.2)
