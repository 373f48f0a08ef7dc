"""The demo floor: twelve tables of four games on two links, with bonus wagers, two signs, and its config."""

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jackpot.catalogue import fold_of, load
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
class DemoOffer:
    """A bonus wager of the demo, at every table of a game; amounts in cents.

    device: its chips are put into the wagering device, and counted; else they lie on the layout.
    """

    offer: str
    paytable: str
    game: Game
    least: int
    most: int
    unit: int
    device: bool = False

    @property
    def stands(self) -> bool:
        """Whether the wager is paid after a fold, by the cards that are shown (B8)."""
        return fold_of(load(self.paytable), self.game) == "stands"


OFFERS: Final = (
    DemoOffer("five-bonus", "pa-643a-five-card-bonus-C", "let-it-ride", 100, 500, 100, device=True),
    DemoOffer("three-bonus", "pa-643a-three-card-bonus-A", "let-it-ride", 500, 10_000, 500),
    DemoOffer("trips", "pa-653a-trips-A", "ultimate-texas-holdem", 500, 10_000, 500),
    DemoOffer("pair-plus", "pa-649a-2011-pair-plus-A", "three-card-poker", 500, 10_000, 500),
    DemoOffer("aces-up", "pa-641a-2011-aces-up-A", "four-card-poker", 500, 10_000, 500),
)


@dataclass(frozen=True)
class DemoPlace:
    """A table's place on the floor. link: None where it has bonus wagers alone."""

    table: str
    game: Game
    link: str | None

    @property
    def seats(self) -> int:
        return SEATS[self.game]

    @property
    def offers(self) -> tuple[DemoOffer, ...]:
        return tuple(offer for offer in OFFERS if offer.game == self.game)


GAMES: Final[tuple[tuple[Game, str | None], ...]] = (
    ("let-it-ride", FIVE),
    ("ultimate-texas-holdem", FIVE),
    ("three-card-poker", THREE),
    ("four-card-poker", None),
)
TABLES_A_GAME: Final = 3

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
        f"{_links(place)}\n"
        f'key_file = "keys/{place.table}"\n'
        for place in PLACES
    )
    signs = "".join(
        f'\n[[sign]]\nid = "{sign}"\nlinks = ["{link}"]\nkey_file = "keys/{sign}"\n'
        for sign, link in SIGNS.items()
    )
    return head + LINKS + "".join(map(_offer, OFFERS)) + tables + signs


def _links(place: DemoPlace) -> str:
    return f'links = ["{place.link}"]' if place.link else "# bonus wagers alone"


def _offer(offer: DemoOffer) -> str:
    """Its [[offer]]."""
    tables = [place.table for place in PLACES if offer in place.offers]
    amounts = ((key, getattr(offer, key)) for key in ("least", "most", "unit"))
    return "\n".join(
        (
            "",
            "[[offer]]",
            f'id = "{offer.offer}"',
            f'paytable = "{offer.paytable}"',
            *(('placed = "device"', 'stake = "kept"') if offer.device else ('placed = "layout"',)),
            f"tables = {json.dumps(tables)}",
            *(f'{key} = "{cents // 100}.{cents % 100:02}"' for key, cents in amounts),
            'approved = "a floor that is simulated"',
            "",
        )
    )
