"""Shifts of a gaming day by the site's clocks: as the configuration has them, else its thirds."""

from bisect import bisect_right
from datetime import UTC, datetime, time
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

from jackpot.config import Shift, Site

# Where the site has none of its own.
THIRDS: Final = 3
# Shifts begin at a quarter of an hour, and the offset of every time zone is a multiple of one.
QUARTER_MS: Final = 900_000
_DAY_MINUTES: Final = 24 * 60
# Quarters of which the shift is kept: those of two months.
_QUARTERS_KEPT: Final = 8_192
# Quarters within which the beginnings of shifts are looked for: those of two days.
_SPAN_QUARTERS_MAX: Final = 192


@lru_cache(16)
def shifts_of(site: Site) -> tuple[Shift, ...]:
    """The shifts in the order in which a gaming day has them; a third is named by its beginning."""
    shifts = site.shifts or _thirds(site.gaming_day_ends)
    ends = _minutes(site.gaming_day_ends)
    return tuple(sorted(shifts, key=lambda shift: (_minutes(shift.begins) - ends) % _DAY_MINUTES))


def shift_of(at: int, site: Site) -> str:
    """The name of the shift that a time lies in. at: unix milliseconds."""
    return _shift(at // QUARTER_MS, site)


def shift_moments(first: int, last: int, site: Site) -> list[int]:
    """Moments between which one shift lies: `first`, when each shift after it begins, and the end of `last`.

    None where these times are too far from each other, or in the wrong order, as a stepped clock has them.
    """
    begin, end = first // QUARTER_MS, last // QUARTER_MS
    if not 0 <= end - begin <= _SPAN_QUARTERS_MAX:
        return []
    changes = (at for at in range(begin + 1, end + 1) if _shift(at, site) != _shift(at - 1, site))
    return [first, *(at * QUARTER_MS for at in changes), last + 1]


@lru_cache(_QUARTERS_KEPT)
def _shift(quarter: int, site: Site) -> str:
    local = datetime.fromtimestamp(quarter * QUARTER_MS // 1000, UTC).astimezone(ZoneInfo(site.timezone))
    shifts = sorted(shifts_of(site), key=_begins)
    # Before the first one of a date the last one of the date before goes on.
    return shifts[bisect_right([_begins(shift) for shift in shifts], _minutes(local.time())) - 1].name


def _thirds(ends: time) -> tuple[Shift, ...]:
    begins = ((_minutes(ends) + third * _DAY_MINUTES // THIRDS) % _DAY_MINUTES for third in range(THIRDS))
    return tuple(
        Shift(f"{minutes // 60:02}:{minutes % 60:02}", time(minutes // 60, minutes % 60))
        for minutes in begins
    )


def _begins(shift: Shift) -> int:
    return _minutes(shift.begins)


def _minutes(moment: time) -> int:
    return moment.hour * 60 + moment.minute
