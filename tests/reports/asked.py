"""Helpers that make reports of a ledger as the commands do."""

from typing import Any, NamedTuple

from jackpot.ledger.reading import Reader
from jackpot.reports.registry import REPORTS
from jackpot.reports.report import Cell, ReportRequest, dicts
from tests.reports.season import SITE
from tests.rules.floor import BANK


class Said(NamedTuple):
    """A report as data. facts: by name. rows: by column."""

    facts: dict[str, Cell]
    rows: list[dict[str, Any]]
    problems: list[str]


def said(ledger: Reader, report: str, **asked: Any) -> Said:
    """Makes a whole report of one bank, or of those given."""
    asked.setdefault("banks", (BANK,))
    found = REPORTS[report].find(ledger, ReportRequest(SITE, **asked))
    rows = list(dicts(REPORTS[report], found.rows))
    return Said({fact.name: fact.value for fact in found.facts}, rows, found.problems)


def day(text: str) -> dict[str, str]:
    """Parameters of one gaming day."""
    return {"first": text, "last": text}
