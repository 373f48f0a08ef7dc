"""Who is connected, and how do bytes move between a device and its session? What tables and signs share.

A `Connection` is a thin shell of `controllers.session.ServerSession`: bytes in, events out, bytes to send.
`Devices` knows all connections of one role: which is a device's newest, whose keys ended, who is blocked.
"""

import asyncio
import hashlib
import secrets
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

import structlog

from controllers.pace import Limits
from controllers.session import (
    AUTH_FAILED,
    NONCE_BYTES,
    TABLE_UNREAD_MOST,
    Closed,
    Commanded,
    Greeted,
    ServerSession,
    SessionEvent,
    State,
)
from jackpot.clock import Clock
from jackpot.rules.commands import BlockDevice, Command, EndKey
from jackpot.server.alone import alone
from jackpot.server.board import Board

# WIRE: three replacements in a minute mean two devices with one key.
CONFLICT_REPLACEMENTS: Final = 3
CONFLICT_WITHIN_S: Final = 60.0
# How long a closed connection may take to read its last frame before it is cut.
LINGER_S: Final = 2.0
# A device whose bank has no server waits for this one so long, then looks at the others: longer than one of
# them takes to take the bank over, and short where it is another that does.
WAITING_S: Final = 5.0
# Where another server was seen to have the bank a device waits so long for a fresh look: whoever has just let
# a bank go sends its devices here before we know.
LOOK_WITHIN_S: Final = 1.0
# Connections beside two a configured device (the old and the new one): operators' tools, scanners, slow ends.
SPARE_CONNECTIONS: Final = 64
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

log: Final = structlog.get_logger()


class Bank(Protocol):
    """What a device needs of a bank: one that is written here, or one that is only shown here."""

    @property
    def bank(self) -> str: ...
    @property
    def board(self) -> Board: ...
    @property
    def away(self) -> str | None:
        """Why it serves no device; None where it does."""

    @property
    def coming(self) -> bool:
        """Whether it may soon, so that a device had better wait here than look elsewhere."""

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


class Devices:
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
        if any(bank.away is not None for bank in device.banks) or not self.accepting:
            if self.accepting:
                self._waiting[connection] = event, self.clock.monotonic()
            else:
                self.send_on(connection)
            return False
        self._end_keys(device, connection.key)
        older = self.current.get(event.id)
        if older is not None:
            self._replace(older, device)
        self.current[event.id] = connection
        return True

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
            "unread_bytes": sum(connection.unread_bytes for connection in self.connections),
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
        return all(bank.away is None or bank.coming for bank in self.devices[event.id].banks)

    def send_on(self, connection: "Connection") -> None:
        """Its bank does not act here: it is told where else to look."""
        reason, servers = "this server is not the active one", list(self.elsewhere)
        alone(connection, connection.fail, "not_active", reason, servers=servers)

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


