"""Mystery links and tables of any game in the configuration (Y1, Y5, Y7, Y10)."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from jackpot.cli.config import app
from jackpot.config import ConfigErrors, load
from jackpot.rules.money import MICROS_PER_UNIT
from jackpot.rules.paytable import LevelTerms

KEY = "ab" * 32

HEAD = """
[site]
name = "Riverside"
currency = "USD"
gaming_day_ends = "06:00"
timezone = "America/New_York"
[ledger]
url = "sqlite:///ledger.db"
[listen]
tables = "127.0.0.1:5710"
signs = "127.0.0.1:5711"
http = "127.0.0.1:8080"
"""
LINK = """
[[link]]
id = "must-hit"
kind = "mystery"
form = "drawn"
wager = "5.00"
[link.level.meter]
seed = "10.00"
must_hit_by = "20.00"
primary = "10%"
"""
CARDS = """
[[link]]
id = "five"
paytable = "pa-643a-five-card-C"
wager = "1.00"
decks = 1
"""
TABLE = """
[[table]]
id = "T01"
game = "any"
seats = 7
links = ["must-hit"]
key_file = "T01.key"
max_rounds_per_minute = 4
"""


def read(folder: Path, text: str) -> Any:
    (folder / "T01.key").write_text(KEY)
    (folder / "T01.key").chmod(0o600)
    (folder / "floor.toml").write_text(HEAD + text)
    return load(folder / "floor.toml")


def test_a_mystery_link_needs_no_paytable(tmp_path: Path) -> None:
    """Y1, Y10: reseed is seed, the dealer counts, and the table is not held unless that is said."""
    config = read(tmp_path, LINK + TABLE)
    (terms,) = config.links
    level = LevelTerms(
        "meter", 1_000, 0, 10 * MICROS_PER_UNIT, 10 * MICROS_PER_UNIT, must_hit_by=20 * MICROS_PER_UNIT
    )
    assert terms.levels == (level,)
    assert (terms.form, terms.mystery, terms.count_chips, terms.hold_table) == ("drawn", True, True, False)
    assert config.tables[0].game == "any"
    assert config.warnings == tuple(one for one in config.warnings if "must-hit" not in one)


@pytest.mark.parametrize(
    ("text", "path", "sentence"),
    [
        (LINK.replace('wager = "5.00"', 'wager = "5.00"\ndecks = 1') + TABLE, "decks", "no decks (Y1)"),
        (LINK.replace('form = "drawn"', 'form = "open"') + TABLE, "form", "is not"),
        (LINK.replace('form = "drawn"\n', "") + TABLE, "form", "is missing"),
        (LINK + 'reserve = "1%"\n' + TABLE, "level.meter.reserve", "no reserve (Y1)"),
        (LINK.replace('must_hit_by = "20.00"\n', "") + TABLE, "must_hit_by", "is missing"),
        (LINK.replace('"20.00"', '"10.50"') + TABLE, "link[0]", "one wager lifts it"),
        (LINK.replace('"10.00"', '"19.00"') + TABLE, "link[0]", "more than the wager"),
        (
            LINK.replace("[link.level", "count_chips = false\n[link.level") + TABLE,
            "count_chips",
            "electronic = true (Y10)",
        ),
        (
            LINK + TABLE.replace("max_rounds_per_minute = 4\n", ""),
            "table[0].links",
            "max_rounds_per_minute (Y10)",
        ),
        (
            LINK + CARDS + TABLE.replace('"must-hit"', '"must-hit", "five"'),
            "table[0].links",
            "mystery links alone",
        ),
        (CARDS.replace("decks = 1", 'decks = 1\nform = "drawn"') + TABLE, "form", 'kind = "mystery" alone'),
    ],
)
def test_what_a_mystery_link_cannot_be(tmp_path: Path, text: str, path: str, sentence: str) -> None:
    """Y1, Y7, Y10: each mistake is named, with its place."""
    with pytest.raises(ConfigErrors) as refused:
        read(tmp_path, text)
    assert any(path in where and sentence in said for where, said in refused.value.mistakes), refused.value


def test_a_card_table_may_have_both_kinds(tmp_path: Path) -> None:
    """Y7, L1: also Criss-Cross, which has no progressive of its own."""
    both = TABLE.replace('"any"', '"let-it-ride"').replace('"must-hit"', '"must-hit", "five"')
    assert read(tmp_path, LINK + CARDS + both).tables[0].links == ("must-hit", "five")
    cross = TABLE.replace('"any"', '"criss-cross-poker"').replace("seats = 7", "seats = 6")
    assert read(tmp_path, LINK + cross).tables[0].game == "criss-cross-poker"


def test_config_check_prints_its_figures(tmp_path: Path) -> None:
    """Y5: a = 10, b = 20, w = 5, r = 10 %: 10.5 wagers in the mean, 29.05 %."""
    read(tmp_path, LINK + TABLE)
    said = CliRunner().invoke(app, ["check", str(tmp_path / "floor.toml")]).output
    assert "returns 29.05 %" in said
    assert "10.5 wagers a cycle in the mean, 20 at most" in said
    assert "a wager returns more than it costs above 18.13" in said
    assert "must hit by" in said


def test_a_level_that_never_pays_is_said(tmp_path: Path) -> None:
    """Y5: where the most that is won is less than the wager."""
    low = LINK.replace('"10.00"', '"1.00"').replace('"20.00"', '"4.00"')
    read(tmp_path, low + TABLE)
    said = CliRunner().invoke(app, ["check", str(tmp_path / "floor.toml")]).output
    assert "no meter makes a wager return more than it costs" in said
