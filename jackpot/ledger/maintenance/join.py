"""Joins banks of a ledger into a new one: each chain ends, and the new chain begins with their heads.

Each step is one transaction, and each can be taken again: after an interruption, run the same command.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

from jackpot.ledger.joined_banks import begun_with
from jackpot.ledger.journal import Head
from jackpot.ledger.maintenance.offline import command_at, decide
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.store import LedgerCorrupt, LedgerError, Store
from jackpot.rules import registry
from jackpot.rules.acts.act import ActContext
from jackpot.rules.acts.banks import (
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
    """Request to join: the new bank, by whom, why, and when (unix milliseconds)."""

    into: str
    by: People
    reason: str
    unix_ms: int


async def join(store: Store, banks: Sequence[str], joining: Joining) -> Head:
    """Ends the banks and begins another with all that they had. Returns the head of the new bank.

    No server may hold any of them. Raises NotJoined where one is not at rest, another LedgerError where it
    cannot be read or written.
    """
    into, unix_ms = joining.into, joining.unix_ms
    if (await store.head(into)).seq:
        return await _joined_already(store, banks, into)
    opened = [await _open(store, bank, into) for bank in banks]
    end = CloseBank(into, joining.reason)
    await store.run(lambda reader: _check(reader, opened, end, joining.by))
    heads = [
        head
        if engine.state.closed_into
        else await decide(store, engine, head, command_at(unix_ms, end, joining.by))
        for engine, head in opened
    ]
    parts = await store.run(lambda reader: tuple(_last(reader, head).handed_on for head in heads))
    begin = BeginBank(tuple((head.bank, head.seq, head.hash) for head in heads), parts)
    return await decide(store, Engine(into), await store.new_epoch(into, HOLDER), command_at(unix_ms, begin))


async def _open(store: Store, bank: str, into: str) -> tuple[Engine, Head]:
    """Takes a bank and checks it whole (S3)."""
    if not (await store.head(bank)).seq:
        raise NotJoined(f"there is no bank {bank} in this ledger")
    await store.new_epoch(bank, HOLDER)
    engine, head = await store.run(partial(rebuild, bank=bank))
    engine.new_epoch(0)
    if engine.state.closed_into not in {"", into}:
        raise NotJoined(f"bank {bank} ended before: it became part of {engine.state.closed_into}")
    return engine, head


def _check(ledger: Reader, opened: Sequence[tuple[Engine, Head]], end: CloseBank, by: People) -> None:
    """Checks all banks before the first one ends, since an end cannot be taken back."""
    try:
        parts = [
            _last(ledger, head).handed_on
            if engine.state.closed_into
            else decide_close_bank(engine.state, end, ActContext(by)).handed_on
            for engine, head in opened
        ]
        decide_begin_bank(Engine(end.into).state, BeginBank((), tuple(parts)), ActContext())
    except Refusal as refusal:
        raise NotJoined(refusal.message) from refusal


def _last(ledger: Reader, head: Head) -> BankClosed:
    (row,) = ledger.rows(head.bank, head.seq - 1, 1)
    event = registry.decode(row.kind, row.version, row.body)
    if not isinstance(event, BankClosed):
        raise LedgerCorrupt(f"{head.bank}: row {row.seq} does not end the bank")
    return event


async def _joined_already(store: Store, banks: Sequence[str], into: str) -> Head:
    begun = await store.run(partial(begun_with, bank=into))
    if begun is None or {name for name, *_ in begun.heads} != set(banks):
        raise NotJoined(f"there is a bank {into} already: give another name")
    return await store.head(into)
