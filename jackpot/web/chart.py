"""SVG charts of meters: one line a level, from its readings to now, with its hits marked.

It is drawn here and needs no script, so that it prints, and stands on a phone without waiting.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from jackpot.api.queries.journal import Reading
from jackpot.api.queries.links import Level, Link
from jackpot.rules.money import of_decimal

# Of the drawing, in its own units; a page scales it.
WIDTH: Final = 720
HEIGHT: Final = 180
# Left free above the highest and below the lowest value, so that no line touches an edge.
ROOM: Final = 12
# Of fewer gaming days than these the line begins where the link did.
DAYS_MIN: Final = 2


class ChartPoint(NamedTuple):
    """A point. at: unix milliseconds. value: micro-dollars. text: the same as a decimal string."""

    at: int
    value: int
    text: str


class ChartLine(NamedTuple):
    """A level's line. points: of an SVG polyline. hits: where marks stand. low, high: decimal strings.

    first, last: unix milliseconds.
    """

    level: str
    points: str
    hits: tuple[tuple[str, str], ...]
    low: str
    high: str
    first: int
    last: int


def lines(link: Link, readings: Sequence[Reading], now: int) -> list[ChartLine]:
    """One chart for each level. readings: the newest first. now: unix milliseconds."""
    return [_drawn(level, _points(link, level, readings, now)) for level in link.levels]


def _drawn(level: Level, known: Sequence[ChartPoint]) -> ChartLine:
    """Draws a line; where a hit took from the meter it falls vertically.

    Winners of one share are one hit of it.
    """
    first, last = known[0].at, known[-1].at
    falls = [
        (_point(at, before), _point(at, after))
        for at, before, after in dict.fromkeys(
            (hit.at, hit.before, hit.after) for hit in reversed(level.last_hits) if first <= hit.at <= last
        )
    ]
    if level.hits > len(level.last_hits) > 0:  # what fell before the oldest of these is not known
        oldest = level.last_hits[-1].at
        known = [*(point for point in known[:-1] if point.at >= oldest), known[-1]]
    points = sorted([*known, *(point for fall in falls for point in fall)], key=_at)
    return _line(level, points, [before for before, _ in falls])


def _points(link: Link, level: Level, readings: Sequence[Reading], now: int) -> list[ChartPoint]:
    found = [
        _point(reading.at, meter.value)
        for reading in reversed(readings)
        for meter in reading.meters
        if (meter.link, meter.level) == (link.link, level.level)
    ]
    if len(found) < DAYS_MIN and link.opened is not None:
        found.insert(0, _point(link.opened, level.seed))
    return [*found, _point(max(now, found[-1].at if found else 0), level.value)]


def _point(at: int, text: str) -> ChartPoint:
    return ChartPoint(at, of_decimal(text), text)


def _line(level: Level, points: Sequence[ChartPoint], hits: Sequence[ChartPoint]) -> ChartLine:
    """Draws a line. hits: where the meter stood when something of it was won."""
    low, high = min(points, key=_value), max(points, key=_value)
    first, last = points[0].at, points[-1].at

    def x(at: int) -> int:
        return ROOM + (at - first) * (WIDTH - 2 * ROOM) // max(last - first, 1)

    def y(value: int) -> int:
        return HEIGHT - ROOM - (value - low.value) * (HEIGHT - 2 * ROOM) // max(high.value - low.value, 1)

    return ChartLine(
        level=level.level,
        points=" ".join(f"{x(point.at)},{y(point.value)}" for point in points),
        hits=tuple((str(x(hit.at)), str(y(hit.value))) for hit in hits),
        low=low.text,
        high=high.text,
        first=first,
        last=last,
    )


def _at(point: ChartPoint) -> int:
    return point.at


def _value(point: ChartPoint) -> int:
    return point.value
