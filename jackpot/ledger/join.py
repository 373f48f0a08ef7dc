"""How do two banks of a ledger become a third? Each chain ends, and the new one begins with their heads.

Each step is one transaction, and each can be taken again: after an interruption, run the same command.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from jackpot.ledger.journal import Head
from jackpot.ledger.offline import decide
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.store import Ledger, LedgerCorrupt, Reader
from jackpot.rules import events, kinds
from jackpot.rules.acts.act import By
from jackpot.rules.acts.banks import (
    BankBegun,
    BankClosed,
    BeginBank,
    CloseBank,
    decide_begin_bank,
    decide_close_bank,
)
from jackpot.rules.engine import Engine
from jackpot.rules.refusal import Refusal

HOLDER: Final = "join"


class NotJoined(Exception):
    """The banks are not joined; its text says what to do first."""


def join(ledger: Ledger, banks: Sequence[str], into: str, person: str, reason: str, unix_ms: int) -> Head:
    """Ends the banks and begins `into` with all that they had; where `into` then stands.

    No server may hold any of them. Raises NotJoined where one is not at rest, LedgerError where it cannot be
    read or written.
    """
    if ledger.head(into).seq:
        return _joined_already(ledger, banks, into)
    opened = {bank: _open(ledger, bank, into) for bank in banks}
    _check(ledger, list(opened.values()), CloseBank(into, reason), person)
    heads = [
        head if engine.state.closed_into else _close(ledger, engine, head, into, person, reason, unix_ms)
        for engine, head in opened.values()
    ]
    engine = Engine(into)
    parts = tuple(_last(ledger, head).handed_on for head in heads)
    command = BeginBank(tuple((head.bank, head.seq, head.hash) for head in heads), parts)
    return decide(ledger, engine, ledger.new_epoch(into, HOLDER), command, (), unix_ms)


def _open(ledger: Ledger, bank: str, into: str) -> tuple[Engine, Head]:
    """A bank, taken and checked whole (S3)."""
    if not ledger.head(bank).seq:
        raise NotJoined(f"there is no bank {bank} in this ledger")
    ledger.new_epoch(bank, HOLDER)
    engine, head = rebuild(ledger, bank)
    if engine.state.closed_into not in {"", into}:
        raise NotJoined(f"bank {bank} ended before: it became part of {engine.state.closed_into}")
    return engine, head


def _check(ledger: Reader, opened: Sequence[tuple[Engine, Head]], end: CloseBank, person: str) -> None:
    """Whether all of it is allowed: a bank that has ended does not come back if another does not fit."""
    try:
        parts = [
            _last(ledger, head).handed_on
            if engine.state.closed_into
            else decide_close_bank(engine.state, end, By(events.People((person,)))).handed_on
            for engine, head in opened
        ]
        decide_begin_bank(Engine(end.into).state, BeginBank((), tuple(parts)), By())
    except Refusal as refusal:
        raise NotJoined(refusal.message) from refusal


def _close(
    ledger: Ledger, engine: Engine, head: Head, into: str, person: str, reason: str, unix_ms: int
) -> Head:
    return decide(ledger, engine, head, CloseBank(into, reason), (person,), unix_ms)


def _last(ledger: Reader, head: Head) -> BankClosed:
    (row,) = ledger.rows(head.bank, head.seq - 1, 1)
    event = kinds.decode(row.kind, row.version, row.body)
    if not isinstance(event, BankClosed):
        raise LedgerCorrupt(f"{head.bank}: row {row.seq} does not end the bank")
    return event


def _joined_already(ledger: Reader, banks: Sequence[str], into: str) -> Head:
    (first,) = ledger.rows(into, 0, 1)
    event = kinds.decode(first.kind, first.version, first.body)
    if not isinstance(event, BankBegun) or {name for name, *_ in event.heads} != set(banks):
        raise NotJoined(f"there is a bank {into} already: give another name")
    return ledger.head(into)


def broken_joint(ledger: Reader, bank: str) -> list[str]:
    """What does not fit where the bank began with the ends of others, or became part of one."""
    try:
        said = [*_broken_beginning(ledger, bank), *_broken_end(ledger, bank)]
    except (kinds.UnknownEventError, msgspec.MsgspecError) as error:
        said = [f"a row of a bank that it is joined with cannot be read: {error}"]
    return [f"{bank}: {one}" for one in said]


def _begun(ledger: Reader, bank: str) -> BankBegun | None:
    """The bank's first entry, where it began with others."""
    for first in ledger.rows(bank, 0, 1):
        event = kinds.decode(first.kind, first.version, first.body)
        return event if isinstance(event, BankBegun) else None
    return None


def _closed(ledger: Reader, bank: str, seq: int) -> BankClosed | None:
    """The bank's entry of that number, where it ends the bank."""
    for row in ledger.rows(bank, seq - 1, 1) if seq > 0 else ():
        event = kinds.decode(row.kind, row.version, row.body)
        return event if isinstance(event, BankClosed) else None
    return None


def _broken_beginning(ledger: Reader, into: str) -> Iterator[str]:
    """Each bank that it began with ended in it, with what it began with, and gave that to it alone."""
    begun = _begun(ledger, into)
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
    """A bank that ended goes on in the one that it names, or will when the join is run again."""
    closed = _closed(ledger, bank, ledger.head(bank).seq)
    if closed is None:
        return
    begun = _begun(ledger, closed.into) if closed.into in ledger.banks() else None
    if begun is None or bank not in [name for name, *_ in begun.heads]:
        yield f"it became part of {closed.into}, which did not begin with it: join the banks again"
