"""`jackpot config check --preview`: pictures of what signs will show."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from jackpot.cli import sign_pictures
from jackpot.cli.config import app
from tests.running_server import LINK, configure
from tests.web.browser import needs_chromium

# A link with one meter, so that there is one win to draw: each picture takes the start of a whole browser.
METER_ALONE = f"""
[[link]]
id = "{LINK}"
paytable = "ma-lir-progressive"
wager = "1.00"
decks = 1
[link.level.meter]
seed = "10000.00"
primary = "20%"
"""


@needs_chromium
def test_pictures_of_each_state_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Signs: the operator sees each link in its states before the floor does, from the file alone."""
    configure(tmp_path, links=METER_ALONE)
    monkeypatch.setattr(sign_pictures, "SIZES", {"landscape": (640, 360)})
    monkeypatch.setattr(sign_pictures, "STATES", ("fault",))
    asked = ["check", str(tmp_path / "config.toml"), "--preview", str(tmp_path / "signs")]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    drawn = {file.name: file.read_bytes() for file in (tmp_path / "signs").iterdir()}
    assert drawn.keys() == {f"{LINK}-fault-landscape.png", f"{LINK}-win-meter-landscape.png"}
    assert all(picture.startswith(b"\x89PNG") for picture in drawn.values())
    assert len(set(drawn.values())) == len(drawn)


def test_each_state_and_the_win_of_each_level_have_a_picture(tmp_path: Path) -> None:
    """Signs: none is left out, and each is of another moment."""
    drawn = dict(sign_pictures.states_of(configure(tmp_path), LINK))
    wins = {f"win-{level}" for level in ("mega", "major", "minor")}
    assert drawn.keys() == {"normal", "odds", "pending", "suspended", "fault", *wins}
    assert len({*drawn.values()}) == len(drawn)


def test_a_machine_without_a_browser_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Signs: pictures need a browser; without one the command says which, and checks the rest."""
    configure(tmp_path)
    monkeypatch.setattr(sign_pictures, "BROWSERS", ("no-such-browser",))
    asked = ["check", str(tmp_path / "config.toml"), "--preview", str(tmp_path / "signs")]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 1
    assert "pictures need a browser on this machine: no-such-browser" in done.output
