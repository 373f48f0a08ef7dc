"""Do the books say the same of a sealed ledger, or else that an archive has the answer?"""

from collections.abc import Iterator
from contextlib import closing
from datetime import time
from pathlib import Path
from typing import Any, Final

import pytest

from jackpot.books.report import InArchive, Wanted
from jackpot.books.reports import REPORTS
from jackpot.config import Site
from jackpot.ledger.open import open_reader
from jackpot.ledger.reading import Reader
from jackpot.server.asks.hits import _looked_into
from tests.ledger.conftest import Place
from tests.ledger.test_seal import Kept

SITE: Final = Site("Riverside", "USD", time(6), "UTC")
# Of rows that are archived these need frames; the others need what stayed.
NEED_FRAMES: Final = {"reconcile", "explain", "contributions", "alarms", "fairness", "payout"}


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    made = Kept(Place(f"sqlite:///{tmp_path / 'ledger.db'}"), tmp_path)
    yield made
    made.ledger.close()


def told(ledger: Reader, hit: int, first: str | None, last: str | None) -> dict[str, Any]:
    """What each report says of a hit, or of gaming days; or that the archive has it."""
    said: dict[str, Any] = {}
    for name, report in REPORTS.items():
        try:
            found = report.find(ledger, Wanted(SITE, ("main",), first=first, last=last, hit=hit))
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
    assert "are archived" in after["new"].pop("explain")  # its cycle began long before it was won
    assert after["new"] == {name: said for name, said in before["new"].items() if name != "explain"}
    assert {name for name, said in after["old"].items() if isinstance(said, str)} == NEED_FRAMES
    assert all("bring a copy of the archive up to date" in after["old"][name] for name in NEED_FRAMES)
    for name in REPORTS.keys() - NEED_FRAMES:
        assert after["old"][name] == before["old"][name]
    with closing(open_reader(f"sqlite:///{kept.file}")) as archive:
        assert {name: told(archive, *span) for name, span in spans.items()} == before


def test_a_hit_of_an_archived_round_is_told_without_its_cards(kept: Kept) -> None:
    """A10: what people did with it stays, and its page opens; no card is made up."""
    before = {hit: _looked_into(kept.ledger, "main", hit) for hit in (1, 2)}
    kept.seal()
    assert _looked_into(kept.ledger, "main", 1) == (None, before[1][1])
    assert _looked_into(kept.ledger, "main", 2) == before[2]
    assert before[1][0] is not None
