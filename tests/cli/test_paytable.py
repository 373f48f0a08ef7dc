"""`jackpot paytable` shows a paytable as its regulation prints it."""

import subprocess
import sys
from decimal import Decimal

import pytest
from typer.testing import CliRunner

from jackpot import catalogue
from jackpot.cli.paytable import app


def test_list_names_every_paytable() -> None:
    """L1: the whole catalogue, whatever the width of the terminal."""
    shown = CliRunner().invoke(app, ["list"])
    assert shown.exit_code == 0
    for paytable in catalogue.ids():
        assert paytable in shown.output


@pytest.mark.parametrize("paytable", catalogue.ids())
def test_show_leaves_nothing_out(paytable: str) -> None:
    """L3, L4, L5, A5: each row, level and envy sum is shown, none cut short."""
    shown = CliRunner().invoke(app, ["show", paytable])
    assert shown.exit_code == 0, shown.output
    table = catalogue.load(paytable)
    for row in table.rows:
        assert row.pays.replace("%", " %") in shown.output
    for paid in (paid for item in table.envy for paid in item.rows):
        assert f"${Decimal(paid.sum):,}" in shown.output
    for name in table.level:
        assert name in shown.output
    assert "…" not in shown.output


def test_show_tells_apart_who_sets_a_figure() -> None:
    """L4, L5: mandated, at least, the operator's own, and not printed."""
    mandated = CliRunner().invoke(app, ["show", "pa-643a-five-card-C"]).output
    assert "9 %" in mandated
    assert "10,000 for 1" in mandated
    assert "mandated" in mandated
    assert "643a.12(e)(3)" in mandated
    least = CliRunner().invoke(app, ["show", "pa-649a-2011-progressive-A"]).output
    assert "at least 14 %" in least
    assert "at least $1,000.00" in least
    assert "proposed" in least
    free = CliRunner().invoke(app, ["show", "ma-lir-progressive"]).output
    assert "as configured" in free
    assert "not printed" in free


def test_an_unknown_paytable_is_one_clear_line() -> None:
    """L1: what is not in the catalogue is said so, with a non-zero exit."""
    shown = CliRunner().invoke(app, ["show", "pa-000"])
    assert shown.exit_code == 1
    assert shown.stderr.count("\n") == 1
    assert "no paytable 'pa-000'" in shown.stderr
    assert "jackpot paytable list" in shown.stderr


def test_show_tells_the_return_in_three_lines() -> None:
    """A1, A7: what it returns, how often it is hit, and with which meter it breaks even."""
    shown = CliRunner().invoke(app, ["show", "pa-643a-three-card-B"]).output
    assert "return: 52.40 % at $1.00, one player, the meters at their seeds" in shown
    assert "(fixed pays 47.87 %, meter 4.52 %)" in shown
    assert "hit frequency: 1 in 221 wagers is paid; meter 1 in 22,100" in shown
    assert "break-even meter: meter $11,520.00" in shown
    unknown = CliRunner().invoke(app, ["show", "ma-lir-progressive"]).output
    assert "without the meters, whose seeds are the operator's" in unknown


def test_the_help_has_an_example() -> None:
    """Every command's help shows how it is called."""
    assert "jackpot paytable show pa-643a-five-card-C" in CliRunner().invoke(app, ["show", "--help"]).output
    assert "jackpot paytable list" in CliRunner().invoke(app, ["list", "--help"]).output


def test_the_command_line_starts_without_what_it_may_not_need() -> None:
    """Importing the commands loads neither the catalogue nor JSON Schema."""
    code = (
        "import sys, jackpot.cli.paytable, jackpot.cli.config; "
        "print({'jackpot.catalogue', 'jackpot.config', 'jsonschema'} & set(sys.modules))"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "set()\n"
    )
