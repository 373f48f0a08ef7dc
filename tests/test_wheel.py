"""The built wheel and sdist are complete, and the wheel runs where only it is installed."""

import json
import re
import signal
import subprocess
import sys
import tarfile
import venv
import zipfile
from contextlib import closing
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path

import pytest

from jackpot import __version__
from tests import ceilings
from tests.running_server import configure

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


def test_the_wheel_says_which_program_it_is(bin_folder: Path, tmp_path: Path) -> None:
    """S3: what was installed is what the wheel's own list of files says, and its digest is told."""
    said = run(bin_folder / "jackpot", "about", cwd=tmp_path)
    assert f"jackpot {__version__}" in said
    assert re.search(r"\b[0-9a-f]{64}\b", said)


def test_the_wheel_serves(bin_folder: Path, tmp_path: Path) -> None:
    """S3: a server of the installed package starts with a proved program, answers, and stops when told."""
    config = configure(tmp_path)
    serve = [str(bin_folder / "jackpot"), "serve", "--config", str(config.path)]
    with subprocess.Popen(serve, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as server:
        assert server.stderr is not None
        lines = []
        for line in server.stderr:
            lines.append(json.loads(line))
            if lines[-1]["event"] == "serving":
                break
        assert lines[-1]["event"] == "serving", lines
        assert not {"program_unlisted", "program_differs"} & {line["event"] for line in lines}
        with closing(HTTPConnection("127.0.0.1", lines[-1]["http"], timeout=TIMEOUT_S)) as web:
            web.request("GET", "/readyz")
            assert web.getresponse().status == HTTPStatus.OK
        server.send_signal(signal.SIGTERM)
        _, rest = server.communicate(timeout=TIMEOUT_S)
    assert server.returncode == 0
    assert json.loads(rest.splitlines()[-1])["event"] == "stopped"


def test_the_wheel_plays(bin_folder: Path, tmp_path: Path) -> None:
    """A floor of the installed package plays and its books balance."""
    said = run(bin_folder / "jackpot", "demo", "--rounds", "20", "--seed", "1", cwd=tmp_path)
    assert "books balance" in said.splitlines()[-1]
