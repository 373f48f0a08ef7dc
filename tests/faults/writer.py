"""The bank's writer, on a timeline: its own decisions, step by step, so that anything may come between.

Taken over from the real one: what a transaction's end means, how the ledger is looked at again, what may
be tried again. Replaced: its task and its waiting, by a driver that carries a coroutine from pause to pause.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator, Sequence
from typing import Any, Final, Protocol, TypeVar

from jackpot.clock import Clock
from jackpot.ledger.journal import Head, Row, Snapshot
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.store import DataRefused, Ledger, LedgerError
from jackpot.rules.commands import Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.events import Refused
from jackpot.rules.outcome import Outcome
from jackpot.server.board import Board
from jackpot.server.hold import Hold
from jackpot.server.sequencer import Core, Release
from jackpot.server.writer import Writer
from tests.faults.house import BANK

# Seconds that a commit takes, that a look at the ledger takes, and before another try.
COMMIT_S: Final = 0.001
LOOK_S: Final = 0.02
RETRY_S: Final = 0.3
# Often: processes live for some hundred rows, and most starts are to find a snapshot.
SNAPSHOT_EVERY: Final = 60

T = TypeVar("T")
Later = Callable[[float, Callable[[], None]], None]


class Watch(Protocol):
    """Whoever checks what the process does."""

    def asked(self, envelope: Envelope) -> None:
        """A command is submitted."""

    def written(self, rows: Sequence[Row]) -> None:
        """A commit returned: these rows are durable from now on."""

    def released(self, envelope: Envelope, outcome: Outcome) -> None:
        """An answer leaves."""

    def looked(self, ledger: Ledger, engine: Engine, head: Head) -> None:
        """The process has read the ledger and rebuilt its state from it."""

    def durable(self, core: Core) -> None:
        """All answers of a commit have left."""


class Pause:
    """Awaited, it lets its coroutine rest for about so many simulated seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __await__(self) -> Generator[float, None, None]:
        yield self._seconds


def drive(work: Coroutine[Any, Any, T], later: Later, done: Callable[[T], None]) -> None:
    """Carries a coroutine that awaits nothing but pauses to its end, and hands over what it returns.

    What it raises is raised by whichever step it happens in.
    """
    try:
        pause: float = work.send(None)
    except StopIteration as stop:
        done(stop.value)
    else:
        later(pause, lambda: drive(work, later, done))


class SteppedStore:
    """A Ledger as a Store that pauses around its calls. poison: digests that the database will not store."""

    def __init__(self, ledger: Ledger, watch: Watch, poison: set[bytes]) -> None:
        self.created = ledger.created
        self.warnings: list[str] = []
        self.shared = False
        self.recovering = False
        """Recovered, and no transaction has gone through since."""
        self._ledger = ledger
        self._watch = watch
        self._poison = poison

    async def append(self, bank: str, epoch: int, seq_before: int, rows: Sequence[Row]) -> None:
        await Pause(COMMIT_S)
        try:
            if any(row.digest in self._poison and row.kind != Refused.kind for row in rows):
                raise DataRefused("this digest is not to be stored")
            self._ledger.append(bank, epoch, seq_before, rows)
            self.recovering = False
            self._watch.written(rows)
        except LedgerError:
            await Pause(COMMIT_S)
            raise
        await Pause(COMMIT_S)  # until it is heard of

    async def save_snapshot(self, snapshot: Snapshot) -> None:
        self._ledger.save_snapshot(snapshot)

    async def carry_forward(self, bank: str, upto: int) -> None:
        self._ledger.carry_forward(bank, upto)

    async def checkpoint(self) -> None:
        self._ledger.checkpoint()

    async def recover(self) -> None:
        self.recovering = True
        self._ledger.recover()

    async def new_epoch(self, bank: str, holder: str, at_least: int = 0, *, seen: Head | None = None) -> Head:
        await Pause(COMMIT_S)
        return self._ledger.new_epoch(bank, holder, at_least)

    async def run(self, work: Callable[[Ledger], T]) -> T:
        await Pause(LOOK_S)
        return work(self._ledger)

    async def held(self, _bank: str) -> bool:
        return True

    async def beat(self, bank: str, epoch: int) -> None:
        self._ledger.beat(bank, epoch)

    async def release(self, bank: str, epoch: int) -> None:
        self._ledger.release(bank, epoch)

    async def banks(self) -> list[str]:
        return self._ledger.banks()

    async def head(self, bank: str) -> Head:
        return self._ledger.head(bank)

    async def rows(self, bank: str, after: int, limit: int) -> list[Row]:
        return self._ledger.rows(bank, after, limit)

    async def newest_snapshot(self, bank: str, below: int | None = None) -> Snapshot | None:
        return self._ledger.newest_snapshot(bank, below)

    def leave(self) -> None:
        """Nothing hangs here."""

    async def close(self) -> None:
        self._ledger.close()


class SteppedWriter(Writer):
    """The real writer, its task taken apart on the timeline."""

    def __init__(
        self,
        engine: Engine,
        head: Head,
        ledger: Ledger,
        clock: Clock,
        later: Later,
        watch: Watch,
        poison: set[bytes],
    ) -> None:
        def look(ledger: Ledger) -> tuple[Engine, Head]:
            engine, head = rebuild(ledger, BANK)
            watch.looked(ledger, engine, head)
            return engine, head

        self.stepped = SteppedStore(ledger, watch, poison)
        hold = Hold(BANK, head.holder, clock.monotonic(), shared=False, others=False)
        super().__init__(hold, Board(BANK, clock, hold), self.stepped, look, clock)
        hold.take()
        hold.taken(head, clock.monotonic(), clock.monotonic())
        self.begin(engine, head)
        hold.checked()
        self.open()
        self.core._snapshot_every = SNAPSHOT_EVERY
        self.watch = watch
        self._later = later
        self._busy = False

    def submit(self, envelope: Envelope, release: Release) -> None:
        def heard(outcome: Outcome) -> None:
            self.watch.released(envelope, outcome)
            release(outcome)

        self.watch.asked(envelope)
        super().submit(envelope, heard)
        self.step()

    def step(self) -> None:
        """What `_run` does next, unless something is on its way already."""
        if self._busy:
            return
        if self.core.broken:
            self._busy = True
            self._later(LOOK_S, self._try)
            return
        while (batch := self.core.take_batch()) is not None:
            if batch.rows:
                self._busy = True
                drive(self._commit(batch), self._later, self._committed)
                return
            self.core.committed()

    def _committed(self, _nothing: None) -> None:
        self.watch.durable(self.core)
        self._go_on()

    def _try(self) -> None:
        drive(self._looked(), self._later, self._tried)

    def _tried(self, done: bool) -> None:
        if done:
            self._go_on()
        else:
            self._later(RETRY_S, self._try)

    def _go_on(self) -> None:
        self._busy = False
        self.step()
