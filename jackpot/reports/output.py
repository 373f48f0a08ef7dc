"""Export of a report as CSV, JSON or a printable page, row by row, however many there are."""

import csv
import io
import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any, Final, TypeVar

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from jackpot.config import Site
from jackpot.config.display import LOGO_TYPES
from jackpot.config.languages import spoken, translate
from jackpot.config.writing import iso_moment, moment, writing
from jackpot.reports.report import (
    SUMS,
    Cell,
    Fact,
    Kind,
    NamedId,
    Report,
    ReportColumn,
    ReportResult,
    dicts,
)
from jackpot.rules.money import MICROS_PER_CENT, floor_to_cent
from jackpot.text import Sentence, name_sentence

# A spreadsheet takes a text that begins with one of these for a formula; what people typed must not be one.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
_MICROS: Final = 1_000_000
CUT: Final = Sentence(
    "sums are cut to the cent, and so may be a cent off when added by hand; CSV has them exactly"
)


Row = TypeVar("Row")


class CellFormat:
    """Format of cells for the people of a site.

    language: a locale, of texts; without it that of the site. Sums and moments read the same in every
    language: a sum is written as the site's signs write it. cut: a sum of a report lost parts of a cent, so
    that by hand sums may differ by a cent.
    """

    def __init__(self, site: Site, language: str = "") -> None:
        self._site = site
        self._money = writing(site.locale, site.currency)
        self.locale = language or site.locale
        self.cut = False
        self.language = spoken(self.locale)

    def cell(self, kind: Kind, value: Cell) -> str:
        """One cell; empty for none."""
        match kind, value:
            case _, None:
                return ""
            case "sum", int():
                return self._money.exact(value)
            case (("money" | "rest"), int()):
                self.cut = self.cut or value % MICROS_PER_CENT != 0
                return self.cents(value) if kind == "money" else self.rest(value)
            case _, NamedId():
                return self.cell(kind, value.called)
            case "word", str():
                return self.say(value if isinstance(value, Sentence) or not value else name_sentence(value))
            case "moment", int():
                return moment(value, self._site.timezone)
            case "span", int():
                return span_of(value)
            case "count", int():
                return self._money.count(value)
        return self.say(value) if isinstance(value, Sentence) else str(value)

    def cents(self, micros: int) -> str:
        """A sum cut to the cent, for who looks at many."""
        return self._money.to_the_cent(micros)

    def rest(self, micros: int) -> str:
        """What sums that were cut to the cent left of whole cents."""
        return self.cents(-floor_to_cent(-micros))

    def say(self, text: str) -> str:
        """A text of the program in the reader's language."""
        return translate(self.locale, text)

    def title(self, name: str) -> str:
        """What a column or a fact is called."""
        return self.say(name_sentence(name))

    def fact(self, fact: Fact) -> str:
        return self.cell(fact.kind, fact.value)


def in_order(rows: Iterable[Row], key: Callable[[Row], Cell], *, falling: bool) -> list[Row]:
    """The rows by that key, texts after numbers and in any case; rows without a value come last."""
    keyed = [(key(row), row) for row in rows]
    there = [one for one in keyed if one[0] not in (None, "")]
    there.sort(key=_comparable, reverse=falling)
    return [row for _, row in (*there, *(one for one in keyed if one[0] in (None, "")))]


def _comparable(keyed: tuple[Cell, object]) -> tuple[bool, str, int]:
    value = keyed[0]
    return (False, "", value) if isinstance(value, int) else (True, str(value).casefold(), 0)


class Totals:
    """Adds up the columns that have a total while rows go by."""

    def __init__(self, report: Report, result: ReportResult) -> None:
        self._rows = result.rows
        self.columns = [number for number, column in enumerate(report.columns) if column.total]
        self.sums = dict.fromkeys(self.columns, 0)

    def __iter__(self) -> Iterator[tuple[Cell, ...]]:
        for row in self._rows:
            for number in self.columns:
                value = row[number]
                self.sums[number] += value if isinstance(value, int) else 0
            yield row


def exact(kind: Kind, value: Cell) -> Any:
    """A cell for a program: a sum as a decimal string, times and spans in milliseconds."""
    if kind not in SUMS or not isinstance(value, int):
        return value
    whole, rest = divmod(abs(value), _MICROS)
    return f"{'-' if value < 0 else ''}{whole}.{rest:06}"


