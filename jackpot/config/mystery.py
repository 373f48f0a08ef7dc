"""Mystery links of the configuration: levels that must hit by a sum, whatever the cards (Y1, Y7, Y10)."""

from collections.abc import Sequence
from typing import Any, Final, Literal

import msgspec

from jackpot.catalogue import DEFAULT_BANK, parse_money, parse_rate
from jackpot.config.shape import convert
from jackpot.config.source import ConfigEntry, ConfigSource
from jackpot.rules.money import BASIS_POINTS
from jackpot.rules.paytable import ANY, LevelTerms, LinkTerms, TableTerms
from jackpot.rules.phrases import Fault
from jackpot.rules.terms import check_joins, check_link, house_return, mean_wagers, percent_of

KIND: Final = "mystery"
"""What `kind` says of such a link, and what it is called where another link's paytable stands."""

# Settings of a link that a mystery link has not, and those that it alone has (Y1).
_NOT_OF_MYSTERY: Final = (
    "paytable", "decks", "simultaneous", "floor_to_seed", "validate_at", "envy", "magic_card_every",
    "lucky_every", "envy_approved",
)  # fmt: skip
_OF_MYSTERY: Final = ("form", "electronic")
_NOT_OF_LEVEL: Final = ("reserve", "reseed", "limit", "limit_approval")

# Defaults for what a link of bad shape lacks. None of these values is a mistake in any link.
_HARMLESS: Final[dict[str, Any]] = {"id": "link", "wager": "1.00", "form": "drawn", "level": {}}


class MysteryLevel(msgspec.Struct, frozen=True):
    """[link.level.NAME] of a mystery link; money and rates as decimal text."""

    seed: str | None = None
    must_hit_by: str | None = None
    primary: str | None = None


class MysteryEntry(msgspec.Struct, frozen=True):
    """One [[link]] of kind "mystery", its shape already checked; money as decimal text."""

    id: str
    wager: str
    form: Literal["drawn", "committed"]
    level: dict[str, MysteryLevel]
    bank: str = DEFAULT_BANK
    electronic: bool = False
    count_chips: bool | None = None
    hold_table: bool = False
    notice_days: int = 0


def is_mystery(entry: ConfigEntry) -> bool:
    """Whether a [[link]] says that it is one."""
    return entry.given.get("kind") == KIND


def check_settings(source: ConfigSource, entry: ConfigEntry) -> None:
    """Checks that a link has the settings of its kind alone (Y1)."""
    mystery, given = is_mystery(entry), entry.given
    for key in _NOT_OF_MYSTERY if mystery else _OF_MYSTERY:
        if key in given:
            only = (
                f"a mystery link has no {key} (Y1)" if mystery else f'{key} is of kind = "mystery" alone (Y1)'
            )
            source.wrong(f"{entry.path}.{key}", only)
    for name, level in given.get("level", {}).items():
        for key in _NOT_OF_LEVEL if mystery else ("must_hit_by",):
            if key in level:
                only = (
                    f"a mystery level has no {key} (Y1)"
                    if mystery
                    else f"{key} is of a mystery link alone (Y1)"
                )
                source.wrong(f"{entry.path}.level.{name}.{key}", only)


def read_mystery(source: ConfigSource, entry: ConfigEntry) -> LinkTerms | None:
    """The terms of a mystery link; None where a rule is broken, each of which is listed."""
    known = {key: value for key, value in entry.given.items() if key in MysteryEntry.__struct_fields__}
    link = convert(_HARMLESS | known, MysteryEntry)
    before = len(source.mistakes)
    wager = _money(source, f"{entry.path}.wager", link.wager)
    levels = tuple(
        _level(source, f"{entry.path}.level.{name}", name, level) for name, level in link.level.items()
    )
    if link.count_chips is False and not link.electronic:
        uncounted = "its wagers are counted by the dealer, or electronic = true (Y10)"
        source.wrong(f"{entry.path}.count_chips", uncounted)
    if len(source.mistakes) > before or wager is None:
        return None
    terms = LinkTerms(
        link=link.id,
        bank=link.bank,
        paytable=KIND,
        wager=wager,
        hand_kind="mystery",
        levels=tuple(level for level in levels if level is not None),
        rows=(),
        electronic=link.electronic,
        count_chips=not link.electronic if link.count_chips is None else link.count_chips,
        hold_table=link.hold_table,
        form=link.form,
        notice_days=link.notice_days,
    )
    try:
        check_link(terms)
    except Fault as fault:
        source.wrong(entry.path, str(fault))
        return None
    return terms


def _level(source: ConfigSource, path: str, name: str, level: MysteryLevel) -> LevelTerms | None:
    for key in MysteryLevel.__struct_fields__:
        if getattr(level, key) is None and not source.spoiled(f"{path}.{key}"):
            source.wrong(
                f"{path}.{key}", "is missing: a mystery level has seed, must_hit_by and primary (Y1)"
            )
    seed = _money(source, f"{path}.seed", level.seed)
    most = _money(source, f"{path}.must_hit_by", level.must_hit_by)
    try:
        rate = None if level.primary is None else parse_rate(level.primary)
    except ValueError as error:
        source.wrong(f"{path}.primary", str(error))
        return None
    if seed is None or most is None or rate is None:
        return None
    return LevelTerms(name, rate, 0, seed, seed, must_hit_by=most)


def _money(source: ConfigSource, path: str, text: str | None) -> int | None:
    try:
        return None if text is None else parse_money(text)
    except ValueError as error:
        source.wrong(path, str(error))
        return None


def check_table(source: ConfigSource, path: str, table: TableTerms, links: Sequence[LinkTerms]) -> None:
    """Checks that a table may have the mystery links among these, and what it needs for them (Y7, Y10).

    links: of the table, as far as they are known.
    """
    found = [terms for terms in links if terms.mystery]
    if not found and table.game != ANY:
        return
    names = {terms.link for terms in found}
    unknown = set(table.links).difference(terms.link for terms in links)
    played = tuple(
        name for name in table.links if name in names or (table.game == ANY and name not in unknown)
    )
    try:
        check_joins(msgspec.structs.replace(table, links=played), found)
    except Fault as fault:
        source.wrong(path, str(fault))


def returns(terms: LinkTerms) -> str:
    """What a wager on a mystery link returns, in percent."""
    return f"{percent_of(house_return(terms))} %"


def wagers(level: LevelTerms, wager: int) -> str:
    """How many wagers a cycle takes in the mean, and at most."""
    mean = mean_wagers(level, wager)
    each = wager * level.primary // BASIS_POINTS
    most = -(-((level.must_hit_by or 0) - level.reseed) // each)
    return f"{round(mean * 10) / 10:,.1f} wagers a cycle in the mean, {most:,} at most"
