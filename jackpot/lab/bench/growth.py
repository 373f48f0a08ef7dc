"""Scaling benchmark: costs as the floor, the journal and the past grow, each alone by powers of ten.

What a frame costs is measured at a steady pace, by the time of a core that the server used above what it uses
while nobody plays. Every subject has a box of time: a size that would not fit in what is left is left out,
and the sheet says so.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from math import inf
from pathlib import Path
from typing import Final

import msgspec

from jackpot.lab.bench.figures import FigureTable
from jackpot.lab.bench.ledger_fixture import LedgerFixture, PastOptions, past
from jackpot.lab.bench.load import Job, LoadError
from jackpot.lab.bench.parts import CrowdProcess, Sizes
from jackpot.lab.bench.run_plan import play
from jackpot.lab.bench.servers import JackpotServer, ServedFloor, ServedProgram, used
from jackpot.lab.bench.visit import BrowserSession, hire
from jackpot.lab.demo.house import SQLITE

# The pace at which a frame's cost is measured: rounds a second of all tables together, two frames each.
PACE: Final = 50.0
PLAYERS: Final = 16
PLAYED_S: Final = 4.0
# The most by which a measurement's time, above the quickest one's, grows from one size to the next.
TEN: Final = 10
PAGES: Final[Mapping[str, str]] = {
    "link": "/ops/links/bench",
    "journal": "/ops/journal",
    "hits": "/ops/hits",
    "day's report": "/ops/reports/reconcile",
}
_US: Final = 1_000_000
_MS: Final = 1000


class GrowthSubject(msgspec.Struct, frozen=True):
    """Subject of the benchmark.

    first: its least size. measure: the figures at one size, in a folder of its own.
    """

    title: str
    first: int
    measure: Callable[[Path, int], dict[str, float]]


def growth(folder: Path, sizes: Sizes, progress: Callable[[str], None]) -> dict[str, FigureTable]:
    """A sheet for each subject."""
    subjects = {
        "idle tables": GrowthSubject("tables that wait on another link", 10, _idle),
        "signs": GrowthSubject("signs that show each wager", 1, _signs),
        "links": GrowthSubject("links of the bank", 1, _links),
        "hits that wait": GrowthSubject("hits that wait for people", 1, _hits),
        "awards": GrowthSubject("rounds won and paid in the past", 10, _awards),
        "journal": GrowthSubject("rows of the journal", 1_000, journal),
    }
    return {
        name: grown(folder / name.replace(" ", "-"), one, sizes, progress) for name, one in subjects.items()
    }


def grown(folder: Path, subject: GrowthSubject, sizes: Sizes, progress: Callable[[str], None]) -> FigureTable:
    """Figures of one subject, as far as its time box allows."""
    sheet = FigureTable(f"with {subject.title}", {})
    began, least, needs = time.monotonic(), inf, 0.0
    for step in range(sizes.steps):
        size, left = subject.first * TEN**step, sizes.box - (time.monotonic() - began)
        title = f"{size:,}"
        if needs > left:
            sheet.left_out[title] = (
                f"of the box of {sizes.box:.0f} s {left:.0f} are left, and {needs:.0f} needed"
            )
            continue
        progress(f"growth: {title} {subject.title}")
        started = time.monotonic()
        sheet.rows[title] = subject.measure(folder / str(size), size)
        sheet.points[title] = size
        took = time.monotonic() - started
        least = min(least, took)
        needs = least + TEN * (took - least)
    return sheet


def _idle(folder: Path, size: int) -> dict[str, float]:
    server = JackpotServer(folder, SQLITE, ServedFloor(PLAYERS, idle=size, links=2))
    with server, CrowdProcess(server, dict(list(server.keys.items())[PLAYERS:]), {}) as company:
        company.does("connect")
        return _frame(server, server.keys)


def _signs(folder: Path, size: int) -> dict[str, float]:
    with (
        JackpotServer(folder, SQLITE, ServedFloor(PLAYERS, signs=size)) as server,
        CrowdProcess(server, {}, server.signs) as company,
    ):
        company.does("connect")
        return _frame(server, server.keys)


def _links(folder: Path, size: int) -> dict[str, float]:
    with JackpotServer(folder, SQLITE, ServedFloor(PLAYERS, links=size)) as server:
        return _frame(server, server.keys)


def _hits(folder: Path, size: int) -> dict[str, float]:
    made = past(folder, 0, ServedFloor(PLAYERS), PastOptions(hits=size))
    with ServedProgram(made.config) as server:
        return _frame(server, made.keys)


def _awards(folder: Path, size: int) -> dict[str, float]:
    made = past(folder, 0, ServedFloor(PLAYERS), PastOptions(awards=size))
    with ServedProgram(made.config) as server:
        return _frame(server, made.keys)


def journal(folder: Path, size: int) -> dict[str, float]:
    """Figures of a ledger of so many rows: start, verification, play and pages."""
    made = past(folder, size, ServedFloor(PLAYERS))
    chained, decided = _verified(made, "--chain"), _verified(made)
    person = hire(made.url)
    began = time.perf_counter()
    with ServedProgram(made.config) as server:
        started = time.perf_counter() - began
        visit = BrowserSession(server.ports["http"], person)
        pages = {f"{name} page ms": visit.page(path) * _MS for name, path in PAGES.items()}
        return {
            "start s": started,
            **_frame(server, made.keys),
            "--chain rows/s": size / chained,
            "verify rows/s": size / decided,
            "bytes a row": made.ledger.stat().st_size / made.rows,
            **pages,
        }


def _frame(server: ServedProgram, keys: Mapping[str, str]) -> dict[str, float]:
    """Cost of a frame at the server, and latency of a wager."""
    cpu = server.cpu()
    time.sleep(PLAYED_S)
    idle = used(cpu, server.cpu()) / PLAYED_S
    some = dict(list(keys.items())[:PLAYERS])
    job = Job(
        kind="table",
        clients=len(some),
        seconds=PLAYED_S,
        warm=1.0,
        port=server.ports["tables"],
        keys=some,
        rate=PACE,
    )
    found, busy = play(job, server)
    return {
        "us a frame": max(0.0, busy - idle * found.seconds) / found.frames * _US,
        "p50 ms": found.latencies["p50"] * _MS,
        "idle % of a core": 100 * idle,
    }


def _verified(fixture: LedgerFixture, *options: str) -> float:
    """Seconds that `jackpot verify` takes, its start included. Raises LoadError."""
    words = [sys.executable, "-m", "jackpot.cli", "verify", "--config", str(fixture.config), *options]
    began = time.perf_counter()
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 - our own program
    if done.returncode:
        raise LoadError(f"verify: {done.stdout or done.stderr}")
    return time.perf_counter() - began
