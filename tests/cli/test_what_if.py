"""Does `jackpot ledger what-if` show both worlds, and refuse in one line?"""

import csv
import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from jackpot.cli.__main__ import root
from tests.cli.test_simulate import SMALL, simulate


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a small floor that was simulated."""
    folder = tmp_path_factory.mktemp("floor") / "small"
    assert simulate(folder, *SMALL).exit_code == 0
    return folder / "simulated.toml"


def what_if(config: Path, *words: str) -> Result:
    given = ["ledger", "what-if", "--link", "simulated", *words, "--config", str(config)]
    return CliRunner().invoke(root("ledger"), given, env={"COLUMNS": "250"})


def test_both_worlds_are_shown(config: Path) -> None:
    """README, commands: for people in tables, for programs all of it; the mega gathers at twice its rate."""
    done = what_if(config, "--set", "mega.primary=18%")
    assert done.exit_code == 0, done.output
    for said in ("At the end", "$10,051.84", "$10,103.68", "2026-01-01", "96 rounds"):
        assert said in done.output
    assert "left to the house" in done.output
    found = json.loads(what_if(config, "--set", "mega.primary=18%", "--json").stdout)
    assert float(found["would_total"]["left"]) < float(found["was_total"]["left"])
    assert (found["was"][0]["meter"], found["would"][0]["meter"]) == ("10051.84", "10103.68")
    days = list(csv.DictReader(io.StringIO(what_if(config, "--set", "mega.primary=18%", "--csv").stdout)))
    assert (days[0]["level"], days[0]["meter_if"]) == ("mega", "10103.68")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--set", "mega.primary"), "--set: 'mega.primary' is not like minor.primary=5%"),
        (("--paytable", "none"), "not played again: link.paytable: link simulated: there is no paytable"),
        (("--link", "other"), "not played again: --link: 'other' is no link"),
        (("--csv", "--json"), "one of --csv and --json"),
    ],
)
def test_wrong_input_gets_one_line(config: Path, words: tuple[str, ...], said: str) -> None:
    """The lab: what cannot be tried is said."""
    done = what_if(config, *words)
    assert done.exit_code == 1
    assert said in done.stderr
