"""Definition of a report: its name, parameters and columns; one form for commands and pages."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, Literal, NamedTuple, Self

from jackpot.config import Site
from jackpot.ledger.archived import cut_of
from jackpot.ledger.reading import Reader
from jackpot.text import RefusalSentence, Sentence, words

Kind = Literal["text", "word", "figure", "count", "sum", "moment", "span", "code", "money", "rest"]
"""Of a cell: a text, a name of ours such as "royal-flush", a refusal as it was given, digits, a number,
micro-dollars, unix ms, milliseconds; a text that a camera reads; micro-dollars that people look at to the
cent, and programs exactly: cut, or of what such sums left of whole cents, rounded up, so that they add up.
A text that is a `Sentence` is told in the reader's language, and a `NamedId` as people call it."""
Cell = str | int | None
Archive = Callable[[], Reader]
"""Opens the ledger's archive, where it is needed. Raises LedgerError."""
Option = Literal[
    "day", "days", "month", "by", "group", "hit", "seat", "table", "link", "game", "shift", "drop", "archive"
]  # fmt: skip
"""What a report may be asked with besides the bank. day: one gaming day. days: from one to another.
month: one month; without it the last. by: whether a row is of a gaming day or of a month. group: what
of the floor a row is of. game, shift: of the floor, as table and link. archive: what has old rows of the
ledger.
"""


class ReportProblem(Sentence):
    """What does not add up in a report, or is not there. template: its id, which stays if it is reworded."""

    __slots__ = ("template",)
    template: str

    def __new__(cls, template: str, plain: str, /, **values: object) -> Self:
        made = super().__new__(cls, plain, **values)
        made.template = template
        return made

    def with_values(self, values: Mapping[str, object]) -> Self:
        """The same problem with these values."""
        return type(self)(self.template, self.plain, **values)

    def data(self) -> dict[str, Any]:
        """The problem for a program: its template and values, and its text in English."""
        return {"template": self.template, "values": self.english_values, "text": str(self)}


class ReportRefused(Exception):
    """The report cannot be made as it was asked for; `said` says why, and what to ask for instead."""

    def __init__(self, template: str, plain: str, /, *, field: str = "", **values: Any) -> None:
        """As a `RefusalSentence`. template: its id. field: what of the question is wrong."""
        self.said = RefusalSentence(plain, field=field, template=template, **values)
        super().__init__(str(self.said))


def must_know_table(request: "ReportRequest", known: Iterable[str]) -> None:
    """Raises ReportRefused where the report is asked of a table that no bank has. known: all tables."""
    tables = sorted(known)
    if request.table is not None and request.table not in tables:
        raise ReportRefused(
            "table_not_known",
            "{table} is unknown; there is {tables}",
            field="table",
            table=request.table,
            tables=" ".join(tables),
        )


class InArchive(ReportRefused):
    """The report takes rows that only an archive has."""


# Kinds of cells.
BY: Final = ("day", "month")
# Values of the option "group".
GROUPS: Final = ("link", "table", "game", "shift", "day")
# Kinds of cells that are aligned to the right.
RIGHT: Final = frozenset({"figure", "count", "sum", "money", "rest", "span"})
# Kinds of cells that are micro-dollars.
SUMS: Final = ("sum", "money", "rest")


class NamedId(str):
    """A name or a figure as programs read it. called: what people read in its place."""

    __slots__ = ("called",)
    called: str

    def __new__(cls, name: str, called: str) -> Self:
        made = super().__new__(cls, name)
        made.called = called
        return made


class ReportColumn(NamedTuple):
    """Column of a report. total: a sum that is added up at the end. always: a zero of it is worth a column.

    spare: left out first where a terminal has no room for all.
    """

    name: str
    kind: Kind = "text"
    help: str = ""
    total: bool = False
    always: bool = False
    spare: bool = False


