"""A configuration is read whole, with every mistake named and none guessed."""

import grp
import os
import re
from datetime import time
from importlib import resources
from pathlib import Path

import pytest
import trustme

from controllers.pace import Limits
from jackpot.config import Address, ConfigErrors, Shift, Signage, load
from jackpot.rules.paytable import TableTerms
from tests.config.floor import WriteFloor, mistakes
from tests.config.test_places import certificate
from tests.notify.heads import site_key

SHIFT = """
[[shift]]
name = "{}"
begins = "{}"
"""


def test_a_good_configuration(floor: WriteFloor, tmp_path: Path) -> None:
    """L1, L2: links are resolved, a twin paytable's game shares the link, the defaults are as documented."""
    config = load(floor())
    assert config.path == tmp_path / "floor.toml"
    assert config.site.gaming_day_ends == time(6, 0)
    assert config.ledger.url == f"sqlite:///{tmp_path}/ledger.db"
    assert config.listen.tables == Address("127.0.0.1", 5710)
    assert config.listen.admin == tmp_path / "ledger.sock"
    assert (config.listen.http, config.listen.tls, config.listen.insecure) == (None, None, False)
    assert config.limits == Limits(2_000, 1_048_576, 100, 5_000)
    assert [(link.link, link.bank, link.simultaneous, link.hold_table) for link in config.links] == [
        ("five", "main", "order", True),
        ("bonus", "main", "order", True),
    ]
    assert config.tables == (
        TableTerms("T01", "let-it-ride", 7, ("five", "bonus"), 2, 0),
        TableTerms("T02", "ultimate-texas-holdem", 6, ("five",), 1, 0),
    )
    assert config.keys_of("table", "T01") == (b"\x01" * 32,)
    assert config.keys_of("sign", "T01") == ()
    assert config.banks == ("main",)
    assert config.warnings == ()


def test_shifts_are_of_a_site(floor: WriteFloor) -> None:
    """The director: shifts as they are written; none where a gaming day has thirds."""
    assert load(floor()).site.shifts == ()
    day, night = SHIFT.format("day", "06:15"), SHIFT.format("night", "18:00")
    assert load(floor(more=day + night)).site.shifts == (Shift("day", time(6, 15)), Shift("night", time(18)))


def test_shifts_that_cannot_be_are_named(floor: WriteFloor) -> None:
    """The director: no two shifts begin together or have one name; hours are counted by quarters."""
    more = SHIFT.format("day", "06:00") + SHIFT.format("day", "06:00") + SHIFT.format("late", "22:10")
    found = dict(mistakes(floor(more=more)))
    assert found["shift[1].name"] == "'day' is that of another shift, too"
    assert found["shift[1].begins"] == "'06:00' is that of another shift, too"
    assert "at a quarter of an hour" in found["shift[2].begins"]


