"""An error that one peer causes ends that peer alone, wherever its handling can raise."""

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, NoReturn

import pytest
import structlog

from controllers.frames import decode, encode
from controllers.hello import AUTH_FAILED, hello_mac
from controllers.session import ServerSession
from jackpot.api.executor import OperationExecutor
from jackpot.app import Server
from jackpot.net.signs import SignConnection
from jackpot.net.tables import TableConnection
from jackpot.net.udp import UdpText
from jackpot.publish.board import MeterBoard
from jackpot.runtime import isolate as alone_module
from jackpot.runtime.isolate import failures, isolate
from jackpot.web.live import LiveStreams, Stream
from tests.running_server import (
    LINK,
    Device,
    StepClock,
    administer,
    call,
    configure,
    connected,
    ended,
    on_loop,
    sign,
    table,
    until,
)
from tests.web.test_metrics import fetch

UDP = f'[[udp_sign]]\naddress = "127.0.0.1:9"\nlinks = ["{LINK}"]\nformat = "{{link}}:{{cents}}"\n'


class Thrown(Exception):
    """Error that a test raises on purpose."""


@pytest.fixture(autouse=True)
def counted() -> Iterator[None]:
    """Resets the error counters afterwards, since these tests raise on purpose."""
    yield
    alone_module._counts.update(dict.fromkeys(alone_module.KINDS, 0))


def throwing(only: Callable[[Any], bool], real: Callable[..., Any]) -> Callable[..., Any]:
    """Replaces a method by one that raises for one peer."""

    def call(self: Any, *args: Any, **facts: Any) -> Any:
        if only(self):
            raise Thrown(real.__name__)
        return real(self, *args, **facts)

    call.__qualname__ = real.__qualname__
    return call


def first(connection: Any) -> bool:
    """Whether the connection is that of T01, once admitted."""
    return connection.device is not None and connection.device.id == "T01"


def of_first(session: ServerSession) -> bool:
    """Whether it is the session of T01."""
    return session.claimed == "T01"


async def plays(device: Device, seq: int = 1) -> None:
    """Plays a normal round, to show that others are not affected."""
    device.wager(seq, f"R{seq}", 1, lock=True)
    device.say(t="close", seq=seq + 1, round=f"R{seq}")
    assert (await device.answer(seq))["t"] == "ack"
    assert (await device.answer(seq + 1))["t"] == "ack"


@pytest.mark.parametrize(
    ("place", "push"),
    [
        *(
            (place, "")
            for place in ("received", "answer", "commanded", "show", "pump", "sweep", "ended", "over")
        ),
        ("tell", "of its link"),
        ("tell", "of its own"),
    ],
)
@on_loop
async def test_one_table_that_breaks_ends_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, push: str
) -> None:
    """S9: T01's handling raises: in a callback, an answer, a push, the sweep, at its end; T02 plays on."""
    clock = StepClock()
    async with Server(configure(tmp_path), clock) as server, table(server, "T02") as other:
        async with table(server, "T01") as device:
            await plays(other)
            subject, only = (ServerSession, of_first) if place == "answer" else (TableConnection, first)
            monkeypatch.setattr(subject, place, throwing(only, getattr(subject, place)))
            device.wager(1, "R1", 1, lock=True)
            await other.type("meters")
            clock.ahead_s += server.config.limits.heartbeat
            board = server.banks["main"].board
            if push == "of its link":
                board.broadcaster.tell(LINK, board.link_message(LINK))
            elif push:
                board.broadcaster.tell_table("T01", board.link_message(LINK))
            if place in {"ended", "over"}:
                device.writer.close()
            await device.closed()
        await until(lambda: failures()["table"] > 0)
        await until(lambda: len(server.tables.connections) == 1)
        monkeypatch.undo()
        await plays(other, 3)
        async with table(server, "T01") as device:
            welcome = device.heard[1]
            if welcome["round"] is not None:
                device.say(t="void", seq=welcome["last_seq"] + 1, round="R1", reason="it broke")
                await device.answer(welcome["last_seq"] + 1)
            await plays(device, welcome["last_seq"] + (2 if welcome["round"] else 1))
        found = await fetch(server, "/metrics")
        assert f'jackpot_peer_failures_total{{kind="table"}} {failures()["table"]}.0' in found[1]