class Connection(asyncio.Protocol, ABC):
    """One connection; a subclass says what a greeted device may do.

    alive: the device has not closed its side. key: the fingerprint of the key it greeted with. Only `pump`
    hands events on, and never inside itself, so that commands keep their order however many callbacks an
    answer causes.
    """

    unread_most = TABLE_UNREAD_MOST

    def __init__(self, devices: Devices, *, certified: bool) -> None:
        self.devices = devices
        self.device: Device | None = None
        self.alive = True
        self.session: ServerSession
        self.unread_since: float | None = None
        self.heard_at = 0.0
        self.key = ""
        self._certified = certified
        self._transport: asyncio.Transport
        self._busy = False
        self._turn_due = False
        self._paused = False
        self._deaf = False
        self._closing_since: float | None = None

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Challenges the newcomer, or sends it away where there are too many."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - what create_server gives
        self._transport = transport
        alone(self, self._made, transport)

    def data_received(self, data: bytes) -> None:
        """Gives the session what came."""
        alone(self, self._received, data)

    def eof_received(self) -> bool:
        """The device closed its side: nobody is there to answer."""
        self.alive = False
        alone(self, self._ended)
        return False

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - why is of no use to anybody
        """The connection is gone, however it ended."""
        self.alive = False
        alone(self, self._ended)
        self.devices.forget(self)
        alone(self, self._over, None)

    def pause_writing(self) -> None:
        """The device does not read as fast as it is told."""
        self.unread_since = self.devices.clock.monotonic()

    def resume_writing(self) -> None:
        """The device has read what there was."""
        self.unread_since = None

    def _made(self, transport: asyncio.Transport) -> None:
        devices, now = self.devices, self.devices.clock.monotonic()
        name = _common_name(transport.get_extra_info("peercert")) if self._certified else None
        nonce = secrets.token_bytes(NONCE_BYTES)
        self.session = ServerSession(nonce, devices.server, devices.keys, devices.limits, now, name)
        devices.connections.add(self)
        devices.gone.clear()
        if len(devices.connections) > 2 * len(devices.devices) + SPARE_CONNECTIONS:
            self.fail("too_many", "too many connections")
        self.prepare(transport)
        self.pump()

    def _received(self, data: bytes) -> None:
        if not self._deaf:
            self.heard_at = self.devices.clock.monotonic()
            self._heed_queue()
            self._hand_on(self.session.receive_bytes(data, self.heard_at))
        self.pump()

    def _ended(self) -> None:
        self._hand_on(self.session.receive_eof())

    # What a board calls.

    def tell(self, frame: bytes) -> None:
        """A push that must not be lost; it leaves at the next flush."""
        self.session.send_frame(frame)
        self.devices.dirty(self)

    def show(self, frame: bytes) -> bool:
        """Meter values; not taken while earlier bytes have not left."""
        if self.unread_since is not None:
            return False
        self.tell(frame)
        return True

    # What the registry calls.

    @property
    def kind(self) -> str:
        """What it is the connection of: "table" or "sign"."""
        return self.devices.role

    @property
    def queue_full(self) -> bool:
        """Whether a bank of this device can take no more commands."""
        return self.device is not None and any(bank.full for bank in self.device.banks)

    @property
    def unread_bytes(self) -> int:
        """What the system has not taken yet of what the device was told."""
        return self._transport.get_write_buffer_size()

    def fail(self, code: str, message: str, **facts: Any) -> None:
        """Ends the conversation with an error."""
        if self.session.state is not State.CLOSED:
            self.session.fail(code, message, **facts)
            self._over(Closed(code, message))
            self.pump()

    def pump(self) -> None:
        """Sends what the session has to say, takes a turn of what it may read, and reads on or not."""
        self._write()
        self._heed_queue()
        if not self._busy and self._has_backlog():
            self._hand_on(self.session.tick(self.devices.clock.monotonic()))
            self._write()
        self._heed_queue()
        if self.session.halted:
            self.devices.stall(self)
        elif self._has_backlog() and not self._turn_due:
            self._turn_due = True
            asyncio.get_running_loop().call_soon(self._take_turn)
        self._pause_or_resume()
        if self.session.state is State.CLOSED and self._closing_since is None:
            self._closing_since = self.devices.clock.monotonic()
            self._end_writing()

    def _take_turn(self) -> None:
        """All the others had theirs: nobody holds the server with what was sent at once."""
        self._turn_due = False
        self.pump()

    def _has_backlog(self) -> bool:
        """Whether something is there that may be looked at now."""
        return self.session.waiting and not self._deaf

    def _heed_queue(self) -> None:
        """While its bank can take no more commands the device is read no further, and is not silent then."""
        self.session.halted = self.queue_full

    def _end_writing(self) -> None:
        """Nothing follows; a device that is gone meanwhile hears no more of it."""
        if not self.alive or not self._transport.can_write_eof():
            self._transport.close()
            return
        try:
            self._transport.write_eof()
        except OSError:
            self._transport.abort()

    def sweep(self, now: float) -> None:
        """Lets time pass."""
        if self._closing_since is not None:
            if now - self._closing_since >= LINGER_S:
                self._transport.abort()
        elif now >= self.session.next_deadline() and not self._deaf:
            self._heed_queue()
            self._hand_on(self.session.tick(now))
            self.pump()

    def greeted_again(self, event: Greeted) -> None:
        """A device that waits to be let in is looked at anew."""
        self._hand_on([event])
        self.pump()

    def stop_reading(self) -> None:
        """Hears nothing more; the device sends it again to whoever serves it next."""
        self._deaf = True
        self._pause_or_resume()

    def close(self) -> None:
        """Closes once everything was sent."""
        self._transport.close()

    def break_off(self) -> None:
        """Cuts the connection, whatever was not sent."""
        self._transport.abort()

    # What a subclass says.

    @abstractmethod
    def prepare(self, transport: asyncio.Transport) -> None:
        """Sets the transport's limits."""

    @abstractmethod
    def greeted(self, device: Device, event: Greeted) -> None:
        """The device proved its key and is let in."""

    @abstractmethod
    def commanded(self, event: Commanded) -> None:
        """The device commands."""

    @abstractmethod
    def over(self) -> None:
        """A device that was let in is no longer there."""

    def _hand_on(self, events: Sequence[SessionEvent]) -> None:
        if not events:
            return
        busy, self._busy = self._busy, True
        for event in events:
            if isinstance(event, Commanded):
                self.commanded(event)
            elif isinstance(event, Greeted):
                if self.devices.greet(self, event):
                    self.device = self.devices.devices[event.id]
                    self.greeted(self.device, event)
            else:
                self._over(event)
        self._busy = busy

    def _over(self, event: Closed | None) -> None:
        device = self.device
        if event is not None:
            key = event.code or "ended"
            self.devices.closed[key] = self.devices.closed.get(key, 0) + 1
            self._log_end(event, device)
        if device is not None:
            self.devices.leave(self)
            self.over()

    def _log_end(self, event: Closed, device: Device | None) -> None:
        """Who ended and why; of a stranger its address, and who it claims to be."""
        role, claimed = self.devices.role, self.session.claimed
        name = device.id if device else claimed if claimed in self.devices.devices else None
        facts: dict[str, Any] = {"device": device.id if device else None}
        if device is None:
            facts |= {"address": self._address(), "claimed": claimed or None}
        level = log.info if event.code in (None, "replaced") else log.warning
        kind = role, event.code, name
        level("closed", role=role, **facts, code=event.code, reason=event.reason, kind=kind)

    def _address(self) -> str:
        host, port, *_ = self._transport.get_extra_info("peername") or ("unknown", 0)
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def _write(self) -> None:
        if self._transport.is_closing():
            self.session.data_to_send()
            return
        if data := self.session.data_to_send():
            self._transport.write(data)
        if self._transport.get_write_buffer_size() > self.unread_most:
            self.cut("reads too slowly")

    def cut(self, reason: str) -> None:
        """Ends a connection that does not read: no error would reach it."""
        self._hand_on([Closed(None, reason)])
        self._transport.abort()

    def _pause_or_resume(self) -> None:
        closed = self.session.state is State.CLOSED
        pause = self._deaf or (not closed and (self.session.reading_paused or self.session.waiting))
        if pause != self._paused and not self._transport.is_closing():
            self._paused = pause
            if pause:
                self._transport.pause_reading()
            else:
                self._transport.resume_reading()


def _ignore(_outcome: Any) -> None:
    """What the server decides for itself is answered to nobody; its alarm is in the outcome."""


def _common_name(certificate: Any) -> str:
    """The subject's common name, empty where there is none."""
    for part in (certificate or {}).get("subject", ()):
        for name, value in part:
            if name == "commonName":
                return str(value)
    return ""
