"""Server side of one connection, without I/O.

`ServerSession` follows the state table of `controllers.states`: bytes and the time go in, events and bytes
come out. It has no socket, no task and no clock. The caller
  - passes in what arrives (`receive_bytes`, `receive_eof`) and the time (`tick`, at `next_deadline()` at the
    latest, and while `waiting` is true as soon as the other devices had their turn), and acts on the events
    they return;
  - sends `data_to_send()` after each call, and does not read while `reading_paused`;
  - answers every `Greeted` with `welcome` or `fail`, every `Commanded` with `answer`, in the table's order;
  - closes the connection, once all is sent, when `state` is CLOSED.
"""

from collections.abc import Sequence
from math import inf
from typing import Final, get_args

import msgspec

from controllers.answers import Ack, Error, Nack, ServerMessage, Welcome, reduced, shortened
from controllers.frames import FRAME_MAX, BadFrame, TooLong, frame
from controllers.heartbeat import Heartbeat
from controllers.hello import AUTH_FAILED, KeyCheck, claimed
from controllers.intake import Intake
from controllers.messages import (
    COMMANDS,
    Malformed,
    Ping,
    Pong,
    TableMessage,
    convert_hello,
    decode_hello,
    digest,
)
from controllers.pace import Limits
from controllers.states import GREETED, OPEN, TRANSITIONS, WELCOMED, SessionState, next_state

HELLO_WITHIN_S: Final = 5.0
"""Seconds from the challenge to a whole hello: a stranger may not keep a connection."""

SILENT_HEARTBEATS: Final = 2
"""Heartbeats without a whole frame after which the other side is taken for gone."""

TABLE_UNREAD_MAX: Final = 1_048_576
"""Bytes that a table may leave unread before the caller closes its connection."""

_encode: Final = msgspec.msgpack.Encoder().encode

# The name of each message type, of either side, in the state table.
_NAMES: Final[dict[type, str]] = {
    **{kind: kind.__name__.lower() for kind in (*COMMANDS, Malformed)},
    **{kind: str(kind.__struct_config__.tag) for kind in get_args(ServerMessage)},
}
# The next state by state and allowed message type.
_AFTER: Final[dict[SessionState, dict[type, SessionState]]] = {
    state: {kind: after[said] for kind, said in _NAMES.items() if said in after}
    for state, after in TRANSITIONS.items()
}


class Greeted(msgspec.Struct, frozen=True):
    """A device proved its key, the one at key_index of what `keys` gave. Reply with `welcome` or `fail`."""

    role: str
    id: str
    acked: int | None
    links: tuple[str, ...] | None
    key_index: int


class Commanded(msgspec.Struct, frozen=True):
    """A table's command, or its error; digest is of its decoded fields. Reply with `answer`."""

    seq: int
    message: TableMessage
    digest: bytes


class SessionClosed(msgspec.Struct, frozen=True):
    """The session is over. code: of the error sent, None where none was."""

    code: str | None
    reason: str


SessionEvent = Greeted | Commanded | SessionClosed


