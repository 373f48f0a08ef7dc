"""Orders the commands of a bank and releases each answer after its commit. No I/O: a shell moves the batches.

A command is decided when it is submitted, so the engine runs ahead of the disk while one batch is being
flushed and the next one gathers. Nothing decided leaves before the commit that it was decided on:

    submit -> waiting? -> decided -> in flight (take_batch) -> released (committed)

In doubt (`failed`), after refused data (`refused`) and after an engine that broke, every decision that is not
durable is thrown away with its answer; the commands wait in their order of arrival and are decided again by
`rebuilt`, from an engine that holds exactly what the ledger holds. A doubtful batch that the ledger turns out
to hold, whole as any transaction, was durable after all: its answers are released as they were decided.
"""

import os
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import msgspec

from controllers.messages import Lock, Wager
from jackpot.bank.draws import Drawn, RepeatedChance, SecureChance, draws_at
from jackpot.bank.running_triggers import RunningTriggers
from jackpot.ledger.held import HeldRows
from jackpot.ledger.journal import Head, Row, Snapshot, row_of
from jackpot.ledger.trigger_rows import SealedTrigger, TriggerChanges
from jackpot.rules.acts.snapshot_seals import SEAL_STEP, SNAPSHOT_FORMAT, SnapshotSeal, digest_of
from jackpot.rules.acts.triggers import RenewTriggers, due
from jackpot.rules.chance import Chance
from jackpot.rules.commands import DIGEST_BYTES, Envelope, RawDraws
from jackpot.rules.engine import Engine
from jackpot.rules.invariant import InvariantError
from jackpot.rules.outcome import DecidedEntry, Outcome
from jackpot.rules.rounds import mystery
from jackpot.runtime.isolate import failed

# One batch is one transaction: large enough to share an fsync among a floor, small enough that a batch
# retried one by one, or a flush on a slow disk, stays under a second.
BATCH_COMMANDS_MAX: Final = 256
BATCH_BYTES_MAX: Final = 256 * 1024

# The frames that may lock a round, and take numbers by chance with them.
LOCKS: Final = (Wager, Lock)

# A row's bytes besides its body: columns, hash and one posting a level, roughly.
_ROW_OVERHEAD: Final = 200

Release = Callable[[Any], None]
Question = Callable[[Engine], Any]
Draws = Callable[[Engine, str], dict[str, RawDraws]]
"""What chance says at a lock of that table, by link."""


class CommandBatch(msgspec.Struct, frozen=True):
    """Rows of one transaction. before: the head's seq under it. rows: may be empty, then nothing is
    committed, only released. snapshot: what the last row seals, to be saved once that is durable.
    """

    epoch: int
    before: int
    rows: list[Row]
    snapshot: Snapshot | None


class QueuedCommand(msgspec.Struct, eq=False):
    """A submitted command or query, with its decision.

    entry: its journal entry, if any. state: what it seals, if it is a snapshot seal. drawn: kept in case
    it is decided again. triggers: what its row keeps and opens of mystery levels. own:
    it followed from the one before it, and is made again.
    """

    work: Envelope | Question
    release: Release
    outcome: Any = None
    entry: DecidedEntry | None = None
    poison: str | None = None
    state: bytes | None = None
    drawn: Drawn = {}
    triggers: TriggerChanges | None = None
    own: bool = False


def _release_nobody(_outcome: Outcome) -> None:
    """Null callback for entries that the writer makes itself."""


def _own(envelope: Envelope) -> QueuedCommand:
    return QueuedCommand(envelope, _release_nobody)


def _tell_nobody(_items: Sequence[QueuedCommand], _seq: int) -> None:
    """Null callback of a sequencer without watchers."""


