"""`jackpot config check` sums up a good configuration and lists every mistake of a bad one."""

import json
import re
import secrets
import tomllib
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from jackpot.catalogue import return_of
from jackpot.cli.config import app
from jackpot.clock import SystemClock
from jackpot.config import load
from jackpot.config.tax import law_of
from tests.config.floor import HEAD
from tests.ledger.waiting import open_banks, open_ledger
from tests.notify.heads import heads, site_key

FLOOR: Final = f"""{HEAD}
[[link]]
id = "bonus"
paytable = "pa-643a-five-card-hand-bonus"
wager = "2.00"
decks = 1
magic_card_every = 100
[[link]]
id = "four"
paytable = "pa-641a-2011-progressive-A"
wager = "5.00"
decks = 1
envy = "A"
[link.level.meter]
primary = "15.25%"
seed = "5000.00"
reseed = "6000.00"
limit = "100000.00"
[[table]]
id = "T01"
game = "let-it-ride"
seats = 7
links = ["bonus"]
key_file = "T01"
"""


BONUS_RETURNS: Final = (
    "link bonus at let-it-ride, 7 seats, returns 59.16 % "
    "(fixed pays 36.23 %, meters 21.00 %, reseeds 0.00 %, envy 0.00 %, draws 1.92 %)"
)


@pytest.fixture
def floor(tmp_path: Path) -> Path:
    (tmp_path / "T01").write_text("ab" * 32)
    (tmp_path / "T01").chmod(0o600)
    file = tmp_path / "floor.toml"
    file.write_text(FLOOR)
    return file


def test_a_good_configuration_is_summed_up(floor: Path) -> None:
    """L4, L5, A7: links with rates and seeds, tables, the whole return, warnings; exit 0."""
    shown = CliRunner().invoke(app, ["check", str(floor)])
    assert shown.exit_code == 0, shown.output
    for line in (
        "link bonus (bank main): pa-643a-five-card-hand-bonus, wager $2.00",
        "  meter: primary 13 %, reserve 8 %, seed $20,000.00, reseed $0.00, no limit",
        "  meter: primary 15.25 %, reserve 0 %, seed $5,000.00, reseed $6,000.00, limit $100,000.00",
        "table T01: let-it-ride, 7 seats, on bonus",
        BONUS_RETURNS,
        "warning: link four: pa-641a-2011-progressive-A was proposed, not adopted",
        "warning: link four: no table is on it",
        f"{floor}: good",
    ):
        assert line in shown.output.splitlines()
    assert CliRunner().invoke(app, ["check"], env={"JACKPOT_CONFIG": str(floor)}).output == shown.output


THREE: Final = """
[[link]]
id = "three"
paytable = "pa-649a-2011-progressive-A"
wager = "1.00"
decks = 1
[link.level.meter]
primary = "14%"
seed = "50000.00"
reseed = "50000.00"
[[table]]
id = "T09"
game = "three-card-poker"
seats = {seats}
links = ["three"]
key_file = "T01"
"""
# Of 22,100 deals of three cards: the paytable's fixed pays, by how many deals make them.
FIXED: Final = {500: 3, 70: 44, 60: 52, 6: 720}


@pytest.mark.parametrize(("seats", "envy", "total"), [(7, "4.75 %", "299.38 %"), (2, "0.79 %", "295.42 %")])
def test_the_house_pays_for_reseeds_and_envy_too(floor: Path, seats: int, envy: str, total: str) -> None:
    """A7, A2, A5: one wager in 22,100 costs a reseed of $50,000.00. Without draws it is only warned of."""
    text = floor.read_text() + THREE.format(seats=seats)
    floor.write_text(text)
    (terms,) = [link for link in load(floor).links if link.link == "three"]
    fixed = Fraction(sum(pays * deals for pays, deals in FIXED.items()), 22_100)
    one = Fraction(1 * 100 + 3 * 25, 22_100)
    parts = (fixed, Fraction(14, 100), Fraction(50_000, 22_100), (seats - 1) * one, Fraction(0))
    returns = return_of(terms, seats)
    assert tuple(returns) == parts
    assert returns.total == sum(parts)
    shown = CliRunner().invoke(app, ["check", str(floor)])
    assert shown.exit_code == 0, shown.output
    said = (
        f"returns {total} (fixed pays 54.38 %, meters 14.00 %, reseeds 226.24 %, envy {envy}, draws 0.00 %)"
    )
    where = f"link three at three-card-poker, {seats} seats"
    lines = shown.output.splitlines()
    assert f"{where}, {said}" in lines
    assert f"warning: {where}, {said}, more than the wager (A7)" in lines