@pytest.mark.parametrize("place", ["pump", "greeted"])
@on_loop
async def test_one_newcomer_that_breaks_ends_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """S9: what raises while a sign connects or greets ends its connection; others go on."""
    async with Server(configure(tmp_path)) as server, table(server) as device:
        monkeypatch.setattr(
            SignConnection, place, throwing(lambda _self: True, getattr(SignConnection, place))
        )
        async with connected(server.ports["signs"]) as one:
            if place == "greeted":
                await one.hello(server.config, "sign", "S01")
            await one.closed()
        assert failures()["sign"] == 1
        await until(lambda: not server.signs.connections)
        monkeypatch.undo()
        async with sign(server):
            await plays(device)


@on_loop
async def test_a_device_sent_away_that_breaks_keeps_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S4, S9: as a lease lapses T01 cannot be told; T02 is disconnected all the same, and the bank goes
    on.
    """
    async with Server(configure(tmp_path)) as server, table(server) as device, table(server, "T02") as other:
        monkeypatch.setattr(TableConnection, "fail", throwing(first, TableConnection.fail))
        server.tables.not_active(server.banks["main"])
        assert (await other.type("error"))["code"] == "not_active"
        await device.closed()
        assert failures()["table"] == 1
        assert server.active


@on_loop
async def test_a_release_that_raises_keeps_no_answer_back(tmp_path: Path) -> None:
    """S9: of an answer that nobody claims the others never hear."""
    async with Server(configure(tmp_path)) as server, table(server) as device:

        def raising(_outcome: Any) -> NoReturn:
            raise Thrown

        device.wager(1, "R1", 1)
        server.banks["main"].sequencer.submit(lambda _engine: 1, raising)
        assert (await device.answer(1))["t"] == "ack"
        await until(lambda: failures()["answer"] == 1)
        assert server.active


@pytest.mark.parametrize("place", ["tell", "show", "sweep"])
@on_loop
async def test_one_stream_that_breaks_ends_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """S9: a receiver over HTTP is cut where its handling raises; tables play on."""
    async with Server(configure(tmp_path)) as server, table(server) as device:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.ports["http"])
        writer.write(
            f"GET /events/meters HTTP/1.1\r\nHost: 127.0.0.1:{server.ports['http']}\r\n\r\n".encode()
        )
        await reader.readuntil(b"welcome")
        monkeypatch.setattr(Stream, place, throwing(lambda _self: True, getattr(Stream, place)))
        await plays(device)
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await reader.readuntil(b"never said")
        writer.close()
        assert failures()["stream"] > 0
        await until(lambda: not server._live.streams)


@on_loop
async def test_a_request_that_raises_is_one_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S9: a handler that raises answers 500 and is counted; the next request is served."""
    monkeypatch.setattr(LiveStreams, "_chosen", throwing(lambda _self: True, LiveStreams._chosen))
    async with Server(configure(tmp_path)) as server:
        assert (await fetch(server, "/events/meters"))[0] == 500
        assert failures()["http"] == 1
        assert (await fetch(server, "/healthz"))[0] == 200


