"""Order of the measurements: every round measures everything, so that a busy moment hits each alike.

    python -m jackpot.lab.bench.run_plan < plan    a Plan in, a Pass out; progress on standard error

It is a process of its own, so that a library can be preloaded into it and all that it starts.
"""

import asyncio
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import asyncpg
import msgspec

from jackpot.lab.bench.bare import copies, flushes
from jackpot.lab.bench.figures import FUNCTION_CLIENTS, OURS, DiskResults, Measured
from jackpot.lab.bench.frames import HANDS, WIN_EVERY, Script, payload_text
from jackpot.lab.bench.load import MORE, Job, LoadError, LoadResult, percentiles
from jackpot.lab.bench.servers import Cluster, EchoServer, JackpotServer, MeasuredSide, used
from jackpot.lab.demo.house import SQLITE
from jackpot.lab.testing import cluster_cleanup
from jackpot.lab.testing.postgres import EngineError, EnginesMissing, Postgres
from jackpot.lab.testing.redis import RedisServer, any_program

WARM_S: Final = 0.3
# Unanswered frames at each table where there is more than one: four rounds.
DEEP: Final = 8
# Rates of the open loads: one round a minute at each table, and ten.
PACES: Final = (1, 10)
_FRAMES_A_ROUND: Final = 2
# redis-benchmark runs for so many requests, not seconds: about as many as this rate gives.
REDIS_GUESS: Final = 10_000
_SETTINGS: Final = """
    SELECT current_setting('server_version') AS postgresql,
        current_setting('synchronous_commit') AS synchronous, current_setting('fsync') AS fsync,
        current_setting('wal_sync_method') AS wal_sync_method
"""
_HERE: Final = Path(__file__).parent


class BenchPlan(msgspec.Struct, frozen=True):
    """The plan of a run.

    folder: on the disk to measure. disk: what it is called. tables: that play without a pause. floor: that
    play as on a real floor. seconds: of each measurement. calm: of each one of latencies, which every round
    has where it is above 0.
    """

    folder: str
    disk: str
    rounds: int
    seconds: float
    calm: float
    tables: int = 64
    floor: int = 500


