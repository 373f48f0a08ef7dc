"""Suspends the banks of a restored ledger until two people resume them (S9).

Rows since that backup are missing, and only people can confirm that this is known.
"""

from functools import partial
from typing import Final

from jackpot.ledger.journal import Head
from jackpot.ledger.maintenance.offline import command_at, decide
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.store import Store
from jackpot.rules.acts.links import RESTORED, Suspend
from jackpot.rules.signing import SITE

HOLDER: Final = "restore"


async def hold(store: Store, unix_ms: int, holder: str = HOLDER) -> list[Head]:
    """Suspends every bank of links that is still alive, each by an entry of its own: their heads now.

    holder: the new holder of the banks. Suspending a bank twice changes nothing. Raises LedgerError.
    """
    held = []
    for bank in await store.run(Reader.banks):
        if bank == SITE:
            continue
        await store.new_epoch(bank, holder)
        engine, head = await store.run(partial(rebuild, bank=bank))
        engine.new_epoch(0)
        if engine.state.closed_into:
            continue
        suspend = Suspend(RESTORED, (), f"restored at row {head.seq}")
        held.append(await decide(store, engine, head, command_at(unix_ms, suspend)))
    return held
