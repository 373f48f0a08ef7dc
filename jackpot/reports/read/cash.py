"""Reads what a patron was paid in cash in a gaming day: by name, as the papers of payments have it.

Names lie next to the journal, so that they can be erased: an erased name is counted for nobody.
"""

from itertools import product

from jackpot.config import Site
from jackpot.ledger.reading import Reader
from jackpot.reports.read.entries import entries_before
from jackpot.reports.read.gaming_days import gaming_day
from jackpot.reports.read.hits import patrons, story_called, story_of
from jackpot.rules import names
from jackpot.rules.acts.hits import Corrected, Paid, cash
from jackpot.rules.acts.payout_details import winners


def cash_of_day(ledger: Reader, site: Site, patron: str, at: int) -> int:
    """What payments of hits gave a patron in cash in the gaming day of a moment, in cents; corrections, too.

    Every bank of the ledger counts, and people's names are compared as everywhere. at: unix milliseconds.
    Raises LedgerError.
    """
    day, total = gaming_day(at, site), 0
    for bank, kind in product(ledger.banks(), (Paid.kind, Corrected.kind)):
        for entry in entries_before(ledger, bank, kind):
            if gaming_day(entry.at, site) < day:
                break
            event = entry.event
            if isinstance(event, Paid | Corrected) and cash(event) and _is_paid(ledger, bank, event, patron):
                total += cash(event)
    return total


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


def _is_paid(ledger: Reader, bank: str, event: Paid | Corrected, patron: str) -> bool:
    """Whether the papers of a payment name that patron."""
    story = story_called(ledger, bank, event.hit)
    paid = event.awards if isinstance(event, Paid) else [event.award]
    seats = {one.seat for one in story.hit.awards if one.number in paid} if story is not None else set()
    named = patrons(ledger, bank, event.hit)
    return any(names.plain(patron) in map(names.plain, named.get(seat, ())) for seat in seats)
