"""How do the simulated devices stay connected? The real device sessions, over simulated wires."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Protocol

from controllers.device import DeviceEvent, DeviceSession, SignSession
from controllers.memory import Memory
from controllers.session import State
from controllers.table import TableSession
from tests.faults.network import Timeline, Weather, Wire

# How long a device waits for a connection that nobody accepts.
REFUSED_S = 0.05

Shown = Callable[[str, dict[str, Any], int], None]


class World(Protocol):
    """What a device knows of everything else."""

    timeline: Timeline
    weather: Weather

    def accept(self, wire: Wire, role: str) -> bool:
        """Hand a new wire to the server; False where none is running."""

    def shown(self, device: str, message: dict[str, Any], last: int) -> None:
        """A device was told meters, after revision `last` on this connection."""

    def heard(self, table: str, command: dict[str, Any], answer: dict[str, Any]) -> None:
        """A table has the answer to a command."""

    def random(self, name: str) -> Random:
        """A stream of randomness of its own, by name."""


class WatchedTable(TableSession):
    """A table's session that lets the world see which meters it is told."""

    def __init__(
        self, device: str, key: bytes, random: Callable[[], float], memory: Memory, seen: Shown
    ) -> None:
        super().__init__(device, key, random, memory)
        self._seen = seen

    def _metered(self, message: dict[str, Any]) -> bool:
        self._seen(self.id, message, self._revisions.get(message["bank"], 0))
        return super()._metered(message)


class WatchedSign(SignSession):
    """A sign's session that lets the world see which meters it is told."""

    def __init__(self, device: str, key: bytes, random: Callable[[], float], seen: Shown) -> None:
        super().__init__(device, key, random)
        self._seen = seen

    def _metered(self, message: dict[str, Any]) -> bool:
        self._seen(self.id, message, self._revisions.get(message["bank"], 0))
        return super()._metered(message)


class Device:
    """A device that connects whenever it is not connected. handle: takes what its session says happened."""

    def __init__(
        self, world: World, session: DeviceSession, handle: Callable[[list[DeviceEvent]], None]
    ) -> None:
        self.world = world
        self.session = session
        self.handle = handle
        self.wire: Wire | None = None
        self.off = False
        self._random = world.random(f"wires of {session.id}")
        self._dialling = 0
        self.dial_later(0.0)

    @property
    def online(self) -> bool:
        return self.session.state in (State.TABLE, State.SIGN)

    def dial_later(self, delay: float) -> None:
        """Connect after a while; only the last such wish counts."""
        self._dialling += 1
        wish = self._dialling
        self.world.timeline.after(delay, lambda: self._dial() if wish == self._dialling else None)

    def _dial(self) -> None:
        if self.wire is not None or self.off:
            return
        now = self.world.timeline.now
        self.session.connected(now)
        wire = Wire(self.world.timeline, self._random, self.world.weather)
        if not self.world.accept(wire, self.session.role):
            self.session.disconnected(now)
            self.dial_later(REFUSED_S + self.session.connect_at - now)
            return
        self.wire = wire
        wire.device.receive, wire.device.ended = self._receive, self.drop

    def _receive(self, data: bytes) -> None:
        self.handle(self.session.receive_bytes(data, self.world.timeline.now))
        self.flush()

    def tick(self) -> None:
        """Time passed."""
        if self.wire is not None:
            self.handle(self.session.tick(self.world.timeline.now))
            self.flush()

    def flush(self) -> None:
        """Send what is to be sent; hang up where the session is over."""
        if self.wire is not None:
            self.wire.device.send(self.session.data_to_send())
            if self.session.finished:
                self.drop()

    def drop(self) -> None:
        """The connection has ended, or is given up here."""
        if self.wire is not None:
            self.wire.device.close()
            self.wire = None
            self.session.disconnected(self.world.timeline.now)
            self.dial_later(self.session.connect_at - self.world.timeline.now)

    def abandon(self) -> None:
        """The device forgets its connection without a word: the server's end stays half-open."""
        if self.wire is not None:
            self.wire.device.forget()
            self.wire.cut(device_told=False, server_told=False)
            self.wire = None
            self.session.disconnected(self.world.timeline.now)
            self.dial_later(0.0)


class Sign(Device):
    """A sign, which only looks."""

    def __init__(self, world: World, name: str, key: bytes) -> None:
        session = WatchedSign(name, key, world.random(name).random, world.shown)
        super().__init__(world, session, lambda _events: None)
