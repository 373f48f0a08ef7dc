"""Plan of a simulated floor: tables of one game with a link, offers, or both; and its configuration."""

import json
import re
import secrets
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final, NamedTuple

from jackpot.catalogue import games_of, load
from jackpot.config.mystery import KIND as MYSTERY
from jackpot.config.mystery_key import new_key_text
from jackpot.rules.hands import SIX_PLACES
from jackpot.rules.paytable import ANY, SEATS, Game

LINK: Final = "simulated"
FILE: Final = "simulated.db"
CONFIG: Final = "simulated.toml"
# The key of a committed mystery link.
KEY: Final = "mystery.key"
_SETTING: Final = re.compile(r"(?:(?P<of>[a-zA-Z0-9-]+)\.)?(?P<name>[a-z_]+)=(?P<value>.+)")
# Settings of [[link]] that are not texts.
_NUMBERS: Final = ("magic_card_every", "lucky_every")
_SWITCHES: Final = ("floor_to_seed", "count_chips", "hold_table")
# A setting of [[offer]] that is a list, its values with commas between them.
_LISTS: Final = ("cards",)
# Amounts of an offer that leaves them to the player: chips of five dollars, up to five of them (B3).
_AMOUNTS: Final = {"least": "5.00", "most": "25.00", "unit": "5.00"}
# Cards of a Six Card Bonus whose source leaves them open; any six return the same (B16).
_SIX: Final = tuple(place for place in SIX_PLACES if place[-1] in "12")
# A mystery link, whose levels are given whole; nobody counts simulated chips.
_MYSTERY: Final = {"kind": MYSTERY, "wager": "5.00", "form": "drawn", "electronic": True}
# Rounds a minute that a table may open: above what any plan has.
_PACE_MAX: Final = 60
# Settings that the plan itself defines.
_NOT_SET: Final = ("id", "kind", "paytable", "bank", "decks")


class PlanError(Exception):
    """The floor cannot be simulated as asked for; one line says why."""


class SimulationPlan(NamedTuple):
    """A simulated floor.

    paytable: of the link, None where the tables have offers alone. rounds: an hour at each table, day and
    night. first: the first gaming day. settings: of the link and of offers. offers: their paytables, which
    are their ids. folds: how many of a hundred hands a player gives up, where the game has folds.
    """

    paytable: str | None
    game: Game
    tables: int
    players: int
    days: int
    seed: int
    rounds: int
    first: date
    settings: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()
    folds: int = 0

    @property
    def rounds_in_all(self) -> int:
        return self.tables * self.days * 24 * self.rounds


def game_of(paytables: Sequence[str], wanted: str | None, players: int) -> Game:
    """The game wanted, else the first that all of them are for. Raises PlanError, CatalogueError."""
    if MYSTERY in paytables and len(paytables) > 1:
        raise PlanError(f"--offer: a floor with --paytable {MYSTERY} has nothing else")
    games = [_games(paytable) for paytable in paytables]
    if not games:
        raise PlanError("give --paytable, --offer, or both")
    common = [game for game in games[0] if all(game in others for others in games[1:])]
    game = next((game for game in common if wanted in (None, game)), None)
    if game is None:
        known = " and ".join(common) or "different games"
        raise PlanError(f"--game: {' and '.join(paytables)}: for {known}, not {wanted or 'one'}")
    if players > SEATS[game]:
        raise PlanError(f"--players: {game} has {SEATS[game]} seats, not {players}")
    return game


def _games(paytable: str) -> tuple[Game, ...]:
    return (ANY,) if paytable == MYSTERY else games_of(load(paytable))


