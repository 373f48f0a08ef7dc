"""The director's page as data: a month and the one before it, what makes up its result, and its days."""

import msgspec

from jackpot.ledger.reading import Reader
from jackpot.reports import result
from jackpot.reports.output import CUT, CellFormat
from jackpot.reports.read.gaming_days import month_before, months_of
from jackpot.reports.report import GROUPS, Fact, ReportRequest
from jackpot.reports.result import MonthBook, ResultFigures, hit_cells, month_book, ordered, per_cent
from jackpot.text import Sentence, game

# Tables on the page, those with the most wagers first; the report has them all.
TOP_TABLES = 10
# Figures of the page, in order: columns of the report of a month's result.
FIGURES = (
    "wagered", "stakes", "onto_meters", "paid", "running_cost", "running_cost_per_cent", "expected_cost",
    "expected_cost_per_cent", "left_to_the_house", "seeds", "expected_seeds", "hits", "expected_hits",
    "chance",
)  # fmt: skip


class DirectorRow(msgspec.Struct, frozen=True):
    """Figures of one part of the floor. key: as reports know it. cells: by figure, sums to the cent."""

    key: str
    name: str
    cells: dict[str, str]


class DirectorGroup(msgspec.Struct, frozen=True):
    """Parts of the floor of one kind. group: as the report of the result has it. more: left out here."""

    group: str
    rows: list[DirectorRow]
    more: int


class DirectorDay(msgspec.Struct, frozen=True):
    """One gaming day. wagered, running: micro-dollars."""

    day: str
    wagered: int
    running: int


class DirectorPage(msgspec.Struct, frozen=True):
    """The page. months: those that the ledger has, the newest first. titles: of the figures.

    shown, before: the totals of a month and of the one before it. groups, days, summary: of the first of
    them. empty: nothing was played in it. meant: what the figures mean.
    """

    months: list[str]
    titles: dict[str, str]
    month: str
    shown: DirectorRow
    before: DirectorRow
    groups: list[DirectorGroup]
    days: list[DirectorDay]
    empty: bool
    summary: list[tuple[str, str]]
    meant: list[tuple[str, str]]
    problems: list[str]


def director_page(ledger: Reader, request: ReportRequest, shown: CellFormat) -> DirectorPage:
    """The page of the month asked for, or of the last one. Raises ReportRefused, LedgerError."""
    months = months_of(ledger, request.banks, request.site)
    book = month_book(ledger, request)
    total = book.total()
    earlier = month_before(book.month) if book.month else ""
    before = MonthBook(ledger, request._replace(banks=request.banks if earlier else ()), earlier)
    return DirectorPage(
        months=months,
        titles={name: shown.title(name) for name in FIGURES},
        month=book.month,
        shown=_row(book.month, book.month, total, shown),
        before=_row(earlier, earlier, before.total(), shown),
        groups=[_group(book, request._replace(group=group), shown) for group in GROUPS],
        days=[
            DirectorDay(day, figures.wagered, figures.running)
            for day, figures in sorted(book.by("day").items())
        ],
        empty=not total.played_on(),
        summary=[(shown.title(fact.name), shown.fact(fact)) for fact in result.summary(total, request)],
        meant=[(shown.title(fact.name), shown.fact(fact)) for fact in (*result.MEANT, Fact("sums", CUT))],
        problems=[shown.say(problem) for problem in (*book.problems, *before.problems)],
    )


def _group(book: MonthBook, request: ReportRequest, shown: CellFormat) -> DirectorGroup:
    found = ordered(book, request)
    if request.group == "table":
        found.sort(key=_wagered, reverse=True)
    few = found[:TOP_TABLES] if request.group == "table" else found
    rows = [_row(key, _part_name(request, key, shown), figures, shown) for key, figures in few]
    return DirectorGroup(request.group, rows, len(found) - len(few))


def _part_name(request: ReportRequest, key: str, shown: CellFormat) -> str:
    """What people call a part of the floor."""
    if request.group == "link":
        return request.title(key)
    return shown.say(game(key)) if request.group == "game" else key


def _wagered(found: tuple[str, ResultFigures]) -> int:
    return found[1].wagered


def _row(key: str, name: str, figures: ResultFigures, shown: CellFormat) -> DirectorRow:
    hits, expected, chance, how = hit_cells(figures)
    told = shown.cell("figure", chance)
    said = Sentence("{chance} ({how})", chance=told, how=how) if told else ""
    sums = {
        "wagered": figures.wagered,
        "onto_meters": figures.onto_meters,
        "paid": figures.paid,
        "running_cost": figures.running,
        "expected_cost": figures.expected,
        "seeds": figures.seeds,
        "expected_seeds": figures.expected_seeds,
    }
    cells = {figure: shown.cents(micros) for figure, micros in sums.items()}
    cells |= {
        "stakes": shown.cents(figures.stakes) if figures.stakes else "",
        "left_to_the_house": shown.rest(figures.left),
        "running_cost_per_cent": per_cent(figures.running, figures),
        "expected_cost_per_cent": per_cent(figures.expected, figures),
        "hits": shown.cell("count", hits),
        "expected_hits": str(expected),
        "chance": shown.say(said),
    }
    return DirectorRow(key, name, {name: cells[name] for name in FIGURES})
