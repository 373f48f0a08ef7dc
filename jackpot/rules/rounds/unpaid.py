"""Counters of awards that wait for people, kept up to date so that no query iterates over all of them.

An award that is pending or validated is counted twice: with those of its link's level and status, and with
those of its table. Nothing else changes the status or the sum of an award that was made.
"""

from bisect import bisect_left, insort
from typing import Final

from jackpot.rules.state import CREDITS_KEPT, UNPAID, Award, BankState, Status, Uncredited, Unpaid

# Awards of one table that wait for people before somebody is alarmed. Seven seats win a hundred or so in a
# shift: above it nobody looks at them any more, or `validate_at` is not what the controls say (A10).
WAITING_MAX: Final = 256


def count(state: BankState, award: Award) -> None:
    """Counts a new award, of a hit that the state holds."""
    for group in _groups(state, award):
        insort(group.hits, award.hit)
        group.amount += award.amount
    if award.pays == "account":
        _credit(state, award)


def change(state: BankState, award: Award, status: Status, amount: int | None = None) -> None:
    """Gives the award another status and, where it is given, another sum, in micro-dollars."""
    for group in _groups(state, award):
        del group.hits[bisect_left(group.hits, award.hit)]
        group.amount -= award.amount
    award.status = status
    if amount is not None:
        award.amount = amount
    count(state, award)


def _credit(state: BankState, award: Award) -> None:
    """Lists a settled award to a game account until it is confirmed as credited (P4)."""
    waits = state.uncredited
    if not award.settled():
        waits.pop(award.number, None)
        return
    hit = state.hits[award.hit]
    waits[award.number] = Uncredited(hit.number, award.link, hit.table, award.seat, award.worth(), hit.at)
    if len(waits) > CREDITS_KEPT:
        del waits[next(iter(waits))]


def _groups(state: BankState, award: Award) -> tuple[Unpaid, ...]:
    """The counters that the award belongs to."""
    if award.status not in UNPAID:
        return ()
    groups = state.link(award.link).unpaid
    return (
        groups.setdefault((award.level, award.status), Unpaid()),
        state.table(state.hits[award.hit].table).unpaid,
    )