class Sequencer:
    """The one writer of one bank: state, order, and what waits for which commit.

    tell: called with all that became durable together and was answered, in its order, and the seq that is
    durable now. draws, chance: a simulation's, in place of the secure ones. A query must not raise. A
    `release` callback may submit again. held: what is durable, as the ledger has it. depth: how many
    commands, queries and seals are not released yet.
    """

    def __init__(
        self,
        engine: Engine,
        head: Head,
        tell: Callable[[Sequence[QueuedCommand], int], None] = _tell_nobody,
        snapshot_every: int = SEAL_STEP,
        draws: Draws | None = None,
        chance: Chance | None = None,
        triggers: RunningTriggers | None = None,
    ) -> None:
        self.engine = engine
        self._chance = engine.chance = RepeatedChance(chance or SecureChance())
        self._triggers = engine.triggers = triggers or RunningTriggers(head.bank, None)
        self.bank = head.bank
        self.epoch = head.epoch
        self.durable_seq = head.seq
        self.durable_hash = head.hash
        self.held = HeldRows(engine, head)
        self.submitted = 0
        self.depth = 0
        self._tell = tell
        self._snapshot_every = snapshot_every
        self._draws = draws or partial(draws_at, below=self._chance.below)
        self._waiting: deque[QueuedCommand] = deque()
        self._decided: deque[QueuedCommand] = deque()
        self._flight: list[QueuedCommand] | None = None
        self._written: tuple[Sequence[Row], Snapshot | None] = ((), None)
        self._doubtful: list[QueuedCommand] = []
        self._flight_end = (head.seq, head.hash)
        self._first: QueuedCommand | None = None
        self._deciding = True
        self._releasing = False
        self._one_by_one = 0
        # Of the newest entry that was decided, in unix milliseconds: what follows from it has the same time.
        self._at = 0

    def begin(self, first: Envelope) -> None:
        """Decides what is the first row of the epoch: the journal's own, which nobody waits for (S3)."""
        self._first = _own(first)
        self.depth += 1
        self._decide(self._first)

    def submit(self, work: Envelope | Question, release: Release) -> None:
        """Decides a command, or reads the state, at its place in the order; in doubt it waits.

        `release` gets the outcome, or the answer, once all that it was decided on is durable (S5).
        """
        self.submitted += isinstance(work, Envelope)
        self.depth += 1
        item = QueuedCommand(work, release)
        if not self._deciding:
            self._waiting.append(item)
            return
        self._decide(item)
        if item.entry is None and len(self._decided) == 1 and self._flight is None and not self._releasing:
            self._release([self._decided.popleft()])  # it was decided on nothing that waits for a commit

    def statistics(self) -> dict[str, Any]:
        """Queue statistics: commands and queries by what they wait for."""
        return {
            "submitted": self.submitted,
            "durable_seq": self.durable_seq,
            "epoch": self.epoch,
            "queue": {
                "waiting": len(self._waiting),
                "decided": len(self._decided),
                "committing": len(self._flight or ()),
                "doubtful": len(self._doubtful),
            },
        }

    @property
    def broken(self) -> bool:
        """Whether nothing is decided until `rebuilt`, and nothing is being flushed that would prevent it."""
        return not self._deciding and self._flight is None

    def take_batch(self) -> CommandBatch | None:
        """The next batch, hashes chained; None where nothing is decided or one is in flight already."""
        if self._flight is not None or not self._decided:
            return None
        before, previous = self.durable_seq, self.durable_hash
        self._flight = self._next_items()
        rows = []
        for item in self._flight:
            if (entry := item.entry) is not None:
                row = row_of(self.bank, self.epoch, entry, previous, item.triggers)
                rows.append(row)
                previous = row.hash
        self._flight_end = (before + len(rows), previous)
        sealed = self._flight[-1].state
        snapshot = None if sealed is None else self._snapshot_of(sealed, rows)
        self._written = rows, snapshot
        return CommandBatch(self.epoch, before, rows, snapshot)

    def committed(self) -> None:
        """The batch in flight is durable: releases its answers in order, then calls `tell` for the
        watchers.
        """
        items, self._flight = self._flight or [], None
        self.durable_seq, self.durable_hash = self._flight_end
        self.held.durable(*self._written)
        if self._one_by_one and any(item.entry is not None for item in items):
            self._one_by_one -= 1
        self._release(items)

    def failed(self) -> None:
        """The commit ended in doubt: nothing more is decided until the ledger has been looked at."""
        if self._flight is not None:
            self._doubtful += self._flight
            self.held.doubted(*self._written)
        self._flight = None
        self._discard_decided()

    def refused(self) -> None:
        """The database refused this batch's data and wrote nothing: its commands go one by one from now on.

        A command refused on its own is the cause, and is decided again as `internal`. Raises InvariantError
        if even that is refused, a seal, or the first row of the epoch: then no row can be written.
        """
        items = [item for item in self._flight or () if item.entry is not None]
        if len(items) == 1:
            if items[0].state is not None:
                raise InvariantError("the ledger refused a seal")
            if items[0].own:
                raise InvariantError("the ledger refused new commitments of mystery levels")
            if items[0] is self._first:
                raise InvariantError("the ledger refused the row that says which program this is")
            if items[0].poison is not None:
                raise InvariantError(f"the ledger refused the refusal of: {items[0].poison}")
            items[0].poison = "the ledger refused this command's data"
        self._one_by_one = max(self._one_by_one, len(items))
        flight, self._flight = self._flight or [], None
        self._discard_decided()
        self._wait_again(flight)

    def kept_in_doubt(self, head: Head) -> list[SealedTrigger]:
        """The triggers that a doubtful batch keeps, where the ledger turns out to hold it."""
        if not self._survived(head):
            return []
        changes = (item.triggers for item in self._doubtful)
        return [one for change in changes if change is not None for one in change.kept]

    def _survived(self, head: Head) -> bool:
        return (head.seq, head.hash) == self._flight_end

    def rebuilt(self, engine: Engine, head: Head, first: Envelope | None = None) -> None:
        """Decides every waiting command again, in order of arrival, on an engine that equals the ledger.

        first: as in `begin`, where the epoch is a new one. That of the epoch before is not asked again.
        Raises InvariantError where engine and head do not agree, or the refusal of a faulty command cannot be
        written either.
        """
        if engine.seq != head.seq:
            raise InvariantError(f"the engine stands at {engine.seq}, the ledger at {head.seq}")
        doubtful, self._doubtful = self._doubtful, []
        survived = self._survived(head)
        self.engine, self.epoch = engine, head.epoch
        engine.chance, engine.triggers = self._chance, self._triggers
        self.durable_seq, self.durable_hash = head.seq, head.hash
        self.held.settled(engine, head)
        if survived:
            self._release(doubtful)
        else:
            self._wait_again(doubtful)
        self._deciding = True
        again, self._waiting = self._waiting, deque()
        if first is not None:
            again = deque(item for item in again if item is not self._first)
            self._first = _own(first)
            again.appendleft(self._first)
        self.depth = len(again)
        if first is None and (renewal := self._renewal(self._at)) is not None:
            self._decided.append(renewal)
            self.depth += 1
        while again and self._deciding:
            self._decide(again.popleft())
        self._waiting.extend(again)

    def _decide(self, item: QueuedCommand) -> None:
        work, renewal, seal = item.work, None, None
        try:
            self._triggers.begin()
            if not isinstance(work, Envelope):
                item.outcome = work(self.engine)
            else:
                self._chance.begin(item.drawn)
                if isinstance(work.command, LOCKS) and (draws := self._draws(self.engine, work.table or "")):
                    work = msgspec.structs.replace(work, draws=draws)
                if item.poison is None:
                    item.outcome = outcome = self.engine.execute(work)
                else:
                    item.outcome = outcome = self.engine.execute_as_internal(work, item.poison)
                item.entry = entry = outcome.entry
                item.triggers = self._triggers.taken()
                self._at = self._at if entry is None else entry.at
                if entry is not None and entry.table is None:
                    renewal = self._renewal(entry.at)
                if entry is not None and self.engine.unsealed >= self._snapshot_every:
                    seal = self._seal(entry.at)
        except Exception as error:  # the engine is broken, whatever it was: only a rebuild helps
            if item.poison is not None:
                raise InvariantError(f"not even a refusal can be applied: {error}") from error
            item.poison = f"{type(error).__name__}: {error}"
            self._waiting.appendleft(item)
            self._discard_decided()
            return
        self._decided.append(item)
        if renewal is not None:
            self._decided.append(renewal)
            self.depth += 1
        if seal is not None:
            self._decided.append(seal)
            self.depth += 1

    def _renewal(self, at: int) -> QueuedCommand | None:
        """The commitments that are due after an act, before anything else is decided (Y8, Y11, Y12)."""
        state = self.engine.state
        if not any(
            link.closed
            or not self._triggers.why_not(
                mystery.commitment_id(state, link, level, state.bank, 0, 0),
                people=mystery.cycle_of(level).replace,
            )
            for link, level in due(state)
        ):
            return None
        self._triggers.begin()
        digest = os.urandom(DIGEST_BYTES)
        envelope = Envelope(RenewTriggers(), at=at, tick=0, digest=digest)
        renewed = self.engine.execute(envelope)
        if renewed.entry is None:
            raise InvariantError(f"commitments that are due are not made: {renewed.answer}")
        return QueuedCommand(
            envelope, _release_nobody, renewed, renewed.entry, triggers=self._triggers.taken(), own=True
        )

    def _seal(self, at: int) -> QueuedCommand:
        """The snapshot seal that is due with an entry; no caller waits for it."""
        state = self.engine.snapshot()
        digest = digest_of(state)[:DIGEST_BYTES]  # no request's, which would be taken for asked again
        envelope = Envelope(SnapshotSeal(), at=at, tick=0, digest=digest)
        sealed = self.engine.execute(envelope)
        seal = QueuedCommand(envelope, _release_nobody, sealed, sealed.entry, state=state)
        if seal.entry is None:
            raise InvariantError(f"the state is not sealed: {seal.outcome.answer}")
        return seal

    def _next_items(self) -> list[QueuedCommand]:
        """The oldest decided items that fit one batch; a seal, or a retry one by one, ends it sooner."""
        items: list[QueuedCommand] = []
        size, decided, one_by_one = 0, self._decided, self._one_by_one
        while decided and len(items) < BATCH_COMMANDS_MAX:
            item = decided[0]
            if (entry := item.entry) is not None:
                size += len(entry.body) + _ROW_OVERHEAD
                if items and size > BATCH_BYTES_MAX:
                    break
            items.append(decided.popleft())
            if item.state is not None or (one_by_one and entry is not None):
                break
        return items

    def _release(self, items: Sequence[QueuedCommand]) -> None:
        """Releases answers, then calls `tell`. A receiver that raises keeps no other answer back."""
        self.depth -= len(items)
        self._releasing = True
        for item in items:
            try:
                item.release(item.outcome)
            except Exception as error:  # noqa: BLE001 - see above
                failed("answer", "release", error)
        self._tell(items, self.durable_seq)
        self._releasing = False

    def _discard_decided(self) -> None:
        self._deciding = False
        self._wait_again(list(self._decided))
        self._decided.clear()

    def _wait_again(self, items: Sequence[QueuedCommand]) -> None:
        """Puts items back in the queue, except seals: the next one is due with the first entry."""
        waiting = [item for item in items if item.state is None and not item.own]
        self.depth -= len(items) - len(waiting)
        for item in waiting:
            item.outcome = item.entry = item.triggers = None
        self._waiting.extendleft(reversed(waiting))

    def _snapshot_of(self, state: bytes, rows: Sequence[Row]) -> Snapshot:
        """The snapshot that the last of these rows seals."""
        row_hash = rows[-2].hash if len(rows) > 1 else self.durable_hash
        return Snapshot(self.bank, rows[-1].seq - 1, row_hash, SNAPSHOT_FORMAT, state)
