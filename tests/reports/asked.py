"""What does a report say? Asked of a ledger as its commands ask."""

from typing import Any, NamedTuple

from jackpot.ledger.reading import Reader
from jackpot.reports.registry import REPORTS
from jackpot.reports.report import Cell, Wanted, dicts
from tests.reports.season import SITE
from tests.rules.floor import BANK


class Said(NamedTuple):
    """facts: by name. rows: by column."""

    facts: dict[str, Cell]
    rows: list[dict[str, Any]]
    problems: list[str]


def said(ledger: Reader, report: str, **asked: Any) -> Said:
    """A whole report of one bank, or of those given."""
    asked.setdefault("banks", (BANK,))
    found = REPORTS[report].find(ledger, Wanted(SITE, **asked))
    rows = list(dicts(REPORTS[report], found.rows))
    return Said({fact.name: fact.value for fact in found.facts}, rows, found.problems)


def day(text: str) -> dict[str, str]:
    """One gaming day."""
    return {"first": text, "last": text}
