"""Who is connected? What tables and signs share.

`Devices` knows all connections of one role: which is a device's newest, whose keys ended, who is blocked.
"""

import asyncio
import hashlib
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

from controllers.pace import Limits
from controllers.session import AUTH_FAILED, Greeted
from jackpot.clock import Clock
from jackpot.rules.acts.devices import BlockDevice, EndKey
from jackpot.rules.codes import Code
from jackpot.rules.commands import Command
from jackpot.server.alone import alone
from jackpot.server.board import Board
from jackpot.server.guests import NO_DOOR, Guest
from jackpot.server.life import Service

# WIRE: three replacements in a minute mean two devices with one key.
CONFLICT_REPLACEMENTS: Final = 3
CONFLICT_WITHIN_S: Final = 60.0
# A device whose bank has no server waits for this one so long, then looks at the others: longer than one of
# them takes to take the bank over, and short where it is another that does.
WAITING_S: Final = 5.0
# Where another server was seen to have the bank a device waits so long for a fresh look: whoever has just let
# a bank go sends its devices here before we know.
LOOK_WITHIN_S: Final = 1.0
# Enough of a key's hash to tell keys apart in a journal, and nothing of the key itself.
FINGERPRINT_DIGITS: Final = 16

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
    from jackpot.server.connection import Connection


class Bank(Protocol):
    """What a device needs of a bank: one that is written here, or one that is only shown here."""

    @property
    def bank(self) -> str: ...
    @property
    def board(self) -> Board: ...
    @property
    def service(self) -> Service:
        """Whether it serves devices here, may soon, or does so elsewhere."""

    @property
    def full(self) -> bool:
        """Whether it can take no more commands."""

    def act(self, command: Command, release: Callable[[Any], None]) -> None:
        """What the server itself decides about a device that is let in."""


class Device:
    """A configured device: its links, and the banks that they lie in; a table's lie in one."""

    __slots__ = ("banks", "id", "links")

    def __init__(self, device: str, links: Sequence[str], banks: Sequence[Bank]) -> None:
        self.id = device
        self.links = frozenset(links)
        self.banks = tuple(banks)


def fingerprint(key: bytes) -> str:
    """What a journal and an operator may know of a key."""
    return hashlib.sha256(key).hexdigest()[:FINGERPRINT_DIGITS]


