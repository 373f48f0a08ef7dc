"""Does `jackpot bench` measure what it says, and say so when it cannot?"""

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from jackpot.app import Server
from jackpot.cli.bench import show
from jackpot.lab.bench import Report, filesystem
from jackpot.lab.engines import Postgres
from jackpot.lab.load import Job, LoadError, load, percentiles
from tests.server.bed import configure, on_loop

TIMEOUT_S = 120


def bench(*options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "jackpot.cli", "bench", *map(str, options)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a short bench prints, as JSON; it leaves nothing behind."""
    folder = tmp_path_factory.mktemp("disk")
    done = bench("--runs", 2, "--seconds", 0.2, "--tables", 3, "--folder", folder, "--json")
    assert done.returncode == 0, done.stderr
    assert list(folder.iterdir()) == []
    return done.stdout


def test_a_short_bench_as_json(measured: str, tmp_path: Path) -> None:
    """Bench: server, echo and fsync in every run, medians, ratios, percentiles, the worst; as JSON."""
    found = json.loads(measured)
    assert (len(found["runs"]), found["setup"]["tables"]) == (2, 3)
    for run in (*found["runs"], found["median"]):
        for part in (run["server"], run["echo"], run["fsync"]):
            assert part["rounds"] > 0
            assert list(part["latencies"]) == ["p50", "p90", "p99", "max"]
            assert 0 < part["latencies"]["p50"] <= part["latencies"]["p99"] <= part["latencies"]["max"]
        assert run["rows"] >= 1
        assert run["bytes"] > 100 * run["rows"]
        assert run["ratios"].keys() == {
            "rounds_to_echo",
            "rounds_to_fsync",
            "answer_to_echo",
            "commit_to_fsync",
        }
    first = found["runs"][0]
    assert first["ratios"]["rounds_to_echo"] == first["server"]["rounds"] / first["echo"]["rounds"]
    worst = max(run["server"]["latencies"]["max"] for run in found["runs"])
    assert found["median"]["server"]["latencies"]["max"] == worst
    assert found["machine"]["filesystem"] == filesystem(tmp_path)


def test_a_table_for_people(measured: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Bench: a table of the three, and the ratios in words."""
    show(msgspec.json.decode(measured, type=Report))
    said = capsys.readouterr().out
    for words in ("medians of 2 runs", "server", "echo", "fsync", "the server plays ", "a commit: "):
        assert words in said


def test_on_postgresql(postgres: Postgres, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Bench: the ledger in a PostgreSQL that is gone afterwards, and bare commits of it."""
    done = bench("--runs", 1, "--seconds", 0.2, "--tables", 3, "--folder", tmp_path, "--postgres", "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(f"starting PostgreSQL {postgres.programs.version} in {tmp_path}/")
    assert list(tmp_path.iterdir()) == []
    found = msgspec.json.decode(done.stdout, type=Report)
    (run,) = found.runs
    assert run.postgres is not None
    assert run.ratios["rounds_to_postgres"] == run.server.rounds / run.postgres.rounds
    assert run.ratios["commit_to_postgres"] > 0
    assert run.bytes > 100 * run.rows
    assert found.machine["postgresql"].startswith(str(postgres.programs.version))
    assert (found.setup["synchronous"], found.setup["fsync"], found.setup["standbys"]) == ("on", "on", "")
    show(found)
    said = capsys.readouterr().out
    assert "beside bare commits of PostgreSQL: " in said
    assert "SQLite" not in said


def test_a_database_for_the_bench_is_empty(postgres: Postgres, database: str, tmp_path: Path) -> None:
    """Bench: an empty database serves; rounds of a bench never come into a ledger that is there."""
    options = ("--runs", 1, "--seconds", 0.1, "--tables", 1, "--folder", tmp_path, "--ledger")
    url = postgres.create("bench")
    done = bench(*options, url)
    assert done.returncode == 0, done.stderr
    for full in (url, database):
        refused = bench(*options, full)
        assert refused.returncode == 1
        assert refused.stderr == "not measured: the database is not empty: give the bench one of its own\n"
    postgres.drop("bench")
    gone = bench(*options, url)
    assert gone.returncode == 1
    assert gone.stderr.startswith("not measured: ")
    assert "Traceback" not in gone.stderr
    both = bench(*options, url, "--postgres")
    assert both.returncode == 1


def test_where_nothing_can_be_measured(tmp_path: Path) -> None:
    """One clear line and a non-zero exit."""
    done = bench("--runs", 1, "--folder", tmp_path / "nowhere")
    assert done.returncode == 1
    assert done.stderr.startswith("not measured: ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("link", "said"), [("floor-five", None), ("another", "T01: unknown_link")])
def test_a_refused_load_is_no_measurement(tmp_path: Path, link: str, said: str | None) -> None:
    """Bench: every frame must be accepted; a refusal ends it, and says which."""

    @on_loop
    async def run() -> None:
        config = configure(tmp_path)
        keys = {"T01": config.keys["table", "T01"][0].hex()}
        async with Server(config) as server:
            job = Job("127.0.0.1", server.ports["tables"], link, keys, 0.1, 0.0, echo=False)
            if said is None:
                assert (await load(job)).rounds > 0
            else:
                with pytest.raises(LoadError, match=said):
                    await load(job)

    run()


def test_percentiles_are_measured_values() -> None:
    """Nearest rank: no percentile is a time that nobody waited."""
    assert percentiles([3.0, 1.0, 2.0]) == {"p50": 2.0, "p90": 3.0, "p99": 3.0, "max": 3.0}
    assert percentiles([float(number) for number in range(1, 101)]) == {
        "p50": 50.0,
        "p90": 90.0,
        "p99": 99.0,
        "max": 100.0,
    }
    with pytest.raises(LoadError, match="nothing was measured"):
        percentiles([])
