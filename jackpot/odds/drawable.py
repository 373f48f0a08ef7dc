"""Catalogue of an analysis's pictures; needs no plotting library."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from jackpot.config.writing import Writing
from jackpot.odds.analysis import Analysis, LevelFound
from jackpot.odds.mystery_analysis import MysteryAnalysis, MysteryLevelFound
from jackpot.odds.sessions import LENGTHS
from jackpot.odds.sheets import DOLLARS
from jackpot.text import Sentence

Kind = Literal["return", "hit", "year", "envy", "sessions"]
# By picture, the sheet that has its figures.
SHEETS: Final[dict[Kind, str]] = {
    "return": "return",
    "hit": "cycles",
    "year": "long_run",
    "envy": "envy",
    "sessions": "sessions",
}


class Picture(NamedTuple):
    """A picture. name: of its file and address. level: of its meter, None for none. title: what it shows."""

    name: str
    kind: Kind
    level: LevelFound | MysteryLevelFound | None
    title: Sentence


def drawable(analysis: Analysis | MysteryAnalysis, money: Writing = DOLLARS) -> tuple[Picture, ...]:
    """All pictures of an analysis, one a level; a cycle needs every figure of its level."""
    return tuple(_drawable(analysis, money))


def _drawable(analysis: Analysis | MysteryAnalysis, money: Writing) -> Iterator[Picture]:
    wager = money.of_micros(analysis.subject.terms.wager)
    levels: Sequence[LevelFound | MysteryLevelFound] = analysis.levels
    for level in levels:
        title = Sentence("What a {wager} wager returns at each {meter}", wager=wager, meter=_meter(level))
        yield _picture_of(level, "return", title)
    known = [level for level in levels if level.cycle is not None]
    for level in known:
        yield _picture_of(
            level, "hit", Sentence("How high the {meter} is when it is won", meter=_meter(level))
        )
    for level in known:
        yield _picture_of(
            level, "year", Sentence("A year of the {meter}, one of many possible", meter=_meter(level))
        )
    if isinstance(analysis, MysteryAnalysis):
        return
    if analysis.pays:
        count = money.count(LENGTHS[-1])
        title = Sentence(
            "{count} wagers of {wager}, a few of many possible courses", count=count, wager=wager
        )
        yield Picture("sessions", "sessions", None, title)
    if any(analysis.envy.values()):
        title = Sentence("What envy returns of a {wager} wager, by players", wager=wager)
        yield Picture("envy", "envy", None, title)


def _picture_of(level: LevelFound | MysteryLevelFound, kind: Kind, title: Sentence) -> Picture:
    return Picture(f"{kind}-{_name(level)}", kind, level, title)


def _name(level: LevelFound | MysteryLevelFound) -> str:
    return level.name if isinstance(level, MysteryLevelFound) else level.terms.level


def _meter(level: LevelFound | MysteryLevelFound) -> Sentence:
    """Name of a level in a title; the one without a name is the meter."""
    name = _name(level)
    return Sentence("meter") if name == "meter" else Sentence("{level} meter", level=Sentence(name))
