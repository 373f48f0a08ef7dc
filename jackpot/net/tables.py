"""How does a table's frame become a command, and its outcome an answer? The TCP shell of the tables."""

import secrets
from collections import deque
from typing import Final

from controllers import messages
from controllers.answers import Ack, Error, Nack, Welcome
from controllers.frames import encode
from controllers.hello import VERSION
from controllers.session import Greeted
from controllers.states import State
from jackpot.bank.bank import BankStopped, Desk
from jackpot.net.admission import NO_DOOR, Guest
from jackpot.net.connection import Connection
from jackpot.net.device_registry import Device
from jackpot.net.devices import Devices
from jackpot.publish.broadcaster import Subscription
from jackpot.rules import commands, outgoing_messages
from jackpot.rules.invariant import present
from jackpot.rules.outcome import Answer, Greeting, Outcome, WaitingAwards
from jackpot.runtime.isolate import alone, broken

# Made once, for each answer is held against them.
_OF_FRAMES: Final = (Ack, Nack)


class Tables(Devices):
    """All tables."""

    def connection(self, *, certified: bool, guest: Guest = NO_DOOR) -> "TableConnection":
        """A shell for a table that just connected."""
        return TableConnection(self, certified=certified, guest=guest)


class TableConnection(Connection):
    """One table's connection: every command passes through the sequencer, `hello` too."""

    devices: Tables

    def __init__(self, devices: Tables, *, certified: bool, guest: Guest = NO_DOOR) -> None:
        super().__init__(devices, certified=certified, guest=guest)
        self._desk: Desk
        self._shown: Subscription | None = None
        self._waiting_after: int | None = None
        # Of each command that is not answered, when it came, if it is a wager: how long it waits is counted.
        self._wagered: deque[float | None] = deque()

    def greeted(self, device: Device, event: Greeted) -> None:
        """Its welcome is decided behind all that its older connection had sent."""
        (desk,) = device.desks
        assert isinstance(desk, Desk)  # noqa: S101 - a table plays where its bank is written
        self._desk = desk
        self.commanded(device, commands.Hello(event.acked), secrets.token_bytes(16))

    def commanded(
        self, device: Device, command: messages.TableMessage | commands.Hello, digest: bytes
    ) -> None:
        """Submits it, as it was decoded, at its place in the order."""
        envelope = commands.Envelope(command, self.unix_ms, self.tick, digest, device.id)
        self._wagered.append(self.now if isinstance(command, messages.Wager) else None)
        try:
            self._desk.submit(envelope, self._released)
        except BankStopped:
            self.devices.send_on(self)

    def sweep(self, now: float) -> None:
        """Tells more of the awards that wait, once it has read what it was told."""
        super().sweep(now)
        after, self._waiting_after = self._waiting_after, None
        if after is None or self.device is None or self.session.state is not State.TABLE:
            return
        if self.wire.unread:
            self._waiting_after = after
            self.devices.wheel.hold_back(self)
            return
        name = self.device.id
        self._desk.look(
            lambda engine: outgoing_messages.waiting(engine.state, present(engine.table(name), name), after),
            lambda found: alone(self, self._tell_waiting, found),
        )

    def over(self) -> None:
        """Shows it nothing more."""
        if self._shown is not None:
            self._shown()

    def _released(self, outcome: Outcome) -> None:
        """Says what was decided of the oldest unanswered command; what raises is this table's own."""
        answer, wagered_at = outcome.answer, self._wagered.popleft()
        if self.device is None:
            return
        try:
            if wagered_at is not None:
                self._desk.counts.answers.observe(self.devices.clock.monotonic() - wagered_at)
            if isinstance(answer, _OF_FRAMES):
                if self.session.state is State.TABLE:
                    self.session.answer(answer)
                    self.devices.dirty(self)
            elif self.session.state is State.TABLE_GREETED:
                self._welcome(self.device, answer)
        except Exception as error:  # noqa: BLE001 - as `alone`, on the way of every wager
            broken(self, self._released, error)

    def _welcome(self, device: Device, answer: Answer) -> None:
        if isinstance(answer, Error):
            self.fail(answer.code, answer.message)
            return
        assert isinstance(answer, Greeting)  # noqa: S101 - what else a hello is answered with
        self.session.welcome(
            Welcome(
                v=VERSION,
                session=secrets.token_hex(8),
                heartbeat_ms=self.devices.limits.heartbeat_ms,
                last_seq=answer.last_seq,
                last=answer.last,
                held=answer.held,
                links=answer.links,
                round=answer.round,
            )
        )
        board = self._desk.board
        self._shown = board.audience.watch(self, device.links, device.id)
        self._tell_waiting(answer.waiting)
        for hit in board.recent_hits(device.links):
            self.tell(encode(hit))
        self.devices.dirty(self)

    def _tell_waiting(self, found: WaitingAwards) -> None:
        """Tells some of the awards that wait for people; the next ones follow."""
        for award in found.awards:
            self.session.push(award)
        self._waiting_after = found.after
        if found.after is not None:
            self.devices.wheel.hold_back(self)
        self.devices.dirty(self)
