"""Names of links, levels and tables by their journal numbers, as their openings gave them."""

from collections.abc import Iterable, Iterator
from typing import Final

from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import SUM_ROWS
from jackpot.reports.read.entries import BEYOND, of_kinds, one
from jackpot.reports.read.people import PersonNames
from jackpot.reports.read.rounds import RoundsAtCut
from jackpot.reports.report import ReportRefused
from jackpot.rules.acts.banks import BankBegun, parts_of
from jackpot.rules.acts.links import LinkOpened
from jackpot.rules.acts.parameters import LinkChanged
from jackpot.rules.acts.tables import TableOpened
from jackpot.rules.former_numbers import Letter, former
from jackpot.rules.money import contribution
from jackpot.rules.paytable import LevelTerms, LinkTerms, TableTerms
from jackpot.rules.signing import People
from jackpot.rules.state import Part
from jackpot.text import Sentence, both, joined

# Level 0 of a posting, what no meter pays: odds, envy and draws.
HOUSE: Final = "house"


def opened_at(ledger: Reader, bank: str, link: str) -> int | None:
    """When a link opened in this bank, in unix milliseconds; None where it came from a joined bank."""
    for entry in of_kinds(ledger, bank, (LinkOpened.kind,)):
        if isinstance(entry.event, LinkOpened) and entry.event.terms.link == link:
            return entry.at
    return None


def must_know(names: "Iterable[JournalNames]", links: Iterable[str]) -> None:
    """Raises ReportRefused for a link that none of the banks has."""
    known = {terms.link for each in names for terms in each.links.values()}
    for link in links:
        if link not in known:
            links = " ".join(sorted(known))
            raise ReportRefused(
                "link_not_known", "{link} is unknown; there is {links}", field="link", link=link, links=links
            )


class JournalNames:
    """Names of one bank, as of now. links, tables: their terms, by number. people: of the site.

    before: of each link that changed, the entries that changed it, each with the terms of before. rounds:
    what is known of rounds whose frames are archived.
    """

    def __init__(self, ledger: Reader, bank: str) -> None:
        self.bank = bank
        self.people = PersonNames.of(ledger)
        self.links: dict[int, LinkTerms] = {}
        self.tables: dict[int, TableTerms] = {}
        self.before: dict[int, list[tuple[int, LinkTerms]]] = {}
        self.begun: BankBegun | None = None
        self._parts = list[Part]()
        self.rounds = RoundsAtCut(ledger, bank)
        first = one(ledger, bank, 1)
        event = None if first is None else first.event
        if isinstance(event, BankBegun):
            self.begun, self._parts = event, parts_of(event.parts)
            for part in event.parts:
                for carried in part.links:
                    self.links[len(self.links) + 1] = carried.terms
                for seated in part.tables:
                    self.tables[len(self.tables) + 1] = seated.terms
        for entry in of_kinds(ledger, bank, (LinkOpened.kind, LinkChanged.kind, TableOpened.kind)):
            match entry.event:
                case LinkOpened() as opened:
                    self.links[opened.number] = opened.terms
                case LinkChanged() as changed:
                    self.before.setdefault(changed.link, []).append((entry.seq, changed.before))
                    self.links[changed.link] = changed.terms
                case TableOpened() as table:
                    self.tables[table.number] = table.terms

    def link(self, number: int | None) -> str:
        """The link's id; "" for none."""
        return "" if number is None else self.links[number].link

    def number(self, link: str) -> int | None:
        """The link's number, None where the bank has none of that id."""
        return next((number for number, terms in self.links.items() if terms.link == link), None)

    def link_terms(self, link: int, at: int = BEYOND) -> LinkTerms:
        """A link's terms at an entry, or now."""
        older = (terms for seq, terms in self.before.get(link, ()) if at < seq)
        return next(older, self.links[link])

    def terms(self, link: int, level: int, at: int = BEYOND) -> LevelTerms:
        """A meter's terms at an entry, or now. level: 1 or more."""
        return self.link_terms(link, at).levels[level - 1]

    def each(self, link: int, at: int = BEYOND) -> int:
        """What one wager at that entry, or now, adds to a link's first level, primary and reserve."""
        terms, wager = self.terms(link, 1, at), self.links[link].wager
        return contribution(wager, terms.primary) + contribution(wager, terms.reserve)

    def stretches(self, after: int, upto: int) -> Iterator[tuple[int, int]]:
        """The entries after < seq <= upto in short stretches, in none of which a link changed its terms."""
        changed = {seq - 1 for known in self.before.values() for seq, _ in known}
        cuts = {*range(after, upto, SUM_ROWS), *(seq for seq in changed if after < seq < upto)}
        starts = sorted(cuts)
        return zip(starts, [*starts[1:], upto], strict=True) if starts else iter(())

    def level(self, link: int, level: int) -> str:
        """The level's name; `house` for level 0, what no meter pays."""
        return self.terms(link, level).level if level else HOUSE

    def table(self, number: int | None) -> str:
        """The table's id; "" for none."""
        return "" if number is None else self.tables[number].table

    def levels(self) -> list[tuple[int, int]]:
        """(link, level) of every account that a posting may name, level 0 first."""
        return [
            (number, level) for number, terms in self.links.items() for level in range(len(terms.levels) + 1)
        ]

    def called(self, letter: Letter, number: int) -> Sentence | str:
        """A hit or award: "H65", and what it was called in the banks that became this one."""
        now, before = f"{letter}{number}", former(self._parts, letter, number)
        if not before:
            return now
        old = joined(
            Sentence("{hit} of {bank}", hit=f"{letter}{number}", bank=bank) for bank, number in before
        )
        return Sentence("{hit} ({before})", hit=now, before=old)

    def who(self, people: People | None) -> Sentence | str:
        """Who signed something, in words; "" for nobody."""
        return "" if people is None else both(self.people.said(people))
