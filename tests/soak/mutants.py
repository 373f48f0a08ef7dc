"""Mutation testing of the money path. By hand: `python -m tests.soak mutants --only rules`.

mutmut makes every small change of a part of the money path that it knows (a comparison turned, a number off
by one, an argument left out) and learns which of the part's tests call which function. A sample of them is
planted, one at a time, and judged by those tests. What no test notices is listed with its change: it wants a
test, or a word on why it changes nothing. `pip install 'jackpot[mutants]'` brings mutmut.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
SURVIVED: Final = "survived"
# mutmut cannot only make its mutants: it makes all before it looks for one, that is none.
NONE: Final = "none.of.them"


class Part(NamedTuple):
    """A part of the code that is mutated, and the quick tests that must notice."""

    changed: str
    judged_by: tuple[str, ...]


PARTS: Final = {
    "rules": Part(
        "jackpot/rules/*.py",
        ("tests/rules", "tests/ledger/maintenance/test_join.py", "tests/ledger/test_forged.py"),
    ),
    "controllers": Part("controllers/*.py", ("tests/controllers",)),
    "ledger": Part("jackpot/ledger/*.py", ("tests/ledger",)),
    "rounds": Part("jackpot/rules/rounds/*.py", ("tests/rules",)),
    "bank": Part("jackpot/bank/*.py", ("tests/bank", "tests/faults/test_simulation.py")),
    "auth": Part("jackpot/auth/*.py", ("tests/auth", "tests/web/test_authentication.py")),
    "net": Part("jackpot/net/*.py", ("tests/net",)),
    "publish": Part("jackpot/publish/*.py", ("tests/publish",)),
}
# These do not judge. Two and a half million hands take an hour where mutmut notes every call. Tests that
# count calls count those of mutmut, too. A heartbeat of 50 ms is missed. A program that is started apart does
# not know which fault is planted.
NOT_JUDGING: Final = ("counts_of_all", "more_work_than", "quiet_line", "command_line")
QUICK: Final = " and ".join(f"not {name}" for name in NOT_JUDGING)
# A planted endless loop fails its test then. Left to mutmut, it may run for hours: many times what all tests
# of the function take. No quick test takes a minute, also where mutmut notes each call.
HANGS_S: Final = 120
# Texts that people read and `strict=` are no faults of the money.
SETTINGS: Final = """
[tool.mutmut]
source_paths = ["jackpot", "controllers"]
only_mutate = ["{changed}"]
also_copy = ["jackpot/schemas", "schemas", "deploy", "README.md", "CHANGELOG.md", "LICENSE"]
do_not_mutate_patterns = ['strict=True', 'log\\.(info|warning|error)', '^\\s*message = ']
pytest_add_cli_args = ["-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts=", "-o", "timeout={hangs}"]
pytest_add_cli_args_test_selection = {judged_by}
"""
# Plain lines, none broken, for this program to read.
QUIET: Final = {"NO_COLOR": "1", "COLUMNS": "160"}


def soak(times: int, seed: int, only: str) -> int:
    """Plants `times` faults in each part whose name holds `only`; 1 where one survived."""
    if not (Path(sys.executable).parent / "mutmut").exists():
        print("mutmut is missing: pip install 'jackpot[mutants]'")
        return 1
    chosen = [name for name in PARTS if only in name]
    return max([_part(name, times, seed) for name in chosen], default=1)


def _part(name: str, times: int, seed: int) -> int:
    with tempfile.TemporaryDirectory(prefix="mutants-") as place:
        copy = _copy(Path(place) / "tree")
        part = PARTS[name]
        with (copy / "pyproject.toml").open("a") as settings:
            judged_by = [*part.judged_by, "-k", QUICK]
            settings.write(SETTINGS.format(changed=part.changed, judged_by=judged_by, hangs=HANGS_S))
        print(f"{name}: making the mutants and running every judging test once: some minutes", flush=True)
        _mutmut(copy, "run", NONE, check=False)
        names = sorted(_results(copy))
        sample = set(Random(seed).sample(names, min(times, len(names))))
        print(f"{name}: {len(names):,} mutants; planting {len(sample)}", flush=True)
        _mutmut(copy, "run", *sorted(sample))
        judged = {mutant: verdict for mutant, verdict in _results(copy).items() if mutant in sample}
        for mutant, verdict in sorted(judged.items()):
            if verdict == SURVIVED:
                print(_mutmut(copy, "show", mutant), flush=True)
    counts = Counter(judged.values())
    print(
        f"{name}: {', '.join(f'{count} {verdict}' for verdict, count in sorted(counts.items()))}", flush=True
    )
    return 1 if counts[SURVIVED] else 0


def _copy(place: Path) -> Path:
    """The files that git knows, as they stand."""
    known = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in known.decode().split("\0"):
        source = ROOT / name
        if not name or not source.exists():
            continue
        target = place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target, follow_symlinks=False)
    return place


def _mutmut(copy: Path, *arguments: str, check: bool = True) -> str:
    """Output of one mutmut call. Raises CalledProcessError after printing its last output."""
    ran = subprocess.run(
        [sys.executable, "-m", "mutmut", *arguments],
        cwd=copy,
        env={**os.environ, **QUIET},
        capture_output=True,
        text=True,
        check=False,
    )
    if check and ran.returncode != 0:
        print(ran.stdout[-2_000:], ran.stderr[-2_000:])
        ran.check_returncode()
    return ran.stdout


def _results(copy: Path) -> dict[str, str]:
    """Every mutant by name, and what became of it."""
    found = {}
    for line in _mutmut(copy, "results", "--all", "true").splitlines():
        name, _, verdict = line.strip().rpartition(": ")
        if name:
            found[name] = verdict
    return found
