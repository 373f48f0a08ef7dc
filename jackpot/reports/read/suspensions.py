"""Suspensions that hold links now: who stopped wagers, when, and why.

The state keeps only the causes, as tables are told them. The journal has the entry that began each.
"""

from collections.abc import Collection, Iterator
from heapq import merge
from itertools import islice
from operator import attrgetter
from typing import Final, NamedTuple

from jackpot.ledger.reading import Reader
from jackpot.reports.read.entries import Entry, entries_before
from jackpot.rules.acts.links import RESTORED, ROLLED_BACK, Resumed, Suspended
from jackpot.rules.acts.meters import TRANSFERRED, Transferred
from jackpot.rules.signing import People

# Suspensions and resumptions that are looked at: some years of a floor that stops its links every day.
LOOKED_AT_MAX: Final = 2_000


class Suspension(NamedTuple):
    """Entry that began a suspension. at: unix milliseconds. people: nobody where the server itself did it."""

    link: int
    cause: str
    seq: int
    at: int
    people: People
    reason: str


def suspensions(ledger: Reader, bank: str, standing: Collection[tuple[int, str]]) -> list[Suspension]:
    """The entries that began these suspensions, the oldest first; of a cause that no act began, none.

    standing: each link's number with a cause that holds it now. Raises LedgerError.
    """
    looked_for, found = set(standing), dict[tuple[int, str], Suspension]()
    for entry in islice(_newest(ledger, bank), LOOKED_AT_MAX) if looked_for else ():
        event = entry.event
        if isinstance(event, Resumed):
            looked_for -= {(link, cause) for link in event.links for cause in _ended(event.cause)}
        elif isinstance(event, Suspended | Transferred):
            cause = event.cause if isinstance(event, Suspended) else TRANSFERRED
            for link in event.links if isinstance(event, Suspended) else (event.link,):
                if (link, cause) in looked_for:  # of several the oldest: the link was suspended since
                    begun = Suspension(link, cause, entry.seq, entry.at, event.people, event.reason)
                    found[link, cause] = begun
        if not looked_for:
            break
    return sorted(found.values(), key=attrgetter("seq"))


def _newest(ledger: Reader, bank: str) -> Iterator[Entry]:
    kinds = (Suspended.kind, Resumed.kind, Transferred.kind)
    each = (entries_before(ledger, bank, kind) for kind in kinds)
    return merge(*each, key=attrgetter("seq"), reverse=True)


def _ended(cause: str) -> tuple[str, ...]:
    """The causes that a resumption ends: that of a restored ledger also the one of a lost commitment (Y8)."""
    return (cause, ROLLED_BACK) if cause == RESTORED else (cause,)
