"""Is a configuration read whole, with every mistake named and none guessed?"""

import re
from collections.abc import Callable
from datetime import time
from fractions import Fraction
from importlib import resources
from pathlib import Path

import pytest

from controllers.pace import Limits
from jackpot.catalogue import return_of
from jackpot.config import Address, Config, ConfigErrors, Signage, differences, load
from jackpot.rules.paytable import LinkTerms, TableTerms

BASE = """
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
[[link]]
id = "five"
paytable = "pa-643a-five-card-C"
wager = "1.00"
decks = 1
[[link]]
id = "bonus"
paytable = "pa-643a-five-card-hand-bonus"
wager = "1.00"
decks = 1
[[table]]
id = "T01"
game = "let-it-ride"
seats = 7
links = ["five", "bonus"]
key_file = "keys/T01"
[[table]]
id = "T02"
game = "ultimate-texas-holdem"
seats = 6
links = ["five"]
key_file = "keys/T02"
[[sign]]
id = "S01"
links = ["five"]
key_file = "keys/S01"
"""

Floor = Callable[..., Path]


@pytest.fixture
def floor(tmp_path: Path) -> Floor:
    """A folder with device keys; called with edits (old, new) of BASE it writes the file."""
    keys = tmp_path / "keys"
    keys.mkdir()
    for number, device in enumerate(("T01", "T01.next", "T02", "T03", "T04", "S01"), 1):
        (keys / device).write_text(f"{number:02x}" * 32 + "\n")
        (keys / device).chmod(0o600)

    def write(*edits: tuple[str, str], more: str = "", text: str = BASE) -> Path:
        for old, new in edits:
            assert old in text, old
            text = text.replace(old, new, 1)
        file = tmp_path / "floor.toml"
        file.write_text(text + more)
        return file

    return write


def mistakes(file: Path) -> dict[str, str]:
    with pytest.raises(ConfigErrors) as caught:
        load(file)
    return dict(caught.value.mistakes)


def test_a_good_configuration(floor: Floor, tmp_path: Path) -> None:
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


def test_a_key_rotation_has_both_keys(floor: Floor) -> None:
    """A device's next key is valid beside its key, after it."""
    file = floor(('key_file = "keys/T01"', 'key_file = "keys/T01"\nkey_file_next = "keys/T01.next"'))
    assert load(file).keys_of("table", "T01") == (b"\x01" * 32, b"\x02" * 32)


def test_the_example_is_good(tmp_path: Path) -> None:
    """The annotated example is a valid configuration once its keys exist."""
    text = resources.files("jackpot").joinpath("schemas/config.example.toml").read_text()
    (tmp_path / "keys").mkdir()
    for number, device in enumerate(("T01", "T02", "T03", "T04", "S01")):
        (tmp_path / "keys" / device).write_text(f"{number:02x}" * 32)
        (tmp_path / "keys" / device).chmod(0o400)
    (tmp_path / "floor.toml").write_text(text)
    config = load(tmp_path / "floor.toml")
    assert len(config.links) == 4
    assert config.banks == ("main", "studio")
    uncommented = re.sub(r"(?m)^# (?=[a-z_]+ = |\[)", "", text)
    uncommented = uncommented.replace("sqlite:////var/lib/jackpot/ledger.db", "postgresql://db/ledger")
    for name in ("server.pem", "server.key", "devices.pem"):
        (tmp_path / "tls").mkdir(exist_ok=True)
        (tmp_path / "tls" / name).touch()
    for logo in ("logo.svg", "five.svg"):
        (tmp_path / logo).touch()
    (tmp_path / "keys" / "T01.next").write_text("ab" * 32)
    (tmp_path / "keys" / "T01.next").chmod(0o600)
    (tmp_path / "whole.toml").write_text(uncommented)
    whole = load(tmp_path / "whole.toml")
    assert whole.listen.tls is not None
    assert whole.listen.admin == Path("/run/jackpot/admin.sock")
    assert whole.redis == ("redis://127.0.0.1:6379",)
    assert whole.signage == (Signage("hall", *(Address("127.0.0.1", port) for port in (5721, 8090, 8091))),)
    assert whole.udp_signs[0].sender == "hall"
    assert whole.udp_signs[0].address == Address("239.1.2.3", 5712)
    assert whole.udp_signs[0].state_format == "{link}.state:{state}"
    assert whole.displays["floor-five"].logo == tmp_path / "five.svg"
    assert whole.displays["studio"].logo == tmp_path / "logo.svg"
    assert (whole.tables[0].max_rounds_per_minute, len(whole.keys_of("table", "T01"))) == (4, 2)


