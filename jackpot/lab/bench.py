"""How fast is the server, compared with a bare echo and a bare flush on this machine, in one run?

Each run measures these one after the other, so that other load on the machine affects all of them alike:

    server     the real server on SQLite or PostgreSQL, over TCP, loaded by a process of its own
    echo       the same process and frames against a bare echo: what TCP and two Python processes cost at best
    fsync      as many bytes as a commit wrote, appended and flushed here: what the disk costs at best
    postgres   as many bytes inserted and committed on the same PostgreSQL: what the database costs at best

The report has medians over the runs. Each ratio is made within one run.
"""

import asyncio
import os
import platform
import secrets
import statistics
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec

from jackpot import __version__
from jackpot.app import Server
from jackpot.config import load
from jackpot.lab.bare import Bare
from jackpot.lab.house import SQLITE
from jackpot.lab.load import HANDS, Job, Load, LoadError, percentiles
from jackpot.rules import views
from jackpot.server.histogram import Histogram

LINK: Final = "bench"
ROWS_A_ROUND: Final = 2
WARM_S: Final = 0.3
# A very slow disk is measured by this many flushes, even if they take longer than its part of the run.
FLUSHES_LEAST: Final = 5
LOAD_ENDS_S: Final = 60.0

Progress = Callable[[str], None]


class Measured(msgspec.Struct, frozen=True):
    """rounds: a second. latencies: seconds, by percentile; of a wager's answer, or of a flush."""

    rounds: float
    latencies: dict[str, float]


class Run(msgspec.Struct, frozen=True):
    """One run. rows, bytes, commit: of the server's commits, on average; commit in seconds.

    postgres: only of a ledger in PostgreSQL; bytes are then those of PostgreSQL's own journal.
    """

    server: Measured
    echo: Measured
    fsync: Measured
    rows: float
    bytes: float
    commit: float
    ratios: dict[str, float]
    postgres: Measured | None = None


class Report(msgspec.Struct, frozen=True):
    """machine, setup: what the figures are of. median: of each figure over the runs."""

    machine: dict[str, Any]
    setup: dict[str, Any]
    runs: list[Run]
    median: Run


class Plan(msgspec.Struct, frozen=True):
    """How much is measured: so many tables, for so many seconds a run, in so many runs."""

    tables: int
    seconds: float
    runs: int


async def bench(folder: Path, plan: Plan, progress: Progress, url: str | None = None) -> Report:
    """Measures in a folder that holds nothing else. url: of an empty PostgreSQL database for the ledger.

    Raises LoadError, and what Server raises.
    """
    config = load(_furnish(folder, plan.tables, url or SQLITE))
    found = []
    about: dict[str, Any] = {"version": apsw.sqlite_lib_version(), "synchronous": "FULL"}
    async with AsyncExitStack() as stack:
        bare = await stack.enter_async_context(Bare.open(url)) if url else None
        if bare is not None:
            about = await bare.settings()
        server = await stack.enter_async_context(Server(config))
        echo_port = await stack.enter_async_context(_echo())
        for number in range(1, plan.runs + 1):
            progress(f"run {number} of {plan.runs}")
            found.append(await _run(server, bare, echo_port, folder, plan.seconds))
        played: int = await server.writers["main"].ask(_rounds)
    version = about.pop("version")
    setup = msgspec.structs.asdict(plan) | {"seats": len(HANDS), "rounds": played} | about
    machine = _machine(folder) | {"postgresql" if url else "sqlite": version}
    return Report(machine, setup, found, _median(found))


async def _run(server: Server, bare: Bare | None, echo_port: int, folder: Path, seconds: float) -> Run:
    writer = server.writers["main"]
    keys = {device: key[0].hex() for (role, device), key in server.config.keys.items() if role == "table"}
    before = await writer.ask(_rounds)
    rows, commits, spent, written = await _counts(writer.counts.batches, writer.counts.commits, bare)
    job = Job("127.0.0.1", server.ports["tables"], LINK, keys, seconds, WARM_S, echo=False)
    loaded = await _load(job)
    if await writer.ask(_rounds) - before != loaded.played:
        raise LoadError("the server has counted other rounds than the tables have played")
    after = await _counts(writer.counts.batches, writer.counts.commits, bare)
    count = after[1] - commits
    a_commit, size = (after[0] - rows) / count, (after[3] - written) / count
    echoed = await _load(msgspec.structs.replace(job, port=echo_port, echo=True))
    flushed = await asyncio.to_thread(_flush, folder / "floor", round(size), seconds)
    fsync = _batches(flushed, a_commit)
    postgres = _batches(await bare.commits(round(size), seconds), a_commit) if bare else None
    commit = (a_commit, size, (after[2] - spent) / count)
    return _rated(_measured(loaded), _measured(echoed), fsync, postgres, commit)


def _batches(took: list[float], rows: float) -> Measured:
    """Bare commits or flushes, counted in rounds, as if each were a batch of so many rows."""
    return Measured(rows / ROWS_A_ROUND * len(took) / sum(took), percentiles(took))


