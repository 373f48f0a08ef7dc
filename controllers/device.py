"""Device side of the protocol, common to tables and signs, without I/O.

`DeviceSession` follows the state table of `controllers.states` on the device's side. It has no socket, no
task and no clock. The caller connects at `connect_at`, calls `connected`, passes in bytes and the time, sends
`data_to_send()`, closes the connection once `finished`, and calls `disconnected` whenever a connection has
ended or could not be made.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar, Final

from controllers.frames import BadFrame, FrameReader, decode, encode
from controllers.hello import NONCE_BYTES, VERSION, hello_mac
from controllers.session import SILENT_HEARTBEATS, SessionClosed
from controllers.states import OPEN, SERVER_SAYS, WELCOMED, SessionState, next_state

HEARTBEAT_S: Final = 5.0
"""Seconds, until the server's welcome says otherwise."""

FIRST_WAIT_S: Final = 0.2
LONGEST_WAIT_S: Final = 10.0
"""Waits before connecting again double from the first to the longest, times a random 0.5 to 1.0: a whole
floor that lost its server comes back soon, but not in one instant."""

REPLACED_WAIT_S: Final = 30.0
"""Wait after `replaced`: another device has our name, and two must not throw each other out all day."""


@dataclass(frozen=True, slots=True)
class WelcomeReceived:
    """The server accepted the device; message is its welcome."""

    message: dict[str, Any]


@dataclass(frozen=True, slots=True)
class CommandAnswered:
    """A command was decided: message is the command as last sent, answer its ack or nack."""

    ticket: int
    message: dict[str, Any]
    answer: dict[str, Any]


@dataclass(frozen=True, slots=True)
class PushReceived:
    """The server sent a push."""

    message: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ConnectionRefused:
    """The server refused the connection; message is its error, with code and message."""

    message: dict[str, Any]


DeviceEvent = WelcomeReceived | CommandAnswered | PushReceived | ConnectionRefused | SessionClosed


