"""`jackpot ledger what-if` shows both sets of terms, and refuses in one line."""

import csv
import io
import json
import re
from decimal import Decimal
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
    for said in ("At the end", "$10,051.84", "$10,103.68", "2026-01-01", "rounds: 96"):
        assert said in done.output
    assert "left to the house" in done.output
    found = json.loads(what_if(config, "--set", "mega.primary=18%", "--json").stdout)
    assert float(found["would_total"]["left"]) < float(found["was_total"]["left"])
    assert (found["was"][0]["meter"], found["would"][0]["meter"]) == ("10051.84", "10103.68")


def test_what_is_shown_is_in_the_file_and_in_json_too(config: Path) -> None:
    """The lab: a figure that people see can be taken along; the formula stands under what it makes."""
    asked = ("--set", "mega.primary=18%", "--set", "minor.primary=0.07%")
    shown = what_if(config, *asked).stdout
    rows = list(csv.DictReader(io.StringIO(what_if(config, *asked, "--csv").stdout)))
    found = json.loads(what_if(config, *asked, "--json").stdout)
    sums = {minus + digits.replace(",", "") for minus, digits in re.findall(r"(-?)\$([\d,.]+)", shown)}
    in_file = {Decimal(row[side]) for row in rows for side in ("as it was", "if", "difference") if row[side]}
    assert len(sums) >= 20
    assert {Decimal(text) for text in sums} <= in_file
    totals = {row["figure"]: row for row in rows if row["sheet"] == "in all"}
    for side, of in (("as it was", "was_total"), ("if", "would_total"), ("difference", "difference")):
        assert [row[side] for row in totals.values()] == list(found[of].values())
        left = [Decimal(totals[name][side]) for name in ("wagered", "onto the meters", "put in by the house")]
        assert Decimal(totals["left to the house"][side]) == left[0] - left[1] - left[2]
    assert "left to the house = wagered - onto the meters - put in by the house" in shown
    assert {row["figure"]: row["as it was"] for row in rows if row["sheet"] == "played"}["rounds"] == "96"
    assert {row["level"] for row in rows if row["sheet"] == "at the end"} >= {"mega", "minor", "house"}


def test_terms_that_are_forbidden_are_said_in_every_form(config: Path) -> None:
    """L5: before the tables, in JSON and in CSV, once each; free of it where nothing is forbidden."""
    forbidden = ("--set", "mega.primary=18%", "--set", "minor.primary=0.07%")
    shown = what_if(config, *forbidden)
    assert shown.exit_code == 0
    first, second, *others = shown.stdout.splitlines()
    said = [line.removeprefix("not allowed on this paytable: ") for line in (first, second)]
    assert (
        said[0] == "mega.primary=18%: 58 Pa. Code § 643a.12(e)(3) mandates 9%: it cannot be configured (L5)"
    )
    assert said[1].startswith("minor.primary=0.07%: ")
    assert "not allowed" not in "".join(others)
    assert json.loads(what_if(config, *forbidden, "--json").stdout)["not_allowed"] == said
    rows = csv.DictReader(io.StringIO(what_if(config, *forbidden, "--csv").stdout))
    assert [row["figure"] for row in rows if row["sheet"] == "not allowed on this paytable"] == said
    assert "not allowed" not in what_if(config, "--paytable", "pa-643a-five-card-A").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--set", "mega.primary"), "--set: 'mega.primary' is not like minor.primary=5%"),
        (("--paytable", "none"), "not played again: link.paytable: there is no paytable"),
        (("--link", "other"), "--link: 'other' is no link of "),
        (("--csv", "--json"), "one of --csv and --json"),
    ],
)
def test_wrong_input_gets_one_line(config: Path, words: tuple[str, ...], said: str) -> None:
    """The lab: what cannot be tried is said."""
    done = what_if(config, *words)
    assert done.exit_code == 1
    assert said in done.stderr
