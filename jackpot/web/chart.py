"""SVG charts of meters: one line a level, from its readings to now, with axes, a grid, and its hits marked.

It is drawn here and needs no script, so that it prints, and stands on a phone without waiting. The script of
the page only says what each point is.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from jackpot.api.queries.journal import Reading
from jackpot.api.queries.links import Level, Link
from jackpot.config.writing import Writing
from jackpot.rules.money import of_decimal

# Of the drawing, in its own units; a page scales it.
WIDTH: Final = 720
HEIGHT: Final = 240
# Free at both sides, so that no mark of a hit is cut.
ROOM: Final = 12
# Above the lines, for the label of the highest sum, and below them, for those of times: in a phone's letters.
TOP: Final = 34
BOTTOM: Final = 40
# Half of a day's label in a phone's letters: nearer to an edge it begins or ends at its line.
LABEL_HALF: Final = 80
# Lines of the grid in one direction: more labels than these would touch each other on a phone.
TICKS_MAX: Final = 5
_DAY_MIN: Final = 1440
# From one vertical line to the next, in minutes: parts of an hour, of a day, days; else whole weeks.
_STEPS_MIN: Final = (
    *(1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720),
    *(days * _DAY_MIN for days in (1, 2, 3, 5, 7, 14, 28)),
)
_WEEK_MIN: Final = 7 * _DAY_MIN
# From one horizontal line to the next, in tenths of a power of ten.
_STEPS_OF_TEN: Final = (10, 20, 25, 50, 100)
# One cent and one unit of the currency, in micro-dollars: no line stands between two cents.
_CENT: Final = 10_000
_UNIT: Final = 1_000_000
# Of fewer gaming days than these the line begins where the link did.
DAYS_MIN: Final = 2


class ChartPoint(NamedTuple):
    """A point. at: unix milliseconds. value: micro-dollars. text: the same as a decimal string."""

    at: int
    value: int
    text: str


class GridLine(NamedTuple):
    """A line of the grid and its label. at: x or y. anchor: of the label, as SVG has it."""

    at: int
    text: str
    anchor: str = "start"


class LinePoint(NamedTuple):
    """A point of the line. at: unix milliseconds. text: its value, a decimal string."""

    x: int
    y: int
    at: int
    text: str


class ChartLine(NamedTuple):
    """A level's line. points: of an SVG polyline. hits: where marks stand. low, high: decimal strings.

    first, last: unix milliseconds. spots: its points. sums: the grid's horizontal lines. times: its vertical
    ones.
    """

    level: str
    points: str
    spots: tuple[LinePoint, ...]
    sums: tuple[GridLine, ...]
    times: tuple[GridLine, ...]
    hits: tuple[tuple[str, str], ...]
    low: str
    high: str
    first: int
    last: int


class Axes(NamedTuple):
    """How the labels of the axes are written. zone: an IANA name."""

    money: Writing
    zone: str


def lines(link: Link, readings: Sequence[Reading], now: int, axes: Axes) -> list[ChartLine]:
    """One chart for each level. readings: the newest first. now: unix milliseconds."""
    return [_drawn(level, _points(link, level, readings, now), axes) for level in link.levels]


def _drawn(level: Level, known: Sequence[ChartPoint], axes: Axes) -> ChartLine:
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
    return _line(level, points, [before for before, _ in falls], axes)


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


def _line(level: Level, points: Sequence[ChartPoint], hits: Sequence[ChartPoint], axes: Axes) -> ChartLine:
    """Draws a line. hits: where the meter stood when something of it was won."""
    low, high = min(points, key=_value), max(points, key=_value)
    first, last = points[0].at, points[-1].at

    def x(at: int) -> int:
        return ROOM + (at - first) * (WIDTH - 2 * ROOM) // max(last - first, 1)

    def y(value: int) -> int:
        bottom, span = HEIGHT - BOTTOM, max(high.value - low.value, 1)
        return bottom - (value - low.value) * (bottom - TOP) // span

    spots = tuple(LinePoint(x(point.at), y(point.value), point.at, point.text) for point in points)
    return ChartLine(
        level=level.level,
        points=" ".join(f"{spot.x},{spot.y}" for spot in spots),
        spots=spots,
        sums=tuple(GridLine(y(value), text) for value, text in round_sums(low.value, high.value, axes.money)),
        times=tuple(GridLine(x(at), text, _anchor(x(at))) for at, text in _times(first, last, axes.zone)),
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


def round_sums(low: int, high: int, money: Writing) -> Iterator[tuple[int, str]]:
    """Round sums from low to high, in micro-dollars, with their labels; of a flat line its own."""
    if low == high:
        yield low, money.exact(low)
        return
    step = _step(high - low)
    for value in range(-(-low // step) * step, high + 1, step):
        yield value, money.whole(value // _UNIT) if step % _UNIT == 0 else money.exact(value)


def _step(span: int) -> int:
    """The smallest round sum, of whole cents, of which so few steps as there may be lines cover a span."""
    least = max(-(-span // (TICKS_MAX - 1)), _CENT)
    power: int = 10 ** (len(str(least)) - 1)
    steps = (tenths * power // 10 for tenths in _STEPS_OF_TEN)
    return next(step for step in steps if step >= least and step % _CENT == 0)


def _anchor(x: int) -> str:
    """Where the label of a vertical line is anchored."""
    return "start" if x < LABEL_HALF else "end" if x > WIDTH - LABEL_HALF else "middle"


def _times(first: int, last: int, zone: str) -> Iterator[tuple[int, str]]:
    """Round times of the site's clocks, in unix milliseconds, with their labels: hours, or days."""
    least = (last - first) / 60_000 / (TICKS_MAX - 1)
    weeks = ceil(least / _WEEK_MIN) * _WEEK_MIN
    step_min = next((one for one in _STEPS_MIN if one >= least), weeks)
    begins = datetime.fromtimestamp(first / 1000, UTC).astimezone(ZoneInfo(zone))
    midnight = begins.replace(hour=0, minute=0, second=0, microsecond=0)
    number = ceil((begins - midnight) / timedelta(minutes=step_min))
    form = "%H:%M" if step_min < _DAY_MIN else "%Y-%m-%d"
    while True:
        # Of one zone, a sum of times is one of what its clocks show: each day begins at midnight.
        then = midnight + timedelta(minutes=number * step_min)
        at = int(then.timestamp() * 1000)
        if at > last:
            return
        if at >= first:
            yield at, then.strftime(form)
        number += 1
