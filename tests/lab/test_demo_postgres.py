"""`jackpot demo --postgres` brings its own database, reuses it, and leaves none running."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from jackpot.lab.testing import cluster_cleanup
from jackpot.lab.testing import postgres as engines
from jackpot.lab.testing.postgres import Postgres
from jackpot.ledger.verify.verifier import verify
from tests.lab.test_demo import DEMO, ROOT, TIMEOUT_S, demo
from tests.ledger.waiting import open_ledger


def test_two_hundred_rounds_end_with_balanced_books(postgres: Postgres, tmp_path: Path) -> None:
    """M4, S6 on PostgreSQL; and the next demo on the folder goes on with the same database."""
    done = demo("--postgres", "--rounds", "200", "--seed", "7", "--folder", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    first, *_, played, last = done.stdout.splitlines()
    assert first == f"starting PostgreSQL {postgres.programs.version} in {tmp_path}/postgres"
    assert played.startswith("200 rounds, ")
    assert last.startswith("the books balance: ")
    assert not done.stderr
    assert not cluster_cleanup.inside(tmp_path / "postgres" / "data")

    again = demo("--rounds", "24", "--folder", tmp_path)
    assert again.returncode == 0, again.stdout + again.stderr
    assert again.stdout.startswith("starting PostgreSQL ")
    assert entries(again.stdout) > entries(done.stdout)
    with Postgres(tmp_path / "postgres", keep=True) as kept:
        ledger = open_ledger(kept.url("jackpot"), readonly=True)
        assert verify(ledger, "main").head.seq == entries(again.stdout)
        ledger.close()


def entries(said: str) -> int:
    """How many the last line of a demo has verified."""
    return int(said.splitlines()[-1].removeprefix("the books balance: ").split()[0])


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_ends_postgresql_too(postgres: Postgres, tmp_path: Path, times: int) -> None:
    """Once: the books are read, exit 0. Twice: at once, and the next demo goes on. No process is left."""
    process = subprocess.Popen(
        [*DEMO, "--postgres", "--speed", "1", "--folder", tmp_path],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("starting PostgreSQL ")
    assert process.stdout.readline().startswith("a simulated floor")
    data = tmp_path / "postgres" / "data"
    assert cluster_cleanup.inside(data)
    for _ in range(times):
        process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode in ({0} if times == 1 else {0, 130}), said  # the first may have been enough
    engines._wait_until(lambda: not cluster_cleanup.inside(data), "PostgreSQL is still running")
    again = demo("--rounds", "12", "--folder", tmp_path)
    assert again.returncode == 0, again.stdout + again.stderr


def test_a_database_that_is_there(database: str, tmp_path: Path) -> None:
    """Any ledger URL: the tables and their keys are kept in the folder, the books where the URL says."""
    done = demo("--ledger", database, "--rounds", "24", "--folder", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f'url = "{database}"' in (tmp_path / "floor.toml").read_text()
    assert not (tmp_path / "postgres").exists()
    events = [json.loads(line) for line in (tmp_path / "server.log").read_text().splitlines()]
    assert "serving" in {event["event"] for event in events}


def test_simulated_money_never_comes_into_a_ledger_that_is_there(database: str, tmp_path: Path) -> None:
    """M4: a new floor refuses a ledger with data; its own folder goes on with it."""
    first = demo("--ledger", database, "--rounds", "12", "--folder", tmp_path / "own")
    assert first.returncode == 0, first.stdout + first.stderr
    foreign = demo("--ledger", database, "--rounds", "12", "--folder", tmp_path / "other")
    assert foreign.returncode == 1
    assert "is somebody's ledger, with bank main, site: give the demo an empty database" in foreign.stderr
    assert not (tmp_path / "other" / "floor.toml").exists()
    again = demo("--ledger", database, "--rounds", "12", "--folder", tmp_path / "own")
    assert again.returncode == 0, again.stdout + again.stderr


def test_one_folder_has_one_ledger(postgres: Postgres, tmp_path: Path) -> None:
    """A floor that was begun on SQLite is not gone on with on an empty PostgreSQL: one line, nothing made."""
    assert demo("--rounds", "12", "--folder", tmp_path).returncode == 0
    for option in (["--postgres"], ["--ledger", "postgresql://nobody@127.0.0.1/none"]):
        done = demo("--rounds", "12", "--folder", tmp_path, *option)
        assert done.returncode == 1
        assert "has its ledger elsewhere" in done.stderr
        assert not (tmp_path / "postgres").exists()
    both = demo("--postgres", "--ledger", "postgresql://nobody@127.0.0.1/none")
    assert both.returncode == 1
    assert "give one of them" in both.stderr


def test_no_postgresql_is_said_in_one_line(tmp_path: Path) -> None:
    """A newcomer reads what to install; nothing is left in the folder for temporary files."""
    lacking = (
        "import sys; from pathlib import Path\n"
        "from jackpot.lab.testing import postgres as engines; from jackpot.cli.__main__ import main\n"
        "engines.SYSTEM = Path('/nowhere'); engines.find_spec = lambda name: None\n"
        "sys.argv = ['jackpot', 'demo', '--postgres', '--rounds', '1']; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", lacking],
        cwd=ROOT,
        env={"PATH": str(tmp_path), "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("no PostgreSQL on this machine: ")
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())
