"""How is one command decided and made durable where no server runs?"""

import os

from jackpot.ledger.journal import Head, row_of
from jackpot.ledger.store import LedgerUnusable, Store
from jackpot.rules.commands import Command, Envelope
from jackpot.rules.engine import Engine


def command_at(unix_ms: int, command: Command, *people: str) -> Envelope:
    """The command as the rules take it: of these people, at that time."""
    return Envelope(command, unix_ms, 0, os.urandom(16), people=people)


async def decide(store: Store, engine: Engine, head: Head, envelope: Envelope) -> Head:
    """Decides one command on a bank that was taken and rebuilt: the bank's new head.

    Raises LedgerUnusable where the rules refuse it, and what the ledger raises.
    """
    outcome = engine.execute(envelope)
    if outcome.entry is None:
        raise LedgerUnusable(f"bank {head.bank}: {outcome.of_act().message}")
    row = row_of(head.bank, head.epoch, outcome.entry, head.hash)
    await store.append(head.bank, head.epoch, head.seq, [row])
    return await store.head(head.bank)
