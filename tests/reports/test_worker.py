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
from jackpot.config.languages import translate as say
from jackpot.ledger.open import open_reader
from jackpot.reports.worker import ROWS_SHOWN, ReportCall, WorkerReply, answered, reply_to
from jackpot.rules.codes import Code
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
        assert msgspec.json.decode(done.stdout, type=WorkerReply) == reply_to(ledger, question)
        page = asked(url, form="page")
        assert told(page) == reply_to(ledger, page)
    assert len(question.given) == 0
    shown = told(page).shown
    assert shown is not None
    assert 0 < len(shown.rows) <= ROWS_SHOWN


@pytest.mark.parametrize(
    ("given", "field", "values", "spanish"),
    [
        (
            {"bank": "other"},
            "bank",
            {"bank": "'other'", "banks": "main"},
            "el banco 'other' es desconocido; hay main",
        ),
        ({"first": "yesterday"}, "first", {"day": "'yesterday'"}, "'yesterday' no es un día como 2026-11-20"),
        (
            {"first": "2026-11-20", "last": "2026-11-01"},
            "first",
            {"first": "2026-11-20", "last": "2026-11-01"},
            "2026-11-20 es después de 2026-11-01",
        ),
        ({"hit": "H1' OR 1"}, "hit", {"hit": repr("H1' OR 1")}, '"H1\' OR 1" no es un acierto, como H12'),
    ],
)
def test_what_cannot_be_meant_is_refused_as_data(
    url: str, given: dict[str, str], field: str, values: dict[str, str], spanish: str
) -> None:
    """Misuse: a wrong question is named, and nothing is read for it; a page says why in its language."""
    found = told(asked(url, form="page", given=given))
    assert (found.shown, found.refusal is not None) == (None, True)
    assert found.refusal is not None
    said = found.refusal.said
    assert (found.refusal.code, said.field) == (Code.BAD_REQUEST, field)
    assert said.values == values
    assert say("es_MX", said.sentence()) == spanish


def test_a_ledger_that_cannot_be_read_is_told_of(tmp_path: Path) -> None:
    """S4's manner: why there is no report is a refusal, too."""
    refusal = told(asked(f"sqlite:///{tmp_path}/none.db", form="page")).refusal
    assert refusal is not None
    assert (refusal.code, [*refusal.said.values]) == (Code.LEDGER, ["reason"])
