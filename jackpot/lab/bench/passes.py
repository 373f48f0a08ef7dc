"""The two passes of the bench: on this disk as it is, and with each flush about a millisecond slower.

Some disks acknowledge a flush in less time than any disk needs that survives a power cut. What is fast on
those alone shows in the second pass.
"""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from jackpot import __version__
from jackpot.lab.bench.figures import BenchReport, DiskResults
from jackpot.lab.bench.growth import growth
from jackpot.lab.bench.load import LoadError
from jackpot.lab.bench.parts import Sizes, fan, latency, waiting
from jackpot.lab.bench.run_plan import BenchPlan

AS_IT_IS: Final = "the disk as it is"
NOT_ASKED_FOR: Final = "it was not asked for"
SLOWER: Final = "each flush 1 ms slower"
_SHIM: Final = Path(__file__).with_name("slow_flush.c")


class ShimError(Exception):
    """No flush can be made slower here; the text says why."""


def bench(plan: BenchPlan, sizes: Sizes, parts: Collection[str], *, slower: bool) -> BenchReport:
    """Runs the wanted PARTS; their progress goes to standard error. Raises LoadError, LedgerError."""
    folder = Path(plan.folder)
    report = BenchReport(_machine(folder), [], NOT_ASKED_FOR)
    if "throughput" in parts:
        report = _throughput(plan, report.machine, slower=slower)
    if {"idle", "crowd"} & {*parts}:
        found = waiting(folder, sizes, _say)
        report.sheets.update({part: sheet for part, sheet in found.items() if part in parts})
    if "latency" in parts:
        report.sheets["latency"] = latency(folder, sizes, _say)
    if "fan" in parts:
        report.sheets["fan"] = fan(folder, sizes, _say)
    if "growth" in parts:
        report.sheets.update(growth(folder, sizes, _say))
    return report


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _throughput(plan: BenchPlan, machine: dict[str, Any], *, slower: bool) -> BenchReport:
    """The throughput of both passes, or of the first alone."""
    folder = Path(plan.folder)
    passes, skipped = [_pass(plan, AS_IT_IS, {})], "" if slower else NOT_ASKED_FOR
    if slower:
        try:
            shim = compiled(folder)
        except ShimError as error:
            skipped = str(error)
        else:
            passes.append(_pass(plan, SLOWER, {"LD_PRELOAD": str(shim)}))
    return BenchReport(machine, passes, skipped)


def compiled(folder: Path) -> Path:
    """Compiles the library to preload into the folder. Raises ShimError."""
    compiler = shutil.which("cc")
    if compiler is None:
        raise ShimError("there is no C compiler: install one (Debian: apt-get install gcc libc6-dev)")
    shim = folder / "slow_flush.so"
    words = [compiler, "-shared", "-fPIC", "-O2", "-o", str(shim), str(_SHIM), "-ldl"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 - our own file
    if done.returncode:
        raise ShimError(f"cc: {done.stderr.strip().splitlines()[-1]}")
    return shim


def _pass(plan: BenchPlan, disk: str, more: Mapping[str, str]) -> DiskResults:
    folder = Path(plan.folder) / "pass"  # short, for sockets are in it
    folder.mkdir()
    job = msgspec.structs.replace(plan, folder=str(folder), disk=disk)
    done = subprocess.run(
        [sys.executable, "-m", "jackpot.lab.bench.run_plan"],
        input=msgspec.json.encode(job),
        stdout=subprocess.PIPE,
        env={**os.environ, **more},
        check=False,
    )
    shutil.rmtree(folder, ignore_errors=True)
    if done.returncode:
        raise LoadError(f"{disk}: it ended before it was measured")
    return msgspec.json.decode(done.stdout, type=DiskResults)


def _machine(folder: Path) -> dict[str, Any]:
    return {
        "jackpot": __version__,
        "python": f"{platform.python_version()} of {sys.base_prefix}",  # two builds of one may differ by half
        "system": platform.platform(),
        "processors": len(os.sched_getaffinity(0)),
        "load": os.getloadavg()[0],
        "filesystem": filesystem(folder),
    }


def filesystem(folder: Path) -> str:
    """Kind of the file system of a folder: on tmpfs a flush costs nothing, and measures nothing."""
    mounts = [line.split()[1:3] for line in Path("/proc/self/mounts").read_text().splitlines()]
    above = {str(path) for path in (folder.resolve(), *folder.resolve().parents)}
    return max((mount for mount in mounts if mount[0] in above), key=lambda mount: len(mount[0]))[1]
