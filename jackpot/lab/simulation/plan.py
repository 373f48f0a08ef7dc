"""Plan of a simulated floor: tables of one game on one link of any paytable, and its configuration."""

import json
import re
import secrets
from datetime import date
from pathlib import Path
from typing import Any, Final, NamedTuple

from jackpot.catalogue import games_of, load
from jackpot.lab.demo.dealing import LAYOUTS
from jackpot.rules.paytable import SEATS, Game

LINK: Final = "simulated"
FILE: Final = "simulated.db"
CONFIG: Final = "simulated.toml"
_SETTING: Final = re.compile(r"(?:(?P<level>[a-z]+)\.)?(?P<name>[a-z_]+)=(?P<value>.+)")
# Settings of [[link]] that are not texts.
_NUMBERS: Final = ("magic_card_every", "lucky_every")
_SWITCHES: Final = ("floor_to_seed", "count_chips", "hold_table")
# Settings that the plan itself defines.
_NOT_SET: Final = ("id", "paytable", "bank", "decks")


class PlanError(Exception):
    """The floor cannot be simulated as asked for; one line says why."""


class SimulationPlan(NamedTuple):
    """A simulated floor.

    rounds: an hour at each table, day and night. first: the first gaming day. settings: of the link.
    """

    paytable: str
    game: Game
    tables: int
    players: int
    days: int
    seed: int
    rounds: int
    first: date
    settings: tuple[str, ...] = ()

    @property
    def rounds_in_all(self) -> int:
        return self.tables * self.days * 24 * self.rounds


def game_of(paytable: str, wanted: str | None, players: int) -> Game:
    """The game wanted, else the first for which the paytable is printed. Raises PlanError, CatalogueError."""
    games = [game for game in games_of(load(paytable)) if game in LAYOUTS]
    game = next((game for game in games if wanted in (None, game)), None)
    if game is None:
        raise PlanError(f"--game: {paytable} is for {' and '.join(games)}, not {wanted}")
    if players > SEATS[game]:
        raise PlanError(f"--players: {game} has {SEATS[game]} seats, not {players}")
    return game


def furnish(folder: Path, plan: SimulationPlan) -> Path:
    """Writes the configuration of such a floor, which reports need, and its keys. Raises PlanError."""
    link, levels = _settings(plan.settings)
    usual = {"id": LINK, "paytable": plan.paytable, "wager": "1.00", "decks": 1, "validate_at": "500.00"}
    usual["count_chips"] = False  # nobody counts simulated chips
    parts = [
        "# The floor of `jackpot simulate`.",
        '[site]\nname = "Simulated"\ncurrency = "USD"\ngaming_day_ends = "06:00"\ntimezone = "UTC"',
        f'[ledger]\nurl = "sqlite:///{FILE}"',
        '[listen]\ntables = "127.0.0.1:0"\nhttp = "127.0.0.1:0"',
        "[[link]]\n" + _lines(usual | link),
        *(f"[link.level.{name}]\n{_lines(figures)}" for name, figures in levels.items()),
    ]
    (folder / "keys").mkdir(mode=0o700)
    for table in names(plan):
        key = folder / "keys" / table
        key.touch(mode=0o600)
        key.write_text(secrets.token_hex(32) + "\n")
        seats = f'game = "{plan.game}"\nseats = {SEATS[plan.game]}\nlinks = ["{LINK}"]'
        parts.append(f'[[table]]\nid = "{table}"\n{seats}\nkey_file = "keys/{table}"')
    config = folder / CONFIG
    config.write_text("\n\n".join(parts) + "\n")
    return config


def names(plan: SimulationPlan) -> list[str]:
    """Names of the tables."""
    return [f"T{number:03}" for number in range(1, plan.tables + 1)]


def _settings(given: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, dict[str, str]]]:
    """Settings of [[link]] and [link.level.NAME], from texts like "wager=5.00", "meter.primary=15%"."""
    link: dict[str, Any] = {}
    levels: dict[str, dict[str, str]] = {}
    for text in given:
        found = _SETTING.fullmatch(text)
        if found is None or found["name"] in _NOT_SET:
            raise PlanError(f"--set: {text!r} is not like wager=5.00 or meter.primary=15%")
        name, value = found["name"], found["value"]
        if found["level"]:
            levels.setdefault(found["level"], {})[name] = value
        elif name in _NUMBERS and value.isdecimal():
            link[name] = int(value)
        elif name in _SWITCHES and value in ("true", "false"):
            link[name] = value == "true"
        else:
            link[name] = value
    return link, levels


def _lines(values: dict[str, Any]) -> str:
    """Settings as TOML: texts, numbers and booleans are written as in JSON."""
    return "\n".join(f"{name} = {json.dumps(value)}" for name, value in values.items())
