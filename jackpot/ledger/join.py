"""How do two banks of a ledger become a third? Each chain ends, and the new one begins with their heads.

Each step is one transaction, and each can be taken again: after an interruption, run the same command.
"""

from collections.abc import Sequence
from typing import Final

from jackpot.ledger.journal import Head, Row
from jackpot.ledger.offline import decide
from jackpot.ledger.rebuild import check_meters, rebuild
from jackpot.ledger.store import Ledger, LedgerCorrupt, Reader
from jackpot.rules import events
from jackpot.rules.commands import BeginBank, CloseBank
from jackpot.rules.engine import Engine
from jackpot.rules.joining import decide_begin_bank, decide_close_bank
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
    check_meters(ledger, bank, engine)
    if engine.state.closed_into not in {"", into}:
        raise NotJoined(f"bank {bank} ended before: it became part of {engine.state.closed_into}")
    return engine, head


def _check(ledger: Reader, opened: Sequence[tuple[Engine, Head]], end: CloseBank, person: str) -> None:
    """Whether all of it is allowed: a bank that has ended does not come back if another does not fit."""
    try:
        parts = [
            _last(ledger, head).handed_on
            if engine.state.closed_into
            else decide_close_bank(engine.state, end, events.People((person,))).handed_on
            for engine, head in opened
        ]
        decide_begin_bank(Engine(end.into).state, BeginBank((), tuple(parts)))
    except Refusal as refusal:
        raise NotJoined(refusal.message) from refusal


def _close(
    ledger: Ledger, engine: Engine, head: Head, into: str, person: str, reason: str, unix_ms: int
) -> Head:
    return decide(ledger, engine, head, CloseBank(into, reason), (person,), unix_ms)


def _last(ledger: Reader, head: Head) -> events.BankClosed:
    (row,) = ledger.rows(head.bank, head.seq - 1, 1)
    event = events.decode(row.kind, row.version, row.body)
    if not isinstance(event, events.BankClosed):
        raise LedgerCorrupt(f"{head.bank}: row {row.seq} does not end the bank")
    return event


def _joined_already(ledger: Reader, banks: Sequence[str], into: str) -> Head:
    (first,) = ledger.rows(into, 0, 1)
    event = events.decode(first.kind, first.version, first.body)
    if not isinstance(event, events.BankBegun) or {name for name, *_ in event.heads} != set(banks):
        raise NotJoined(f"there is a bank {into} already: give another name")
    return ledger.head(into)


def broken_joint(ledger: Reader, first: Row) -> list[str]:
    """What does not fit between a bank that began with others, and their ends; nothing for any other bank."""
    event = events.decode(first.kind, first.version, first.body)
    if not isinstance(event, events.BankBegun):
        return []
    said = []
    for (bank, seq, hash_), part in zip(event.heads, event.parts, strict=True):
        last = ledger.rows(bank, seq - 1, 2)
        if not last or (last[0].seq, last[0].hash) != (seq, hash_):
            said.append(f"{first.bank}: it began with row {seq} of {bank}, which is not in this ledger")
        elif len(last) > 1:
            said.append(f"{first.bank}: it began with row {seq} of {bank}, which goes on after it")
        elif _last(ledger, ledger.head(bank)).handed_on != part:
            said.append(f"{first.bank}: it began with other sums than {bank} handed on")
    return said
