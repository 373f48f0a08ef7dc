"""Process that holds a whole floor's connections: it answers pings, and reconnects all at once.

    python -m jackpot.lab.bench.crowd < asked    a Crowd in on the first line, then an Order a line; each is
                                                 answered by a line of JSON once it is done

A member waits before each new connection as WIRE asks of a device.
"""

import asyncio
import random
import resource
import sys
import time
from functools import lru_cache
from typing import Any, Final, Literal

import msgspec

from controllers.frames import LENGTH_BYTES, decode, encode
from controllers.hello import hello_mac
from jackpot.lab.bench.frames import Script
from jackpot.lab.bench.load import percentiles

# Reconnect delays that the protocol asks of devices: doubled up to the maximum, times a random 0.5 to 1.
WAIT_S: Final = 0.2
WAIT_MAX_S: Final = 10.0
# The pause before a wager that signs are to show: any part of the window in which values are gathered.
PAUSE_MAX_S: Final = 0.2
# Timeout for all connections of a floor.
SERVED_WITHIN_S: Final = 300.0
_PING: Final = b"\xa1t\xa4ping"


class ConnectionCrowd(msgspec.Struct, frozen=True):
    """Job of the process.

    ports, keys: by role; keys in hex, by id. player: a table that plays for the signs.
    """

    ports: dict[str, int]
    keys: dict[str, dict[str, str]]
    player: tuple[str, str] | None = None


class Order(msgspec.Struct, frozen=True):
    """An order to the process.

    connect: all leave, then all come at once: seconds until each is welcomed, how often one came again.

    watch: for so many seconds, how long from sending a wager to its value at each sign.
    """

    do: Literal["connect", "watch"]
    seconds: float = 0


# Signs of the same links are sent the same bytes, so each is decoded once.
_read: Final = lru_cache(maxsize=64)(decode)


class Caller(asyncio.Protocol):
    """One authenticated connection: answers pings, and passes all else to `hears`."""

    def __init__(self, role: str, name: str, key: str) -> None:
        self.role = role
        self.name = name
        self.transport: asyncio.Transport
        self._key = bytes.fromhex(key)
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - what create_connection gives
        self.transport = transport
        self._buffer = b""

    def data_received(self, data: bytes) -> None:
        data = self._buffer + data if self._buffer else data
        start = 0
        while len(data) >= (body := start + LENGTH_BYTES):
            end = body + int.from_bytes(data[start:body], "big")
            if len(data) < end:
                break
            self._frame(data[body:end])
            start = end
        self._buffer = data[start:]

    def _frame(self, payload: bytes) -> None:
        if payload.startswith(_PING, 1):
            self.say({"t": "pong", "at": decode(payload)["at"]})
            return
        message = _read(payload)
        if message["t"] == "challenge":
            mac = hello_mac(self._key, message["nonce"], self.role, self.name)
            self.say({"t": "hello", "v": 1, "role": self.role, "id": self.name, "mac": mac})
        else:
            self.hears(message)

    def say(self, message: dict[str, object]) -> None:
        self.transport.write(encode(message))

    def hears(self, message: dict[str, Any]) -> None:
        """Handles any message but a challenge or a ping."""


class Member(Caller):
    """A table or a sign that only waits.

    wait: seconds before it reconnects. shown: each meter's value at a sign.
    """

    def __init__(self, floor: "CrowdFloor", role: str, name: str, key: str) -> None:
        super().__init__(role, name, key)
        self.here = False
        self.wait = WAIT_S
        self.shown: dict[tuple[str, str], int] = {}
        self._floor = floor

    def hears(self, message: dict[str, Any]) -> None:
        if message["t"] == "welcome":
            self.here = True
            self.wait = WAIT_S
            self._floor.came()
        elif message["t"] == "meters" and self.role == "sign":
            values = {(link, level): cents for link, level, cents in message["values"]}
            if any(cents > self.shown.get(meter, cents) for meter, cents in values.items()):
                self._floor.saw()
            self.shown |= values

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - it comes again whatever it was
        was, self.here = self.here, False
        self._floor.lost(self, was=was)


