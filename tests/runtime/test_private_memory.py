"""The memory of a process that has a key is its own."""

import os
import subprocess
import sys
from typing import Final

import pytest

from tests import ceilings

_PROGRAM: Final = """
import os, resource
from pathlib import Path
from jackpot.runtime.private_memory import is_private, make_private
print(is_private())
make_private()
print(is_private(), resource.getrlimit(resource.RLIMIT_CORE))
child = os.fork()
if not child:
    os._exit(not is_private())
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), Path("/proc/self/stat").exists(), flush=True)
input()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has it")
def test_a_process_makes_itself_private() -> None:
    """Y9: no core is dumped, and no other process of its user reads its memory; a fork is as private."""
    with subprocess.Popen(
        [sys.executable, "-c", _PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "False\n"
        assert process.stdout.readline() == "True (0, 0)\n"
        assert process.stdout.readline() == "0 True\n"
        if os.geteuid() != 0:  # root may read all
            with pytest.raises(PermissionError):
                open(f"/proc/{process.pid}/mem", "rb")  # noqa: PTH123, SIM115 - it must not open
        process.communicate("\n", timeout=ceilings.PROGRAM_S)
    assert process.returncode == 0