def test_the_example_is_good(tmp_path: Path) -> None:
    """The annotated example is a valid configuration once its keys exist."""
    text = resources.files("jackpot").joinpath("schemas/config.example.toml").read_text()
    (tmp_path / "keys").mkdir()
    for number, device in enumerate(("T01", "T02", "T03", "T04", "T05", "S01")):
        (tmp_path / "keys" / device).write_text(f"{number:02x}" * 32)
        (tmp_path / "keys" / device).chmod(0o400)
    (tmp_path / "floor.toml").write_text(text)
    config = load(tmp_path / "floor.toml")
    assert len(config.links) == 4
    assert config.banks == ("main", "studio")
    uncommented = re.sub(r"(?m)^# (?=[a-z_]+ = |\[)", "", text)
    uncommented = uncommented.replace("sqlite:////var/lib/jackpot/ledger.db", "postgresql://db/ledger")
    uncommented = uncommented.replace("jackpot-staff", grp.getgrgid(os.getgid()).gr_name)
    (tmp_path / "tls").mkdir()
    (tmp_path / "tls" / "devices.pem").touch()
    certificate(tmp_path / "tls" / "server.pem", tmp_path / "tls" / "server.key")
    for file in ("logo.svg", "five.svg", "hall.webm", "brand.woff2", "show.webp", "dinner.mp4"):
        (tmp_path / file).touch()
    (tmp_path / "keys" / "T01.next").write_text("ab" * 32)
    (tmp_path / "keys" / "T01.next").chmod(0o600)
    for name in ("site", "site-2025"):
        site_key(tmp_path / "keys", name)
    for name in ("audit-ca.pem", "pager-ca.pem"):
        trustme.CA().cert_pem.write_to_path(str(tmp_path / "tls" / name))
    (tmp_path / "keys" / "notify").touch(mode=0o600)
    (tmp_path / "keys" / "notify").write_text("ab" * 32)
    (tmp_path / "whole.toml").write_text(uncommented)
    whole = load(tmp_path / "whole.toml")
    assert whole.listen.tls is not None
    assert whole.listen.admin == Path("/run/jackpot/admin.sock")
    assert whole.heads is not None
    assert whole.heads.webhook == "https://audit.example.com/heads"
    assert whole.redis == ("redis://127.0.0.1:6379",)
    assert whole.signage == (Signage("hall", *(Address("127.0.0.1", port) for port in (5721, 8090, 8091))),)
    assert whole.udp_signs[0].sender == "hall"
    assert whole.udp_signs[0].address == Address("239.1.2.3", 5712)
    assert whole.udp_signs[0].state_format == "{link}.state:{state}"
    assert whole.displays["floor-five"].logo == tmp_path / "five.svg"
    assert whole.displays["studio"].logo == tmp_path / "logo.svg"
    assert (whole.tables[0].max_rounds_per_minute, len(whole.keys_of("table", "T01"))) == (4, 2)


def test_every_mistake_is_named_at_once(floor: WriteFloor) -> None:
    """Faults of shape and of rules, in links, tables, keys and listeners, in one reading."""
    file = floor(
        ('currency = "USD"', 'currency = "dollars"'),
        ('timezone = "America/New_York"', 'timezone = "Mars/Olympus"'),
        ('tables = "127.0.0.1:5710"', 'tables = "0.0.0.0:5710"\nport = 1'),
        ("decks = 1", "deck = 1"),
        (
            'paytable = "pa-643a-five-card-hand-bonus"',
            'paytable = "pa-643a-five-card-C"\nsimultaneous = "share"',
        ),
        ("seats = 7", "seats = 8"),
        ('key_file = "keys/T02"', 'key_file = "keys/T99"'),
        ('links = ["five"]\nkey_file = "keys/S01"', 'links = ["six"]\nkey_file = "keys/S01"'),
    )
    found = mistakes(file)
    assert set(found) == {
        "site.currency",
        "site.timezone",
        "listen.port",
        "listen.tables",
        "link[0].decks",
        "link[0].deck",
        "link[1].simultaneous",
        "table[0].seats",
        "table[1].key_file",
        "sign[0].links",
    }
    assert found["site.currency"] == "'dollars' is not a currency's three capital letters, like \"USD\""
    assert found["link[0].decks"] == "is missing"
    assert "known are tables, signs, http, public, admin, admin_group, insecure, " in found["listen.port"]
    assert "insecure = true" in found["listen.tables"]
    assert found["table[0].seats"] == "let-it-ride has at most 7 betting positions (L11)"