def test_what_floor_to_seed_tops_up_is_said_to_come_on_top(floor: Path) -> None:
    """A4, A7: it depends on where the meter stood, so it is in no figure."""
    text = floor.read_text() + THREE.format(seats=7)
    floor.write_text(text.replace('id = "three"\n', 'id = "three"\nfloor_to_seed = true\n'))
    lines = CliRunner().invoke(app, ["check", str(floor)]).output.splitlines()
    assert [line for line in lines if line.endswith(") and what floor_to_seed tops up")] != []


def test_it_says_which_ledger_a_server_would_use(floor: Path) -> None:
    """S3: a slip in the ledger's path is a new ledger, at the seeds; what does not fit is named."""
    url = f"sqlite:///{floor.parent}/ledger.db"
    shown = CliRunner().invoke(app, ["check", str(floor)]).output.splitlines()
    assert (
        f"ledger {url} does not exist yet: `jackpot users init`, or else the first start, opens these banks "
        "in it: main, and site for its people; the first start opens every link at its seed"
    ) in shown
    assert not (floor.parent / "ledger.db").exists()
    floor.write_text(FLOOR.replace("ledger.db", "books/ledger.db"))
    shown = CliRunner().invoke(app, ["check", str(floor)]).output.splitlines()
    assert (
        f"warning: there is no folder {floor.parent}/books: a server makes its ledger, but no folder for it"
        in shown
    )
    floor.write_text(FLOOR)
    with closing(open_ledger(url)) as ledger:
        shown = CliRunner().invoke(app, ["check", str(floor)]).output.splitlines()
        assert any(line.startswith(f"ledger {url} is empty: `jackpot users init`, or ") for line in shown)
        open_banks(ledger, ("main", "old"), "riverside", 1)
    shown = CliRunner().invoke(app, ["check", str(floor)]).output.splitlines()
    assert f"ledger {url}: of site riverside, with the banks main, old" in shown
    assert any("warning: bank old is open in the ledger, and no link of the conf" in line for line in shown)
    floor.write_text(FLOOR.replace('decks = 1\nenvy = "A"', 'decks = 1\nenvy = "A"\nbank = "new"'))
    shown = CliRunner().invoke(app, ["check", str(floor)]).output.splitlines()
    assert any("warning: bank new is not in the ledger" in line for line in shown)
    floor.write_text(FLOOR.replace("[site]", '[site]\nid = "lakeside"'))
    done = CliRunner().invoke(app, ["check", str(floor)])
    assert done.exit_code == 1
    assert 'is the ledger of site "riverside", the configuration is of site "lakeside"' in done.output


