"""The demo floor: twelve tables of five games on two links, with bonus wagers, two signs, and its config."""

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
    """A bonus wager of the demo; amounts in cents.

    device: its chips are put into the wagering device; else they lie on the layout. more: other settings.
    """

    offer: str
    paytable: str
    least: int
    most: int
    unit: int
    device: bool = False
    more: tuple[str, ...] = ()

    def stands(self, game: Game) -> bool:
        """Whether the wager is paid after a fold, by the cards that are shown (B8)."""
        return fold_of(load(self.paytable), game) == "stands"


@dataclass(frozen=True)
class DemoPit:
    """Tables of one kind. link: None where they have bonus wagers alone."""

    game: Game
    tables: int
    link: str | None
    offers: tuple[DemoOffer, ...]


@dataclass(frozen=True)
class DemoPlace:
    """A table's place on the floor."""

    table: str
    pit: DemoPit

    @property
    def game(self) -> Game:
        return self.pit.game

    @property
    def link(self) -> str | None:
        return self.pit.link

    @property
    def offers(self) -> tuple[DemoOffer, ...]:
        return self.pit.offers

    @property
    def seats(self) -> int:
        return SEATS[self.game]


def _chips(offer: str, paytable: str, *more: str) -> DemoOffer:
    """A bonus wager of chips on the layout, from 5 to 100 dollars."""
    return DemoOffer(offer, paytable, 500, 10_000, 500, more=more)


# Which six cards make the hand, for that section's text is not held (B16).
_SIX: Final = ("own-1", "own-2", "board-1", "board-2", "board-3", "dealer-1")
# One table of Let It Ride plays by the rules of Massachusetts.
PITS: Final = (
    DemoPit(
        "let-it-ride",
        2,
        FIVE,
        (
            DemoOffer("five-bonus", "pa-643a-five-card-bonus-C", 100, 500, 100, True, ('stake = "kept"',)),
            _chips("three-bonus", "pa-643a-three-card-bonus-A"),
            _chips("six-bonus", "pa-643a-six-card-bonus-A"),
        ),
    ),
    DemoPit(
        "let-it-ride",
        1,
        None,
        (
            _chips("cover-all", "ma-lir-cover-all"),
            DemoOffer("dollar-bonus", "ma-lir-bonus", 100, 100, 100, True),
        ),
    ),
    DemoPit(
        "ultimate-texas-holdem",
        3,
        FIVE,
        (
            _chips("trips", "pa-653a-trips-A"),
            _chips("bad-beat", "pa-653a-bad-beat-A"),
            _chips("holdem-six", "pa-653a-six-card-bonus-A", f"cards = {json.dumps(_SIX)}"),
        ),
    ),
    DemoPit(
        "three-card-poker",
        3,
        THREE,
        (
            _chips("pair-plus", "pa-649a-2011-pair-plus-A"),
            _chips("three-six", "pa-649a-2011-six-card-bonus-A"),
        ),
    ),
    DemoPit("four-card-poker", 2, None, (_chips("aces-up", "pa-641a-2011-aces-up-A"),)),
    DemoPit("criss-cross-poker", 1, None, (_chips("cross-bonus", "pa-674a-five-card-bonus"),)),
)
OFFERS: Final = tuple(offer for pit in PITS for offer in pit.offers)
PLACES: Final = tuple(
    DemoPlace(f"T{number:02}", pit)
    for number, pit in enumerate((pit for pit in PITS for _ in range(pit.tables)), 1)
)


@dataclass(frozen=True)
class ManualHit:
    """A hit for a person to pay: the table whose first round wins at once, the hand, and its seat."""

    table: str
    hand: str
    seat: int


BY_HAND: Final = ManualHit("T01", "royal-flush", 3)

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
            f'placed = "{"device" if offer.device else "layout"}"',
            *offer.more,
            f"tables = {json.dumps(tables)}",
            *(f'{key} = "{cents // 100}.{cents % 100:02}"' for key, cents in amounts),
            'approved = "a floor that is simulated"',
            "",
        )
    )
