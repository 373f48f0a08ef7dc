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
from jackpot.web.pages_base import PageRenderer
from jackpot.web.reports import Reports

DIRECTOR: Final = "/ops/director"
# By figure, the report whose rows add up to it.
_ROWS: Final[Mapping[str, str]] = {
    "wagered": "contributions",
    "onto_meters": "contributions",
    "paid": "awards",
    "running_cost": "result",
    "running_per_cent": "result",
    "expected_cost": "expected",
    "expected_per_cent": "expected",
    "left_to_the_house": "result",
    "seeds": "seeds",
    "expected_seeds": "expected",
    "hits": "awards",
    "expected_hits": "expected",
    "chance": "expected",
}
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
    ("wagered", ""),
    ("onto_meters", ""),
    ("paid", ""),
    ("running_cost", "running_per_cent"),
    ("expected_cost", "expected_per_cent"),
    ("left_to_the_house", ""),
    ("seeds", "expected_seeds"),
    ("hits", "expected_hits"),
    ("chance", ""),
)
# Groups that have no seeds: these are a link's own.
_WITHOUT_SEEDS: Final = frozenset({"table", "game", "shift"})
# Of the drawing, in its own units; a page scales it.
WIDTH: Final = 720
HEIGHT: Final = 160
# Between two bars, as a part of the room for each.
_GAP: Final = 4
# Room of a bar early in a month: as much as thirty days have.
_ROOM_MAX: Final = WIDTH // 30


class DayBar(NamedTuple):
    """A gaming day in the drawing: what was wagered, and how much of it was the running cost.

    x, width: of both bars. wagered, running: their heights. said: the same in words.
    """

    x: int
    width: int
    wagered: int
    running: int
    said: Sentence


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
        shown["bars"] = [] if found is None else bars(found.days, self._money)
        return await self._make.page(request, person, "ops/director.html", **shown)


def figures_of(group: DirectorGroup) -> list[tuple[str, str]]:
    """The columns that say something of a group."""
    bare = group.group in _WITHOUT_SEEDS
    return [(name, below) for name, below in COLUMNS if not (bare and name == "seeds")]


def rows_of(figure: str, month: str, group: str = "", key: str = "") -> str:
    """The address of the rows that make up a figure. group, key: of a part of the floor, if not all."""
    report = _ROWS[figure]
    asked = {"month": month}
    if group == "day":
        # Reports of a month have no smaller part than a day: its wagers are in hours, its awards one by one.
        report = report if report in ("awards", "seeds") else "contributions"
        asked = {"first": key, "last": key}
    elif key:
        asked[group] = key
    if report == "result":
        asked["group"] = "day"
    return f"/ops/reports/{report}?{urlencode(asked)}"


def bars(days: Sequence[DirectorDay], money: Writing) -> list[DayBar]:
    """The drawing of a month's days; none where nothing was wagered."""
    most = max((max(day.wagered, day.running) for day in days), default=0)
    if most <= 0:
        return []
    room = min(_ROOM_MAX, WIDTH // len(days))
    return [
        DayBar(
            place * room,
            max(1, room - room // _GAP),
            max(0, day.wagered) * HEIGHT // most,
            max(0, day.running) * HEIGHT // most,
            Sentence(
                "{day}: {wagered} wagered, {cost} running cost",
                day=day.day, wagered=money.exact(day.wagered), cost=money.exact(day.running),
            ),
        )
        for place, day in enumerate(days)
    ]  # fmt: skip
