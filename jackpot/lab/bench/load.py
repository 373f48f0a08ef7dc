"""Load generator, a process of its own so that its cost is not counted as the server's.

    python -m jackpot.lab.bench.load < job    a Job in; `begin`, `end` and a Load out, a line each

`begin` and `end` are said at the moments between which everything counts. A closed load has so many frames
unanswered a client at any time: it measures how much a server can do. An open load sends each frame when it
is due, whatever was answered until then, so a slow answer hides no other: it measures how long answers take.
"""

import asyncio
import sys
import time
from abc import abstractmethod
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Final, Literal

import asyncpg
import msgspec
from redis.asyncio import Redis
from redis.exceptions import RedisError

from controllers.frames import LENGTH_BYTES, decode, encode
from controllers.hello import hello_mac
from jackpot.lab.bench.frames import Script, payload_text

# At the end a round in flight is finished; after this timeout it counts as lost.
LAST_ANSWER_S: Final = 30.0
# Delay from the beginning to the end of a round in an open load, in which the cards are dealt.
DEALT_S: Final = 0.25
# Where nothing was answered in the window, it is extended by this, again and again.
AGAIN_S: Final = 0.05
PERCENTILES: Final = (50, 90, 99)
# Amount that one wager of the bench adds to a meter of the other designs, in micro-dollars.
MORE: Final = 90_000

_ACK: Final = b"\xa1t\xa3ack"

Kind = Literal["table", "echo", "redis", "redis-py", "function"]


class LoadError(Exception):
    """The other side did not answer as a server must; the text quotes the answer."""


class Job(msgspec.Struct, frozen=True):
    """Job. clients: how many. keys: of the tables in hex, by id. flight: unanswered frames a client.

    warm: seconds before those that count. hands: rounds end with a settlement. rate: rounds a second of all
    clients together, for an open load; 0 for a closed one. url: of a database. script: in Redis, its SHA-1.
    run: makes the keys in Redis, or the devices in the database, those of this run.
    """

    kind: Kind
    clients: int
    seconds: float
    warm: float
    port: int = 0
    keys: dict[str, str] = {}
    flight: int = 1
    hands: bool = False
    rate: float = 0
    url: str = ""
    script: str = ""
    run: int = 0


class LoadResult(msgspec.Struct, frozen=True):
    """Result. frames: answered in the window. cpu: processor seconds that the load itself used in it.

    latencies: seconds from sending a wager to its answer, by percentile, and the worst under "max"; late: how
    much later than due they were sent. Both only of an open load.
    """

    frames: int
    seconds: float
    cpu: float
    latencies: dict[str, float] = {}
    late: dict[str, float] = {}


