"""A floor plays on when its server is killed, frozen, stopped or relieved."""

import asyncio
import json
import signal
import socket
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.e2e.floors import EASY
from tests.e2e.load import load
from tests.e2e.servers import Heard, Server, Servers, kill, serving, verdict
from tests.e2e.vendor import WAIT_S, Vendor

TABLES: Final = 4

Scenario = Callable[[Servers, Heard, list[str]], Awaitable[None]]


def shared(folder: Path, database: str, links: str = EASY, **more: Any) -> Servers:
    floor = Servers(folder, links, database, **more)
    floor.add("table", ["easy"], TABLES)
    floor.add("sign", ["easy"])
    return floor


@pytest.fixture
def floor(tmp_path: Path, database: str) -> Iterator[Servers]:
    """Two servers of one bank; one of them has it."""
    with serving(shared(tmp_path, database)) as found:
        yield found


def under_load(floor: Servers, scenario: Scenario) -> Heard:
    """Runs the scenario while all tables play, and one more round at each afterwards."""
    heard = Heard()

    async def run() -> None:
        async with load(floor, heard, floor.folder) as names:
            await heard.until_all_play(names)
            heard.longest()
            await scenario(floor, heard, names)
            await heard.until_all_play(names)

    asyncio.run(run())
    verdict(floor, heard)
    return heard


async def played_again(heard: Heard, names: list[str], began: float, what: str) -> None:
    await heard.until_all_play(names)
    now = time.monotonic()
    print(f"{what}: all play after {now - began:.2f} s, waited at most {heard.longest():.2f} s")


def test_a_standby_takes_over_from_a_killed_server(floor: Servers) -> None:
    """S4, S5: kill -9 under load: the other server plays on; every answer is in the ledger, once."""

    async def scenario(floor: Servers, heard: Heard, names: list[str]) -> None:
        dead = await asyncio.to_thread(floor.holder)
        had = floor.other(dead).count("ledger_checked")  # a busy machine's start may have moved the bank
        began = await asyncio.to_thread(kill, dead)
        await asyncio.to_thread(floor.other(dead).logged, "ledger_checked", seen=had)
        print(f"kill: taken over after {time.monotonic() - began:.2f} s")
        await played_again(heard, names, began, "kill")
        await asyncio.to_thread(dead.start)
        assert not await asyncio.to_thread(dead.holds)

    under_load(floor, scenario)


def test_a_stopped_server_gives_its_bank_up_at_once(floor: Servers) -> None:
    """WIRE, not_active: SIGTERM under load: tables are sent to the other server, which soon has the bank."""

    async def scenario(floor: Servers, heard: Heard, names: list[str]) -> None:
        ending = await asyncio.to_thread(floor.holder)
        began = time.monotonic()
        assert await asyncio.to_thread(ending.stop) == 0
        await played_again(heard, names, began, "SIGTERM")
        there = f"127.0.0.1:{floor.other(ending).at['tables']}"
        assert {name for name, servers in heard.sent_away if servers == [there]} >= set(names)
        assert not floor.other(ending).count("commit_in_doubt")

    under_load(floor, scenario)


def test_servers_are_restarted_one_by_one(floor: Servers) -> None:
    """Rolling restart under load: no round is lost, and a server that was restarted stands by."""

    async def scenario(floor: Servers, heard: Heard, names: list[str]) -> None:
        for server in floor.each.values():
            began = time.monotonic()
            assert await asyncio.to_thread(server.stop) == 0
            await heard.until_all_play(names)
            await asyncio.to_thread(server.start)
            await played_again(heard, names, began, f"restart of {server.name}")

    under_load(floor, scenario)


