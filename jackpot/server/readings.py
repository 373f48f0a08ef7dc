"""When does a gaming day end, and is its reading in the journal (S2)?"""

import asyncio
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from jackpot.clock import Clock
from jackpot.rules.acts.readings import Reading
from jackpot.rules.state import Link
from jackpot.server.desk import Desk

# How often the clock is looked at: it may step, and a day's end is a moment of people, not of machines.
LOOK_EVERY_S: Final = 15.0


def ended_day(unix_ms: int, ends: time, zone: ZoneInfo) -> date:
    """The last gaming day that has ended: named by the date on which it began."""
    local = datetime.fromtimestamp(unix_ms // 1000, UTC).astimezone(zone)
    today = local.date()
    last_end = today if local.time() >= ends else today - timedelta(days=1)
    return last_end - timedelta(days=1)


async def take_readings(writer: Desk, clock: Clock, ends: time, zone: ZoneInfo) -> None:
    """Records every meter when a gaming day has ended, also one that ended while nobody served.

    A bank's very first day needs no reading of the day before it. Runs until cancelled; a reading is
    journalled whole or not at all.
    """
    last, new = await writer.ask(lambda engine: (engine.state.last_day, not any_wager(engine.state.links)))
    if not last and new:
        last = ended_day(clock.unix_ms(), ends, zone).isoformat()
    while True:
        day = ended_day(clock.unix_ms(), ends, zone).isoformat()
        if day > last:
            await writer.person(Reading(day), ())
            last = day
        await asyncio.sleep(LOOK_EVERY_S)


def any_wager(links: list[Link]) -> bool:
    """Whether any of the links has ever taken a wager."""
    return any(level.wagers + level.undone_wagers for link in links for level in link.levels)
