"""Reads what a patron was paid in cash in a gaming day: by name, as the papers of payments have it.

Names lie next to the journal, so that they can be erased: an erased name is counted for nobody.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple, TypeGuard

from jackpot.config import Site
from jackpot.ledger.joined_banks import known_as
from jackpot.ledger.reading import Reader
from jackpot.reports.read.entries import Entry, entries_before, entries_of_hit
from jackpot.reports.read.gaming_days import gaming_day
from jackpot.reports.read.hits import patrons, story_called, story_of
from jackpot.rules import names
from jackpot.rules.acts.cash import CashNoticed, NoticeCash
from jackpot.rules.acts.hits import Corrected, Paid, cash, over_in_cash
from jackpot.rules.acts.hits import cash_of_day as told_of_day
from jackpot.rules.acts.payout_details import winners
from jackpot.rules.events import Event


class DayCash(NamedTuple):
    """Cash to one patron in a gaming day, in cents. noticed: the highest sum that a notice has said of it."""

    total: int
    noticed: int


class _Given(NamedTuple):
    """Cash that an entry gave, or noticed, as in `DayCash`.

    patrons: whom the papers name, as names are compared.
    """

    patrons: frozenset[str]
    cents: int
    noticed: int


def cash_of_day(ledger: Reader, site: Site, patron: str, day: str) -> DayCash:
    """What payments of hits gave a patron in cash in a gaming day; corrections, too.

    Every bank of the ledger counts, and people's names are compared as everywhere. Raises LedgerError.
    """
    return _to_patron(_given(ledger, site, day), names.plain(patron))


def unnoticed_cash(ledger: Reader, site: Site, bank: str, hits: Iterable[int]) -> list[NoticeCash]:
    """The notices that payments of these hits in cash still take, now that they stand in the ledger.

    One of another bank may have stood there a moment later, and its patron may have been named later. Each
    day is read once, however many hits there are. Raises LedgerError.
    """
    found: dict[tuple[str, str], NoticeCash] = {}
    days: dict[str, list[_Given]] = {}
    for hit in hits:
        named = patrons(ledger, bank, hit)
        for known in known_as(ledger, bank, hit) if named else ():
            for entry in entries_of_hit(ledger, known.bank, known.number):
                event = entry.event
                if not _is_cash_of(event, known.number) or event.tax is None:
                    continue
                day, over = gaming_day(entry.at, site), event.tax.cash_over
                for seat in _seats(ledger, known.bank, event):
                    for patron in {names.plain(one) for one in named.get(seat, ())}:
                        if day not in days:
                            days[day] = _given(ledger, site, day)
                        of_day = _to_patron(days[day], patron)
                        if of_day.total > max(over, of_day.noticed):
                            found[day, patron] = NoticeCash(f"H{hit}", seat, day, of_day.total, over)
    return list(found.values())


def _to_patron(given: Iterable[_Given], patron: str) -> DayCash:
    """What of this a patron was given. patron: as names are compared."""
    theirs = [one for one in given if patron in one.patrons]
    return DayCash(sum(one.cents for one in theirs), max((one.noticed for one in theirs), default=0))


def _given(ledger: Reader, site: Site, day: str) -> list[_Given]:
    """All cash of a gaming day, in every bank of the ledger."""
    found = []
    for bank, kind in product(ledger.banks(), (Paid.kind, Corrected.kind, CashNoticed.kind)):
        for entry in _down_to(ledger, site, bank, kind, day):
            match entry.event:
                case (Paid() | Corrected()) as event if cash(event) and gaming_day(entry.at, site) == day:
                    seats = _seats(ledger, bank, event)
                    told = told_of_day(event) if over_in_cash(event) else 0
                    found.append(_Given(_patrons(ledger, bank, event.hit, seats), cash(event), told))
                case CashNoticed() as event if event.day == day:
                    whose = _patrons(ledger, bank, event.hit, [event.seat])
                    found.append(_Given(whose, 0, event.cash))
    return found


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


def _down_to(ledger: Reader, site: Site, bank: str, kind: int, day: str) -> Iterator[Entry]:
    """The entries of a kind, the newest first, down to that gaming day."""
    for entry in entries_before(ledger, bank, kind):
        if gaming_day(entry.at, site) < day:
            return
        yield entry


def _seats(ledger: Reader, bank: str, event: Paid | Corrected) -> list[int]:
    """The seat that a payment was to; none where the books have lost its hit."""
    story = story_called(ledger, bank, event.hit)
    paid = event.awards if isinstance(event, Paid) else [event.award]
    return sorted({one.seat for one in story.hit.awards if one.number in paid}) if story is not None else []


def _patrons(ledger: Reader, bank: str, hit: int, seats: Sequence[int]) -> frozenset[str]:
    """Whom the papers of these winners name, as names are compared."""
    named = patrons(ledger, bank, hit)
    return frozenset(names.plain(one) for seat in seats for one in named.get(seat, ()))
