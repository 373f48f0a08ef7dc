"""The catalogue of paytables: what a regulation prints, and what it leaves open; read and checked.

The catalogue is data: `schemas/paytables/ID.toml`, each row with its source. A file that contradicts
itself is refused.
"""

import functools
import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Final, Literal

import msgspec

from jackpot.catalogue.figures import for_one, parse_money, parse_pays, parse_rate
from jackpot.rules.money import MICROS_PER_UNIT
from jackpot.rules.paytable import Game, HandKind, PaytableRow
from jackpot.rules.terms import check_hands, check_levels, check_rows

FIGURES: Final = ("seed", "reseed", "primary", "reserve")
"""The figures of a level, each of them somebody's to decide (L4, L5)."""


class CatalogueError(Exception):
    """A paytable's file is missing or contradicts itself. The text names the file and the fault."""


class Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Source of one figure of a level (L4, L5): who decides it; exactly one field is set.

    mandated: the regulation, to this. minimum: the operator, to this at least. operator: the operator,
    freely. as_seed: nobody, a reseed equals its seed. none: nobody; the field holds what the source prints
    instead.
    """

    mandated: str | None = None
    minimum: str | None = None
    operator: bool = False
    as_seed: bool = False
    none: str | None = None


class CitedRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row as its source prints it: "100% of mega", "50 for 1", "2 to 1" or "$25"."""

    hand: str
    pays: str
    source: str
    suits: str = ""


