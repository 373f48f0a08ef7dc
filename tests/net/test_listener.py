"""Listener: known devices come in, whatever strangers do."""

import asyncio
import gc
import os
import resource
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from itertools import pairwise
from pathlib import Path

import pytest
import structlog
import trustme

from jackpot.app import Server
from jackpot.config import Address
from jackpot.net.admission import RESERVE, AdmissionLimits, ConnectionAdmission
from jackpot.net.listener import LET_IN_AT_ONCE, Listener
from jackpot.runtime.isolate import contained
from tests.running_server import StepClock, call, configure, connected, ended, on_loop, sign, table, until

FEW = "strangers_per_address = 16"
SILENT = 100
WIDE = AdmissionLimits(most=1_000, of_address=1_000, pace=1)


@pytest.fixture
def strangers() -> Iterator[ExitStack]:
    """Sockets of strangers, closed at the end."""
    with ExitStack() as stack:
        yield stack


class Hall(asyncio.Protocol):
    """A protocol of a connection that says nothing either."""

    kind = "table"

    def __init__(self, admission: ConnectionAdmission) -> None:
        self.admission = admission
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.admission.connected(self)

    def data_received(self, data: bytes) -> None:
        self.admission.heard()

    def connection_lost(self, exc: Exception | None) -> None:
        self.admission.left()

    def evict(self) -> None:
        self.break_off()

    def break_off(self) -> None:
        self.transport.abort()


@asynccontextmanager
async def opened(
    bound: AdmissionLimits, tls: ssl.SSLContext | None = None
) -> AsyncIterator[tuple[Listener, int, list[Hall], StepClock]]:
    """A listener, its port, who was admitted so far, and its clock."""
    clock, inside = StepClock(), list[Hall]()

    def visitor(admission: ConnectionAdmission) -> Hall:
        inside.append(Hall(admission))
        return inside[-1]

    def stop(error: Exception) -> None:
        raise error

    async with asyncio.TaskGroup() as group:
        door = Listener("tables", bound, clock, lambda work: group.create_task(contained(work, stop)), tls)
        await door.bind(Address("127.0.0.1", 0))
        port = door.listen(visitor)
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
        assert len(server.tables.current) == 20
        assert sum(ended(raw) for raw in silent) >= SILENT - 16
        assert len(server.tables.connections) <= 20 + 16


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
            assert server.tables.closed["too_many"] == 1
    assert {line["kind"] for line in logs if line["event"] == "connection_evicted"} == {"tables"}


@on_loop
async def test_a_wave_of_strangers_is_let_in_by_few_a_turn(strangers: ExitStack) -> None:
    """WIRE, faults: in one turn of the loop no more than a few are let in, so an answer waits for no wave."""
    async with opened(WIDE) as (door, port, inside, clock):
        turns = [0]
        loop = asyncio.get_running_loop()

        def turned() -> None:
            turns.append(len(inside))
            loop.call_soon(turned)

        wave = int(RESERVE) + 20
        for _ in range(wave):
            call(strangers, port)
        watching = loop.call_soon(turned)
        await until(lambda: len(inside) + door.statistics()["waiting"] == wave)
        assert RESERVE <= len(inside) < wave
        for hall in inside[:20]:
            hall.admission.proved()
        await until(lambda: len(inside) == wave)
        watching.cancel()
        assert clock.ahead_s == 0
        assert max(after - before for before, after in pairwise(turns)) <= LET_IN_AT_ONCE


@on_loop
async def test_who_hung_up_in_the_line_costs_nothing(strangers: ExitStack) -> None:
    """WIRE, faults: a socket that is gone before its turn is never let in."""
    async with opened(WIDE) as (door, port, inside, clock):
        door.admission_control.allowance = 0.0
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
    async with opened(AdmissionLimits(most=100, of_address=4, pace=100), context) as (door, port, inside, _):
        silent = [call(strangers, port) for _ in range(8)]
        await until(lambda: sum(ended(raw) for raw in silent) >= 4)
        _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=client)
        await until(lambda: any(hasattr(hall, "transport") for hall in inside))
        assert door.evicted >= 4
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
