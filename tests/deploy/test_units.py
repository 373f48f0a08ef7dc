"""Container image, compose project and systemd unit run the server with least privilege."""

import re
import secrets
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from jackpot.app import STOP_WITHIN_S
from jackpot.config import load
from jackpot.net.device_listeners import CLOSE_WITHIN_S
from tests.deploy.tools import DEPLOY, ROOT, TIMEOUT_S, tool

UNIT: Final = DEPLOY / "jackpot.service"
SIGNAGE: Final = DEPLOY / "jackpot-signage@.service"
BACKUP: Final = DEPLOY / "jackpot-backup.service"
VERIFY: Final = DEPLOY / "jackpot-verify.service"
TIMED: Final = (BACKUP, VERIFY)
UNITS: Final = pytest.mark.parametrize("unit", [UNIT, SIGNAGE, *TIMED], ids=lambda unit: unit.stem)
# systemd's own scale from 0 (nothing is open to it) to 10; what is below 2 it calls OK.
EXPOSURE_MAX: Final = 2.0


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)


def installed(name: str) -> str:
    """A program that the test environment brings along."""
    path = shutil.which(name, path=Path(sys.executable).parent)
    if path is None:
        pytest.skip(f"{name} is missing: pip install '.[test]'")
    return path


def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    return found


def runnable(unit: Path, folder: Path) -> Path:
    """The unit, of an instance, with a program that is there in place of /opt/jackpot."""
    program = shutil.which("true") or "/bin/true"
    file = folder / unit.name.replace("@", "@hall")
    file.write_text(unit.read_text().replace("/opt/jackpot/bin/jackpot", program))
    return file


def setting(name: str, unit: Path = UNIT) -> str:
    (value,) = re.findall(rf"(?m)^{name}=(.*)$", unit.read_text())
    return str(value)


def test_the_dockerfile() -> None:
    """Deploy: hadolint has nothing to say; what is copied is there, and let through to the build."""
    checked = run(installed("hadolint"), DEPLOY / "Dockerfile")
    assert (checked.returncode, checked.stdout) == (0, "")
    copies = re.findall(r"(?m)^COPY (?!--from)(.+) \S+$", (DEPLOY / "Dockerfile").read_text())
    sources = {source for line in copies for source in line.split()}
    assert sources
    assert all((ROOT / source).exists() for source in sources)
    let_through = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    assert {line[1:] for line in let_through if line.startswith("!")} == sources
    assert "*" in let_through


def test_compose() -> None:
    """Deploy: the compose specification accepts it; images have versions, ports are this machine's."""
    schema = ["--builtin-schema", "vendor.compose-spec"]
    checked = run(installed("check-jsonschema"), *schema, DEPLOY / "compose.yaml")
    assert checked.returncode == 0, checked.stdout
    for name, service in services().items():
        assert all(port.startswith("127.0.0.1:") for port in service["ports"]), name
        assert service["cap_drop"] == ["ALL"]
        assert name == "jackpot" or re.search(r":v?\d+\.\d+\.\d+$", service["image"])
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            assert not source.startswith(".") or (DEPLOY / source).is_dir()


def test_the_site_of_compose(tmp_path: Path) -> None:
    """Deploy: its configuration is good; its ports are published, its ledger is on a volume."""
    file = Path(shutil.copy(DEPLOY / "site" / "config.toml", tmp_path))
    (tmp_path / "keys").mkdir()
    for key in re.findall(r'(?m)^key_file = "(.+?)"', file.read_text()):
        (tmp_path / key).touch(0o600)
        (tmp_path / key).write_text(secrets.token_hex(32))
    config = load(file)
    listen = config.listen
    ports = {str(address.port) for address in (listen.tables, listen.signs, listen.http) if address}
    assert {port.split(":")[2] for port in services()["jackpot"]["ports"]} == ports
    exposed = re.findall(r"(?m)^EXPOSE (.+)$", (DEPLOY / "Dockerfile").read_text())
    assert set(exposed[0].split()) == ports
    assert config.ledger.url.startswith("sqlite:////var/lib/jackpot/")
    assert "ledger:/var/lib/jackpot" in services()["jackpot"]["volumes"]
    scraped = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())["scrape_configs"]
    assert scraped[0]["static_configs"] == [{"targets": [f"jackpot:{listen.http and listen.http.port}"]}]


