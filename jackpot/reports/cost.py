"""Report of the bonus's cost by table: what went onto meters, and what the house paid, of the wagers.

What a table put on meters and what its hands won is told of the table. Seeds and reseeds are a link's own:
they are divided among no tables.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Final, NamedTuple

from jackpot.config import Site
from jackpot.config.writing import writing
from jackpot.ledger.reading import Reader
from jackpot.reports.bonus_book import BonusBook
from jackpot.reports.read.entries import must_be_here
from jackpot.reports.read.gaming_days import last_month, parts_of, periods, wanted_span
from jackpot.reports.read.names import JournalNames, must_know
from jackpot.reports.report import (
    Cell,
    Fact,
    Report,
    ReportColumn,
    ReportProblem,
    ReportRequest,
    ReportResult,
)
from jackpot.rules.money import floor_to_cent
from jackpot.text import Sentence, joined, several

# Tables named in the first lines.
NAMED: Final = 8
# Table number of what belongs to no table.
LINK_ITSELF: Final = Sentence("the link itself")
LINKS_THEMSELVES: Final = Sentence("the links themselves")

COLUMNS: Final = (
    ReportColumn("bank"),
    ReportColumn("period", help="a gaming day or a month"),
    ReportColumn("link"),
    ReportColumn("table"),
    ReportColumn(
        "wagers", "count", "accepted, less those taken back; of an offer their sum alone", spare=True
    ),
    ReportColumn("wagered", "money", "what they came to", total=True),
    ReportColumn(
        "stakes", "money", "of it, returned to winners at odds of N to 1: no cost", total=True, spare=True
    ),
    ReportColumn("cost", "money", "all that follows, up to the seeds", total=True),
    ReportColumn("left_to_the_house", "rest", "wagered, less the stakes and the cost", total=True),
    ReportColumn("onto_meters", "money", "of the wagers, the primary part", total=True, spare=True),
    ReportColumn("onto_reserves", "money", "of the wagers", total=True, spare=True),
    ReportColumn("odds_paid", "money", "by the house", total=True, spare=True),
    ReportColumn("envy_paid", "money", "by the house", total=True, spare=True),
    ReportColumn("draws_paid", "money", "by the house", total=True, spare=True),
    ReportColumn(
        "seeds", "money", "seeds, reseeds, top-ups and make-goods, less returns", total=True, spare=True
    ),
    ReportColumn(
        "paid_from_meters", "money", "what had been put there: no cost again", total=True, spare=True
    ),
    ReportColumn("corrections", "money", "of the meter, by two people: no cost", total=True, spare=True),
)
# By the name of a column, the figure of the book.
_FIGURES: Final[Mapping[str, str]] = {
    "wagers": "wagers", "wagered": "wagered", "stakes": "stakes", "cost": "cost", "left_to_the_house": "left",
    "onto_meters": "onto_meters", "onto_reserves": "onto_reserves", "odds_paid": "odds", "envy_paid": "envy",
    "draws_paid": "draws", "seeds": "seeds", "paid_from_meters": "from_meters", "corrections": "corrections",
}  # fmt: skip
_COST: Final = ("onto_meters", "onto_reserves", "odds", "envy", "draws", "seeds")
# Figures of a link's row, and of a table's row.
_OF_LINKS: Final = ("cost", "left", "seeds", "corrections")
_OF_TABLES: Final = tuple(name for name in _FIGURES.values() if name not in ("seeds", "corrections"))
# Facts above the rows, after the answer.
_MEANT: Final = (
    Fact("what counts", Sentence(
        "what was put onto meters and reserves, and what the house paid: odds, envy, draws, seeds and "
        "reseeds; what a meter pays was put there before"
    )),
    Fact("seeds", Sentence("they are a link's own, and are divided among no tables")),
    Fact("when", Sentence(
        "an award counts when it is won, paid or not; what is undone or corrected later, counts then"
    )),
)  # fmt: skip


class CostKey(NamedTuple):
    """Key of a row. period: a part's name. table: 0 for the link itself."""

    period: str
    link: int
    table: int


Figures = Counter[str]
"""By name: micro-dollars, or how many wagers."""


