"""Does every import go downwards? cli > lab > app > web > server > books | odds > ledger > config > rules."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_imports_go_down_the_layers() -> None:
    """The contracts in pyproject.toml: the layers, controllers without jackpot, rules without the wire."""
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