class Player(Caller):
    """The one table that plays. welcome: the one it got; answered: set once its last frame is."""

    def __init__(self, name: str, key: str) -> None:
        super().__init__("table", name, key)
        self.welcome: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.answered = asyncio.Event()

    def hears(self, message: dict[str, Any]) -> None:
        if message["t"] == "welcome":
            self.welcome.set_result(message["last_seq"])
        elif message["t"] == "ack":
            self.answered.set()
        elif message["t"] in ("nack", "error"):
            sys.exit(f"{self.name}: {message['code']}: {message['message']}")


class CrowdFloor:
    """All members. again: how often one had to reconnect."""

    def __init__(self, crowd: ConnectionCrowd, group: asyncio.TaskGroup) -> None:
        self._group = group
        self.members = [
            Member(self, role, name, key) for role, keys in crowd.keys.items() for name, key in keys.items()
        ]
        self.signs = sum(member.role == "sign" for member in self.members)
        self.again = 0
        self._crowd = crowd
        self._here = 0
        self._all = asyncio.Event()
        self._coming = False
        self._seen: list[float] = []

    def came(self) -> None:
        self._here += 1
        if self._here == len(self.members):
            self._all.set()

    def saw(self) -> None:
        """A sign shows a higher value than before."""
        self._seen.append(time.perf_counter())
        if len(self._seen) == self.signs:
            self._all.set()

    def lost(self, member: Member, *, was: bool) -> None:
        """A connection was lost, or could not be made; it is retried after its wait."""
        self._here -= was
        if self._coming:
            self.again += 1
            delay = member.wait * random.uniform(0.5, 1.0)
            member.wait = min(2 * member.wait, WAIT_MAX_S)
            asyncio.get_running_loop().call_later(delay, self._call, member)

    def _call(self, member: Member) -> None:
        self._group.create_task(self._connect(member))

    async def _connect(self, member: Member) -> None:
        try:
            await asyncio.get_running_loop().create_connection(
                lambda: member, "127.0.0.1", self._crowd.ports[member.role]
            )
        except OSError:
            self.lost(member, was=False)

    async def connect(self, _seconds: float) -> dict[str, float]:
        """Carries out `connect` of an Order."""
        self._coming = False
        for member in self.members:
            if member.here:
                member.transport.abort()
        while self._here:  # noqa: ASYNC110 - each says so by itself
            await asyncio.sleep(0.01)
        self._all.clear()
        self._coming, self.again = True, 0
        began = time.perf_counter()
        for member in self.members:
            self._call(member)
        await self._all.wait()
        return {"seconds": time.perf_counter() - began, "again": float(self.again)}

    async def watch(self, seconds: float) -> dict[str, float]:
        """Carries out `watch` of an Order."""
        assert self._crowd.player is not None  # noqa: S101 - who orders it gives one
        name, key = self._crowd.player
        player = Player(name, key)
        await asyncio.get_running_loop().create_connection(
            lambda: player, "127.0.0.1", self._crowd.ports["table"]
        )
        seq, script, took = await player.welcome, Script(0, hands=False), list[float]()
        ends = time.perf_counter() + seconds
        while time.perf_counter() < ends or not took:
            await asyncio.sleep(random.uniform(0, PAUSE_MAX_S))
            self._all.clear()
            self._seen.clear()
            seq += 1
            sent = time.perf_counter()
            player.transport.write(script.frame(seq))
            await self._all.wait()
            took += [at - sent for at in self._seen]
            player.answered.clear()
            seq += 1
            player.transport.write(script.frame(seq))
            await player.answered.wait()
        player.transport.close()
        return percentiles(took)


async def orders() -> None:
    """Carries out the orders of standard input until it ends. On a failure it exits with a message."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=2**26)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    crowd = msgspec.json.decode(await reader.readline(), type=ConnectionCrowd)
    async with asyncio.TaskGroup() as group:
        floor = CrowdFloor(crowd, group)
        does = {"connect": floor.connect, "watch": floor.watch}
        while line := await reader.readline():
            order = msgspec.json.decode(line, type=Order)
            try:
                async with asyncio.timeout(SERVED_WITHIN_S):
                    found = await does[order.do](order.seconds)
            except OSError as error:  # which a TimeoutError is too
                sys.exit(str(error) or f"a floor was not served within {SERVED_WITHIN_S:.0f} s")
            print(msgspec.json.encode(found).decode(), flush=True)


def main() -> None:
    """Main function of the process. Raises its limit of file descriptors to the maximum."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    asyncio.run(orders())


if __name__ == "__main__":
    main()
