"""Export of an analysis: CSV with a line a figure, JSON, or a printable page."""

import csv
import io
import json
from importlib import resources

from jinja2 import Environment, FunctionLoader, StrictUndefined

from jackpot.odds.analyses import AnyAnalysis, facts_of, sheets_of
from jackpot.odds.sheets import PLAIN, SheetFormat, cell_text, exact
from jackpot.text import Sentence, name_sentence


def as_csv(analysis: AnyAnalysis) -> str:
    """RFC 4180, a line a figure: the sheet, the number of its row, the column, the figure."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["sheet", "row", "figure", "value"])
    for name, text in facts_of(analysis):
        writer.writerow(["subject", 1, name, text])
    for sheet in sheets_of(analysis):
        for number, row in enumerate(sheet.rows, 1):
            for column, cell in zip(sheet.columns, row, strict=True):
                writer.writerow([sheet.name, number, column.name, exact(column.kind, cell)])
    return out.getvalue()


def as_json(analysis: AnyAnalysis) -> str:
    """One object; each sheet is a list of objects. Fractions are texts, such as "1/649740"."""
    sheets = {
        sheet.name: [
            {column.name: exact(column.kind, cell) for column, cell in zip(sheet.columns, row, strict=True)}
            for row in sheet.rows
        ]
        for sheet in sheets_of(analysis)
    }
    notes = {sheet.name: sheet.notes for sheet in sheets_of(analysis) if sheet.notes}
    return json.dumps({"subject": dict(facts_of(analysis)), **sheets, "notes": notes}, indent=2)


def as_html(analysis: AnyAnalysis, manner: SheetFormat = PLAIN, language: str = "en") -> str:
    """A self-contained printable page. language: of the manner's texts."""
    made = Environment(
        autoescape=True, undefined=StrictUndefined, loader=FunctionLoader(_source), trim_blocks=True
    )
    return made.get_template("analysis.html").render(
        language=language,
        say=manner.say,
        named=name_sentence,
        title=manner.say(Sentence("Analysis of {paytable}", paytable=analysis.subject.terms.paytable)),
        facts=facts_of(analysis, manner.money),
        sheets=sheets_of(analysis, manner.money),
        shown=lambda kind, cell: cell_text(kind, cell, manner),
        style=_source("print.css"),
    )


def _source(name: str) -> str:
    return resources.files("jackpot.odds").joinpath("pages", name).read_text(encoding="utf-8")
