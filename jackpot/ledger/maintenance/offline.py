"""Decides commands and makes them durable while no server runs."""

import os
from typing import Final

from jackpot.ledger.journal import Head, Row, row_of
from jackpot.ledger.store import LedgerUnusable, Store
from jackpot.program import running
from jackpot.rules.acts.programs import BeginProgram
from jackpot.rules.commands import Command, Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.outcome import Outcome
from jackpot.rules.signing import People


def command_at(unix_ms: int, command: Command, by: People | None = None) -> Envelope:
    """Command of these people, or of nobody, at that time, in the form of the rules."""
    people = by or People()
    return Envelope(command, unix_ms, 0, os.urandom(16), people=people.names, proof=people.proof)


# A request waits in a bank that a server has.
ONE_SIGNED: Final = "it takes two people, and one signed"


async def decide(store: Store, engine: Engine, head: Head, envelope: Envelope) -> Head:
    """Decides one command on a bank that was taken and rebuilt: the bank's new head.

    Raises LedgerUnusable where it is not done: the rules refuse it, which stands in the journal where people
    signed, or one signed for what takes two; and what the ledger raises.
    """
    outcome, head = await execute(store, engine, head, envelope)
    answer = outcome.of_act()
    if not answer.ok or answer.asked:
        raise LedgerUnusable(f"bank {head.bank}: {answer.message or ONE_SIGNED}")
    return head


async def execute(store: Store, engine: Engine, head: Head, envelope: Envelope) -> tuple[Outcome, Head]:
    """Executes one command on a bank that was taken in a new epoch. Returns the outcome and the head.

    The first row of the epoch says which program this is (S3), also where the command is refused.
    """
    rows: list[Row] = []
    if engine.unbegun:
        begin = Envelope(BeginProgram(*running(), "never"), envelope.at, envelope.tick, os.urandom(16))
        _append(rows, head, engine.execute(begin))
    outcome = engine.execute(envelope)
    _append(rows, head, outcome)
    if not rows:
        return outcome, head
    await store.append(head.bank, head.epoch, head.seq, rows)
    return outcome, await store.head(head.bank)


def _append(rows: list[Row], head: Head, outcome: Outcome) -> None:
    """Appends the row of a decision, if it is to be journalled, behind the others or the head."""
    if outcome.entry is not None:
        previous = rows[-1].hash if rows else head.hash
        rows.append(row_of(head.bank, head.epoch, outcome.entry, previous))