class EnvySum(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    hand: str
    sum: str
    suits: str = ""


class EnvySchedule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Envy sums (A5), for one wager as printed."""

    wager: str
    source: str
    rows: tuple[EnvySum, ...]
    schedule: str = ""


class PaytableLevel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    source: str
    seed: Figure
    reseed: Figure
    primary: Figure
    reserve: Figure


class PaytableDraws(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Magic Card and Lucky Bonus as printed (A7)."""

    magic_card: str
    lucky_bonus: str
    source: str


class AlwaysValidate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Odds that always wait for a floorperson, these and higher (A10)."""

    pays: str
    source: str


class Paytable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file of the catalogue, as written.

    games: those for which its source offers it. same_as: a paytable that is equal row for row and may share a
    link (L1). cards_by_house: where no source says which cards make the hand, by game, our own reading (H2).
    wagers: the only ones that it is printed for. Empty means any wager, and envy that is not printed is
    approved (A5). by_turn: the source that mandates payment by turn, so no `share` (T5). electronic,
    dealer_hand: the source that says so. draws_refused: why draws that the source names are not offered (A7).
    """

    id: str
    title: str
    jurisdiction: str
    status: Literal["in force", "proposed"]
    source: str
    games: tuple[Game, ...]
    hand: HandKind
    rows: tuple[CitedRow, ...]
    level: dict[str, PaytableLevel]
    envy: tuple[EnvySchedule, ...] = ()
    same_as: str | None = None
    cards_by_house: dict[Game, str] = {}
    wagers: tuple[str, ...] = ()
    wagers_source: str | None = None
    by_turn: str | None = None
    electronic: str | None = None
    dealer_hand: str | None = None
    always_validate: AlwaysValidate | None = None
    draws: PaytableDraws | None = None
    draws_refused: str | None = None

    @property
    def schedules(self) -> tuple[str, ...]:
        """The envy schedules to choose from, empty where there is no choice."""
        return tuple(dict.fromkeys(schedule.schedule for schedule in self.envy if schedule.schedule))

    @property
    def mandates_seeds(self) -> bool:
        """Whether the source gives seed and reseed of every level. Then `floor_to_seed` is refused (A4)."""
        return all(level.seed.mandated and level.reseed.mandated for level in self.level.values())


def ids() -> tuple[str, ...]:
    """The ids of the whole catalogue, in order."""
    files = resources.files("jackpot").joinpath("schemas/paytables").iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


@functools.cache
def load(paytable: str) -> Paytable:
    """Loads one paytable by its id. Raises CatalogueError where it is missing or contradicts itself."""
    if paytable not in ids():
        raise CatalogueError(f"there is no paytable {paytable!r} in the catalogue")
    file = resources.files("jackpot").joinpath(f"schemas/paytables/{paytable}.toml")
    table = parse(file.read_text(encoding="utf-8"), paytable)
    if table.same_as is not None:
        twin = _read(table.same_as)
        if (twin.same_as, _shared(twin)) != (table.id, _shared(table)):
            raise CatalogueError(f"{table.id} and {table.same_as} are not equal row for row (L1)")
    return table


def _read(paytable: str) -> Paytable:
    file = resources.files("jackpot").joinpath(f"schemas/paytables/{paytable}.toml")
    if not file.is_file():
        raise CatalogueError(f"same_as names {paytable!r}, which is not in the catalogue")
    return parse(file.read_text(encoding="utf-8"), paytable)


def parse(text: str, paytable: str) -> Paytable:
    """Parses a paytable's file. Raises CatalogueError where it contradicts itself."""
    try:
        table = msgspec.convert(tomllib.loads(text), Paytable, strict=True)
        _check_rest(table, paytable)
        check_rows(rows_of(table), table.hand, list(table.level))
        _check_levels(table)
        _check_envy(table)
    except (ValueError, msgspec.ValidationError) as error:
        raise CatalogueError(f"paytable {paytable}: {error}") from error
    return table


def games_of(table: Paytable) -> tuple[Game, ...]:
    """The games whose tables may play on a link of this paytable, those of its twin included (L1)."""
    return table.games if table.same_as is None else (*table.games, *load(table.same_as).games)


def cards_by_house(table: Paytable, game: Game) -> str | None:
    """Our own reading of which cards make the hand in this game; None if a source says it (H2)."""
    twin = {} if table.same_as is None else load(table.same_as).cards_by_house
    return (twin | table.cards_by_house).get(game)


def takes_dealer_hand(table: Paytable) -> bool:
    """Whether a wager may lie on the dealer's hand at a table of one of its games (A6)."""
    tables = (table, load(table.same_as)) if table.same_as is not None else (table,)
    return any(one.dealer_hand is not None for one in tables)


def rows_of(table: Paytable) -> tuple[PaytableRow, ...]:
    return tuple(PaytableRow(row.hand, parse_pays(row.pays), row.suits) for row in table.rows)


def _shared(table: Paytable) -> tuple[object, ...]:
    """The parts that two paytables must have in common to share a link, sources left out (L1).

    Draws and wagers on the dealer's hand may differ: each table has what its own game offers.
    """
    figures = {
        name: (level.seed, level.reseed, level.primary, level.reserve) for name, level in table.level.items()
    }
    envy = [(item.schedule, item.wager, item.rows) for item in table.envy]
    always = table.always_validate.pays if table.always_validate else None
    rest = table.by_turn is None, table.electronic is None, always
    return table.hand, rows_of(table), figures, envy, table.wagers, rest


def _check_levels(table: Paytable) -> None:
    check_levels(list(table.level))
    for name, level in table.level.items():
        for key in FIGURES:
            figure: Figure = getattr(level, key)
            set_ = [
                field for field in Figure.__struct_fields__ if getattr(figure, field) not in (None, False)
            ]
            if len(set_) != 1:
                raise ValueError(
                    f"level {name}: {key} needs one of mandated, minimum, operator, as_seed, none"
                )
            if (figure.none is not None and key != "reserve") or (figure.as_seed and key != "reseed"):
                raise ValueError(f"level {name}: {key} cannot be {set_[0]}")
            if key in ("seed", "reseed"):
                sum_of(figure, MICROS_PER_UNIT)
            else:
                parse_rate(figure.mandated or figure.minimum or "0%")


def _check_envy(table: Paytable) -> None:
    for schedule in table.envy:
        where = f"envy {schedule.schedule} for {schedule.wager}"
        parse_money(schedule.wager)
        check_hands([(row.hand, row.suits) for row in schedule.rows], table.hand, where)
        for row in schedule.rows:
            parse_money(row.sum)
    if table.envy and table.wagers:
        names = table.schedules or ("",)
        printed = [(schedule.schedule, schedule.wager) for schedule in table.envy]
        if sorted(printed) != sorted((name, wager) for name in names for wager in table.wagers):
            raise ValueError("envy: a schedule is needed for each wager, and no other")
    elif len(table.envy) > 1:
        raise ValueError("envy: a paytable for any wager prints one schedule")


def _check_rest(table: Paytable, paytable: str) -> None:
    if table.id != paytable:
        raise ValueError(f"its id is {table.id!r}")
    if not table.games:
        raise ValueError("it is offered in no game")
    if bool(table.wagers) != (table.wagers_source is not None):
        raise ValueError("wagers and wagers_source go together")
    for wager in table.wagers:
        parse_money(wager)
    if table.always_validate is not None:
        for_one(table.always_validate.pays)
    if table.draws is not None:
        for_one(table.draws.magic_card)
        for_one(table.draws.lucky_bonus)
    if not set(table.cards_by_house) <= set(table.games):
        raise ValueError("cards_by_house names a game that it is not offered in")


def sum_of(figure: Figure, wager: int) -> int:
    """A printed sum in micro-dollars or 0; "N for 1" follows the wager, a minimum does not (L4).

    wager: micro-dollars.
    """
    if figure.mandated is not None:
        return for_one(figure.mandated) * wager
    return parse_money(figure.minimum or "0")


def every() -> Mapping[str, Paytable]:
    """Loads the whole catalogue by id. Raises CatalogueError on the first file that contradicts itself."""
    return {paytable: load(paytable) for paytable in ids()}
