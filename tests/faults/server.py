"""The server's process, simulated: the real sequencer, board, shells and ledger, moved by a timeline.

The shells of the devices are asyncio protocols, which are callbacks: a `Pipe` stands in for the transport.
The writer's task is taken apart into its steps, so that a crash may come between any two of them: take a
batch, commit it on the disk, hear of it, release; fail, recover, take a new epoch, look, decide again.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any, Final, Protocol

from controllers.pace import Limits
from jackpot.clock import Clock
from jackpot.ledger.journal import Head, Row
from jackpot.ledger.rebuild import check_meters, rebuild
from jackpot.ledger.sqlite import SqliteLedger
from jackpot.ledger.store import CommitInDoubt, DataRefused, Threaded
from jackpot.rules.commands import Command, Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.events import Refused
from jackpot.rules.outcome import Outcome
from jackpot.server.board import Board
from jackpot.server.devices import Connection, Device, Devices
from jackpot.server.floor import Floor
from jackpot.server.sequencer import Batch, Core, Release
from jackpot.server.signs import Signs
from jackpot.server.writer import Writer, face
from tests.faults.house import BANK, House
from tests.faults.network import Timeline, Wire

# Seconds that a commit takes, that a look at the ledger takes, and before another try.
COMMIT_S: Final = 0.001
LOOK_S: Final = 0.02
RETRY_S: Final = 0.3
# Short heartbeats: a half-open connection is noticed after a few seconds of simulated time.
LIMITS: Final = Limits(heartbeat_ms=1_000)
# Often: processes live for some hundred rows, and most starts are to find a snapshot.
SNAPSHOT_EVERY: Final = 60


class Watch(Protocol):
    """Whoever checks what the process does."""

    def asked(self, envelope: Envelope) -> None:
        """A command is submitted."""

    def written(self, rows: list[Row]) -> None:
        """A commit returned: these rows are durable from now on."""

    def released(self, envelope: Envelope, outcome: Outcome) -> None:
        """An answer leaves."""

    def looked(self, ledger: SqliteLedger, engine: Engine, head: Head) -> None:
        """The process has read the ledger and rebuilt its state from it."""

    def durable(self, core: Core) -> None:
        """All answers of a commit have left."""


class Pipe(asyncio.Transport):
    """The server's end of a wire, as its protocol sees it."""

    def __init__(
        self, timeline: Timeline, wire: Wire, protocol: Connection, alive: Callable[[], bool]
    ) -> None:
        super().__init__()
        self._timeline = timeline
        self._wire = wire
        self._protocol = protocol
        self._alive = alive
        self._closing = self._eof = False
        self._paused = False
        self._unread: deque[Callable[[], object]] = deque()
        wire.server.receive = lambda data: self._arrived(partial(protocol.data_received, data))
        wire.server.ended = lambda: self._arrived(self._ended)
        protocol.connection_made(self)

    def _arrived(self, event: Callable[[], object]) -> None:
        self._unread.append(event)
        self._read()

    def _read(self) -> None:
        while self._unread and not self._paused and not self._closing and self._alive():
            self._unread.popleft()()

    def _ended(self) -> None:
        if not self._protocol.eof_received():
            self.close()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default

    def is_closing(self) -> bool:
        return self._closing

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if not self._closing and not self._eof and self._alive():
            self._wire.server.send(bytes(data))

    def get_write_buffer_size(self) -> int:
        return 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Nothing is ever left unread here."""

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self._eof = True
        self._wire.server.out.finish()

    def close(self) -> None:
        if not self._closing:
            self._closing = True
            if not self._eof:
                self._wire.server.close()
            self._timeline.after(0.0, lambda: self._protocol.connection_lost(None) if self._alive() else None)

    def abort(self) -> None:
        self._wire.server.out.cut(told=True)
        self.close()

    def pause_reading(self) -> None:
        self._paused = True

    def resume_reading(self) -> None:
        self._paused = False
        self._timeline.after(0.0, self._read)


class SteppedWriter(Writer):
    """The real writer, its task taken apart on the timeline. poison: what the database will not store."""

    def __init__(
        self,
        engine: Engine,
        head: Head,
        ledger: SqliteLedger,
        clock: Clock,
        later: Callable[[float, Callable[[], None]], None],
        watch: Watch,
        poison: set[bytes],
    ) -> None:
        super().__init__(
            engine, head, Threaded(ledger), lambda _: rebuild(ledger, BANK), Board(BANK, clock), clock
        )
        self.core._snapshot_every = SNAPSHOT_EVERY
        self.ledger = ledger
        self.watch = watch
        self.poison = poison
        self._later = later
        self._busy = False
        self.sound = True
        """The last transaction went through: what a failed one before it has left behind is gone."""
        self.recovering = False

    def submit(self, envelope: Envelope, release: Release) -> None:
        def heard(outcome: Outcome) -> None:
            self.watch.released(envelope, outcome)
            release(outcome)

        self.watch.asked(envelope)
        super().submit(envelope, heard)
        self.step()

    def step(self) -> None:
        """What `run` does next, unless something is on its way already."""
        if self._busy:
            return
        if self.core.broken:
            self._busy = True
            self._later(LOOK_S, self._recover)
            return
        while (batch := self.core.take_batch()) is not None:
            if batch.rows:
                self._busy = True
                self._later(COMMIT_S, partial(self._commit, batch))
                return
            self.core.committed()

    def _commit(self, batch: Batch) -> None:
        """The transaction; how it ended is heard of a little later."""
        end: Callable[[], None]
        try:
            self._append(batch)
            self.sound, self.recovering = True, False
            self.watch.written(batch.rows)
            end = partial(self._committed, batch)
        except DataRefused:
            end = self.core.refused
        except CommitInDoubt as error:
            end = partial(self._doubt, error)
        self._later(COMMIT_S, partial(self._ended, end))

    def _append(self, batch: Batch) -> None:
        if any(row.digest in self.poison and row.kind != Refused.kind for row in batch.rows):
            raise DataRefused("this digest is not to be stored")
        self.ledger.append(BANK, batch.epoch, batch.before, batch.rows)

    def _doubt(self, error: CommitInDoubt) -> None:
        self.sound = False
        super()._doubt(error)

    def _ended(self, end: Callable[[], None]) -> None:
        self._busy = False
        end()
        self.step()

    def _committed(self, batch: Batch) -> None:
        self.board.trust()
        self.core.committed()
        self.watch.durable(self.core)
        try:
            if batch.snapshot is not None:
                self.ledger.save_snapshot(batch.snapshot)
            self.ledger.checkpoint()
        except CommitInDoubt as error:
            self._doubt(error)

    def _recover(self) -> None:
        """What `_look` does."""
        try:
            if self._doubtful:
                self.recovering = True
                self.ledger.recover()
                self.ledger.new_epoch(BANK, self._holder)
                self._doubtful = False
        except CommitInDoubt:
            self._later(RETRY_S, self._recover)
            return
        self._later(LOOK_S, self._rebuild_and_go_on)

    def _rebuild_and_go_on(self) -> None:
        engine, head = rebuild(self.ledger, BANK)
        engine.new_epoch()
        self.watch.looked(self.ledger, engine, head)
        self._busy = False
        self.board.reset(*face(engine))
        self.core.rebuilt(engine, head)
        self.board.trust()
        self._flush()
        self.step()


class Process:
    """A running server. Raises LedgerError where it cannot start."""

    def __init__(
        self,
        timeline: Timeline,
        clock: Clock,
        random: Random,
        house: House,
        open_ledger: Callable[[], SqliteLedger],
        watch: Watch,
        poison: set[bytes],
    ) -> None:
        self.timeline = timeline
        self.clock = clock
        self.random = random
        self.alive = True
        self.ledger = open_ledger()
        self.ledger.new_epoch(BANK, "simulated")
        engine, head = rebuild(self.ledger, BANK)
        check_meters(self.ledger, BANK, engine)
        engine.new_epoch()
        watch.looked(self.ledger, engine, head)
        self.writer = SteppedWriter(engine, head, self.ledger, clock, self.later, watch, poison)
        self.floor, self.signs = self._devices(house, engine)
        self.writer.on_durable += [self.floor.flush, self.signs.flush]

    def _devices(self, house: House, engine: Engine) -> tuple[Floor, Signs]:
        links = {plan.link: plan.terms() for plan in house.links}
        tables = {plan.table: plan.terms() for plan in house.tables}
        at_tables = {name: Device(name, terms.links, [self.writer]) for name, terms in tables.items()}
        at_signs = {name: Device(name, tuple(links), [self.writer]) for name in ("S1", "S2")}
        floor = Floor("simulated", at_tables, keys, LIMITS, self.clock, tables, links)
        signs = Signs("sign", "simulated", at_signs, keys, LIMITS, self.clock)
        for devices in (floor, signs):
            devices.blocked = {name for role, name in engine.state.blocked if role == devices.role}
        return floor, signs

    def later(self, delay: float, action: Callable[[], None]) -> None:
        """Do it after about that time, if the process is still alive then."""
        wait = delay * 2 * self.random.random()
        self.timeline.after(wait, lambda: action() if self.alive else None)

    def submit(self, command: Command, people: tuple[str, ...], digest: bytes, release: Release) -> None:
        """What comes over the admin socket."""
        tick = int(self.clock.monotonic() * 1000)
        envelope = Envelope(command, self.clock.unix_ms(), tick, digest, people=people)
        self.writer.submit(envelope, release)

    def accept(self, wire: Wire, role: str) -> None:
        devices: Devices = self.floor if role == "table" else self.signs
        Pipe(self.timeline, wire, devices.connection(certified=False), lambda: self.alive)  # type: ignore[attr-defined]

    def tick(self) -> None:
        """A tenth of a second passed."""
        self.writer.board.tick()
        self.floor.sweep()
        self.signs.sweep()


def keys(_role: str, device: str) -> list[bytes]:
    """Every device's key is its name."""
    return [device.encode().ljust(32, b"\1")]
