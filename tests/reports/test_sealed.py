"""Reports of a sealed ledger are the same as before, or say that an archive has the answer."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from datetime import time
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest

from jackpot.api.queries.hits import _looked_into
from jackpot.config import Site
from jackpot.ledger.open import open_reader
from jackpot.ledger.reading import Reader
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.reports.read.journal import JournalFilter as Searched
from jackpot.reports.read.journal import search
from jackpot.reports.registry import REPORTS
from jackpot.reports.report import InArchive, ReportRequest
from jackpot.reports.worker import ReportCall, reply_to
from tests.ledger.conftest import Place
from tests.ledger.maintenance.test_archive import Kept
from tests.ledger.waiting import backup

SITE: Final = Site("Riverside", "USD", time(6), "UTC")
# Of rows that are archived these need frames; the others need what stayed.
NEED_FRAMES: Final = {
    "reconcile",
    "explain",
    "contributions",
    "cost",
    "alarms",
    "fairness",
    "payout",
    "wagers",
    "voids",
    "result",
    "expected",
    "seeds",
}
# These read from before the days that they are asked for.
REACH_BACK: Final = ("explain", "result", "expected")


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    made = Kept(Place(f"sqlite:///{tmp_path / 'ledger.db'}"), tmp_path)
    yield made
    made.ledger.close()


def told(ledger: Reader, hit: int, first: str | None, last: str | None) -> dict[str, Any]:
    """Each report of a hit, or of gaming days; or that the archive has it."""
    said: dict[str, Any] = {}
    for name, report in REPORTS.items():
        try:
            wanted = ReportRequest(SITE, ("main",), first=first, last=last, hit=hit)
            if "month" in report.options and "days" not in report.options and first is not None:
                wanted = wanted._replace(month=first[:7])
            found = report.find(ledger, wanted)
            said[name] = found.facts, list(found.rows), found.problems
        except InArchive as error:
            said[name] = str(error)
    return said


def test_a_report_says_the_same_or_where_to_ask(kept: Kept) -> None:
    """L10, S2: of archived rows a report that needs them names the way; of later ones nothing changes."""
    days = kept.days()
    spans = {"old": (1, days[0], days[1]), "new": (2, days[4], days[5])}
    before = {name: told(kept.ledger, *span) for name, span in spans.items()}
    kept.seal()
    after = {name: told(kept.ledger, *span) for name, span in spans.items()}
    # Its cycle began long before it was won; and the days before are of the same month.
    for name in REACH_BACK:
        assert "are archived" in after["new"].pop(name)
    assert after["new"] == {name: said for name, said in before["new"].items() if name not in REACH_BACK}
    assert {name for name, said in after["old"].items() if isinstance(said, str)} == NEED_FRAMES
    assert all("bring a copy of the archive up to date" in after["old"][name] for name in NEED_FRAMES)
    for name in REPORTS.keys() - NEED_FRAMES:
        assert after["old"][name] == before["old"][name]
    with closing(open_reader(f"sqlite:///{kept.file}")) as archive:
        assert {name: told(archive, *span) for name, span in spans.items()} == before


class Before:
    """Reader whose rows leave before the statement at that index. seen: number of statements."""

    def __init__(self, place: int, kept: Kept) -> None:
        self.place = place
        self.kept = kept
        self.seen = 0

    def statement(self) -> None:
        self.seen += 1
        if self.seen == self.place + 1:
            self.kept.seal()


@pytest.mark.parametrize(
    "report", ["contributions", "wagers", "cost", "reconcile", "fairness", "seeds", "liability"]
)
def test_a_report_while_rows_leave_is_whole_or_none(kept: Kept, tmp_path: Path, report: str) -> None:
    """S2, S8: at whichever statement the rows leave, what is told is what it was, or that they left."""
    days = kept.days()
    given = {"day": days[1]} if report in ("reconcile", "liability") else {"first": days[0], "last": days[3]}
    asked = ReportCall(kept.url, SITE, {}, report, given, "en", "csv")
    with closing(open_reader(kept.url)) as ledger:
        whole = reply_to(ledger, asked)
    backup(kept.ledger, kept.file)
    kept.ledger.close()
    for place in count():
        path = tmp_path / f"{place}.db"
        shutil.copyfile(tmp_path / "ledger.db", path)
        kept.ledger = SqliteLedger(path)
        with closing(open_reader(f"sqlite:///{path}")) as ledger:
            before = Before(place, kept)
            ledger.check = before.statement
            told = reply_to(ledger, asked)
        kept.ledger.close()
        assert told == whole or told.refusal is not None
        if told.refusal is not None:  # the rows left while it was read, or before
            assert [*told.refusal.said.values] in (["bank"], ["archived"])
        if before.seen <= place:
            assert (told, whole.refusal) == (whole, None)
            return


def test_a_hit_of_an_archived_round_is_told_without_its_cards(kept: Kept) -> None:
    """A10: what people did with it stays, and its page opens; no card is made up."""
    before = {hit: _looked_into(kept.ledger, "main", hit) for hit in (1, 2)}
    kept.seal()
    assert _looked_into(kept.ledger, "main", 1) == before[1]._replace(cards=None)
    assert _looked_into(kept.ledger, "main", 2) == before[2]
    assert before[1].cards is not None


def test_the_journal_says_where_rows_left(kept: Kept) -> None:
    """S8: nobody takes a gap for rows that never were: each page that looks so far back says up to where."""
    cut = kept.season.snapshots[2].seq
    top = len(kept.season.rows)
    pages = {"newest": Searched(10), "over the cut": Searched(top), "below": Searched(10, before=cut)}
    assert {name: search(kept.ledger, "main", page).archived for name, page in pages.items()} == {
        "newest": None, "over the cut": None, "below": None
    }  # fmt: skip
    kept.seal()
    assert {name: search(kept.ledger, "main", page).archived for name, page in pages.items()} == {
        "newest": None, "over the cut": cut, "below": cut
    }  # fmt: skip
