"""The text of a journal entry has its names and its sums."""

from jackpot.config.writing import writing
from jackpot.ledger.reading import Reader
from jackpot.reports.entry_text import about
from jackpot.reports.read.names import JournalNames
from jackpot.rules import registry
from jackpot.rules.acts.hits import Corrected
from jackpot.rules.acts.links import Suspended
from jackpot.rules.events import Settled, Wagered
from jackpot.text import counted, words
from tests.reports.season import Season

MONEY = writing("en_US", "USD").exact


def test_every_entry_of_a_season_reads(books: Reader, season: Season) -> None:
    """S8: no kind is without words; a hit has each award's sum, a wager its round, a link its title."""
    names, told = JournalNames(books, "main"), set()
    for row in season.rows:
        event = registry.decode(row.kind, row.version, row.body)
        said = about(names, event, MONEY, str.upper)
        told.add(type(event))
        if isinstance(event, Wagered):
            assert said.startswith(f"round {event.round}, {counted(len(event.bets), 'wager')}")
        elif isinstance(event, Settled):
            for hit in event.made.hits:
                awards = ", ".join(f"A{award.number} {MONEY(award.amount)}" for award in hit.awards)
                assert f"H{hit.number} {words(hit.hand)} on {names.link(hit.link).upper()}: {awards}" in said
        elif isinstance(event, Suspended):
            assert ", ".join(names.link(link).upper() for link in event.links) in said
        elif isinstance(event, Corrected):
            assert f"A{event.award}, comes to {MONEY(event.amount)}" in said
        assert "None" not in said
        assert "b'" not in said
    assert len(told) > 15
