"""What may be said when, and what does the server's side of one connection make of it?

Theory of operation. A connection is one conversation of two sides. Both see the same states in the same
order, so there is one table, TRANSITIONS, and both sides' programs move through it by `follow`: a message
type that the table does not list for a state may not be said in it, by whichever side. Who may say what is
in DEVICE_SAYS and SERVER_SAYS; `ping` and `pong` are in both.

    START -challenge-> CHALLENGED -hello-> ..._GREETED -welcome-> TABLE or SIGN -error-> CLOSED

The server challenges, the device proves its key, and then nothing is read from it until the server has
welcomed it: what it sent in advance waits. A table then commands and is answered; a sign only listens. Any
`error` is the server's last word. Commands do not change the state, nor do their answers: what a command
may do is decided by the rules of the game, behind this file.

`ServerSession` is the server's side: bytes and the time go in, events and bytes come out. It has no socket,
no task and no clock. The caller
  - gives it what arrives (`receive_bytes`, `receive_eof`) and the time (`tick`, at `next_deadline()` at the
    latest, and while `waiting` is true as soon as the other devices had their turn), and acts on the events
    they return;
  - sends `data_to_send()` after each call, reads no more while `reading_paused`;
  - answers every `Greeted` with `welcome` or `fail`, every `Commanded` with `answer`, in the table's order;
  - closes the connection, once all is sent, when `state` is CLOSED.
"""

import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from math import inf
from typing import Any, Final

import msgspec

from controllers.answers import (
    Ack,
    Challenge,
    Error,
    Nack,
    ServerMessage,
    Welcome,
    reduced,
    shortened,
)
from controllers.frames import FRAME_MOST, STRANGER_MOST, BadFrame, FrameReader, TooLong, frame
from controllers.messages import (
    COMMAND_NAMES,
    Ping,
    Pong,
    Settle,
    TableMessage,
    convert_hello,
    decode_by_letter,
    decode_hello,
    decode_typed,
    digest,
)
from controllers.pace import BY_LETTER_COMMANDS, ITEMS_A_COMMAND, TURN_COMMANDS, Limits, Pace

VERSION: Final = 1

NONCE_BYTES: Final = 16

HELLO_WITHIN_S: Final = 5.0
"""Seconds from the challenge to a whole hello: a stranger may not keep a connection."""

SILENT_HEARTBEATS: Final = 2
"""Heartbeats without a whole frame after which the other side is taken for gone."""

TABLE_UNREAD_MOST: Final = 1_048_576
"""Bytes that a table may leave unread before the caller closes its connection."""

AUTH_FAILED: Final = "this device is not known here"

CLAIMED_MOST: Final = 64
"""Characters of an unproved id that are kept: as many as an id has."""

KEYS_AT_ONCE: Final = 2
"""Keys of one device in a rotation; for any device this many macs are computed, so that none tells time."""

DECOY_KEY: Final = bytes(32)

_ENCODER: Final = msgspec.msgpack.Encoder()


class State(Enum):
    START = auto()
    CHALLENGED = auto()
    TABLE_GREETED = auto()
    SIGN_GREETED = auto()
    TABLE = auto()
    SIGN = auto()
    CLOSED = auto()


DEVICE_SAYS: Final = frozenset({"hello table", "hello sign", *COMMAND_NAMES, "malformed", "ping", "pong"})
SERVER_SAYS: Final = frozenset(
    {"challenge", "welcome", "ack", "nack", "error", "ping", "pong"}
    | {"meters", "hit", "award", "status", "round", "link", "state"}
)

