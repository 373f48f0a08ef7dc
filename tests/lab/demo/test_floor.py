"""The simulated floor behaves like a real one: tables leave and come back, and lose nothing."""

import asyncio
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from jackpot.lab.demo import table
from jackpot.lab.demo.floor import SimulatedFloor
from jackpot.lab.demo.house import PLACES
from jackpot.lab.demo.pace import DemoPace
from jackpot.lab.demo.scene import Scene

# Simulated seconds in one real one: a round of a minute takes a fraction of a second.
SPEED = 2_000.0


def test_a_table_goes_away_and_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S4, S6: back in contact a table goes on where it was; books and its own count agree at the end."""
    monkeypatch.setattr(table, "GOES_AWAY", 1.0)
    rounds = 3 * len(PLACES)
    scene = Scene(7, SPEED, 0)
    with capture_logs() as logs:
        verdict = asyncio.run(SimulatedFloor(tmp_path, scene, DemoPace(SPEED, rounds)).play())
    assert verdict.problems == ()
    assert sum(line.rounds for line in scene.tables.values()) == rounds
    left = [log["device"] for log in logs if log["event"] == "closed" and log["role"] == "table"]
    assert len(left) == rounds + len(PLACES)  # after each round, and at the end
    assert {line.doing for line in scene.tables.values()} == {"closed"}
