"""Behaviour on a disk that is really full; runs full_disk*.py, each in its own mount namespace."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from jackpot.lab.testing.postgres import Postgres
from tests import ceilings

pytestmark = pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare (util-linux)")


def run(module: str, folder: Path) -> list[str]:
    """The lines that a program prints in a mount namespace of its own."""
    namespace = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-U", "-r", "-m"]
    done = subprocess.run(
        [*namespace, sys.executable, "-m", f"tests.ledger.{module}", str(folder)],
        check=False, capture_output=True, text=True, timeout=ceilings.PROGRAM_S,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_full_disk_is_doubt_and_passes(tmp_path: Path) -> None:
    """DESIGN 4: doubt at the first byte that does not fit, again while it is full, and nothing is lost."""
    lines = run("full_disk", tmp_path)
    assert lines[0].startswith("doubt:")
    assert lines[0].endswith("database or disk is full (FullError)")
    assert sum(line.startswith("still full:") for line in lines) == 3
    assert lines[-3:] == ["whole batches: True", "nothing lost: True", "goes on: True"]


def test_a_full_disk_under_postgresql_is_doubt_and_passes(tmp_path: Path, postgres: Postgres) -> None:
    """DESIGN 4: the same, whether PostgreSQL refuses a row or falls and is started again by its keeper."""
    lines = run("full_disk_postgres", tmp_path)
    assert lines[0].startswith("doubt:")
    assert lines[1] == "acknowledged: True"
    assert sum(line.startswith(("still full:", "still room for an epoch: True")) for line in lines) == 3
    assert lines[-3:] == ["whole batches: True", "nothing lost: True", "goes on: True"]


def test_a_snapshot_that_finds_the_disk_full_costs_nothing(tmp_path: Path) -> None:
    """DESIGN 5, S5: it only spares a replay: no answer is lost, and the next one that fits is saved."""
    lines = run("full_disk_snapshot", tmp_path)
    assert sum(line.startswith("doubt:") and line.endswith("is full (FullError)") for line in lines) == 2
    assert lines[-4:] == ["doubts: 2", "every round is there: True", "problems: 0", "snapshots: True"]
