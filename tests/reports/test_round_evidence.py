"""What speaks for a mystery award's round: chips, wagers, and its table's pace then and before (Y10)."""

from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from jackpot.ledger.reading import Reader
from jackpot.reports.read import round_evidence
from jackpot.reports.read.names import JournalNames
from jackpot.reports.read.round_evidence import DAYS_BEFORE, HOUR_MS, RoundEvidence, evidence_of
from jackpot.rules import registry
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.events import Closed, Event, Wagered
from jackpot.rules.state import Hit
from tests.reports.test_mystery import MysterySeason, mysteries, mystery_books
from tests.rules import floor

__all__ = ["mysteries", "mystery_books"]


def _evidence(books: Reader, hit: Hit) -> RoundEvidence:
    found = evidence_of(books, JournalNames(books, floor.BANK), hit)
    assert found is not None
    return found


def _events(season: MysterySeason, table: int) -> Iterator[tuple[int, int, Event]]:
    for row in season.rows:
        if row.table == table:
            yield row.seq, row.at, registry.decode(row.kind, row.version, row.body)


def test_each_hit_has_its_chips_its_wagers_and_the_pace_of_its_table(
    mysteries: MysterySeason, mystery_books: Reader
) -> None:
    """Y10: as the rows themselves say, counted one by one."""
    compared = set[int]()
    for hit in mysteries.hits.values():
        events = [one for one in _events(mysteries, hit.table) if one[0] <= hit.seq]
        closed = [(at, event.round) for _, at, event in events if isinstance(event, Closed)]

        def ended(day: int, hit: Hit = hit, closed: list[tuple[int, str]] = closed) -> int:
            end = hit.at - day * DAY_MS
            return len({name for at, name in closed if end - HOUR_MS < at <= end})

        (bets,) = [
            event.bets for _, _, event in events if isinstance(event, Wagered) and event.round == hit.round
        ]
        wagers = sum(bet.link == hit.link for bet in bets)
        before = tuple(filter(None, map(ended, range(1, DAYS_BEFORE + 1))))
        expected = RoundEvidence(wagers, wagers * 5_000_000, wagers, ended(0), before)
        assert _evidence(mystery_books, hit) == expected
        compared.add(len(before))
    assert compared == {0, 1, 2}


def test_a_busy_floor_is_looked_at_no_longer_than_the_bound(
    mysteries: MysterySeason, mystery_books: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Y10: the hour itself is always counted; farther days are left out."""
    hit = max(mysteries.hits.values(), key=lambda one: one.seq)
    whole = _evidence(mystery_books, hit)
    assert len(whole.before) == 2
    monkeypatch.setattr(round_evidence, "ROWS_MAX", 1)
    assert _evidence(mystery_books, hit) == whole._replace(before=())


def test_what_an_archive_has_is_not_known_here(
    mysteries: MysterySeason, mystery_books: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Y10: the row of the award stays with its wagers; the count and the hour are not made up."""
    hit = max(mysteries.hits.values(), key=lambda one: one.seq)
    whole = _evidence(mystery_books, hit)
    monkeypatch.setattr(round_evidence, "cut_of", lambda _ledger, _bank: SimpleNamespace(seq=hit.seq))
    assert _evidence(mystery_books, hit) == whole._replace(chips=None, rounds=None, before=())
