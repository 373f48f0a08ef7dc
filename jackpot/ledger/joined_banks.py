"""Checks of joined banks: which banks became part of which, and whether ends and beginning agree (S8)."""

from collections.abc import Callable, Iterator

import msgspec

from jackpot.ledger.reading import Reader
from jackpot.rules import registry
from jackpot.rules.acts.banks import BankBegun, BankClosed


def broken_joint(ledger: Reader, bank: str) -> list[str]:
    """Problems of a bank that began with the ends of others, or was joined into one."""
    return [*broken_beginning(ledger, bank), *_told(ledger, bank, _broken_end)]


def broken_beginning(ledger: Reader, bank: str) -> list[str]:
    """Problems of a bank that began with the ends of others; reads a few rows."""
    return _told(ledger, bank, _broken_beginning)


def _told(ledger: Reader, bank: str, look: Callable[[Reader, str], Iterator[str]]) -> list[str]:
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
