"""Who is connected? What tables and signs share.

`Devices` knows all connections of one role: which is a device's newest, which waits for its bank, which has
something to send. Who is known at all, the register says.
"""

import asyncio
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Final

import structlog

from controllers.hello import AUTH_FAILED
from controllers.pace import Limits
from controllers.session import Closed, Greeted
from jackpot.clock import Clock
from jackpot.net.admission import NO_DOOR, Guest
from jackpot.net.device_registry import Device, DeviceDesk, Register
from jackpot.net.timer_wheel import Wheel
from jackpot.rules.acts.devices import BlockDevice, EndKey
from jackpot.rules.codes import Code
from jackpot.runtime.isolate import alone

# A device whose bank has no server waits for this one so long, then looks at the others: longer than one of
# them takes to take the bank over, and short where it is another that does.
WAITING_S: Final = 5.0
# Where another server was seen to have the bank a device waits so long for a fresh look: a server that has
# just let a bank go sends its devices here before we know.
LOOK_WITHIN_S: Final = 1.0

# Why the server ends a connection; "ended" where the device or the network did, or nothing could be said.
CLOSED_CODES: Final = (
    "auth_failed",
    "bad_frame",
    "device_conflict",
    "ended",
    "ledger_behind",
    "not_active",
    "replaced",
    "too_many",
)

if TYPE_CHECKING:
    from jackpot.net.connection import Connection

log: Final = structlog.get_logger()