def test_every_mistake_is_named_at_once(floor: Floor) -> None:
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
    assert "known are tables, signs, http, public, admin, insecure, " in found["listen.port"]
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
        (('"five", "bonus"', ", ".join(f'"l{n}"' for n in range(11))), "table[0].links", "one to ten"),
        (("seats = 6", "seats = 7"), "table[1].seats", "at most 6 betting positions (L11)"),
        (("seats = 6", "seats = 6\nadjacent_boxes = 2"), "table[1].adjacent_boxes", "one position (T9)"),
        (("seats = 7", "seats = 3\nadjacent_boxes = 4"), "table[0].adjacent_boxes", "3 seats (T9)"),
        (("[[sign]]", "[[signs]]"), "signs", "is not known here"),
        (('[site]\nname = "Riverside"', "[site]"), "site.name", "is missing"),
    ],
)
def test_a_mistake(floor: Floor, edit: tuple[str, str], path: str, words: str) -> None:
    """L1, L11, T9, M1: one mistake is one sentence at its path, and brings up no other."""
    found = mistakes(floor(edit))
    assert list(found) == [path]
    assert words in found[path]


def test_a_game_that_the_link_is_not_for(floor: Floor) -> None:
    """L1: a table of another game is refused, naming table and link; no link takes Criss-Cross."""
    found = mistakes(
        floor(
            ("pa-643a-five-card-hand-bonus", "pa-643a-three-card-A"),
            ('links = ["five"]\nkey_file = "keys/T02"', 'links = ["bonus"]\nkey_file = "keys/T02"'),
        )
    )
    assert found == {
        "table[1].links": "table T02 plays ultimate-texas-holdem, link bonus is for let-it-ride only (L1)"
    }
    found = mistakes(floor(("ultimate-texas-holdem", "criss-cross-poker")))
    assert found == {
        "table[1].links": "table T02: criss-cross-poker has no progressive, link five cannot take it (L1)"
    }


@pytest.mark.parametrize(
    ("paytable", "allowed"),
    [
        ("ma-PTMGL01", {"let-it-ride", "ultimate-texas-holdem"}),
        ("ma-lir-progressive", {"let-it-ride"}),
        ("pa-643a-five-card-B", {"let-it-ride", "ultimate-texas-holdem"}),
        ("pa-653a-progressive-B", {"let-it-ride", "ultimate-texas-holdem"}),
        ("pa-653a-2011-progressive", {"ultimate-texas-holdem"}),
        ("pa-643a-three-card-A", {"let-it-ride"}),
        ("pa-649a-2011-progressive-A", {"three-card-poker"}),
        ("pa-641a-2011-progressive-A", {"four-card-poker"}),
    ],
)
def test_the_games_of_a_link(floor: Floor, paytable: str, allowed: set[str]) -> None:
    """L1: a paytable is for its own games and those of the one equal to it row for row."""
    level = 'primary = "20%"\nseed = "10000.00"\nreseed = "10000.00"'
    if paytable.startswith(("pa-643a", "pa-653a-progressive")):
        level = ""
    elif paytable == "ma-PTMGL01":
        level = 'primary = "20%"'
    envy = 'envy = "A"' if paytable.startswith("pa-641a") else ""
    link = f'[[link]]\nid = "x"\npaytable = "{paytable}"\nwager = "1.00"\ndecks = 1\n{envy}\n'
    link += f"[link.level.meter]\n{level}\n" if level else ""
    took: set[str] = set()
    for game in ("let-it-ride", "ultimate-texas-holdem", "three-card-poker", "four-card-poker"):
        table = f'[[table]]\nid = "T03"\ngame = "{game}"\nseats = 6\nlinks = ["x"]\nkey_file = "keys/T03"\n'
        file = floor(more=link + table)
        if game in allowed:
            took.update(terms.game for terms in load(file).tables if terms.table == "T03")
        else:
            assert list(mistakes(file)) == ["table[2].links"]
    assert took == allowed


