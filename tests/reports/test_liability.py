"""The liability at a gaming day's end is what the bank owed after that row, and a slip has its reading."""

from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from jackpot.ledger.open import open_reader
from jackpot.ledger.reading import Reader
from jackpot.reports.report import ReportRefused
from jackpot.rules import registry
from jackpot.rules.acts.readings import ReadingTaken
from jackpot.rules.engine import Engine
from tests.ledger.waiting import open_ledger
from tests.reports.asked import said
from tests.reports.season import Season

Key = tuple[str, str]
SUMS = ("meter", "base", "over_base", "reserve", "overflow", "pending", "unpaid", "liability")


def owed(engine: Engine) -> dict[Key, dict[str, int]]:
    """Every level of the bank as it stands, and what it owes: by the state alone."""
    waits: Counter[tuple[int, int, str]] = Counter()
    for hit in engine.state.hits.values():
        for award in hit.awards:
            waits[award.link, award.level, award.status] += award.amount
    found = {}
    for link in engine.state.links:
        for number in range(len(link.levels) + 1):
            pending, unpaid = (waits[link.number, number, status] for status in ("pending", "validated"))
            line = {"pending": pending, "unpaid": unpaid, "liability": pending + unpaid}
            name = "house"
            if number:
                level = link.levels[number - 1]
                name, accounts = level.terms.level, level.accounts
                base = level.terms.reseed if any(accounts.values()[:3]) else 0
                line |= {"meter": accounts.primary, "base": base, "over_base": accounts.primary - base}
                line |= {"reserve": accounts.reserve, "overflow": accounts.overflow}
                line["liability"] += accounts.primary - base + accounts.reserve + accounts.overflow
            elif not (pending or unpaid):
                continue
            found[link.terms.link, name] = line
    return found


@pytest.fixture(scope="module")
def days(season: Season) -> dict[str, dict[Key, dict[str, int]]]:
    """What was owed at each reading, by a replay of the season."""
    found, engine = {}, Engine("main")
    for row in season.rows:
        event = engine_event(row)
        engine.replay(row)
        if isinstance(event, ReadingTaken):
            found[event.day] = owed(engine)
    return found


def engine_event(row: Any) -> Any:
    return registry.decode(row.kind, row.version, row.body)


def told(books: Reader, **asked: Any) -> dict[Key, dict[str, int]]:
    report = said(books, "liability", **asked)
    rows = {
        (row["link"], row["level"]): {name: row[name] for name in SUMS if row[name] is not None}
        for row in report.rows
    }
    assert report.facts["amount"] == sum(row["liability"] for row in rows.values())
    return rows


def test_each_day_ends_with_what_the_state_owed_then(
    books: Reader, days: dict[str, dict[Key, dict[str, int]]]
) -> None:
    """S2, A10: meters over base, reserve, overflow, pending and unpaid of every level, as of the reading."""
    assert len(days) > 3
    for day, expected in days.items():
        assert told(books, first=day, last=day) == expected, day
    owing = Counter(name for lines in days.values() for line in lines.values() for name in line if line[name])
    assert owing.keys() >= {"pending", "unpaid", "reserve", "over_base"}, "each is tried"
    newest = max(days)
    assert told(books) == days[newest], "without a day it is the last that was read"


def test_a_day_without_a_reading_is_added_up(season: Season, tmp_path: Path) -> None:
    """S2: of a day that has not ended the postings since the last reading say what stands there."""
    readings = [
        number for number, row in enumerate(season.rows) if isinstance(engine_event(row), ReadingTaken)
    ]
    upto = (readings[1] + readings[2]) // 2
    engine = Engine("main")
    short = object.__new__(Season)
    short.rows = season.rows[:upto]
    for row in short.rows:
        engine.replay(row)
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    with closing(open_ledger(url)) as ledger:
        short.write(ledger)
    day = engine_event(season.rows[readings[2]]).day
    with closing(open_reader(url)) as books:
        assert told(books, first=day, last=day) == owed(engine)
        fact = said(books, "liability", first=day, last=day).facts["main"]
        assert str(fact) == f"{day} has no reading: after its last row, {upto:,}"


def test_a_slip_has_the_reading_of_one_link(books: Reader, season: Season) -> None:
    """S2: each level as the journal read it, with the row that did; another day or link has no slip."""
    row, event = next(
        (row, event) for row in reversed(season.rows) if isinstance(event := engine_event(row), ReadingTaken)
    )
    for link in season.engine.state.links:
        asked = {"first": event.day, "last": event.day, "link": link.terms.link}
        report = said(books, "reading-slip", **asked)
        read = [tuple(meter[2:]) for meter in event.meters if meter[0] == link.number]
        assert [tuple(line.values())[1:] for line in report.rows] == read
        assert [line["level"] for line in report.rows] == [level.terms.level for level in link.levels]
        assert f"row {row.seq}, {row.hash.hex(' ', 4)}" == str(report.facts["journal"])
        assert report.facts["gaming day"] == event.day
    with pytest.raises(ReportRefused, match="no reading was taken for 2026-12-24"):
        said(books, "reading-slip", first="2026-12-24", last="2026-12-24", link=link.terms.link)
    with pytest.raises(ReportRefused, match="a slip is of one link; there is"):
        said(books, "reading-slip")
