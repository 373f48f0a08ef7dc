"""How do bytes move between a device and its session? A thin shell of `controllers.session.ServerSession`.

Bytes in, events out, bytes to send. Whatever raises on the way ends this connection alone.
"""

import asyncio
import secrets
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Final

import structlog

from controllers.session import (
    NONCE_BYTES,
    TABLE_UNREAD_MOST,
    Closed,
    Commanded,
    Greeted,
    ServerSession,
    SessionEvent,
    State,
)
from jackpot.server.alone import alone
from jackpot.server.devices import Device, Devices
from jackpot.server.guests import NO_DOOR, Guest

# How long a closed connection may take to read its last frame before it is cut.
LINGER_S: Final = 2.0

log: Final = structlog.get_logger()


class Connection(asyncio.Protocol, ABC):
    """One connection; a subclass says what a greeted device may do.

    alive: the device has not closed its side. key: the fingerprint of the key it greeted with. Only `pump`
    hands events on, and never inside itself, so that commands keep their order however many callbacks an
    answer causes.
    """

    unread_most = TABLE_UNREAD_MOST

    def __init__(self, devices: Devices, *, certified: bool, guest: Guest = NO_DOOR) -> None:
        self.devices = devices
        self.guest = guest
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
        """Challenges the newcomer."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - what create_server gives
        self._transport = transport
        self.guest.came(self)
        alone(self, self._made, transport)

    def data_received(self, data: bytes) -> None:
        """Gives the session what came."""
        self.guest.heard()
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
        self.guest.left()
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
        alone(self, self.pump)

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

    def turn_out(self) -> None:
        """Has not proved itself in time for those who came after it."""
        self.fail("too_many", "too many connections: this one is the oldest without a hello")
        self.break_off()

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


def _common_name(certificate: Any) -> str:
    """The subject's common name, empty where there is none."""
    for part in (certificate or {}).get("subject", ()):
        for name, value in part:
            if name == "commonName":
                return str(value)
    return ""