class ServerSession:
    """The server's side of one connection. now: monotonic seconds, as in every call.

    intake: buffered input. heartbeat: our pings. claimed, claimed_role: the id and role in the hello,
    authenticated or not; both are empty where none came.
    """

    def __init__(self, check: KeyCheck, limits: Limits, now: float) -> None:
        self.state = SessionState.START
        self.limits = limits
        self.intake = Intake()
        self.heartbeat = Heartbeat()
        self.claimed = ""
        self.claimed_role = ""
        self._check = check
        self._now = now
        self._hello_by = now + HELLO_WITHIN_S
        self._out: list[bytes] = []
        self.push(check.challenge)

    # Input.

    def receive_bytes(self, data: bytes, now: float) -> list[SessionEvent]:
        """Process bytes from the device."""
        if self.state is SessionState.CLOSED:
            return []
        self.intake.add(data)
        if self.state is SessionState.CHALLENGED:
            return self._hear_hello(now)
        return self._take_turn(now, len(data))

    def receive_eof(self) -> list[SessionEvent]:
        """The device closed its side, or the connection broke."""
        if self.state is SessionState.CLOSED:
            return []
        self.state = SessionState.CLOSED
        return [SessionClosed(None, "ended inside a frame" if len(self.intake) else "ended by the device")]

    def tick(self, now: float) -> list[SessionEvent]:
        """Process the time that has passed, or buffered input after an answer made room."""
        if self.state is SessionState.CLOSED:
            return []
        if self.state is SessionState.CHALLENGED:
            return [self._end("auth_failed", AUTH_FAILED)] if now >= self._hello_by else []
        events = self._take_turn(now)
        if self.state in WELCOMED and now >= self._silent_at():
            self.state = SessionState.CLOSED
            return [*events, SessionClosed(None, f"silent for {SILENT_HEARTBEATS} heartbeats")]
        if self.state in OPEN and now >= self.heartbeat.due:
            self._out.append(self.heartbeat.ping(now))
        return events

    def next_deadline(self) -> float:
        """When tick must be called at the latest; infinite once closed."""
        if self.state is SessionState.CLOSED:
            return inf
        if self.state is SessionState.CHALLENGED:
            return self._hello_by
        if self.waiting:
            return self.intake.now
        deadline = min(self.heartbeat.due, self._silent_at())
        if self.state in WELCOMED and self.intake.paused:
            deadline = min(deadline, self.intake.deadline())
        return deadline

    @property
    def reading_paused(self) -> bool:
        """Whether the caller should stop reading from this device for now."""
        return self.state in GREETED or (self.state in WELCOMED and self.intake.paused)

    @property
    def waiting(self) -> bool:
        """Whether buffered input can be processed now: call `tick`."""
        return self.state in WELCOMED and self.intake.waiting

    # Output.

    def welcome(self, message: Welcome) -> None:
        """Accept the greeted device. A last answer that does not fit in the welcome follows in its own frame.

        Raises TooLong where the rest alone does not fit.
        """
        try:
            self.push(message)
        except TooLong:
            last = message.last
            if not isinstance(last, Ack | Nack):
                raise
            self.push(msgspec.structs.replace(message, last=None, last_follows=True))
            self.push(last)
        self.intake.welcome(self.limits, self._now)

    def answer(self, message: Ack | Nack) -> None:
        """Answer the oldest unanswered command."""
        self.intake.answered(refused=isinstance(message, Nack))
        self.push(message)

    def push(self, message: ServerMessage) -> None:
        """Send any message; nothing is sent once the session is closed.

        An answer that does not fit in a frame is reduced. Raises TooLong for any other message that does not,
        and ValueError for a message that the state does not allow: the caller's mistake.
        """
        if self.state is SessionState.CLOSED:
            return
        after = _AFTER[self.state].get(type(message))
        if after is None:
            raise ValueError(f"{type(message).__name__.lower()} may not be said in {self.state.name}")
        payload = _encode(message)
        if len(payload) > FRAME_MAX and isinstance(message, Ack | Nack):
            payload = _encode(reduced(message))
        self._out.append(frame(payload))
        self.state = after

    def send_frame(self, frames: bytes, now: float | None = None) -> None:
        """Send pushes that are framed already, encoded once for many devices.

        now: where it is given, a ping that is due soon goes along, in the same packet.
        """
        if self.state in WELCOMED:
            self._out.append(frames)
            if now is not None and now >= self.heartbeat.soon:
                self._out.append(self.heartbeat.ping(now))

    def fail(self, code: str, message: str, servers: Sequence[str] | None = None) -> None:
        """End the session with an error; nothing more is read, and later answers are dropped."""
        where = msgspec.UNSET if servers is None else tuple(servers)
        self.push(Error(code, shortened(message), where))

    def data_to_send(self) -> bytes:
        """Bytes for the device, each once."""
        data = b"".join(self._out)
        self._out.clear()
        return data

    # Internals.

    def _hear_hello(self, now: float) -> list[SessionEvent]:
        """Check the hello of a device that is not authenticated yet, once its frame is whole."""
        self._now = now
        try:
            payload = self.intake.next_frame()
            return [] if payload is None else [self._greet(payload)]
        except BadFrame as error:
            return [self._end("bad_frame", str(error))]

    def _greet(self, payload: bytes) -> SessionEvent:
        fields = decode_hello(payload) or {}
        self.claimed, self.claimed_role = claimed(fields), claimed(fields, "role")
        index = self._check.proved(fields)
        if index is None:
            return self._end("auth_failed", AUTH_FAILED)
        hello = convert_hello(fields)
        self.state = next_state(self.state, f"hello {hello.role}")
        self.heartbeat.begin(self.limits.heartbeat, self._now)
        return Greeted(hello.role, hello.id, hello.acked, hello.links, index)

    def _take_turn(self, now: float, received: int = 0) -> list[SessionEvent]:
        """Process what a welcomed device may send in one turn, in which so many bytes came."""
        self._now = now
        if self.state not in WELCOMED:
            return []
        events: list[SessionEvent] = []
        try:
            for message in self.intake.turn(now, received):
                kind = type(message)
                self.state = _AFTER[self.state].get(kind) or next_state(self.state, _NAMES[kind])
                if isinstance(message, Ping):
                    self.push(Pong(message.at))
                elif not isinstance(message, Pong):
                    events.append(Commanded(message.seq, message, digest(message)))
        except BadFrame as error:
            events.append(self._end("bad_frame", str(error)))
        if self.intake.end() and self.state in WELCOMED:
            events.append(self._end("too_many", "more than this device may send, for too long"))
        return events

    def _silent_at(self) -> float:
        if self.state not in WELCOMED or self.intake.paused:
            return inf
        return self.intake.heard_at + SILENT_HEARTBEATS * self.limits.heartbeat

    def _end(self, code: str, reason: str) -> SessionClosed:
        reason = shortened(reason)
        self.push(Error(code, reason))
        return SessionClosed(code, reason)
