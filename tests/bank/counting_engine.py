"""Toy engine for tests of the sequencer: it counts commands, and breaks on demand."""

import json
from collections.abc import Sequence
from typing import Any

from jackpot.bank.sequencer import QueuedCommand, Sequencer
from jackpot.ledger.journal import Head, Row, genesis
from jackpot.rules.acts.snapshot_seals import SnapshotSeal
from jackpot.rules.commands import Envelope
from jackpot.rules.outcome import ActAnswer, DecidedEntry, Outcome
from jackpot.rules.state import BankState
from tests.frames import Close

BANK = "main"
POISON_ENGINE = "break"
POISON_LEDGER = "refuse"
QUIET = "quiet"
SEAL = "seal"


class Adder:
    """Counts commands; its answer names how many were decided before, so wrong order and lost state show.

    A round called `break` raises in the engine, `refuse` is refused by the ledger, `quiet` journals nothing.
    """

    def __init__(self, names: list[str] | None = None) -> None:
        self.names = names or []
        self.seq = len(self.names)
        self.state = BankState("main")

    @property
    def unsealed(self) -> int:
        return [*self.names[::-1], SEAL].index(SEAL)

    def execute(self, envelope: Envelope) -> Outcome:
        if isinstance(envelope.command, SnapshotSeal):
            return self._journal(SEAL, envelope)
        name = envelope.command.round  # type: ignore[union-attr]
        if name == QUIET:
            return Outcome(None, self._said(name))
        if name == POISON_ENGINE:
            self.names.append("half applied")
            raise RuntimeError("the engine broke")
        return self._journal(name, envelope)

    def execute_as_internal(self, envelope: Envelope, message: str) -> Outcome:
        return self._journal(f"internal {envelope.command.round}", envelope)  # type: ignore[union-attr]

    def _journal(self, name: str, envelope: Envelope) -> Outcome:
        self.names.append(name)
        self.seq += 1
        body = name.encode()
        entry = DecidedEntry(self.seq, envelope.at, 1, 1, None, None, None, envelope.digest, body, ())
        return Outcome(entry, self._said(name))

    def _said(self, name: str) -> ActAnswer:
        return ActAnswer(ok=True, request=name, hits=tuple(self.names))

    def new_epoch(self, tick: int) -> None:
        pass

    def go_on(self, before: object) -> None:
        pass

    def snapshot(self) -> bytes:
        return json.dumps(self.names).encode()


class ToyLedger:
    """The rows that are durable, and an engine built from them."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.epoch = 1

    def head(self) -> Head:
        last = self.rows[-1].hash if self.rows else genesis(BANK)
        return Head(BANK, self.epoch, len(self.rows), last, "test", 0)

    def engine(self) -> Any:
        return Adder([row.body.decode() for row in self.rows])

    def append(self, before: int, rows: list[Row]) -> None:
        assert before == len(self.rows)
        self.rows.extend(rows)


def named(name: str, at: int = 0) -> Envelope:
    return Envelope(Close(round=name), at=at, tick=0, digest=name.encode().ljust(16)[:16])


class Bench:
    """A Sequencer over a toy ledger, and everything it released, in order."""

    def __init__(self, snapshot_every: int = 10_000) -> None:
        self.ledger = ToyLedger()
        self.released: list[tuple[str, list[str]]] = []
        self.told: list[tuple[int, int]] = []
        self.sequencer = Sequencer(self.ledger.engine(), self.ledger.head(), self._tell, snapshot_every)

    def _tell(self, items: Sequence[QueuedCommand], seq: int) -> None:
        if commands := sum(isinstance(item.outcome, Outcome) for item in items):
            self.told.append((commands, seq))

    def submit(self, name: str) -> None:
        self.sequencer.submit(named(name), self.release)

    def release(self, outcome: Outcome) -> None:
        names = [row.body.decode() for row in self.ledger.rows]
        answer = outcome.of_act()
        seen = list(answer.hits)
        assert names[: len(seen)] == seen, "an answer left before what it was decided on was durable"
        self.released.append((answer.request, seen))

    def flush(self) -> int:
        """Takes and commits batches until nothing is left."""
        batches = 0
        while True:
            while self.sequencer.broken:
                self.sequencer.rebuilt(self.ledger.engine(), self.ledger.head())
            batch = self.sequencer.take_batch()
            if batch is None:
                return batches
            self.commit(batch)
            batches += 1

    def commit(self, batch: Any) -> None:
        if any(row.body == POISON_LEDGER.encode() for row in batch.rows):
            self.sequencer.refused()
            return
        self.ledger.append(batch.before, batch.rows)
        self.sequencer.committed()
