"""`jackpot paytable analyze` prints the whole analysis, with the same figures in every form."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from jackpot.cli.paytable import app

ANALYZE = ["analyze", "pa-643a-five-card-C", "--wager", "5.00", "--meter", "mega=81250.00", "--players", "6"]


def test_an_analysis_leaves_in_four_ways_with_the_same_figures(tmp_path: Path) -> None:
    """A1, A5: every figure that is shown can be had as CSV and as JSON, and on a page that loads nothing."""
    shown = CliRunner().invoke(app, ANALYZE)
    assert shown.exit_code == 0, shown.output
    assert re.search(r"total return +60\.70 %", shown.output)
    assert "$1,357,900.00" in shown.output
    told = json.loads(CliRunner().invoke(app, [*ANALYZE, "--json"]).output)
    (hand, *_), (mega, *_) = told["hands"], told["levels"]
    assert (hand["hand"], hand["chance"], hand["award"]) == ("royal-flush", "1/649740", "81250")
    assert mega["break_even_meter"] == "1357900"
    lines = list(csv.DictReader(CliRunner().invoke(app, [*ANALYZE, "--csv"]).output.splitlines()))
    figures = {(line["sheet"], int(line["row"]), line["figure"]): line["value"] for line in lines}
    assert {"spread", "cycles", "envy_given", "long_run", "seeds", "filing"} < set(told)
    for name in set(told) - {"subject", "notes"}:
        for number, row in enumerate(told[name], 1):
            for figure, value in row.items():
                assert figures.pop((name, number, figure)) == ("" if value is None else str(value))
    assert {sheet for sheet, _, _ in figures} == {"subject"}
    page = tmp_path / "filing.html"
    written = CliRunner().invoke(app, [*ANALYZE, "--html", str(page)])
    assert (written.exit_code, written.output) == (0, f"{page}: the analysis, ready to print\n")
    text = page.read_text()
    for piece in ("60.70 %", "1 in 649,740", "13:69D-1.52(e)", "36.05.03.24", "Control of the reset key"):
        assert piece in text
    assert "http" not in text
    assert "<script" not in text


def test_pictures_are_files_of_two_kinds(tmp_path: Path) -> None:
    """A1, A5: next to the figures, in a folder that need not be there."""
    folder = tmp_path / "new" / "pictures"
    told = CliRunner().invoke(app, ["analyze", "pa-643a-three-card-B", "--plot", str(folder), "--json"])
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["levels"]
    stems = [f"pa-643a-three-card-B-{name}" for name in ("return-meter", "hit-meter", "year-meter", "envy")]
    wanted = {f"{stem}.{kind}" for stem in stems for kind in ("svg", "png")}
    assert {file.name for file in folder.iterdir()} == wanted
    assert set(told.stderr.split()) == {str(folder / name) for name in wanted}


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["pa-643a-five-card-C", "--meter", "mega=-1"], "--meter mega: '-1' is not a sum of money"),
        (
            ["pa-643a-five-card-C", "--meter", "grand=5.00"],
            "meter grand: pa-643a-five-card-C has mega, major, minor",
        ),
        (["pa-643a-five-card-C", "--meter", "mega"], "--meter mega: write it as LEVEL=SUM"),
        (
            ["pa-643a-five-card-C", "--meter", "mega=1.00", "--meter", "mega=2.00"],
            "--meter mega: given twice",
        ),
        (["pa-643a-five-card-C", "--players", "9"], "players: let-it-ride seats 1 to 7, not 9"),
        (["pa-643a-five-card-C", "--rate", "0"], "rate: 1 to 9,999,999 wagers an hour, not 0"),
        (["pa-643a-five-card-C", "--rate", "99999999"], "wagers an hour, not 99,999,999"),
        (["pa-643a-five-card-C", "--set", "mega"], "--set mega: write it as LEVEL.FIGURE=VALUE"),
        (["pa-643a-five-card-C", "--json", "--csv"], "choose one"),
        (["pa-643a-five-card-C", "--html", "/dev/null/x"], "/dev/null/x cannot be written"),
        (["pa-643a-five-card-C", "--plot", "/dev/null/x"], "/dev/null/x cannot be written"),
        (["pa-643a-five-card-C", "--plot", "x.SVG"], "--plot x.SVG: there are several pictures, each as"),
        (["pa-000"], "no paytable 'pa-000'"),
    ],
)
def test_what_cannot_be_analysed_is_one_clear_line(words: list[str], line: str) -> None:
    """L3, L11: wrong input names what is wrong, with a non-zero exit."""
    shown = CliRunner().invoke(app, ["analyze", *words])
    assert shown.exit_code == 1
    assert shown.stderr.count("\n") == 1
    assert line in shown.stderr


def test_each_way_says_how_to_get_what_it_needs() -> None:
    """Without the extra each command says alike what to install; an analysis needs none of it."""
    code = (
        "import sys; lab = 'numpy', 'matplotlib'; sys.modules.update(dict.fromkeys(lab)); "
        "import importlib.util as found; real = found.find_spec; "
        "found.find_spec = lambda name: None if name in lab else real(name); "
        "from jackpot.cli.__main__ import main; main()"
    )
    bonus = ["paytable", "analyze", "pa-643a-five-card-hand-bonus"]
    year = ["simulate", "--paytable", "pa-643a-five-card-C"]
    done, counting, drawing, simulating = (
        subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)
        for words in (bonus, ["paytable", "count"], [*bonus, "--plot", "x"], year)
    )
    assert done.returncode == 0, done.stderr
    assert counting.returncode == drawing.returncode == simulating.returncode == 1
    how = f"of the extra lab: {sys.executable} -m pip install 'jackpot[lab]'\n"
    assert counting.stderr == f"jackpot paytable count needs numpy, {how}"
    assert drawing.stderr == f"--plot needs matplotlib, {how}"
    assert simulating.stderr == f"jackpot simulate needs numpy, {how}"
