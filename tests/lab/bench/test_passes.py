"""A flush can be made slower; where it cannot, the bench says why."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from jackpot.lab.bench.passes import ShimError, compiled, filesystem

FLUSHED = """
import os, sys, time
file = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
began = time.monotonic_ns()
for _ in range(20):
    os.fdatasync(file)
    os.fsync(file)
print(time.monotonic_ns() - began)
"""


def test_each_flush_takes_a_millisecond_longer(tmp_path: Path) -> None:
    """Bench: 40 flushes sleep for 40 ms at least, which no machine's mood can make shorter."""
    shim = compiled(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", FLUSHED, str(tmp_path / "file")],
        env={**os.environ, "LD_PRELOAD": str(shim)},
        capture_output=True,
        check=True,
    )
    assert int(done.stdout) >= 40_000_000


def test_without_a_compiler_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bench: the second pass is left out, and the report says what to install."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ShimError, match="there is no C compiler: install one"):
        compiled(tmp_path)


def test_the_file_system_is_named(tmp_path: Path) -> None:
    """Bench: on tmpfs a flush costs nothing, so the report names the file system."""
    assert filesystem(Path("/proc/self")) == "proc"
    assert filesystem(tmp_path)
