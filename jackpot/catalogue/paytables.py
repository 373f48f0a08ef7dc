"""The catalogue of paytables: what a regulation prints, and what it leaves open; read and checked.

The catalogue is data: `schemas/paytables/ID.toml`, each row with its source. A file that contradicts
itself is refused. A paytable with levels is for a link. One without is for a bonus wager with fixed odds
(B1), or it is in the catalogue only, to be shown and analyzed (B2).
"""

import functools
import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Final, Literal

import msgspec

from jackpot.catalogue.figures import for_one, parse_money, parse_pays, parse_printed, parse_rate, to_one
from jackpot.rules.hands import makes
from jackpot.rules.money import MICROS_PER_UNIT
from jackpot.rules.paytable import FOLD, Fixed, Fold, Game, HandKind, PaytableRow, ToOne
from jackpot.rules.terms import HandOfRow, check_hands, check_levels, check_rows

FIGURES: Final = ("seed", "reseed", "primary", "reserve")
"""The figures of a level, each of them somebody's to decide (L4, L5)."""


Use = Literal["link", "offer", "catalogue"]
"""What a paytable is for: a link with meters, a bonus wager with fixed odds, or to be shown alone."""

Placed = Literal["device", "layout"]
"""Where a bonus wager lies: in a wagering device, or as chips on a betting area (B2)."""


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
    """A row as its source prints it: "100% of mega", "50 for 1", "2 to 1" or "$25".

    suits, least: as of a `PaytableRow`. by_players: "N to 1" by how many players the round has, one first;
    `pays` is that of one (Cover All). In the catalogue only a row may also be "3 to 2", or "push".
    """

    hand: str
    pays: str
    source: str
    suits: str = ""
    least: str = ""
    by_players: tuple[str, ...] = ()


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


class FoldRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a fold does to a bonus wager (B8), and the source that says so."""

    does: Fold
    source: str


class NotHeld(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A wager that is known by name, and whose text is not held.

    named_in: the source that names it. reason: why it is not offered.
    """

    wager: str
    section: str
    named_in: str
    reason: str


class Paytable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file of the catalogue, as written.

    games: those for which its source offers it. same_as: a paytable that is equal row for row and may share a
    link (L1). cards_by_house: where no source says which cards make the hand, by game, our own reading (H2).
    wagers: the only ones that it is printed for. Empty means any wager, and envy that is not printed is
    approved (A5). by_turn: the source that mandates payment by turn, so no `share` (T5). electronic,
    dealer_hand: the source that says so. draws_refused: why draws that the source names are not offered (A7).

    Of a bonus wager alone (B1-B16): wager: its name, of which a house offers one paytable. placed: the places
    that its source knows, each with that source. fold: by game, where a game has folds. stake_open: why the
    configuration must say what becomes of the stake in a device (B5). no_less: the source that allows higher
    odds (B12). cards_open: why the configuration must name the cards (653a Six Card Bonus).

    In the catalogue only: catalogue_only: why no table sends it (B2). bonus_on: the wager on which it is a
    bonus, which is settled elsewhere.

    readings: what the source leaves open or contradicts, and how it is read here.
    """

    id: str
    title: str
    jurisdiction: str
    status: Literal["in force", "proposed"]
    source: str
    games: tuple[Game, ...]
    hand: HandKind
    rows: tuple[CitedRow, ...]
    level: dict[str, PaytableLevel] = {}
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
    wager: str | None = None
    placed: dict[Placed, str] = {}
    fold: dict[Game, FoldRule] = {}
    stake_open: str | None = None
    no_less: str | None = None
    cards_open: str | None = None
    catalogue_only: str | None = None
    bonus_on: str | None = None
    readings: tuple[str, ...] = ()

    @property
    def use(self) -> Use:
        """What it is for. Levels make a link; nothing else does."""
        if self.level:
            return "link"
        return "offer" if self.catalogue_only is None else "catalogue"

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


def ids_for(use: Use) -> tuple[str, ...]:
    """The ids of the paytables for a link, for a bonus wager, or of those in the catalogue only, in order."""
    return tuple(paytable for paytable in ids() if load(paytable).use == use)


def not_held() -> tuple[NotHeld, ...]:
    """The wagers that are known by name alone, in the order of their sections."""
    file = resources.files("jackpot").joinpath("schemas/wagers_not_held.toml")
    found = tomllib.loads(file.read_text(encoding="utf-8"))
    return msgspec.convert(found["wager"], tuple[NotHeld, ...], strict=True)


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
        if table.use == "catalogue":
            _check_printed(table)
        else:
            check_rows(rows_of(table), table.hand, list(table.level))
        if table.use == "link":
            _check_levels(table)
        else:
            _check_without_levels(table)
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


def fold_of(table: Paytable, game: Game) -> Fold:
    """What a fold does to a bonus wager of this paytable (B8)."""
    return table.fold[game].does if game in table.fold else FOLD[game]


def rows_of(table: Paytable) -> tuple[PaytableRow, ...]:
    """The rows as terms have them. Of a link or a bonus wager: others print what no table pays."""
    return tuple(
        PaytableRow(row.hand, parse_pays(row.pays), row.suits, row.least, tuple(map(to_one, row.by_players)))
        for row in table.rows
    )


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


def _check_printed(table: Paytable) -> None:
    """Checks rows that are shown alone."""
    if not table.rows:
        raise ValueError("it has no rows")
    check_hands([HandOfRow(row.hand, row.suits, row.least) for row in table.rows], table.hand, "rows")
    for row in table.rows:
        parse_printed(row.pays)


def _check_without_levels(table: Paytable) -> None:
    """Checks that only a link has what belongs to a link, and that a bonus wager says all it needs (B1)."""
    of_link = (table.envy, table.same_as, table.by_turn, table.electronic, table.dealer_hand)
    if any(of_link) or table.always_validate is not None or table.draws is not None:
        raise ValueError("it has no levels, and yet what only a link has")
    if table.use == "catalogue":
        return
    if table.wager is None or not table.placed:
        raise ValueError("a bonus wager says its name and where it is placed")
    if table.stake_open is not None and "device" not in table.placed:
        raise ValueError("stake_open is for a wagering device")
    for game in table.games:
        if not makes(table.hand, game):
            raise ValueError(f"{game} makes no {table.hand} hand")
        if FOLD[game] != "none" and game not in table.fold:
            raise ValueError(f"fold: {game} has folds")
    fixed = [isinstance(row.pays, Fixed) for row in rows_of(table)]
    if any(fixed) and (not all(fixed) or len(table.wagers) != 1):
        raise ValueError("dollars are printed for every row, and for exactly one wager (B3)")
    for row in rows_of(table):
        if row.by_players and row.pays != ToOne(row.by_players[0]):
            raise ValueError(f"rows: {row.hand} pays one player something else by players")


def _check_envy(table: Paytable) -> None:
    for schedule in table.envy:
        where = f"envy {schedule.schedule} for {schedule.wager}"
        parse_money(schedule.wager)
        check_hands([HandOfRow(row.hand, row.suits) for row in schedule.rows], table.hand, where)
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
    if not {*table.cards_by_house, *table.fold} <= set(table.games):
        raise ValueError("cards_by_house or fold names a game that it is not offered in")
    of_wager = table.wager, table.stake_open, table.no_less, table.cards_open
    if table.use == "link" and (any(of_wager) or table.placed or table.fold):
        raise ValueError("it has levels, and yet what only a bonus wager has")
    if table.catalogue_only is not None and table.use == "link":
        raise ValueError("a paytable in the catalogue only has no levels")


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
