"""A meter before any row is its last reading plus the postings since."""

from jackpot.ledger.cycles import TakePoint
from jackpot.ledger.reading import Reader
from jackpot.reports.read.meter_history import LevelRef, MeterHistory, award_list, before, percent
from jackpot.reports.read.names import JournalNames
from jackpot.rules.engine import Engine
from tests.reports.season import SITE, Season

# One row in so many is looked at, of every level.
EVERY = 37


def test_what_stood_there_before_any_row(books: Reader, season: Season) -> None:
    """L10, S1: primary, reserve and overflow of every level, as the events alone have them then."""
    names = JournalNames(books, "main")
    engine = Engine("main")
    looked = 0
    for row in season.rows:
        if row.seq % EVERY == 0:
            for link in engine.state.links:
                for level in link.levels:
                    found = before(books, LevelRef(names, link.number, level.number), row.seq)
                    assert found.values()[:3] == level.accounts.values()[:3]
                    looked += 1
        engine.replay(row)
    assert looked > 100


def test_a_way_ends_at_what_stood_there(books: Reader, season: Season) -> None:
    """L10: the history up to any row, with or without a win there, adds up to the meter."""
    names = JournalNames(books, "main")
    engine = Engine("main")
    for row in season.rows:
        if row.seq % (3 * EVERY) == 0:
            for link in engine.state.links:
                for level in link.levels:
                    way = MeterHistory(
                        books, SITE, LevelRef(names, link.number, level.number), TakePoint(row.seq, 0)
                    )
                    lines = list(way.lines())
                    assert way.primary == sum(line.meter for line in lines) == level.accounts.primary
        engine.replay(row)


def test_rates_and_awards_are_said_as_people_say_them() -> None:
    """L5: basis points as per cent, awards by their ids."""
    assert (percent(1_000), percent(1_234), award_list([3, 4])) == ("10 %", "12.34 %", "A3, A4")
