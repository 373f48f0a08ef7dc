"""How is the server loaded for a measurement? Tables that play without a pause, in a process of their own.

    python -m jackpot.lab.load < job    one JSON object in (Job), one out (Load)

Each table has one connection and one round at a time: a wager with the lock and a settlement with the close,
sent together, then the next round once both are answered. Against an echo the same bytes are sent and read.
"""

import asyncio
import sys
import time
from typing import Final

import msgspec

from controllers.frames import FRAME_MOST, FrameReader, decode, encode
from controllers.hello import hello_mac
from jackpot.lab.house import WAGER_CENTS

# Hands of Let It Ride that win nothing on this board, so that every round is alike.
BOARD: Final = ("2s", "7h")
HANDS: Final = (
    ("4d", "9c", "Ks"),
    ("4h", "9d", "Kc"),
    ("4s", "9h", "Kd"),
    ("5d", "Tc", "Qs"),
    ("5h", "Td", "Qc"),
)
# At the end a round in flight is finished; a server that takes longer than this has lost it.
LAST_ROUND_S: Final = 30.0
PERCENTILES: Final = (50, 90, 99)


class LoadError(Exception):
    """The other side did not answer as a server must; its text says what it said."""


class Job(msgspec.Struct, frozen=True):
    """keys: of each table in hex. seconds: measured, after `warm` seconds that are not. echo: no server."""

    host: str
    port: int
    link: str
    keys: dict[str, str]
    seconds: float
    warm: float
    echo: bool


class Load(msgspec.Struct, frozen=True):
    """What was measured. rounds: in the measured time. played: from first to last. latencies: seconds from
    sending a wager to its answer, by percentile, and the worst under "max".
    """

    rounds: int
    played: int
    seconds: float
    latencies: dict[str, float]


def percentiles(values: list[float]) -> dict[str, float]:
    """The usual percentiles by name, and the worst; nearest rank, nothing is interpolated."""
    if not values:
        raise LoadError("nothing was measured: give it more time")
    ordered = sorted(values)
    found = {f"p{part}": ordered[(len(ordered) * part - 1) // 100] for part in PERCENTILES}
    return {**found, "max": ordered[-1]}


class Table(asyncio.Protocol):
    """One table. over: set once its last round is answered, or with what went wrong."""

    def __init__(self, job: Job, table: str) -> None:
        self.played = 0
        self.measured: list[float] = []
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._job = job
        self._table = table
        self._frames = FrameReader(FRAME_MOST)
        self._seq = 0
        self._sent_at = 0.0
        self._answers = 0
        self._counts_from = self._ends = time.perf_counter()
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - what create_connection gives
        self._transport = transport
        if self._job.echo:
            self._begin(0)

    def data_received(self, data: bytes) -> None:
        self._frames.add(data)
        try:
            while (payload := self._frames.next_frame()) is not None:
                self._take(payload)
        except LoadError as error:
            self._end(error)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end(LoadError(f"{self._table}: the connection was lost: {exc}"))

    def _end(self, error: LoadError | None) -> None:
        if not self.over.done():
            if error is None:
                self.over.set_result(None)
            else:
                self.over.set_exception(error)

    def _take(self, payload: bytes) -> None:
        message = decode(payload)
        kind = message["t"]
        if kind == "challenge":
            mac = hello_mac(
                bytes.fromhex(self._job.keys[self._table]), message["nonce"], "table", self._table
            )
            hello = {"t": "hello", "v": 1, "role": "table", "id": self._table, "mac": mac}
            self._transport.write(encode(hello))
        elif kind == "welcome":
            self._begin(message["last_seq"])
        elif kind in ("ack", "wager", "settle"):
            self._answered()
        elif kind == "ping":
            self._transport.write(encode({"t": "pong", "at": message["at"]}))
        elif kind in ("nack", "error"):
            raise LoadError(f"{self._table}: {message['code']}: {message['message']}")

    def _begin(self, last_seq: int) -> None:
        self._seq = last_seq
        self._counts_from = time.perf_counter() + self._job.warm
        self._ends = self._counts_from + self._job.seconds
        self._play()

    def _play(self) -> None:
        """One round: two frames in one write."""
        name, link, seats = f"B{self._seq}", self._job.link, range(len(HANDS), 0, -1)
        bets = [{"seat": seat, "link": link, "amount": WAGER_CENTS} for seat in seats]
        hands = [{"seat": seat, "cards": list(HANDS[seat - 1])} for seat in seats]
        wager = {"t": "wager", "seq": self._seq + 1, "round": name, "bets": bets, "lock": True}
        settle = {"t": "settle", "seq": self._seq + 2, "round": name, "hands": hands, "board": list(BOARD)}
        self._seq += 2
        frames = encode(wager) + encode({**settle, "close": True})
        self._sent_at = time.perf_counter()
        self._transport.write(frames)

    def _answered(self) -> None:
        now = time.perf_counter()
        self._answers += 1
        counts = self._counts_from <= now < self._ends
        if self._answers % 2:
            self._latency = now - self._sent_at
            return
        self.played += 1
        if counts:
            self.measured.append(self._latency)
        if now < self._ends:
            self._play()
        else:
            self._end(None)

    def close(self) -> None:
        """Disconnects; every round is finished."""
        self._transport.close()


async def load(job: Job) -> Load:
    """Plays the job. Raises LoadError, OSError."""
    loop = asyncio.get_running_loop()
    tables: list[Table] = []
    for name in job.keys:
        _, table = await loop.create_connection(lambda name=name: Table(job, name), job.host, job.port)  # type: ignore[misc]
        tables.append(table)
    try:
        async with asyncio.timeout(job.warm + job.seconds + LAST_ROUND_S):
            await asyncio.gather(*(table.over for table in tables))
    except TimeoutError as error:
        raise LoadError(f"no answer within {LAST_ROUND_S:.0f} s") from error
    finally:
        for table in tables:
            table.close()
    measured = [latency for table in tables for latency in table.measured]
    played = sum(table.played for table in tables)
    return Load(len(measured), played, job.seconds, percentiles(measured))


def main() -> None:
    """The process: a job in, what was measured out; an error is one line and exit code 1."""
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=Job)
    try:
        found = asyncio.run(load(job))
    except (LoadError, OSError) as error:
        sys.exit(str(error))
    sys.stdout.buffer.write(msgspec.json.encode(found) + b"\n")


if __name__ == "__main__":
    main()