def find(ledger: Reader, request: ReportRequest) -> ReportResult:
    """Costs of every table and link by period. Raises ReportRefused, LedgerError."""
    named = {bank: names for bank in request.banks if (names := JournalNames(ledger, bank)).links}
    must_know(named.values(), [request.link] if request.link else [])
    if request.by == "month" and request.first is None and request.last is None:
        first, last = last_month(ledger, named)
        request = request._replace(first=first, last=last)
    spans = {bank: wanted_span(ledger, bank, request) for bank in named}
    problems: list[ReportProblem] = []
    cells: list[tuple[Cell, ...]] = []
    of_tables = defaultdict[str, Figures](Figures)
    for bank, names in named.items():
        must_be_here(ledger, bank, spans[bank].after)
        parts = parts_of(ledger, bank, request.site, spans[bank], request.by)
        book = BonusBook(ledger, names, request.site, parts)
        problems += book.problems
        rows = _rows(book)
        for where in sorted(rows, key=lambda at: (at.period, at.link, not at.table, at.table)):
            figures = rows[where]
            if request.link in (None, names.link(where.link)) and any(map(figures.get, _FIGURES.values())):
                cells.append(_row(request, names, where, figures))
                of_tables[names.table(where.table or None)].update(_result(figures))
    return ReportResult([*_answer(of_tables, request.site), *periods(spans), *_MEANT], iter(cells), problems)


def _rows(book: BonusBook) -> dict[CostKey, Figures]:
    """The figures of the book by period, link and table, over all shifts."""
    rows = defaultdict[CostKey, Figures](Figures)
    for key, figures in book.figures.items():
        rows[CostKey(key.period, key.link, key.table)].update(figures)
    return rows


def _row(request: ReportRequest, names: JournalNames, key: CostKey, figures: Figures) -> tuple[Cell, ...]:
    told = {**figures, **_result(figures)}
    shown = _OF_TABLES if key.table else _OF_LINKS
    return (
        names.bank, key.period, request.link_cell(names.link(key.link)),
        names.table(key.table) if key.table else LINK_ITSELF,
        *(told.get(name, 0) if name in shown else None for name in _FIGURES.values()),
    )  # fmt: skip


def _result(figures: Figures) -> dict[str, int]:
    cost = sum(figures[column] for column in _COST)
    stakes = figures["stakes"]
    left = figures["wagered"] - stakes - cost
    told = {"wagered": figures["wagered"], "stakes": stakes, "cost": cost, "left": left}
    return told | {"seeds": figures["seeds"]}


def _answer(of_tables: Mapping[str, Figures], site: Site) -> list[Fact]:
    """The total, and the tables, the dearest first; "" stands for the links themselves.

    Sums add up by hand, to the cent: parts of a cent of the running cost are dropped, and the others
    follow from it. What was wagered, less stakes and cost, is what is left.
    """
    told = writing(site.locale, site.currency).to_the_cent
    sums = Counter[str]()
    for figures in of_tables.values():
        sums.update(figures)
    running = sums["cost"] - sums["seeds"]
    sums["running"] = floor_to_cent(running)
    sums["cost"] = sums["running"] + sums["seeds"]
    sums["left"] = sums["wagered"] - sums["stakes"] - sums["cost"]
    total = {name: told(sums[name]) for name in ("wagered", "stakes", "running", "seeds", "cost", "left")}
    tables = sorted(((of["cost"], table) for table, of in of_tables.items() if table), reverse=True)
    parts: list[tuple[str, int]] = [(table, cost) for cost, table in tables[:NAMED]]
    if rest := tables[NAMED:]:
        parts.append((several(len(rest), "more table"), sum(cost for cost, _ in rest)))
    if "" in of_tables:
        parts.append((LINKS_THEMSELVES, of_tables[""]["cost"]))
    back = Sentence(", less {stakes} of stakes returned", stakes=total["stakes"]) if sums["stakes"] else ""
    answer = [
        Fact("cost", Sentence("{cost}: {running} running cost and {seeds} seeds", **total)),
        Fact(
            "left to the house",
            Sentence("{left}: {wagered} wagered{back}, less the cost of {cost}", **total, back=back),
        ),
    ]
    said = [Sentence("{table} {cost}", table=table, cost=told(cost)) for table, cost in parts]
    return [*answer, Fact("by table", joined(said))] if said else answer


REPORT: Final = Report(
    "cost",
    "Cost of the bonus by table",
    "What did the bonus cost, by table and gaming day or month? What was wagered, what of it went onto "
    "meters and reserves, what the house paid, and what is left to it. Seeds and reseeds stand in a row of "
    "their link.",
    COLUMNS,
    ("days", "by", "link"),
    find,
    "--by month",
)