class Devices(ABC):
    """All connections of one role ("table" or "sign"). gone: set while there is none.

    elsewhere: the other servers' addresses, for devices of a bank that is not written here.
    """

    def __init__(
        self,
        role: str,
        server: str,
        devices: Mapping[str, Device],
        keys: Callable[[str, str], Sequence[bytes]],
        limits: Limits,
        clock: Clock,
    ) -> None:
        self.role = role
        self.server = server
        self.devices = devices
        self.limits = limits
        self.clock = clock
        self.connections: set[Connection] = set()
        self.current: dict[str, Connection] = {}
        self.blocked: set[str] = set()
        self.ended: set[tuple[str, str]] = set()
        self.elsewhere: tuple[str, ...] = ()
        self.accepting = True
        self.gone = asyncio.Event()
        self.gone.set()
        self.closed = dict.fromkeys(CLOSED_CODES, 0)
        self._last_heard: dict[str, float] = {}
        self._keys = keys
        self._replaced: dict[str, deque[float]] = {}
        self._dirty: set[Connection] = set()
        self._stalled: set[Connection] = set()
        self._waiting: dict[Connection, tuple[Greeted, float]] = {}

    def keys(self, role: str, device: str) -> Sequence[bytes]:
        """The keys that a device may greet with here; none for the other role, or an unknown device."""
        if role != self.role or device not in self.devices:
            return ()
        keys = self._keys(role, device)
        return [key for key in keys if (device, fingerprint(key)) not in self.ended]

    def greet(self, connection: "Connection", event: Greeted) -> bool:
        """Lets the newest connection of a device in, and closes its older one; False where it may not be."""
        device = self.devices[event.id]
        if not connection.key:
            connection.key = fingerprint(self.keys(self.role, event.id)[event.key_index])
        elif (event.id, connection.key) in self.ended:  # which was not known here while it waited
            connection.fail("auth_failed", AUTH_FAILED)
            return False
        if event.id in self.blocked:
            connection.fail("device_conflict", "two devices use this key: an operator must clear it")
            return False
        if any(bank.service is not Service.HERE for bank in device.banks) or not self.accepting:
            if self.accepting:
                self._wait(connection, event)
            else:
                self.send_on(connection)
            return False
        self._end_keys(device, connection.key)
        older = self.current.get(event.id)
        if older is not None:
            self._replace(older, device)
        self.current[event.id] = connection
        connection.guest.proved()
        return True

    def _wait(self, connection: "Connection", event: Greeted) -> None:
        """Until its bank acts here, or is seen to act elsewhere; of one device's key one connection does."""
        same = [one for one, (known, _) in self._waiting.items() if known.id == event.id]
        for other in same:
            if other is not connection and other.key == connection.key:
                self._waiting.pop(other)
                self.send_on(other)
        self._waiting[connection] = event, self.clock.monotonic()
        connection.guest.proved()

    @abstractmethod
    def connection(self, *, certified: bool, guest: Guest = NO_DOOR) -> "Connection":
        """A shell for a device that just connected. certified: it had to show a certificate."""

    def leave(self, connection: "Connection") -> None:
        """The connection of a device that was let in is over."""
        if connection.device is not None and self.current.get(connection.device.id) is connection:
            del self.current[connection.device.id]
            self._last_heard[connection.device.id] = self._unix_s(connection.heard_at)

    def forget(self, connection: "Connection") -> None:
        """The connection is gone."""
        self.connections.discard(connection)
        self._waiting.pop(connection, None)
        if not self.connections:
            self.gone.set()

    def revoke(self, device: str, key: str) -> None:
        """The key with that fingerprint opens nothing from now on; who came in with it is sent away."""
        self.ended.add((device, key))
        current = self.current.get(device)
        if current is not None and current.key == key:
            alone(current, current.fail, "auth_failed", AUTH_FAILED)

    def statistics(self) -> dict[str, Any]:
        """Who is connected, who was last heard when, and how connections ended since the start.

        heard: unix seconds, 0 for a device that has not been here since the start.
        """
        heard = {name: self._unix_s(one.heard_at) for name, one in self.current.items()}
        return {
            "role": self.role,
            "connections": len(self.connections),
            "stalled": len(self._stalled),
            "unread_bytes": sum(alone(one, one.unread_bytes) or 0 for one in tuple(self.connections)),
            "closed": self.closed,
            "devices": [
                {
                    "id": name,
                    "connected": name in self.current,
                    "blocked": name in self.blocked,
                    "heard": heard.get(name, self._last_heard.get(name, 0.0)),
                }
                for name in self.devices
            ],
        }

    def _unix_s(self, monotonic: float) -> float:
        """The moment of the monotonic clock as unix seconds, by the clock of now."""
        return self.clock.unix_ms() / 1000 - (self.clock.monotonic() - monotonic)

    def dirty(self, connection: "Connection") -> None:
        """Its session has something to send at the next flush."""
        self._dirty.add(connection)

    def stall(self, connection: "Connection") -> None:
        """It is read no further until the queue has room."""
        self._stalled.add(connection)

    def flush(self) -> None:
        """Sends what gathered, once a commit; reads on where there is room again."""
        for connection in [one for one in self._stalled if not one.queue_full]:
            self._stalled.discard(connection)
            self._dirty.add(connection)
        dirty, self._dirty = self._dirty, set()
        for connection in dirty:
            alone(connection, connection.pump)

    def sweep(self) -> None:
        """Lets time pass for every connection; about ten times a second."""
        now = self.clock.monotonic()
        for connection in tuple(self.connections):
            alone(connection, connection.sweep, now)
        for connection, (event, since) in tuple(self._waiting.items()):
            if now - since >= (WAITING_S if self._coming(event) else LOOK_WITHIN_S):
                self._waiting.pop(connection)
                self.send_on(connection)
        self.flush()

    def active(self, bank: Bank) -> None:
        """The bank acts from now on: those who waited for it are let in."""
        self._greet_again(bank)

    def not_active(self, bank: Bank) -> None:
        """The bank does not act, as was just seen: its devices are sent away, or wait for it here."""
        for connection in tuple(self.current.values()):
            if connection.device is not None and bank in connection.device.banks:
                self.send_on(connection)
        self._greet_again(bank)

    def _greet_again(self, bank: Bank) -> None:
        for connection, (event, since) in tuple(self._waiting.items()):
            if bank in self.devices[event.id].banks:
                self._waiting.pop(connection)
                if not self._coming(event):
                    self.send_on(connection)
                    continue
                alone(connection, connection.greeted_again, event)
                if connection in self._waiting:
                    self._waiting[connection] = event, since

    def _coming(self, event: Greeted) -> bool:
        """Whether all its banks are here, or may soon be."""
        return all(bank.service is not Service.ELSEWHERE for bank in self.devices[event.id].banks)

    def send_on(self, connection: "Connection") -> None:
        """Its bank does not act here: it is told where else to look."""
        reason, servers = "this server is not the active one", list(self.elsewhere)
        alone(connection, connection.fail, Code.NOT_ACTIVE.value, reason, servers=servers)

    def read_no_further(self) -> None:
        """Stops all input, for a graceful end; answers still leave."""
        self.accepting = False
        for connection in self.connections:
            alone(connection, connection.stop_reading)
        waiting, self._waiting = self._waiting, {}
        for connection in waiting:
            self.send_on(connection)

    def close_all(self) -> None:
        """Closes what is left, once everything was sent."""
        self.flush()
        for connection in tuple(self.connections):
            alone(connection, connection.close)

    def abort_all(self) -> None:
        """Cuts what did not close."""
        for connection in tuple(self.connections):
            alone(connection, connection.break_off)

    def _replace(self, older: "Connection", device: Device) -> None:
        if older.alive:
            now = self.clock.monotonic()
            times = self._replaced.setdefault(device.id, deque())
            times.append(now)
            while times[0] <= now - CONFLICT_WITHIN_S:
                times.popleft()
            if len(times) >= CONFLICT_REPLACEMENTS:
                times.clear()
                self.blocked.add(device.id)
                device.banks[0].act(BlockDevice(self.role, device.id), _ignore)
        alone(older, older.fail, "replaced", "a newer connection of this device took over")

    def _end_keys(self, device: Device, used: str) -> None:
        """Those before the one that the device uses now."""
        for key in map(fingerprint, self.keys(self.role, device.id)):
            if key == used:
                return
            self.ended.add((device.id, key))
            device.banks[0].act(EndKey(self.role, device.id, key), _ignore)


def _ignore(_outcome: Any) -> None:
    """What the server decides for itself is answered to nobody; its alarm is in the outcome."""
