"""TCP connections of the tables: frames become commands, and outcomes become answers."""

import secrets
from collections import deque
from typing import Final

from controllers import messages
from controllers.answers import Ack, Error, Nack, Welcome
from controllers.frames import encode
from controllers.hello import VERSION
from controllers.session import Greeted
from controllers.states import SessionState
from jackpot.bank.bank import Bank, BankStopped
from jackpot.net.admission import NO_LISTENER, ConnectionAdmission
from jackpot.net.connection import Connection
from jackpot.net.device_registry import RegisteredDevice
from jackpot.net.devices import ConnectedDevices
from jackpot.publish.broadcaster import Subscription
from jackpot.rules import commands, outgoing_messages
from jackpot.rules.invariant import require
from jackpot.rules.outcome import Answer, Greeting, Outcome, WaitingAwards
from jackpot.runtime.isolate import drop_peer, isolate

# Made once, for each answer is held against them.
_OF_FRAMES: Final = (Ack, Nack)


class TableListener(ConnectedDevices):
    """All connections of tables."""

    def connection(
        self, *, certified: bool, admission: ConnectionAdmission = NO_LISTENER
    ) -> "TableConnection":
        """Makes the connection of a table that just connected."""
        return TableConnection(self, certified=certified, admission=admission)


class TableConnection(Connection):
    """One table's connection: every command passes through the sequencer, `hello` too."""

    devices: TableListener

    def __init__(
        self, devices: TableListener, *, certified: bool, admission: ConnectionAdmission = NO_LISTENER
    ) -> None:
        super().__init__(devices, certified=certified, admission=admission)
        self._bank: Bank
        self._shown: Subscription | None = None
        self._waiting_after: int | None = None
        # Of each command that is not answered, when it came, if it is a wager: how long it waits is counted.
        self._wagered: deque[float | None] = deque()

    def greeted(self, device: RegisteredDevice, event: Greeted) -> None:
        """Submits its welcome, which is decided after all that its older connection had sent."""
        (bank,) = device.banks
        assert isinstance(bank, Bank)  # noqa: S101 - a table plays where its bank is written
        self._bank = bank
        self.commanded(device, commands.TableHello(event.acked), secrets.token_bytes(16))

    def commanded(
        self, device: RegisteredDevice, command: messages.TableMessage | commands.TableHello, digest: bytes
    ) -> None:
        """Submits the command, as it was decoded, at its place in the order."""
        envelope = commands.Envelope(command, self.unix_ms, self.tick, digest, device.id)
        self._wagered.append(self.now if isinstance(command, messages.Wager) else None)
        try:
            self._bank.submit(envelope, self._released)
        except BankStopped:
            self.devices.redirect(self)

    def sweep(self, now: float) -> None:
        """Tells more of the awards that wait, once it has read what it was told."""
        super().sweep(now)
        after, self._waiting_after = self._waiting_after, None
        if after is None or self.device is None or self.session.state is not SessionState.TABLE:
            return
        if self.protocol.unread:
            self._waiting_after = after
            self.devices.timer_wheel.poll_next_tick(self)
            return
        name = self.device.id
        self._bank.look(
            lambda engine: outgoing_messages.waiting(engine.state, require(engine.table(name), name), after),
            lambda found: isolate(self, self._tell_waiting, found),
        )

    def over(self) -> None:
        """Stops showing it anything."""
        if self._shown is not None:
            self._shown()

    def _released(self, outcome: Outcome) -> None:
        """Answers the oldest unanswered command with its outcome; what raises is this table's own."""
        answer, wagered_at = outcome.answer, self._wagered.popleft()
        if self.device is None:
            return
        try:
            if wagered_at is not None:
                self._bank.counts.answers.observe(self.devices.clock.monotonic() - wagered_at)
            if isinstance(answer, _OF_FRAMES):
                if self.session.state is SessionState.TABLE:
                    self.session.answer(answer)
                    self.devices.dirty(self)
            elif self.session.state is SessionState.TABLE_GREETED:
                self._welcome(self.device, answer)
        except Exception as error:  # noqa: BLE001 - as `isolate`, on the way of every wager
            drop_peer(self, self._released, error)

    def _welcome(self, device: RegisteredDevice, answer: Answer) -> None:
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
        board = self._bank.board
        self._shown = board.broadcaster.watch(self, device.links, device.id)
        self._tell_waiting(answer.waiting)
        for hit in board.recent_hits(device.links):
            self.tell(encode(hit))
        self.devices.dirty(self)

    def _tell_waiting(self, waiting: WaitingAwards) -> None:
        """Tells some of the awards that wait for people; the next ones follow."""
        for award in waiting.awards:
            self.session.push(award)
        self._waiting_after = waiting.after
        if waiting.after is not None:
            self.devices.timer_wheel.poll_next_tick(self)
        self.devices.dirty(self)
