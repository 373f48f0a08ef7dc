"""Receivers of meters, one of each kind, which record what they are told in order."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import msgspec

from jackpot.config import Address, Config
from tests import ceilings
from tests.running_server import LINK, Reached, sign

Amounts = list[tuple[int, str]]
"""(rev, amount) of the mega level as it came; rev 0 where the way out has none."""


def with_ports(config: Config, ports: dict[str, int]) -> Config:
    """The same configuration on the ports that a server got before."""
    addresses = {name: Address("127.0.0.1", port) for name, port in ports.items()}
    return msgspec.structs.replace(config, listen=msgspec.structs.replace(config.listen, **addresses))


def take(shown: Amounts, message: dict[str, Any]) -> None:
    """Records the mega level of a `meters`."""
    if message["t"] == "meters":
        for link, level, cents in message["values"]:
            if (link, level) == (LINK, "mega"):
                shown.append((message["rev"], f"{cents // 100}.{cents % 100:02}"))


def udp_receiver() -> socket.socket:
    """A bound UDP socket, not blocking."""
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.bind(("127.0.0.1", 0))
    receiver.setblocking(False)
    return receiver


async def read_udp(receiver: socket.socket, shown: Amounts) -> None:
    loop = asyncio.get_running_loop()
    while True:
        text = (await loop.sock_recv(receiver, 2_000)).decode()
        values = dict(item.split(":") for item in text.split("!!"))
        shown.append((0, values[f"{LINK}.mega"]))


async def read_websocket(server: Reached, shown: Amounts) -> None:
    url = f"http://127.0.0.1:{server.ports['http']}/ws/meters?links={LINK}"
    async with aiohttp.ClientSession() as session, session.ws_connect(url) as socket_:
        async for message in socket_:
            take(shown, json.loads(message.data))


async def read_events(server: Reached, shown: Amounts) -> None:
    async with events(server, f"?links={LINK}") as lines:
        async for message in lines:
            take(shown, message)


async def read_sign(server: Reached, shown: Amounts) -> None:
    async with sign(server) as device:
        while True:
            take(shown, await device.type("meters"))


@asynccontextmanager
async def events(
    server: Reached, query: str = "", port: str = "http"
) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
    """The messages of a server-sent event stream."""
    url = f"http://127.0.0.1:{server.ports[port]}/events/meters{query}"
    async with aiohttp.ClientSession() as session, session.get(url) as response:
        assert response.content_type == "text/event-stream"

        async def messages() -> AsyncIterator[dict[str, Any]]:
            async for line in response.content:
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])

        yield messages()


async def until_told(messages: AsyncIterator[dict[str, Any]], kind: str, **facts: Any) -> dict[str, Any]:
    """Waits for the next message of this type with these facts."""
    async with asyncio.timeout(ceilings.WAIT_S):
        async for message in messages:
            if message["t"] == kind and facts.items() <= message.items():
                return message
    raise EOFError