class DeviceSession:
    """One device over all its connections.

    device: its id. key: the secret that it shares with the server. random: numbers of [0, 1), for the waits.
    """

    role: ClassVar[str]

    def __init__(self, device: str, key: bytes, random: Callable[[], float]) -> None:
        self.id = device
        self.state = SessionState.CLOSED
        self.heartbeat = HEARTBEAT_S
        self.connect_at = 0.0
        """When the next connection may be opened, in the caller's monotonic seconds."""
        self.servers: tuple[str, ...] = ()
        """Where a server that is not active sent us."""
        self.meters: dict[tuple[str, str], int] = {}
        """Cents by (link, level), as last told on this connection."""
        self._revisions: dict[str, int] = {}
        self._key = key
        self._random = random
        self._failures = 0
        self._replaced = False
        self._reader = FrameReader()
        self._out: list[bytes] = []
        self._heard_at = self._said_at = 0.0

    @property
    def finished(self) -> bool:
        """Whether there is no connection, or it should be closed now."""
        return self.state is SessionState.CLOSED

    def connected(self, now: float) -> None:
        """A new connection is open; state of the previous one is dropped."""
        self.state = SessionState.START
        self._reader = FrameReader()
        self._out.clear()
        self._heard_at = self._said_at = now
        self.meters.clear()
        self._revisions.clear()

    def disconnected(self, now: float) -> None:
        """The connection is gone, or could not be made; sets `connect_at`."""
        self.state = SessionState.CLOSED
        wait = min(FIRST_WAIT_S * 2**self._failures, LONGEST_WAIT_S) * (0.5 + self._random() / 2)
        self.connect_at = now + (REPLACED_WAIT_S if self._replaced else wait)
        self._failures = min(self._failures + 1, 10)
        self._replaced = False

    def receive_bytes(self, data: bytes, now: float) -> list[DeviceEvent]:
        """Process bytes from the server."""
        events: list[DeviceEvent] = []
        try:
            self._reader.add(data)
            while (
                self.state is not SessionState.CLOSED and (payload := self._reader.next_frame()) is not None
            ):
                self._heard_at = now
                self._hear(decode(payload), events, now)
        except BadFrame as error:
            events.append(self._close(str(error)))
        return events

    def tick(self, now: float) -> list[DeviceEvent]:
        """Process the time that has passed."""
        if self.state is SessionState.CLOSED:
            return []
        if now >= self._heard_at + SILENT_HEARTBEATS * self.heartbeat:
            return [self._close(f"no frame for {SILENT_HEARTBEATS} heartbeats")]
        if self.state in OPEN and now >= self._said_at + self.heartbeat:
            self._send({"t": "ping", "at": int(now * 1000)}, now)
        return []

    def next_deadline(self) -> float:
        """When tick must be called at the latest."""
        if self.state is SessionState.CLOSED:
            return inf
        silent = self._heard_at + SILENT_HEARTBEATS * self.heartbeat
        return min(silent, self._said_at + self.heartbeat) if self.state in OPEN else silent

    def data_to_send(self) -> bytes:
        """Bytes for the server, each once."""
        data = b"".join(self._out)
        self._out.clear()
        return data

    def _hear(self, message: dict[str, Any], events: list[DeviceEvent], now: float) -> None:
        kind = message["t"]
        if kind not in SERVER_SAYS:
            return  # a later protocol version may have more message types
        self.state = next_state(self.state, kind)
        match kind:
            case "challenge":
                self._hello(message, now)
            case "welcome":
                self._failures = 0
                self.heartbeat = _positive(message, "heartbeat_ms") / 1000
                self._welcomed(message, now)
                events.append(WelcomeReceived(message))
            case "ping":
                self._send({**message, "t": "pong"}, now)
            case "ack" | "nack":
                self._answered(message, events, now)
            case "meters":
                if self._metered(message):
                    events.append(PushReceived(message))
            case "error":
                events.append(self._refused(message))
            case "pong":
                pass
            case _:
                events.append(PushReceived(message))

    def _hello(self, challenge: Mapping[str, Any], now: float) -> None:
        nonce = challenge.get("nonce")
        if challenge.get("v") != VERSION or not isinstance(nonce, bytes) or len(nonce) != NONCE_BYTES:
            raise BadFrame("challenge: not of version 1")
        mac = hello_mac(self._key, nonce, self.role, self.id)
        hello = {"t": "hello", "v": VERSION, "role": self.role, "id": self.id, "mac": mac}
        self._send(hello | self._hello_facts(), now)
        self.state = next_state(self.state, f"hello {self.role}")

    def _metered(self, message: dict[str, Any]) -> bool:
        """Apply the values; false where newer ones of the bank came on this connection."""
        bank, revision, values = message.get("bank"), message.get("rev"), message.get("values")
        if not isinstance(bank, str) or not isinstance(revision, int):
            raise BadFrame("meters: bank and rev are needed")
        if revision < self._revisions.get(bank, 0):
            return False
        self._revisions[bank] = revision
        try:
            self.meters.update({(link, level): cents for link, level, cents in values or ()})
        except (TypeError, ValueError) as error:
            raise BadFrame("values: triples of link, level and cents are needed") from error
        return True

    def _refused(self, error: dict[str, Any]) -> ConnectionRefused:
        self._replaced = error.get("code") == "replaced"
        servers = error.get("servers")
        self.servers = tuple(map(str, servers)) if isinstance(servers, list) else ()
        return ConnectionRefused(error)

    def _close(self, reason: str) -> SessionClosed:
        self.state = SessionState.CLOSED
        return SessionClosed(None, reason)

    def _send(self, message: Mapping[str, Any], now: float) -> None:
        self._out.append(encode(message))
        self._said_at = now

    # Overridden by tables and signs.

    def _hello_facts(self) -> dict[str, Any]:
        return {}

    def _welcomed(self, message: dict[str, Any], now: float) -> None:
        """Resume after the welcome on a new connection."""

    def _answered(self, message: dict[str, Any], events: list[DeviceEvent], now: float) -> None:
        """Handle the answer to a command; only a table has any."""


class SignSession(DeviceSession):
    """A sign: shows `meters` while `showing`, its fault state otherwise. links: None for all of its own."""

    role = "sign"

    def __init__(
        self, device: str, key: bytes, random: Callable[[], float], links: Sequence[str] | None = None
    ) -> None:
        super().__init__(device, key, random)
        self._links = links

    @property
    def showing(self) -> bool:
        """Whether the server is connected and its values are fresh."""
        return self.state in WELCOMED

    def _hello_facts(self) -> dict[str, Any]:
        return {} if self._links is None else {"links": list(self._links)}


def _positive(message: Mapping[str, Any], field: str) -> int:
    value = message.get(field)
    if type(value) is not int or value < 1:
        raise BadFrame(f"{field}: a number above zero is needed")
    return value
