"""Classification of requests and probes by their first line; a refusal repeats nothing that was sent."""

import asyncio
import socket
from contextlib import ExitStack
from pathlib import Path

import pytest
import structlog

from jackpot.app import Server
from jackpot.runtime.isolate import failures
from jackpot.web.http_budget import BudgetShare
from jackpot.web.http_connection import PARSED_AT_ONCE
from tests.running_server import call, configure, ended, on_loop, until
from tests.web.test_http_budget import HEAD, SOCKET, readable

BODY = b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n" * 40


POST = b"POST /nowhere HTTP/1.1\r\nHost: localhost\r\n"


@pytest.mark.parametrize(
    "said",
    [
        POST + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY,
        POST + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(BODY) + BODY + b"\r\n0\r\n\r\n",
        POST.ljust(PARSED_AT_ONCE - 24 - len(BODY[:46]), b"x")
        + b": 1\r\nContent-Length: %04d\r\n\r\n" % len(BODY)
        + BODY,
        b"POST /a HTTP/1.0\r\nContent-Length: 20\r\n\r\n" + b"b" * 20 + POST
        + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY,
        SOCKET.replace(b"/ws/meters", b"/nowhere") + POST
        + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY,
    ],
    ids=["length", "chunked", "at the end of a piece", "after a short one", "after an upgrade"],
)  # fmt: skip
@on_loop
async def test_a_body_is_no_probe(tmp_path: Path, said: bytes) -> None:
    """Misuse: a body that begins like a probe's first line is charged to who sends it."""
    with ExitStack() as stack:
        async with Server(configure(tmp_path)) as server:
            budget = server.connections.budget
            caller = call(stack, server.ports["http"], said)
            await until(lambda: budget.used[BudgetShare.STRANGER] > 0 and readable(caller))
            caller.shutdown(socket.SHUT_WR)
            await until(lambda: ended(caller))
            assert not budget.used[BudgetShare.PROBE]
    assert not any(failures().values())


@on_loop
async def test_each_probe_of_a_connection_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A monitor that keeps its connection is known by each first line, as one that opens another."""
    async with Server(configure(tmp_path)) as server:
        monkeypatch.setattr("jackpot.web.http_connection.TURN_S", 1.0)
        reader, writer = await asyncio.open_connection("127.0.0.1", server.ports["http"])
        await until(lambda: bool(server.connections.all))
        (visitor,) = server.connections.all
        for turns in range(1, 4):
            writer.write(HEAD % b"/readyz")
            await reader.readuntil(b"\r\n\r\n")
            await until(lambda: visitor.handling is None)
            assert visitor._inner.between
            assert server.connections.budget.used[BudgetShare.PROBE] >= turns
        assert server.connections.budget.used[BudgetShare.STRANGER] < 1
        writer.close()


ECHO = b"ZZstrangerZZ"


SOCKETED = (
    b"GET /ws/meters HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: %b\r\n"
    b"Sec-WebSocket-Key: %b\r\nSec-WebSocket-Version: %b\r\n"
)


SUB = b"Sec-WebSocket-Protocol: %b\r\n\r\n"


KEY = b"dGhlIHNhbXBsZSBub25jZQ=="


@pytest.mark.parametrize(
    ("said", "answered", "reason"),
    [
        (b"%b / HTTP/1.1\r\n\r\n" % ECHO.lower(), 400, "this is no request"),
        (b"GET /%b HTTP/9.%b\r\n\r\n" % (ECHO, ECHO), 400, "this is no request"),
        (b"GET / HTTP/1.1\r\n%b\r\n\r\n" % ECHO, 400, "this is no request"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: %b\0\r\n\r\n" % ECHO, 400, "this is no request"),
        (b"GET / HTTP/1.1\r\nContent-Length: %b\r\n\r\n" % ECHO, 400, "this is no request"),
        (b"GET /%b HTTP/1.1\r\n\r\n" % (ECHO * 700), 400, "this is no request"),
        (b"GET / HTTP/1.1\r\nX: %b\r\n\r\n" % (ECHO * 700), 400, "this is no request"),
        (b"GET / HTTP/1.1\r\nHost: %b.example.com\r\n\r\n" % ECHO, 421, "by that name"),
        (SOCKETED % (ECHO, KEY, b"13") + b"\r\n", 400, "WebSocket"),
        (SOCKETED % (b"websocket", ECHO, b"13") + b"\r\n", 400, "WebSocket"),
        (SOCKETED % (b"websocket", KEY, ECHO) + b"\r\n", 400, "WebSocket"),
        (
            SOCKETED % (b"websocket", KEY, b"1") + b"Sec-WebSocket-Protocol: %b\r\n\r\n" % ECHO,
            400,
            "WebSocket",
        ),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nExpect: %b\r\n\r\n" % ECHO, 417, "expects"),
    ],
)
@on_loop
async def test_no_refusal_repeats_what_was_sent(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, said: bytes, answered: int, reason: str
) -> None:
    """Misuse: the answer and the log name the fault, and have none of the bytes of who caused it."""
    with structlog.testing.capture_logs() as logs:
        async with Server(configure(tmp_path)) as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.ports["http"])
            writer.write(said)
            answer = await reader.readuntil(b"\r\n\r\n") + await reader.read(4_096)
            writer.close()
    assert int(answer.split()[1]) == answered
    assert reason in answer.decode()
    mark = ECHO.decode().lower()
    assert mark not in answer.decode().lower()
    assert mark not in f"{logs}".lower()
    refused = [line for line in logs if line["event"] == "http_refused"]
    assert len(refused) == (0 if answered == 417 else 1)
    assert not any(failures().values())