def test_it_says_that_the_tax_law_is_of_an_earlier_year(floor: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A10: the figures of a new year are published, and somebody has to enter them."""
    floor.write_text(FLOOR.replace("[site]", '[site]\ntax = "us"'))
    last = law_of("us").years[-1].year
    for year, warned in ((last, False), (last + 1, True)):
        summer = int(datetime(year, 7, 1, tzinfo=UTC).timestamp() * 1000)
        monkeypatch.setattr(SystemClock, "unix_ms", lambda _, at=summer: at)
        shown = CliRunner().invoke(app, ["check", str(floor)]).output
        assert (f"site.tax: there are no figures of {year} yet; those of {last} go on" in shown) == warned


def test_it_says_where_signed_heads_go(floor: Path) -> None:
    """S8: who signs, and where to; and that nothing proves a ledger of which no head leaves the machine."""
    shown = CliRunner().invoke(app, ["check", str(floor)]).output.splitlines()
    assert "warning: without [heads] nothing outside the database proves the ledger" in shown
    section = heads(floor.parent, 'syslog = "/dev/log"')
    floor.write_text(FLOOR.replace("[ledger]", f"{section}\n[ledger]"))
    shown = CliRunner().invoke(app, ["check", str(floor)]).output.splitlines()
    key = site_key(floor.parent).fingerprint
    assert f"heads signed by the key {key} go to file {floor.parent}/heads.jsonl, syslog /dev/log" in shown
    assert not any("without [heads]" in line for line in shown)


def test_a_ledger_out_of_reach_is_no_mistake(floor: Path) -> None:
    """S3: servers wait for their database; the check says that it could not look."""
    floor.write_text(FLOOR.replace("sqlite:///ledger.db", "postgresql://jackpot:secret@127.0.0.1:1/jackpot"))
    done = CliRunner().invoke(app, ["check", str(floor)])
    assert done.exit_code == 0
    assert "ledger postgresql://jackpot@127.0.0.1:1/jackpot cannot be looked at from here:" in done.output
    assert "secret" not in done.output


def test_every_mistake_is_a_line(floor: Path) -> None:
    """Every mistake on a line of its own, with the table's id and line; their number; nothing on stdout."""
    text = FLOOR.replace('"USD"', '"$"').replace("15.25%", "15.255%").replace("seats = 7", "seats = 9")
    floor.write_text(text)
    shown = CliRunner().invoke(app, ["check", str(floor)])
    assert shown.exit_code == 1
    assert shown.stdout == ""
    lines = shown.stderr.splitlines()
    wrong = ('currency = "$"', 'primary = "15.255%"', "seats = 9")
    currency, primary, seats = (text.splitlines().index(line) + 1 for line in wrong)
    assert [line.split(": ")[0] for line in lines[:-1]] == [
        f"site.currency (line {currency})",
        f'link "four" level.meter.primary (line {primary})',
        f'table "T01" seats (line {seats})',
    ]
    assert not [line for line in lines if line.count("four") > 1 or line.count("T01") > 1], "named once"
    assert lines[-1] == f"{floor}: 3 mistakes"


def test_a_missing_file_is_one_clear_line(tmp_path: Path) -> None:
    """What cannot be read is said so, with a non-zero exit and no traceback."""
    shown = CliRunner().invoke(app, ["check", str(tmp_path / "none.toml")])
    assert shown.exit_code == 1
    assert "none.toml cannot be read: No such file" in shown.stderr
    assert "Traceback" not in shown.output


def test_the_example_and_the_schema_are_one(tmp_path: Path) -> None:
    """Config: the schema is one, the example's first line leads editors to it, and they agree."""
    shown = CliRunner().invoke(app, ["schema"])
    schema = json.loads(shown.stdout)
    Draft202012Validator.check_schema(schema)
    text = CliRunner().invoke(app, ["example"]).stdout
    assert text.startswith("#:schema config.schema.json\n")
    assert not list(Draft202012Validator(schema).iter_errors(tomllib.loads(text)))
    assert list(Draft202012Validator(schema).iter_errors(tomllib.loads(text + "[[tabel]]\n")))


def test_the_example_has_every_setting_of_each_table() -> None:
    """Config: what a table may hold stands in the example, as a setting or behind a #."""
    schema = json.loads(CliRunner().invoke(app, ["schema"]).stdout)
    text = CliRunner().invoke(app, ["example"]).stdout
    example = tomllib.loads(re.sub(r"(?m)^# (?=[a-z_]+ = |\[)", "", text))
    single = {name: table for name, table in schema["properties"].items() if "properties" in table}
    assert {"site", "listen", "heads", "notify"} <= single.keys()
    lacks = {name: set(table["properties"]) - example[name].keys() for name, table in single.items()}
    assert {name: settings for name, settings in lacks.items() if settings} == {}


def test_every_setting_has_words_for_an_editor() -> None:
    """Config: hovering over any setting says what it holds."""
    schema = json.loads(CliRunner().invoke(app, ["schema"]).stdout)

    def described(part: dict[str, Any]) -> bool:
        name = str(part.get("$ref", "")).removeprefix("#/$defs/")
        return "description" in part or (bool(name) and described(schema["$defs"][name]))

    def settings(part: Any) -> Iterator[dict[str, Any]]:
        if isinstance(part, dict):
            yield from part.get("properties", {}).values()
            for inner in part.values():
                yield from settings(inner)

    found = list(settings(schema))
    assert len(found) > 40
    assert all(map(described, found))


def test_the_example_is_checked_as_it_is_printed(tmp_path: Path) -> None:
    """Config: `config example`, the keys it names, `config check`: good."""
    text = CliRunner().invoke(app, ["example"]).stdout
    (tmp_path / "keys").mkdir()
    for file in re.findall(r'(?m)^key_file = "(.+?)"', text):
        (tmp_path / file).write_text(secrets.token_hex(32))
        (tmp_path / file).chmod(0o600)
    (tmp_path / "config.toml").write_text(text)
    shown = CliRunner().invoke(app, ["check", str(tmp_path / "config.toml")])
    assert shown.exit_code == 0, shown.output
    assert shown.stdout.endswith("config.toml: good\n")


def test_the_help_has_an_example() -> None:
    """The help shows how it is called."""
    shown = CliRunner().invoke(app, ["check", "--help"]).output
    assert "jackpot config check /etc/jackpot/config.toml" in shown


def test_servers_and_signs_are_shown_and_a_sign_of_several_banks_is_told_of(floor: Path) -> None:
    """DESIGN, beyond one machine: where each process answers, before it is started."""
    text = floor.read_text().replace("sqlite:///ledger.db", "postgresql://floor@db/ledger")
    text = text.replace('id = "four"', 'id = "four"\nbank = "side"')
    text += '[[sign]]\nid = "S01"\nlinks = ["bonus", "four"]\nkey_file = "T01"\n'
    for number, name in enumerate("ab"):
        text += f'[[server]]\nid = "{name}"\ntables = "127.0.0.1:{6000 + number}"\n'
    floor.write_text(text)
    done = CliRunner().invoke(app, ["check", str(floor)])
    assert done.exit_code == 0, done.output
    assert "sign S01: bonus, four" in done.stdout.splitlines()
    admin = f"admin socket {floor.parent / 'a.sock'}"
    assert f"server a: tables 127.0.0.1:6000, {admin}" in done.stdout.splitlines()
    assert "warning: sign S01 shows links of the banks main, side: only a server" in done.stdout


def test_sums_are_in_the_sites_currency(floor: Path) -> None:
    """A site in euros reads euros, as its locale writes them."""
    floor.write_text(FLOOR.replace('currency = "USD"', 'currency = "EUR"\nlocale = "de_DE"'))
    said = CliRunner().invoke(app, ["check", str(floor)])
    assert said.exit_code == 0, said.output
    assert "wager 2,00\xa0€" in said.output
    assert "limit 100.000,00\xa0€" in said.output
    assert "$" not in said.output


def test_an_offer_says_its_amounts_and_what_it_returns(floor: Path) -> None:
    """B3, B14: one return, or one for each number of players, and which of them were simulated."""
    for name, paytable in {"three": "pa-643a-three-card-bonus-B", "cover": "ma-lir-cover-all"}.items():
        bounds = (
            'least = "5.00"\nmost = "100.00"\napproved = "a letter"\nplaced = "layout"\ntables = ["T01"]\n'
        )
        floor.write_text(f'{floor.read_text()}[[offer]]\nid = "{name}"\npaytable = "{paytable}"\n{bounds}')
    done = CliRunner().invoke(app, ["check", str(floor)])
    assert done.exit_code == 0, done.output
    at = "wager $5.00 to $100.00 in steps of $5.00, on the layout"
    said = done.stdout.splitlines()
    assert f"offer three (bank main): pa-643a-three-card-bonus-B, {at}, returns 94.42 %" in said
    first = said.index(f"offer cover (bank main): ma-lir-cover-all, {at}")
    by_players = said[first + 1 : first + 8]
    assert by_players[0] == "  with 1 player: returns 89.02 %"
    assert [", simulated, give or take " in line for line in by_players] == [False, False, *[True] * 5]
    assert not any(line.startswith(("link three", "link cover")) for line in said)
