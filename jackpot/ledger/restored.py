"""What happens to a ledger that came back from a backup? Its banks wait for two people (S9).

What the tables did since that backup is missing, and only people can say that this is known.
"""

from typing import Final

from jackpot.ledger.journal import Head
from jackpot.ledger.offline import decide
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.store import Ledger
from jackpot.rules.acts.links import RESTORED, Suspend

HOLDER: Final = "restore"


def hold(ledger: Ledger, unix_ms: int, holder: str = HOLDER) -> list[Head]:
    """Suspends every bank that is still alive, each by an entry of its own: their heads now.

    holder: the new holder of the banks. Suspending a bank twice changes nothing. Raises LedgerError.
    """
    held = []
    for bank in ledger.banks():
        ledger.new_epoch(bank, holder)
        engine, head = rebuild(ledger, bank)
        if engine.state.closed_into:
            continue
        note = f"restored at row {head.seq}"
        held.append(decide(ledger, engine, head, Suspend(RESTORED, (), note), (), unix_ms))
    return held
