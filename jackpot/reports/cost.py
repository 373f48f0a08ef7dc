"""Report of the bonus's cost by table: what went onto meters, and what the house paid, of the wagers.

What a table put on meters and what its hands won is told of the table. Seeds and reseeds are a link's own:
they are divided among no tables. Wagers are counted from postings, awards from events. All of it is then
held against the database's own sums of every account (M4).
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from jackpot.config import Site
from jackpot.config.writing import writing
from jackpot.ledger.reading import Reader
from jackpot.reports.contributions import contributed_by
from jackpot.reports.read.entries import must_be_here
from jackpot.reports.read.gaming_days import DayPart, last_month, parts_of, periods, wanted_span
from jackpot.reports.read.hits import AwardChange, changes, stories_within
from jackpot.reports.read.names import JournalNames, must_know
from jackpot.reports.reconcile import joined_with, moved
from jackpot.reports.report import Cell, Fact, Report, ReportColumn, ReportRequest, ReportResult
from jackpot.rules import meter
from jackpot.rules.meter import Accounts
from jackpot.rules.paytable import LinkTerms
from jackpot.rules.state import Award
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
    ReportColumn("wagered", "sum", "what they came to", total=True),
    ReportColumn(
        "stakes", "sum", "of it, returned to winners at odds of N to 1: no cost", total=True, spare=True
    ),
    ReportColumn("cost", "sum", "all that follows, up to the seeds", total=True),
    ReportColumn("left", "sum", "to the house: wagered, less the stakes and the cost", total=True),
    ReportColumn("to_primary", "sum", "of the wagers, onto the meters", total=True, spare=True),
    ReportColumn("to_reserve", "sum", "of the wagers, onto the reserves", total=True, spare=True),
    ReportColumn("odds", "sum", "paid by the house", total=True, spare=True),
    ReportColumn("envy", "sum", "paid by the house", total=True, spare=True),
    ReportColumn("draws", "sum", "paid by the house", total=True, spare=True),
    ReportColumn(
        "seeds", "sum", "seeds, reseeds, top-ups and make-goods, less returns", total=True, spare=True
    ),
    ReportColumn(
        "from_meters", "sum", "won of what had been put there: no cost again", total=True, spare=True
    ),
    ReportColumn("corrections", "sum", "of the meter, by two people: no cost", total=True, spare=True),
)
_FIGURES: Final = tuple(column.name for column in COLUMNS[4:])
_RESULT: Final = ("wagered", "stakes", "cost", "left")
_COST: Final = ("to_primary", "to_reserve", "odds", "envy", "draws", "seeds")
# Columns of a link's row, and of a table's row.
_OF_LINKS: Final = ("cost", "left", "seeds", "corrections")
_OF_TABLES: Final = tuple(name for name in _FIGURES if name not in ("seeds", "corrections"))
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
_PAID_BY_HOUSE: Final[Mapping[str, str]] = {"odds": "odds", "envy": "envy", "draw": "draws"}
_FROM_HOUSE: Final = (*_PAID_BY_HOUSE.values(), "stakes")


class CostKey(NamedTuple):
    """Key of a row. period: a part's name. table: 0 for the link itself."""

    period: str
    link: int
    table: int


Figures = Counter[str]
"""By column: micro-dollars, or how many wagers."""
Rows = defaultdict[CostKey, Figures]


class CostBook(NamedTuple):
    """Costs of one bank over the days wanted. parts: in order, at least one. rows: the result."""

    ledger: Reader
    names: JournalNames
    parts: Sequence[DayPart]
    rows: Rows

    @property
    def bank(self) -> str:
        return self.names.bank


def find(ledger: Reader, wanted: ReportRequest) -> ReportResult:
    """Costs of every table and link by period. Raises Unanswerable, LedgerError."""
    named = {bank: names for bank in wanted.banks if (names := JournalNames(ledger, bank)).links}
    must_know(named.values(), [wanted.link] if wanted.link else [])
    if wanted.by == "month" and wanted.first is None and wanted.last is None:
        first, last = last_month(ledger, named)
        wanted = wanted._replace(first=first, last=last)
    spans = {bank: wanted_span(ledger, bank, wanted) for bank in named}
    problems: list[str] = []
    cells: list[tuple[Cell, ...]] = []
    of_tables = defaultdict[str, Figures](Figures)
    for bank, names in named.items():
        must_be_here(ledger, bank, spans[bank].after)
        parts = parts_of(ledger, bank, wanted.site, spans[bank], wanted.by)
        book = CostBook(ledger, names, parts, Rows(Figures))
        problems += _fill(book)
        for where in sorted(book.rows, key=lambda at: (at.period, at.link, not at.table, at.table)):
            figures = book.rows[where]
            if wanted.link in (None, names.link(where.link)) and any(map(figures.get, _FIGURES)):
                cells.append(_row(names, where, figures))
                of_tables[names.table(where.table or None)].update(_result(figures))
    return ReportResult([*_answer(of_tables, wanted.site), *periods(spans), *_MEANT], iter(cells), problems)


def _fill(book: CostBook) -> Iterator[str]:
    """Adds up all movements of each part; returns what does not add up, as sentences."""
    if book.parts:
        _awards(book)
    for part in book.parts:
        _wagers(book, part)
        yield from _links(book, part)