TRANSITIONS: Final[dict[State, dict[str, State]]] = {
    State.START: {
        "challenge": State.CHALLENGED,
        "error": State.CLOSED,
    },
    State.CHALLENGED: {
        "hello table": State.TABLE_GREETED,
        "hello sign": State.SIGN_GREETED,
        "error": State.CLOSED,
    },
    State.TABLE_GREETED: {
        "welcome": State.TABLE,
        "ping": State.TABLE_GREETED,
        "pong": State.TABLE_GREETED,
        "error": State.CLOSED,
    },
    State.SIGN_GREETED: {
        "welcome": State.SIGN,
        "ping": State.SIGN_GREETED,
        "pong": State.SIGN_GREETED,
        "error": State.CLOSED,
    },
    State.TABLE: {
        "wager": State.TABLE,
        "withdraw": State.TABLE,
        "lock": State.TABLE,
        "settle": State.TABLE,
        "close": State.TABLE,
        "void": State.TABLE,
        "malformed": State.TABLE,
        "ack": State.TABLE,
        "nack": State.TABLE,
        "meters": State.TABLE,
        "hit": State.TABLE,
        "award": State.TABLE,
        "status": State.TABLE,
        "round": State.TABLE,
        "link": State.TABLE,
        "ping": State.TABLE,
        "pong": State.TABLE,
        "error": State.CLOSED,
    },
    State.SIGN: {
        "meters": State.SIGN,
        "hit": State.SIGN,
        "status": State.SIGN,
        "link": State.SIGN,
        "state": State.SIGN,
        "ping": State.SIGN,
        "pong": State.SIGN,
        "error": State.CLOSED,
    },
    State.CLOSED: {},
}

WELCOMED: Final = frozenset({State.TABLE, State.SIGN})
GREETED: Final = frozenset({State.TABLE_GREETED, State.SIGN_GREETED})
OPEN: Final = WELCOMED | GREETED


def follow(state: State, message: str) -> State:
    """The state after this type of message; raises BadFrame where it may not be said."""
    try:
        return TRANSITIONS[state][message]
    except KeyError:
        raise BadFrame(f"t: no {message} is expected of a {state.name.lower()}") from None


def _shown(claimed: Any) -> str:
    text = claimed if isinstance(claimed, str) else ""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:CLAIMED_MOST])


def hello_mac(key: bytes, nonce: bytes, role: str, device: str) -> bytes:
    """What proves a device's key: HMAC-SHA256 over nonce, role, a zero byte and id."""
    return hmac.digest(key, nonce + role.encode() + b"\0" + device.encode(), "sha256")


@dataclass(frozen=True, slots=True)
class Greeted:
    """A device proved its key; key_index says which of those that `keys` gave. Answer: welcome or fail."""

    role: str
    id: str
    acked: int | None
    links: tuple[str, ...] | None
    key_index: int


@dataclass(frozen=True, slots=True)
class Commanded:
    """A table's command, or what is wrong with it; digest is of its decoded fields. Answer: answer."""

    seq: int
    message: TableMessage
    digest: bytes


@dataclass(frozen=True, slots=True)
class Closed:
    """The session is over; code is of the error sent, None where nothing was said."""

    code: str | None
    reason: str


SessionEvent = Greeted | Commanded | Closed