def test_a_link_that_is_given_twice(floor: Floor) -> None:
    """L1: an id names one link; a table on either is not guessed to be on the first."""
    assert mistakes(floor(('id = "bonus"', 'id = "five"')))["link"] == (
        "the id five is given to 2 of them: link[0], link[1]"
    )


def test_the_links_of_a_table_agree(floor: Floor) -> None:
    """L2: one bank on a table."""
    second = 'paytable = "pa-643a-five-card-hand-bonus"\n'
    found = mistakes(floor((second, f'{second}bank = "other"\n')))
    assert found == {"table[0].links": "table T01: its links differ in bank: five main, bonus other (L2)"}


@pytest.mark.parametrize(
    ("content", "mode", "words"),
    [
        ("01" * 32, 0o640, "mode 0640"),
        ("01" * 32, 0o644, "chmod 600"),
        ("01" * 31, 0o600, "64 hex digits"),
        ("01" * 33, 0o600, "64 hex digits"),
        ("xy" * 32, 0o600, "64 hex digits"),
        ("01 " * 32, 0o600, "64 hex digits"),
        ("é" * 32, 0o600, "64 hex digits"),
        ("", 0o600, "64 hex digits"),
    ],
)
def test_a_key_file_is_checked(floor: Floor, tmp_path: Path, content: str, mode: int, words: str) -> None:
    """A key is 32 bytes as 64 hex digits in a file that only its owner reads; no key is ever shown."""
    key = tmp_path / "keys" / "T01"
    key.write_text(content)
    key.chmod(mode)
    found = mistakes(floor())
    assert list(found) == ["table[0].key_file"]
    assert words in found["table[0].key_file"]
    assert not content or content not in found["table[0].key_file"]


def test_plain_listeners_beyond_loopback(floor: Floor, tmp_path: Path) -> None:
    """A plain listener beyond loopback is either meant (and then warned of) or encrypted."""
    public = ("127.0.0.1:5711", "0.0.0.0:5711")
    meant = load(floor(public, ("[listen]", "[listen]\ninsecure = true")))
    assert meant.listen.insecure
    assert any("listen.signs: 0.0.0.0:5711 is plain" in warning for warning in meant.warnings)
    found = mistakes(floor(public, ("[[link]]", '[listen.tls]\ncert = "c.pem"\nkey = "k.pem"\n[[link]]')))
    assert list(found) == ["listen.tls.cert", "listen.tls.key"]
    for name in ("c.pem", "k.pem"):
        (tmp_path / name).touch(mode=0o600)
    tls = load(floor(public, ("[[link]]", '[listen.tls]\ncert = "c.pem"\nkey = "k.pem"\n[[link]]')))
    assert tls.listen.tls is not None
    assert tls.warnings == ()


def test_ports_that_the_system_chooses(floor: Floor) -> None:
    """Port 0 may be asked for by several listeners."""
    config = load(floor(("127.0.0.1:5710", "127.0.0.1:0"), ("127.0.0.1:5711", "[::1]:0")))
    assert config.listen.signs == Address("::1", 0)
    assert str(config.listen.signs) == "[::1]:0"


def test_warnings(floor: Floor) -> None:
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


