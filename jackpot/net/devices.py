"""Connected devices of one role, tables or signs.

`ConnectedDevices` knows all connections of one role: which is a device's newest, which waits for its bank,
which has something to send. The registry says which devices are known at all.
"""

import asyncio
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Final

import structlog

from controllers.hello import AUTH_FAILED
from controllers.pace import Limits
from controllers.session import Greeted, SessionClosed
from jackpot.clock import Clock
from jackpot.net.admission import NO_LISTENER, ConnectionAdmission
from jackpot.net.device_registry import DeviceBank, DeviceRegistry, RegisteredDevice
from jackpot.net.timer_wheel import TimerWheel
from jackpot.rules.acts.devices import BlockDevice, EndKey
from jackpot.rules.codes import Code
from jackpot.runtime.isolate import drop_peer, isolate

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


class ConnectedDevices(ABC):
    """All connections of one role. gone: set while there is none. closed: how many ended, by why.

    server: its name. elsewhere: the other servers' addresses, for devices of a bank that is not written here.
    """

    def __init__(self, server: str, registry: DeviceRegistry, limits: Limits, clock: Clock) -> None:
        self.server = server
        self.registry = registry
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
        self.timer_wheel: TimerWheel[Connection] = TimerWheel()
        self._dirty: set[Connection] = set()
        self._stalled: set[Connection] = set()
        self._waiting: dict[Connection, tuple[Greeted, float]] = {}

    @abstractmethod
    def connection(self, *, certified: bool, admission: ConnectionAdmission = NO_LISTENER) -> "Connection":
        """Makes the connection of a device that just connected. certified: it had to show a certificate."""

    def connected(self, connection: "Connection") -> None:
        """The connection is made."""
        self.connections.add(connection)
        self.timer_wheel.poll_next_tick(connection)
        self.gone.clear()

    def greet(self, connection: "Connection", event: Greeted) -> bool:
        """Lets in the newest connection of a device, and closes its older one; False if it is refused."""
        registry, device = self.registry, self.registry.devices[event.id]
        if not connection.key:
            connection.key = registry.fingerprints(event.id)[event.key_index]
        elif (event.id, connection.key) in registry.ended:  # which was not known here while it waited
            connection.fail("auth_failed", AUTH_FAILED)
            return False
        if event.id in registry.blocked:
            connection.fail("device_conflict", "two devices use this key: an operator must clear it")
            return False
        if not self.accepting:
            self.redirect(connection)
            return False
        if not device.served:
            self._wait(connection, event)
            return False
        for key in registry.end_before(device.id, connection.key):
            device.banks[0].act(EndKey(registry.role, device.id, key), _ignore)
        older = self.current.get(event.id)
        if older is not None:
            self._replace(older, connection, device)
        self.current[event.id] = connection
        connection.protocol.admission.proved()
        return True

    def _wait(self, connection: "Connection", event: Greeted) -> None:
        """Lets a connection wait until its bank acts, here or elsewhere: one for each device and key."""
        same = [one for one, (known, _) in self._waiting.items() if known.id == event.id]
        for other in same:
            if other is not connection and other.key == connection.key:
                self._waiting.pop(other)
                self.redirect(other)
        self._waiting[connection] = event, self.clock.monotonic()
        connection.protocol.admission.proved()

    def _replace(self, older: "Connection", newer: "Connection", device: RegisteredDevice) -> None:
        if older.protocol.alive and self.registry.conflict(device.id, self.clock.monotonic()):
            addresses = [older.protocol.address, newer.protocol.address]
            log.warning(
                "device_conflict_seen", role=self.registry.role, device=device.id, addresses=addresses
            )
            device.banks[0].act(BlockDevice(self.registry.role, device.id), _ignore)
        isolate(older, older.fail, "replaced", "a newer connection of this device took over")

    def leave(self, connection: "Connection") -> None:
        """The connection of a device, let in or not, is over."""
        if (device := connection.device) is None:
            return
        if self.current.get(device.id) is connection:
            del self.current[device.id]
            self._last_heard[device.id] = _unix_s(self.clock, connection.protocol.heard_at)
        connection.over()

    def forget(self, connection: "Connection") -> None:
        """The connection is gone."""
        self.connections.discard(connection)
        self._waiting.pop(connection, None)
        if not self.connections:
            self.gone.set()

    def count_end(self, connection: "Connection", event: SessionClosed) -> None:
        """Counts and logs an end and its reason."""
        key = event.code or "ended"
        self.closed[key] = self.closed.get(key, 0) + 1
        _log_end(connection, event, self.registry)
        self.leave(connection)

    def revoke(self, device: str, key: str) -> None:
        """Revokes the key with that fingerprint, and disconnects a device that uses it."""
        self.registry.ended.add((device, key))
        current = self.current.get(device)
        if current is not None and current.key == key:
            isolate(current, current.fail, "auth_failed", AUTH_FAILED)

    def statistics(self) -> dict[str, Any]:
        """Who is connected, who was last heard when, and how connections ended since the start.

        heard: unix seconds, 0 for a device that has not been here since the start.
        """
        heard = {name: _unix_s(self.clock, one.protocol.heard_at) for name, one in self.current.items()}
        return {
            "role": self.registry.role,
            "connections": len(self.connections),
            "stalled": len(self._stalled),
            "unread_bytes": sum(isolate(one, _unread, one) or 0 for one in tuple(self.connections)),
            "closed": self.closed,
            "devices": [
                {
                    "id": name,
                    "connected": name in self.current,
                    "blocked": name in self.registry.blocked,
                    "heard": heard.get(name, self._last_heard.get(name, 0.0)),
                }
                for name in self.registry.devices
            ],
        }

    def full(self, device: RegisteredDevice | None) -> bool:
        """Whether a device's input is paused: one of its banks can take no more, or this server ends."""
        if device is not None:
            for bank in device.banks:
                if bank.full:
                    return True
        return not self.accepting

    def dirty(self, connection: "Connection") -> None:
        """Marks a connection that has something to send at the next flush."""
        self._dirty.add(connection)

    def stall(self, connection: "Connection") -> None:
        """Pauses a connection's input until its banks have room."""
        self._stalled.add(connection)

    def flush(self) -> None:
        """Sends what gathered, once a commit; resumes reading if there is room again."""
        for connection in [one for one in self._stalled if not self.full(one.device)]:
            self._stalled.discard(connection)
            self._dirty.add(connection)
        dirty, self._dirty = self._dirty, set()
        for connection in dirty:
            try:
                connection.pump()
            except Exception as error:  # noqa: BLE001 - as `isolate`, on the way of every answer
                drop_peer(connection, connection.pump, error)

    def sweep(self) -> None:
        """Lets time pass for connections that are due; about ten times a second."""
        now = self.clock.monotonic()
        for connection in self.timer_wheel.due(now) & self.connections:
            isolate(connection, connection.sweep, now)
            self.timer_wheel.wait(connection, connection.session.next_deadline())
        for connection, (event, since) in tuple(self._waiting.items()):
            coming = self.registry.devices[event.id].coming
            if now - since >= (WAITING_S if coming else LOOK_WITHIN_S):
                self._waiting.pop(connection)
                self.redirect(connection)
        self.flush()

    def active(self, bank: DeviceBank) -> None:
        """The bank may act here now, or elsewhere: waiting devices are let in, wait on, or are redirected."""
        for connection, (event, since) in tuple(self._waiting.items()):
            device = self.registry.devices[event.id]
            if bank in device.banks:
                self._waiting.pop(connection)
                if not device.coming:
                    self.redirect(connection)
                    continue
                isolate(connection, connection.act_on, [event], self.clock.monotonic())
                isolate(connection, connection.pump)
                if connection in self._waiting:
                    self._waiting[connection] = event, since

    def not_active(self, bank: DeviceBank) -> None:
        """The bank does not act, as was just seen: its devices are disconnected, or wait for it here."""
        for connection in tuple(self.current.values()):
            if connection.device is not None and bank in connection.device.banks:
                self.redirect(connection)
        self.active(bank)

    def redirect(self, connection: "Connection") -> None:
        """Redirects a device whose bank does not act here to other servers."""
        reason, servers = "this server is not the active one", list(self.elsewhere)
        isolate(connection, connection.fail, Code.NOT_ACTIVE.value, reason, servers=servers)

    def stop_reading(self) -> None:
        """Stops all input, for a graceful end; answers still leave."""
        self.accepting = False
        for connection in tuple(self.connections):
            isolate(connection, connection.pump)
        waiting, self._waiting = self._waiting, {}
        for connection in waiting:
            self.redirect(connection)


