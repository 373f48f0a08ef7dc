"""Shifts of a gaming day, by the site's clocks."""

from datetime import UTC, datetime, time

import pytest
from msgspec.structs import replace

from jackpot.config import Shift, Site
from jackpot.reports.read.shifts import shift_moments, shift_of, shifts_of
from tests.reports.season import SITE

OWN = (Shift("night", time(20)), Shift("day", time(8, 30)), Shift("late", time(3, 15)))


@pytest.mark.parametrize(
    ("hour", "zone", "began"),
    [
        (11, "UTC", "06:00"),
        (13, "America/New_York", "06:00"),
        (3, "UTC", "22:00"),
        (5, "Asia/Kolkata", "06:00"),
    ],
)
def test_a_shift_is_a_third_of_the_gaming_day(hour: int, zone: str, began: str) -> None:
    """Fairness: by the site's clocks, from the hour at which its gaming day begins."""
    at = 1_767_225_600_000 + hour * 3_600_000  # 2026-01-01 in UTC
    site = Site("x", "USD", SITE.gaming_day_ends, zone)
    assert shift_of(at, site) == began


def test_a_site_has_its_own_shifts() -> None:
    """A shift goes on until the next one begins, over midnight and over the gaming day's end."""
    site = replace(SITE, timezone="UTC", shifts=OWN)

    def at(hour: int, minute: int = 0) -> str:
        return shift_of(int(datetime(2026, 11, 20, hour, minute, tzinfo=UTC).timestamp() * 1000), site)

    found = [at(0), at(3, 14), at(3, 15), at(6), at(8, 29), at(8, 30), at(19, 59), at(20), at(23, 59)]
    assert found == ["night", "night", "late", "late", "late", "day", "day", "night", "night"]
    assert [shift.name for shift in shifts_of(site)] == ["day", "night", "late"], "as its gaming day has them"
    assert [shift.name for shift in shifts_of(SITE)] == ["06:00", "14:00", "22:00"]


def test_one_shift_lies_between_two_moments() -> None:
    """S2: both ends, and each beginning between them; none of times that are apart, or turned round."""
    site = replace(SITE, timezone="UTC")
    first, last = (int(datetime(2026, 11, day, 7, 5, tzinfo=UTC).timestamp() * 1000) for day in (20, 21))
    moments = shift_moments(first, last, site)
    assert [datetime.fromtimestamp(at / 1000, UTC).hour for at in moments] == [7, 14, 22, 6, 7]
    assert (moments[0], moments[-1]) == (first, last + 1)
    assert shift_moments(first, first, site) == [first, first + 1]
    assert shift_moments(last, first, site) == shift_moments(0, last, site) == []