def test_a_private_key_that_everybody_can_read(floor: Floor, tmp_path: Path) -> None:
    """Who has the server's TLS key can play the server. A group may share it, but no device's key."""
    tls = tmp_path / "server.pem"
    tls.write_text("a certificate and its key")
    file = floor(more=f'[listen.tls]\ncert = "{tls}"\nkey = "{tls}"\n')
    tls.chmod(0o644)
    assert [line for line in load(file).warnings if "listen.tls.key" in line] == [
        f"listen.tls.key: {tls} has mode 0644: everybody here can read the private key (chmod 640)"
    ]
    tls.chmod(0o640)
    assert not any("listen.tls.key" in line for line in load(file).warnings)
    (tmp_path / "keys" / "T01").chmod(0o640)
    assert "only its owner may read a key" in mistakes(file)["table[0].key_file"]


def test_a_udp_format(floor: Floor) -> None:
    """A signage text names link, level and amount, and nothing of the program's inside."""
    sign = '[[udp_sign]]\naddress = "239.1.2.3:5712"\nlinks = ["five"]\nformat = '
    assert mistakes(floor(more=sign + '"{link.__class__}"\n')) == {
        "udp_sign[0].format": "{link.__class__} is not one of {amount}, {cents}, {level}, {link}"
    }
    assert "udp_sign[0].format" in mistakes(floor(more=sign + '"{link"\n'))


def test_servers_that_share_a_ledger(floor: Floor, tmp_path: Path) -> None:
    """DESIGN, beyond one machine: each listens where devices can be sent; they share one PostgreSQL."""
    shared = ("sqlite:///ledger.db", "postgresql://jackpot@db/ledger")
    one = '[[server]]\nid = "a"\ntables = "127.0.0.1:5710"\nhttp = "127.0.0.1:8080"\nbanks = ["main"]\n'
    two = '[[server]]\nid = "b"\ntables = "127.0.0.1:5720"\nadmin = "/run/b.sock"\n'
    assert "has one server" in mistakes(floor(more=one))["server[0]"]
    found = load(floor(shared, more=one + two))
    assert [(server.id, server.banks) for server in found.servers] == [("a", ("main",)), ("b", ())]
    assert found.server is None
    first, second = found.of_server("a"), found.of_server("b")
    assert first.listen.admin == tmp_path / "a.sock"
    assert (first.listen.http, first.listen.signs) == (Address("127.0.0.1", 8080), None)
    assert (second.listen.tables, second.listen.admin) == (Address("127.0.0.1", 5720), Path("/run/b.sock"))
    wrong = one.replace("127.0.0.1:5710", "0.0.0.0:5710").replace("main", "north")
    assert mistakes(floor(shared, more=wrong)).keys() >= {"server[0].tables", "server[0].banks"}
    assert mistakes(floor(shared, more=one + one))["server"] == (
        "the id a is given to 2 of them: server[0], server[1]"
    )
    same = mistakes(floor(shared, more=one + two.replace("5720", "5710")))
    assert same == {"server[1].tables": "127.0.0.1:5710 is already that of server a"}


def test_signage_processes(floor: Floor, tmp_path: Path) -> None:
    """DESIGN, beyond one machine: fed by Redis, each one sender of UDP, and none needs a table's key."""
    redis = '[redis]\nurl = ["redis://a:6379", "rediss://b:6379"]\n'
    hall = '[[signage]]\nid = "hall"\nsigns = "10.0.0.1:5721"\n'
    udp = '[[udp_sign]]\naddress = "10.0.0.9:1"\nlinks = ["five"]\nformat = "{amount}"\nsender = "bar"\n'
    assert mistakes(floor(more=hall + udp)) == {
        "signage[0]": "a signage process is fed by Redis: give [redis] url",
        "signage[0].signs": "10.0.0.1:5721 is plain and beyond loopback: "
        "give [listen.tls], or insecure = true",
        "udp_sign[0].sender": "there is no signage process bar",
    }
    assert mistakes(floor(more='[redis]\nurl = ["http://a"]\n')) == {
        "redis.url": 'this is not "redis://..." or "rediss://...", or a list of them'
    }
    for url in ("redis://", "redis://a:x", "redis://[::1"):
        assert "redis.url" in mistakes(floor(more=f'[redis]\nurl = "{url}"\n')), url
    file = floor(more=redis + hall.replace("10.0.0.1", "127.0.0.1"))
    assert load(file).redis == ("redis://a:6379", "rediss://b:6379")
    for table in ("T01", "T02"):
        (tmp_path / "keys" / table).unlink()
    assert "table[0].key_file" in mistakes(file)
    assert set(load(file, roles=("sign",)).keys) == {("sign", "S01")}


