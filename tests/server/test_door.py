"""Does everybody find the door open who may come in, whatever strangers do at it?"""

import asyncio
import gc
import os
import resource
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from pathlib import Path

import pytest
import structlog
import trustme

from jackpot.app import Server
from jackpot.config import Address
from jackpot.server.alone import contained
from jackpot.server.descriptors import A_DEVICE, KEPT, KEPT_A_BANK, LEAST, STRANGERS_MOST, allowed, bounds
from jackpot.server.door import RESERVE, Bounds, Door, Guest
from tests.server.bed import StepClock, configure, connected, on_loop, sign, table, until

FEW = "strangers_per_address = 16"
SILENT = 100
WIDE = Bounds(most=1_000, of_address=1_000, pace=1)


@pytest.fixture
def strangers() -> Iterator[ExitStack]:
    """Their sockets, closed at the end."""
    with ExitStack() as stack:
        yield stack


def call(stack: ExitStack, port: int, host: str = "127.0.0.1") -> socket.socket:
    """A stranger of that address, who says nothing."""
    raw = stack.enter_context(socket.socket())
    raw.bind((host, 0))
    raw.connect(("127.0.0.1", port))
    raw.setblocking(False)
    return raw


def ended(raw: socket.socket) -> bool:
    """Whether the server has closed it; what it said before is read over."""
    try:
        while raw.recv(65_536):
            pass
    except BlockingIOError:
        return False
    except ConnectionError:
        return True
    return True


class Hall(asyncio.Protocol):
    """A visitor that says nothing either."""

    kind = "table"

    def __init__(self, guest: Guest) -> None:
        self.guest = guest
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.guest.came(self)

    def data_received(self, data: bytes) -> None:
        self.guest.heard()

    def connection_lost(self, exc: Exception | None) -> None:
        self.guest.left()

    def turn_out(self) -> None:
        self.break_off()

    def break_off(self) -> None:
        self.transport.abort()


@asynccontextmanager
async def opened(
    bound: Bounds, tls: ssl.SSLContext | None = None
) -> AsyncIterator[tuple[Door, int, list[Hall], StepClock]]:
    """A door, its port, who came in so far, and its clock."""
    clock, inside = StepClock(), list[Hall]()

    def visitor(guest: Guest) -> Hall:
        inside.append(Hall(guest))
        return inside[-1]

    def stop(error: Exception) -> None:
        raise error

    async with asyncio.TaskGroup() as group:
        door = Door("tables", bound, clock, lambda work: group.create_task(contained(work, stop)), tls)
        port = await door.listen(Address("127.0.0.1", 0), visitor)
        try:
            yield door, port, inside, clock
        finally:
            door.close()
            for hall in inside:
                if hasattr(hall, "transport"):
                    hall.break_off()


@on_loop
async def test_silent_sockets_keep_no_table_out(tmp_path: Path, strangers: ExitStack) -> None:
    """WIRE, faults: 100 of one address that say nothing; every table and sign of that address gets in."""
    async with Server(configure(tmp_path, tables=20, extra=FEW)) as server, AsyncExitStack() as stack:
        silent = [call(strangers, server.ports["tables"]) for _ in range(SILENT)]
        for number in range(1, 21):
            await stack.enter_async_context(table(server, f"T{number:02}"))
        await stack.enter_async_context(sign(server))
        assert len(server.floor.current) == 20
        assert sum(ended(raw) for raw in silent) >= SILENT - 16
        assert len(server.floor.connections) <= 20 + 16


@on_loop
async def test_a_stranger_that_is_turned_out_is_told(tmp_path: Path, strangers: ExitStack) -> None:
    """WIRE, faults: the oldest without a hello gets `too_many`; the log says so once."""
    with structlog.testing.capture_logs() as logs:
        async with (
            Server(configure(tmp_path, extra=FEW)) as server,
            connected(server.ports["tables"]) as first,
        ):
            await first.type("challenge")
            for _ in range(16):
                call(strangers, server.ports["tables"])
            assert (await first.type("error"))["code"] == "too_many"
            assert server.floor.closed["too_many"] == 1
    assert {line["kind"] for line in logs if line["event"] == "turned_out"} == {"tables"}


