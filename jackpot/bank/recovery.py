"""How does a bank come to be decided on what its ledger holds? Where it is taken, and after every doubt.

In this order: a new epoch is acknowledged, so that nothing older can be written any more; the books of that
epoch are read; and what this process ever acknowledged must be in them. Of a shared ledger no row is read
that this process holds: where the journal has the last one with its hash, it has all before that.
"""

from collections.abc import Sequence
from typing import Final

import structlog

from jackpot.bank.bank import Desk
from jackpot.ledger.journal import Head, Snapshot
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import rebuild, still_own
from jackpot.ledger.store import LedgerCorrupt, Store
from jackpot.rules.acts.snapshot_seals import SEAL_STEP
from jackpot.rules.engine import Engine

# A start that replays more rows says so. It begins at the older of two seals, and a process that ended
# between a seal and its snapshot leaves as many rows more.
REPLAY_ROWS_MOST: Final = 3 * SEAL_STEP

log: Final = structlog.get_logger()


class Recovery:
    """Reads one bank's ledger for those who decide on it. Every call may raise CommitInDoubt: try again.

    proved: the newest row that a signed head proves, as a start found it: for its first reading alone.
    """

    def __init__(self, desk: Desk, store: Store) -> None:
        self._desk = desk
        self._store = store
        self._clock = desk.clock
        self._unsaved = False
        self.proved: int | None = None

    async def take(self, seen: Head | None = None) -> int:
        """The new epoch, once it is acknowledged. seen: the head that it is taken on, as Store.new_epoch.

        Raises Fenced.
        """
        desk, began = self._desk, self._clock.monotonic()
        head = await self._store.new_epoch(desk.bank, desk.hold.own, seen=seen)
        desk.carry_out(desk.hold.taken(head, began, self._clock.monotonic()))
        return head.epoch

    async def again(self) -> tuple[Engine, Head]:
        """The state as the ledger has it; after a doubt from a fresh connection and in a new epoch.

        Raises Fenced where another writer has the bank by now, LedgerCorrupt as `whole`.
        """
        core, in_doubt = self._desk.core, self._desk.hold.in_doubt
        if in_doubt:
            await self._store.recover()
        engine, head = await self.whole(await self.take() if in_doubt else core.epoch)
        if in_doubt:
            engine.new_epoch(int(self._clock.monotonic() * 1000))
        else:
            engine.go_on(core.engine)
        return engine, head

    async def whole(self, epoch: int, seen: Head | None = None) -> tuple[Engine, Head]:
        """The state in that epoch of ours, with all that this process ever acknowledged (S5), and what it saw
        another server write. seen: where that was seen to stand.

        Raises Fenced where the epoch is another's by now, LedgerCorrupt where the books cannot be believed.
        """
        core = self._desk.core
        last, expected = core.durable_seq, core.durable_hash
        if seen is not None and seen.seq > last:
            last, expected = seen.seq, seen.hash

        def read(ledger: Reader) -> tuple[Engine, Head, bytes | None]:
            return *self._read(ledger), ledger.hash_at(core.bank, last) if last else expected

        engine, head, found = await self._store.run(read)
        still_own(head, epoch)
        if found != expected:
            raise LedgerCorrupt(
                f"{core.bank}: row {last}, which was acknowledged, is not in the ledger, which ends at row "
                f"{head.seq}: the database has lost it (an old copy, a standby that was behind); bring "
                "one back that has it, or start again to go on without"
            )
        self.proved = None  # what comes from here on this process has decided, or seen
        return engine, head

    async def save(self, snapshot: Snapshot) -> None:
        """Saves what a durable row seals."""
        self._unsaved = True
        await self._store.save_snapshot(snapshot)
        self._unsaved = False

    def _read(self, ledger: Reader) -> tuple[Engine, Head]:
        """Compares the schema too, for a trigger can be planted at any time (S3).

        Snapshots that the ledger has lost are saved again on the way, unless the last one could not be.
        """

        def tell(rows: int, why: Sequence[str]) -> None:
            if why or rows > REPLAY_ROWS_MOST:
                log.warning("ledger_replayed", bank=self._desk.bank, rows=rows, reasons=list(why))

        def keep(snapshot: Snapshot) -> None:
            if not self._unsaved:
                self._unsaved = True
                ledger.save_snapshot(snapshot)
                self._unsaved = False

        if problems := ledger.schema().problems:
            raise LedgerCorrupt("; ".join(problems))
        # What a file holds after a doubt, only the file can tell: its disk has failed. A database answers for
        # its own, and whichever of its nodes answers now has the row of that hash, and so all before it.
        held = self._desk.core.held if self._store.shared else None
        return rebuild(ledger, self._desk.bank, tell, keep, self.proved, held)
