"""`jackpot paytable` shows a paytable as its regulation prints it."""

import re
import subprocess
import sys
from decimal import Decimal

import pytest
from typer.testing import CliRunner

from jackpot import catalogue
from jackpot.cli.paytable import app


def test_list_names_every_paytable() -> None:
    """L1, B1, B2: the whole catalogue by what it is for, and what is known by name alone."""
    shown = CliRunner().invoke(app, ["list"])
    assert shown.exit_code == 0
    titles = r"\n(?=Bonus wagers|In the catalogue|Known by name)"
    links, offers, alone, unknown = re.split(titles, shown.output)
    for use, part in {"link": links, "offer": offers, "catalogue": alone}.items():
        listed = [line.split()[0] for line in part.splitlines() if re.match(" (pa|ma)-", line)]
        assert listed == list(catalogue.ids_for(use))  # type: ignore[arg-type]
    for wager in catalogue.not_held():
        assert wager.section in unknown
        assert wager.reason in unknown
    assert "…" not in shown.output


@pytest.mark.parametrize("paytable", catalogue.ids())
def test_show_leaves_nothing_out(paytable: str) -> None:
    """L3, L4, L5, A5: each row, level and envy sum is shown, none cut short."""
    shown = CliRunner().invoke(app, ["show", paytable])
    assert shown.exit_code == 0, shown.output
    table = catalogue.load(paytable)
    for row in table.rows:
        for pays in (row.pays, *row.by_players):
            printed = re.sub("[0-9]{4,}", lambda digits: f"{int(digits[0]):,}", pays)
            assert printed.replace("%", " %") in shown.output
        if row.least:
            assert f"pair of {row.least.replace('T', '10')} or better" in shown.output
    for text in (*table.placed.values(), *table.readings, *(rule.source for rule in table.fold.values())):
        assert text in shown.output
    for reason in (table.catalogue_only, table.stake_open, table.cards_open, table.no_less, table.wager):
        assert reason is None or reason in shown.output
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


def test_show_tells_the_return_of_a_bonus_wager() -> None:
    """B5, B10, B14: one return, two where the stake is open, one by number of players, and best play."""
    assert "return: 99.10 %" in CliRunner().invoke(app, ["show", "pa-653a-trips-A"]).output
    two = CliRunner().invoke(app, ["show", "pa-643a-five-card-bonus-B"]).output
    assert "return: 110.80 %, the stake returned" in two
    assert "return: 86.93 %, the stake kept" in two
    several = CliRunner().invoke(app, ["show", "ma-lir-cover-all"]).output
    assert "return with 1 player: 89.02 %" in several
    assert "return with 7 players: 91.25 % give or take 0.18 %, simulated with the seed 11" in several
    assert "7 players" in several
    base = CliRunner().invoke(app, ["show", "pa-643a-base-B"]).output
    assert "house edge under best play: 3.737 % of one bet" in base
    assert "catalogue only: it is a base wager" in base
    bonus = CliRunner().invoke(app, ["show", "pa-649a-2011-ante-bonus-suited-C"]).output
    assert "bonus: 2.26 % of the Ante" in bonus


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
