"""Every number of the journal has the name that its opening gave it."""

from jackpot.ledger.reading import Reader
from jackpot.reports.read.names import HOUSE, JournalNames
from tests.reports.season import Season


def test_the_names_are_those_of_the_openings(books: Reader, season: Season) -> None:
    """L1, L3: links, levels and tables by their numbers; nothing that no level has."""
    names, state = JournalNames(books, "main"), season.engine.state
    assert {number: terms.link for number, terms in names.links.items()} == {
        link.number: link.terms.link for link in state.links
    }
    assert all(names.table(table.number) == table.terms.table for table in state.tables)
    assert all(names.number(link.terms.link) == link.number for link in state.links)
    assert names.number("nowhere") is None
    assert (names.link(None), names.table(None)) == ("", "")
    assert names.level(1, 0) == HOUSE
    assert len(names.levels()) == sum(1 + len(link.levels) for link in state.links)