class ReportRequest(NamedTuple):
    """Parameters of a report. banks: at least one. link, table: None for all. seat: a hit's winner, or 0.

    first, last: gaming days; where neither is given the last one that was read. drops: by link, what was
    counted, in micro-dollars. titles: by link, what people call it. levels: the same of its
    levels. by: "day" or "month". archive: the ledger's, where it is at hand. month: like 2026-11. group: one
    of GROUPS. game, shift: None for all.
    """

    site: Site
    banks: tuple[str, ...]
    link: str | None = None
    first: str | None = None
    last: str | None = None
    hit: int = 0
    drops: Mapping[str, int] = {}
    titles: Mapping[str, str] = {}
    seat: int = 0
    by: str = BY[0]
    table: str | None = None
    archive: Archive | None = None
    month: str | None = None
    group: str = GROUPS[0]
    game: str | None = None
    shift: str | None = None
    levels: Mapping[str, Mapping[str, str]] = {}

    def level_title(self, link: str, level: str) -> Sentence:
        """The title of a level; its name in words where nothing else is known."""
        return Sentence(self.levels.get(link, {}).get(level) or words(level))

    def title(self, link: str) -> str:
        """The title of a link; its id where nothing else is known."""
        return self.titles.get(link, link)

    def link_cell(self, link: str) -> NamedId:
        """The link in a cell."""
        return NamedId(link, self.title(link))


class Fact(NamedTuple):
    """One line above a report's rows."""

    name: str
    value: Cell
    kind: Kind = "text"


class ReportResult(NamedTuple):
    """Result of a report. rows: each as long as the columns; read from the ledger while iterated.

    problems: complete once the last row was drawn; a report that has any does not add up.
    """

    facts: list[Fact]
    rows: Iterator[tuple[Cell, ...]]
    problems: list[ReportProblem]


class BriefReport(NamedTuple):
    """Brief form of a long report on a terminal.

    matters: whether a row is shown. others: name of the rest.
    """

    matters: Callable[[tuple[Cell, ...]], bool]
    others: str


class Report(NamedTuple):
    """One entry of the registry. find: reads the ledger. Raises LedgerError, ReportRefused.

    example: the options of its example. lines: what people write and sign by hand, on a paper of one page.
    copies: whose each copy of such a paper is, none for one unmarked; all are printed at once, each on a page
    of its own.
    parts: the columns whose values head the parts of a long report, which a phone shows folded.
    personal: it names who was paid, which is not for those who only look on. brief: None where a terminal
    shows all rows, as it does where columns are added up.
    """

    name: str
    title: str
    help: str
    columns: tuple[ReportColumn, ...]
    options: tuple[Option, ...]
    find: Callable[[Reader, ReportRequest], ReportResult]
    example: str = ""
    lines: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    personal: bool = False
    brief: BriefReport | None = None
    parts: tuple[str, ...] = ()

    def asked(self, ledger: Reader, request: ReportRequest) -> ReportResult:
        """What `find` returns, with links by their titles. Raises as that does."""
        found = self.find(ledger, request)
        links = {number for number, column in enumerate(self.columns) if column.name == "link"}
        if not links:
            return found
        return found._replace(rows=(_titled(row, links, request) for row in found.rows))


def _titled(row: tuple[Cell, ...], links: Collection[int], request: ReportRequest) -> tuple[Cell, ...]:
    """A row whose links have their titles. links: the places of their cells."""
    return tuple(
        request.link_cell(cell) if number in links and type(cell) is str else cell
        for number, cell in enumerate(row)
    )


@contextmanager
def steady(ledger: Reader) -> Iterator[None]:
    """Guard around a report that is read page by page.


    Raises InArchive at its end where old rows were archived meanwhile: what was read may lack them.
    """
    before = {bank: cut_of(ledger, bank) for bank in ledger.banks()}
    try:
        yield
    finally:
        for bank, cut in before.items():
            if cut_of(ledger, bank) != cut:
                raise InArchive(
                    "rows_left_meanwhile",
                    "{bank}: old rows left for an archive while this was read: ask once more",
                    bank=bank,
                )


def columns_shown(report: Report, rows: Sequence[tuple[Cell, ...]]) -> list[int]:
    """The columns that say something in these rows; the bank column is left out where all rows are of one."""
    return [
        number
        for number, column in enumerate(report.columns)
        if any(row[number] not in (None, "", *((0,) * (not column.always))) for row in rows)
        and not (column.name == "bank" and len({row[number] for row in rows}) == 1)
    ]


def dicts(report: Report, rows: Iterable[tuple[Cell, ...]]) -> Iterator[dict[str, Cell]]:
    """Each row as a dict by column name."""
    names = [column.name for column in report.columns]
    return (dict(zip(names, row, strict=True)) for row in rows)
