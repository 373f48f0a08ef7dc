"""No split brain when the network between servers, database and Redis is really cut; see cuts.py."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests import ceilings

# Debian has some of these where only root looks.
PATH: Final = f"{os.environ['PATH']}:/usr/sbin:/sbin"
TOOLS: Final = ("unshare", "nft", "ip", "redis-server")
MISSING: Final = [tool for tool in TOOLS if shutil.which(tool, path=PATH) is None]


@pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}")
def test_no_two_servers_answer_for_one_bank_however_the_network_is_cut(tmp_path: Path) -> None:
    """S5, lease: cut off in both directions or in one, silently or told so; the floor plays on each time."""
    cases = ["holder-database:drop", "holder-database:from", "standby-database:reject", "holder-redis:drop"]
    namespace = ["unshare", "--user", "--map-root-user", "--net"]
    done = subprocess.run(
        [*namespace, sys.executable, "-m", "tests.e2e.cuts", str(tmp_path), *cases],
        check=False, capture_output=True, text=True, timeout=ceilings.PROGRAM_S,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PATH": PATH},
    )  # fmt: skip
    print(done.stdout)
    assert done.returncode == 0, done.stderr
    assert [line.partition(": ")[0] for line in done.stdout.splitlines()[:-1]] == cases
