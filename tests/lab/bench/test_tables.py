"""The text form of a bench report names what is missing."""

from jackpot.lab.bench.figures import BenchReport, DiskResults, FigureTable, Measured
from jackpot.lab.bench.tables import compared, lines

MACHINE = {"jackpot": "1", "python": "3", "system": "S", "processors": 2, "filesystem": "tmpfs", "load": 1.5}
SETUP = {"rounds": 1, "seconds": 1.0, "tables": 2, "floor": 3, "calm": 1.0}


def report(frames: float, load: float = 0.1) -> BenchReport:
    found = DiskResults(
        "a disk", [{"echo": Measured(frames, 0.5, load)}], [], {"redis": "there is none"}, SETUP
    )
    return BenchReport(MACHINE, [found], "there is no compiler")


def test_what_is_missing_is_said() -> None:
    """Bench: which measure or pass is left out, and why; on tmpfs, that a flush costs nothing."""
    said = "\n".join(lines(report(100.0)))
    for words in (
        "not measured: redis: there is none",
        "no second pass with slower flushes: there is no compiler",
        "on tmpfs a flush costs nothing",
        "work that the machine had before it was measured: 1.5 processors",
    ):
        assert words in said
    assert "may be what was measured" not in said
    assert "may be what was measured: bare TCP echo" in "\n".join(lines(report(100.0, load=0.95)))


def test_a_change_is_told_as_a_factor() -> None:
    """Bench: new divided by old."""
    said = "\n".join(compared(report(100.0), report(250.0)))
    assert "100        250    2.50  bare TCP echo" in said


def test_a_sheet_shows_what_is_wanted_of_a_figure() -> None:
    """Bench: below its name; what was left out is named; next to an older one as a factor."""
    sheet = FigureTable(
        "a floor", {"who": {"MiB": 512.4, "%": 7.25}}, {"%": 15}, left_out={"1,000": "no time"}
    )
    older = FigureTable("a floor", {"who": {"MiB": 256.2}})
    said = "\n".join(lines(BenchReport(MACHINE, [], sheets={"idle": sheet})))
    for words in ("== a floor", "<= 15  wanted", "512      7.25  who", "not measured: 1,000: no time"):
        assert words in said
    assert "Every frame" not in said
    changes = "\n".join(
        compared(
            BenchReport(MACHINE, [], sheets={"idle": older}), BenchReport(MACHINE, [], sheets={"idle": sheet})
        )
    )
    assert "256        512    2.00  who: MiB" in changes
