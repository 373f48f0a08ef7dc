"""Meter readings at the end of each gaming day, written once to the journal (S2)."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import structlog

from jackpot.bank.bank import Bank
from jackpot.clock import Clock
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.acts.readings import Reading

# How often the clock is looked at. It may step, so nobody sleeps until the day's end; a look costs nothing.
LOOK_EVERY_S: Final = 1.0
# Readings that one start makes up for. A house closed for longer is rarer than a clock that is wrong.
MISSED_MAX: Final = 366

_DAY: Final = timedelta(days=1)

log: Final = structlog.get_logger()


class GamingDayCalendar:
    """The gaming days of one bank. ends: local time in `zone`. opened_ms: when its first row was written."""

    def __init__(self, clock: Clock, ends: time, zone: ZoneInfo, opened_ms: int) -> None:
        self._clock = clock
        self._ends = ends
        self._zone = zone
        self._first = ended_day(opened_ms, ends, zone) + _DAY

    def unread(self, last: str) -> list[str]:
        """The gaming days that have ended and have no reading, in order. last: the newest that has one."""
        return [day.isoformat() for day in self._back_to(last)][::-1]

    def _back_to(self, last: str) -> Iterator[date]:
        day = ended_day(self._clock.unix_ms(), self._ends, self._zone)
        for _ in range(MISSED_MAX):
            if day < self._first or day.isoformat() <= last:
                return
            yield day
            day -= _DAY
        log.warning("readings_missing", up_to=day.isoformat(), most=MISSED_MAX)


def ended_day(unix_ms: int, ends: time, zone: ZoneInfo) -> date:
    """The last gaming day that has ended: named by the date on which it began."""
    local = datetime.fromtimestamp(unix_ms // 1000, UTC).astimezone(zone)
    today = local.date()
    last_end = today if local.time() >= ends else today - _DAY
    return last_end - _DAY


async def read_ended(bank: Bank, calendar: GamingDayCalendar) -> None:
    """Records every meter for each gaming day that has ended and has no reading (S2).

    Each day that ended during downtime gets one. No meter moves without a server, so a reading before any
    device is accepted is right for each of these days. Raises BankStopped.
    """
    last = await bank.ask(lambda engine: engine.state.last_day)
    for day in calendar.unread(last):
        answer = await bank.person(Reading(day), ())
        if not answer.ok:
            log.error("reading_refused", bank=bank.name, day=day, message=answer.message, kind=bank.name)


async def take_readings(bank: Bank, calendar: GamingDayCalendar) -> None:
    """Takes each reading when its day has ended, until cancelled. Raises BankStopped.

    A clock that jumped ahead by more than a day ends none: the days up to then would have no reading.
    """
    while True:
        if bank.clock_jump.ahead_ms() <= DAY_MS:
            await read_ended(bank, calendar)
        await asyncio.sleep(LOOK_EVERY_S)
