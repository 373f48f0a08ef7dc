"""What does a device's session mean for the server? One connection, from its challenge to its last word.

The session says what happened (`controllers.session`), the protocol moves the bytes
(`jackpot.net.device_protocol`), and `Devices` says who is let in. What a device may do once it is let in, a
subclass says.
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
from controllers.session import TABLE_UNREAD_MOST, Closed, Commanded, Greeted, ServerSession, SessionEvent
from controllers.states import State
from jackpot.net.admission import NO_DOOR, Guest
from jackpot.net.device_protocol import Reads, Wire
from jackpot.net.device_registry import Device
from jackpot.net.devices import Devices
from jackpot.runtime.isolate import alone

log: Final = structlog.get_logger()


class Connection(ABC):
    """One connection. device: who it is, once it is let in. key: the fingerprint of the one that it showed.

    now, unix_ms: when the bytes came that are acted on, by both clocks, which are read once for all of them.
    tick: now in milliseconds.

    Commands keep their order however many callbacks an answer causes: only `pump` takes a turn of what waits,
    and never while the events of an earlier one are acted on.
    """

    reads = Reads(TABLE_UNREAD_MOST, inf)

    def __init__(self, devices: Devices, *, certified: bool, guest: Guest = NO_DOOR) -> None:
        self.devices = devices
        self.kind = devices.register.role
        self.wire = Wire(self, devices.clock, guest, self.reads)
        self.session: ServerSession
        self.device: Device | None = None
        self.key = ""
        self.certified = certified
        self.now, self.unix_ms, self.tick = 0.0, 0, 0
        self._busy = False
        self._turn_due = False

    # What its wire tells.

    def opened(self) -> None:
        """Challenges the newcomer."""
        devices, name = self.devices, self.wire.common_name if self.certified else None
        check = KeyCheck(secrets.token_bytes(NONCE_BYTES), devices.server, devices.register.keys, name)
        self.session = ServerSession(check, devices.limits, devices.clock.monotonic())
        self.wire.prepare()
        devices.came(self)
        self._write()

    def received(self, data: bytes, now: float) -> None:
        """Gives the session what came. Nothing follows from a pong, and an idle floor says little else."""
        session = self.session
        if data == session.heartbeat.pong and session.heartbeat.ponged(session.intake, now):
            return
        self._heed_banks()
        self.act_on(self.session.receive_bytes(data, now))
        self.pump()

    def ended(self) -> None:
        """Nobody is there to answer."""
        self.act_on(self.session.receive_eof())

    def gone(self) -> None:
        """Nothing is left of it."""
        self.devices.forget(self)
        alone(self, self.devices.leave, self)

    # What a board calls.

    def tell(self, frame: bytes) -> None:
        """A push that must not be lost; it leaves at the next flush."""
        self.session.send_frame(frame)
        self.devices.dirty(self)

    def show(self, frame: bytes) -> bool:
        """Meter values; not taken while earlier bytes have not left. They leave at once, after what waits."""
        if self.wire.unread_since is not None:
            return False
        self.session.send_frame(frame, self.devices.clock.monotonic())
        self._write()
        return True

    # What Devices calls.

    def act_on(self, events: Sequence[SessionEvent]) -> None:
        """Does what follows from what happened; `pump` sends what there is to say."""
        if not events:
            return
        clock = self.devices.clock
        self.now, self.unix_ms = clock.monotonic(), clock.unix_ms()
        self.tick = int(self.now * 1000)
        busy, self._busy = self._busy, True
        for event in events:
            if isinstance(event, Commanded):
                if self.device is not None:
                    self.commanded(self.device, event.message, event.digest)
            elif isinstance(event, Closed):
                self.devices.count_end(self, event)
            elif self.devices.greet(self, event):
                self.device = self.devices.register.devices[event.id]
                self.devices.wheel.hold_back(self)  # its first ping may be due before a hello was
                self.greeted(self.device, event)
        self._busy = busy

    def pump(self) -> None:
        """Sends what the session has to say, takes a turn of what it may read, and reads on or not."""
        self._write()
        halted = self._heed_banks()
        waiting = self.session.waiting
        if waiting and not self._busy:
            self.act_on(self.session.tick(self.devices.clock.monotonic()))
            self._write()
            halted, waiting = self._heed_banks(), self.session.waiting
        closed = self.session.state is State.CLOSED
        if halted:
            self.devices.stall(self)
        elif waiting and not self._turn_due:
            self._turn_due = True
            asyncio.get_running_loop().call_soon(self._take_turn)
        paused = self.session.reading_paused
        if paused or closed:
            self.devices.wheel.hold_back(self)  # none of that goes on for long
        self.wire.listen(on=closed or not (waiting or paused))
        if closed:
            self.wire.end()

    def sweep(self, now: float) -> None:
        """Lets time pass."""
        if (reason := self.wire.sweep(now)) is not None:
            self.cut(reason)
        elif now >= self.session.next_deadline():
            self._heed_banks()
            self.act_on(self.session.tick(now))
            self.pump()
        elif (
            self.session.reading_paused
            or self.wire.unread_since is not None
            or self.session.state is State.CLOSED
        ):
            self.devices.wheel.hold_back(self)

    def fail(self, code: str, message: str, servers: Sequence[str] | None = None) -> None:
        """Ends the conversation with an error."""
        if self.session.state is not State.CLOSED:
            self.session.fail(code, message, servers)
            self.devices.count_end(self, Closed(code, message))
            self.pump()

    def cut(self, reason: str) -> None:
        """Ends a connection that does not read: no error would reach it."""
        if self.session.receive_eof():
            self.devices.count_end(self, Closed(None, reason))
        self.break_off()

    def turn_out(self) -> None:
        """It has not proved itself before others came that want its place."""
        self.fail("too_many", "too many connections: this one is the oldest without a hello")
        self.break_off()

    def break_off(self) -> None:
        """Cuts the connection, whatever was not sent."""
        self.wire.transport.abort()

    # What a subclass says.

    @abstractmethod
    def greeted(self, device: Device, event: Greeted) -> None:
        """The device proved its key and is let in."""

    @abstractmethod
    def commanded(self, device: Device, command: TableMessage, digest: bytes) -> None:
        """The device commands. digest: of the decoded request."""

    @abstractmethod
    def over(self) -> None:
        """A device that was let in is no longer there."""

    def _take_turn(self) -> None:
        """Takes its next turn after all the others: nobody holds the server up by sending much at once."""
        self._turn_due = False
        alone(self, self.pump)

    def _heed_banks(self) -> bool:
        """Whether it is read no further because a bank of it is full. It does not count as silent then."""
        halted = self.session.intake.halted = self.devices.full(self.device)
        return halted

    def _write(self) -> None:
        if not self.wire.write(self.session.data_to_send()):
            self.cut("reads too slowly")
        elif self.wire.unread_since is not None:
            self.devices.wheel.hold_back(self)  # nor may it leave them unread for long
