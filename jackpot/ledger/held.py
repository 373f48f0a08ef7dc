"""In-memory copy of a bank for its writer: the newest sealed durable state, and the rows since.

The engine of a writer runs ahead of the ledger, and cannot go back. After a doubt this rebuilds the state
that the ledger holds, without reading a row of it.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from jackpot.ledger.journal import Head, Row, Snapshot
from jackpot.rules.acts.snapshot_seals import SNAPSHOT_FORMAT
from jackpot.rules.engine import Engine

# Some 10,000 rows lie between two seals, of some 400 bytes each. More than this is a flood of the largest
# frames: then nothing is held until the next seal, and a doubt reads the ledger.
HELD_BYTES_MAX: Final = 32 * 1024 * 1024

_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(list[Row]).decode


class PossibleEnd(NamedTuple):
    """A possible end of the ledger: a held row and all before it. batches: from the snapshot to that row."""

    seq: int
    hash: bytes
    snapshot: Snapshot
    batches: tuple[bytes, ...]

    def rows(self) -> Iterator[Row]:
        for batch in self.batches:
            yield from _decode(batch)


class HeldRows:
    """Durable state and rows that one writer holds in memory. engine: the state of its ledger at that head.

    Rows are kept as bytes, to spare the garbage collector each row and posting.
    """

    def __init__(self, engine: Engine, head: Head) -> None:
        self._go_on(engine, head)

    def _go_on(self, engine: Engine, head: Head) -> None:
        self._seq, self._hash = head.seq, head.hash
        self._snapshot: Snapshot | None = Snapshot(
            head.bank, head.seq, head.hash, SNAPSHOT_FORMAT, engine.snapshot()
        )
        self._batches: list[bytes] = []
        self._bytes = 0
        self._doubtful: tuple[Sequence[Row], Snapshot | None] = ((), None)

    def durable(self, rows: Sequence[Row], snapshot: Snapshot | None) -> None:
        """Adds durable rows behind those that are held. snapshot: what the last of them seals."""
        if not rows:
            return
        self._seq, self._hash = rows[-1].seq, rows[-1].hash
        if snapshot is not None:
            self._snapshot, self._batches, self._bytes = snapshot, [], 0
            rows = rows[-1:]
        if self._snapshot is None:
            return
        self._batches.append(_encode(rows))
        self._bytes += len(self._batches[-1])
        if self._bytes > HELD_BYTES_MAX:
            self._snapshot, self._batches, self._bytes = None, [], 0

    def doubted(self, rows: Sequence[Row], snapshot: Snapshot | None) -> None:
        """Adds rows whose commit is in doubt; they would come next. snapshot: as in `durable`."""
        self._doubtful = rows, snapshot

    def places(self) -> Iterator[PossibleEnd]:
        """Places at which the ledger may stand, the furthest first."""
        if self._snapshot is None:
            return
        rows, _ = self._doubtful
        if rows:
            yield PossibleEnd(rows[-1].seq, rows[-1].hash, self._snapshot, (*self._batches, _encode(rows)))
        if self._seq:
            yield PossibleEnd(self._seq, self._hash, self._snapshot, tuple(self._batches))

    def settled(self, engine: Engine, head: Head) -> None:
        """Ends a doubt: the ledger was found to stand there. engine: its state."""
        (rows, snapshot), self._doubtful = self._doubtful, ((), None)
        if rows and (head.seq, head.hash) == (rows[-1].seq, rows[-1].hash):
            self.durable(rows, snapshot)
        elif (head.seq, head.hash) != (self._seq, self._hash):
            self._go_on(engine, head)
