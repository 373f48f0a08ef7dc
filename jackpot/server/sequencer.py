"""In which order is everything decided, and when may its answer leave? No I/O: a shell moves the batches.

A command is decided when it is submitted, so the engine runs ahead of the disk while one batch is being
flushed and the next one gathers. Nothing decided leaves before the commit that it was decided on:

    submit -> waiting? -> decided -> in flight (take_batch) -> released (committed)

In doubt (`failed`), after refused data (`refused`) and after an engine that broke, every decision that is not
durable is thrown away with its answer; the commands wait in their order of arrival and are decided again by
`rebuilt`, from an engine that holds exactly what the ledger holds. A doubtful batch that the ledger turns out
to hold, whole as any transaction, was durable after all: its answers are released as they were decided.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from jackpot.ledger.journal import Head, Row, Snapshot, row_of
from jackpot.rules.commands import Envelope
from jackpot.rules.engine import SNAPSHOT_FORMAT, Engine
from jackpot.rules.invariant import InvariantError
from jackpot.rules.outcome import Outcome
from jackpot.server.alone import failed

# One batch is one transaction: large enough to share an fsync among a floor, small enough that a batch
# retried one by one, or a flush on a slow disk, stays under a second.
BATCH_COMMANDS_MAX: Final = 256
BATCH_BYTES_MAX: Final = 256 * 1024

# Commands that wait or are decided but not durable. 64 tables at their own limit of 64; beyond it tables
# are read no further, so that memory and the work of deciding again stay bounded.
QUEUE_MAX: Final = 4_096

# Rows between two snapshots: a start then replays a second or so of events.
SNAPSHOT_EVERY: Final = 10_000

# A row's bytes beside its body: columns, hash and one posting a level, roughly.
_ROW_OVERHEAD: Final = 200

Release = Callable[[Any], None]
Question = Callable[[Engine], Any]


class Batch(msgspec.Struct, frozen=True):
    """What one transaction writes. before: the head's seq under it. rows: may be empty, then nothing is
    committed, only released. snapshot: of the state after the last row, to be saved once that is durable.
    """

    epoch: int
    before: int
    rows: list[Row]
    snapshot: Snapshot | None


class Item(msgspec.Struct, eq=False):
    """A submitted command or question, and what was decided of it. state: to be saved once it is durable."""

    work: Envelope | Question
    release: Release
    outcome: Any = None
    poison: str | None = None
    state: bytes | None = None

    def answer(self) -> None:
        """Hands over the answer. Whoever it is for may raise: that ends nobody else's."""
        try:
            self.release(self.outcome)
        except Exception as error:  # noqa: BLE001 - see above
            failed("answer", "release", error)

    def row_bytes(self) -> int:
        """About how much this item adds to a batch; 0 where nothing is journalled."""
        entry = self.entry()
        return 0 if entry is None else len(entry.body) + _ROW_OVERHEAD

    def entry(self) -> Any:
        return self.outcome.entry if isinstance(self.outcome, Outcome) else None


def answer_all(items: Sequence[Item], _seq: int) -> None:
    """Tells nobody but who submitted."""
    for item in items:
        item.answer()


