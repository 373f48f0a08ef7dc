"""HTTP connections: served, bounded, and cut when they are idle or do not read."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import aiohttp
import pytest
import structlog

from jackpot.app import Server
from jackpot.runtime import isolate
from jackpot.runtime.isolate import failures
from jackpot.web.http_connection import HEAD_WITHIN_S, UNREAD_S
from tests.running_server import StepClock, call, configure, ended, on_loop, table, until

HTTP = {"hosts": 'hosts = ["Floor.Example.com"]', "few": "http_per_address = 16\nstreams_per_address = 4"}


async def status(port: int, said: bytes) -> int:
    """The status of the answer to these bytes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(said)
    line = await reader.readline()
    writer.close()
    await writer.wait_closed()
    return int(line.split()[1])


def asked(path: str, host: str, **headers: str) -> bytes:
    more = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n".encode()


@on_loop
async def test_requests_that_are_none_are_counted(tmp_path: Path) -> None:
    """A malformed request is answered 400, counted, and one line of a kind: no traceback."""
    bad = (
        b"GET / HTTP/1.1\r\nbad header\r\n\r\n",
        b"\x16\x03\x01\x00\x00\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
    )
    with structlog.testing.capture_logs() as logs:
        async with Server(configure(tmp_path)) as server:
            port = server.ports["http"]
            assert [await status(port, said) for said in bad] == [400, 400, 400]
            assert server.connections.refused["malformed"] == 3
            assert await status(port, asked("/healthz", f"127.0.0.1:{port}")) == 200
    lines = [line for line in logs if line["event"] == "http_refused"]
    assert {(line["code"], line["kind"], line["address"]) for line in lines} == {
        ("malformed", "malformed", "127.0.0.1")
    }
    assert not any(failures().values())


@pytest.mark.parametrize("packed", ["br", "gzip", "zstd"])
@on_loop
async def test_no_body_is_unpacked_that_nobody_reads(tmp_path: Path, packed: str) -> None:
    """Misuse: a page is answered whatever comes after its request, and however that is packed."""
    async with Server(configure(tmp_path)) as server:
        port, more = server.ports["http"], {"Content-Encoding": packed, "Content-Length": "7"}
        assert await status(port, asked("/", f"127.0.0.1:{port}", **more) + b"rubbish") == 200
        assert server.connections.refused["malformed"] == 0
    assert not any(failures().values())


@on_loop
async def test_another_sites_page_opens_no_socket(tmp_path: Path) -> None:
    """The origin of a WebSocket is the page's host: any other, and none that can be named, is refused."""
    async with Server(configure(tmp_path)) as server:
        url = f"http://127.0.0.1:{server.ports['http']}/ws/meters"
        async with aiohttp.ClientSession() as session:
            for origin in ("http://evil.example.com", "null", "http://127.0.0.1"):
                with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
                    await session.ws_connect(url, origin=origin)
        assert server.connections.refused["origin"] == 3


