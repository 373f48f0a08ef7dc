"""The README's setup steps, run line by line, end with a working floor."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Final
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from tests import ceilings
from tests.cli.test_users import ANN, FIRST
from tests.controllers.test_readme import play
from tests.e2e.site import Program, running

ROOT: Final = Path(__file__).parent.parent
PATHS: Final = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def shell(lines: str, folder: Path, given: str = "") -> str:
    """Output of bash for these lines. given: standard input, where no terminal is."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", lines],
        cwd=folder,
        env=PATHS,
        input=given,
        start_new_session=True,
        capture_output=True,
        text=True,
        check=False,
        timeout=ceilings.PROGRAM_S,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_six_lines_make_a_floor(tmp_path: Path) -> None:
    """README, a floor of your own: configuration, keys, check, people, server, a winning table, and
    a person who signs in to handle the hit.
    """
    section = (ROOT / "README.md").read_text().partition("## A floor of your own")[2]
    lines = re.findall(r"^    (.+)$", section.partition("\n## ")[0], re.MULTILINE)
    *before, serve = lines
    assert (len(lines), serve) == (6, "jackpot serve --config config.toml")
    said = shell("\n".join(before), tmp_path, FIRST).splitlines()
    assert "config.toml: good" in said
    assert said[-1] == "ann and ben are admins. Start the server; both sign in."
    config = tmp_path / "config.toml"
    config.write_text(re.sub(r'(127\.0\.0\.1):\d+"', r'\1:0"', config.read_text()))  # others test here, too
    with running(Program(config, "serve")) as server:
        done = play(tmp_path, server.ports["tables"])
        assert (done.returncode, done.stdout) == (0, "seat 3 wins 1000009 cents, pending\n"), done.stderr
        assert " H1 " in shell("jackpot hits list --config config.toml", tmp_path)
        opener = build_opener(HTTPCookieProcessor())
        typed = urlencode({"login": "ann", "secret": ANN}).encode()
        with opener.open(f"http://127.0.0.1:{server.ports['http']}/ops/sign-in", typed, 30) as page:
            assert ("/ops" in page.url, "sign-in" in page.url, "H1" in page.read().decode()) == (
                True,
                False,
                True,
            )


@pytest.mark.parametrize(
    ("page", "config"),
    [
        ("README.md", "schemas/config.example.toml"),
        ("deploy/RUNBOOK.md", "schemas/config.example.toml"),
        ("deploy/README.md", "deploy/site/config.toml"),
    ],
)
def test_every_device_gets_its_key(page: str, config: str) -> None:
    """Key generation makes a key for each device of the starting configuration."""
    text = tomllib.loads((ROOT / config).read_text())
    devices = " ".join(device["id"] for role in ("table", "sign") for device in text[role])
    assert f"for device in {devices}; do" in (ROOT / page).read_text()