def test_how_pages_show_a_link(floor: Floor) -> None:
    """DESIGN config: a link's own face, else the site's, else a default; mistakes have their paths."""
    face = '[link.display]\ntitle = "Royal"\naccent = "#112233"\nlevels = { mega = "Grand" }\n'
    config = load(
        floor(
            ('[[link]]\nid = "bonus"', face + '[[link]]\nid = "bonus"'),
            ("[ledger]", 'background = "#445566"\n[ledger]'),
        )
    )
    five, bonus_ = config.displays["five"], config.displays["bonus"]
    assert (five.title, five.accent, five.background) == ("Royal", "#112233", "#445566")
    assert (five.levels["mega"], five.levels["minor"]) == ("Grand", "Minor")
    assert (bonus_.title, bonus_.background, bonus_.logo) == ("Bonus", "#445566", None)
    wrong = 'locale = "xx_YY"\nlogo = "keys/T01"\n[ledger]'
    assert mistakes(floor(("[ledger]", wrong))) == {
        "site.locale": "'xx_YY' is no locale, like en_US or de_AT",
        "site.logo": "T01 is no image that pages show: .svg, .png, .jpg, .jpeg, .webp",
    }


def bonus(magic: int = 0, lucky: int = 0) -> tuple[str, str]:
    draws = f"magic_card_every = {magic}\n" * bool(magic) + f"lucky_every = {lucky}\n" * bool(lucky)
    return 'id = "bonus"\n', f'id = "bonus"\n{draws}'


def test_what_a_wager_returns(floor: Floor) -> None:
    """A7: exactly - the Magic Card 20 x 5/52 / N, the Lucky Bonus 5 / seats / N, the odds by combinations."""
    returns = return_of(load(floor(bonus(magic=100, lucky=50))).links[1], 7)
    odds = Fraction(500 * 624 + 100 * 3_744 + 50 * 5_108, 2_598_960)
    draws = Fraction(20 * 5, 52 * 100) + Fraction(5, 7 * 50)
    assert returns == (Fraction(21, 100), odds, draws)
    assert returns.total == Fraction(21, 100) + odds + draws
    assert return_of(load(floor()).links[1], 7).draws == 0


@pytest.mark.parametrize(
    ("magic", "lucky", "good"),
    [(0, 1, False), (0, 2, True), (3, 0, False), (4, 0, False), (5, 0, True), (5, 2, False), (10, 4, True)],
)
def test_draws_that_return_more_than_the_wager_are_refused(
    floor: Floor, magic: int, lucky: int, good: bool
) -> None:
    """A7: with 21 % onto the meters and 36.23 % by odds the draws may return 42.76 %, and no more."""
    file = floor(bonus(magic, lucky))
    if good:
        assert isinstance(load(file), Config)
    else:
        found = mistakes(file)
        assert list(found) == ["table[0].links"]
        assert "more than the wager: fewer draws (A7)" in found["table[0].links"]


GENEROUS = """
[[link]]
id = "proposed"
paytable = "pa-653a-2011-progressive"
wager = "1.00"
decks = 1
[link.level.meter]
primary = "20%"
seed = "10000.00"
reseed = "10000.00"
"""
HOLDEM = """
[[table]]
id = "T0{number}"
game = "ultimate-texas-holdem"
seats = 6
links = ["{link}"]
key_file = "keys/T0{number}"
"""


