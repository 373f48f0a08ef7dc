"""Definition of the demo floor: twelve tables of three games on two links, two signs, and its config."""

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jackpot.rules.paytable import SEATS, Game

WAGER_CENTS: Final = 100

# The ledger's file, in the floor's folder.
SQLITE: Final = "sqlite:///ledger.db"

# Port of a new floor: the system gives one that is free.
ANY_PORT: Final = "127.0.0.1:0"
# Where a configuration says that the pages are.
_PAGES_AT: Final = re.compile(r'^http = "127\.0\.0\.1:\d+"$', re.MULTILINE)

FIVE: Final = "floor-five"
THREE: Final = "floor-three"

# Odds awards below this wait for nobody, so that the tables play on while the supervisor walks.
VALIDATE_AT: Final = "50.00"

# A payment to one seat from this sum on takes a tax form, as in many jurisdictions.
TAX_FORM_FROM: Final = "2000.00"

LINKS: Final = f"""
# One five-card progressive over two games: their paytables are equal row for row.
[[link]]
id = "{FIVE}"
paytable = "pa-643a-five-card-C"
wager = "1.00"
decks = 1
count_chips = false  # the simulated dealers count none
validate_at = "{VALIDATE_AT}"
[link.display]
title = "Riverside Five"

[[link]]
id = "{THREE}"
paytable = "pa-649a-2011-progressive-A"
wager = "1.00"
decks = 1
count_chips = false  # the simulated dealers count none
validate_at = "{VALIDATE_AT}"
[link.level.meter]
primary = "14%"
seed = "1000.00"
reseed = "1000.00"
[link.display]
title = "Riverside Three"
accent = "#6fd3ff"
"""


@dataclass(frozen=True)
class DemoPlace:
    """A table's place on the floor."""

    table: str
    game: Game
    link: str

    @property
    def seats(self) -> int:
        return SEATS[self.game]


GAMES: Final[tuple[tuple[Game, str], ...]] = (
    ("let-it-ride", FIVE),
    ("ultimate-texas-holdem", FIVE),
    ("three-card-poker", THREE),
)
TABLES_A_GAME: Final = 4

PLACES: Final = tuple(
    DemoPlace(f"T{TABLES_A_GAME * pit + number:02}", game, link)
    for pit, (game, link) in enumerate(GAMES)
    for number in range(1, TABLES_A_GAME + 1)
)


@dataclass(frozen=True)
class ByHand:
    """A hit for a person to pay: the table whose first round wins at once, the hand, and its seat."""

    table: str
    hand: str
    seat: int


BY_HAND: Final = ByHand("T01", "royal-flush", 3)

# Each sign hangs over the tables of one link.
SIGNS: Final = {"S01": FIVE, "S02": THREE}


def furnish(folder: Path, url: str = SQLITE, more: str = "", port: int | None = None) -> Path:
    """Writes the configuration and the device keys that are missing; returns the configuration's path.

    url: of the ledger, for a new configuration; more: further sections of it. port: of the pages, also of a
    configuration that is there. The folder can afterwards be served by `jackpot serve` as it stands.
    """
    keys = folder / "keys"
    keys.mkdir(parents=True, exist_ok=True)
    for device in (*(place.table for place in PLACES), *SIGNS):
        path = keys / device
        if not path.exists():
            path.touch(mode=0o600)
            path.write_text(secrets.token_hex(32) + "\n")
    config = folder / "floor.toml"
    if not config.exists():
        config.write_text(_config(url) + more)
    if port is not None:
        _write(config, _PAGES_AT.sub(f'http = "127.0.0.1:{port}"', config.read_text(), count=1))
    return config


def keep_ports(folder: Path, ports: Mapping[str, int]) -> None:
    """Writes a server's bound ports into its configuration, so that a later one has the same addresses.

    ports: by listener. A port that the configuration names already stays.
    """
    config = folder / "floor.toml"
    before = text = config.read_text()
    for name, port in ports.items():
        text = text.replace(f'\n{name} = "{ANY_PORT}"\n', f'\n{name} = "127.0.0.1:{port}"\n')
    if text != before:
        _write(config, text)


def _write(config: Path, text: str) -> None:
    """Replaces the file at once: a partly written one would not be a valid configuration."""
    fresh = config.with_suffix(".new")
    fresh.write_text(text)
    fresh.replace(config)


def key(folder: Path, device: str) -> bytes:
    """A device's key, from its file."""
    return bytes.fromhex((folder / "keys" / device).read_text().strip())


def _config(url: str) -> str:
    head = f"""\
# The floor of `jackpot demo`.
[site]
name = "Riverside (simulated)"
currency = "USD"
gaming_day_ends = "06:00"
timezone = "America/New_York"
tax_form_from = "{TAX_FORM_FROM}"

[ledger]
url = "{url}"

[listen]
tables = "{ANY_PORT}"
signs = "{ANY_PORT}"
http = "{ANY_PORT}"
"""
    tables = "".join(
        f'\n[[table]]\nid = "{place.table}"\ngame = "{place.game}"\nseats = {place.seats}\n'
        f'links = ["{place.link}"]\nkey_file = "keys/{place.table}"\n'
        for place in PLACES
    )
    signs = "".join(
        f'\n[[sign]]\nid = "{sign}"\nlinks = ["{link}"]\nkey_file = "keys/{sign}"\n'
        for sign, link in SIGNS.items()
    )
    return head + LINKS + tables + signs
