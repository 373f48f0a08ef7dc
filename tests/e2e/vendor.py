"""A device as another maker would write it: raw sockets, struct, msgpack and hmac; nothing of ours.

Written from the protocol's text alone, so that a test fails where the text and the server differ.
"""

import hmac
import socket
import struct
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Self

import msgpack

from tests import ceilings

WAIT_S: Final = ceilings.WAIT_S

Message = dict[str, Any]


class Ended(Exception):
    """The server closed the connection, or it broke."""


def pack(message: Any) -> bytes:
    """Encodes one frame."""
    body = msgpack.packb(message)
    return struct.pack(">I", len(body)) + body


def raw(body: bytes) -> bytes:
    """Frames any bytes."""
    return struct.pack(">I", len(body)) + body


def pairs(*entries: tuple[Any, Any]) -> bytes:
    """A MessagePack map of these entries as they stand: equal keys, any order, any keys."""
    body = struct.pack(">BH", 0xDE, len(entries))
    return body + b"".join(msgpack.packb(key) + msgpack.packb(value) for key, value in entries)


def padded(message: Message, size: int) -> bytes:
    """A frame of exactly `size` bytes: the message and an unknown key that fills it."""
    body = msgpack.packb({**message, "zz": b""}, use_bin_type=True)
    room = size - len(body) - 3  # bin32 has 3 bytes of size more than bin8
    filled = body[:-2] + b"\xc6" + struct.pack(">I", room) + b"z" * room
    assert len(filled) == size
    return raw(filled)


class Vendor:
    """One connection to the server; every wait ends after 30 s. heard: all that came, in order."""

    def __init__(self, port: int, receive_buffer: int | None = None) -> None:
        self.socket = socket.socket()
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(WAIT_S)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.heard: list[Message] = []
        self.seq = 0
        self.links: list[str] = []
        self._bytes = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    # Bytes

    def put(self, data: bytes) -> None:
        try:
            self.socket.sendall(data)
        except ConnectionError as error:
            raise Ended from error

    def say(self, message: Mapping[str, Any] | None = None, /, **fields: Any) -> None:
        self.put(pack({**(message or {}), **fields}))

    def frame(self) -> Message:
        """The next frame, whatever it is; Ended at the connection's end, TimeoutError after 30 s."""
        while len(self._bytes) < 4 or len(self._bytes) < 4 + struct.unpack(">I", self._bytes[:4])[0]:
            try:
                data = self.socket.recv(262_144)
            except ConnectionError as error:
                raise Ended from error
            if not data:
                raise Ended
            self._bytes += data
        size = struct.unpack(">I", self._bytes[:4])[0]
        assert 1 <= size <= 65_536
        body, self._bytes = self._bytes[4 : 4 + size], self._bytes[4 + size :]
        message = msgpack.unpackb(body)
        assert isinstance(message, dict)
        assert isinstance(message["t"], str)
        self.heard.append(message)
        return message

    def hear(self, fits: Callable[[Message], bool]) -> Message:
        """The next frame that fits; pings on the way are answered."""
        ends = time.monotonic() + WAIT_S
        while time.monotonic() < ends:
            message = self.frame()
            if message["t"] == "ping":
                self.say(t="pong", at=message["at"])
            if fits(message):
                return message
        raise TimeoutError

    def next(self, *types: str) -> Message:
        """The next message of one of these types."""
        return self.hear(lambda message: message["t"] in types)

    def error(self) -> Message:
        """The error before the server closes; nothing may follow it."""
        last = self.next("error")
        assert set(last) >= {"t", "code", "message"}
        self.gone()
        assert self.heard[-1] is last
        return last

    def gone(self) -> None:
        """Waits until the server has closed the connection."""
        try:
            self.hear(lambda _message: False)
        except Ended:
            return

    # Conversation

    def challenge(self) -> bytes:
        message = self.frame()
        assert set(message) == {"t", "v", "nonce", "server"}
        assert message["t"] == "challenge"
        assert message["v"] == 1
        assert len(message["nonce"]) == 16
        return bytes(message["nonce"])

    def proof(self, key: bytes, role: str, device: str, **more: Any) -> Message:
        """The hello for the challenge, not sent yet."""
        nonce = self.challenge()
        mac = hmac.new(key, nonce + role.encode() + b"\0" + device.encode(), "sha256").digest()
        return {"t": "hello", "v": 1, "role": role, "id": device, "mac": mac, **more}

    def hello(self, key: bytes, role: str, device: str, **more: Any) -> None:
        self.say(self.proof(key, role, device, **more))

    def welcome(self) -> Message:
        message = self.next("welcome", "error")
        assert message["t"] == "welcome", message
        self.seq = message["last_seq"]
        self.links = [link["link"] for link in message["links"]]
        return message

    # A table's commands

    def command(self, t: str, **fields: Any) -> Message:
        """A command with the next number, not sent yet."""
        self.seq += 1
        return {"t": t, "seq": self.seq, **fields}

    def answer(self, seq: int) -> Message:
        found = self.hear(lambda message: message["t"] in {"ack", "nack"} and message["seq"] == seq)
        if found.get("expected") is not None:
            self.seq = found["expected"] - 1
        return found

    def ask(self, t: str, **fields: Any) -> Message:
        """Sends a command; returns its answer, whatever it is."""
        command = self.command(t, **fields)
        self.say(command)
        return self.answer(command["seq"])

    def ack(self, t: str, **fields: Any) -> Message:
        found = self.ask(t, **fields)
        assert found["t"] == "ack", found
        return found

    def nack(self, t: str, **fields: Any) -> str:
        """The code of a command's refusal; checks every field of it against the protocol."""
        found = self.ask(t, **fields)
        assert found["t"] == "nack", found
        assert set(found) <= {"t", "seq", "code", "message", "expected", "hits"}
        free = found["code"] in {
            "seq_conflict",
            "seq_old",
            "seq_gap",
            "not_active",
            "suspended",
            "table_held",
        }
        assert ("expected" in found) == free, found
        return str(found["code"])


def bets(link: str, seats: Iterable[int], amount: int = 100, **more: Any) -> list[Message]:
    """Plain wagers of some seats on one link."""
    return [{"seat": seat, "link": link, "amount": amount, **more} for seat in seats]
