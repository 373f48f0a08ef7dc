"""The import layers: every import goes downwards, and jackpot/README.md draws them as they are enforced."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from tests import ceilings

ROOT = Path(__file__).parent.parent


def test_imports_go_down_the_layers() -> None:
    """The contracts of pyproject.toml: layers, controllers without jackpot, rules without the protocol."""
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=ceilings.PROGRAM_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_of_the_house_has_the_layers() -> None:
    """jackpot/README.md lists the layers of the contract, from top to bottom."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]
    page = (ROOT / "jackpot" / "README.md").read_text().partition("## Layers")[2]
    drawn = [re.split(r" {2,}", line.strip())[0] for line in page.splitlines() if line.startswith("    ")]
    layers = [layer.replace("(", "").replace(")", "") for layer in contract["layers"]]
    assert drawn[: len(layers)] == layers
