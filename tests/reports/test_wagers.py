"""Every wager is listed, and every one taken back, also of rounds that began before the day."""

from collections import Counter, defaultdict
from typing import Any

import pytest

from jackpot.ledger.reading import Reader
from jackpot.rules import registry
from jackpot.rules.acts.readings import ReadingTaken
from jackpot.rules.acts.rounds import Struck
from jackpot.rules.events import Voided, Wagered, Withdrawn
from jackpot.rules.state import Placed
from tests.reports.asked import day, said, unanswerable
from tests.reports.season import Season

Line = tuple[Any, ...]


@pytest.fixture(scope="module")
def played(season: Season) -> list[Line]:
    """Row, table, frame number, round, what, seat and link of all wagers, by a scan of all rows."""
    state, lines = season.engine.state, list[Line]()
    standing: defaultdict[tuple[int | None, str], list[Placed]] = defaultdict(list)
    for row in season.rows:
        event = registry.decode(row.kind, row.version, row.body)
        number = row.table
        match event:
            case Wagered(bets=bets):
                what = "wagered"
                standing[number, event.round] += bets
            case Withdrawn(bets=bets):
                what = "withdrawn"
                for bet in bets:
                    standing[number, event.round].remove(bet)
            case Struck(bet=bet):
                number, what, bets = event.table, "struck", [bet]
                standing[number, event.round].remove(bet)
            case Voided():
                number, what = event.table, "void"
                bets = standing.pop((number, event.round))
            case _:
                continue
        assert number is not None
        name = state.table(number).terms.table
        lines += [
            (row.seq, name, row.table_seq, event.round, what, bet.seat, state.link(bet.link).terms.link)
            for bet in bets
        ]
    return lines


def told(books: Reader, **asked: Any) -> list[Line]:
    names = ("row", "table", "number", "round", "what", "seat", "link")
    return [tuple(row[name] for name in names) for row in said(books, "wagers", **asked).rows]


def test_every_wager_is_listed_by_its_frame(books: Reader, played: list[Line]) -> None:
    """S2, S6: one row for each wager and each that was taken back, in the order of the journal."""
    assert {line[4] for line in played} == {"wagered", "withdrawn", "struck", "void"}
    assert told(books, first="2000-01-01") == played
    assert said(books, "wagers", first="2000-01-01").problems == []
    for name in {line[1] for line in played}:
        assert told(books, first="2000-01-01", table=name) == [line for line in played if line[1] == name]


def test_a_day_lists_what_its_wagers_came_to(books: Reader, season: Season, played: list[Line]) -> None:
    """S2: by table and link it is what the day's contributions say; a round of a day before is void whole."""
    after = 0
    for row in season.rows:
        reading = registry.decode(row.kind, row.version, row.body)
        if not isinstance(reading, ReadingTaken):
            continue
        asked = day(reading.day)
        assert told(books, **asked) == [line for line in played if after < line[0] <= row.seq]
        sums = [Counter[tuple[str, str]](), Counter[tuple[str, str]]()]
        for found, report in zip(sums, ("wagers", "contributions"), strict=True):
            for line in said(books, report, **asked).rows:
                found[line["table"], line["link"]] += line["wagered"]
        one, other = ({key: micros for key, micros in found.items() if micros} for found in sums)
        assert one == other
        after = row.seq


def test_an_unknown_table_is_named(books: Reader) -> None:
    """Misuse: a table that the site does not have is no empty list."""
    with unanswerable("table_not_known", table="T99"):
        told(books, table="T99")