def _rated(
    server: Measured,
    echo: Measured,
    fsync: Measured,
    postgres: Measured | None,
    commit: tuple[float, float, float],
) -> Run:
    """A run with its ratios: throughput as a part of the bare one, times as multiples of the bare ones."""
    rows, size, spent = commit
    ratios = {
        "rounds_to_echo": server.rounds / echo.rounds,
        "rounds_to_fsync": server.rounds / fsync.rounds,
        "answer_to_echo": server.latencies["p50"] / echo.latencies["p50"],
        "commit_to_fsync": spent / (rows / ROWS_A_ROUND / fsync.rounds),
    }
    if postgres is not None:
        ratios["rounds_to_postgres"] = server.rounds / postgres.rounds
        ratios["commit_to_postgres"] = spent / (rows / ROWS_A_ROUND / postgres.rounds)
    return Run(server, echo, fsync, rows, size, spent, ratios, postgres)


def _measured(found: Load) -> Measured:
    return Measured(found.rounds / found.seconds, found.latencies)


async def _load(job: Job) -> Load:
    """Plays a job in a process of its own."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "jackpot.lab.load",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(job.warm + job.seconds + LOAD_ENDS_S):
            out, errors = await process.communicate(msgspec.json.encode(job))
    except TimeoutError as error:
        raise LoadError("the load does not end") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise LoadError(errors.decode(errors="replace").strip() or "the load ended without a word")
    return msgspec.json.decode(out, type=Load)


class _Echo(asyncio.Protocol):
    """Says what it is told."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - what create_server gives
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._transport.write(data)


@asynccontextmanager
async def _echo() -> AsyncIterator[int]:
    """An echo in this process, as the server is: its port."""
    listener = await asyncio.get_running_loop().create_server(_Echo, "127.0.0.1", 0)
    async with listener:
        yield listener.sockets[0].getsockname()[1]


def _flush(file: Path, size: int, seconds: float) -> list[float]:
    """Seconds of each write of so many bytes with its flush, appended to one file."""
    data = secrets.token_bytes(max(size, 1))
    took: list[float] = []
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        ends = time.perf_counter() + seconds
        while (began := time.perf_counter()) < ends or len(took) < FLUSHES_LEAST:
            os.write(handle, data)
            os.fdatasync(handle)
            took.append(time.perf_counter() - began)
    finally:
        os.close(handle)
        file.unlink()
    return took


async def _counts(batches: Histogram, commits: Histogram, bare: Bare | None) -> tuple[float, int, float, int]:
    """Rows, commits, seconds in them, and bytes by now: to this process's files, or PostgreSQL's journal."""
    written = _to_files() if bare is None else await bare.written()
    return batches.sum, sum(commits.counts), commits.sum, written


def _to_files() -> int:
    lines = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(lines["wchar"])


def _rounds(engine: Any) -> int:
    return sum(table["rounds"] for table in views.statistics(engine)["tables"])


def _median(runs: list[Run]) -> Run:
    """The median of each figure by itself, maybe of different runs. The worst stays the worst."""

    def middle(values: list[Any], name: str = "") -> Any:
        if isinstance(values[0], dict):
            return {key: middle([value[key] for value in values], key) for key in values[0]}
        if values[0] is None:
            return None
        return max(values) if name == "max" else statistics.median(values)

    found: Run = msgspec.convert(middle([msgspec.to_builtins(run) for run in runs]), Run)
    return found


def _machine(folder: Path) -> dict[str, Any]:
    return {
        "jackpot": __version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "processors": len(os.sched_getaffinity(0)),
        "filesystem": filesystem(folder),
    }


def filesystem(folder: Path) -> str:
    """The kind of file system that a folder is on: on tmpfs a flush costs nothing, and measures nothing."""
    mounts = [line.split()[1:3] for line in Path("/proc/self/mounts").read_text().splitlines()]
    above = {str(path) for path in (folder.resolve(), *folder.resolve().parents)}
    return max((mount for mount in mounts if mount[0] in above), key=lambda mount: len(mount[0]))[1]


def _furnish(folder: Path, tables: int, url: str) -> Path:
    """A configuration of so many tables on one link: its path."""
    parts = [
        '[site]\nname = "Bench"\ncurrency = "USD"\ngaming_day_ends = "06:00"\ntimezone = "UTC"',
        f'[ledger]\nurl = "{url}"',
        '[listen]\ntables = "127.0.0.1:0"',
        "[limits]\ncommands_per_second = 1000000\nbytes_per_second = 1073741824",
        f'[[link]]\nid = "{LINK}"\npaytable = "pa-643a-five-card-C"\nwager = "1.00"\ndecks = 1',
    ]
    for number in range(1, tables + 1):
        name = f"T{number:03}"
        key = folder / name
        key.touch(mode=0o600)
        key.write_text(secrets.token_hex(32))
        place = f'id = "{name}"\ngame = "let-it-ride"\nseats = 7\nlinks = ["{LINK}"]\nkey_file = "{name}"'
        parts.append(f"[[table]]\n{place}")
    config = folder / "bench.toml"
    config.write_text("\n\n".join(parts) + "\n")
    return config
