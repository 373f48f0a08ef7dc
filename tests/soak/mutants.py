"""Which planted faults would no quick test find? By hand: `python -m tests.soak mutants --times 200`.

mutmut makes every small change of the money path that it knows (a comparison turned, a number off by one, an
argument left out) and learns which tests call which function. A sample of them is planted, one at a time, and
judged by those tests. What no test notices is listed with its change: it wants a test, or a word on why it
changes nothing. `pip install 'jackpot[mutants]'` brings mutmut; pyproject.toml says what it may change and
which tests judge.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Final

ROOT: Final = Path(__file__).parents[2]
SURVIVED: Final = "survived"
# mutmut cannot make its mutants without judging one: a small module's few come first.
FIRST: Final = "jackpot.rules.money.*"
# Plain lines, none broken, for this program to read.
QUIET: Final = {"NO_COLOR": "1", "COLUMNS": "160"}


def soak(times: int, seed: int, only: str) -> int:
    """Plants `times` faults whose names match `only`; 1 where one survived."""
    if shutil.which("mutmut") is None and not (Path(sys.executable).parent / "mutmut").exists():
        print("mutmut is missing: pip install 'jackpot[mutants]'")
        return 1
    with tempfile.TemporaryDirectory(prefix="mutants-") as place:
        copy = _copy(Path(place) / "tree")
        print("making the mutants and running every judging test once: some minutes")
        _mutmut(copy, "run", FIRST)
        names = [name for name in _results(copy) if only in name]
        chosen = Random(seed).sample(sorted(names), min(times, len(names)))
        print(f"{len(names):,} mutants; planting {len(chosen)}")
        _mutmut(copy, "run", *chosen)
        judged = {name: verdict for name, verdict in _results(copy).items() if name in set(chosen)}
        for name, verdict in sorted(judged.items()):
            if verdict == SURVIVED:
                print(_mutmut(copy, "show", name))
        counts = {verdict: list(judged.values()).count(verdict) for verdict in sorted(set(judged.values()))}
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return 1 if SURVIVED in counts else 0


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


def _mutmut(copy: Path, *arguments: str) -> str:
    """What one call of mutmut printed. Raises CalledProcessError with its last words on the terminal."""
    ran = subprocess.run(
        [sys.executable, "-m", "mutmut", *arguments],
        cwd=copy,
        env={**os.environ, **QUIET},
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode != 0:
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
