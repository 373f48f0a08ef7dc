"""Simulated devices: the real device sessions over simulated connections."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final, Protocol

from controllers.client import UNWELCOMED, Client
from controllers.device import (
    ConnectionRefused,
    DeviceEvent,
    DeviceSession,
    PushReceived,
    SignSession,
    WelcomeReceived,
)
from controllers.memory import Memory
from controllers.states import SessionState
from controllers.table import TableSession
from tests.faults.difference import Difference
from tests.faults.dying import Mood
from tests.faults.network import Timeline, Weather, Wire

# How soon a device hears that nobody accepts its connection.
REFUSED_S = 0.05

# What no honest device is ever told, whatever others do.
NEVER: Final = frozenset({"bad_frame", "too_many", "ledger_behind"})

Seen = Callable[[str, dict[str, Any], int], None]


class World(Protocol):
    """Callbacks from a device to the simulation."""

    timeline: Timeline
    weather: Weather

    def servers(self, device: str) -> tuple[str, ...]:
        """The servers of a device's own configuration."""

    def accept(self, wire: Wire, role: str, server: str) -> float | None:
        """Hands a new connection to that server; if refused, returns seconds until the device gives up."""

    def shown(self, device: str, message: dict[str, Any], last: int) -> None:
        """A device was told meters, after revision `last` on this connection."""

    def heard(self, table: str, command: dict[str, Any], answer: dict[str, Any]) -> None:
        """A table has the answer to a command."""

    def told(self, device: str, event: DeviceEvent) -> None:
        """A device was told anything."""

    def random(self, name: str) -> Random:
        """A stream of randomness of its own, by name."""


class WatchedTable(TableSession):
    """A table's session that lets the world see which meters it is told."""

    def __init__(
        self, device: str, key: bytes, random: Callable[[], float], memory: Memory, seen: Seen
    ) -> None:
        super().__init__(device, key, random, memory)
        self._seen = seen

    def _metered(self, message: dict[str, Any]) -> bool:
        self._seen(self.id, message, self._revisions.get(message["bank"], 0))
        return super()._metered(message)


class WatchedSign(SignSession):
    """A sign's session that lets the world see which meters it is told."""

    def __init__(self, device: str, key: bytes, random: Callable[[], float], seen: Seen) -> None:
        super().__init__(device, key, random)
        self._seen = seen

    def _metered(self, message: dict[str, Any]) -> bool:
        self._seen(self.id, message, self._revisions.get(message["bank"], 0))
        return super()._metered(message)


class Device:
    """A device that connects whenever it is not connected. handle: takes what its session says happened.

    The real client decides which server is tried next; only its sockets are replaced.
    """

    def __init__(
        self, world: World, session: DeviceSession, handle: Callable[[list[DeviceEvent]], None]
    ) -> None:
        self.world = world
        self.session = session
        self.handle = handle
        self.protocol: Wire | None = None
        self.off = False
        self.next_mood: Mood | None = None
        self._random = world.random(f"wires of {session.id}")
        self._dialling = 0
        self.dial_later(0.0)

    @property
    def session(self) -> DeviceSession:
        return self._session

    @session.setter
    def session(self, session: DeviceSession) -> None:
        """A device that was just switched on knows the servers of its configuration alone."""
        self._session = session
        self._client = Client(session, self.world.servers(session.id))

    @property
    def online(self) -> bool:
        return self.session.state in (SessionState.TABLE, SessionState.SIGN)

    def dial_later(self, delay: float) -> None:
        """Connect after a while; only the last such wish counts."""
        self._dialling += 1
        wish = self._dialling
        self.world.timeline.after(delay, lambda: self._dial() if wish == self._dialling else None)

    def _dial(self) -> None:
        if self.protocol is not None or self.off:
            return
        wire = Wire(self.world.timeline, self._random, self.world.weather, self.next_mood)
        self.next_mood = None
        gives_up = self.world.accept(wire, self.session.role, self._client._servers[0])
        if gives_up is not None:
            wish = self._dialling
            self.world.timeline.after(gives_up, lambda: self._nobody() if wish == self._dialling else None)
            return
        self.session.connected(self.world.timeline.now)
        self.protocol = wire
        wire.device.receive, wire.device.ended = self._receive, self.drop

    def _nobody(self) -> None:
        self._client._next_server()
        self._away()

    def _away(self) -> None:
        now = self.world.timeline.now
        self.session.disconnected(now)
        self.dial_later(self.session.connect_at - now)

    def _receive(self, data: bytes) -> None:
        self._hear(self.session.receive_bytes(data, self.world.timeline.now))

    def tick(self) -> None:
        """Time passed."""
        if self.protocol is not None:
            self._hear(self.session.tick(self.world.timeline.now))

    def _hear(self, events: list[DeviceEvent]) -> None:
        for event in events:
            if isinstance(event, ConnectionRefused) and event.message["code"] in NEVER:
                raise Difference(f"{self.session.id}, which is honest, is sent away: {event.message}")
            self.world.told(self.session.id, event)
            self._client._act(event)
        self.handle(events)
        self.flush()

    def flush(self) -> None:
        """Send what is to be sent; hang up where the session is over."""
        if self.protocol is not None:
            self.protocol.device.send(self.session.data_to_send())
            if self.session.finished:
                self.drop()

    def drop(self) -> None:
        """The connection has ended, or is given up here."""
        if self.protocol is not None:
            self.protocol.device.close()
            self.protocol = None
            if self.session.state in UNWELCOMED:
                self._client._next_server()
            self._away()

    def abandon(self) -> None:
        """The device forgets its connection without a word: the server's end stays half-open."""
        if self.protocol is not None:
            self.protocol.device.forget()
            self.protocol.cut(device_told=False, server_told=False)
            self.protocol = None
            self.session.disconnected(self.world.timeline.now)
            self.dial_later(0.0)


class Sign(Device):
    """A sign, which only looks. states: of its links, as last told on this connection."""

    def __init__(self, world: World, name: str, key: bytes) -> None:
        self.states: dict[str, str] = {}
        session = WatchedSign(name, key, world.random(name).random, world.shown)
        super().__init__(world, session, self._look)

    def _look(self, events: list[DeviceEvent]) -> None:
        for event in events:
            if isinstance(event, WelcomeReceived):
                self.states.clear()
            elif isinstance(event, PushReceived) and event.message["t"] == "state":
                self.states[event.message["link"]] = event.message["state"]
