"""The simulated floor behaves like a real one: tables leave and come back, and lose nothing."""

import asyncio
from contextlib import closing
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from jackpot.config import load
from jackpot.lab.demo import table
from jackpot.lab.demo.floor import SimulatedFloor
from jackpot.lab.demo.house import OFFERS, PLACES
from jackpot.lab.demo.pace import DemoPace
from jackpot.lab.demo.scene import Scene
from jackpot.ledger.open import open_reader
from jackpot.reports.registry import REPORTS
from jackpot.reports.report import ReportRequest

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


def test_reports_have_each_bonus_wager_of_the_floor(tmp_path: Path) -> None:
    """B1, B4: hands of offers are compared with their exact odds, and what they cost is in the books."""
    with capture_logs():
        asyncio.run(SimulatedFloor(tmp_path, Scene(5, None, 0), DemoPace(None, 60)).play())
    config = load(tmp_path / "floor.toml")
    with closing(open_reader(config.ledger.url)) as ledger:
        wanted = ReportRequest(config.site, ("main",))
        fairness, cost = (REPORTS[name].find(ledger, wanted) for name in ("fairness", "cost"))
        compared = {str(row[1]) for row in fairness.rows}
        problems = [*fairness.problems, *cost.problems]
    assert {offer.offer for offer in OFFERS} <= compared
    assert problems == []
