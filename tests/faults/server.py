"""The server's process, simulated: the real sequencer, writer, board, shells and ledger, on a timeline.

The shells of the devices are asyncio protocols, which are callbacks: a `Pipe` stands in for the transport.
The writer goes from step to step (`writer`), so that a crash may come between any two of them: take a batch,
commit it, hear of it, release; fail, recover, take a new epoch, look, decide again.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any, Final

from controllers.pace import Limits
from jackpot.clock import Clock
from jackpot.ledger.rebuild import check_meters, rebuild
from jackpot.ledger.store import Ledger
from jackpot.rules.commands import Command, Envelope
from jackpot.rules.engine import Engine
from jackpot.server.connection import Connection
from jackpot.server.devices import Device, Devices
from jackpot.server.floor import Floor
from jackpot.server.sequencer import Release
from jackpot.server.signs import Signs
from tests.faults.house import BANK, House
from tests.faults.network import Timeline, Wire
from tests.faults.writer import SteppedWriter, Watch

# Short heartbeats: a half-open connection is noticed after a few seconds of simulated time.
LIMITS: Final = Limits(heartbeat_ms=1_000)


class Pipe(asyncio.Transport):
    """The server's end of a wire, as its protocol sees it. said: takes the bytes that it is to send.

    mood: where it has one it dies at one of these calls, and its protocol hears of that as from a real loop.
    """

    def __init__(
        self,
        timeline: Timeline,
        wire: Wire,
        protocol: Connection,
        alive: Callable[[], bool],
        said: Callable[[bytes], None],
    ) -> None:
        super().__init__()
        self.mood = wire.mood
        self._said = said
        self._lost = False
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
            self._close()

    def _called(self, name: str) -> None:
        """A call; raises what a dead transport raises."""
        mood = self.mood
        if mood is None or not self._alive() or not mood.strikes(name):
            return
        if not mood.dead:
            mood.dead = True
            self._wire.cut(device_told=mood.device_told, server_told=False)
            self._timeline.after(mood.seen_after, self._lose)
        raise mood.error(name)

    def _lose(self) -> None:
        """The loop sees that the connection is over, once."""
        self._closing = True
        if not self._lost and self._alive():
            self._lost = True
            self._protocol.connection_lost(None)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        self._called("get_extra_info")
        return default

    def is_closing(self) -> bool:
        self._called("is_closing")
        return self._closing

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self._called("write")
        if not self._closing and not self._eof and self._alive():
            self._said(bytes(data))
            self._wire.server.send(bytes(data))

    def get_write_buffer_size(self) -> int:
        self._called("get_write_buffer_size")
        return 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Nothing is ever left unread here."""
        self._called("set_write_buffer_limits")

    def can_write_eof(self) -> bool:
        self._called("can_write_eof")
        return True

    def write_eof(self) -> None:
        self._called("write_eof")
        self._eof = True
        self._wire.server.out.finish()

    def close(self) -> None:
        self._called("close")
        self._close()

    def _close(self) -> None:
        if not self._closing:
            self._closing = True
            if not self._eof:
                self._wire.server.close()
            self._timeline.after(0.0, self._lose)

    def abort(self) -> None:
        self._called("abort")
        self._wire.server.out.cut(told=True)
        self._close()

    def pause_reading(self) -> None:
        self._called("pause_reading")
        self._paused = True

    def resume_reading(self) -> None:
        self._called("resume_reading")
        self._paused = False
        self._timeline.after(0.0, self._read)


class Process:
    """A running server. said: gives whoever takes the bytes of a new connection. Raises LedgerError where it
    cannot start.
    """

    def __init__(
        self,
        timeline: Timeline,
        clock: Clock,
        random: Random,
        house: House,
        open_ledger: Callable[[], Ledger],
        watch: Watch,
        poison: set[bytes],
        said: Callable[[], Callable[[bytes], None]],
    ) -> None:
        self.timeline = timeline
        self.said = said
        self.clock = clock
        self.random = random
        self.alive = True
        self.ledger = open_ledger()
        self.ledger.new_epoch(BANK, "simulated")
        engine, head = rebuild(self.ledger, BANK)
        check_meters(self.ledger, BANK, engine)
        engine.new_epoch(int(clock.monotonic() * 1000))
        watch.looked(self.ledger, engine, head)
        self.writer = SteppedWriter(engine, head, self.ledger, clock, self.later, watch, poison)
        self.floor, self.signs = self._devices(house, engine)
        self.writer.on_durable += [self.floor.flush, self.signs.flush]

    def _devices(self, house: House, engine: Engine) -> tuple[Floor, Signs]:
        links = {plan.link: plan.terms() for plan in house.links}
        tables = {plan.table: plan.terms() for plan in house.tables}
        at_tables = {name: Device(name, terms.links, [self.writer]) for name, terms in tables.items()}
        at_signs = {name: Device(name, tuple(links), [self.writer]) for name in ("S1", "S2")}
        floor = Floor("simulated", at_tables, keys, LIMITS, self.clock)
        floor.learn(tables, links)
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
        shell = devices.connection(certified=False)
        Pipe(self.timeline, wire, shell, lambda: self.alive, self.said())

    def tick(self) -> None:
        """A tenth of a second passed."""
        self.writer.board.tick()
        self.floor.sweep()
        self.signs.sweep()
        for devices in (self.floor, self.signs):  # an operator looks
            devices.statistics()


def keys(_role: str, device: str) -> list[bytes]:
    """Every device's key is its name."""
    return [device.encode().ljust(32, b"\1")]
