"""One device connection at the server, from its challenge to its end.

The session says what happened (`controllers.session`), the protocol moves the bytes
(`jackpot.net.device_protocol`), and `ConnectedDevices` says who is let in. A subclass says what a device may
do once it is let in.
"""

import asyncio
import secrets
from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import inf
from typing import Final

import structlog

from controllers.hello import NONCE_BYTES, KeyCheck
from controllers.messages import TableMessage
from controllers.session import (
    TABLE_UNREAD_MAX,
    Commanded,
    Greeted,
    ServerSession,
    SessionClosed,
    SessionEvent,
)
from controllers.states import SessionState
from jackpot.net.admission import NO_LISTENER, ConnectionAdmission
from jackpot.net.device_protocol import DeviceProtocol, Reads
from jackpot.net.device_registry import RegisteredDevice
from jackpot.net.devices import ConnectedDevices
from jackpot.runtime.isolate import isolate

log: Final = structlog.get_logger()


class Connection(ABC):
    """One connection of a device.

    device: who it is, once it is let in. key: the fingerprint of the one that it showed.

    now, unix_ms: when the bytes came that are acted on, by both clocks, which are read once for all of them.
    tick: now in milliseconds.

    Commands keep their order however many callbacks an answer causes: only `pump` takes a turn of what waits,
    and never while the events of an earlier one are acted on.
    """

    reads = Reads(TABLE_UNREAD_MAX, inf)

    def __init__(
        self, devices: ConnectedDevices, *, certified: bool, admission: ConnectionAdmission = NO_LISTENER
    ) -> None:
        self.devices = devices
        self.kind = devices.registry.role
        self.protocol = DeviceProtocol(self, devices.clock, admission, self.reads)
        self.session: ServerSession
        self.device: RegisteredDevice | None = None
        self.key = ""
        self.certified = certified
        self.now, self.unix_ms, self.tick = 0.0, 0, 0
        self._busy = False
        self._turn_due = False

    # Called by the protocol.

    def opened(self) -> None:
        """Challenges a new connection."""
        devices, name = self.devices, self.protocol.common_name if self.certified else None
        check = KeyCheck(secrets.token_bytes(NONCE_BYTES), devices.server, devices.registry.keys, name)
        self.session = ServerSession(check, devices.limits, devices.clock.monotonic())
        self.protocol.prepare()
        devices.connected(self)
        self._write()

    def received(self, data: bytes, now: float) -> None:
        """Gives the session what came. A pong has no consequences, and is most of an idle floor's traffic."""
        session = self.session
        if data == session.heartbeat.pong and session.heartbeat.ponged(session.intake, now):
            return
        session.intake.halted = self.devices.full(self.device)
        self.act_on(session.receive_bytes(data, now), now)
        self.pump()

    def ended(self) -> None:
        """The device ended the connection: nobody is there to answer."""
        self.act_on(self.session.receive_eof(), self.devices.clock.monotonic())

    def gone(self) -> None:
        """The connection is gone."""
        self.devices.forget(self)
        isolate(self, self.devices.leave, self)

    # Called by boards.

    def tell(self, frame: bytes) -> None:
        """Queues a push that must not be lost; it leaves at the next flush."""
        self.session.send_frame(frame)
        self.devices.dirty(self)

    def show(self, frame: bytes) -> bool:
        """Sends meter values; refused while earlier bytes have not left.

        They leave at once, after what waits.
        """
        if self.protocol.unread_since is not None:
            return False
        self.session.send_frame(frame, self.devices.clock.monotonic())
        self._write()
        return True

    # Called by ConnectedDevices.

    def act_on(self, events: Sequence[SessionEvent], now: float) -> None:
        """Acts on the session's events of that moment; `pump` sends the answers."""
        if not events:
            return
        self.now, self.unix_ms, self.tick = now, self.devices.clock.unix_ms(), int(now * 1000)
        busy, self._busy = self._busy, True
        for event in events:
            if isinstance(event, Commanded):
                if self.device is not None:
                    self.commanded(self.device, event.message, event.digest)
            elif isinstance(event, SessionClosed):
                self.devices.count_end(self, event)
            elif self.devices.greet(self, event):
                self.device = self.devices.registry.devices[event.id]
                self.devices.timer_wheel.poll_next_tick(self)  # its first ping may be due before a hello was
                self.greeted(self.device, event)
        self._busy = busy

    def pump(self) -> None:
        """Sends what the session has to say, handles its next frames, and resumes or pauses reading.

        Reading pauses while a bank of the device is full. It does not count as silent then.
        """
        session = self.session
        self._write()
        halted = session.intake.halted = self.devices.full(self.device)
        waiting = session.waiting
        if waiting and not self._busy:
            now = self.devices.clock.monotonic()
            self.act_on(session.tick(now), now)
            self._write()
            halted = session.intake.halted = self.devices.full(self.device)
            waiting = session.waiting
        closed = session.state is SessionState.CLOSED
        if halted:
            self.devices.stall(self)
        elif waiting and not self._turn_due:
            self._turn_due = True
            asyncio.get_running_loop().call_soon(self._take_turn)
        paused = session.reading_paused
        if paused or closed:
            self.devices.timer_wheel.poll_next_tick(self)  # none of that goes on for long
        self.protocol.listen(on=closed or not (waiting or paused))
        if closed:
            self.protocol.end()

    def sweep(self, now: float) -> None:
        """Lets time pass."""
        if (reason := self.protocol.sweep(now)) is not None:
            self.cut(reason)
        elif now >= self.session.next_deadline():
            self.session.intake.halted = self.devices.full(self.device)
            # The sweep is older than what others caused of this table meanwhile, and its ticks never go back.
            self.act_on(self.session.tick(now), self.devices.clock.monotonic())
            self.pump()
        elif (
            self.session.reading_paused
            or self.protocol.unread_since is not None
            or self.session.state is SessionState.CLOSED
        ):
            self.devices.timer_wheel.poll_next_tick(self)

    def fail(self, code: str, message: str, servers: Sequence[str] | None = None) -> None:
        """Ends the connection with an error."""
        if self.session.state is not SessionState.CLOSED:
            self.session.fail(code, message, servers)
            self.devices.count_end(self, SessionClosed(code, message))
            self.pump()

    def cut(self, reason: str) -> None:
        """Ends a connection that does not read: no error would reach it."""
        if self.session.receive_eof():
            self.devices.count_end(self, SessionClosed(None, reason))
        self.break_off()

    def evict(self) -> None:
        """Evicts it: unauthenticated, while others wait for its place."""
        self.fail("too_many", "too many connections: this one is the oldest without a hello")
        self.break_off()

    def break_off(self) -> None:
        """Cuts the connection, whatever was not sent."""
        self.protocol.transport.abort()

    # Implemented by subclasses.

    @abstractmethod
    def greeted(self, device: RegisteredDevice, event: Greeted) -> None:
        """The device has authenticated and is let in."""

    @abstractmethod
    def commanded(self, device: RegisteredDevice, command: TableMessage, digest: bytes) -> None:
        """The device sends a command. digest: of the decoded request."""

    @abstractmethod
    def over(self) -> None:
        """A device that was let in has disconnected."""

    def _take_turn(self) -> None:
        """Takes its next turn after all the others: nobody holds the server up by sending much at once."""
        self._turn_due = False
        isolate(self, self.pump)

    def _write(self) -> None:
        data = self.session.data_to_send()
        if data and not self.protocol.write(data):
            self.cut("reads too slowly")
        elif self.protocol.unread_since is not None:
            self.devices.timer_wheel.poll_next_tick(self)  # nor may it leave them unread for long
