"""Both sides of one connection, back to back in memory."""

import hmac
from collections.abc import Callable, Sequence
from typing import Any

from controllers.answers import Ack, LinkFacts, Nack, Welcome
from controllers.device import DeviceEvent, DeviceSession
from controllers.frames import FrameReader, decode, encode
from controllers.hello import KeyCheck
from controllers.pace import Limits
from controllers.session import Commanded, Greeted, ServerSession, SessionEvent

KEY = bytes(range(32))
NEW_KEY = bytes(range(1, 33))
NONCE = b"sixteen bytes ok"
LINK = LinkFacts("floor-five", 100, "p", ("meter",), "active")


def keys(role: str, device: str) -> Sequence[bytes]:
    """The keys of the test devices: table T01 with two, sign S01 with one."""
    return {("table", "T01"): [KEY, NEW_KEY], ("sign", "S01"): [KEY]}.get((role, device), [])


def server(limits: Limits | None = None, now: float = 0.0, common_name: str | None = None) -> ServerSession:
    return ServerSession(KeyCheck(NONCE, "north", keys, common_name), limits or Limits(), now)


def welcome(**facts: Any) -> Welcome:
    """The welcome of a table that has done nothing yet."""
    table = {"last_seq": 0, "last": None, "held": False, "round": None}
    given: dict[str, Any] = {"session": "s1", "heartbeat_ms": 5000, "links": (LINK,)} | table | facts
    return Welcome(v=1, **given)


def hello(key: bytes = KEY, role: str = "table", device: str = "T01", **facts: Any) -> bytes:
    mac = hmac.digest(key, NONCE + role.encode() + b"\0" + device.encode(), "sha256")
    return encode({"t": "hello", "v": 1, "role": role, "id": device, "mac": mac} | facts)


def said(session: ServerSession | DeviceSession) -> list[dict[str, Any]]:
    """The decoded output of a side."""
    return [decode(payload) for payload in FrameReader().feed(session.data_to_send())]


def welcomed(limits: Limits | None = None, role: str = "table") -> ServerSession:
    """A session whose device was just welcomed, at 0 s, with no output left."""
    session = server(limits)
    (greeted,) = session.receive_bytes(hello(role=role, device="T01" if role == "table" else "S01"), 0.0)
    assert isinstance(greeted, Greeted)
    session.welcome(welcome(heartbeat_ms=session.limits.heartbeat_ms))
    session.data_to_send()
    return session


def lock(seq: int, round_id: str = "R1") -> bytes:
    return encode({"t": "lock", "seq": seq, "round": round_id})


def heard(session: ServerSession, data: bytes, now: float) -> list[SessionEvent]:
    """All events of these bytes, over as many turns as they take."""
    events = session.receive_bytes(data, now)
    while session.waiting:
        events += session.tick(now)
    return events


def ack(command: Commanded) -> Ack:
    return Ack(command.seq)


class Ledger:
    """Minimal backend of a server: numbers, kept answers, in the order that the protocol requires."""

    def __init__(self) -> None:
        self.seq = 0
        self.answers: dict[int, tuple[bytes, Ack | Nack]] = {}
        self.applied: list[Any] = []
        self.suspended = False

    @property
    def last(self) -> Ack | Nack | None:
        return self.answers[self.seq][1] if self.seq else None

    def decide(self, command: Commanded) -> Ack | Nack:
        if command.seq in self.answers:
            digest, answer = self.answers[command.seq]
            return answer if digest == command.digest else self._back(command, "seq_conflict")
        if command.seq != self.seq + 1:
            return self._back(command, "seq_gap")
        if self.suspended and type(command.message).__name__ == "Wager":
            return self._back(command, "suspended")
        self.seq += 1
        self.applied.append(command.message)
        self.answers[self.seq] = command.digest, ack(command)
        return ack(command)

    def _back(self, command: Commanded, code: str) -> Nack:
        return Nack(command.seq, code, code, self.seq + 1)


class Pair:
    """A device and the server's session, connected in memory, on one clock that the test moves."""

    def __init__(self, device: DeviceSession, ledger: Ledger | None = None) -> None:
        self.device = device
        self.ledger = ledger or Ledger()
        self.now = 0.0
        self.seen: list[SessionEvent] = []
        self.held: list[Commanded] = []
        self.answering = True
        self.connect()

    def connect(self) -> None:
        self.server = server(now=self.now)
        self.held = []
        self.device.connected(self.now)

    def cut(self) -> None:
        self.device.disconnected(self.now)

    def run(self, lose: Callable[[bytes], bytes] = lambda data: data) -> list[DeviceEvent]:
        """Carries bytes both ways until both are silent; lose may shorten what the device gets."""
        events: list[DeviceEvent] = []
        while True:
            to_device, to_server = lose(self.server.data_to_send()), self.device.data_to_send()
            if not to_device and not to_server and not self.server.waiting:
                return events
            if to_device:
                events += self.device.receive_bytes(to_device, self.now)
            for event in self.server.receive_bytes(to_server, self.now):
                self._serve(event)
            self.release()

    def release(self) -> None:
        """Sends held answers, where the server answers at all."""
        while self.answering and self.held:
            self.server.answer(self.ledger.decide(self.held.pop(0)))

    def _serve(self, event: SessionEvent) -> None:
        self.seen.append(event)
        if isinstance(event, Greeted):
            self.server.welcome(welcome(last_seq=self.ledger.seq, last=self.ledger.last))
        elif isinstance(event, Commanded):
            self.held.append(event)