def test_a_bank_is_handed_over(floor: Servers) -> None:
    """`jackpot lease`: the holder gives it to the other server; a standby says that it cannot."""

    async def scenario(floor: Servers, heard: Heard, names: list[str]) -> None:
        first = await asyncio.to_thread(floor.holder)
        second = floor.other(first)
        refused = await asyncio.to_thread(second.lease, "hand-over", "main")
        assert (refused.returncode, refused.stdout) == (1, "")
        at = f"bank main is at server {first.name}; `jackpot lease show` says who has each bank\n"
        assert refused.stderr == at
        heard.sent_away.clear()
        began = time.monotonic()
        done = await asyncio.to_thread(first.lease, "hand-over", "main")
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"main: {second.name} ")
        assert done.stdout.endswith(" has it now\n")
        await played_again(heard, names, began, "hand-over, command and all,")
        away = Counter(device for device, _ in heard.sent_away if device in names)
        assert away == Counter(names), "a table was sent to and fro"
        shown = await asyncio.to_thread(second.lease, "show", "--json")
        leases = {lease["bank"]: lease for lease in json.loads(shown.stdout)}
        assert leases["main"]["holder"].startswith(f"{second.name} ")
        assert leases["main"]["here"] == "held"
        told = await asyncio.to_thread(first.lease, "show")
        assert [f" {word} " in told.stdout for word in ("main", second.name, "standby")] == [True] * 3

    under_load(floor, scenario)


class Silent:
    """A passive receiver of everything that a server sends from a moment on."""

    def __init__(self, device: Vendor) -> None:
        self.device = device
        device.socket.settimeout(0)
        try:
            while True:
                device.frame()
        except BlockingIOError:
            device.heard.clear()
            device.socket.settimeout(WAIT_S)


def test_a_frozen_server_comes_back_as_a_standby(tmp_path: Path, database: str) -> None:
    """S5, DESIGN, lease: SIGSTOP past the lease, takeover, SIGCONT: nothing is written or shown any more.

    Not to a sign still connected, not to a page's stream, not by UDP; its devices are sent to the other
    server. It takes the bank back when that one dies.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as player:
        player.bind(("127.0.0.1", 0))
        player.settimeout(WAIT_S)
        udp = f"""
        [[udp_sign]]
        address = "127.0.0.1:{player.getsockname()[1]}"
        links = ["easy"]
        format = "{{level}}:{{amount}}"
        """
        floor = shared(tmp_path, database, EASY + udp, heartbeat_ms=5_000)
        floor.add("sign", ["easy"])
        name = floor.devices("sign")[-1]

        async def scenario(floor: Servers, heard: Heard, names: list[str]) -> None:
            frozen = await asyncio.to_thread(floor.holder)
            taker = floor.other(frozen)
            await asyncio.to_thread(look_on, frozen, taker, heard, names)

        def look_on(frozen: Server, taker: Server, heard: Heard, names: list[str]) -> None:
            source = player.recvfrom(65_536)[1]
            with frozen.connect("sign") as sign, stream_of(frozen) as stream:
                sign.hello(frozen.keys[name], "sign", name)
                sign.welcome()
                had = taker.count("ledger_checked")  # a busy machine's start may have moved the bank
                began = time.monotonic()
                frozen.signal(signal.SIGSTOP)
                taker.logged("ledger_checked", seen=had)
                print(f"SIGSTOP: taken over after {time.monotonic() - began:.2f} s")
                while player.recvfrom(65_536)[1] == source:
                    pass
                Silent(sign)
                drain(stream)
                frozen.signal(signal.SIGCONT)
                last = sign.error()
                assert (last["code"], last["servers"]) == ("not_active", [f"127.0.0.1:{taker.at['signs']}"])
                assert not [each for each in sign.heard if each["t"] == "meters" and each["values"]]
                text = b""
                while b'"fault"' not in text:
                    text += stream.recv(65_536)
                assert b'"values":[[' not in text
            frozen.logged("bank_standing_by")
            for _ in range(20):
                assert player.recvfrom(65_536)[1] != source
            assert not frozen.holds()
            assert taker.holds()
            began = kill(taker)
            while not frozen.holds():
                pass
            print(f"kill after SIGSTOP: taken back after {time.monotonic() - began:.2f} s")

        with serving(floor):
            under_load(floor, scenario)


def stream_of(server: Server) -> socket.socket:
    """A page's stream of meters."""
    stream = socket.create_connection(("127.0.0.1", server.at["http"]), WAIT_S)
    stream.sendall(b"GET /events/meters HTTP/1.1\r\nHost: localhost\r\n\r\n")
    text = b""
    while b'"meters"' not in text:
        data = stream.recv(65_536)
        assert data, text
        text += data
    return stream


def drain(stream: socket.socket) -> None:
    """Reads what has come."""
    stream.settimeout(0)
    try:
        while stream.recv(65_536):
            pass
    except BlockingIOError:
        stream.settimeout(WAIT_S)
