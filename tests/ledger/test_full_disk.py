"""What happens on a disk that is really full? See full_disk.py, which runs in its own mount namespace."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare (util-linux)")
def test_a_full_disk_is_doubt_and_passes(tmp_path: Path) -> None:
    """DESIGN 4: doubt at the first byte that does not fit, again while it is full, and nothing is lost."""
    namespace = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-U", "-r", "-m"]
    done = subprocess.run(
        [*namespace, sys.executable, "-m", "tests.ledger.full_disk", str(tmp_path)],
        check=False, capture_output=True, text=True, timeout=60, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("doubt:")
    assert lines[0].endswith("database or disk is full (FullError)")
    assert sum(line.startswith("still full:") for line in lines) == 3
    assert lines[-3:] == ["whole batches: True", "nothing lost: True", "goes on: True"]
