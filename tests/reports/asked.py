"""Helpers that make reports of a ledger as the commands do."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest

from jackpot.ledger.reading import Reader
from jackpot.reports.registry import REPORTS
from jackpot.reports.report import Cell, ReportProblem, ReportRefused, ReportRequest, dicts
from tests.reports.season import SITE
from tests.rules.floor import BANK


class Said(NamedTuple):
    """A report as data. facts: by name. rows: by column."""

    facts: dict[str, Cell]
    rows: list[dict[str, Any]]
    problems: list[ReportProblem]


def said(ledger: Reader, report: str, **asked: Any) -> Said:
    """Makes a whole report of one bank, or of those given."""
    asked.setdefault("banks", (BANK,))
    found = REPORTS[report].find(ledger, ReportRequest(SITE, **asked))
    rows = list(dicts(REPORTS[report], found.rows))
    return Said({fact.name: fact.value for fact in found.facts}, rows, found.problems)


@contextmanager
def unanswerable(template: str, **values: object) -> Iterator[None]:
    """What is done within is refused with that template, which has these values among others."""
    with pytest.raises(ReportRefused) as refused:
        yield
    told = refused.value.said
    assert told.template == template
    assert told.english_values.items() >= values.items()


def day(text: str) -> dict[str, str]:
    """Parameters of one gaming day."""
    return {"first": text, "last": text}
