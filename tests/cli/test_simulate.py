"""`jackpot simulate` sums up a floor, keeps its books, and refuses in one line."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from jackpot.cli.__main__ import root

SMALL = ("--paytable", "pa-643a-five-card-C", "--tables", "1", "--days", "1", "--rounds", "4")


def simulate(*words: object) -> Result:
    return CliRunner().invoke(root("simulate"), ["simulate", *map(str, words)], env={"COLUMNS": "200"})


def test_it_tells_what_came_and_keeps_the_books(tmp_path: Path) -> None:
    """README, commands: rounds a second, meters, hands against exact odds, and a ledger to report on."""
    folder = tmp_path / "year"
    done = simulate(folder, *SMALL)
    assert done.exit_code == 0, done.output
    for said in (
        "96 rounds of 6 players",
        "a second of a processor",
        "mega",
        "royal-flush",
        "the books balance",
    ):
        assert said in done.output
    report = CliRunner().invoke(
        root("report"), ["report", "reconcile", "--config", str(folder / "simulated.toml"), "--json"]
    )
    assert json.loads(report.output)["rows"]
    again = simulate(folder, *SMALL)
    assert (again.exit_code, again.stderr) == (1, f"{folder} is there already: give a new folder\n")


def test_its_figures_leave_as_json() -> None:
    """Every figure that is shown can be exported: one JSON value alone."""
    found = json.loads(simulate(*SMALL, "--json").stdout)
    assert found["rounds"] == 96
    assert [level["level"] for level in found["levels"]] == ["mega", "major", "minor"]
    (wager,) = found["wagers"]
    assert {hand["what"] for hand in wager["judged"]["hands"]} >= {"royal-flush", "three-of-a-kind"}


def test_returns_of_offers_stand_next_to_the_exact_ones() -> None:
    """B14: each wager's return and the exact one, of tables that have offers alone."""
    words = ("--offer", "pa-653a-trips-A", "--offer", "pa-653a-bad-beat-A", "--tables", "1", "--days", "1")
    done = simulate(*words, "--rounds", "4", "--folds", "25")
    assert done.exit_code == 0, done.output
    for said in ("pa-653a-trips-A", "99.10 %", "pa-653a-bad-beat-A", "79.61 %", "Returns without meters"):
        assert said in done.output
    assert "Levels" not in done.output


def test_a_mystery_link_stands_next_to_its_exact_law() -> None:
    """Y5: its return and the lengths of its cycles, with the exact ones; there are no hands."""
    levels = ("meter.seed=10.00", "meter.must_hit_by=20.00", "meter.primary=10%")
    sets = [word for level in levels for word in ("--set", level)]
    done = simulate("--paytable", "mystery", *sets, "--tables", "2", "--days", "1", "--rounds", "30")
    assert done.exit_code == 0, done.output
    for said in ("29.05 %", "meter: 1 to 4 wagers", "the cycles are probable", "the books balance"):
        assert said in done.output
    assert "hand" not in done.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--paytable", "mystery"), "level"),
        (("--paytable", "mystery", "--offer", "pa-653a-trips-A"), "has nothing else"),
        (("--paytable", "none"), "there is no paytable 'none'"),
        ((*SMALL, "--game", "three-card-poker"), "--game: pa-643a-five-card-C: for let-it-ride"),
        ((), "give --paytable, --offer, or both"),
        (("--offer", "pa-643a-five-card-C"), "is no offer: it pays from a meter"),
        ((*SMALL, "--set", "wager"), "--set: 'wager' is not like wager=5.00"),
        ((*SMALL, "--set", "wager=2.00"), "wagers of 1.00 or 5.00 only"),
        (("--paytable", "pa-649a-2011-progressive-A"), "primary rate to the operator"),
    ],
)
def test_wrong_input_gets_a_clear_line(words: tuple[str, ...], said: str) -> None:
    """The lab: what cannot be simulated is said before anything is played."""
    done = simulate(*words)
    assert done.exit_code == 1
    assert said in done.stderr
