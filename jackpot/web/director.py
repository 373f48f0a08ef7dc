"""The director's page: what the bonus earned and cost in a month; each number leads to its rows."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from aiohttp import web

from jackpot.auth.auth_service import AuthenticatedPerson
from jackpot.config.writing import Writing
from jackpot.reports import result
from jackpot.reports.director import FIGURES, DirectorDay, DirectorGroup, DirectorPage
from jackpot.runtime.errors import ServerError
from jackpot.text import Sentence
from jackpot.web.chart import (
    BOTTOM,
    HEIGHT,
    LABEL_HALF,
    ROOM,
    TOP,
    WIDTH,
    GridLine,
    round_sums,
)
from jackpot.web.pages_base import PageRenderer
from jackpot.web.reports import Reports

DIRECTOR: Final = "/ops/director"
# By figure, the report whose rows add up to it.
_ROWS: Final[Mapping[str, str]] = {
    "wagered": "contributions",
    "stakes": "awards",
    "onto_meters": "contributions",
    "paid": "awards",
    "running_cost": "result",
    "running_cost_per_cent": "result",
    "expected_cost": "expected",
    "expected_cost_per_cent": "expected",
    "left_to_the_house": "result",
    "seeds": "seeds",
    "expected_seeds": "expected",
    "hits": "expected",
    "expected_hits": "expected",
    "chance": "expected",
}
# Of a gaming day: reports of a month have no smaller part, so its wagers are in hours, its awards one by one.
_ROWS_OF_DAY: Final[Mapping[str, str]] = {
    "stakes": "awards", "paid": "awards", "hits": "awards", "seeds": "seeds",
}  # fmt: skip
# What rows of a group are, as headings of the page.
GROUP_TITLES: Final[Mapping[str, Sentence]] = {
    "link": Sentence("By link"),
    "table": Sentence("Top tables"),
    "game": Sentence("By game"),
    "shift": Sentence("By shift"),
    "day": Sentence("By gaming day"),
}
# Columns of a group: a figure, and the one that stands below it in its cell.
COLUMNS: Final = (
    ("wagered", "stakes"),
    ("onto_meters", ""),
    ("paid", ""),
    ("running_cost", "running_cost_per_cent"),
    ("expected_cost", "expected_cost_per_cent"),
    ("left_to_the_house", ""),
    ("seeds", "expected_seeds"),
    ("hits", "expected_hits"),
    ("chance", ""),
)
# Groups that have no seeds: these are a link's own.
_WITHOUT_SEEDS: Final = frozenset({"table", "game", "shift"})
# Rows of a group that a phone shows at once: each is a card there, and so many are some screens.
FOLDED_ABOVE: Final = 7
# Between two bars, as a part of the room for each.
_GAP: Final = 4
# Left of the first bar, for the labels of sums: a bar behind one would hide it.
LEFT: Final = 112
# Room of a bar early in a month: as much as thirty-one days have.
_ROOM_MAX: Final = (WIDTH - LEFT - ROOM) // 31
# Of a day's name, "2026-11-05", what stands below the drawing: the page says which year it is.
_OF_YEAR: Final = len("2026-")


class TrendBar(NamedTuple):
    """A bar of the drawing, from zero. y: of its upper edge."""

    y: int
    height: int


class DayBars(NamedTuple):
    """A gaming day in the drawing: what was wagered, and the running cost, below zero where it was a gain.

    x, width: of both bars. middle: where a pointer finds the day. said: the same in words.
    """

    x: int
    width: int
    middle: int
    wagered: TrendBar
    running: TrendBar
    said: Sentence


class TrendChart(NamedTuple):
    """The drawing of a month, in the units of a chart. sums: the grid's lines. labels: some of the days.

    base: where zero is. low, high: what was wagered in a day, least and most, in words.
    """

    days: list[DayBars]
    sums: list[GridLine]
    labels: list[GridLine]
    base: int
    low: str
    high: str


class Director:
    """Serves the director's page."""

    def __init__(self, make: PageRenderer, reports: Reports, money: Writing) -> None:
        self._make = make
        self._reports = reports
        self._money = money

    async def page(self, request: web.Request, person: AuthenticatedPerson) -> web.StreamResponse:
        """A month and the one before it. month: like 2026-11, else the last one that has rows."""
        month = request.query.get("month", "")
        given = {"month": month} if month else {}
        found: DirectorPage | None = None
        problem: str = ""
        try:
            told = await self._reports.ask(request, result.REPORT, person, given, "director")
            found = told.director
        except ServerError as error:
            problem = error.message
        shown: dict[str, Any] = {"found": found, "problem": problem, "figures": FIGURES, "month": month}
        shown |= {"group_titles": GROUP_TITLES, "figures_of": figures_of, "rows_of": rows_of}
        shown["folded"] = FOLDED_ABOVE
        shown["trend"] = None if found is None else trend(found.days, self._money)
        return await self._make.page(request, person, "ops/director.html", **shown)


def figures_of(group: DirectorGroup) -> list[tuple[str, str]]:
    """The columns that say something of a group."""
    bare = group.group in _WITHOUT_SEEDS
    return [
        (name, below if below and any(row.cells[below] for row in group.rows) else "")
        for name, below in COLUMNS
        if not (bare and name == "seeds")
    ]


def rows_of(figure: str, month: str, group: str = "", key: str = "") -> str:
    """The address of the rows that make up a figure. group, key: of a part of the floor, if not all."""
    report = _ROWS[figure]
    asked = {"month": month}
    if group == "day":
        report = _ROWS_OF_DAY.get(figure, "contributions")
        asked = {"first": key, "last": key}
    elif key:
        asked[group] = key
    if report == "result":
        asked["group"] = "day"
    return f"/ops/reports/{report}?{urlencode(asked)}"


def trend(days: Sequence[DirectorDay], money: Writing) -> TrendChart | None:
    """The drawing of a month's days; None where nothing was wagered."""
    high = max((max(day.wagered, day.running) for day in days), default=0)
    if high <= 0:
        return None
    low, bottom = min(0, *(day.running for day in days)), HEIGHT - BOTTOM
    room = min(_ROOM_MAX, (WIDTH - LEFT - ROOM) // len(days))
    apart = -(-LABEL_HALF // room)

    def y(value: int) -> int:
        return bottom - (value - low) * (bottom - TOP) // (high - low)

    def bar(value: int) -> TrendBar:
        return TrendBar(y(max(0, value)), abs(y(0) - y(value)))

    bars = [
        DayBars(
            LEFT + place * room,
            max(1, room - room // _GAP),
            LEFT + place * room + room // 2,
            bar(day.wagered),
            bar(day.running),
            Sentence(
                "{day}: {wagered} wagered, {cost} running cost",
                day=day.day, wagered=money.exact(day.wagered), cost=money.exact(day.running),
            ),
        )
        for place, day in enumerate(days)
    ]  # fmt: skip
    return TrendChart(
        bars,
        [GridLine(y(value), text) for value, text in round_sums(low, high, money)],
        [
            GridLine(one.middle, day.day[_OF_YEAR:], "middle")
            for one, day in list(zip(bars, days, strict=True))[::apart]
        ],
        y(0),
        money.exact(min(day.wagered for day in days)),
        money.exact(max(day.wagered for day in days)),
    )
