"""The report worker process gives the same answer as the server would."""

import subprocess
import sys
from contextlib import closing
from datetime import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from jackpot.config import Site
from jackpot.ledger.open import open_reader
from jackpot.reports.worker import ROWS_SHOWN, ReportCall, WorkerReply, answered, told_of
from tests.ledger.waiting import open_ledger
from tests.reports.season import Season

SITE = Site("Riverside", "USD", time(6), "America/New_York")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory, season: Season) -> str:
    """URL of the season's ledger."""
    at = f"sqlite:///{tmp_path_factory.mktemp('aside') / 'ledger.db'}"
    with closing(open_ledger(at)) as ledger:
        season.write(ledger)
    return at


def asked(url: str, report: str = "hits", **more: Any) -> ReportCall:
    return ReportCall(
        url=url, site=SITE, titles={}, report=report, given=more.pop("given", {}), language="en", **more
    )


def told(question: ReportCall) -> WorkerReply:
    """The worker's reply, made in this process."""
    return msgspec.json.decode(answered(msgspec.json.encode(question)), type=WorkerReply)


def test_the_process_says_what_the_server_would(url: str) -> None:
    """S1: the same question, once in the server and once in a process: the same sums, page and file."""
    question = asked(url, form="csv")
    words = [sys.executable, "-P", "-m", "jackpot.reports.worker"]
    done = subprocess.run(words, input=msgspec.json.encode(question), capture_output=True, check=True)
    with closing(open_reader(url)) as ledger:
        assert msgspec.json.decode(done.stdout, type=WorkerReply) == told_of(ledger, question)
        page = asked(url, form="page")
        assert told(page) == told_of(ledger, page)
    assert len(question.given) == 0
    shown = told(page).shown
    assert shown is not None
    assert 0 < len(shown.rows) <= ROWS_SHOWN


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"bank": "other"}, "bank: 'other' is unknown"),
        ({"first": "yesterday"}, "first: "),
        ({"first": "2026-11-20", "last": "2026-11-01"}, "first: 2026-11-20 is after 2026-11-01"),
        ({"hit": "H1' OR 1"}, "hit: "),
    ],
)
def test_what_cannot_be_meant_is_a_problem_in_words(url: str, given: dict[str, str], said: str) -> None:
    """Misuse: a wrong question is named, and nothing is read for it."""
    found = told(asked(url, form="page", given=given))
    assert (found.problem.startswith(said), found.shown) == (True, None), found


def test_a_ledger_that_cannot_be_read_is_told_of(tmp_path: Path) -> None:
    """S4's manner: why there is no report is a sentence."""
    assert told(asked(f"sqlite:///{tmp_path}/none.db", form="page")).failed
