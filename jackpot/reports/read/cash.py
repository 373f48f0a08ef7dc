"""Reads what a patron was paid in cash in a gaming day: by name, as the papers of payments have it.

Names lie next to the journal, so that they can be erased: an erased name is counted for nobody.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple, TypeGuard

from jackpot.config import Site
from jackpot.ledger import papers
from jackpot.ledger.banks import became
from jackpot.ledger.joined_banks import first_own_hit, former_numbers
from jackpot.ledger.reading import Reader
from jackpot.reports.read.entries import (
    BEYOND,
    Entry,
    entries_before,
    entries_of_hit,
    newest,
    written_on_hits,
)
from jackpot.reports.read.gaming_days import gaming_day
from jackpot.reports.read.hits import patrons, story_called, story_of
from jackpot.rules import names
from jackpot.rules.acts.cash import CashNoticed, NoticeCash
from jackpot.rules.acts.fields import DAY_MS
from jackpot.rules.acts.hits import Corrected, Paid, cash, over_in_cash
from jackpot.rules.acts.hits import cash_of_day as told_of_day
from jackpot.rules.acts.papers import PapersAdded
from jackpot.rules.acts.payout_details import winners
from jackpot.rules.acts.readings import ReadingTaken
from jackpot.rules.events import Event


class DayCash(NamedTuple):
    """Cash to one patron in a gaming day, in cents. noticed: the highest sum that a notice has said of it."""

    total: int
    noticed: int


# Hits whose papers are looked up by one statement.
_HITS_OF_ONE: Final = 500


class _CashGiven(NamedTuple):
    """Cash that an entry gave to a winner of a hit, or noticed, as in `DayCash`.

    whose: what says which seat that was. named: all whom the hit's papers name, whichever seat it is, as
    names are compared; None where only its whole history says it.
    """

    bank: str
    hit: int
    whose: Paid | Corrected | CashNoticed
    cents: int
    noticed: int
    named: frozenset[str] | None = None

    def is_to(self, ledger: Reader, patron: str) -> bool:
        """Whether it was to that patron; the history of a hit is read for who may be meant alone."""
        if self.named is not None and patron not in self.named:
            return False
        seats = (
            [self.whose.seat]
            if isinstance(self.whose, CashNoticed)
            else _seats(ledger, self.bank, self.whose)
        )
        return patron in _patrons(ledger, self.bank, self.hit, seats)


def cash_of_day(ledger: Reader, site: Site, patron: str, day: str) -> DayCash:
    """What payments of hits gave a patron in cash in a gaming day; corrections, too.

    Every bank of the ledger counts, and people's names are compared as everywhere. Raises LedgerError.
    """
    return _to_patron(ledger, _cash_of_day(ledger, site, day), names.normal_form(patron))


def unnoticed_cash(ledger: Reader, site: Site, bank: str, hits: Iterable[int]) -> list[NoticeCash]:
    """The notices that payments of these hits in cash still take, now that they stand in the ledger.

    One of another bank may have stood there a moment later, and its patron may have been named later. Each
    day is read once, however many hits there are. Raises LedgerError.
    """
    found: dict[tuple[str, str], NoticeCash] = {}
    days: dict[str, list[_CashGiven]] = {}
    told: dict[tuple[str, str], DayCash] = {}
    for hit in hits:
        named = patrons(ledger, bank, hit)
        for known in former_numbers(ledger, bank, hit) if named else ():
            for entry in entries_of_hit(ledger, known.bank, known.number):
                event = entry.event
                if not _is_cash_of(event, known.number) or event.tax is None:
                    continue
                day, over = gaming_day(entry.at, site), event.tax.cash_over
                for seat in _seats(ledger, known.bank, event):
                    for patron in {names.normal_form(one) for one in named.get(seat, ())}:
                        if day not in days:
                            days[day] = _cash_of_day(ledger, site, day)
                        if (day, patron) not in told:
                            told[day, patron] = _to_patron(ledger, days[day], patron)
                        of_day = told[day, patron]
                        if of_day.total > max(over, of_day.noticed):
                            found[day, patron] = NoticeCash(f"H{hit}", seat, day, of_day.total, over)
    return list(found.values())


def _to_patron(ledger: Reader, payments: Iterable[_CashGiven], patron: str) -> DayCash:
    """What of this a patron was given. patron: as names are compared."""
    theirs = [one for one in payments if one.is_to(ledger, patron)]
    return DayCash(sum(one.cents for one in theirs), max((one.noticed for one in theirs), default=0))


def _cash_of_day(ledger: Reader, site: Site, day: str) -> list[_CashGiven]:
    """All cash of a gaming day, in every bank of the ledger."""
    found = []
    for bank in ledger.banks():
        of_bank, first = [], None
        for kind in (Paid.kind, Corrected.kind, CashNoticed.kind):
            for entry in _down_to(ledger, bank, kind, day):
                match entry.event:
                    case (Paid() | Corrected()) as event if cash(event) and gaming_day(entry.at, site) == day:
                        told = told_of_day(event) if over_in_cash(event) else 0
                        of_bank.append(_CashGiven(bank, event.hit, event, cash(event), told))
                        first = min(entry.at, first or entry.at)
                    case CashNoticed() as event if event.day == day:
                        of_bank.append(_CashGiven(bank, event.hit, event, 0, event.cash))
        found += _with_names(ledger, bank, of_bank, first or 0)
    return found


def _with_names(ledger: Reader, bank: str, payments: list[_CashGiven], since: int) -> list[_CashGiven]:
    """The same with all whom the papers of each hit name. since: unix milliseconds, of the first payment.

    Thousands are read by a few statements. What a join of banks has moved is left to its whole history.
    """
    own = first_own_hit(ledger, bank)
    if not payments or became(ledger, bank):
        return payments
    kept = papers.patrons_since(ledger, since - DAY_MS)
    named: dict[int, set[str]] = {}
    for first, last in _ranges(sorted({one.hit for one in payments if one.hit >= own})):
        for hit, event in written_on_hits(ledger, bank, first, last, (Paid.kind, PapersAdded.kind)):
            if isinstance(event, Paid | PapersAdded) and event.paper and papers.hit_of(event) == hit:
                patron = kept.get(event.paper)
                patron = papers.patron(ledger, event.paper) if patron is None else patron
                named.setdefault(hit, set()).add(names.normal_form(patron))
    return [
        one._replace(named=frozenset(named.get(one.hit, ()))) if one.hit >= own else one for one in payments
    ]


def _ranges(hits: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Ranges of numbers that hold all these, each of a length that one statement reads."""
    start = None
    for number, hit in enumerate(hits):
        start = hit if start is None else start
        if number + 1 == len(hits) or hits[number + 1] >= start + _HITS_OF_ONE:
            yield start, hit
            start = None


