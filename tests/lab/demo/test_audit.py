"""The final audit of a demo detects what is wrong."""

from pathlib import Path

import pytest

from jackpot.lab.demo.audit import Verdict, audit
from jackpot.lab.demo.floor import SimulatedFloor
from jackpot.lab.demo.house import PLACES
from jackpot.lab.demo.pace import DemoPace
from jackpot.lab.demo.scene import Scene

LEVELS = {
    "S01": {
        ("floor-five", "mega"): 1_000_000,
        ("floor-five", "major"): 100_000,
        ("floor-five", "minor"): 25_000,
    },
    "S02": {("floor-three", "meter"): 100_000},
}
NONE = {place.table: {place.link: 0} for place in PLACES}


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A ledger whose links are open and whose tables have not played."""
    import asyncio

    async def main() -> Verdict:
        pace = DemoPace(None, 1)
        pace.stop()
        return await SimulatedFloor(tmp_path, Scene(1, None, 0), pace).play()

    assert not asyncio.run(main()).problems
    return f"sqlite:///{tmp_path}/ledger.db"


def test_an_untouched_floor_balances(url: str) -> None:
    """L4: seeds alone, no wagers; everybody agrees."""
    verdict = audit(url, "main", NONE, LEVELS)
    assert verdict.problems == ()
    assert "the books balance" in verdict.line()


def test_a_count_that_differs_is_named(url: str) -> None:
    """S6: the table, the link and both counts are said."""
    verdict = audit(url, "main", NONE | {"T09": {"floor-three": 2}}, LEVELS)
    assert verdict.problems == ("T09 has counted 2 wagers on floor-three, the books have 0",)
    assert "do NOT balance" in verdict.line()


def test_a_sign_that_shows_less_or_nothing_is_named(url: str) -> None:
    """S5: a sign shows what the books have, on every level of its link."""
    wrong = LEVELS | {"S01": LEVELS["S01"] | {("floor-five", "mega"): 999_999}, "S02": {}}
    problems = audit(url, "main", NONE, wrong).problems
    assert len(problems) == 2
    assert "S01 showed 999999 on floor-five.mega" in problems[0]
    assert "S02 showed nothing on floor-three.meter" in problems[1]