class ServerSession:
    """The server's side of one connection.

    nonce: 16 fresh random bytes. server: its name, for the challenge. keys: the valid keys of a device by
    role and id, oldest first, none where it is unknown. now: monotonic seconds, as in every call.
    common_name: of the certificate, where the device had to show one.
    """

    def __init__(
        self,
        nonce: bytes,
        server: str,
        keys: Callable[[str, str], Sequence[bytes]],
        limits: Limits,
        now: float,
        common_name: str | None = None,
    ) -> None:
        self.state = State.START
        self.limits = limits
        self.halted = False
        """Set by a caller that reads no further for reasons of its own: the device is not silent then."""
        self.claimed = ""
        """Who a hello said that it was, proved or not: printable and short, for a log."""
        self._nonce = nonce
        self._keys = keys
        self._common_name = common_name
        self._now = now
        self._reader = FrameReader(STRANGER_MOST)
        self._pace = Pace(limits, now)
        self._held: TableMessage | None = None
        self._unread = False
        self._hello_by = now + HELLO_WITHIN_S
        self._heard_at = now
        self._ping_at = inf
        self._out: list[bytes] = []
        self._send(Challenge(VERSION, nonce, server))

    # What happens.

    def receive_bytes(self, data: bytes, now: float) -> list[SessionEvent]:
        """Bytes came."""
        if self.state is State.CLOSED:
            return []
        self._pace.received(len(data), now)
        self._reader.add(data)
        self._unread = True
        return self._advance(now)

    def receive_eof(self) -> list[SessionEvent]:
        """The device closed its side, or the connection broke."""
        if self.state is State.CLOSED:
            return []
        self.state = State.CLOSED
        return [Closed(None, "ended inside a frame" if len(self._reader) else "ended by the device")]

    def tick(self, now: float) -> list[SessionEvent]:
        """Time passed, or an answer made room."""
        if self.state is State.CLOSED:
            return []
        events = self._advance(now)
        if self.state is State.CHALLENGED and now >= self._hello_by:
            return [*events, self._end("auth_failed", AUTH_FAILED)]
        if self.state in WELCOMED and now >= self._silent_at():
            self.state = State.CLOSED
            return [*events, Closed(None, f"silent for {SILENT_HEARTBEATS} heartbeats")]
        if self.state in OPEN and now >= self._ping_at:
            self._send(Ping(int(now * 1000)))
            self._ping_at = now + self.limits.heartbeat
        return events

    def next_deadline(self) -> float:
        """When tick must be called at the latest; infinite once closed."""
        if self.state is State.CLOSED:
            return inf
        if self.state is State.CHALLENGED:
            return self._hello_by
        if self.waiting:
            return self._now
        deadline = min(self._ping_at, self._silent_at())
        if self.reading_paused and self.state in WELCOMED:
            deadline = min(deadline, self._pace.patient_until())
            if not self._held_back() and self._pace.ready_at() > self._now:
                deadline = min(deadline, self._pace.ready_at())
        return deadline

    @property
    def reading_paused(self) -> bool:
        """The caller should read no further from this device for now."""
        return self.halted or self.state in GREETED or self._held_back() or self._pace.ready_at() > self._now

    @property
    def waiting(self) -> bool:
        """What the device sent before can be looked at now: call tick."""
        some = self._held is not None or (self._unread and len(self._reader) > 0)
        return some and self.state in WELCOMED and not self.reading_paused

    # What to say.

    def welcome(self, message: Welcome) -> None:
        """Let the greeted device in. A last answer that does not fit with the rest follows in its own frame.

        Raises TooLong where the rest alone does not fit.
        """
        try:
            self._say(message)
        except TooLong:
            last = message.last
            if not isinstance(last, Ack | Nack):
                raise
            self._say(msgspec.structs.replace(message, last=None, last_follows=True))
            self._say_answer(last)
        self._reader.maximum = FRAME_MOST
        self._heard_at = self._now

    def answer(self, message: Ack | Nack) -> None:
        """Answer the oldest unanswered command."""
        self._pace.answered(self._now, refused=isinstance(message, Nack))
        self._say_answer(message)

    def push(self, message: ServerMessage) -> None:
        """Say a message of its own to a welcomed device."""
        self._say(message)

    def send_frame(self, frames: bytes) -> None:
        """Say pushes that are framed already, once for many devices."""
        if self.state in WELCOMED:
            self._out.append(frames)

    def fail(self, code: str, message: str, servers: Sequence[str] | None = None) -> None:
        """End the session with an error; nothing is read any more, and later answers are dropped."""
        if self.state is not State.CLOSED:
            where = msgspec.UNSET if servers is None else tuple(servers)
            self._send(Error(code, shortened(message), where))

    def data_to_send(self) -> bytes:
        """Bytes for the device, each once."""
        data = b"".join(self._out)
        self._out.clear()
        return data

    # How it goes on.

    def _advance(self, now: float) -> list[SessionEvent]:
        self._pace.note(self._now, above=self._above())
        self._now = now
        events: list[SessionEvent] = []
        try:
            turn = TURN_COMMANDS
            while turn > 0 and (self.state is State.CHALLENGED or self.waiting):
                cost = self._step(events)
                if not cost:
                    break
                turn -= cost
        except BadFrame as error:
            events.append(self._end("bad_frame", str(error)))
        above = self._above()
        self._pace.note(now, above=above)
        if above and now >= self._pace.patient_until():
            events.append(self._end("too_many", "more than this device may send, for too long"))
        if self.reading_paused:
            self._heard_at = now
        return events

    def _step(self, events: list[SessionEvent]) -> int:
        """Look at one frame, and what it cost in commands; 0 when none is whole."""
        if self._held is not None:
            message, self._held = self._held, None
            self._command(message, events)
            return 1
        payload_or_none = self._reader.next_frame()
        if payload_or_none is None:
            self._unread = False
            return 0
        self._heard_at = self._now
        self._pace.framed(self._now)
        if self.state is State.CHALLENGED:
            events.append(self._greet(payload_or_none))
            return 1
        return self._hear(payload_or_none, events)

    def _greet(self, payload: bytes) -> SessionEvent:
        fields = decode_hello(payload)
        self.claimed = _shown((fields or {}).get("id"))
        index = self._prove(fields or {})
        if fields is None or index is None:
            return self._end("auth_failed", AUTH_FAILED)
        hello = convert_hello(fields)
        self.state = follow(self.state, f"hello {hello.role}")
        self._ping_at = self._now + self.limits.heartbeat
        return Greeted(hello.role, hello.id, hello.acked, hello.links, index)

    def _prove(self, fields: dict[str, Any]) -> int | None:
        """Which of the device's keys made the mac, None where none did; it takes the same time always."""
        role, device, mac = (fields.get(name) for name in ("role", "id", "mac"))
        keys: list[bytes] = []
        if isinstance(role, str) and isinstance(device, str):
            keys.extend(self._keys(role, device))
        mac = mac if isinstance(mac, bytes) else b""
        proved = None
        for index, key in enumerate(keys + [DECOY_KEY] * (KEYS_AT_ONCE - len(keys))):
            right = hmac.compare_digest(hello_mac(key, self._nonce, str(role), str(device)), mac)
            if right and index < len(keys):
                proved = index
        return proved if self._common_name in (None, device) else None

    def _hear(self, payload: bytes, events: list[SessionEvent]) -> int:
        message: TableMessage | Ping | Pong | None = decode_typed(payload)
        more = 0
        if message is None:
            more = BY_LETTER_COMMANDS
            self._pace.worked(more, self._now)  # also where it cannot be read
            message = decode_by_letter(payload)
        items = message.hands if isinstance(message, Settle) else getattr(message, "bets", ())
        if by_items := len(items) // ITEMS_A_COMMAND:
            self._pace.worked(by_items, self._now)
        self.state = follow(self.state, type(message).__name__.lower())
        if isinstance(message, Ping):
            self._send(Pong(message.at))
        elif not isinstance(message, Pong):
            self._command(message, events)
        return 1 + more + by_items

    def _command(self, message: TableMessage, events: list[SessionEvent]) -> None:
        if self._pace.full:
            self._held = message
            return
        self._pace.commanded()
        events.append(Commanded(message.seq, message, digest(message)))

    def _held_back(self) -> bool:
        return self._held is not None and self._pace.full

    def _above(self) -> bool:
        return self.state in WELCOMED and (self._held is not None or self._pace.ready_at() > self._now)

    def _silent_at(self) -> float:
        if self.state not in WELCOMED or self.reading_paused:
            return inf
        return self._heard_at + SILENT_HEARTBEATS * self.limits.heartbeat

    def _end(self, code: str, reason: str) -> Closed:
        reason = shortened(reason)
        self._send(Error(code, reason))
        return Closed(code, reason)

    def _say_answer(self, answer: Ack | Nack) -> None:
        """An answer as it was decided; where it fits no frame, what of it must be known."""
        try:
            self._say(answer)
        except TooLong:
            self._say(reduced(answer))

    def _say(self, message: ServerMessage) -> None:
        if self.state is not State.CLOSED:
            self._send(message)

    def _send(self, message: ServerMessage) -> None:
        """Frame it and move on; raises ValueError for what may not be said now: the caller's mistake."""
        kind = str(message.__struct_config__.tag)
        if kind not in SERVER_SAYS or kind not in TRANSITIONS[self.state]:
            raise ValueError(f"{kind} may not be said in {self.state.name}")
        self._out.append(frame(_ENCODER.encode(message)))
        self.state = TRANSITIONS[self.state][kind]