def furnish(folder: Path, plan: SimulationPlan) -> Path:
    """Writes the configuration of such a floor, which reports need, and its keys. Raises PlanError."""
    given = _settings(plan)
    parts = [
        "# The floor of `jackpot simulate`.",
        '[site]\nname = "Simulated"\ncurrency = "USD"\ngaming_day_ends = "06:00"\ntimezone = "UTC"',
        f'[ledger]\nurl = "sqlite:///{FILE}"',
        '[listen]\ntables = "127.0.0.1:0"\nhttp = "127.0.0.1:0"',
    ]
    if plan.paytable == MYSTERY:
        if given.link.get("form") == "committed":
            _private(folder / KEY, new_key_text()[0])
            parts.append(f'[mystery]\nkey = "{KEY}"')
        parts.append("[[link]]\n" + _lines({"id": LINK, **_MYSTERY} | given.link))
    elif plan.paytable is not None:
        usual = {"id": LINK, "paytable": plan.paytable, "wager": "1.00", "decks": 1, "validate_at": "500.00"}
        usual["count_chips"] = False  # nobody counts simulated chips
        parts.append("[[link]]\n" + _lines(usual | given.link))
    if plan.paytable is not None:
        parts += [f"[link.level.{name}]\n{_lines(figures)}" for name, figures in given.levels.items()]
    for paytable in plan.offers:
        usual = _offer(paytable) | {"tables": names(plan)}
        parts.append("[[offer]]\n" + _lines(usual | given.offers.get(paytable, {})))
    (folder / "keys").mkdir(mode=0o700)
    for table in names(plan):
        _private(folder / "keys" / table, secrets.token_hex(32) + "\n")
        seats = f'[[table]]\nid = "{table}"\ngame = "{plan.game}"\nseats = {SEATS[plan.game]}\n'
        if plan.paytable == MYSTERY:
            seats += f"max_rounds_per_minute = {_PACE_MAX}\n"
        links = f'links = ["{LINK}"]\n' if plan.paytable is not None else ""
        parts.append(f'{seats}{links}key_file = "keys/{table}"')
    config = folder / CONFIG
    config.write_text("\n\n".join(parts) + "\n")
    return config


def _private(file: Path, text: str) -> None:
    """Writes a key file."""
    file.touch(mode=0o600)
    file.write_text(text)


def _offer(paytable: str) -> dict[str, Any]:
    """The [[offer]] of a paytable, with the house's choices as a floor that is simulated makes them."""
    table = load(paytable)
    if table.use != "offer":
        why = table.catalogue_only or "it pays from a meter: give it as --paytable"
        raise PlanError(f"--offer: {paytable} is no offer: {why}")
    placed = "layout" if "layout" in table.placed else "device"
    entry: dict[str, Any] = {"id": paytable, "paytable": paytable, "placed": placed}
    entry["approved"] = "a floor that is simulated"
    if placed == "device":
        entry["count_chips"] = False  # nobody counts simulated chips
    if not table.wagers:
        entry |= _AMOUNTS
    if table.cards_open is not None:
        entry["cards"] = _SIX
    return entry


def names(plan: SimulationPlan) -> list[str]:
    """Names of the tables."""
    return [f"T{number:03}" for number in range(1, plan.tables + 1)]


class _Settings(NamedTuple):
    """Settings of [[link]], of [link.level.NAME] by level, and of [[offer]] by its id."""

    link: dict[str, Any]
    levels: dict[str, dict[str, Any]]
    offers: dict[str, dict[str, Any]]


def _settings(plan: SimulationPlan) -> _Settings:
    """Settings from texts like "wager=5.00", "meter.primary=15%" and "pa-653a-trips-A.most=100.00"."""
    link: dict[str, Any] = {}
    levels: dict[str, dict[str, Any]] = {}
    offers: dict[str, dict[str, Any]] = {}
    for text in plan.settings:
        found = _SETTING.fullmatch(text)
        of = found["of"] if found else None
        if found is None or found["name"] in _NOT_SET or (plan.paytable is None and of not in plan.offers):
            like = "wager=5.00, meter.primary=15% or OFFER.most=100.00"
            raise PlanError(f"--set: {text!r} is not like {like}, of what is simulated")
        name, value = found["name"], found["value"]
        into = (
            link
            if of is None
            else offers.setdefault(of, {})
            if of in plan.offers
            else levels.setdefault(of, {})
        )
        into[name] = _value(name, value)
    return _Settings(link, levels, offers)


def _value(name: str, value: str) -> Any:
    """A setting as its section has it."""
    if name in _NUMBERS and value.isdecimal():
        return int(value)
    if name in _SWITCHES and value in ("true", "false"):
        return value == "true"
    return value.split(",") if name in _LISTS else value


def _lines(values: dict[str, Any]) -> str:
    """Settings as TOML: texts, numbers and booleans are written as in JSON."""
    return "\n".join(f"{name} = {json.dumps(value)}" for name, value in values.items())
