"""Medians and ratios of the bench are those of its rounds."""

from jackpot.lab.bench.figures import (
    NAMES,
    RATIOS,
    DiskResults,
    Measured,
    full_loads,
    medians,
    middle_latencies,
    ratios,
)


def made(*rounds: dict[str, tuple[float, float]], latencies: tuple[float, ...] = ()) -> DiskResults:
    """A pass of such rounds: frames and the load's part of a core, by name."""
    measured = [{name: Measured(frames, 0.5, load) for name, (frames, load) in one.items()} for one in rounds]
    timed = [{"echo 1": {"p50": value, "max": value}} for value in latencies]
    return DiskResults("a disk", measured, timed, {}, {})


def test_medians_are_in_one_order() -> None:
    """Bench: the middle, the least and the most of the rounds; in the order in which they are shown."""
    found = medians(made(*({"echo": (n, 0.1), "sqlite plain 8": (10 * n, 0.1)} for n in (3.0, 1.0, 2.0))))
    assert list(found) == ["sqlite plain 8", "echo"]
    assert found["echo"] == (2.0, 1.0, 3.0)


def test_a_ratio_is_made_within_a_round() -> None:
    """Bench: each round against the best of its own round; the median of that, not of the parts."""
    slow = {"sqlite plain 8": (100.0, 0.1), "function 1": (10.0, 0.1), "function 8": (50.0, 0.1)}
    slow["function 64"] = (20.0, 0.1)
    quick = {name: (10 * frames, load) for name, (frames, load) in slow.items()}
    found = dict(ratios(made(slow, quick)))
    (ratio,) = found
    assert ratio.least == 8.0
    assert found[ratio] == (2.0, 2.0, 2.0)


def test_a_load_that_is_full_is_named() -> None:
    """Bench: it says where the load generator may be the bottleneck."""
    assert full_loads(made({"echo": (1.0, 0.95), "redis": (1.0, 0.2)})) == ["echo"]


def test_the_worst_latency_stays_the_worst() -> None:
    """Bench: medians of percentiles, but the maximum of all rounds."""
    found = middle_latencies(made({}, latencies=(1.0, 9.0, 2.0)))
    assert found == {"echo 1": {"p50": 2.0, "max": 9.0}}
    assert middle_latencies(made({})) == {}


def test_every_ratio_is_of_what_is_measured() -> None:
    """Bench: no ratio is left out because of a name that is written otherwise."""
    assert {name for ratio in RATIOS for name in (ratio.name, *ratio.others)} <= NAMES.keys()
