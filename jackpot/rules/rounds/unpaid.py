"""Which awards wait for people? Counted as they come and go, so that no look at them walks over them all.

An award that is pending or validated is counted twice: with those of its link's level and status, and with
those of its table. Nothing else changes the status or the sum of an award that was made.
"""

from bisect import bisect_left, insort
from typing import Final

from jackpot.rules.state import UNPAID, Award, State, Status, Unpaid

# Awards of one table that wait for people before somebody is alarmed. Seven seats win a hundred or so in a
# shift: above it nobody looks at them any more, or `validate_at` is not what the controls say (A10).
WAITING_MOST: Final = 256


def count(state: State, award: Award) -> None:
    """An award is there, of a hit that the state holds."""
    for group in _groups(state, award):
        insort(group.hits, award.hit)
        group.amount += award.amount


def change(state: State, award: Award, status: Status, amount: int | None = None) -> None:
    """The award gets another status, and where it is given another sum, in micro-dollars."""
    for group in _groups(state, award):
        del group.hits[bisect_left(group.hits, award.hit)]
        group.amount -= award.amount
    award.status = status
    if amount is not None:
        award.amount = amount
    count(state, award)


def _groups(state: State, award: Award) -> tuple[Unpaid, ...]:
    """Those that count the award as it is."""
    if award.status not in UNPAID:
        return ()
    groups = state.link(award.link).unpaid
    return (
        groups.setdefault((award.level, award.status), Unpaid()),
        state.table(state.hits[award.hit].table).unpaid,
    )
