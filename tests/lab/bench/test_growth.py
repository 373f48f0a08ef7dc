"""The scaling benchmark keeps to its box of time, and asks for a page of the past as a person sees it."""

from pathlib import Path

import pytest

from jackpot.lab.bench import growth
from jackpot.lab.bench.growth import PAGES, GrowthSubject, grown, journal
from jackpot.lab.bench.parts import Sizes


def test_what_does_not_fit_in_the_box_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bench: a server starts alike for each size, the rest grows tenfold; what would not end is named."""
    now = 0.0

    def measure(folder: Path, size: int) -> dict[str, float]:
        nonlocal now
        now += size / 10
        return {"us": float(size)}

    monkeypatch.setattr("jackpot.lab.bench.growth.time.monotonic", lambda: now)
    said: list[str] = []
    sheet = grown(tmp_path, GrowthSubject("rows", 10, measure), Sizes(box=200, steps=4), said.append)
    assert sheet.rows == {"10": {"us": 10.0}, "100": {"us": 100.0}, "1,000": {"us": 1000.0}}
    assert sheet.points == {"10": 10, "100": 100, "1,000": 1000}
    assert sheet.left_out == {"10,000": "of the box of 200 s 89 are left, and 991 needed"}
    assert said == ["growth: 10 rows", "growth: 100 rows", "growth: 1,000 rows"]


def test_a_past_is_started_verified_played_on_and_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bench: one size of a journal: every figure of it is there, by a person who signed in."""
    monkeypatch.setattr(growth, "PLAYED_S", 0.3)
    found = journal(tmp_path / "past", 60)
    assert {f"{name} page ms" for name in PAGES} <= found.keys()
    assert {
        "start s",
        "us a frame",
        "p50 ms",
        "--chain rows/s",
        "verify rows/s",
        "bytes a row",
    } <= found.keys()
    assert all(value >= 0 for value in found.values())