@on_loop
async def test_slow_heads_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who does not finish a head, or asks for nothing more, is cut; those that are served are not."""
    assert HEAD_WITHIN_S <= 15
    monkeypatch.setattr("jackpot.web.http_connection.HEAD_WITHIN_S", 0.5)
    with ExitStack() as stack:
        async with Server(configure(tmp_path)) as server:
            port = server.ports["http"]
            slow = [call(stack, port, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ") for _ in range(50)]
            silent = [call(stack, port) for _ in range(50)]
            stream = call(stack, port, asked("/events/meters", "localhost"))
            await until(lambda: all(ended(raw) for raw in (*slow, *silent)))
            assert not ended(stream)
            await until(lambda: len(server.connections.all) == 1)


@on_loop
async def test_an_answer_that_nobody_reads_is_cut(tmp_path: Path) -> None:
    """A client that asks and never reads is cut after 10 s."""
    clock = StepClock()
    with ExitStack() as stack:
        async with Server(configure(tmp_path), clock) as server:
            raw = stack.enter_context(socket.socket())
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
            raw.connect(("127.0.0.1", server.ports["http"]))
            raw.setblocking(False)
            await until(lambda: len(server.connections.all) == 1)
            (visitor,) = server.connections.all
            unread = visitor._transport.write
            while visitor._unread_since is None:
                unread(bytes(65_536))
                await asyncio.sleep(0)
            clock.ahead_s += UNREAD_S
            await until(lambda: not server.connections.all)


@on_loop
async def test_streams_of_one_address_leave_room_for_others(tmp_path: Path) -> None:
    """WIRE, faults: one address has its share of the streams; an honest sign of another one gets in."""
    with ExitStack() as stack:
        async with Server(configure(tmp_path, extra=HTTP["few"])) as server, table(server):
            port = server.ports["http"]
            said = asked("/events/meters", "localhost")
            for _ in range(4):
                call(stack, port, said, "127.0.0.9")
            await until(lambda: len(server._live.streams) == 4)
            fifth = call(stack, port, said, "127.0.0.9")
            await until(lambda: server.connections.refused["streams"] == 1)
            assert b" 503 " in fifth.recv(4_096)
            call(stack, port, said)
            await until(lambda: len(server._live.streams) == 5)


@on_loop
async def test_connections_of_one_address_are_bounded(tmp_path: Path) -> None:
    """WIRE, faults: silent connections are evicted for others of their address; a served one never is."""
    with ExitStack() as stack:
        async with Server(configure(tmp_path, extra=HTTP["few"])) as server:
            port = server.ports["http"]
            stream = call(stack, port, asked("/events/meters", "localhost"))
            await until(lambda: len(server._live.streams) == 1)
            silent = [call(stack, port) for _ in range(40)]
            await until(lambda: sum(ended(raw) for raw in silent) == 40 - 15)
            await until(lambda: len(server.connections.all) == 16)
            assert await status(port, asked("/healthz", "localhost")) == 200
            assert not ended(stream)


@on_loop
async def test_http_leaves_descriptors_for_tables(tmp_path: Path) -> None:
    """Descriptors: each listener has a bound of its own, and with all of them full a table gets in."""
    extra = "http_connections = 32\nhttp_per_address = 32"
    with ExitStack() as stack:
        async with Server(configure(tmp_path, extra=extra)) as server:
            for _ in range(100):
                call(stack, server.ports["http"], host="127.0.0.9")
            async with table(server) as device:
                device.wager(1, "R1", 1)
                assert (await device.answer(1))["t"] == "ack"
            assert len(server.connections.all) <= 32


@pytest.fixture
def counted() -> Iterator[None]:
    """Resets the error counts after a test that raises on purpose."""
    yield
    isolate._counts.update(dict.fromkeys(isolate.KINDS, 0))


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize("place", ["connection_made", "data_received", "pause_writing", "connection_lost"])
@on_loop
async def test_one_visitor_that_breaks_ends_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """S9: what raises in aiohttp's callbacks ends that connection; the next is served, and a table plays."""
    from aiohttp.web_protocol import RequestHandler

    def broken(*_given: object) -> None:
        raise RuntimeError(place)

    async with Server(configure(tmp_path)) as server, table(server) as device:
        monkeypatch.setattr(RequestHandler, place, broken)
        _, writer = await asyncio.open_connection("127.0.0.1", server.ports["http"])
        if place == "pause_writing":
            await until(lambda: bool(server.connections.all))
            next(iter(server.connections.all)).pause_writing()
        elif place == "connection_lost":
            writer.close()
        else:
            writer.write(asked("/healthz", "localhost"))
        await until(lambda: failures()["http"] > 0)
        await until(lambda: not server.connections.all)
        writer.close()
        monkeypatch.undo()
        assert await status(server.ports["http"], asked("/healthz", "localhost")) == 200
        device.wager(1, "R1", 1)
        assert (await device.answer(1))["t"] == "ack"
