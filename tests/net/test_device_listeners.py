"""TLS for people and programs, with a new certificate taken without a restart."""

import asyncio
import socket
import ssl
from contextlib import suppress
from pathlib import Path

import aiohttp
from typer.testing import CliRunner

from jackpot.api.operation import BASE
from jackpot.cli.__main__ import root
from jackpot.config.certificates import ends_ms
from jackpot.net.device_listeners import LOOK_S
from jackpot.web.authentication import SECURE_COOKIE
from tests.running_server import StepClock, configure, on_loop
from tests.web.staffed import SECRET, staffed, token


def made(file: Path, *more: str) -> None:
    done = CliRunner().invoke(root("keys"), ["keys", "tls", str(file), "--host", "127.0.0.1", *more])
    assert done.exit_code == 0, done.output


def trusting(cert: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(cert))


def in_one_segment(port: int, trusted: ssl.SSLContext, *records: bytes) -> bytes:
    """The answer to these TLS records, which come at one moment."""
    coming, going = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls, found = trusted.wrap_bio(coming, going, server_hostname="127.0.0.1"), b""
    with socket.create_connection(("127.0.0.1", port), 30) as raw:
        while True:
            try:
                tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                raw.sendall(going.read())
                coming.write(raw.recv(65_536))
        for record in records:
            tls.write(record)
        raw.sendall(going.read())
        while b"\r\n" not in found and (data := raw.recv(65_536)):
            coming.write(data)
            with suppress(ssl.SSLWantReadError):
                found += tls.read(65_536)
    return found


@on_loop
async def test_nobody_reads_what_another_visitor_sent(tmp_path: Path) -> None:
    """Misuse: a request in two TLS records is that request, and nothing of an earlier client."""
    made(tmp_path / "server", "--days", "90")
    cert, key = tmp_path / "server.pem", tmp_path / "server.key"
    config = configure(tmp_path, extra=f'[listen.tls]\ncert = "{cert}"\nkey = "{key}"')
    secret = b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    secret += b"Cookie: correct-horse-battery\r\n\r\n"
    ends = secret.index(b"correct")
    head = b"GET /readyz HTTP/1.1\r\nConnection: close\r\nX: ".ljust(ends - 8, b"a") + b"\r\nHost: "
    async with staffed(config) as server:
        port, trusted = server.ports["http"], trusting(cert)
        said = await asyncio.to_thread(in_one_segment, port, trusted, secret)
        assert said.startswith(b"HTTP/1.1 200 ")
        said = await asyncio.to_thread(in_one_segment, port, trusted, head, b"localhost\r\n\r\n")
        assert said.startswith(b"HTTP/1.1 200 "), said


@on_loop
async def test_people_work_over_tls_and_a_new_certificate_is_taken(tmp_path: Path) -> None:
    """Access: a made certificate serves pages and programs; its successor is used without a restart."""
    file, clock = tmp_path / "server", StepClock()
    made(file, "--days", "7")
    cert, key = tmp_path / "server.pem", tmp_path / "server.key"
    assert key.stat().st_mode & 0o777 == 0o600
    config = configure(tmp_path, extra=f'[listen.tls]\ncert = "{cert}"\nkey = "{key}"')
    assert any(f"{cert} ends on" in warning for warning in config.warnings)
    async with staffed(config, clock) as server:
        at = f"https://127.0.0.1:{server.ports['http']}"
        first = trusting(cert)
        async with aiohttp.ClientSession(at) as web:
            data = {"login": "ann", "secret": SECRET}
            async with web.post("/ops/sign-in", data=data, ssl=first, allow_redirects=False) as answer:
                cookie = answer.cookies[SECURE_COOKIE]
                assert (answer.status, cookie["secure"]) == (303, True)
            mine = {"Authorization": f"Bearer {await token(server)}"}
            async with web.get(f"{BASE}/links", headers=mine, ssl=first) as answer:
                assert answer.status == 200
            async with web.get("/metrics", ssl=first) as answer:
                assert "jackpot_tls_certificate_expiry_timestamp_seconds" in await answer.text()
        key.write_text("half of it")
        server.encryption.tick(clock.monotonic() + LOOK_S)
        made(file, "--force", "--days", "90")
        server.encryption.tick(clock.monotonic() + 2 * LOOK_S)
        assert server.encryption.ends == ends_ms(cert) / 1000
        again = trusting(cert)
        async with aiohttp.ClientSession(at) as web, web.get("/ops/sign-in", ssl=again) as answer:
            assert answer.status == 200
