"""A simulated Redis node and its connections, with the faults of a real one.

Real: what the product says to it (`relay`, `follow`, `line`), to the last argument. False: the node, which
does what the two scripts say (a test holds it against a real one), and the client's connections. Each
connection keeps its order, as TCP does; two of them overtake each other. A message may be lost, as between
the nodes of a cluster, be late, or reach a node whose contents went back to an older copy, or are gone.
"""

from __future__ import annotations

import asyncio
import copy
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any, Final, Self

from redis.exceptions import ConnectionError as Broken
from redis.exceptions import TimeoutError as TooLate

from jackpot.publish import redis_relay
from jackpot.publish.redis_connection import ANSWER_WITHIN_S
from jackpot.publish.redis_relay import OLDER, TAKEN, WHOLE
from tests.faults.difference import Difference
from tests.faults.loops import FalseLoop
from tests.faults.network import Timeline

# Seconds: of a message on its way, on the average; of one that is held up; after a cut has healed.
WAY_S: Final = 0.001
LATE_S: Final = 6.0
HEALS_S: Final = 0.5
# A fault strikes one of so many next messages.
NEXT: Final = 20
# Copies of the contents that a replica may hold, one for each change.
COPIES: Final = 40
# Messages whose time is remembered: more than in any time that a follower is behind.
REMEMBERED: Final = 5_000

Message = dict[str, Any]


@dataclass
class Held:
    """A bank's key in the node. fields: of the hash. until: when it expires, by the node's clock."""

    fields: dict[bytes, bytes] = field(default_factory=dict)
    hits: list[bytes] = field(default_factory=list)
    until: float = 0.0


class FalseRedis:
    """The simulated node. up: it runs; hung: it does nothing. taken: when each message was."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        self.up = True
        self.hung = False
        self.life = 0
        self.taken: dict[tuple[int, ...], float] = {}
        self.connections: list[Wireway] = []
        self._held: dict[bytes, Held] = {}
        self._copies: deque[dict[bytes, Held]] = deque([{}], COPIES)
        self._waiting: deque[Callable[[], None]] = deque()

    # Trouble

    def die(self) -> None:
        """Kills the node with all its contents; its connections are closed."""
        self.up = False
        self._go_back({})

    def start(self) -> None:
        self.up = True

    def fail_over(self, back: int) -> None:
        """Promotes a replica that is so many changes behind."""
        self._go_back(self._copies[max(len(self._copies) - 1 - back, 0)])

    def _go_back(self, held: dict[bytes, Held]) -> None:
        self.life += 1
        self._held = copy.deepcopy(held)
        self._copies = deque([copy.deepcopy(held)], COPIES)
        self._waiting.clear()
        connections, self.connections = self.connections, []
        for connection in connections:
            connection.end()

    def wake(self) -> None:
        """Processes what came while the node hung."""
        self.hung = False
        while self._waiting:
            self._waiting.popleft()()

    def receive(self, life: int, action: Callable[[], None]) -> None:
        """Takes data from a connection."""
        if life != self.life or not self.up:
            return
        if self.hung:
            self._waiting.append(action)
        else:
            action()

    # The two scripts

    def execute(self, script: str, keys: list[bytes], values: list[bytes]) -> Any:
        for key, held in list(self._held.items()):
            if self.timeline.now >= held.until:
                del self._held[key]
        return self._read(keys) if script is redis_relay._READ else self.take(keys, values)

    def _read(self, keys: list[bytes]) -> list[Any]:
        held = self._held.get(keys[0])
        if held is None:
            return [[], [], -2]
        flat = [part for pair in held.fields.items() for part in pair]
        return [flat, list(held.hits), round((held.until - self.timeline.now) * 1000)]

    def take(self, keys: list[bytes], values: list[bytes]) -> bytes:
        """Does what `relay._SCRIPT` does."""
        hash_, _, channel = keys
        held = self._held.get(hash_)
        rev = tuple(map(int, values[:3]))
        before = () if held is None else tuple(int(held.fields[name]) for name in (b"epoch", b"seq", b"beat"))
        if before and not self.newer(rev, before):
            return OLDER
        if before and rev <= before:
            raise Difference(f"Redis takes {rev} after {before}")
        if values[3] == b"":
            held = Held(hits=held.hits if held else [])
        elif held is None or values[3] != b" ".join(b"%d" % part for part in before):
            return WHOLE
        held.fields |= dict(zip((b"epoch", b"seq", b"beat"), values[:3], strict=True))
        hits = int(values[6])
        fields = values[7 + max(hits, 0) :]
        if hits >= 0:
            held.hits = values[7 : 7 + hits]
        held.fields |= dict(zip(fields[::2], fields[1::2], strict=True))
        held.until = self.timeline.now + int(values[4]) / 1000
        self._held[hash_] = held
        self._copies.append(copy.deepcopy(self._held))
        self.taken[rev] = self.timeline.now
        if len(self.taken) > 2 * REMEMBERED:
            self.taken = dict(list(self.taken.items())[REMEMBERED:])
        for connection in tuple(self.connections):
            connection.publish(channel, values[5])
        return TAKEN

    def newer(self, rev: tuple[int, ...], before: tuple[int, ...]) -> bool:
        return rev > before


class Road:
    """One process's path to the node. severed: nothing passes, either way. sends: called for each script."""

    def __init__(
        self, loop: FalseLoop, node: FalseRedis, random: Random, sends: Callable[[], None] = lambda: None
    ) -> None:
        self.loop = loop
        self.node = node
        self.random = random
        self.sends = sends
        self.severed = self.gone = False
        self.lose: list[int] = []
        self.delay: list[int] = []
        self._stuck: list[Callable[[], None]] = []

    def client(self) -> Client:
        return Client(self)

    def arm(self, kind: str) -> None:
        """Arms a fault: one of the next messages from the node is lost, or one to it is late."""
        (self.lose if kind == "lose" else self.delay).append(self.random.randrange(NEXT))

    def struck(self, armed: list[int]) -> bool:
        armed[:] = [left - 1 for left in armed]
        if -1 in armed:
            armed.remove(-1)
            return True
        return False

    def heal(self) -> None:
        self.severed = False
        stuck, self._stuck = self._stuck, []
        for action in stuck:
            action()

    def pass_on(self, action: Callable[[], None]) -> None:
        """Delivers a message, unless the path is cut: then it waits for the cut to heal."""
        if self.severed:
            self._stuck.append(partial(self.pass_on, action))
        else:
            action()