@UNITS
def test_systemd_accepts_the_unit(unit: Path, tmp_path: Path) -> None:
    """Deploy: every setting of the unit is one that systemd knows; of its timer too, where it has one."""
    file = runnable(unit, tmp_path)
    if unit in TIMED:
        file = Path(shutil.copy(unit.with_suffix(".timer"), tmp_path))
    checked = run(tool("systemd-analyze", "systemd"), "verify", file)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


@UNITS
def test_the_unit_is_hardened(unit: Path, tmp_path: Path) -> None:
    """Deploy: by systemd's own reckoning little of the machine is open to the server."""
    judged = run(tool("systemd-analyze", "systemd"), "security", "--offline=true", runnable(unit, tmp_path))
    exposure = re.search(r"exposure level for jackpot\S*.service: ([\d.]+)", judged.stdout)
    assert exposure is not None, judged.stderr
    assert float(exposure[1]) < EXPOSURE_MAX


def allowed(unit: Path) -> set[str]:
    """The system calls that the unit's filter lets through: each line adds some, or takes some away."""
    calls: set[str] = set()
    for line in re.findall(r"(?m)^SystemCallFilter=(.*)$", unit.read_text()):
        names = line.removeprefix("~").split()
        while groups := [name for name in names if name.startswith("@")]:
            told = run(tool("systemd-analyze", "systemd"), "syscall-filter", *groups).stdout
            names = [name for name in names if name not in groups] + re.findall(r"(?m)^ +([@a-z]\S*)$", told)
        calls = calls - set(names) if line.startswith("~") else calls | set(names)
    return calls


def test_the_unit_lets_the_lab_go_behind_the_tables() -> None:
    """Deploy: a process may lower its own priority; other calls that move resources stay forbidden."""
    calls = allowed(UNIT)
    assert {"setpriority", "nice", "prctl", "prlimit64", "read", "execve"} <= calls
    assert not {"setrlimit", "ioprio_set", "sched_setscheduler", "chroot"} & calls


def test_a_stop_has_the_time_that_it_needs() -> None:
    """DESIGN: a graceful stop, with a slow disk, is over before anybody kills it."""
    needed = STOP_WITHIN_S + CLOSE_WITHIN_S
    assert float(setting("TimeoutStopSec")) > needed
    assert float(setting("TimeoutStopSec", SIGNAGE)) > CLOSE_WITHIN_S
    assert float(services()["jackpot"]["stop_grace_period"].removesuffix("s")) > needed


def test_the_units_commands_are_ours() -> None:
    """Deploy: what the unit and the image start is a command line that `jackpot` knows."""
    help_text = run(sys.executable, "-m", "jackpot.cli", "serve", "--help").stdout
    assert "JACKPOT_CONFIG" in help_text
    for unit in (UNIT, SIGNAGE):
        assert setting("Environment", unit) == "JACKPOT_CONFIG=/etc/jackpot/config.toml"
    assert setting("ExecStart", SIGNAGE).split()[1:] == ["signage", "--id", "%i"]
    assert "JACKPOT_CONFIG" in run(sys.executable, "-m", "jackpot.cli", "signage", "--help").stdout
    for unit in TIMED:
        assert setting("Environment", unit) == "JACKPOT_CONFIG=/etc/jackpot/config.toml"
    assert setting("ExecStart").endswith("jackpot serve")
    assert setting("ExecStartPre").split()[1:3] == ["config", "check"]


def test_the_readme_names_every_part() -> None:
    """Deploy: a person who opens the folder learns what each file is for."""
    text = (DEPLOY / "README.md").read_text()
    for file in sorted(DEPLOY.rglob("*")):
        if file.is_file() and file.name not in {"README.md", "grafana-password"} and "keys" not in file.parts:
            assert f"`{file.relative_to(DEPLOY)}`" in text, file


def test_no_core_and_no_swap_holds_a_running_trigger() -> None:
    """Y9: what the server keeps in its memory alone reaches no disk; its witness may be written (Y8)."""
    assert (setting("LimitCORE"), setting("MemorySwapMax")) == ("0", "0")
    assert setting("ReadWritePaths") == "-/etc/jackpot/mystery"
