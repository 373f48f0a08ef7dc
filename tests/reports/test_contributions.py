"""Hourly sums equal the postings of the table's frames; daily sums equal the reconciliation."""

from collections import Counter, defaultdict
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from jackpot.config import Site
from jackpot.ledger.journal import Row, genesis, row_of
from jackpot.ledger.reading import Reader
from jackpot.reports.contributions import contributed_by
from jackpot.reports.read.gaming_days import hour, hour_began
from jackpot.reports.read.names import JournalNames
from jackpot.reports.read.shifts import shift_moments, shift_of
from jackpot.rules import registry
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.acts.readings import ReadingTaken
from jackpot.rules.acts.rounds import Reopen, Struck
from jackpot.rules.events import Voided
from tests.frames import Close, Wager
from tests.ledger.waiting import open_ledger
from tests.reports.asked import day, said
from tests.reports.conftest import DAYS
from tests.reports.season import FIRST, SITE, Season
from tests.rules import floor
from tests.rules.acts.test_meters import done, frame
from tests.rules.acts.test_parameters import changed
from tests.rules.subject import BANK
from tests.rules.test_engine import bank, wager


def test_hours_are_what_the_rows_posted(books: Reader, season: Season) -> None:
    """L10, S2: by table, link and local hour, over days on which the clocks change; undone ones go off."""
    tables = {table.number: table.terms.table for table in season.engine.state.tables}
    links = {link.number: link.terms.link for link in season.engine.state.links}
    expected: dict[tuple[str, str, str], int] = defaultdict(int)
    for row in season.rows:
        event = registry.decode(row.kind, row.version, row.body)
        table = event.table if isinstance(event, Voided | Struck) else row.table
        local = datetime.fromtimestamp(row.at / 1000, UTC).astimezone(ZoneInfo(SITE.timezone))
        for posting in row.postings:
            if posting.wagers and table:
                key = (local.strftime("%Y-%m-%d %H:00 %Z"), tables[table], links[posting.link])
                expected[key] -= posting.wagers
    assert len({hour[-3:] for hour, *_ in expected}) == 2, "the clocks do not change"
    lines = said(books, "contributions", first="2000-01-01").rows
    found = {(line["hour"], line["table"], line["link"]): line["contributions"] for line in lines}
    assert len(found) == len(lines)
    assert {key: sum_ for key, sum_ in found.items() if sum_} == {
        key: sum_ for key, sum_ in expected.items() if sum_
    }
    assert [line["hour"][:10] for line in lines] == sorted(line["hour"][:10] for line in lines)


def test_a_day_of_hours_is_the_day_that_was_reconciled(books: Reader, season: Season) -> None:
    """S2: what the tables put in over a gaming day is what the day's reconciliation says came in."""
    for asked in ({}, day(FIRST.isoformat())):
        per_link: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
        for line in said(books, "contributions", **asked).rows:
            sums = per_link[line["link"]]
            sums[0] += line["contributions"]
            sums[1] += line["wagers"]
            sums[2] += line["wagered"]
        reconciled: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
        for line in said(books, "reconcile", **asked).rows:
            sums = reconciled[line["link"]]
            sums[0] += line["contributions"]
            sums[1] += line["wagers"] or 0
            sums[2] += line["wagered"] or 0
        assert per_link == {link: sums for link, sums in reconciled.items() if link in per_link}
        assert all(not any(sums) for link, sums in reconciled.items() if link not in per_link)
    assert sum(row.kind == ReadingTaken.kind for row in season.rows) > 1


def test_the_database_adds_up_a_shift_as_its_quarters_do(books: Reader, season: Season) -> None:
    """S2: the same sums by shift, whatever lies between the moments, and of rows that lie outside them."""
    names = JournalNames(books, floor.BANK)
    first, last = season.rows[0].at, season.rows[-1].at

    def by_shift(moments: list[int]) -> tuple[Counter[tuple[str, int, int, int]], int]:
        found, count = Counter[tuple[str, int, int, int]](), 0
        for start, end in names.stretches(0, len(season.rows)):
            for each in contributed_by(books, names, start, end, moments=moments):
                found[shift_of(each.at, SITE), each.table, each.link, each.level] += each.micros
                count += 1
        return found, count

    quarters, many = by_shift([])
    begins = [first + number * DAY_MS for number in range(DAYS)]
    moments = {at for begin in begins for at in shift_moments(begin, begin + DAY_MS, SITE)}
    within = sorted(at for at in moments if at < last)
    shifts, few = by_shift(within)
    assert shifts == quarters
    assert few < many / 2
    some, more = by_shift(within[:4])
    assert some == quarters
    assert few < more < many


@pytest.mark.parametrize("again", [False, True], ids=["reopened", "closed again"])
def test_what_is_taken_back_counts_as_it_was_wagered(tmp_path: Path, again: bool) -> None:
    """L9, A11: two wagers at 21 % are two when they are void, although the link takes 7 % by then."""
    subject = bank()
    frame(subject, wager("r1"))
    frame(subject, Close("r1"))
    changed(subject, primary=700)
    frame(subject, Wager("x1", wager().bets), "T2")
    done(subject, Reopen("T1", "r1", "the wrong deck"))
    if again:
        frame(subject, Close("r1"))
        done(subject, Reopen("T1", "r1", "the wrong deck indeed"))
    subject.act("void_round", people=2, table="T1", round="r1")
    rows = list[Row]()
    for entry in subject.entries:
        rows.append(row_of(BANK, 1, entry, rows[-1].hash if rows else genesis(BANK)))
    with closing(open_ledger(f"sqlite:///{tmp_path}/ledger.db")) as ledger:
        ledger.new_epoch(BANK, "test")
        ledger.append(BANK, 1, 0, rows)
        hours = {line["table"]: line for line in said(ledger, "contributions", first="1969-01-01").rows}
        (link,) = said(ledger, "reconcile").rows
        cost = {line["table"]: line for line in said(ledger, "cost", first="1969-01-01").rows}
    assert [(hours[name]["wagers"], hours[name]["contributions"]) for name in hours] == [(0, 0), (2, 140_000)]
    assert (link["wagers"], link["contributions"]) == (2, 140_000)
    wagered = {name: line["wagered"] for name, line in cost.items() if line["wagered"]}
    assert (wagered, cost["T2"]["onto_meters"]) == ({"T2": 2_000_000}, 140_000)


def test_an_hour_begins_where_the_local_clock_says() -> None:
    """S2: zones half an hour off, and the hour that comes twice when the clocks go back."""
    india = Site("x", "INR", SITE.gaming_day_ends, "Asia/Kolkata")
    assert hour_began(1_790_000_000_000, india) == 1_789_999_200_000 - 1_800_000
    assert hour(hour_began(1_790_000_000_000, india), india) == hour(1_790_000_000_000, india)
    back = int(datetime(2026, 11, 1, 5, 30, tzinfo=UTC).timestamp() * 1000)
    assert [hour(back + shift, SITE) for shift in (0, 3_600_000)] == [
        "2026-11-01 01:00 EDT",
        "2026-11-01 01:00 EST",
    ]
    assert hour_began(back + 3_600_000, SITE) - hour_began(back, SITE) == 3_600_000
