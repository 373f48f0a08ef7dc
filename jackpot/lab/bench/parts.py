"""Benchmark parts: an idle floor, a mass reconnect, fan-out to signs, and latency under disturbance.

Each part is a Sheet. All of it runs against `jackpot serve` as anybody starts it, on SQLite: none of this is
the ledger's doing. The devices are a process of their own (`crowd`).
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Any, Final, Self

import msgspec

from jackpot.lab.bench.bare import flushes
from jackpot.lab.bench.crowd import ConnectionCrowd, Order
from jackpot.lab.bench.figures import FigureTable
from jackpot.lab.bench.ledger_fixture import past
from jackpot.lab.bench.load import Job, LoadError, percentiles
from jackpot.lab.bench.run_plan import PACES, commit_every, play
from jackpot.lab.bench.servers import (
    EchoServer,
    JackpotServer,
    MeasuredSide,
    Program,
    ServedFloor,
    ServedProgram,
    used,
)
from jackpot.lab.bench.visit import BrowserSession, hire
from jackpot.lab.demo.house import SQLITE

# The protocol shows a sign ten values a second: a value may wait so long for others.
WINDOW_MS: Final = 100
_MS: Final = 1000
_MIB: Final = 1 << 20


class Sizes(msgspec.Struct, frozen=True):
    """Sizes. tables, signs: of the floor that waits and comes back. watched: signs that are to show a wager.

    floor: tables that play at a floor's pace. seconds: of each measurement. settles: until a floor that has
    come has its first snapshots and pings behind it. rows: of the ledger that a long report reads. box:
    seconds for each subject of the growth. steps: how many powers of ten it takes.
    """

    tables: int = 10_000
    signs: int = 2_000
    watched: int = 1_000
    floor: int = 500
    seconds: float = 30.0
    settles: float = 6.0
    rows: int = 200_000
    box: float = 240.0
    steps: int = 4


# Sizes of a quick run, and of the tests: everything runs, but the figures mean little.
SMALL: Final = Sizes(
    tables=100, signs=20, watched=20, floor=20, seconds=1.0, settles=0.1, rows=1_000, box=30.0, steps=2
)


class CrowdProcess:
    """The process that holds a crowd of devices, as a context manager. Raises LoadError."""

    def __init__(
        self,
        server: ServedProgram,
        tables: Mapping[str, str],
        signs: Mapping[str, str],
        player: tuple[str, str] | None = None,
    ) -> None:
        ports = {"table": server.ports["tables"], "sign": server.ports.get("signs", 0)}
        self._asked = ConnectionCrowd(ports, {"table": dict(tables), "sign": dict(signs)}, player)
        self._process: subprocess.Popen[bytes]

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "jackpot.lab.bench.crowd"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._say(self._asked)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def does(self, do: str, seconds: float = 0) -> dict[str, float]:
        """Sends an order and returns its answer."""
        self._say(Order(do, seconds))  # type: ignore[arg-type]
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        if not (line := self._process.stdout.readline()):
            said = self._process.communicate()[1].decode(errors="replace").strip()
            raise LoadError(said or "the crowd ended without a word")
        return msgspec.json.decode(line, type=dict[str, float])

    def _say(self, message: msgspec.Struct) -> None:
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        self._process.stdin.write(msgspec.json.encode(message) + b"\n")
        self._process.stdin.flush()


def waiting(folder: Path, sizes: Sizes, progress: Callable[[str], None]) -> dict[str, FigureTable]:
    """The parts `idle` and `crowd`: one floor connects, waits, and reconnects."""
    who = f"{sizes.tables:,} tables and {sizes.signs:,} signs"
    progress(f"idle: a server for {who}")
    with JackpotServer(folder / "waiting", SQLITE, ServedFloor(sizes.tables, signs=sizes.signs)) as server:
        alone = server.resident()
        with CrowdProcess(server, server.keys, server.signs) as company:
            progress(f"idle: {who} come")
            came = _timed(server, lambda: company.does("connect"))
            progress(f"idle: {who} wait")
            time.sleep(sizes.settles)
            cpu = server.cpu()
            time.sleep(sizes.seconds)
            cores = used(cpu, server.cpu()) / sizes.seconds
            resident = server.resident()
            progress(f"crowd: {who} come back")
            again = _timed(server, lambda: company.does("connect"))
    idle = {who: {"MiB": resident / _MIB, "% of a core": 100 * cores}, "nobody": {"MiB": alone / _MIB}}
    return {
        "idle": FigureTable("a floor that waits", idle, {"MiB": 1024, "% of a core": 15}),
        "crowd": FigureTable(
            "a floor that comes at one moment, until all are served",
            {f"{who}, for the first time": came, "the same, again": again},
            {"s": 60},
        ),
    }


def _timed(server: MeasuredSide, does: Callable[[], dict[str, float]]) -> dict[str, float]:
    cpu = server.cpu()
    found = does()
    return {
        "s": found["seconds"],
        "server s of a core": used(cpu, server.cpu()),
        "came again": found["again"],
    }


def fan(folder: Path, sizes: Sizes, progress: Callable[[str], None]) -> FigureTable:
    """Latency from a wager to its value at each of many signs; wagers come at any time within the window."""
    who = f"{sizes.watched:,} signs"
    progress(f"fan: a wager on {who}")
    with JackpotServer(folder / "fan", SQLITE, ServedFloor(1, signs=sizes.watched)) as server:
        (player,) = server.keys.items()
        with CrowdProcess(server, {}, server.signs, player) as company:
            company.does("connect")
            found = company.does("watch", sizes.seconds)
    rows = {who: {f"{part} ms": value * _MS for part, value in found.items()}}
    return FigureTable(
        f"from a wager to its value; values gather for up to {WINDOW_MS} ms", rows, {"p99 ms": 2 * WINDOW_MS}
    )


class ConnectionFlood(Program):
    """A flood of unauthenticated connections to a port, as a context manager."""

    def __init__(self, folder: Path, port: int) -> None:
        super().__init__(folder, "-m", "jackpot.lab.bench.strangers", str(port))

    def __enter__(self) -> Self:
        super().__enter__()
        self.said(str.strip)
        return self


@contextmanager
def reading(visit: BrowserSession, path: str) -> Iterator[None]:
    """Load of a person who requests this page again and again."""
    over = Event()

    def look() -> None:
        while not over.is_set():
            visit.page(path)

    reader = Thread(target=look, name="reader")
    reader.start()
    try:
        yield
    finally:
        over.set()
        reader.join()


def latency(folder: Path, sizes: Sizes, progress: Callable[[str], None]) -> FigureTable:
    """Latency at a floor's pace, and ten times that: alone, and under load that should have no effect."""
    progress(f"latency: a ledger of {sizes.rows:,} rows")
    made = past(folder / "latency", sizes.rows, ServedFloor(sizes.floor, signs=sizes.watched))
    person = hire(made.url)
    rows: dict[str, dict[str, float]] = {}
    with ExitStack() as stack:
        echo = stack.enter_context(EchoServer(folder / "echo"))
        server = stack.enter_context(ServedProgram(made.config))
        visit = BrowserSession(server.ports["http"], person)
        disturbed: dict[str, Callable[[], Any]] = {
            "alone": ExitStack,
            f"{sizes.watched:,} signs": lambda: _company(server, made.signs),
            "a flood of strangers": lambda: ConnectionFlood(folder / "flood", server.ports["tables"]),
            "a long report": lambda: reading(
                visit, "/ops/reports/contributions?first=2026-01-01&last=2026-12-31"
            ),
        }
        for pace in PACES:
            progress(f"latency: bare, {pace} a minute")
            bare = _bare(folder, sizes, echo, pace)
            rows[f"a bare flush and a bare echo, {pace} a minute"] = bare
            for title, disturbance in disturbed.items():
                progress(f"latency: {title}, {pace} a minute")
                with disturbance():
                    found = _paced(server, made.keys, sizes, pace)
                first = rows.setdefault(f"alone, {pace} a minute", found)
                rows[f"{title}, {pace} a minute"] = found | {
                    "p50 - bare ms": found["p50 ms"] - bare["p50 ms"],
                    "p99 / p50": found["p99 ms"] / found["p50 ms"],
                    "p50 / alone": found["p50 ms"] / first["p50 ms"],
                    "p99 / alone": found["p99 ms"] / first["p99 ms"],
                }
    return FigureTable(
        f"{sizes.floor} tables, rounds a minute each; from sending a wager to its durable answer, SQLite",
        rows,
        {"p50 - bare ms": 0.3, "p99 / p50": 10, "p50 / alone": 2, "p99 / alone": 2},
    )


