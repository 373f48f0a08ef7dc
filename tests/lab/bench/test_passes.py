"""A flush can be made slower; where it cannot, the bench says why."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from jackpot.lab.bench.figures import DiskResults
from jackpot.lab.bench.parts import SMALL
from jackpot.lab.bench.passes import AS_IT_IS, SLOWER, ShimError, bench, compiled, filesystem
from jackpot.lab.bench.run_plan import BenchPlan

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


def test_the_second_pass_is_the_first_with_slower_flushes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bench: both measure alike; only the second has the library that delays each flush."""
    passes: list[tuple[str, bool]] = []

    def measured(_plan: BenchPlan, disk: str, more: Mapping[str, str]) -> DiskResults:
        passes.append((disk, any(Path(file).exists() for file in more.values())))
        return DiskResults(disk, [], [], {}, {})

    monkeypatch.setattr("jackpot.lab.bench.passes._pass", measured)
    plan = BenchPlan(str(tmp_path), "", 1, 0.1, 0.0)
    for slower, wanted in ((False, [(AS_IT_IS, False)]), (True, [(AS_IT_IS, False), (SLOWER, True)])):
        passes.clear()
        report = bench(plan, SMALL, ["throughput"], slower=slower)
        assert passes == wanted
        assert [each.disk for each in report.passes] == [disk for disk, _ in wanted]


def test_without_a_compiler_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bench: the second pass is left out, and the report says what to install."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ShimError, match="there is no C compiler: install one"):
        compiled(tmp_path)


def test_the_file_system_is_named(tmp_path: Path) -> None:
    """Bench: on tmpfs a flush costs nothing, so the report names the file system."""
    assert filesystem(Path("/proc/self")) == "proc"
    assert filesystem(tmp_path)
