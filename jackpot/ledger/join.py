"""How do two banks of a ledger become a third? Each chain ends, and the new one begins with their heads.

Each step is one transaction, and each can be taken again: after an interruption, run the same command.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

import msgspec

from jackpot.ledger.journal import Head
from jackpot.ledger.offline import command_at, decide
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.store import LedgerCorrupt, LedgerError, Store
from jackpot.rules import kinds
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
from jackpot.rules.signing import People

HOLDER: Final = "join"


class NotJoined(LedgerError):
    """The banks are not joined; its text says what to do first."""


class Joining(NamedTuple):
    """Which bank begins, who joins, why, and when (unix milliseconds)."""

    into: str
    person: str
    reason: str
    unix_ms: int


async def join(store: Store, banks: Sequence[str], joining: Joining) -> Head:
    """Ends the banks and begins another with all that they had. Returns the head of that one.

    No server may hold any of them. Raises NotJoined where one is not at rest, another LedgerError where it
    cannot be read or written.
    """
    into, unix_ms = joining.into, joining.unix_ms
    if (await store.head(into)).seq:
        return await _joined_already(store, banks, into)
    opened = [await _open(store, bank, into) for bank in banks]
    end = CloseBank(into, joining.reason)
    await store.run(lambda reader: _check(reader, opened, end, joining.person))
    heads = [
        head
        if engine.state.closed_into
        else await decide(store, engine, head, command_at(unix_ms, end, joining.person))
        for engine, head in opened
    ]
    parts = await store.run(lambda reader: tuple(_last(reader, head).handed_on for head in heads))
    begin = BeginBank(tuple((head.bank, head.seq, head.hash) for head in heads), parts)
    return await decide(store, Engine(into), await store.new_epoch(into, HOLDER), command_at(unix_ms, begin))


async def _open(store: Store, bank: str, into: str) -> tuple[Engine, Head]:
    """A bank, taken and checked whole (S3)."""
    if not (await store.head(bank)).seq:
        raise NotJoined(f"there is no bank {bank} in this ledger")
    await store.new_epoch(bank, HOLDER)
    engine, head = await store.run(partial(rebuild, bank=bank))
    engine.new_epoch(0)
    if engine.state.closed_into not in {"", into}:
        raise NotJoined(f"bank {bank} ended before: it became part of {engine.state.closed_into}")
    return engine, head


def _check(ledger: Reader, opened: Sequence[tuple[Engine, Head]], end: CloseBank, person: str) -> None:
    """Whether all of it is allowed: a bank that has ended does not come back if another does not fit."""
    try:
        parts = [
            _last(ledger, head).handed_on
            if engine.state.closed_into
            else decide_close_bank(engine.state, end, By(People((person,)))).handed_on
            for engine, head in opened
        ]
        decide_begin_bank(Engine(end.into).state, BeginBank((), tuple(parts)), By())
    except Refusal as refusal:
        raise NotJoined(refusal.message) from refusal


def _last(ledger: Reader, head: Head) -> BankClosed:
    (row,) = ledger.rows(head.bank, head.seq - 1, 1)
    event = kinds.decode(row.kind, row.version, row.body)
    if not isinstance(event, BankClosed):
        raise LedgerCorrupt(f"{head.bank}: row {row.seq} does not end the bank")
    return event


async def _joined_already(store: Store, banks: Sequence[str], into: str) -> Head:
    begun = await store.run(partial(_begun, bank=into))
    if begun is None or {name for name, *_ in begun.heads} != set(banks):
        raise NotJoined(f"there is a bank {into} already: give another name")
    return await store.head(into)


def broken_joint(ledger: Reader, bank: str) -> list[str]:
    """What does not fit where the bank began with the ends of others, or became part of one."""
    return [*broken_beginning(ledger, bank), *_told(ledger, bank, _broken_end)]


def broken_beginning(ledger: Reader, bank: str) -> list[str]:
    """What does not fit where the bank began with the ends of others; a few rows are read for it."""
    return _told(ledger, bank, _broken_beginning)


def _told(ledger: Reader, bank: str, look: Callable[[Reader, str], Iterator[str]]) -> list[str]:
    try:
        said = list(look(ledger, bank))
    except (kinds.UnknownEventError, msgspec.MsgspecError) as error:
        said = [f"a row of a bank that it is joined with cannot be read: {error}"]
    return [f"{bank}: {one}" for one in said]


def and_its_parts(ledger: Reader, bank: str) -> list[str]:
    """The bank, and all banks that became part of it, of those, and so on."""
    found = [bank]
    for one in found:
        begun = _begun(ledger, one)
        found += [name for name, *_ in begun.heads if name not in found] if begun is not None else []
    return found


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
