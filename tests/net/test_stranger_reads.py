"""A device that is not known yet is read ever more seldom; a known one as its bytes come."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from jackpot.app import Server
from jackpot.net.stranger_reads import READS_AT_ONCE, StrangerReads
from tests.net.test_listener import WIDE, opened
from tests.running_server import call, configure, on_loop, table, until
from tests.web.test_ciphertext import encrypted


@on_loop
async def test_a_stranger_that_says_a_byte_at_a_time_is_read_seldom() -> None:
    """S4, misuse: each read costs as much as a device's, so a stranger gets a few, and then waits."""
    with ExitStack() as stack:
        async with opened(WIDE) as (_, port, inside, _clock):
            stranger = call(stack, port)
            stranger.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await until(lambda: len(inside) == 1)
            (hall,) = inside
            reads = stack.enter_context(counted())
            for number in range(READS_AT_ONCE):
                assert hall.transport.is_reading()
                stranger.send(b"x")
                await until(lambda number=number: len(reads) > number)  # type: ignore[misc]
            assert not hall.transport.is_reading()
            for _ in range(1_000):
                stranger.send(b"x")
            await until(lambda: len(reads) > READS_AT_ONCE)
            assert reads[-1] == 1_000, "what came in the pause is one read"
            assert not hall.transport.is_reading()


@on_loop
async def test_a_known_device_is_read_as_its_bytes_come() -> None:
    """Once it has authenticated nothing stands between the socket and its protocol."""
    with ExitStack() as stack:
        async with opened(WIDE) as (_, port, inside, _clock):
            device = call(stack, port)
            await until(lambda: len(inside) == 1)
            (hall,) = inside
            reads = stack.enter_context(counted())
            hall.admission.proved()
            device.send(b"x")
            await until(lambda: hall.transport.get_protocol() is hall)
            assert reads == [1]
            assert hall.transport.is_reading()


@pytest.mark.parametrize("tls", [False, True])
@on_loop
async def test_a_table_plays_behind_it(tmp_path: Path, *, tls: bool) -> None:
    """S4: with TLS and without, it is let in, and what it says then is read as it comes."""
    config, trusting = encrypted(tmp_path) if tls else (configure(tmp_path), None)
    async with Server(config) as server, table(server, tls=trusting) as device:
        for number in range(1, READS_AT_ONCE + 2):
            device.say(t="ping", at=number)
            assert (await device.type("pong"))["at"] == number
        (connection,) = server.tables.connections
        raw = connection.protocol.transport
        if not tls:
            assert raw.get_protocol() is connection.protocol
        device.wager(1, "R1", 1)
        assert (await device.answer(1))["t"] == "ack"


@contextmanager
def counted() -> Iterator[list[int]]:
    """The sizes of what strangers say, read by read."""
    reads, work = list[int](), StrangerReads.data_received

    def noted(self: StrangerReads, data: bytes) -> None:
        work(self, data)
        reads.append(len(data))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StrangerReads, "data_received", noted)
        yield reads
