"""Which pictures does an analysis have, and what does each show? Known without what draws them."""

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from jackpot.odds.analysis import Analysis, LevelFound
from jackpot.odds.sheets import Money, dollars

Kind = Literal["return", "hit", "year", "envy"]
# By picture, the sheet whose figures stand next to it.
SHEETS: Final[dict[Kind, str]] = {"return": "return", "hit": "cycles", "year": "long_run", "envy": "envy"}


class Picture(NamedTuple):
    """name: of its file and address. level: whose meter it shows; None of envy. title: what it shows."""

    name: str
    kind: Kind
    level: LevelFound | None
    title: str


def drawable(found: Analysis, money: Money = dollars) -> tuple[Picture, ...]:
    """All that can be drawn, one picture a level; a cycle needs every figure of its level."""
    return tuple(_drawable(found, money))


def _drawable(found: Analysis, money: Money) -> Iterator[Picture]:
    wager = money(found.subject.terms.wager)
    for level in found.levels:
        yield _of(level, "return", f"What a {wager} wager returns at each {_meter(level)}")
    known = [level for level in found.levels if level.cycle is not None]
    for level in known:
        yield _of(level, "hit", f"How high the {_meter(level)} is when it is won")
    for level in known:
        yield _of(level, "year", f"A year of the {_meter(level)}, one of many possible")
    if any(found.envy.values()):
        yield Picture("envy", "envy", None, f"What envy returns of a {wager} wager, by players")


def _of(level: LevelFound, kind: Kind, title: str) -> Picture:
    return Picture(f"{kind}-{level.terms.level}", kind, level, title)


def _meter(level: LevelFound) -> str:
    """How a title calls a level; the one without a name is the meter."""
    return "meter" if level.terms.level == "meter" else f"{level.terms.level} meter"
