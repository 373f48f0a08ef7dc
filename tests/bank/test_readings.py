"""Every meter is read at the end of each gaming day, also after downtime (S2)."""

from contextlib import closing
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import structlog

from jackpot.app import Server
from jackpot.bank.readings import MISSED_MAX, GamingDayCalendar, ended_day
from jackpot.config import Config
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.verify.verifier import verify
from jackpot.rules.acts.readings import ReadingTaken
from jackpot.rules.registry import decode
from tests.running_server import StepClock, configure, on_loop, table, until

ZONE = ZoneInfo("America/New_York")
DAY_S = 86_400
DAY = timedelta(days=1)


def unix_ms(local: datetime) -> int:
    return int(local.astimezone(UTC).timestamp()) * 1000


def ledger_of(config: Config) -> SqliteLedger:
    return SqliteLedger(config.ledger.url.removeprefix("sqlite:///"), readonly=True)


def taken(config: Config) -> list[tuple[int, ReadingTaken]]:
    """Every reading of the ledger with its row's number, in order."""
    with closing(ledger_of(config)) as ledger:
        events = [
            (row.seq, decode(row.kind, row.version, row.body)) for row in ledger.rows("main", 0, 10_000)
        ]
    return [(seq, event) for seq, event in events if isinstance(event, ReadingTaken)]


@pytest.mark.parametrize(
    ("local", "day"),
    [
        (datetime(2026, 3, 7, 5, 59, tzinfo=ZONE), "2026-03-05"),
        (datetime(2026, 3, 7, 6, 0, tzinfo=ZONE), "2026-03-06"),
        (datetime(2026, 3, 8, 6, 0, tzinfo=ZONE), "2026-03-07"),  # the night that summer time begins
        (datetime(2026, 11, 1, 5, 59, tzinfo=ZONE), "2026-10-30"),  # and ends
    ],
)
def test_a_gaming_day_is_named_by_its_beginning(local: datetime, day: str) -> None:
    """S2: the day that ends at 06:00 began the morning before, on local clocks."""
    assert ended_day(unix_ms(local), time(6), ZONE).isoformat() == day


class Still(StepClock):
    """A clock that stands where a test puts it."""

    def __init__(self, at: datetime) -> None:
        super().__init__()
        self.at = at

    def unix_ms(self) -> int:
        return unix_ms(self.at)


@pytest.mark.parametrize(
    ("now", "last", "days"),
    [
        (datetime(2026, 11, 20, 12, tzinfo=ZONE), "", []),  # its first day has not ended
        (datetime(2026, 11, 21, 6, tzinfo=ZONE), "", ["2026-11-20"]),
        (datetime(2026, 11, 21, 6, tzinfo=ZONE), "2026-11-20", []),
        (datetime(2026, 11, 23, 5, tzinfo=ZONE), "2026-11-20", ["2026-11-21"]),
        (datetime(2026, 11, 24, 7, tzinfo=ZONE), "", [f"2026-11-{day}" for day in (20, 21, 22, 23)]),
        (datetime(2026, 11, 19, 7, tzinfo=ZONE), "2026-11-20", []),  # the clock went back
    ],
)
def test_each_ended_day_is_unread_until_it_is_read(now: datetime, last: str, days: list[str]) -> None:
    """S2: none before the bank was opened, none twice, none left out."""
    opened = datetime(2026, 11, 20, 11, tzinfo=ZONE)
    assert GamingDayCalendar(Still(now), time(6), ZONE, unix_ms(opened)).unread(last) == days


def test_a_wild_clock_makes_a_bounded_number_of_readings() -> None:
    """S2: what is left out is said, never silently."""
    opened, now = datetime(2026, 11, 20, 11, tzinfo=ZONE), datetime(2036, 11, 20, 11, tzinfo=ZONE)
    with structlog.testing.capture_logs() as logs:
        days = GamingDayCalendar(Still(now), time(6), ZONE, unix_ms(opened)).unread("2026-11-21")
    assert (len(days), days[-1]) == (MISSED_MAX, "2036-11-19")
    assert [line["up_to"] for line in logs if line["event"] == "readings_missing"] == [
        str(date.fromisoformat(days[0]) - DAY)
    ]


@on_loop
async def test_a_reading_is_taken_after_the_day_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S2: once a day, every meter, journalled, while the floor plays on."""
    monkeypatch.setattr("jackpot.bank.readings.LOOK_EVERY_S", 0.01)
    config, clock = configure(tmp_path), StepClock()
    async with Server(config, clock) as server, table(server) as device:
        device.wager(1, "R1", 1)
        await device.answer(1)
        bank = server.banks["main"]
        assert bank.sequencer.engine.state.last_day == ""
        clock.ahead_s += DAY_S
        await until(lambda: bank.sequencer.engine.state.last_day != "")


@on_loop
async def test_every_missed_day_is_read_before_a_device_is_let_in(tmp_path: Path) -> None:
    """S2: after downtime one reading for each gaming day's end, all of what stood there then, and sound."""
    config, clock = configure(tmp_path), StepClock()
    async with Server(config, clock) as server, table(server) as device:
        device.wager(1, "R1", 1, 2, 3)
        await device.answer(1)
    clock.ahead_s += 4 * DAY_S
    async with Server(config, clock) as server, table(server) as device:
        device.wager(2, "R1", 4, 5)
        await device.answer(2)
        wagered = server.banks["main"].sequencer.durable_seq
    found = taken(config)
    days = [date.fromisoformat(event.day) for _, event in found]
    assert len(days) == 4
    assert days == [days[0] + number * DAY for number in range(4)]
    assert [seq for seq, _ in found] == list(range(wagered - 4, wagered))
    assert all(event.meters == found[0][1].meters for _, event in found)
    assert {counted for *_, counted, _hits in found[0][1].meters} == {3}
    with closing(ledger_of(config)) as ledger:
        assert verify(ledger, "main").problems == ()
