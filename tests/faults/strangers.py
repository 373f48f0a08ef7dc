"""Simulated unauthenticated peers. Each visits once, on a connection of its own.

A stranger hears a challenge and at most one error, whatever it sends; within seconds its connection is over.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final, Protocol

import msgpack

from controllers.frames import LENGTH_BYTES, STRANGER_MAX, FrameReader, decode, encode
from controllers.hello import hello_mac
from tests.faults.difference import Difference
from tests.faults.dying import Mood
from tests.faults.house import keys
from tests.faults.network import Timeline, Weather, Wire

# A server in good health lets a stranger stay for 7 s; a lagging one, or a frozen one, somewhat longer.
STAYS_S: Final = 60.0
# Of those who come, how many on a socket that dies at one of so many calls.
DIES: Final = 0.4
CALLS: Final = 12
# Between two bytes of one who sends them singly.
SLOW_S: Final = 0.5

CODES: Final = frozenset({"auth_failed", "bad_frame", "too_many"})


class World(Protocol):
    """Callbacks from a stranger to the simulation."""

    timeline: Timeline
    weather: Weather

    def servers(self, device: str) -> tuple[str, ...]: ...
    def accept(self, wire: Wire, role: str, server: str) -> float | None: ...


class Stranger:
    """One visit. claims: the device whose id it uses. over: whether its connection is."""

    def __init__(self, world: World, random: Random, role: str, claims: str) -> None:
        self.over = False
        self.kind = random.choice(sorted(KINDS))
        self._world = world
        self._random = random
        self._role = role
        self._claims = claims
        self._heard: list[str] = []
        self._frames = FrameReader()
        self._came = world.timeline.now
        mood = Mood(random, CALLS) if random.random() < DIES else None
        self._wire = Wire(world.timeline, random, world.weather, mood)
        server = random.choice(world.servers("S1" if role == "sign" else "T1"))
        if world.accept(self._wire, role, server) is not None:
            self.over = True
            return
        self._wire.device.receive, self._wire.device.ended = self._receive, self._ended

    def judge(self) -> None:
        """Advances time. Raises Difference where the connection is still open after too long."""
        self.over = self.over or not self._wire.whole
        if not self.over and self._world.timeline.now - self._came > STAYS_S:
            raise Difference(f"a stranger is still there after {STAYS_S:.0f} s: {self.kind}, {self._heard}")

    def _ended(self) -> None:
        self.over = True
        self._wire.device.close()

    def _receive(self, data: bytes) -> None:
        for payload in self._frames.feed(data):
            message = decode(payload)
            self._heard.append(str(message.get("code", message["t"])))
            if self._heard[0] != "challenge" or not CODES.issuperset(self._heard[1:]) or len(self._heard) > 2:
                raise Difference(f"a stranger ({self.kind}) hears {self._heard}: {message}")
            if message["t"] == "challenge":
                KINDS[self.kind](self, message["nonce"])

    def _send(self, data: bytes) -> None:
        if self._wire.whole and not self.over:
            self._wire.device.send(data)

    def _hello(self, mac: bytes, **fields: Any) -> bytes:
        hello = {"t": "hello", "v": 1, "role": self._role, "id": self._claims, "mac": mac}
        return encode(hello | fields)

    def _right(self, nonce: bytes) -> bytes:
        key = keys(self._role, self._claims)[0]
        return hello_mac(key, nonce, self._role, self._claims)

    # What they do

    def _silent(self, _nonce: bytes) -> None:
        """Says nothing."""

    def _half(self, nonce: bytes) -> None:
        hello = self._hello(self._right(nonce))
        self._send(hello[: self._random.randrange(1, len(hello) - 1)])

    def _slow(self, nonce: bytes) -> None:
        hello = self._hello(self._right(nonce))
        for number, byte in enumerate(hello):
            self._world.timeline.after(number * SLOW_S, lambda byte=byte: self._send(bytes([byte])))  # type: ignore[misc]

    def _garbage(self, _nonce: bytes) -> None:
        self._send(self._random.randbytes(self._random.randrange(1, 9_000)))

    def _wrong(self, _nonce: bytes) -> None:
        self._send(self._hello(self._random.randbytes(32)))

    def _unknown(self, nonce: bytes) -> None:
        self._claims = self._random.choice(["nobody", "X" * 64, "X" * 4_000, "\0\n", "../T1", "T1 "])
        self._send(self._hello(self._right(nonce)))

    def _replay(self, _nonce: bytes) -> None:
        """A hello that was right once, on another connection; and one that gives its own nonce back."""
        self._send(self._hello(self._right(self._random.randbytes(16))))

    def _other_role(self, nonce: bytes) -> None:
        """Says a hello whose key is valid for the other listener only."""
        role = "table" if self._role == "sign" else "sign"
        mac = hello_mac(keys(role, self._claims)[0], nonce, role, self._claims)
        self._send(self._hello(mac, role=role))

    def _length(self, _nonce: bytes) -> None:
        length = self._random.choice([0, STRANGER_MAX + 1, 65_536, 65_537, 2**31, 2**32 - 1])
        self._send(length.to_bytes(LENGTH_BYTES, "big") + bytes(self._random.randrange(20)))

    def _longest(self, _nonce: bytes) -> None:
        """A frame that has the last byte that a stranger may send, and nothing in it."""
        self._send(STRANGER_MAX.to_bytes(LENGTH_BYTES, "big") + b"\xc0" * STRANGER_MAX)

    def _deep(self, _nonce: bytes) -> None:
        open_ = self._random.choice([b"\x91", b"\x81\xa1t", b"\xdc\xff\xff", b"\xdf\xff\xff\xff\xff"])
        payload = (open_ * STRANGER_MAX)[:STRANGER_MAX]
        self._send(len(payload).to_bytes(LENGTH_BYTES, "big") + payload)

    def _odd(self, nonce: bytes) -> None:
        """A hello that is right but for a field of another kind, or none."""
        odd: Any = self._random.choice([None, -1, 2**64 - 1, 0.5, "", b"", [[]] * 99, {"t": {}}, True])
        fields = {"t": "hello", "v": 1, "role": self._role, "id": self._claims, "mac": self._right(nonce)}
        fields[self._random.choice([*fields])] = odd
        if odd not in (1, True):
            self._send(_framed(fields))

    def _command(self, _nonce: bytes) -> None:
        """Commands without having greeted."""
        self._send(encode({"t": "void", "seq": 1, "round": "R1", "reason": "hello"}) * 3)

    def _hang_up(self, _nonce: bytes) -> None:
        self._world.timeline.after(self._random.random() * 6, self._ended)

    def _vanish(self, _nonce: bytes) -> None:
        """Drops the connection silently."""
        self._wire.cut(device_told=False, server_told=False)
        self.over = True


def _framed(fields: dict[str, Any]) -> bytes:
    payload: bytes = msgpack.packb(fields)
    return len(payload).to_bytes(LENGTH_BYTES, "big") + payload


KINDS: Final[dict[str, Callable[[Stranger, bytes], None]]] = {
    "silent": Stranger._silent,
    "half": Stranger._half,
    "slow": Stranger._slow,
    "garbage": Stranger._garbage,
    "wrong": Stranger._wrong,
    "unknown": Stranger._unknown,
    "replay": Stranger._replay,
    "other role": Stranger._other_role,
    "length": Stranger._length,
    "longest": Stranger._longest,
    "deep": Stranger._deep,
    "odd": Stranger._odd,
    "command": Stranger._command,
    "hang up": Stranger._hang_up,
    "vanish": Stranger._vanish,
}
