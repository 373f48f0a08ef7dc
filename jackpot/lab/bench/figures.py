"""Results of the bench: medians over rounds, and ratios that are made within one round."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

# The measurements, in this order in every round: name, and text for people.
OURS: Final = {
    f"{store} {play} {flight}": f"this server, {title}, rounds {ends}, {flight} in flight a table"
    for store, title in (("sqlite", "SQLite"), ("postgres", "PostgreSQL"))
    for play, ends in (("plain", "without hands"), ("hands", "with seven hands"))
    for flight in (1, 8)
}
FUNCTION_CLIENTS: Final = (1, 8, 64)
FUNCTIONS: Final = tuple(f"function {clients}" for clients in FUNCTION_CLIENTS)
NAMES: Final[Mapping[str, str]] = {
    **OURS,
    **{f"function {n}": f"PostgreSQL, one stored function a frame, {n} in flight" for n in FUNCTION_CLIENTS},
    "redis-py": "Redis, appendfsync always, one script a frame, by redis-py, a client a table",
    "redis": "the same script by bare sockets, a client a table",
    "redis-benchmark": "the same script by redis-benchmark, a client a table",
    "redis-benchmark 8": "the same, 8 in flight a client",
    "echo": "bare TCP echo of the same frames, 8 in flight a table",
    "copy": "bare COPY and COMMIT of as many rows as our PostgreSQL batches hold",
    "fsync": "bare append and flush of what our SQLite batches write",
}

# The parts of a whole bench in the order in which they run, each with its text.
PARTS: Final[Mapping[str, str]] = {
    "throughput": "frames a second, next to other designs and to the bare machine",
    "latency": "a floor's own pace: how long a wager waits for its answer, disturbed and not",
    "idle": "a floor that waits: memory, and the time of a core",
    "crowd": "a whole floor that comes back at one moment",
    "fan": "from a wager to its value on every sign",
    "growth": "what must not grow with the floor, the journal and the past",
}

# Above this share of one core, the load generator may be what is measured.
LOAD_FULL: Final = 0.9


class Measured(msgspec.Struct, frozen=True):
    """Throughput of one measurement.

    frames: a second. cpu: cores that the measured side used, all its processes together. load: cores that
    the load used; one of Python can use one.
    """

    frames: float
    cpu: float
    load: float


class DiskResults(msgspec.Struct, frozen=True):
    """All rounds on one kind of disk. rounds: by name. skipped: what this machine lacks, and why.

    latencies: of each round that measured them, seconds by name and percentile. setup: what the figures are
    of.
    """

    disk: str
    rounds: list[dict[str, Measured]]
    latencies: list[dict[str, dict[str, float]]]
    skipped: dict[str, str]
    setup: dict[str, Any]


class FigureTable(msgspec.Struct, frozen=True):
    """Table of figures. rows: figures by the row's title, and by name. most: the wanted maximum of a figure.

    points: of a growth, each row's number, along which the figures are drawn. left_out: why, by row.
    """

    title: str
    rows: dict[str, dict[str, float]]
    most: dict[str, float] = {}
    points: dict[str, float] = {}
    left_out: dict[str, str] = {}


class BenchReport(msgspec.Struct, frozen=True):
    """The report of a bench.

    machine: what it was measured on. passes: the disk as it is, then, where it could be, a slower one.

    skipped: why there is no second pass, empty where there is one. sheets: of the parts that are not
    throughput, by name; of a growth one for each subject.
    """

    machine: dict[str, Any]
    passes: list[DiskResults]
    skipped: str = ""
    sheets: dict[str, FigureTable] = {}


class Ratio(NamedTuple):
    """Ratio of a throughput to the best of some others. least: the wanted minimum, if any."""

    name: str
    others: tuple[str, ...]
    title: str
    least: float | None = None


RATIOS: Final = (
    Ratio("sqlite plain 8", FUNCTIONS, "SQLite, no hands, 8 in flight / best function", 8.0),
    Ratio("postgres plain 8", FUNCTIONS, "PostgreSQL, no hands, 8 in flight / best function", 6.0),
    Ratio("sqlite hands 8", FUNCTIONS, "SQLite, seven hands, 8 in flight / best function", 3.5),
    Ratio("sqlite plain 1", ("function 64",), "SQLite, no hands, 1 in flight / function, 64 clients", 4.0),
    Ratio("sqlite plain 8", ("redis-py",), "SQLite, no hands, 8 in flight / Redis, redis-py", 2.0),
    Ratio("sqlite plain 8", ("redis",), "SQLite, no hands, 8 in flight / Redis, bare sockets"),
    Ratio(
        "sqlite plain 8",
        ("redis-benchmark",),
        "SQLite, no hands, 8 in flight / Redis, redis-benchmark",
    ),
    Ratio("sqlite plain 8", ("echo",), "SQLite, no hands, 8 in flight / bare echo"),
    Ratio("sqlite plain 8", ("fsync",), "SQLite, no hands, 8 in flight / bare flush"),
    Ratio("postgres plain 8", ("copy",), "PostgreSQL, no hands, 8 in flight / bare COPY"),
)


class Median(NamedTuple):
    """Median, minimum and maximum of a figure over the rounds."""

    middle: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Median":
        """Of one or more values."""
        return cls(statistics.median(values), min(values), max(values))


def medians(bench_pass: DiskResults, field: str = "frames") -> dict[str, Median]:
    """Median of each name that was measured, in the order of NAMES."""
    names = [name for name in NAMES if all(name in round_ for round_ in bench_pass.rounds)]
    return {name: Median.of([getattr(round_[name], field) for round_ in bench_pass.rounds]) for name in names}


def ratios(bench_pass: DiskResults) -> Iterator[tuple[Ratio, Median]]:
    """Each ratio whose parts were all measured: the median of the ratios within each round."""
    for ratio in RATIOS:
        if all({ratio.name, *ratio.others} <= round_.keys() for round_ in bench_pass.rounds):
            best = [max(round_[other].frames for other in ratio.others) for round_ in bench_pass.rounds]
            ours = [round_[ratio.name].frames for round_ in bench_pass.rounds]
            yield ratio, Median.of([one / other for one, other in zip(ours, best, strict=True)])


def middle_latencies(bench_pass: DiskResults) -> dict[str, dict[str, float]]:
    """Median over the rounds of each name and percentile; for the maximum, the maximum."""
    if not bench_pass.latencies:
        return {}
    return {
        name: {
            part: (max if part == "max" else statistics.median)(
                [round_[name][part] for round_ in bench_pass.latencies]
            )
            for part in parts
        }
        for name, parts in bench_pass.latencies[0].items()
    }


def full_loads(bench_pass: DiskResults) -> list[str]:
    """The measurements in which the load generator may have been the bottleneck."""
    return [name for name, load in medians(bench_pass, "load").items() if load.middle > LOAD_FULL]