def span_of(ms: int) -> str:
    """A span of time: "2 h 03 min", "45 s"."""
    if ms < 0:
        return f"-{span_of(-ms)}"
    minutes, seconds = divmod(ms // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {seconds:02} s" if minutes else f"{seconds} s"


def as_csv(report: Report, result: ReportResult, site: Site) -> Iterator[str]:
    """RFC 4180, with a header row; sums as in JSON, times as ISO 8601 in the site's own time.

    A spreadsheet reads such a moment; of the milliseconds in JSON it would make a number.
    """
    yield _csv_line([column.name for column in report.columns])
    for row in result.rows:
        cells = zip(report.columns, row, strict=True)
        yield _csv_line([_csv_cell(column, value, site.timezone) for column, value in cells])


def as_json(report: Report, result: ReportResult) -> Iterator[str]:
    """One object; `problems` is empty where everything adds up, `totals` where no column is added up."""
    facts = {fact.name: exact(fact.kind, fact.value) for fact in result.facts}
    yield f'{{"report": {json.dumps(report.name)}, "facts": {json.dumps(facts)}, "rows": ['
    kinds = {column.name: column.kind for column in report.columns}
    comma = "\n"
    totals = Totals(report, result)
    for row in dicts(report, totals):
        yield comma + json.dumps({name: exact(kinds[name], value) for name, value in row.items()})
        comma = ",\n"
    sums = {report.columns[number].name: exact("sum", micros) for number, micros in totals.sums.items()}
    problems = json.dumps([problem.data() for problem in result.problems])
    yield f'\n], "totals": {json.dumps(sums)}, "problems": {problems}}}\n'


def as_html(
    report: Report, result: ReportResult, site: Site, printed_ms: int, language: str = ""
) -> Iterator[str]:
    """A page of its own, ready to print: it loads nothing. printed_ms: when, in unix milliseconds.

    language: as of `CellFormat`.
    """
    shown, totals = CellFormat(site, language), Totals(report, result)

    def sums() -> list[str]:
        """The totals, once the rows were read; empty where no column is added up."""
        if not totals.columns:
            return []
        numbers = range(len(report.columns))
        kinds = [column.kind for column in report.columns]
        return [shown.cell(kinds[one], totals.sums[one]) if one in totals.sums else "" for one in numbers]

    rows = (
        [shown.cell(column.kind, value) for column, value in zip(report.columns, row, strict=True)]
        for row in totals
    )
    both = {
        "report": report, "shown": shown, "totals": sums, "problems": result.problems, "site": site,
        "printed": shown.cell("moment", printed_ms), "note": lambda: shown.say(CUT) if shown.cut else "",
    }  # fmt: skip
    if not report.lines:
        facts = [(fact.name, shown.fact(fact)) for fact in result.facts]
        return page("report.html", facts=facts, rows=rows, **both)
    codes = [shown.fact(fact) for fact in result.facts if fact.kind == "code"]
    return page(
        "paper.html",
        facts=[(fact.name, shown.fact(fact)) for fact in result.facts if fact.kind != "code"],
        codes=[(code, drawing(code)) for code in codes],
        rows=list(rows),  # each copy has them
        logo=_logo(site.logo),
        **both,
    )


def drawing(text: str) -> Markup:
    """A QR code; a quarter of it may be hidden by a stamp or a fold."""
    import segno  # noqa: PLC0415 - for papers alone

    return Markup(str(segno.make(text, error="q").svg_inline(border=0, omitsize=True)))  # noqa: S704 - lines alone


def _logo(path: str) -> str:
    """The house's logo as a page holds it, since it loads nothing; "" for none, or one that is gone."""
    try:
        image = Path(path).read_bytes() if path else b""
    except OSError:
        return ""  # a payment does not wait for a picture
    kind = LOGO_TYPES.get(Path(path).suffix.lower(), "")
    return f"data:{kind};base64,{b64encode(image).decode()}" if image and kind else ""


def page(template: str, **values: Any) -> Iterator[str]:
    """A template of `pages/`, rendered in pieces; what people wrote is escaped."""
    made = Environment(
        autoescape=True, undefined=StrictUndefined, loader=FunctionLoader(_source), trim_blocks=True
    )
    return made.get_template(template).generate(style=_source("print.css"), **values)


def _source(name: str) -> str:
    return resources.files("jackpot.reports").joinpath("pages", name).read_text()


def _csv_cell(column: ReportColumn, value: Cell, zone: str) -> Any:
    if column.kind == "moment" and isinstance(value, int):
        return iso_moment(value, zone)
    if column.kind in ("text", "answer") and isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return exact(column.kind, value)


def _csv_line(cells: list[Any]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()
