"""Names that runbook, alerts and pages give people to look for: the program says each of them."""

import ast
import re
from collections.abc import Iterator
from typing import Final

from jackpot.rules.state import CLOSED
from jackpot.web.book_metrics import REASONS
from tests.deploy.tools import DEPLOY, ROOT

# How people are told which line of the log to look for.
TOLD: Final = (
    r"`?(\w+_\w+)`? (?:and `?\w+_\w+`? )?in the log",
    r"lines? `?\w+_\w+`? and `?(\w+_\w+)`? in the log",
    r"log (?:\w+ ){1,12}\(?`(\w+_\w+)`",
)
WHERE: Final = (
    *DEPLOY.glob("**/*.md"),
    DEPLOY / "prometheus" / "alerts.yml",
    ROOT / "jackpot" / "config" / "catalogues" / "pages" / "pages.pot",
)


def said() -> Iterator[str]:
    """Every text of the program's source: an event of the log is one of them, whole."""
    for file in (ROOT / "jackpot").glob("**/*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def test_each_line_of_the_log_that_people_are_sent_to_exists() -> None:
    """Deploy: a runbook, an alert or a page names no line that the log never has."""
    told = {name: file.name for file in WHERE for form in TOLD for name in re.findall(form, file.read_text())}
    assert len(told) > 20
    known = set(said())
    assert not {name: file for name, file in told.items() if name not in known}


def test_the_runbook_answers_each_reason_for_a_suspension() -> None:
    """L9, Deploy: the runbook says of each reason what to do, and METRICS.md what it is."""
    (entry,) = re.findall(r"(?ms)^### JackpotLinkSuspended\n(.*?)^### ", (DEPLOY / "RUNBOOK.md").read_text())
    (metric,) = re.findall(r"(?m)^\| `jackpot_link_suspended` .*$", (DEPLOY / "METRICS.md").read_text())
    assert [reason for reason in REASONS if reason != CLOSED and f"`{reason}`:" not in entry] == []
    assert [reason for reason in REASONS if f"`{reason}` (" not in metric] == []