def _wagers(book: CostBook, part: DayPart) -> None:
    """What each table put on the meters."""
    names = book.names
    for start, end in names.stretches(part.after, part.upto):
        for each in contributed_by(book.ledger, names, start, end):
            if each.level > 1:
                continue  # the same wagers, counted a second time
            if not each.level:  # on an offer: they move no meter
                book.rows[CostKey(part.name, each.link, each.table)]["wagered"] += each.micros
                continue
            terms, wagers = names.link_terms(each.link, each.rated), each.wagers(names)
            figures = book.rows[CostKey(part.name, each.link, each.table)]
            figures["wagers"] += wagers
            figures["wagered"] += wagers * terms.wager
            for one in terms.levels:
                primary, reserve = meter.parts(one, wagers * terms.wager)
                figures["to_primary"] += primary
                figures["to_reserve"] += reserve


def _awards(book: CostBook) -> None:
    """What each table's hands won, and later changes of it, each in the part in which it happened."""
    begins = [part.after for part in book.parts]
    first, last = begins[0], book.parts[-1].upto
    for story in stories_within(book.ledger, book.bank, first, last):
        for award in story.hit.awards:
            column = "from_meters" if award.level else _PAID_BY_HOUSE[award.kind]
            came_to = story.first[award.number]
            later = changes(came_to, story.steps[award.number])
            moves = [
                (story.bank, story.made[award.number], came_to, award.stake),
                *((step.bank, step.seq, more, _stake_back(step, award)) for step, more in later),
            ]
            for bank, seq, more, stake in moves:
                if bank == book.bank and first < seq <= last:
                    period = book.parts[bisect_left(begins, seq) - 1].name
                    figures = book.rows[CostKey(period, award.link, story.hit.table)]
                    figures[column] += more
                    figures["stakes"] += stake


def _stake_back(step: AwardChange, award: Award) -> int:
    """How the returned stake of an award changes with it (B4)."""
    return -award.stake if step.what == "undone" else 0


def _links(book: CostBook, part: DayPart) -> Iterator[str]:
    """What the house put on each link's meters; a problem where tables differ from the database's sums."""
    carried = joined_with(book.ledger, book.bank, part.after, part.upto)
    lacks = defaultdict[int, Figures](Figures)
    for (link, level), accounts in moved(book.ledger, book.bank, part.after, part.upto).items():
        own = accounts.less(carried.get((link, level), Accounts()))
        lacks[link]["contributions"] -= own.wagers
        lacks[link]["awards of meters" if level else "awards of the house"] += own.awards
        if level:
            book.rows[CostKey(part.name, link, 0)].update(seeds=-own.house, corrections=-own.corrections)
    for where, figures in book.rows.items():
        if where.period == part.name and where.table:
            lacks[where.link].subtract({
                "contributions": _contributed(book.names.links[where.link], figures),
                "awards of meters": figures["from_meters"],
                "awards of the house": sum(figures[column] for column in _FROM_HOUSE),
            })  # fmt: skip
    for link, lack in lacks.items():
        for what, micros in lack.items():
            if micros:
                yield Sentence(
                    "{link}, {period}: {micros} micro-dollars of {what} belong to no table; "
                    "jackpot verify says which row was changed",
                    link=book.names.link(link), period=part.name, micros=micros, what=Sentence(what),
                )  # fmt: skip


def _contributed(terms: LinkTerms, figures: Figures) -> int:
    """What the postings have as wagers: the part that reaches the meters; all that lay on an offer (B1)."""
    return figures["wagered"] if terms.offer else figures["to_primary"] + figures["to_reserve"]


def _row(names: JournalNames, where: CostKey, figures: Figures) -> tuple[Cell, ...]:
    told = {**figures, **_result(figures)}
    shown = _OF_TABLES if where.table else _OF_LINKS
    return (
        names.bank, where.period, names.link(where.link),
        names.table(where.table) if where.table else LINK_ITSELF,
        *(told.get(name, 0) if name in shown else None for name in _FIGURES),
    )  # fmt: skip


def _result(figures: Figures) -> dict[str, int]:
    cost = sum(figures[column] for column in _COST)
    stakes = figures["stakes"]
    left = figures["wagered"] - stakes - cost
    return {"wagered": figures["wagered"], "stakes": stakes, "cost": cost, "left": left}


def _answer(of_tables: Mapping[str, Figures], site: Site) -> list[Fact]:
    """The total, and the tables, the dearest first; "" stands for the links themselves."""
    exact = writing(site.locale, site.currency).exact
    total = {name: exact(sum(figures[name] for figures in of_tables.values())) for name in _RESULT}
    tables = sorted(((of["cost"], table) for table, of in of_tables.items() if table), reverse=True)
    parts: list[tuple[str, int]] = [(table, cost) for cost, table in tables[:NAMED]]
    if rest := tables[NAMED:]:
        parts.append((several(len(rest), "more table"), sum(cost for cost, _ in rest)))
    if "" in of_tables:
        parts.append((LINKS_THEMSELVES, of_tables[""]["cost"]))
    answer = Fact("cost", Sentence("{cost} of {wagered} wagered; {left} is left to the house", **total))
    said = [Sentence("{table} {cost}", table=table, cost=exact(cost)) for table, cost in parts]
    return [answer, Fact("by table", joined(said))] if said else [answer]


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