def holdem(number: int, link: str) -> str:
    return HOLDEM.format(number=number, link=link)


def test_a_paytable_without_draws_is_never_refused_for_its_return(floor: Floor) -> None:
    """A7: what the text itself returns above the wager is said once, and taken."""
    file = floor(more=GENEROUS + holdem(3, "proposed") + holdem(4, "proposed"))
    (found,) = [text for text in load(file).warnings if "returns" in text]
    assert found == (
        "link proposed at ultimate-texas-holdem returns 503.29 % (meters 20.00 %, odds 483.29 %), more "
        "than the wager (A7)"
    )


def test_a_hand_bonus_of_two_games_is_one_link(floor: Floor) -> None:
    """L1, A6: tables of 643a and 653a share it; H2: which cards count at a 653a table is our own reading."""
    config = load(floor(more=holdem(3, "bonus")))
    assert [table.links for table in config.tables if "bonus" in table.links] == [
        ("five", "bonus"),
        ("bonus",),
    ]
    assert config.links[1].dealer_hand
    (found,) = [text for text in config.warnings if "(H2)" in text]
    assert found.startswith("link bonus at ultimate-texas-holdem: 58 Pa. Code § 653a.12(e)(2) does not say")


def test_no_draw_reaches_a_table_of_653a(floor: Floor) -> None:
    """A7: not by its own paytable, nor by the twin that its table shares."""
    found = mistakes(floor(bonus(magic=100), more=holdem(3, "bonus")))
    assert list(found) == ["table[2].links"]
    assert "table T03, link bonus: its draws are not for ultimate-texas-holdem" in found["table[2].links"]


def test_massachusetts_cards_are_said_for_let_it_ride_alone(floor: Floor) -> None:
    """L1: an Ultimate Texas Hold 'Em table on a multi game link is warned of, a Let It Ride table is not."""
    link = """
[[link]]
id = "multi"
paytable = "ma-PTMGL01"
wager = "2.00"
decks = 1
[link.level.meter]
primary = "20%"
[link.envy_approved]
royal-flush = "2000.00"
straight-flush = "600.00"
"""
    ride = holdem(3, "multi").replace("ultimate-texas-holdem", "let-it-ride")
    assert not [text for text in load(floor(more=link + ride)).warnings if "(H2)" in text]
    (found,) = [text for text in load(floor(more=link + holdem(3, "multi"))).warnings if "(H2)" in text]
    assert "s. 12(f) says which cards count for Let It Ride only" in found


def test_a_file_that_is_none(floor: Floor, tmp_path: Path) -> None:
    """A missing file and text that is not TOML are one mistake each, said plainly."""
    with pytest.raises(ConfigErrors, match="cannot be read: No such file"):
        load(tmp_path / "none.toml")
    with pytest.raises(ConfigErrors, match=r"is not TOML: .*line \d+"):
        load(floor(("[site]", "[site")))


def test_where_the_ledger_and_the_configuration_differ(floor: Floor) -> None:
    """L9: a parameter that changed is found, in words, and so is nothing else."""
    old = load(floor()).links[0]
    assert differences(old, old) == []
    assert differences(old, load(floor(('wager = "1.00"', 'wager = "5.00"'))).links[0])[0] == (
        "wager: 1.00 in the ledger, 5.00 in the configuration"
    )
    limit = '[link.level.mega]\nlimit = "20000.00"\nlimit_approval = "yes"\n[[link]]\nid = "bonus"'
    new: LinkTerms = load(
        floor(('decks = 1\n[[link]]\nid = "bonus"', f'decks = 1\nvalidate_at = "500.00"\n{limit}'))
    ).links[0]
    assert differences(old, new) == [
        "level mega limit: none in the ledger, 20,000.00 in the configuration",
        "validate_at: none in the ledger, 500.00 in the configuration",
    ]
    other = load(floor(("pa-643a-five-card-C", "pa-643a-five-card-A"))).links[0]
    assert "levels: mega, major, minor in the ledger, meter in the configuration" in differences(old, other)
