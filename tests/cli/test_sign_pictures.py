"""`jackpot config check --preview`: pictures of what signs will show."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from jackpot.app import Server
from jackpot.cli import sign_pictures
from jackpot.cli.config import app
from tests.running_server import LINK, LINKS, configure
from tests.web.browser import chromium, needs_chromium, on_browser_loop, opened
from tests.web.test_sign_pages import page_of

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
# A mystery of two levels.
MYSTERY = """
[[link]]
id = "lantern"
kind = "mystery"
form = "drawn"
wager = "5.00"
electronic = true
[link.level.major]
seed = "500.00"
must_hit_by = "1000.00"
primary = "2%"
[link.level.minor]
seed = "50.00"
must_hit_by = "100.00"
primary = "2%"
"""
# In which act of a mega each of these seconds lies.
ACTS_OF = """async (seconds) => {
    const { act } = await import('/static/phases.js');
    const named = ([name, past]) => [name, act('mega', 1000 * past)?.name];
    return Object.fromEntries(Object.entries(seconds).map(named));
}"""


@needs_chromium
def test_pictures_of_each_state_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Signs: the operator sees each link in its states before the floor does, from the file alone."""
    configure(tmp_path, links=METER_ALONE)
    monkeypatch.setattr(sign_pictures, "SIZES", {"landscape": (640, 360)})
    monkeypatch.setattr(sign_pictures, "STATES", ("fault",))
    monkeypatch.setattr(sign_pictures, "ACTS_S", {"spot": 40.0})
    asked = ["check", str(tmp_path / "config.toml"), "--preview", str(tmp_path / "signs")]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    drawn = {file.name: file.read_bytes() for file in (tmp_path / "signs").iterdir()}
    shown = ("fault", "win-meter", "win-meter-spot")
    assert drawn.keys() == {f"{LINK}-{state}-landscape.png" for state in shown}
    assert all(picture.startswith(b"\x89PNG") for picture in drawn.values())
    assert len(set(drawn.values())) == len(drawn)


def test_each_state_and_the_win_of_each_level_have_a_picture(tmp_path: Path) -> None:
    """Signs: none is left out, each act of a mega among them, and each is of another moment.

    A mystery has no hands and no odds; it has a picture of its meter near the end.
    """
    config = configure(tmp_path, links=LINKS + MYSTERY)
    drawn = dict(sign_pictures.states_of(config, LINK))
    acts = {f"win-mega-{act}" for act in ("fountain", "again", "spot", "hand")}
    wins = {f"win-{level}" for level in ("mega", "major", "minor")} | acts
    states = {"normal", "pending", "suspended", "fault"}
    assert drawn.keys() == {*states, "odds", *wins}
    assert len({*drawn.values()}) == len(drawn)
    of_mystery = dict(sign_pictures.states_of(config, "lantern"))
    assert of_mystery.keys() == {*states, "near", "win-major", "win-minor"}
    assert len({*of_mystery.values()}) == len(of_mystery)


@needs_chromium
@on_browser_loop
async def test_each_act_has_its_picture(tmp_path: Path) -> None:
    """Signs: the moment of each picture lies in the act that it is called by."""
    async with chromium() as browser, Server(configure(tmp_path)) as server:
        page = await opened(browser, page_of(server, f"/sign/{LINK}?preview=fault"), "phone", [])
        acts = await page.evaluate(ACTS_OF, sign_pictures.ACTS_S)
    assert acts == {act: act for act in sign_pictures.ACTS_S}


def test_a_machine_without_a_browser_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Signs: pictures need a browser; without one the command says which, and checks the rest."""
    configure(tmp_path)
    monkeypatch.setattr(sign_pictures, "BROWSERS", ("no-such-browser",))
    asked = ["check", str(tmp_path / "config.toml"), "--preview", str(tmp_path / "signs")]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 1
    assert "pictures need a browser on this machine: no-such-browser" in done.output
