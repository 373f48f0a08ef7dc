"""How did a meter move from gaming day to gaming day? One line a level, with its hits marked, as a drawing.

It is drawn here and needs no script, so that it prints, and stands on a phone without waiting.
"""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from jackpot.config import Site
from jackpot.rules.money import of_decimal
from jackpot.server.readings import ended_day
from jackpot.server.replies import Link, Reading

# Of the drawing, in its own units; a page scales it.
WIDTH: Final = 720
HEIGHT: Final = 180
# Left free above the highest and below the lowest value, so that no line touches an edge.
ROOM: Final = 12
_DAY: Final = timedelta(days=1)


class Line(NamedTuple):
    """A level. points: as an SVG polyline has them. hits: where marks stand. low, high: decimal strings."""

    level: str
    points: str
    hits: tuple[tuple[str, str], ...]
    low: str
    high: str
    first: str
    last: str


def lines(link: Link, readings: Sequence[Reading], site: Site) -> list[Line]:
    """One drawing for each level that two gaming days or more were read of. readings: the newest first."""
    found, zone = [], ZoneInfo(site.timezone)
    for level in link.levels:
        days = [
            (date.fromisoformat(reading.day), meter.value)
            for reading in reversed(readings)
            for meter in reading.meters
            if (meter.link, meter.level) == (link.link, level.level)
        ]
        if len(days) > 1:
            hits = (ended_day(hit.at, site.gaming_day_ends, zone) + _DAY for hit in level.last_hits)
            found.append(_line(level.level, days, hits))
    return found


def _line(level: str, days: Sequence[tuple[date, str]], hits: Iterable[date]) -> Line:
    values = {day: of_decimal(value) for day, value in days}
    low, high = min(values.values()), max(values.values())
    first, last = days[0][0], days[-1][0]

    def x(day: date) -> int:
        return ROOM + (day - first).days * (WIDTH - 2 * ROOM) // max((last - first).days, 1)

    def y(value: int) -> int:
        return HEIGHT - ROOM - (value - low) * (HEIGHT - 2 * ROOM) // max(high - low, 1)

    marks = sorted({day for day in hits if day in values})
    texts = dict(days)
    by_value = {value: texts[day] for day, value in values.items()}
    return Line(
        level=level,
        points=" ".join(f"{x(day)},{y(value)}" for day, value in values.items()),
        hits=tuple((str(x(day)), str(y(values[day]))) for day in marks),
        low=by_value[low],
        high=by_value[high],
        first=first.isoformat(),
        last=last.isoformat(),
    )
