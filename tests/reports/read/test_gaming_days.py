"""The rows of a gaming day, and the gaming day of a moment."""

from datetime import UTC, date, datetime, time

import pytest

from jackpot.config import Site
from jackpot.ledger.reading import Reader
from jackpot.reports.read.gaming_days import (
    gaming_day,
    is_day,
    last_day,
    last_month,
    offset_ms,
    parts_of,
    span,
    wanted_span,
)
from jackpot.reports.report import ReportRequest
from jackpot.rules import registry
from jackpot.rules.acts.readings import ReadingTaken
from tests.ledger.conftest import Place
from tests.reports.season import SITE, Season


def readings(season: Season) -> list[tuple[str, int]]:
    found = []
    for row in season.rows:
        event = registry.decode(row.kind, row.version, row.body)
        if isinstance(event, ReadingTaken):
            found.append((event.day, row.seq))
    return found


def test_a_day_lies_between_two_readings(books: Reader, season: Season) -> None:
    """S2: each row is in one day; a day without a reading is in the next one's; the last has not ended."""
    before = 0
    for day, seq in readings(season):
        found = span(books, "main", SITE, day, day)
        assert (found.after, found.upto) == (before, seq)
        assert found.closing is not None
        assert found.closing.reading.day == day
        assert found.covers(seq)
        assert not found.covers(before)
        before = seq
    first, last = readings(season)[0], readings(season)[-1]
    open_ = span(books, "main", SITE, "2027-01-01", None)
    assert (open_.after, open_.upto, open_.closing) == (last[1], len(season.rows), None)
    assert span(books, "main", SITE, None, None).after == 0
    assert span(books, "main", SITE, "1999-01-01", "1999-01-01").upto == first[1]
    assert last_day(books, "main") == last[0]
    asked = wanted_span(books, "main", ReportRequest(SITE, ("main",)))
    assert asked == span(books, "main", SITE, last[0], last[0])


def test_a_bank_without_a_reading_is_one_day(place: Place, season: Season) -> None:
    """S2: until the first reading everything is of the first day."""
    ledger = place.open()
    ledger.new_epoch("main", "test")
    ledger.append("main", 1, 0, season.rows[:20])
    assert last_day(ledger, "main") is None
    found = wanted_span(ledger, "main", ReportRequest(SITE, ("main",)))
    assert (found.after, found.upto, found.opening, found.closing) == (0, 20, None, None)


class Unread(Season):
    """A floor whose meters nobody reads when a day ends."""

    def _day(self, day: date, steps: int) -> None:
        self.at = max(self.at, self._begins(day))
        for _ in range(steps):
            self._step()


def test_a_span_is_parted_by_its_readings_else_by_the_clocks(
    books: Reader, season: Season, place: Place
) -> None:
    """S2: each row is in one part; a month is its days; where nobody read, the clocks decide."""
    whole = span(books, "main", SITE, None, None)
    before, expected = 0, []
    for day, seq in readings(season):
        expected.append((day, before, seq))
        before = seq
    assert parts_of(books, "main", SITE, whole, "day") == expected
    first, second = parts_of(books, "main", SITE, whole, "month")
    assert (first.name, second.name) == ("2026-10", "2026-11")
    assert (first.after, first.upto, second.upto) == (0, second.after, len(season.rows))
    assert first.upto == next(seq for day, seq in readings(season) if day == "2026-10-31")
    assert last_month(books, ["main"]) == ("2026-10-01", "2026-10-31")
    unread, ledger = Unread(3, 4, 20), place.open()
    unread.write(ledger)
    assert last_month(ledger, ["main"]) == (None, None)
    parts = parts_of(ledger, "main", SITE, span(ledger, "main", SITE, None, None), "day")
    assert [part.name for part in parts for _ in range(part.after, part.upto)] == [
        gaming_day(row.at, SITE) for row in unread.rows
    ]
    assert [part.name for part in parts] == ["2026-10-30", "2026-10-31", "2026-11-01", "2026-11-02"]


def test_the_first_month_is_told_while_it_goes_on(place: Place, season: Season) -> None:
    """S2: before a month has ended there is no other to tell of."""
    ledger = place.open()
    ledger.new_epoch("main", "test")
    ledger.append("main", 1, 0, season.rows[: readings(season)[0][1]])
    assert last_day(ledger, "main") == "2026-10-30"
    assert last_month(ledger, ["main"]) == ("2026-10-01", "2026-10-31")


@pytest.mark.parametrize(
    ("moment", "ends", "day"),
    [
        ("2026-11-20T10:59:59", "06:00", "2026-11-19"),
        ("2026-11-20T11:00:00", "06:00", "2026-11-20"),
        ("2026-11-01T09:30:00", "04:30", "2026-11-01"),
        ("2026-11-01T09:29:59", "04:30", "2026-10-31"),
    ],
)
def test_a_moment_is_of_the_gaming_day_that_began_before_it(moment: str, ends: str, day: str) -> None:
    """S2: by the site's clocks, also on the day on which they change."""
    site = Site("x", "USD", time.fromisoformat(ends), "America/New_York")
    unix_ms = int(datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp() * 1000)
    assert gaming_day(unix_ms, site) == day
    assert offset_ms(site.gaming_day_ends) == int(ends[:2]) * 3_600_000 + int(ends[3:]) * 60_000


@pytest.mark.parametrize("text", ["yesterday", "2026-13-01", "20261120", "2026-11-20 ", "2026-W47-5"])
def test_what_is_no_day_is_said(text: str) -> None:
    """S2: a day is written in one way, and anything else is none."""
    assert is_day("2026-11-20")
    assert not is_day(text)