def _log_end(connection: "Connection", event: SessionClosed, registry: DeviceRegistry) -> None:
    """Logs an end: of a device that authenticated, let in or not, or of a stranger, named by its address."""
    claimed, protocol = connection.session.claimed, connection.protocol
    said = {"role": registry.role, "code": event.code, "reason": event.reason}
    level = log.info if event.code in (None, "replaced") else log.warning
    if connection.key:
        level("closed", device=claimed, **said, kind=(registry.role, event.code, claimed))
        return
    kind = registry.role, event.code, claimed if claimed in registry.devices else None
    facts = {"address": protocol.address, "claimed": claimed or None}
    other_name = connection.certified and protocol.common_name != claimed
    if other_name:
        facts["certificate"] = protocol.common_name
    if event.code == "auth_failed":
        why = registry.why_refused(connection.session.claimed_role, claimed)
        facts["why"] = "its certificate is of another id" if other_name and claimed else why
    level("stranger_closed", **facts, **said, kind=kind, source=protocol.admission.address)


def _unix_s(clock: Clock, monotonic: float) -> float:
    """A moment of the monotonic clock as unix seconds, by the clock of now."""
    return clock.unix_ms() / 1000 - (clock.monotonic() - monotonic)


def _unread(connection: "Connection") -> int:
    return connection.protocol.unread


def _ignore(_outcome: Any) -> None:
    """Ignores the answer to the server's own act; its alarm is in the outcome."""
