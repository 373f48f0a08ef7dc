"""The runbook's installation, run as written, ends with a server that serves.

What differs here: the folders are the test's own, every port is free, nobody is added to this machine, the
program is not installed again (`test_wheel.py` does that), and `systemctl` starts nothing: this test does.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.cli.test_users import FIRST
from tests.deploy.test_runbook import commands
from tests.deploy.tools import DEPLOY, ROOT, TIMEOUT_S
from tests.e2e.site import Program

# The folders of the machine that the install writes to, and what they are called here.
PLACES: Final = ("/etc/jackpot", "/etc/systemd/system", "/var/lib/jackpot", "/usr/local/bin", "/opt")
# What would change this machine: each is a program that does nothing.
LEFT_OUT: Final = ("apt-get", "useradd", "chgrp", "systemctl", "journalctl")
OWNERS: Final = " -o jackpot -g jackpot"


class Machine:
    """A new machine, simulated in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.programs = folder / "usr/local/bin"
        for there in (
            self.programs,
            folder / "etc/systemd/system",
            folder / "var/lib",
            folder / "opt/jackpot/bin",
        ):
            there.mkdir(parents=True)
        for name in LEFT_OUT:
            self._program(self.programs / name, "#!/bin/sh\n")
        self._program(
            folder / "opt/jackpot/bin/jackpot", f'#!/bin/sh\nexec {sys.executable} -m jackpot.cli "$@"\n'
        )

    def run(self, line: str, typed: str = "") -> None:
        """Runs one line of the runbook."""
        path = f"{self.programs}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-euc", self.here(line).replace(OWNERS, "").replace("SOURCE", str(ROOT))],
            input=typed,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_S,
            env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
        )
        assert done.returncode == 0, f"{line}: {done.stdout}{done.stderr}"

    def write(self, place: str, lines: list[str]) -> None:
        """Writes a script that the runbook shows, without its change of user."""
        text = "\n".join(lines).replace("runuser -u jackpot -- ", "")
        self._program(self.folder / place[1:], self.here(text) + "\n")

    def here(self, text: str) -> str:
        """The same with this machine's folders."""
        return re.sub(rf"(?<![\w.])({'|'.join(PLACES)})\b", rf"{self.folder}\1", text)

    @staticmethod
    def _program(file: Path, text: str) -> None:
        file.write_text(text)
        file.chmod(0o755)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_the_install_of_the_runbook(machine: Machine) -> None:
    """Runbook: every line as root without sudo; the check finds nothing, two people are there, it serves."""
    program, (*script,), config, keys, check, start = commands("Install")
    for line in program:
        if not line.startswith(("/usr/bin/python3 -m venv", "/opt/jackpot-1/bin/pip", "ln -sfn")):
            machine.run(line)
    machine.write("/usr/local/bin/jackpot", script)
    for line in config:
        machine.run(line)
    file = machine.folder / "etc/jackpot/config.toml"
    assert oct(file.stat().st_mode) == "0o100640"
    file.write_text(re.sub(r'"127\.0\.0\.1:\d+"', '"127.0.0.1:0"', machine.here(file.read_text())))
    for line in keys:
        machine.run(line)
    machine.run(check[0])
    machine.run(check[1], typed=FIRST)
    for line in start:
        machine.run(line)
    assert (machine.folder / "etc/systemd/system/jackpot.service").exists()
    server = Program(file, "serve")
    try:
        server.start()
        assert (machine.folder / "var/lib/jackpot/ledger.db").exists()
    finally:
        server.stop()


def test_nothing_asks_for_sudo() -> None:
    """Deploy: Debian has none unless somebody installs it; each page says that it is for root's shell."""
    pages = list(DEPLOY.rglob("*.md"))
    assert not [file.name for file in pages if re.search(r"(?m)^    .*\bsudo ", file.read_text())]
