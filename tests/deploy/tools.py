"""Locates Prometheus' own checkers (promtool, amtool). A missing one is a skip, and in CI a failure."""

import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests import ceilings

ROOT: Final = Path(__file__).parent.parent.parent
DEPLOY: Final = ROOT / "deploy"
TIMEOUT_S: Final = ceilings.PROGRAM_S


def tool(name: str, package: str) -> str:
    """The program's path; skips the test where it is missing, naming the Debian package."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is missing: apt-get install {package}")
    return path


def promtool(*arguments: str | Path, given: str | None = None) -> subprocess.CompletedProcess[str]:
    """Runs promtool; given: its standard input."""
    return subprocess.run(
        [tool("promtool", "prometheus"), *arguments],
        input=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