@pytest.mark.parametrize(
    ("edit", "path", "words"),
    [
        (('timezone = "America/New_York"', 'timezone = "Mars/Olympus"'), "site.timezone", "no time zone"),
        (('"06:00"', '"24:00"'), "site.gaming_day_ends", "time of day"),
        (("sqlite:///ledger.db", "postgresql://db"), "ledger.url", "names no database"),
        (
            ('url = "sqlite:///ledger.db"', 'url = "sqlite:///ledger.db"\nrequire_synchronous = true'),
            "ledger.require_synchronous",
            "has no standby",
        ),
        (("sqlite:///ledger.db", "mysql://db"), "ledger.url", "sqlite:///relative.db"),
        (("127.0.0.1:5711", "127.0.0.1:5710"), "listen.signs", "port 5710 is already that of tables"),
        (("127.0.0.1:5711", "127.0.0.1:70000"), "listen.signs", "above 65535"),
        (("127.0.0.1:5711", "[::]:5711"), "listen.signs", "beyond loopback"),
        (("127.0.0.1:5711", "127.0.0.1"), "listen.signs", "an address and a port"),
        (('tables = "', 'admin = "' + "a" * 108 + '"\ntables = "'), "listen.admin", "longer than 107 bytes"),
        (('wager = "1.00"', "wager = 1.5"), "link[0].wager", "a sum of money as text"),
        (('wager = "1.00"', 'wager = "3.00"'), "link[0].wager", "(L1)"),
        (("decks = 1", "decks = 1.0"), "link[0].decks", "is a float"),
        (("decks = 1", "decks = 2"), "link[0].decks", "one deck (L1)"),
        (('id = "T02"', 'id = "T01"'), "table", "given to 2 of them: table[0], table[1]"),
        (('id = "T02"', 'id = "T 02"'), "table[1].id", "A-Z a-z 0-9"),
        (('id = "T02"', 'id = "T02\\n"'), "table[1].id", "A-Z a-z 0-9"),
        (('"five", "bonus"', '"five", "six"'), "table[0].links", "no link six"),
        (('"five", "bonus"', '"five", "five"'), "table[0].links", "different links"),
        (('"five", "bonus"', ""), "table[0].links", "one or more"),
        (('"five", "bonus"', ", ".join(f'"l{n}"' for n in range(9))), "table[0].links", "one to eight"),
        (("seats = 6", "seats = 7"), "table[1].seats", "at most 6 betting positions (L11)"),
        (("seats = 6", "seats = 6\nadjacent_boxes = 2"), "table[1].adjacent_boxes", "one position (T9)"),
        (("seats = 7", "seats = 3\nadjacent_boxes = 4"), "table[0].adjacent_boxes", "3 seats (T9)"),
        (("[[sign]]", "[[signs]]"), "signs", "is not known here"),
        (('[site]\nname = "Riverside"', "[site]"), "site.name", "is missing"),
    ],
)
def test_a_mistake(floor: WriteFloor, edit: tuple[str, str], path: str, words: str) -> None:
    """L1, L11, T9, M1: one mistake is one sentence at its path, and brings up no other."""
    found = mistakes(floor(edit))
    assert list(found) == [path]
    assert words in found[path]


def test_warnings(floor: WriteFloor) -> None:
    """What may be meant is warned of: a proposed paytable, an idle link, a held table, a shared key."""
    more = """
[[link]]
id = "idle"
paytable = "pa-653a-2011-progressive"
wager = "1.00"
decks = 1
hold_table = false
[link.level.meter]
primary = "15%"
seed = "10000.00"
reseed = "10000.00"
[[udp_sign]]
address = "239.1.2.3:5712"
links = ["idle"]
format = "{link}.{level}:{amount}"
"""
    config = load(floor(('key_file = "keys/S01"', 'key_file = "keys/T02"'), more=more))
    text = "\n".join(config.warnings)
    for words in (
        "link idle: pa-653a-2011-progressive was proposed",
        "hold_table = false",
        "link idle: no table is on it",
        "table T02, sign S01 share one key",
    ):
        assert words in text


def test_a_file_that_is_none(floor: WriteFloor, tmp_path: Path) -> None:
    """A missing file and text that is not TOML are one mistake each, said plainly."""
    with pytest.raises(ConfigErrors, match="cannot be read: No such file"):
        load(tmp_path / "none.toml")
    with pytest.raises(ConfigErrors, match=r"is not TOML: .*line \d+"):
        load(floor(("[site]", "[site")))


@pytest.mark.parametrize("code", ["ABC", "X" * 3, "XTS"])
def test_a_currency_is_one_that_there_is(floor: WriteFloor, code: str) -> None:
    """An unknown currency is a mistake: pages would show its three letters."""
    found = mistakes(floor(('"USD"', f'"{code}"')))
    assert found == {"site.currency": f"{code!r} is no currency, like USD or EUR"}
