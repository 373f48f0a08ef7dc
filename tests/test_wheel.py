"""The built wheel and sdist are complete, and the wheel runs where only it is installed."""

import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from jackpot import __version__
from tests import ceilings

ROOT = Path(__file__).parent.parent
TIMEOUT_S = ceilings.PROGRAM_S  # an install may wait for the package index


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def built(made_once: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was built from that sdist."""
    folder = tmp_path_factory.mktemp("built")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def bin_folder(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a fresh environment that has the wheel and what the wheel itself asks for."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder)
    (wheel,) = built.glob("*.whl")
    # The pip of this environment works on that one. What it installs is compiled where it is used.
    pip = (sys.executable, "-m", "pip", "--python", folder / "bin/python")
    run(*pip, "install", "-q", "--no-compile", wheel, cwd=folder)
    return folder / "bin"


def test_wheel_and_sdist_carry_the_schemas_as_files(built: Path) -> None:
    """The link jackpot/schemas becomes real files in both, and both hold every one of them."""
    (sdist,) = built.glob("*.tar.gz")
    (wheel,) = built.glob("*.whl")
    schemas = {
        f"jackpot/{file.relative_to(ROOT).as_posix()}"
        for file in (ROOT / "schemas").rglob("*")
        if file.is_file()
    }
    with tarfile.open(sdist) as tar:
        files = {member.name.partition("/")[2] for member in tar if member.isfile()}
    assert schemas
    assert schemas <= files
    assert {name.removeprefix("jackpot/") for name in schemas} <= files
    with zipfile.ZipFile(wheel) as archive:
        assert schemas <= set(archive.namelist())


def test_the_wheel_runs_in_a_fresh_environment(bin_folder: Path, tmp_path: Path) -> None:
    """Its own dependencies are enough, and the catalogue is found inside the package."""
    assert run(bin_folder / "jackpot", "--version", cwd=tmp_path).split() == ["jackpot", __version__]
    assert "pa-643a-five-card-C" in run(bin_folder / "jackpot", "paytable", "list", cwd=tmp_path)


def test_the_wheel_plays(bin_folder: Path, tmp_path: Path) -> None:
    """A floor of the installed package plays and its books balance."""
    said = run(bin_folder / "jackpot", "demo", "--rounds", "20", "--seed", "1", cwd=tmp_path)
    assert "books balance" in said.splitlines()[-1]