class Devices(ABC):
    """All connections of one role. gone: set while there is none. closed: how many ended, by why.

    server: its name. elsewhere: the other servers' addresses, for devices of a bank that is not written here.
    """

    def __init__(self, server: str, register: Register, limits: Limits, clock: Clock) -> None:
        self.server = server
        self.register = register
        self.limits = limits
        self.clock = clock
        self.connections: set[Connection] = set()
        self.current: dict[str, Connection] = {}
        self.elsewhere: tuple[str, ...] = ()
        self.accepting = True
        self.gone = asyncio.Event()
        self.gone.set()
        self.closed = dict.fromkeys(CLOSED_CODES, 0)
        self._last_heard: dict[str, float] = {}
        self.wheel: Wheel[Connection] = Wheel()
        self._dirty: set[Connection] = set()
        self._stalled: set[Connection] = set()
        self._waiting: dict[Connection, tuple[Greeted, float]] = {}

    @abstractmethod
    def connection(self, *, certified: bool, guest: Guest = NO_DOOR) -> "Connection":
        """For a device that just connected. certified: it had to show a certificate."""

    def came(self, connection: "Connection") -> None:
        """The connection is made."""
        self.connections.add(connection)
        self.wheel.hold_back(connection)
        self.gone.clear()

    def greet(self, connection: "Connection", event: Greeted) -> bool:
        """Lets the newest connection of a device in, and closes its older one; False where it may not be."""
        register, device = self.register, self.register.devices[event.id]
        if not connection.key:
            connection.key = register.fingerprints(event.id)[event.key_index]
        elif (event.id, connection.key) in register.ended:  # which was not known here while it waited
            connection.fail("auth_failed", AUTH_FAILED)
            return False
        if event.id in register.blocked:
            connection.fail("device_conflict", "two devices use this key: an operator must clear it")
            return False
        if not self.accepting:
            self.send_on(connection)
            return False
        if not device.served:
            self._wait(connection, event)
            return False
        for key in register.end_before(device.id, connection.key):
            device.desks[0].act(EndKey(register.role, device.id, key), _ignore)
        older = self.current.get(event.id)
        if older is not None:
            self._replace(older, connection, device)
        self.current[event.id] = connection
        connection.wire.guest.proved()
        return True

    def _wait(self, connection: "Connection", event: Greeted) -> None:
        """Lets it wait until its bank acts, here or elsewhere: one connection of each device and key."""
        same = [one for one, (known, _) in self._waiting.items() if known.id == event.id]
        for other in same:
            if other is not connection and other.key == connection.key:
                self._waiting.pop(other)
                self.send_on(other)
        self._waiting[connection] = event, self.clock.monotonic()
        connection.wire.guest.proved()

    def _replace(self, older: "Connection", newer: "Connection", device: Device) -> None:
        if older.wire.alive and self.register.conflict(device.id, self.clock.monotonic()):
            addresses = [older.wire.address, newer.wire.address]
            log.warning("conflict_between", role=self.register.role, device=device.id, addresses=addresses)
            device.desks[0].act(BlockDevice(self.register.role, device.id), _ignore)
        alone(older, older.fail, "replaced", "a newer connection of this device took over")

    def leave(self, connection: "Connection") -> None:
        """The connection is over, of a device that was let in or of a stranger."""
        if (device := connection.device) is None:
            return
        if self.current.get(device.id) is connection:
            del self.current[device.id]
            self._last_heard[device.id] = _unix_s(self.clock, connection.wire.heard_at)
        connection.over()

    def forget(self, connection: "Connection") -> None:
        """The connection is gone."""
        self.connections.discard(connection)
        self._waiting.pop(connection, None)
        if not self.connections:
            self.gone.set()

    def count_end(self, connection: "Connection", event: Closed) -> None:
        """Counts and logs who ended and why."""
        key = event.code or "ended"
        self.closed[key] = self.closed.get(key, 0) + 1
        _log_end(connection, event, self.register)
        self.leave(connection)

    def revoke(self, device: str, key: str) -> None:
        """The key with that fingerprint opens nothing from now on; a device that uses it is sent away."""
        self.register.ended.add((device, key))
        current = self.current.get(device)
        if current is not None and current.key == key:
            alone(current, current.fail, "auth_failed", AUTH_FAILED)

    def statistics(self) -> dict[str, Any]:
        """Who is connected, who was last heard when, and how connections ended since the start.

        heard: unix seconds, 0 for a device that has not been here since the start.
        """
        heard = {name: _unix_s(self.clock, one.wire.heard_at) for name, one in self.current.items()}
        return {
            "role": self.register.role,
            "connections": len(self.connections),
            "stalled": len(self._stalled),
            "unread_bytes": sum(alone(one, _unread, one) or 0 for one in tuple(self.connections)),
            "closed": self.closed,
            "devices": [
                {
                    "id": name,
                    "connected": name in self.current,
                    "blocked": name in self.register.blocked,
                    "heard": heard.get(name, self._last_heard.get(name, 0.0)),
                }
                for name in self.register.devices
            ],
        }

    def full(self, device: Device | None) -> bool:
        """Whether a device is read no further: one of its banks can take no more, or this server ends."""
        return not self.accepting or (device is not None and device.full)

    def dirty(self, connection: "Connection") -> None:
        """Its session has something to send at the next flush."""
        self._dirty.add(connection)

    def stall(self, connection: "Connection") -> None:
        """It is read no further until its banks have room."""
        self._stalled.add(connection)

    def flush(self) -> None:
        """Sends what gathered, once a commit; reads on where there is room again."""
        for connection in [one for one in self._stalled if not self.full(one.device)]:
            self._stalled.discard(connection)
            self._dirty.add(connection)
        dirty, self._dirty = self._dirty, set()
        for connection in dirty:
            alone(connection, connection.pump)

    def sweep(self) -> None:
        """Lets time pass for those whose turn it is; about ten times a second."""
        now = self.clock.monotonic()
        for connection in self.wheel.due(now) & self.connections:
            alone(connection, connection.sweep, now)
            self.wheel.wait(connection, connection.session.next_deadline())
        for connection, (event, since) in tuple(self._waiting.items()):
            coming = self.register.devices[event.id].coming
            if now - since >= (WAITING_S if coming else LOOK_WITHIN_S):
                self._waiting.pop(connection)
                self.send_on(connection)
        self.flush()

    def active(self, desk: DeviceDesk) -> None:
        """The bank may be another here now: devices that wait for it are let in, wait on, or are sent on."""
        for connection, (event, since) in tuple(self._waiting.items()):
            device = self.register.devices[event.id]
            if desk in device.desks:
                self._waiting.pop(connection)
                if not device.coming:
                    self.send_on(connection)
                    continue
                alone(connection, connection.act_on, [event])
                alone(connection, connection.pump)
                if connection in self._waiting:
                    self._waiting[connection] = event, since

    def not_active(self, desk: DeviceDesk) -> None:
        """The bank does not act, as was just seen: its devices are sent away, or wait for it here."""
        for connection in tuple(self.current.values()):
            if connection.device is not None and desk in connection.device.desks:
                self.send_on(connection)
        self.active(desk)

    def send_on(self, connection: "Connection") -> None:
        """Its bank does not act here: it is told where else to look."""
        reason, servers = "this server is not the active one", list(self.elsewhere)
        alone(connection, connection.fail, Code.NOT_ACTIVE.value, reason, servers=servers)

    def read_no_further(self) -> None:
        """Stops all input, for a graceful end; answers still leave."""
        self.accepting = False
        for connection in tuple(self.connections):
            alone(connection, connection.pump)
        waiting, self._waiting = self._waiting, {}
        for connection in waiting:
            self.send_on(connection)


def _log_end(connection: "Connection", event: Closed, register: Register) -> None:
    """Logs who ended: a device that proved its key, let in or not, or a stranger, named by its address."""
    claimed, wire = connection.session.claimed, connection.wire
    said = {"role": register.role, "code": event.code, "reason": event.reason}
    level = log.info if event.code in (None, "replaced") else log.warning
    if connection.key:
        level("closed", device=claimed, **said, kind=(register.role, event.code, claimed))
        return
    kind = register.role, event.code, claimed if claimed in register.devices else None
    facts = {"address": wire.address, "claimed": claimed or None}
    other_name = connection.certified and wire.common_name != claimed
    if other_name:
        facts["certificate"] = wire.common_name
    if event.code == "auth_failed":
        why = register.why_refused(connection.session.claimed_role, claimed)
        facts["why"] = "its certificate is of another id" if other_name and claimed else why
    level("stranger_closed", **facts, **said, kind=kind, source=wire.guest.address)


def _unix_s(clock: Clock, monotonic: float) -> float:
    """The moment of the monotonic clock as unix seconds, by the clock of now."""
    return clock.unix_ms() / 1000 - (clock.monotonic() - monotonic)


def _unread(connection: "Connection") -> int:
    return connection.wire.unread


def _ignore(_outcome: Any) -> None:
    """What the server decides for itself is answered to nobody; its alarm is in the outcome."""