class BenchRun:
    """The measurements of this machine. Enter it, then call `round` as often as wanted."""

    def __init__(self, plan: BenchPlan, stack: ExitStack) -> None:
        self.plan = plan
        self.skipped: dict[str, str] = {}
        self.setup: dict[str, Any] = {"seats": len(HANDS), "one win in rounds": WIN_EVERY}
        self.measures: dict[str, Callable[[], Measured]] = {}
        self.ours: dict[str, JackpotServer] = {}
        self._folder = Path(plan.folder)
        self._other = ""
        self._runs = 0
        self._rows: dict[str, float] = {}
        self._written = 0.0
        self._add_ours(stack, "sqlite", SQLITE, tuple)
        self._add_postgres(stack)
        self._add_redis(stack)
        self.echo = stack.enter_context(EchoServer(self._folder / "echo"))
        job = self._job("echo", port=self.echo.port, flight=DEEP)
        self.measures["echo"] = lambda: self._loaded(job, self.echo)
        if self._other:
            self.measures["copy"] = self._copied
        self.measures["fsync"] = self._flushed

    def round(self) -> dict[str, Measured]:
        """Measures everything once."""
        return {name: measure() for name, measure in self.measures.items()}

    def latencies(self) -> dict[str, dict[str, float]]:
        """Latencies of each server, the echo and bare commits, at a floor's pace and ten times that."""
        found, plan = {}, self.plan
        size = round(self._written / self._rows.get("sqlite", 1))
        for pace in PACES:
            every = commit_every(plan.floor, pace)
            for name, server in self.ours.items():
                job = self._calm_job("table", server.ports["tables"], pace, server.keys)
                found[f"{name} {pace}"] = _latencies(play(job)[0])
            found[f"echo {pace}"] = _latencies(play(self._calm_job("echo", self.echo.port, pace, {}))[0])
            found[f"fsync {pace}"] = percentiles(flushes(self._folder / "bare", size, plan.calm, every))
            if self._other:
                found[f"copy {pace}"] = percentiles(asyncio.run(copies(self._other, 1, plan.calm, every)))
        return found

    # Setup of each measurement.

    def _add_ours(self, stack: ExitStack, store: str, url: str, helpers: Callable[[], Any]) -> None:
        server = stack.enter_context(JackpotServer(self._folder / store, url, self.plan.floor, helpers))
        self.ours[store] = server
        for name in OURS:
            of, play_, flight = name.split()
            if of == store:
                hands, deep = play_ == "hands", int(flight)
                self.measures[name] = lambda hands=hands, deep=deep: self._served(  # type: ignore[misc]
                    store, hands=hands, flight=deep
                )

    def _add_postgres(self, stack: ExitStack) -> None:
        try:
            cluster = stack.enter_context(Postgres(self._folder / "cluster"))
        except EnginesMissing as error:
            self.skipped["postgres"] = str(error)
            return
        inside = Cluster(lambda: cluster_cleanup.inside(cluster.data))
        self._add_ours(stack, "postgres", cluster.create("ledger"), inside.pids)
        self._other = cluster.create("other")
        self.setup |= asyncio.run(_prepare(self._other))
        for clients in FUNCTION_CLIENTS:
            self.measures[f"function {clients}"] = lambda clients=clients: self._called(  # type: ignore[misc]
                clients, inside
            )

    def _add_redis(self, stack: ExitStack) -> None:
        settings = {"appendonly": "yes", "appendfsync": "always", "auto-aof-rewrite-percentage": "0"}
        try:
            program = any_program()
        except EnginesMissing as error:
            self.skipped["redis"] = str(error)
            return
        server = stack.enter_context(RedisServer(self._folder / "redis", program, settings))
        info = server.command("INFO", "server")
        self.setup["redis"] = info.get("valkey_version") or info["redis_version"]
        script = server.command("SCRIPT", "LOAD", (_HERE / "frame.lua").read_text()).decode()
        side = Cluster(lambda: [server.pid])
        for kind in ("redis-py", "redis"):
            self.measures[kind] = lambda kind=kind: self._loaded(  # type: ignore[misc]
                self._job(kind, port=server.port, script=script, run=self._next_run()), side
            )
        benchmark = program.with_name(program.name.replace("-server", "-benchmark"))
        if not benchmark.exists():
            self.skipped["redis-benchmark"] = f"there is no {benchmark}"
            return
        for name, flight in (("redis-benchmark", 1), ("redis-benchmark 8", DEEP)):
            self.measures[name] = lambda flight=flight: self._benchmarked(  # type: ignore[misc]
                [str(benchmark), "-p", str(server.port), "-P", str(flight)], script, side
            )

    # Measurements.

    def _job(self, kind: Any, **facts: Any) -> Job:
        plan = self.plan
        warm = min(WARM_S, plan.seconds)
        return Job(**{"kind": kind, "clients": plan.tables, "seconds": plan.seconds, "warm": warm} | facts)

    def _calm_job(self, kind: Any, port: int, pace: int, keys: dict[str, str]) -> Job:
        floor, hands = self.plan.floor, True
        rate = floor * pace / 60
        return self._job(
            kind, clients=floor, port=port, keys=keys, hands=hands, rate=rate, seconds=self.plan.calm
        )

    def _loaded(self, job: Job, side: MeasuredSide) -> Measured:
        found, cpu = play(job, side)
        return Measured(found.frames / found.seconds, cpu / found.seconds, found.cpu / found.seconds)

    def _served(self, store: str, *, hands: bool, flight: int) -> Measured:
        """Measures our own server, with the rows and bytes of its batches."""
        server = self.ours[store]
        keys = dict(list(server.keys.items())[: self.plan.tables])
        before, written = server.batches(), server.written()
        job = self._job("table", port=server.ports["tables"], keys=keys, hands=hands, flight=flight)
        found = self._loaded(job, server)
        (rows, commits), bytes_ = server.batches(), server.written() - written
        count = max(1.0, commits - before[1])
        self._rows[store] = (rows - before[0]) / count
        if store == "sqlite":
            self._written = bytes_ / count
        return found

    def _called(self, clients: int, side: MeasuredSide) -> Measured:
        return self._loaded(
            self._job("function", clients=clients, url=self._other, run=self._next_run()), side
        )

    def _benchmarked(self, words: list[str], script: str, side: MeasuredSide) -> Measured:
        """Measures redis-benchmark by requests; its start is in its processor time, not in the rate."""
        text = payload_text(Script(0, hands=False).frame(1))
        many = max(self.plan.tables, round(REDIS_GUESS * self.plan.seconds))
        key = f"b{self._next_run()}:__rand_int__"
        words = [
            *words, "-n", str(many), "-c", str(self.plan.tables), "-r", str(self.plan.tables), "--csv",
            "EVALSHA", script, "1", key, "0", str(MORE), text,
        ]  # fmt: skip
        cpu, own, began = side.cpu(), _children(), time.perf_counter()
        done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 - Redis' own
        seconds = time.perf_counter() - began
        try:
            frames = float(done.stdout.splitlines()[-1].split('","')[1])
        except (IndexError, ValueError) as error:
            raise LoadError(f"redis-benchmark: {done.stdout or done.stderr}") from error
        return Measured(frames, used(cpu, side.cpu()) / seconds, (_children() - own) / seconds)

    def _copied(self) -> Measured:
        rows = max(1, round(self._rows["postgres"]))
        return _alone(asyncio.run(copies(self._other, rows, self.plan.seconds)), rows)

    def _flushed(self) -> Measured:
        took = flushes(self._folder / "bare", round(self._written), self.plan.seconds)
        return _alone(took, self._rows["sqlite"])

    def _next_run(self) -> int:
        """A number that no run before had, with room for its clients."""
        self._runs += 1
        return self._runs * 1000