@contextmanager
def _company(server: ServedProgram, signs: Mapping[str, str]) -> Iterator[None]:
    with CrowdProcess(server, {}, signs) as company:
        company.does("connect")
        yield


def _paced(server: ServedProgram, keys: Mapping[str, str], sizes: Sizes, pace: int) -> dict[str, float]:
    job = _job("table", server.ports["tables"], keys, sizes, pace)
    found, cpu = play(job, server)
    return _ms(found.latencies) | {"late p99 ms": found.late["p99"] * _MS, "cores": cpu / found.seconds}


def _bare(folder: Path, sizes: Sizes, echo: EchoServer, pace: int) -> dict[str, float]:
    """Lower bounds: a flush of one batch, and an echo of the same frames, at that pace."""
    found, _ = play(_job("echo", echo.port, {}, sizes, pace))
    every = commit_every(sizes.floor, pace)
    flushed = percentiles(flushes(folder / "bare", _BATCH_BYTES, min(_BARE_S, sizes.seconds), every))
    return _ms({part: value + flushed[part] for part, value in found.latencies.items()})


# A batch of one row as SQLite writes it to its log: some pages of 4 KiB.
_BATCH_BYTES: Final = 12_288
# Number of bare flushes at a pace: more than a hundred.
_BARE_S: Final = 10.0


def _job(kind: Any, port: int, keys: Mapping[str, str], sizes: Sizes, pace: int) -> Job:
    return Job(
        kind=kind, clients=sizes.floor, seconds=sizes.seconds, warm=1.0, port=port, keys=dict(keys),
        hands=True, rate=sizes.floor * pace / 60,
    )  # fmt: skip


def _ms(parts: Mapping[str, float]) -> dict[str, float]:
    return {f"{part} ms": value * _MS for part, value in parts.items()}