def patron_of(ledger: Reader, bank: str, hit: int, seat: int, award: int) -> str:
    """Whom the papers of a hit's winner name, the newest name; "" for nobody. Raises LedgerError.

    seat, award: of the winner, 0 where it is not said; a hit with one winner needs neither.
    """
    story = story_of(ledger, bank, hit)
    if story is None:
        return ""
    seats = winners(story.hit.awards)
    whose = {one.number: one.seat for one in story.hit.awards}
    chosen = seat or whose.get(award, 0) or (seats[0] if len(seats) == 1 else 0)
    return patrons(ledger, bank, hit).get(chosen, [""])[-1]


def _is_cash_of(event: Event, hit: int) -> TypeGuard[Paid | Corrected]:
    """Whether it gave a winner of that hit cash; it may have raised the awards of other hits."""
    return isinstance(event, Paid | Corrected) and event.hit == hit and cash(event) > 0


def _down_to(ledger: Reader, bank: str, kind: int, day: str) -> Iterator[Entry]:
    """The entries of a kind, the newest first, down to the gaming day before that one, or further.

    The bank's readings bound it: a clock that was set back meanwhile hides nothing.
    """
    before, below = (date.fromisoformat(day) - timedelta(days=1)).isoformat(), BEYOND
    while (reading := newest(ledger, bank, ReadingTaken.kind, below)) is not None:
        below = reading.seq
        if isinstance(reading.event, ReadingTaken) and reading.event.day < before:
            break
    yield from entries_before(ledger, bank, kind, after=0 if reading is None else reading.seq)


def _seats(ledger: Reader, bank: str, event: Paid | Corrected) -> list[int]:
    """The seat that a payment was to; none where the books have lost its hit."""
    story = story_called(ledger, bank, event.hit)
    paid = event.awards if isinstance(event, Paid) else [event.award]
    return sorted({one.seat for one in story.hit.awards if one.number in paid}) if story is not None else []


def _patrons(ledger: Reader, bank: str, hit: int, seats: Sequence[int]) -> frozenset[str]:
    """Whom the papers of these winners name, as names are compared."""
    named = patrons(ledger, bank, hit)
    return frozenset(names.normal_form(one) for seat in seats for one in named.get(seat, ()))
