"""The final audit of a demo detects what is wrong."""

from pathlib import Path

import pytest

from jackpot.lab.demo.audit import Verdict, audit
from jackpot.lab.demo.floor import SimulatedFloor
from jackpot.lab.demo.house import PLACES
from jackpot.lab.demo.own_count import OwnCount
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


@pytest.fixture
def counts(tmp_path: Path) -> dict[str, OwnCount]:
    """The counts of tables that have taken nothing."""
    return {place.table: OwnCount(tmp_path / f"{place.table}.json") for place in PLACES}


def test_an_untouched_floor_balances(url: str, counts: dict[str, OwnCount]) -> None:
    """L4: seeds alone, no wagers; everybody agrees."""
    verdict = audit(url, "main", counts, LEVELS)
    assert verdict.problems == ()
    assert "the books balance" in verdict.line()


def test_a_count_that_differs_is_named(url: str, counts: dict[str, OwnCount]) -> None:
    """S6, B3: the table, the link and both counts are said; of an offer also what they came to."""
    counts["T09"].accepted("R1", ["floor-three"] * 2)
    counts["T11"].accepted("R1", ["aces-up"], {"aces-up": 500})
    verdict = audit(url, "main", counts, LEVELS)
    assert verdict.problems == (
        "T09 has counted 2 wagers on floor-three, the books have 0",
        "T11 has counted 1 wagers on aces-up, the books have 0",
        "T11 has counted 500 cents on aces-up, the books have 0",
    )
    assert "do NOT balance" in verdict.line()


def test_a_sign_that_shows_less_or_nothing_is_named(url: str, counts: dict[str, OwnCount]) -> None:
    """S5: a sign shows what the books have, on every level of its link."""
    wrong = LEVELS | {"S01": LEVELS["S01"] | {("floor-five", "mega"): 999_999}, "S02": {}}
    problems = audit(url, "main", counts, wrong).problems
    assert len(problems) == 2
    assert "S01 showed 999999 on floor-five.mega" in problems[0]
    assert "S02 showed nothing on floor-three.meter" in problems[1]
