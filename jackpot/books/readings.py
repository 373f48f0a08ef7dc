"""What stood on every meter when a gaming day ended (S2)? As the journal says, the newest first."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from jackpot.ledger.reading import Conversation, Reader
from jackpot.ledger.rebuild import read_to
from jackpot.rules import kinds
from jackpot.rules.acts.readings import ReadingTaken
from jackpot.rules.state import State

# Readings that one statement reads: three months of them, in a few milliseconds.
PAGE: Final = 100

# The key begins with the bank: +bank leaves the small index alone to both planners.
_FOUND: Final = """
    SELECT seq, at, epoch, kind, version, body, hash FROM journal
    WHERE +bank = ?1 AND seq < ?2 AND kind = 21 ORDER BY seq DESC LIMIT ?3
"""
_BEYOND: Final = 2**63 - 1


class Meter(msgspec.Struct, frozen=True):
    """A level as it was read: sums in micro-dollars; wagers and hits as counted so far (S1)."""

    link: str
    level: str
    primary: int
    reserve: int
    overflow: int
    wagers: int
    hits: int


class DayRead(msgspec.Struct, frozen=True):
    """The reading of one gaming day. at: when it was taken, unix milliseconds.

    seq, epoch, hash: of its own row, which was the bank's head when it was written; the hash in hex.
    """

    bank: str
    day: str
    at: int
    seq: int
    epoch: int
    hash: str
    meters: tuple[Meter, ...]


def readings(ledger: Reader, bank: str) -> Iterator[DayRead]:
    """Every reading of a bank, the newest first, read as far as it is asked for. Raises LedgerError."""
    state = read_to(ledger, bank, ledger.head(bank)).state
    below = _BEYOND
    while True:
        found = ledger.ask(bank, lambda number, below=below: _asked(number, below))  # type: ignore[misc]
        for seq, at, epoch, kind, version, body, hash_ in found:
            event = kinds.decode(kind, version, body)
            if isinstance(event, ReadingTaken):
                meters = tuple(_meter(state, *meter) for meter in event.meters)
                yield DayRead(bank, event.day, at, seq, epoch, bytes(hash_).hex(), meters)
        if len(found) < PAGE:
            return
        below = found[-1][0]


def _asked(number: int, below: int) -> Conversation[list[Any]]:
    found = yield _FOUND, (number, below, PAGE)
    return list(found)


def _meter(state: State, link: int, level: int, *facts: int) -> Meter:
    """With the names that the numbers stand for: neither is ever given to another."""
    found = state.link(link)
    return Meter(found.terms.link, found.levels[level - 1].terms.level, *facts)
