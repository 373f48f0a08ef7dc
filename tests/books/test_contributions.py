"""Is each hour's sum what its table's frames posted, and each day's what the day's reconciliation has?"""

from collections import defaultdict
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from jackpot.books.days import hour, hour_began
from jackpot.config import Site
from jackpot.ledger.reading import Reader
from jackpot.rules import kinds
from jackpot.rules.acts.readings import ReadingTaken
from jackpot.rules.acts.rounds import Struck
from jackpot.rules.events import Voided
from tests.books.asked import day, said
from tests.books.season import FIRST, SITE, Season


def test_hours_are_what_the_rows_posted(books: Reader, season: Season) -> None:
    """L10, S2: by table, link and local hour, over days on which the clocks change; undone ones go off."""
    tables = {table.number: table.terms.table for table in season.engine.state.tables}
    links = {link.number: link.terms.link for link in season.engine.state.links}
    expected: dict[tuple[str, str, str], int] = defaultdict(int)
    for row in season.rows:
        event = kinds.decode(row.kind, row.version, row.body)
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
