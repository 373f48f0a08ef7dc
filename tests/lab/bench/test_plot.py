"""The plot of a bench report is complete."""

from pathlib import Path
from xml.etree import ElementTree as ET

from jackpot.lab.bench.figures import NAMES, BenchReport, DiskResults, FigureTable, Measured
from jackpot.lab.bench.plot import draw


def test_the_picture_names_everything(tmp_path: Path) -> None:
    """Bench: every figure and both disks are in the picture, as text that can be searched."""
    rounds = [{name: Measured(100.0 * n, 0.5, 0.1) for name in NAMES} for n in (1, 2, 3)]
    latencies = [{"sqlite 1": {"p50": 0.001, "p99": 0.002, "max": 0.004}, "fsync 1": {"p50": 0.001}}]
    passes = [DiskResults(disk, rounds, latencies, {}, {}) for disk in ("first disk", "second disk")]
    draw(BenchReport({}, passes), tmp_path / "bench.svg")
    text = " ".join(ET.parse(tmp_path / "bench.svg").getroot().itertext())  # noqa: S314 - our own
    for words in ("first disk: medians of 3", "second disk", *NAMES.values()):
        assert words in text


def test_growth_is_drawn_without_a_pass(tmp_path: Path) -> None:
    """Bench: each subject has a picture, with each figure that can be drawn."""
    rows = {"10": {"us": 1.0, "nothing": 0.0}, "100": {"us": 1.5, "nothing": 0.0}}
    sheets = {"links": FigureTable("with more links", rows, points={"10": 10, "100": 100})}
    draw(
        BenchReport({}, [], sheets={**sheets, "idle": FigureTable("no growth", rows)}), tmp_path / "bench.svg"
    )
    text = " ".join(ET.parse(tmp_path / "bench.svg").getroot().itertext())  # noqa: S314 - our own
    assert "with more links" in text
    assert "us" in text.split()
    assert "nothing" not in text
    assert "no growth" not in text
