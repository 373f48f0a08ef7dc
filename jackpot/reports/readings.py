"""Report of meter readings at the end of each gaming day, the newest first (S2)."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec

from jackpot.ledger.reading import Conversation, Reader
from jackpot.ledger.rebuild import read_to
from jackpot.rules import registry
from jackpot.rules.acts.readings import ReadingTaken
from jackpot.rules.state import BankState

# Readings that one statement reads: three months of them, in a few milliseconds.
PAGE: Final = 100

# The key begins with the bank: +bank makes both planners use the small index alone.
_FOUND: Final = """
    SELECT seq, at, epoch, kind, version, body, hash FROM journal
    WHERE +bank = ?1 AND seq < ?2 AND kind = 21 AND table_seq IS NULL ORDER BY seq DESC LIMIT ?3
"""
_BEYOND: Final = 2**63 - 1


class MeterReading(msgspec.Struct, frozen=True):
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
    meters: tuple[MeterReading, ...]


class StoredReading(NamedTuple):
    """A reading as the journal stores it."""

    seq: int
    at: int
    epoch: int
    event: ReadingTaken
    hash: bytes


def readings(ledger: Reader, bank: str) -> Iterator[DayRead]:
    """Every reading of a bank, the newest first, read lazily. Raises LedgerError."""
    state = read_to(ledger, bank, ledger.head(bank)).state
    below = None
    while True:
        found = stored(ledger, bank, below, PAGE)
        yield from (with_names(bank, state, one) for one in found)
        if len(found) < PAGE:
            return
        below = found[-1].seq


def stored(ledger: Reader, bank: str, below: int | None, limit: int) -> list[StoredReading]:
    """The newest readings with a lower number than `below`, as they are stored. Raises LedgerError."""
    return ledger.ask(bank, lambda number: _fetch((number, below or _BEYOND, limit)))


def with_names(bank: str, state: BankState, reading: StoredReading) -> DayRead:
    """A reading with names in place of numbers. state: of the bank, then or later."""
    meters = tuple(_meter(state, *meter) for meter in reading.event.meters)
    return DayRead(
        bank, reading.event.day, reading.at, reading.seq, reading.epoch, reading.hash.hex(), meters
    )


def _fetch(values: tuple[int, int, int]) -> Conversation[list[StoredReading]]:
    found = yield _FOUND, values
    read = [
        (seq, at, epoch, registry.decode(kind, version, body), bytes(hash_))
        for seq, at, epoch, kind, version, body, hash_ in found
    ]
    return [
        StoredReading(seq, at, epoch, event, hash_)
        for seq, at, epoch, event, hash_ in read
        if isinstance(event, ReadingTaken)
    ]


def _meter(state: BankState, link: int, level: int, *facts: int) -> MeterReading:
    """A meter with names in place of numbers: no number is ever reused."""
    found = state.link(link)
    return MeterReading(found.terms.link, found.levels[level - 1].terms.level, *facts)
