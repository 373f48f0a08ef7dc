"""A test run that leaves something behind fails; one that uses PostgreSQL leaves nothing."""

import mmap
import os
import signal
import subprocess
import sys
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

import pytest

from jackpot.lab.testing.postgres import Postgres
from tests import ceilings, leftovers

ROOT: Final = Path(__file__).parent.parent.parent
TIMEOUT_S: Final = ceilings.PROGRAM_S

LEAVES: Final = """
import subprocess

def test_leaves(tmp_path):
    "Leaves a process."
    subprocess.Popen(["sleep", "60"], cwd=tmp_path, start_new_session=True).returncode = 0
"""
USES: Final = """
import pytest


@pytest.mark.parametrize("number", range(3))
def test_uses(number, database):
    "Has a database."
    assert database.endswith(f"/test_{number + 1}")
"""


def run(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """A run of its own, with what holds for every test."""
    (folder / "test_inner.py").write_text(text)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.conftest",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
    ]
    return subprocess.run(
        [*command, f"--basetemp={folder / 'temp'}", f"--rootdir={folder}", str(folder / "test_inner.py")],
        cwd=ROOT,
        env=os.environ | {"PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )


def test_a_process_that_is_left_fails_the_run(tmp_path: Path) -> None:
    """The check could not pass for nothing: what is left is named, and the exit says so."""
    done = run(tmp_path, LEAVES)
    (line,) = (line for line in done.stdout.splitlines() if "left behind: process " in line)
    os.kill(int(line.partition("left behind: process ")[2].split()[0]), signal.SIGKILL)
    assert done.returncode == 1
    assert "1 passed" in done.stdout


def test_memory_in_use_is_not_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another run on this machine has clusters of its own; their memory is left once nobody uses it."""
    monkeypatch.setattr(leftovers, "ENDS_S", 0.0)
    with NamedTemporaryFile(prefix="PostgreSQL.", dir="/dev/shm") as file:
        file.truncate(mmap.PAGESIZE)
        before = leftovers.shared_memory() - {file.name}
        with mmap.mmap(file.fileno(), mmap.PAGESIZE):
            assert file.name not in leftovers.until_nothing_is_left(tmp_path, before)
        assert file.name in leftovers.until_nothing_is_left(tmp_path, before)


def test_clusters_end_with_the_run(postgres: Postgres, tmp_path: Path) -> None:
    """The fixtures' cluster is stopped and removed before the run is looked at."""
    done = run(tmp_path, USES)
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout
    assert not list((tmp_path / "temp").rglob("PG_VERSION"))
