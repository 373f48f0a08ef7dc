"""Joined banks: which became part of which, with which numbers, and whether ends and beginning agree (S8)."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from jackpot.ledger.banks import became
from jackpot.ledger.reading import Reader
from jackpot.rules import registry
from jackpot.rules.acts.banks import BankBegun, BankClosed, Offsets, offsets

# First rows that are held decoded: a page of hits asks for one again and again, and it may have a megabyte.
BEGINNINGS_KEPT: Final = 8
# Of a bank's own numbers.
NOWHERE: Final = Offsets(0, 0, 0, 0)


class JoinedPart(NamedTuple):
    """A bank that another began with. hits: the numbers there of all its hits, its own parts' among them."""

    bank: str
    by: Offsets
    hits: range


class KnownHit(NamedTuple):
    """A hit as a bank numbers it. by: how much higher its numbers are than those of the hit's maker."""

    bank: str
    number: int
    by: Offsets


def parts_of(ledger: Reader, bank: str) -> tuple[JoinedPart, ...]:
    """The banks that a bank began with; none where it was opened."""
    for first in ledger.rows(bank, 0, 1):
        if first.kind == BankBegun.kind:
            return _parts(first.version, first.body)
    return ()


@lru_cache(maxsize=BEGINNINGS_KEPT)
def _parts(version: int, body: bytes) -> tuple[JoinedPart, ...]:
    begun = registry.decode(BankBegun.kind, version, body)
    if not isinstance(begun, BankBegun):
        return ()
    return tuple(
        JoinedPart(part.bank, by, range(by.hits + 1, by.hits + part.next_hit))
        for part, by in zip(begun.parts, offsets(begun.parts), strict=True)
    )


def first_own_hit(ledger: Reader, bank: str) -> int:
    """The number from which on the bank made its hits itself."""
    return max((part.hits.stop for part in parts_of(ledger, bank)), default=1)


def traced(ledger: Reader, bank: str, hit: int) -> list[KnownHit]:
    """The numbers that a hit has had, from that of the bank that made it to that of this bank."""
    for part in parts_of(ledger, bank):
        if hit in part.hits:
            before = traced(ledger, part.bank, hit - part.by.hits)
            return [*before, KnownHit(bank, hit, _added(before[-1].by, part.by))]
    return [KnownHit(bank, hit, NOWHERE)]


def later_banks(ledger: Reader, bank: str) -> list[tuple[str, Offsets]]:
    """The bank, and each one that it became since, with how much higher numbers are there."""
    found = [(bank, NOWHERE)]
    while into := became(ledger, found[-1][0]):
        last, so_far = found[-1]
        part = next((one for one in parts_of(ledger, into) if one.bank == last), None)
        if part is None or into in dict(found):  # the join is unfinished, or somebody changed the ledger
            break
        found.append((into, _added(so_far, part.by)))
    return found


def former_numbers(ledger: Reader, bank: str, hit: int) -> list[KnownHit]:
    """All numbers that a hit of this bank has had, from that of the bank that made it to that of today."""
    before = traced(ledger, bank, hit)
    return before + [
        KnownHit(name, hit + by.hits, _added(before[-1].by, by)) for name, by in later_banks(ledger, bank)[1:]
    ]


def _added(one: Offsets, other: Offsets) -> Offsets:
    return Offsets(*map(sum, zip(one, other, strict=True)))


def broken_joint(ledger: Reader, bank: str) -> list[str]:
    """Problems of a bank that began with the ends of others, or was joined into one."""
    return [*broken_beginning(ledger, bank), *_with_bank(ledger, bank, _broken_end)]


def broken_beginning(ledger: Reader, bank: str) -> list[str]:
    """Problems of a bank that began with the ends of others; reads a few rows."""
    return _with_bank(ledger, bank, _broken_beginning)


def _with_bank(ledger: Reader, bank: str, look: Callable[[Reader, str], Iterator[str]]) -> list[str]:
    try:
        said = list(look(ledger, bank))
    except (registry.UnknownEventError, msgspec.MsgspecError) as error:
        said = [f"a row of a bank that it is joined with cannot be read: {error}"]
    return [f"{bank}: {one}" for one in said]


def and_its_parts(ledger: Reader, bank: str) -> list[str]:
    """The bank, and all banks that were joined into it, recursively."""
    found = [bank]
    for one in found:
        begun = begun_with(ledger, one)
        found += [name for name, *_ in begun.heads if name not in found] if begun is not None else []
    return found


def begun_with(ledger: Reader, bank: str) -> BankBegun | None:
    """First entry of a bank that began with others."""
    for first in ledger.rows(bank, 0, 1):
        event = registry.decode(first.kind, first.version, first.body)
        return event if isinstance(event, BankBegun) else None
    return None


def _closed(ledger: Reader, bank: str, seq: int) -> BankClosed | None:
    """The bank's entry of that number, if it ends the bank."""
    for row in ledger.rows(bank, seq - 1, 1) if seq > 0 else ():
        event = registry.decode(row.kind, row.version, row.body)
        return event if isinstance(event, BankClosed) else None
    return None


def _broken_beginning(ledger: Reader, into: str) -> Iterator[str]:
    """Problems, unless each bank that it began with ended in it alone, with the same head and sums."""
    begun = begun_with(ledger, into)
    if begun is None:
        return
    names = [name for name, *_ in begun.heads]
    if not names or len(names) != len(begun.parts):
        yield f"it began with {len(names)} banks and the sums of {len(begun.parts)}"
    for (bank, seq, hash_), part in zip(begun.heads, begun.parts, strict=False):
        rows = ledger.rows(bank, seq - 1, 2) if seq > 0 else []
        if not rows or (rows[0].seq, rows[0].hash) != (seq, hash_):
            yield f"it began with row {seq} of {bank}, which is not in this ledger"
        elif len(rows) > 1:
            yield f"it began with row {seq} of {bank}, which goes on after it"
        elif (closed := _closed(ledger, bank, seq)) is None:
            yield f"it began with row {seq} of {bank}, which does not end that bank"
        elif closed.into != into:
            yield f"it began with {bank}, which became part of {closed.into}"
        elif closed.handed_on != part:
            yield f"it began with other sums than {bank} handed on"
        if names.count(bank) > 1:
            yield f"it began with {bank} more than once"


def _broken_end(ledger: Reader, bank: str) -> Iterator[str]:
    """Problems, unless an ended bank goes on in the one that it names, or will when the join is run again."""
    closed = _closed(ledger, bank, ledger.head(bank).seq)
    if closed is None:
        return
    begun = begun_with(ledger, closed.into) if closed.into in ledger.banks() else None
    if begun is None or bank not in [name for name, *_ in begun.heads]:
        yield f"it became part of {closed.into}, which did not begin with it: join the banks again"