@on_loop
async def test_a_datagram_that_raises_is_one_datagram(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S9: a UDP receiver whose handling raises keeps no table waiting, and is tried again."""
    real = UdpText.tick
    async with Server(configure(tmp_path, extra=UDP)) as server, table(server) as device:
        monkeypatch.setattr(UdpText, "tick", throwing(lambda _self: True, real))
        await until(lambda: failures()["udp"] > 1)
        await plays(device)
        monkeypatch.undo()
        sent = server._udp[0].sent
        await until(lambda: server._udp[0].sent > sent)


@on_loop
async def test_an_operators_request_that_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S9: it is told that this failed; the next one is answered."""
    config = configure(tmp_path)
    async with Server(config):
        monkeypatch.setattr(
            OperationExecutor, "carry_out", throwing(lambda _self: True, OperationExecutor.carry_out)
        )
        answer = await administer(config, do="/links")
        assert (answer["status"], answer["message"]) == (500, "this failed; the log says why")
        assert failures()["admin"] == 1
        monkeypatch.undo()
        assert (await administer(config, do="/links"))["ok"]


def test_what_cannot_even_be_broken_off() -> None:
    """S9: nothing propagates, and both errors are counted."""

    class Broken:
        kind = "udp"

        def break_off(self) -> None:
            raise Thrown

        def work(self) -> None:
            raise Thrown

    broken = Broken()
    assert isolate(broken, broken.work) is None
    assert failures()["udp"] == 2


@pytest.mark.parametrize("place", ["tick", "push", "_move"])
@on_loop
async def test_what_nobody_can_explain_stops_the_bank_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """S5, S9: an error in the sequencer stops the bank's decisions as `internal`; the process answers and
    ends.
    """
    config = configure(tmp_path)
    with structlog.testing.capture_logs() as logs:
        async with Server(config) as server, table(server) as device:
            bank = server.banks["main"]
            own = throwing(lambda board, *_: board is bank.board, getattr(MeterBoard, place))
            monkeypatch.setattr(MeterBoard, place, own)
            device.wager(1, "R1", 1)
            await until(lambda: bank.lifecycle.failed)
            assert (bank.lifecycle.stopped or "").startswith("internal: Thrown")
            assert (await fetch(server, "/healthz"))[0] == 200
            assert (await fetch(server, "/readyz"))[0] == 503
            assert bank.counts.alarms["internal"] == 1
    assert [line["event"] for line in logs].count("bank_stopped") == 1


def caller(port: int) -> socket.socket:
    """A connection that has sent nothing."""
    return socket.create_connection(("127.0.0.1", port))


def hang_up(raw: socket.socket) -> None:
    """Reads what there is and closes: the kernel answers later sends with a reset at once."""
    raw.setblocking(False)
    with suppress(BlockingIOError):
        raw.recv(65_536)
    raw.close()


@on_loop
async def test_strangers_that_hang_up_at_the_limit(tmp_path: Path) -> None:
    """WIRE, handshake: the 5 s are over as they hang up, unseen by a busy loop; nobody notices."""
    clock = StepClock()
    async with Server(configure(tmp_path), clock) as server, table(server) as device:
        strangers = [caller(server.ports["tables"]) for _ in range(60)]
        await until(lambda: len(server.tables.connections) == 61)
        for stranger in strangers:
            hang_up(stranger)
        clock.ahead_s += 5
        server.tables.sweep()  # before the loop has seen that they are gone
        await until(lambda: len(server.tables.connections) == 1)
        await plays(device)
        assert not any(failures().values())


@on_loop
async def test_sockets_that_are_gone_as_they_come(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """WIRE, handshake: too many at once, each reset before it is looked at: no traceback, and tables play."""
    async with Server(configure(tmp_path)) as server, table(server) as device:
        for _ in range(200):
            hang_up(caller(server.ports["tables"]))
        await plays(device)
        await until(lambda: len(server.tables.connections) == 1)
        assert not any(failures().values())
    assert not caplog.records


@on_loop
async def test_sending_a_table_away_that_is_gone(tmp_path: Path) -> None:
    """S4: as a lease lapses a table that is gone unseen is disconnected like any other."""
    config = configure(tmp_path)
    async with Server(config) as server, table(server, "T02") as other:
        loop, raw = asyncio.get_running_loop(), caller(server.ports["tables"])
        raw.setblocking(False)
        challenge = decode((await loop.sock_recv(raw, 4_096))[4:])
        mac = hello_mac(config.keys["table", "T01"][0], challenge["nonce"], "table", "T01")
        await loop.sock_sendall(raw, encode({"t": "hello", "v": 1, "role": "table", "id": "T01", "mac": mac}))
        await until(lambda: "T01" in server.tables.current)
        hang_up(raw)
        server.tables.not_active(server.banks["main"])
        assert (await other.type("error"))["code"] == "not_active"
        assert not any(failures().values())
        assert server.active


@on_loop
async def test_a_refused_hello_names_who_it_was(tmp_path: Path) -> None:
    """WIRE, handshake: the log has the address and the claimed id, bounded and printable."""
    config = configure(tmp_path)
    with structlog.testing.capture_logs() as logs:
        async with Server(config) as server:
            for claimed in ("T01", "x\n" * 100):
                async with connected(server.ports["tables"]) as device:
                    await device.type("challenge")
                    device.say(t="hello", v=1, role="table", id=claimed, mac=bytes(32))
                    assert (await device.type("error"))["code"] == "auth_failed"
                    port = device.writer.get_extra_info("sockname")[1]
                line = [line for line in logs if line["event"] == "stranger_closed"][-1]
                assert line["address"] == f"127.0.0.1:{port}"
                assert line["claimed"] == ("T01" if claimed == "T01" else "x?" * 32)


@on_loop
async def test_the_log_says_why_a_hello_was_refused_and_the_device_hears_nothing_of_it(
    tmp_path: Path,
) -> None:
    """WIRE, faults: all in the same words; but who connects a device must find out what is wrong with it."""
    config = configure(tmp_path)
    key = config.keys["table", "T01"][0]
    tries = {
        ("signs", "table", "T01", key): "a table says hello: this listener is for signs",
        (
            "tables",
            "sign",
            "S01",
            config.keys["sign", "S01"][0],
        ): "a sign says hello: this listener is for tables",
        ("tables", "table", "T77", key): "no device of this id is configured",
        ("tables", "table", "T02", key): "no valid key of it made this mac",
        ("tables", "table", "T01", key): "no valid key of it made this mac; 1 key of it has ended",
        ("tables", "", "", b""): "no hello came",
    }
    said = []
    with structlog.testing.capture_logs() as logs:
        async with Server(config) as server:
            await administer(config, do="revoke", device="T01", role="table", by="Ann")
            for listener, role, device_id, made_with in tries:
                async with connected(server.ports[listener]) as device:
                    if role:
                        await device.greet(made_with, role, device_id)
                    else:
                        device.say(t="ping")
                    error = await device.type("error")
                    said.append((error["code"], error["message"]))
    assert set(said) == {("auth_failed", AUTH_FAILED)}
    assert [line["why"] for line in logs if line["event"] == "stranger_closed"] == list(tries.values())


@on_loop
async def test_each_address_that_tries_a_key_is_told_and_hides_no_device(tmp_path: Path) -> None:
    """WIRE, handshake: strangers are one event, by their addresses; what becomes of a device is another."""
    config = configure(tmp_path)
    with structlog.testing.capture_logs() as logs:
        async with Server(config) as server:
            with ExitStack() as stack:
                for host in ("127.0.0.2", "127.0.0.3"):
                    words = encode({"t": "hello", "v": 1, "role": "table", "id": "T01", "mac": bytes(32)})
                    raw = call(stack, server.ports["tables"], words, host)
                    await until(lambda raw=raw: ended(raw))  # type: ignore[misc]
            async with table(server) as device:
                device.writer.write(b"\0\0\0\0")
                assert (await device.type("error"))["code"] == "bad_frame"
    strangers = [line for line in logs if line["event"] == "stranger_closed"]
    assert [(line["claimed"], line["source"]) for line in strangers] == [
        ("T01", "127.0.0.2"),
        ("T01", "127.0.0.3"),
    ]
    (closed,) = [line for line in logs if line["event"] == "closed"]
    assert (closed["device"], closed["code"]) == ("T01", "bad_frame")


@on_loop
async def test_what_is_counted_of_one_that_breaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S9: a transport that cannot even say what it holds ends its table; the metrics are as always."""
    async with Server(configure(tmp_path)) as server, table(server, "T02") as other:
        async with table(server, "T01") as device:
            transport = server.tables.current["T01"].protocol.transport
            monkeypatch.setattr(
                type(transport),
                "get_write_buffer_size",
                throwing(lambda one: one is transport, type(transport).get_write_buffer_size),
            )
            assert (await fetch(server, "/metrics"))[0] == 200
            await device.closed()
        monkeypatch.undo()
        assert failures()["table"] > 0
        await plays(other)
