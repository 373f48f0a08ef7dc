"""Recovers a bank from its ledger: when it is taken, and after every commit in doubt.

In this order: a new epoch is acknowledged, so that nothing older can be written any more; the ledger is read
in that epoch; and what this process ever acknowledged must be in them. Of a shared ledger no row is read that
this process holds: where the journal has the last one with its hash, it has all before that.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import structlog

from jackpot.ledger.journal import Head, Snapshot
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import rebuild, still_own
from jackpot.ledger.store import LedgerCorrupt, Store
from jackpot.ledger.trigger_rows import stored
from jackpot.rules.acts.snapshot_seals import SEAL_STEP
from jackpot.rules.engine import Engine
from jackpot.rules.rounds import mystery

if TYPE_CHECKING:
    from jackpot.bank.bank import Bank

# A start that replays more rows says so. It begins at the older of two seals, and a process that ended
# between a seal and its snapshot leaves as many rows more.
REPLAY_ROWS_MAX: Final = 3 * SEAL_STEP

log: Final = structlog.get_logger()


class Recovery:
    """Takes and reads the ledger of one bank. Every call may raise CommitInDoubt: try again.

    proved: the newest row that a signed head proves, as a start found it; used by the first reading only.
    """

    def __init__(self, bank: "Bank", store: Store) -> None:
        self._bank = bank
        self._store = store
        self._clock = bank.clock
        self._unsaved = False
        self.proved: int | None = None

    async def take(self, seen: Head | None = None) -> int:
        """The new epoch, once it is acknowledged. seen: the head that it is taken on, as Store.new_epoch.

        Raises Fenced.
        """
        bank, began = self._bank, self._clock.monotonic()
        head = await self._store.new_epoch(bank.name, bank.lifecycle.own, expected=seen)
        bank.perform(bank.lifecycle.taken(head, began, self._clock.monotonic()))
        return head.epoch

    async def again(self) -> tuple[Engine, Head]:
        """State as the ledger has it; after a doubt from a fresh connection and in a new epoch.

        Raises Fenced where another writer has the bank by now, LedgerCorrupt as `whole`.
        """
        sequencer, in_doubt = self._bank.sequencer, self._bank.lifecycle.in_doubt
        if in_doubt:
            await self._store.recover()
        engine, head = await self.whole(await self.take() if in_doubt else sequencer.epoch)
        if in_doubt:
            engine.new_epoch(int(self._clock.monotonic() * 1000))
        else:
            engine.go_on(sequencer.engine)
        return engine, head

    async def whole(self, epoch: int, seen: Head | None = None) -> tuple[Engine, Head]:
        """State in this server's epoch, checked to hold every row that this process acknowledged or saw (S5).

        seen: the furthest head of another server that was seen.

        Raises Fenced where the epoch is another's by now, LedgerCorrupt where the ledger cannot be trusted.
        """
        sequencer = self._bank.sequencer
        last, expected = sequencer.durable_seq, sequencer.durable_hash
        if seen is not None and seen.seq > last:
            last, expected = seen.seq, seen.hash

        def read(ledger: Reader) -> tuple[Engine, Head, bytes | None]:
            engine, head = self._read(ledger)
            found = ledger.hash_at(sequencer.bank, last) if last else expected
            if head.epoch == epoch:  # nobody else changes them now
                levels = mystery.last_commitments(engine.state)
                self._bank.triggers.load(stored(ledger) if levels else (), levels)
            return engine, head, found

        engine, head, found = await self._store.run(read)
        still_own(head, epoch)
        if found != expected:
            raise LedgerCorrupt(
                f"{sequencer.bank}: row {last}, which was acknowledged, is not in the ledger, which ends at "
                f"row {head.seq}: the database has lost it (an old copy, a standby that was behind); bring "
                "one back that has it, or start again to go on without"
            )
        self.proved = None  # what comes from here on this process has decided, or seen
        return engine, head

    async def save(self, snapshot: Snapshot) -> None:
        """Saves the snapshot that a durable row seals."""
        self._unsaved = True
        await self._store.save_snapshot(snapshot)
        self._unsaved = False

    def _read(self, ledger: Reader) -> tuple[Engine, Head]:
        """Compares the schema too, for a trigger can be planted at any time (S3).

        Snapshots that the ledger has lost are saved again, unless the last one could not be.
        """

        def tell(rows: int, why: Sequence[str]) -> None:
            if why or rows > REPLAY_ROWS_MAX:
                log.warning("ledger_replayed", bank=self._bank.name, rows=rows, reasons=list(why))

        def keep(snapshot: Snapshot) -> None:
            if not self._unsaved:
                self._unsaved = True
                ledger.save_snapshot(snapshot)
                self._unsaved = False

        if refusal := ledger.schema().refusal:
            raise LedgerCorrupt(refusal)
        # What a file holds after a doubt, only the file can tell: its disk has failed. A database answers for
        # its own, and whichever of its nodes answers now has the row of that hash, and so all before it.
        held = self._bank.sequencer.held if self._store.shared else None
        return rebuild(ledger, self._bank.name, tell, keep, self.proved, held)