def commit_every(floor: int, pace: float) -> float:
    """Seconds between two frames of a floor at that pace, rounds a minute; hardly two share a commit."""
    return 60 / (_FRAMES_A_ROUND * floor * pace)


def play(job: Job, side: MeasuredSide | None = None) -> tuple[LoadResult, float]:
    """Runs a job in a process of its own; and the processor seconds that the measured side used meanwhile.

    Raises LoadError.
    """
    with subprocess.Popen(
        [sys.executable, "-m", "jackpot.lab.bench.load"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None  # noqa: S101 - they are pipes
        assert process.stdout is not None  # noqa: S101
        assert process.stderr is not None  # noqa: S101
        process.stdin.write(msgspec.json.encode(job))
        process.stdin.close()
        seen = []
        while (line := process.stdout.readline()) in (b"begin\n", b"end\n"):
            seen.append(side.cpu() if side else {})
        said = process.stderr.read().decode(errors="replace").strip()
    if process.returncode:
        raise LoadError(said or "the load ended without a word")
    begin, end = seen
    return msgspec.json.decode(line, type=LoadResult), used(begin, end)


def _alone(took: list[float], rows: float) -> Measured:
    """Bare commits or flushes, counted in frames, as if each were a batch of so many rows."""
    return Measured(rows * len(took) / sum(took), 0.0, 0.0)


def _latencies(load: LoadResult) -> dict[str, float]:
    return load.latencies | {"late": load.late["p99"]}


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def _prepare(url: str) -> dict[str, Any]:
    """Sets up the other design in a database; returns the cluster's version and settings."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute((_HERE / "frame.sql").read_text())
        return dict(await connection.fetchrow(_SETTINGS) or {})
    finally:
        await connection.close()


def measure(plan: BenchPlan, progress: Callable[[str], None]) -> DiskResults:
    """Measures all rounds. Raises LoadError, EngineError, OSError."""
    rounds, latencies = [], []
    with ExitStack() as stack:
        progress(f"{plan.disk}: starting")
        course = BenchRun(plan, stack)
        for number in range(1, plan.rounds + 1):
            progress(f"{plan.disk}: round {number} of {plan.rounds}")
            rounds.append(course.round())
            if plan.calm:
                latencies.append(course.latencies())
    return DiskResults(
        plan.disk, rounds, latencies, course.skipped, msgspec.structs.asdict(plan) | course.setup
    )


def main() -> None:
    """Main function of the process: an error is one line and exit code 1."""
    plan = msgspec.json.decode(sys.stdin.buffer.read(), type=BenchPlan)
    try:
        found = measure(plan, lambda text: print(text, file=sys.stderr, flush=True))
    except (LoadError, EngineError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        sys.exit(f"not measured: {error}")
    print(msgspec.json.encode(found).decode())


if __name__ == "__main__":
    main()
