"""Is a report told in words that say what is missing?"""

from jackpot.lab.bench.figures import Measured, Pass, Report
from jackpot.lab.bench.tables import compared, lines

MACHINE = {"jackpot": "1", "python": "3", "system": "S", "processors": 2, "filesystem": "tmpfs"}
SETUP = {"rounds": 1, "seconds": 1.0, "tables": 2, "floor": 3, "calm": 1.0}


def report(frames: float, load: float = 0.1) -> Report:
    found = Pass("a disk", [{"echo": Measured(frames, 0.5, load)}], [], {"redis": "there is none"}, SETUP)
    return Report(MACHINE, [found], "there is no compiler")


def test_what_is_missing_is_said() -> None:
    """Bench: which measure or pass is left out, and why; on tmpfs, that a flush costs nothing."""
    said = "\n".join(lines(report(100.0)))
    for words in (
        "not measured: redis: there is none",
        "no second pass with slower flushes: there is no compiler",
        "on tmpfs a flush costs nothing",
    ):
        assert words in said
    assert "may be what was measured" not in said
    assert "may be what was measured: bare TCP echo" in "\n".join(lines(report(100.0, load=0.95)))


def test_a_change_is_told_as_a_factor() -> None:
    """Bench: new divided by old."""
    said = "\n".join(compared(report(100.0), report(250.0)))
    assert "100        250    2.50  bare TCP echo" in said