class Core:
    """The one writer of one bank: state, order, and what waits for which commit.

    tell: called with all that became durable together, in its order, and the seq that is durable now; it
    answers each. A question must not raise. A `release` callback may submit again.
    """

    def __init__(
        self,
        engine: Engine,
        head: Head,
        tell: Callable[[Sequence[Item], int], None] = answer_all,
        snapshot_every: int = SNAPSHOT_EVERY,
    ) -> None:
        self.engine = engine
        self.bank = head.bank
        self.epoch = head.epoch
        self.durable_seq = head.seq
        self.durable_hash = head.hash
        self.submitted = 0
        self._tell = tell
        self._snapshot_every = snapshot_every
        self._snapshot_seq = head.seq
        self._waiting: deque[Item] = deque()
        self._decided: deque[Item] = deque()
        self._flight: list[Item] | None = None
        self._doubtful: list[Item] = []
        self._flight_end = (head.seq, head.hash)
        self._deciding = True
        self._releasing = False
        self._one_by_one = 0

    def submit(self, work: Envelope | Question, release: Release) -> None:
        """Decides a command, or reads the state, at its place in the order; in doubt it waits.

        `release` hears the outcome, or the answer, once all that it was decided on is durable (S5).
        """
        self.submitted += isinstance(work, Envelope)
        item = Item(work, release)
        if not self._deciding:
            self._waiting.append(item)
            return
        alone = self._flight is None and not self._decided and not self._releasing
        self._decide(item)
        if alone and self._decided and item.entry() is None:
            self._release([self._decided.popleft()])

    @property
    def depth(self) -> int:
        """How many commands and questions are not released yet."""
        return len(self._waiting) + len(self._decided) + len(self._flight or ()) + len(self._doubtful)

    def statistics(self) -> dict[str, Any]:
        """Where the queue stands: commands and questions by what they wait for, and its limit."""
        return {
            "submitted": self.submitted,
            "durable_seq": self.durable_seq,
            "epoch": self.epoch,
            "queue_limit": QUEUE_MAX,
            "queue": {
                "waiting": len(self._waiting),
                "decided": len(self._decided),
                "committing": len(self._flight or ()),
                "doubtful": len(self._doubtful),
            },
        }

    @property
    def full(self) -> bool:
        """Whether tables are to be read no further."""
        return self.depth >= QUEUE_MAX

    @property
    def broken(self) -> bool:
        """Whether nothing is decided until `rebuilt`, and nothing is being flushed that would prevent it."""
        return not self._deciding and self._flight is None

    def take_batch(self) -> Batch | None:
        """The next batch, hashes chained; None where nothing is decided or one is in flight already."""
        if self._flight is not None or not self._decided:
            return None
        before, previous = self.durable_seq, self.durable_hash
        self._flight = self._next_items()
        rows = []
        for item in self._flight:
            if (entry := item.entry()) is not None:
                rows.append(row_of(self.bank, self.epoch, entry, previous))
                previous = rows[-1].hash
        self._flight_end = (before + len(rows), previous)
        state = self._flight[-1].state
        snapshot = None if state is None else self._snapshot_of(state, *self._flight_end)
        return Batch(self.epoch, before, rows, snapshot)

    def committed(self) -> None:
        """The batch in flight is durable: its answers leave in order, then everybody who looks is told."""
        items, self._flight = self._flight or [], None
        self.durable_seq, self.durable_hash = self._flight_end
        if self._one_by_one and any(item.entry() is not None for item in items):
            self._one_by_one -= 1
        self._release(items)

    def failed(self) -> None:
        """The commit ended in doubt: nothing more is decided until the ledger has been looked at."""
        self._doubtful += self._flight or []
        self._flight = None
        self._discard_decided()

    def refused(self) -> None:
        """The database refused this batch's data and wrote nothing: its commands go one by one from now on.

        A command refused alone is the culprit, and is decided again as `internal`. Raises InvariantError if
        even that is refused: then no row can be written.
        """
        items = [item for item in self._flight or () if item.entry() is not None]
        if len(items) == 1:
            if items[0].poison is not None:
                raise InvariantError(f"the ledger refused the refusal of: {items[0].poison}")
            items[0].poison = "the ledger refused this command's data"
        self._one_by_one = max(self._one_by_one, len(items))
        flight, self._flight = self._flight or [], None
        self._discard_decided()
        self._wait_again(flight)

    def rebuilt(self, engine: Engine, head: Head) -> None:
        """Decides every waiting command again, in order of arrival, on an engine that equals the ledger.

        Raises InvariantError where engine and head do not agree, or a culprit cannot even be refused.
        """
        if engine.seq != head.seq:
            raise InvariantError(f"the engine stands at {engine.seq}, the ledger at {head.seq}")
        doubtful, self._doubtful = self._doubtful, []
        survived = (head.seq, head.hash) == self._flight_end
        self.engine, self.epoch = engine, head.epoch
        self.durable_seq, self.durable_hash = head.seq, head.hash
        self._snapshot_seq = min(self._snapshot_seq, head.seq)
        if survived:
            self._release(doubtful)
        else:
            self._wait_again(doubtful)
        self._deciding = True
        again, self._waiting = self._waiting, deque()
        while again and self._deciding:
            self._decide(again.popleft())
        self._waiting.extend(again)

    def count_from(self, seq: int) -> None:
        """The newest snapshot is of that row: the next one is due counted from there, not from a start."""
        self._snapshot_seq = seq

    def snapshot(self) -> Snapshot | None:
        """The state as it is durable now; None while anything is decided and not durable."""
        if not self._deciding or self._flight or self._decided or self.engine.seq != self.durable_seq:
            return None
        return self._snapshot_of(self.engine.snapshot(), self.durable_seq, self.durable_hash)

    def _decide(self, item: Item) -> None:
        work = item.work
        try:
            if not isinstance(work, Envelope):
                item.outcome = work(self.engine)
            elif item.poison is not None:
                item.outcome = self.engine.execute_as_internal(work, item.poison)
            else:
                item.outcome = self.engine.execute(work)
        except Exception as error:  # the engine is broken, whatever it was: only a rebuild helps
            if item.poison is not None:
                raise InvariantError(f"not even a refusal can be applied: {error}") from error
            item.poison = f"{type(error).__name__}: {error}"
            self._waiting.appendleft(item)
            self._discard_decided()
            return
        if item.entry() is not None and self.engine.seq - self._snapshot_seq >= self._snapshot_every:
            item.state, self._snapshot_seq = self.engine.snapshot(), self.engine.seq
        self._decided.append(item)

    def _next_items(self) -> list[Item]:
        """The oldest decided items that fit one batch; a snapshot, or a retry one by one, ends it sooner."""
        items: list[Item] = []
        size = 0
        while self._decided and len(items) < BATCH_COMMANDS_MAX:
            item = self._decided[0]
            if items and size + item.row_bytes() > BATCH_BYTES_MAX:
                break
            size += item.row_bytes()
            items.append(self._decided.popleft())
            if item.state is not None or (self._one_by_one and item.entry() is not None):
                break
        return items

    def _release(self, items: Sequence[Item]) -> None:
        self._releasing = True
        self._tell(items, self.durable_seq)
        self._releasing = False

    def _discard_decided(self) -> None:
        self._deciding = False
        self._wait_again(list(self._decided))
        self._decided.clear()

    def _wait_again(self, items: Sequence[Item]) -> None:
        for item in items:
            item.outcome = item.state = None
        self._waiting.extendleft(reversed(items))

    def _snapshot_of(self, state: bytes, seq: int, row_hash: bytes) -> Snapshot:
        return Snapshot(self.bank, seq, row_hash, SNAPSHOT_FORMAT, state)
