"""What is a number of the journal called? Links, levels and tables, as their openings named them."""

from typing import Final

from jackpot.books.entries import of_kinds, one
from jackpot.books.people import Called
from jackpot.ledger.reading import Reader
from jackpot.rules.acts.banks import BankBegun
from jackpot.rules.acts.links import LinkOpened
from jackpot.rules.acts.tables import TableOpened
from jackpot.rules.paytable import LevelTerms, LinkTerms, TableTerms
from jackpot.rules.signing import People

# What no meter pays: odds, envy and draws (level 0 of a posting).
HOUSE: Final = "house"


class Names:
    """Of one bank, as of now. links, tables: their terms, by number. people: of the site."""

    def __init__(self, ledger: Reader, bank: str) -> None:
        self.bank = bank
        self.people = Called.of(ledger)
        self.links: dict[int, LinkTerms] = {}
        self.tables: dict[int, TableTerms] = {}
        self.begun: BankBegun | None = None
        first = one(ledger, bank, 1)
        event = None if first is None else first.event
        if isinstance(event, BankBegun):
            self.begun = event
            for part in event.parts:
                for carried in part.links:
                    self.links[len(self.links) + 1] = carried.terms
                for seated in part.tables:
                    self.tables[len(self.tables) + 1] = seated.terms
        for entry in of_kinds(ledger, bank, (LinkOpened.kind, TableOpened.kind)):
            opened = entry.event
            if isinstance(opened, LinkOpened):
                self.links[opened.number] = opened.terms
            elif isinstance(opened, TableOpened):
                self.tables[opened.number] = opened.terms

    def link(self, number: int | None) -> str:
        """The link's id; "" for none."""
        return "" if number is None else self.links[number].link

    def number(self, link: str) -> int | None:
        """The link's number, None where the bank has none of that id."""
        return next((number for number, terms in self.links.items() if terms.link == link), None)

    def terms(self, link: int, level: int) -> LevelTerms:
        """A meter's terms. level: 1 or more."""
        return self.links[link].levels[level - 1]

    def level(self, link: int, level: int) -> str:
        """The level's name, `house` for what no meter pays."""
        return self.terms(link, level).level if level else HOUSE

    def table(self, number: int | None) -> str:
        """The table's id; "" for none."""
        return "" if number is None else self.tables[number].table

    def levels(self) -> list[tuple[int, int]]:
        """(link, level) of all that a posting may name, level 0 first."""
        return [
            (number, level) for number, terms in self.links.items() for level in range(len(terms.levels) + 1)
        ]

    def who(self, people: People | None) -> str:
        """Who stood for something, in words; "" for nobody."""
        return self.people.who(people)