@on_loop
async def test_the_oldest_that_says_nothing_goes_first(strangers: ExitStack) -> None:
    """WIRE, faults: who has begun a hello stays before who has not; of the silent ones the oldest goes."""
    async with opened(Bounds(most=100, of_address=3, pace=100)) as (door, port, inside, _):
        callers = []
        for number in range(3):
            callers.append(call(strangers, port))
            await until(lambda number=number: len(inside) == number + 1)  # type: ignore[misc]
        callers[0].send(b"a")
        await until(lambda: inside[0].guest not in door._silent)
        call(strangers, port)
        await until(lambda: ended(callers[1]))
        assert not ended(callers[0])
        assert not ended(callers[2])
        assert door.turned_out == 1


@on_loop
async def test_all_addresses_together_are_bounded(strangers: ExitStack) -> None:
    """WIRE, faults: at the limit of all the oldest stranger goes, of whatever address."""
    async with opened(Bounds(most=4, of_address=3, pace=100)) as (door, port, inside, _):
        first = call(strangers, port, "127.0.0.2")
        await until(lambda: len(inside) == 1)
        others = [call(strangers, port, f"127.0.0.{number}") for number in range(3, 7)]
        await until(lambda: ended(first))
        assert not any(ended(raw) for raw in others)
        await until(lambda: len(door.open) == 4)


@on_loop
async def test_a_flood_waits_and_others_do_not(strangers: ExitStack) -> None:
    """WIRE, faults: beyond its reserve a flood is let in at the pace; another address has its own line."""
    async with opened(WIDE) as (door, port, inside, clock):
        flood = int(RESERVE) + 50
        for _ in range(flood):
            call(strangers, port, "127.0.0.2")
        await until(lambda: len(inside) == RESERVE)
        await until(lambda: door.statistics()["waiting"] == 50)
        call(strangers, port, "127.0.0.3")
        await until(lambda: door.statistics()["waiting"] == 51)
        clock.ahead_s += 2
        await until(lambda: any(hall.guest.address == "127.0.0.3" for hall in inside))
        assert door.statistics()["waiting"] >= 40


@on_loop
async def test_a_proof_gives_the_pace_back(strangers: ExitStack) -> None:
    """WIRE, handshake: a floor that comes at one moment is let in as fast as it proves itself."""
    async with opened(WIDE) as (door, port, inside, _):
        floor = int(RESERVE) + 50
        for _ in range(floor):
            call(strangers, port)
        await until(lambda: len(inside) == RESERVE)
        proved = 0
        while len(inside) < floor:
            inside[proved].guest.proved()
            proved += 1
            await asyncio.sleep(0)
        assert proved <= 60
        assert door.statistics()["waiting"] == 0


@on_loop
async def test_where_a_device_is_known_others_do_not_come_first(strangers: ExitStack) -> None:
    """WIRE, faults: hellos of addresses of known devices take turns with all the strangers' together."""
    async with opened(WIDE) as (door, port, inside, clock):
        call(strangers, port, "127.0.1.1")
        await until(lambda: len(inside) == 1)
        inside[0].guest.proved()
        for number in range(int(RESERVE)):
            call(strangers, port, f"127.0.2.{number % 250 + 1}")
        await until(lambda: len(inside) == RESERVE + 1)
        for number in range(100):
            call(strangers, port, f"127.0.3.{number + 1}")
        await until(lambda: door.statistics()["waiting"] == 100)
        call(strangers, port, "127.0.1.1")
        await until(lambda: door.statistics()["waiting"] == 101)
        clock.ahead_s += 1
        await until(
            lambda: inside[-1].guest.address == "127.0.1.1" or inside[-2].guest.address == "127.0.1.1"
        )
        assert door.statistics()["waiting"] >= 95


