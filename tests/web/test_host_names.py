"""Host names: a server answers to its own names alone."""

from pathlib import Path

import pytest

from jackpot.app import Server
from jackpot.web.host_names import name_of, names
from tests.running_server import configure, on_loop
from tests.web.test_http_connection import HTTP, asked, status


@pytest.mark.parametrize(
    ("host", "answered"),
    [
        ("127.0.0.1", 200),
        ("localhost:1234", 200),
        ("[::1]:80", 200),
        ("FLOOR.example.com.", 200),
        ("floor.example.com:8080", 200),
        ("evil.example.com", 421),
        ("floor.example.com.evil.example.com", 421),
        ("192.0.2.1", 421),
        ("[::1]evil.example.com", 421),
        ("127.0.0.1:80:evil.example.com", 421),
        ("127.0.0.1:evil", 421),
        ("localhost:80@evil.example.com", 421),
        ("", 421),
    ],
)
@on_loop
async def test_which_names_are_answered(tmp_path: Path, host: str, answered: int) -> None:
    """A page of a foreign name that resolves here reads nothing, over HTTP, events or WebSocket."""
    async with Server(configure(tmp_path, extra=HTTP["hosts"])) as server:
        port = server.ports["http"]
        assert await status(port, asked("/healthz", host)) == answered
        upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
        key = {"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==", "Origin": f"http://{host}"}
        socketed = await status(port, asked("/ws/meters", host, **upgrade, **key))
        assert socketed == (101 if answered == 200 else 421)
        if answered == 421:
            assert server.connections.refused["host"] == 2


def test_names_of_a_host() -> None:
    """RFC 9110, 7.2: with and without a port, in whatever case."""
    assert [name_of(host) for host in ("A.b:80", "a.b.", "[::1]:80", "[::1]", "10.0.0.1")] == [
        "a.b",
        "a.b",
        "::1",
        "::1",
        "10.0.0.1",
    ]
    assert names(("a",), ["0.0.0.0"]) == {"a", "*"}  # noqa: S104 - nothing is bound here
    assert names((), ["10.0.0.1"]) == {"10.0.0.1"}
