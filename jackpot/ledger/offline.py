"""How is one command decided and made durable where no server runs?"""

import os

from jackpot.ledger.journal import Head, row_of
from jackpot.ledger.store import Ledger, LedgerUnusable
from jackpot.rules.commands import Command, Envelope
from jackpot.rules.engine import Engine


def decide(
    ledger: Ledger, engine: Engine, head: Head, command: Command, people: tuple[str, ...], unix_ms: int
) -> Head:
    """Decides one command on a bank that was taken and rebuilt: the bank's new head.

    Raises LedgerUnusable where the rules refuse it, and what the ledger raises.
    """
    outcome = engine.execute(Envelope(command, unix_ms, 0, os.urandom(16), people=people))
    if outcome.entry is None:
        raise LedgerUnusable(f"bank {head.bank}: {outcome.of_act().message}")
    row = row_of(head.bank, head.epoch, outcome.entry, head.hash)
    ledger.append(head.bank, head.epoch, head.seq, [row])
    return ledger.head(head.bank)