@on_loop
async def test_a_full_line_refuses_and_leaves_room_for_others(strangers: ExitStack) -> None:
    """WIRE, faults: one address takes three quarters of the line and no more."""
    async with opened(Bounds(most=40, of_address=8, pace=1)) as (door, port, _, _):
        door._left_of_pace = 0.0
        for _ in range(60):
            call(strangers, port, "127.0.0.2")
        await until(lambda: door.refused == 30)
        other = call(strangers, port, "127.0.0.3")
        await until(lambda: door.statistics()["waiting"] == 31)
        assert not ended(other)


@on_loop
async def test_who_hung_up_in_the_line_costs_nothing(strangers: ExitStack) -> None:
    """WIRE, faults: a socket that is gone before its turn is never let in."""
    async with opened(WIDE) as (door, port, inside, clock):
        door._left_of_pace = 0.0
        gone = [call(strangers, port) for _ in range(20)]
        await until(lambda: door.statistics()["waiting"] == 20)
        for raw in gone:
            raw.close()
        clock.ahead_s += 3
        await until(lambda: door.statistics()["waiting"] == 0)
        assert not inside


@on_loop
async def test_an_unfinished_handshake_is_a_stranger(strangers: ExitStack) -> None:
    """WIRE, faults: TLS that is never finished counts, and is turned out like any other."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    client = ssl.create_default_context()
    authority.configure_trust(client)
    async with opened(Bounds(most=100, of_address=4, pace=100), context) as (door, port, inside, _):
        silent = [call(strangers, port) for _ in range(8)]
        await until(lambda: sum(ended(raw) for raw in silent) >= 4)
        _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=client)
        await until(lambda: any(hasattr(hall, "transport") for hall in inside))
        assert door.turned_out >= 4
        writer.transport.abort()


@on_loop
async def test_no_descriptor_left(strangers: ExitStack) -> None:
    """WIRE, faults: where the system has none left a stranger gives up its own, and the next gets in."""
    async with opened(WIDE) as (_, port, inside, _):
        first = call(strangers, port)
        await until(lambda: len(inside) == 1)
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        raw = strangers.enter_context(socket.socket())
        raw.setblocking(False)
        gc.collect()
        top = max(map(int, (path.name for path in Path("/proc/self/fd").iterdir()))) + 1
        resource.setrlimit(resource.RLIMIT_NOFILE, (top, before[1]))
        with suppress(OSError):
            while True:
                strangers.callback(os.close, os.open("/dev/null", os.O_RDONLY))
        try:
            with pytest.raises(BlockingIOError):
                raw.connect(("127.0.0.1", port))
            await until(lambda: ended(first))
            await until(lambda: len(inside) == 2)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_descriptors_are_shared_out(tmp_path: Path) -> None:
    """Descriptors: what tables and ledger need is kept; strangers share the rest, and the start says so."""
    config = configure(tmp_path, tables=10, signs=5)
    listeners = ("tables", "signs", "http")
    kept = KEPT + KEPT_A_BANK + A_DEVICE * 15
    with structlog.testing.capture_logs() as logs:
        wide = bounds(config, listeners, 65_536)
        narrow = bounds(config, listeners, 1_024)
        least = bounds(config, listeners, 100)
    assert wide["tables"].most == STRANGERS_MOST
    assert wide["http"].most == config.listen.http_connections
    assert sum(one.most for one in narrow.values()) <= 1_024 - kept
    assert all(one.of_address <= one.most for one in narrow.values())
    assert {one.most for one in least.values()} == {LEAST}
    assert [line["event"] for line in logs] == ["descriptors", *["descriptors", "descriptors_short"] * 2]


def test_the_soft_limit_is_raised() -> None:
    """Descriptors: what the system would allow is asked for."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (512, before[1]))
        assert allowed() == resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 512
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
