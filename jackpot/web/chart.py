"""How did a meter move? One line a level from its readings to now, with its hits marked, as a drawing.

It is drawn here and needs no script, so that it prints, and stands on a phone without waiting.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Final, NamedTuple

from jackpot.rules.money import BASIS_POINTS, decimal, of_decimal
from jackpot.rules.paytable import Percent, Row
from jackpot.server.replies import Level, Link, Reading

# Of the drawing, in its own units; a page scales it.
WIDTH: Final = 720
HEIGHT: Final = 180
# Left free above the highest and below the lowest value, so that no line touches an edge.
ROOM: Final = 12
# Of fewer gaming days than these the line begins where the link did.
DAYS_LEAST: Final = 2


class Point(NamedTuple):
    """at: unix milliseconds. value: micro-dollars. text: the same as a decimal string."""

    at: int
    value: int
    text: str


class Line(NamedTuple):
    """A level. points: as an SVG polyline has them. hits: where marks stand. low, high: decimal strings.

    first, last: unix milliseconds.
    """

    level: str
    points: str
    hits: tuple[tuple[str, str], ...]
    low: str
    high: str
    first: int
    last: int


def lines(link: Link, readings: Sequence[Reading], now: int, rows: Sequence[Row] = ()) -> list[Line]:
    """One drawing for each level. readings: the newest first. now: unix milliseconds.

    rows: of the link's paytable. Where a hand of them won a whole meter the line falls upright.
    """
    return [_drawn(level, _points(link, level, readings, now), rows) for level in link.levels]


def _drawn(level: Level, known: Sequence[Point], rows: Sequence[Row]) -> Line:
    falls = _falls(level, known, _whole_hands(level, rows))
    if level.hits > len(level.last_hits) > 0:  # what fell before the oldest of these is not known
        oldest = level.last_hits[-1].at
        known = [*(point for point in known[:-1] if point.at >= oldest), known[-1]]
    points = sorted([*known, *(point for fall in reversed(falls) for point in fall)], key=_at)
    return _line(level, points, {before.at: before.value for before, _ in falls})


def _falls(level: Level, known: Sequence[Point], whole: Collection[str]) -> list[tuple[Point, Point]]:
    """Where the meter stood before and after each win of all of it, the newest first; its shares are one win.

    It begins again from the reseed. A reserve or an overflow would be added to that (A2), and a hit does not
    say how much: there the next value that is known stands for it.
    """
    alone = level.limit is None and of_decimal(level.reserve_rate.removesuffix("%")) == 0
    first, last = known[0].at, known[-1].at
    won = [hit for hit in level.last_hits if hit.hand in whole and first <= hit.at <= last]
    falls: list[tuple[Point, Point]] = []
    for (at, _), shares in groupby(won, lambda hit: (hit.at, hit.cycle)):
        amount = sum(of_decimal(share.amount) for share in shares)
        later = [*(before for before, _ in falls[-1:]), *(point for point in known if point.at >= at)]
        after = level.reseed if alone else min(later, key=_at).text
        falls.append((Point(at, amount, decimal(amount)), _point(at, after)))
    return falls


def _whole_hands(level: Level, rows: Sequence[Row]) -> set[str]:
    """Hands that win all of the level in every suit."""
    rates: dict[str, set[int]] = {}
    for row in rows:
        rates.setdefault(row.hand, set()).add(
            row.pays.rate if isinstance(row.pays, Percent) and row.pays.level == level.level else 0
        )
    return {hand for hand, found in rates.items() if found == {BASIS_POINTS}}


def _points(link: Link, level: Level, readings: Sequence[Reading], now: int) -> list[Point]:
    found = [
        _point(reading.at, meter.value)
        for reading in reversed(readings)
        for meter in reading.meters
        if (meter.link, meter.level) == (link.link, level.level)
    ]
    if len(found) < DAYS_LEAST and link.opened is not None:
        found.insert(0, _point(link.opened, level.seed))
    return [*found, _point(max(now, found[-1].at if found else 0), level.value)]


def _point(at: int, text: str) -> Point:
    return Point(at, of_decimal(text), text)


def _line(level: Level, points: Sequence[Point], tops: Mapping[int, int]) -> Line:
    """tops: by moment, what stood on the meter when all of it was won."""
    low, high = min(points, key=_value), max(points, key=_value)
    first, last = points[0].at, points[-1].at

    def x(at: int) -> int:
        return ROOM + (at - first) * (WIDTH - 2 * ROOM) // max(last - first, 1)

    def y(value: int) -> int:
        return HEIGHT - ROOM - (value - low.value) * (HEIGHT - 2 * ROOM) // max(high.value - low.value, 1)

    marks = sorted(hit.at for hit in level.last_hits if first <= hit.at <= last)
    return Line(
        level=level.level,
        points=" ".join(f"{x(point.at)},{y(point.value)}" for point in points),
        hits=tuple((str(x(at)), str(y(tops[at] if at in tops else _between(points, at)))) for at in marks),
        low=low.text,
        high=high.text,
        first=first,
        last=last,
    )


def _at(point: Point) -> int:
    return point.at


def _value(point: Point) -> int:
    return point.value


def _between(points: Iterable[Point], at: int) -> int:
    """Where the line stands at a moment that it covers."""
    value = 0
    for before, after in pairwise(points):
        if before.at <= at <= after.at:
            passed = (after.value - before.value) * (at - before.at)
            value = before.value + passed // max(after.at - before.at, 1)
    return value
