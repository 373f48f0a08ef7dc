"""Signs behind signage processes see the server's own values in order, whatever dies in between."""

import asyncio
import json
import signal
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import aiohttp

from jackpot.config import Config, load
from jackpot.lab.testing.redis import RedisServer
from tests.e2e.site import Program, Site, running
from tests.e2e.vendor import bets
from tests.running_server import Reached, on_loop, sign, until
from tests.web.receivers import events, udp_receiver

LINK = "five"
FLOOR = """
[redis]
url = "{redis}"
[[signage]]
id = "hall"
signs = "127.0.0.1:0"
http = "127.0.0.1:0"
[[signage]]
id = "bar"
signs = "127.0.0.1:0"
http = "127.0.0.1:0"
public = "127.0.0.1:0"
[[udp_sign]]
address = "127.0.0.1:{udp}"
links = ["five"]
format = "{{level}}:{{amount}}"
sender = "hall"
[[link]]
id = "five"
paytable = "pa-643a-five-card-C"
wager = "1.00"
decks = 1
count_chips = false
"""


class Far:
    """A signage process and its addresses for a receiver."""

    def __init__(self, program: Program, config: Config) -> None:
        self.config = config
        self.ports = program.ports


class Seen:
    """Record of one receiver: the mega level with its rev (none on UDP), and the link's states."""

    def __init__(self) -> None:
        self.values: list[tuple[int, int]] = []
        self.states: list[str] = []

    def take(self, message: dict[str, object]) -> None:
        if message["t"] == "state":
            self.states.append(str(message["state"]))
        elif message["t"] == "meters":
            for _, level, cents in message["values"]:  # type: ignore[attr-defined]
                if level == "mega":
                    self.values.append((int(str(message["rev"])), cents))

    @property
    def order(self) -> list[int]:
        """The amounts in order, without consecutive repeats."""
        amounts = [cents for _, cents in self.values]
        return [cents for at, cents in enumerate(amounts) if not at or amounts[at - 1] != cents]


async def by_tcp(place: Reached, seen: Seen, name: str) -> None:
    async with sign(place, name) as device:
        while True:
            seen.take(await device.type("meters", "state"))


async def by_websocket(place: Reached, seen: Seen, port: str) -> None:
    url = f"http://127.0.0.1:{place.ports[port]}/ws/meters?links={LINK}"
    async with aiohttp.ClientSession() as session, session.ws_connect(url) as stream:
        async for message in stream:
            seen.take(json.loads(message.data))


async def by_udp(receiver: socket.socket, seen: Seen) -> None:
    loop = asyncio.get_running_loop()
    while True:
        text = (await loop.sock_recv(receiver, 2_000)).decode()
        amount = dict(item.split(":") for item in text.split("!!"))["mega"]
        seen.values.append((0, int(amount.replace(".", ""))))


async def by_events(place: Reached, seen: Seen) -> None:
    async with events(place, f"?links={LINK}") as messages:
        await _keep(messages, seen)


async def _keep(messages: AsyncIterator[dict[str, object]], seen: Seen) -> None:
    async for message in messages:
        seen.take(message)


@on_loop
async def test_every_way_out_follows_across_deaths(redis: RedisServer, tmp_path: Path) -> None:
    """Proof: TCP, WebSocket, events and UDP of two signage processes: same values, same order.

    None is older than one already seen, while Redis is killed (a fault), comes back empty, and the server is
    killed and started again; each recovers by itself.
    """
    receiver = udp_receiver()
    site = Site(tmp_path, FLOOR.format(redis=redis.url, udp=receiver.getsockname()[1]))
    site.add("table", [LINK])
    site.add("sign", [LINK], 2)
    hall, bar = (Program(site.config, "signage", "--id", name) for name in ("hall", "bar"))
    table, *signs = site.keys
    seen = [Seen() for _ in range(6)]
    played = 0
    with running(site), running(hall), running(bar):
        for process in (hall, bar):
            process.logged("redis_reached")  # which keys are good is known from now on
        config = load(site.config)
        near, far = Far(hall, config), Far(bar, config)

        def wager() -> None:
            """Plays one more wager, answered by the server."""
            nonlocal played
            with site.table(table, acked=played) as device:
                device.ack("wager", round="R1", bets=bets(LINK, [played + 1]))
                played += 1

        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(by_tcp(near, seen[0], signs[0])),
                group.create_task(by_tcp(far, seen[1], signs[1])),
                group.create_task(by_websocket(near, seen[2], "http")),
                group.create_task(by_websocket(far, seen[3], "public")),
                group.create_task(by_events(far, seen[4])),
                group.create_task(by_udp(receiver, seen[5])),
            ]

            async def until_all(condition: Callable[[Seen], bool]) -> None:
                await until(lambda: all(condition(one) for one in seen))

            def shows_last(one: Seen) -> bool:
                return one.order[-1:] == [1_000_000 + 9 * played]

            await until_all(shows_last)
            await asyncio.to_thread(wager)
            await until_all(shows_last)
            redis.kill()
            await asyncio.to_thread(wager)
            await until(lambda: all(one.states[-1] == "fault" for one in seen[:5]))
            redis.start()
            await until_all(shows_last)
            await until(lambda: all(one.states[-1] == "normal" for one in seen[:5]))
            site.stop(signal.SIGKILL)
            await asyncio.to_thread(site.start)
            await asyncio.to_thread(wager)
            await until_all(shows_last)
            for task in tasks:
                task.cancel()
        for process in (hall, bar):
            assert process.stop() == 0
    receiver.close()
    assert played == 3
    assert all(one.order == [1_000_000 + 9 * number for number in range(4)] for one in seen)
    for one in seen[:5]:
        assert [rev for rev, _ in one.values] == sorted(rev for rev, _ in one.values)