class Wireway:
    """One connection. channel: what it has subscribed to."""

    def __init__(self, road: Road) -> None:
        self.channel = b""
        self.open = True
        self._road = road
        self._node = road.node
        self._life = road.node.life
        self._last = {"up": 0.0, "down": 0.0}
        self._hear: Callable[[Any], None] = lambda _message: None
        self._broken: Callable[[], None] = lambda: None
        self._node.connections.append(self)

    def listen(self, hear: Callable[[Any], None], broken: Callable[[], None]) -> None:
        self._hear, self._broken = hear, broken

    def ask(self, action: Callable[[], Any]) -> None:
        """Sends something to the node, whose answer is heard."""
        late = LATE_S * self._road.random.random() if self._road.struck(self._road.delay) else 0.0

        def arrived() -> None:
            self._node.receive(self._life, lambda: self._down(partial(self._say, action())))

        self._on_its_way("up", arrived, late)

    def publish(self, channel: bytes, data: bytes) -> None:
        if self.channel == channel and not self._road.struck(self._road.lose):
            self._down(partial(self._say, {"type": "smessage", "data": data}))

    def end(self) -> None:
        """The node ends the connection."""
        self._down(lambda: self._broken() if self.open else None)

    def close(self) -> None:
        """The client ends the connection. What it sent still arrives."""
        self.open = False
        if self in self._node.connections:
            self._node.connections.remove(self)

    def _say(self, message: Any) -> None:
        if self.open:
            self._hear(message)

    def _down(self, action: Callable[[], None]) -> None:
        self._on_its_way("down", lambda: self._road.loop.call_soon(action), 0.0)

    def _on_its_way(self, direction: str, action: Callable[[], Any], late: float) -> None:
        now = self._node.timeline.now
        at = max(self._last[direction], now + late + WAY_S * 2 * self._road.random.random())
        self._last[direction] = at
        self._node.timeline.at(at, partial(self._road.pass_on, action))


class Client:
    """The part of redis-py that the server uses: one connection for scripts, one for each channel."""

    def __init__(self, road: Road) -> None:
        self.road = road
        self._connection: Wireway | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_what: object) -> None:
        self._drop()

    async def connect(self) -> Wireway:
        """Raises redis' errors."""
        road = self.road
        if road.severed or road.gone:
            await wait_out(ANSWER_WITHIN_S)
            raise TooLate("Timeout connecting to server")
        await wait_out(2 * WAY_S * road.random.random())
        if not road.node.up:
            raise Broken("Connection refused")
        return Wireway(road)

    async def eval(self, script: str, count: int, *values: Any) -> Any:
        self.road.sends()  # it may leave later, as any message may arrive later
        if self._connection is None or not self._connection.open:
            self._connection = await self.connect()
        wire = [value if isinstance(value, bytes) else str(value).encode() for value in values]
        answer = self.road.loop.create_future()

        def heard(message: Any) -> None:
            if not answer.done():
                answer.set_result(message)

        def broken() -> None:
            if not answer.done():
                answer.set_exception(Broken("Connection closed by server"))
            self._drop()

        self._connection.listen(heard, broken)
        self._connection.ask(partial(self.road.node.execute, script, wire[:count], wire[count:]))
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S):
                return await answer
        except TimeoutError as error:
            raise TooLate("Timeout reading from server") from error
        finally:
            if not answer.done() or answer.cancelled():
                self._drop()

    def pubsub(self) -> Channel:
        return Channel(self)

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class Channel:
    """A subscription."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._connection: Wireway | None = None
        self._arrived: deque[Message | None] = deque()
        self._changed = asyncio.Event()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_what: object) -> None:
        if self._connection is not None:
            self._connection.close()

    async def ssubscribe(self, channel: str) -> None:
        connection = self._connection = await self._client.connect()

        def subscribe() -> Message:
            connection.channel = channel.encode()
            return {"type": "ssubscribe", "data": 1}

        connection.listen(self._hear, lambda: self._hear(None))
        connection.ask(subscribe)

    def _hear(self, message: Message | None) -> None:
        self._arrived.append(message)
        self._changed.set()

    async def get_message(self, timeout: float) -> Message | None:  # noqa: ASYNC109 - as redis-py's
        if not self._arrived:
            self._changed.clear()
            try:
                async with asyncio.timeout(timeout):
                    await self._changed.wait()
            except TimeoutError:
                return None
        message = self._arrived.popleft()
        if message is None:
            raise Broken("Connection closed by server")
        return message


async def wait_out(seconds: float) -> None:
    """Waits so much simulated time in this process, without real waiting."""
    await asyncio.sleep(seconds)