def percentiles(values: list[float]) -> dict[str, float]:
    """The usual percentiles by name, and the maximum; nearest rank, without interpolation."""
    if not values:
        raise LoadError("nothing was measured: give it more time")
    ordered = sorted(values)
    found = {f"p{part}": ordered[(len(ordered) * part - 1) // 100] for part in PERCENTILES}
    return {**found, "max": ordered[-1]}


class Window:
    """The measured window. on: whether it is now. over: whether it has passed."""

    def __init__(self) -> None:
        self.on = self.over = False
        self.frames = 0
        self.latencies: list[float] = []
        self.late: list[float] = []
        self.starts = 0.0
        self._seconds = self._cpu = 0.0

    def run(self, job: Job, at_end: Callable[[], None]) -> None:
        """Starts, after the warm-up; the window is extended while nothing was answered."""
        loop = asyncio.get_running_loop()

        def end() -> None:
            if self.latencies if job.rate else self.frames:
                self.end()
                at_end()
            else:
                loop.call_later(AGAIN_S, end)

        self.starts = loop.time()
        loop.call_later(job.warm, self.begin)
        loop.call_later(job.warm + job.seconds, end)

    def begin(self) -> None:
        print("begin", flush=True)
        self._cpu, self._seconds = time.process_time(), time.perf_counter()
        self.on = True

    def end(self) -> None:
        self.on, self.over = False, True
        self._cpu, self._seconds = time.process_time() - self._cpu, time.perf_counter() - self._seconds
        print("end", flush=True)

    def load(self, *, opened: bool) -> LoadResult:
        """The result."""
        if not self.frames:
            raise LoadError("nothing was measured: give it more time")
        if not opened:
            return LoadResult(self.frames, self._seconds, self._cpu)
        late = percentiles(self.late)
        return LoadResult(self.frames, self._seconds, self._cpu, percentiles(self.latencies), late)


class LoadClient(asyncio.Protocol):
    """One connection and its unanswered frames. number: its index among all, from 0.

    ready: set once it may send. done: set once its last frame is answered, or with what went wrong.
    """

    def __init__(self, job: Job, number: int, window: Window) -> None:
        loop = asyncio.get_running_loop()
        self.ready: asyncio.Future[None] = loop.create_future()
        self.done: asyncio.Future[None] = loop.create_future()
        self.job = job
        self.number = number
        self.transport: asyncio.Transport
        self._window = window
        self._loop = loop
        self._sent: deque[tuple[float, bool]] = deque()
        self._unanswered = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - what create_connection gives
        self.transport = transport
        self.opened()

    def data_received(self, data: bytes) -> None:
        try:
            if count := self.answers(data):
                self._answered(count)
        except LoadError as error:
            self._end(error)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end(LoadError(f"client {self.number}: the connection was lost: {exc}"))

    def play(self) -> None:
        """Starts, all clients at about the same time."""
        if not self.job.rate:
            self._send(self.job.flight)
            return
        period = self.job.clients / self.job.rate
        due = self._window.starts + period * self.number / self.job.clients
        self._loop.call_at(due, self._due, due, period)

    def over(self) -> None:
        """The window has passed: the client ends here, or after its last round."""
        if not self._unanswered and self.whole():
            self._end(None)

    def _due(self, due: float, period: float) -> None:
        """A round is due, whatever became of the one before."""
        if self._window.over:
            return
        now = self._loop.time()
        if counts := self._window.on:
            self._window.late.append(now - due)
        self._sent.append((now, counts))
        self._send(1)
        self._loop.call_at(due + DEALT_S, self._dealt)
        self._loop.call_at(due + period, self._due, due + period, period)

    def _dealt(self) -> None:
        self._sent.append((0.0, False))
        self._send(1)

    def _send(self, count: int) -> None:
        self._unanswered += count
        self.transport.write(b"".join([self.request() for _ in range(count)]))

    def _answered(self, count: int) -> None:
        window = self._window
        self._unanswered -= count
        if window.on:
            window.frames += count
        if self.job.rate:
            now = self._loop.time()
            for _ in range(count):
                sent, counts = self._sent.popleft()
                if counts:
                    window.latencies.append(now - sent)
        elif not window.over:
            self._send(count)
        elif not self._unanswered and not self.whole():
            self._send(1)
        if window.over:
            self.over()

    def _end(self, error: LoadError | None) -> None:
        for future in (self.ready, self.done):
            if not future.done():
                if error is None:
                    future.set_result(None)
                else:
                    future.set_exception(error)
                    future.exception()  # only the first is raised

    # Overridden by each kind of client.

    @abstractmethod
    def opened(self) -> None:
        """The connection is made; `ready` is to be set now or later."""

    @abstractmethod
    def request(self) -> bytes:
        """The next frame."""

    @abstractmethod
    def answers(self, data: bytes) -> int:
        """Number of frames that these bytes answer. Raises LoadError."""

    def whole(self) -> bool:
        """Whether the client may end here."""
        return True


class Framed(LoadClient):
    """A client that speaks in frames of the floor protocol."""

    def __init__(self, job: Job, number: int, window: Window) -> None:
        super().__init__(job, number, window)
        self.seq = 0
        self._script = Script(number, hands=job.hands)
        self._buffer = b""

    def request(self) -> bytes:
        self.seq += 1
        return self._script.frame(self.seq)

    def whole(self) -> bool:
        return self.seq % 2 == 0  # no round is left open

    def answers(self, data: bytes) -> int:
        data = self._buffer + data if self._buffer else data
        start = count = 0
        while len(data) >= (body := start + LENGTH_BYTES):
            end = body + int.from_bytes(data[start:body], "big")
            if len(data) < end:
                break
            count += self.answer(data, body, end)
            start = end
        self._buffer = data[start:]
        return count

    @abstractmethod
    def answer(self, data: bytes, body: int, end: int) -> bool:
        """Whether the frame in these bytes is an answer. Raises LoadError."""


class Echoed(Framed):
    """Client of the echo: everything is an answer."""

    def opened(self) -> None:
        self.ready.set_result(None)

    def answer(self, data: bytes, body: int, end: int) -> bool:  # noqa: ARG002 - as its own
        return True


class LoadTable(Framed):
    """Client that plays a table. Every frame must be accepted."""

    def opened(self) -> None:
        self.name = list(self.job.keys)[self.number]

    def answer(self, data: bytes, body: int, end: int) -> bool:
        if data[body + 1 : body + 1 + len(_ACK)] == _ACK:
            return True
        message = decode(data[body:end])
        kind = message["t"]
        if kind == "challenge":
            key = bytes.fromhex(self.job.keys[self.name])
            mac = hello_mac(key, message["nonce"], "table", self.name)
            self._say({"t": "hello", "v": 1, "role": "table", "id": self.name, "mac": mac})
        elif kind == "welcome":
            self.seq = message["last_seq"]
            if not self.whole():
                raise LoadError(f"{self.name}: a round is open already")
            self.ready.set_result(None)
        elif kind == "ping":
            self._say({"t": "pong", "at": message["at"]})
        elif kind in ("nack", "error"):
            raise LoadError(f"{self.name}: {message['code']}: {message['message']}")
        return False

    def _say(self, message: dict[str, object]) -> None:
        self.transport.write(encode(message))


class RedisClient(LoadClient):
    """Minimal Redis client: one connection that runs the script for each frame."""

    def opened(self) -> None:
        self.seq = 0
        key = f"t:{self.job.run}:{self.number}"
        text = payload_text(Script(0, hands=self.job.hands).frame(1))
        self._head = _bulk("*7\r\n", "EVALSHA", self.job.script, "1", key)
        self._tail = _bulk("", str(MORE), text)
        self.ready.set_result(None)

    def request(self) -> bytes:
        self.seq += 1
        return self._head + _bulk("", str(self.seq)) + self._tail

    def answers(self, data: bytes) -> int:
        if b"-" in data:
            raise LoadError(f"Redis: {data.decode(errors='replace').strip()}")
        return data.count(b"\n")


def _bulk(start: str, *words: str) -> bytes:
    return (start + "".join(f"${len(word)}\r\n{word}\r\n" for word in words)).encode()


async def call_function(job: Job, window: Window) -> None:
    """Clients of asyncpg; each calls the database's function for one frame after the other."""
    connections = [await asyncpg.connect(job.url) for _ in range(job.clients)]
    try:
        await connections[0].execute(
            "INSERT INTO device SELECT n, 0 FROM generate_series($1::int, $1::int + $2::int - 1) n",
            job.run,
            job.clients,
        )
        prepared = [await one.prepare("SELECT frame($1, $2, $3, $4)") for one in connections]
        bodies = [Script(number, hands=job.hands).frame(1)[LENGTH_BYTES:] for number in range(job.clients)]
        await _one_by_one(job, window, lambda n, seq: prepared[n].fetchval(job.run + n, seq, bodies[n], MORE))
    finally:
        for connection in connections:
            await connection.close()


async def call_script(job: Job, window: Window) -> None:
    """Clients of redis-py; each runs the script for one frame after the other. Raises RedisError."""
    text = payload_text(Script(0, hands=job.hands).frame(1))
    async with AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(Redis(port=job.port, single_connection_client=True))
            for _ in range(job.clients)
        ]
        await _one_by_one(
            job,
            window,
            lambda n, seq: clients[n].evalsha(job.script, 1, f"p:{job.run}:{n}", seq, MORE, text),
        )


async def _one_by_one(job: Job, window: Window, call: Callable[[int, int], Awaitable[object]]) -> None:
    """Runs a library's clients: each calls for its next frame when the last one is answered."""

    async def client(number: int) -> None:
        seq = 0
        while not window.over:
            seq += 1
            await call(number, seq)
            if window.on:
                window.frames += 1

    window.run(job, lambda: None)
    await asyncio.gather(*(client(number) for number in range(job.clients)))


_KINDS: Final[dict[Kind, type[LoadClient]]] = {"table": LoadTable, "echo": Echoed, "redis": RedisClient}
_BY_LIBRARY: Final = {"function": call_function, "redis-py": call_script}


async def play(job: Job, window: Window) -> None:
    """Runs all clients on connections of our own to the end. Raises LoadError, OSError."""
    loop = asyncio.get_running_loop()
    kind = _KINDS[job.kind]
    clients: list[LoadClient] = []

    def over() -> None:
        for client in clients:
            client.over()

    try:
        async with asyncio.timeout(LAST_ANSWER_S + job.warm + job.seconds):
            for number in range(job.clients):
                _, client = await loop.create_connection(
                    lambda number=number: kind(job, number, window),  # type: ignore[misc]
                    "127.0.0.1",
                    job.port,
                )
                clients.append(client)
            await asyncio.gather(*(client.ready for client in clients))
            window.run(job, over)
            for client in clients:
                client.play()
            await asyncio.gather(*(client.done for client in clients))
    except TimeoutError as error:
        raise LoadError(f"no answer within {LAST_ANSWER_S:.0f} s") from error
    finally:
        for client in clients:
            client.transport.close()


async def load(job: Job) -> LoadResult:
    """Runs the job. Raises LoadError, OSError, asyncpg's errors."""
    window = Window()
    await _BY_LIBRARY.get(job.kind, play)(job, window)
    return window.load(opened=bool(job.rate))


def main() -> None:
    """Main function of the process: an error is one line and exit code 1."""
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=Job)
    try:
        found = asyncio.run(load(job))
    except (LoadError, OSError, RedisError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        sys.exit(str(error))
    print(msgspec.json.encode(found).decode(), flush=True)


if __name__ == "__main__":
    main()
