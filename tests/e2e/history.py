"""Locates the previous version of the program, and makes an environment that starts it.

That is the newest release, a tag `v*`. Before the first release it is the one of the newest
commit that made the golden ledger of this version again. That is done with each change of a format
(`tests/ledger/golden.py`), so that commit is the oldest whose ledgers this program has to read. Both are in
every clone that has the branch's history.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from jackpot import __version__
from tests import ceilings

ROOT: Final = Path(__file__).parent.parent.parent
GOLDEN: Final = f"tests/ledger/golden/{__version__}.db"
WITHIN_S: Final = ceilings.PROGRAM_S
# Where the history is, for a copy of the tree that has none: .ci/run makes such a copy.
HISTORY: Final = "JACKPOT_HISTORY"


def before(folder: Path) -> dict[str, str]:
    """Writes the previous version into a folder; returns the environment that starts it.

    Skips the test where there is no history.
    """
    history = Path(os.environ.get(HISTORY, ROOT / ".git"))
    if not history.exists():
        pytest.skip(f"no history in {history}: run it in a clone, or name a clone's .git in {HISTORY}")
    tags = _git(history, "tag", "--list", "v*", "--sort=-v:refname", "--merged").decode().split()
    made = ["log", "-1", "--format=%H", "--", GOLDEN]
    commit = tags[0] if tags else _git(history, *made).decode().strip()
    assert commit, f"no commit made {GOLDEN}: is the clone a shallow one?"
    # With pyproject.toml next to it the program is a checkout, which no RECORD needs to list.
    archive = _git(history, "archive", commit, "jackpot", "controllers", "schemas", "pyproject.toml")
    subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True, timeout=WITHIN_S)
    # The interpreter looks there before it looks where this program is, and not into the working folder.
    there = {"PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1"}
    found = subprocess.run(
        [sys.executable, "-c", "import jackpot; print(jackpot.__file__)"],
        env={**os.environ, **there},
        capture_output=True,
        text=True,
        check=True,
        timeout=WITHIN_S,
    )
    assert Path(found.stdout).is_relative_to(folder), found.stdout
    return there


def _git(history: Path, *words: str) -> bytes:
    command = ["git", "-c", "safe.directory=*", "--git-dir", str(history), *words]
    return subprocess.run(command, capture_output=True, check=True, timeout=WITHIN_S).stdout
