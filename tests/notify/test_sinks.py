"""Delivery of signed heads to file, syslog and webhook, also through temporary failures (S8)."""

import asyncio
import contextlib
import os
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import structlog
import trustme
from aiohttp import web

from jackpot.clock import SystemClock
from jackpot.notify import sinks
from jackpot.notify.sinks import (
    REFUSALS_MAX,
    WAITING_MAX,
    FileSink,
    Outbox,
    Sink,
    SinkRefused,
    SyslogSink,
    WebhookSink,
    append,
)
from tests.running_server import WAIT_S, on_loop, until

LINES = [b'{"seq":%d}' % number for number in range(5)]


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Removes the pause between attempts."""
    monkeypatch.setattr("jackpot.notify.sinks.RETRY_FIRST_S", 0.01)
    monkeypatch.setattr("jackpot.notify.sinks.RETRY_MAX_S", 0.02)


@asynccontextmanager
async def outbox(to: Sink) -> AsyncIterator[Outbox]:
    """A running outbox."""
    found = Outbox(to, SystemClock())
    async with asyncio.TaskGroup() as group:
        running = group.create_task(found.run())
        try:
            yield found
        finally:
            await found.close()
            running.cancel()


async def emptied(box: Outbox) -> None:
    async with asyncio.timeout(WAIT_S):
        await box.emptied()


def test_a_line_is_appended_behind_a_torn_one(tmp_path: Path) -> None:
    """S8: a power cut in the middle of a line costs that line alone."""
    file = tmp_path / "heads"
    append(file, LINES[0])
    with file.open("ab") as torn:
        torn.write(LINES[1][:4])
    append(file, LINES[2])
    append(file, LINES[3])
    assert file.read_bytes().split(b"\n") == [LINES[0], LINES[1][:4], LINES[2], LINES[3], b""]
    assert file.stat().st_mode & 0o777 == 0o644


def test_a_full_disk_is_an_error() -> None:
    """S8: what is not on the disk was not taken."""
    with pytest.raises(OSError, match="No space left"):
        append(Path("/dev/full"), LINES[0])


@on_loop
async def test_a_file_that_comes_back(tmp_path: Path) -> None:
    """S8: heads wait while the folder of another machine is away, and then come in their order."""
    folder = tmp_path / "mnt"
    with structlog.testing.capture_logs() as logs:
        async with outbox(FileSink(folder / "heads")) as box:
            for line in LINES:
                box.put(line)
            await until(lambda: box.failures > 1)
            assert (box.sent, box.statistics()["waiting"], box.sent_at) == (0, len(LINES), 0)
            folder.mkdir()
            await emptied(box)
            assert (folder / "heads").read_bytes() == b"\n".join([*LINES, b""])
            assert (box.sent, box.dropped, box.statistics()["waiting"]) == (len(LINES), 0, 0)
            assert box.sent_at > 0
    said = next(line for line in logs if line["event"] == "delivery_failed")
    assert (said["destination"], said["waiting"]) == ("file", len(LINES))
    assert "No such file" in said["reason"]


@on_loop
async def test_a_log_service_on_its_socket(tmp_path: Path) -> None:
    """S8: one datagram a head, as the local syslog takes it; one that is away is tried again."""
    path = tmp_path / "log"
    async with outbox(SyslogSink(path)) as box:
        box.put(LINES[0])
        await until(lambda: box.failures > 1)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as service:
            service.bind(str(path))
            service.settimeout(WAIT_S)
            box.put(LINES[1])
            await emptied(box)
            assert [service.recv(4_096) for _ in range(2)] == [
                b"<110>jackpot: " + LINES[0],
                b"<110>jackpot: " + LINES[1],
            ]


@on_loop
async def test_a_log_service_that_takes_nothing(tmp_path: Path) -> None:
    """S8: its queue is full: nothing blocks here, and every head comes once there is room."""
    path = tmp_path / "log"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as service:
        service.bind(str(path))
        service.setblocking(False)
        async with outbox(SyslogSink(path)) as box:
            lines = [b'{"seq":%d}' % number for number in range(WAITING_MAX)]
            for line in lines:
                box.put(line)
            await until(lambda: box.failures > 0)
            heard: list[bytes] = []

            def all_heard() -> bool:
                with contextlib.suppress(BlockingIOError):
                    while True:
                        heard.append(service.recv(4_096).removeprefix(b"<110>jackpot: "))
                return len(heard) == len(lines)

            await until(all_heard)
    assert heard == lines


Answer = Callable[[], web.Response]


@asynccontextmanager
async def webhook(folder: Path, heard: list[bytes], answers: list[Answer]) -> AsyncIterator[WebhookSink]:
    """A real web server behind TLS, which answers so, and then 204."""
    trust = trustme.CA()
    trust.cert_pem.write_to_path(str(folder / "ca.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trust.issue_cert("127.0.0.1").configure_cert(context)

    async def take(request: web.Request) -> web.Response:
        if answers:
            return answers.pop(0)()
        heard.append(await request.read())
        assert request.content_type == "application/json"
        return web.Response(status=204)

    app = web.Application()
    app.add_routes([web.post("/heads", take)])
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
    await site.start()
    try:
        port = runner.addresses[0][1]
        yield WebhookSink(f"https://127.0.0.1:{port}/heads", folder / "ca.pem")
    finally:
        await runner.cleanup()


def moved() -> web.Response:
    return web.Response(status=307, headers={"Location": "/heads"})


def broken() -> web.Response:
    return web.Response(status=500)


@on_loop
async def test_a_web_server_that_fails_first(tmp_path: Path) -> None:
    """S8: only 2xx is an answer: after an error or a redirect the line is tried again, in order."""
    heard: list[bytes] = []
    with structlog.testing.capture_logs() as logs:
        async with webhook(tmp_path, heard, [broken, moved]) as to, outbox(to) as box:
            for line in LINES:
                box.put(line)
            await emptied(box)
    assert (heard, box.sent, box.failures) == (LINES, len(LINES), 2)
    reasons = [line["reason"] for line in logs if line["event"] == "delivery_failed"]
    assert [reason.rpartition(" ")[2] for reason in reasons] == ["500", "307"]


@on_loop
async def test_a_web_server_of_another_authority(tmp_path: Path) -> None:
    """S8: nobody else's server is given heads as if it were the auditor's."""
    heard: list[bytes] = []
    (tmp_path / "other").mkdir()
    async with webhook(tmp_path, heard, []) as to, webhook(tmp_path / "other", heard, []) as other:
        async with outbox(WebhookSink(other._url, tmp_path / "ca.pem")) as box:
            box.put(LINES[0])
            await until(lambda: box.failures > 0)
        assert heard == []
        await to.send(LINES[1])
    assert heard == [LINES[1]]


@on_loop
async def test_what_waits_is_bounded(tmp_path: Path) -> None:
    """S8: the oldest is dropped, and said: a newer head proves its rows too."""
    with structlog.testing.capture_logs() as logs:
        async with outbox(FileSink(tmp_path / "mnt" / "heads")) as box:
            for number in range(WAITING_MAX + 7):
                box.put(b"%d" % number)
                if number % 100 == 0:
                    await asyncio.sleep(0)
            assert (box.dropped, box.statistics()["waiting"]) == (7, WAITING_MAX)
            (tmp_path / "mnt").mkdir()
            await emptied(box)
    kept = (tmp_path / "mnt" / "heads").read_bytes().split()
    assert kept[-WAITING_MAX:] == [b"%d" % number for number in range(7, WAITING_MAX + 7)]
    assert kept[:-WAITING_MAX] in ([], [b"0"])  # the one that was under way when it was dropped
    assert sum(line["event"] == "delivery_dropped" for line in logs) == 7


@on_loop
async def test_a_disk_that_hangs_keeps_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S8: an end waits for no sink; unsent lines are logged."""
    hangs, go = threading.Event(), threading.Event()

    def hang(_path: Path, _line: bytes) -> None:
        hangs.set()
        assert go.wait(WAIT_S)

    monkeypatch.setattr(sinks, "append", hang)
    with structlog.testing.capture_logs() as logs:
        async with outbox(FileSink(tmp_path / "heads")) as box:
            box.put(LINES[0])
            await until(hangs.is_set)
    go.set()
    assert [line["waiting"] for line in logs if line["event"] == "delivery_lost"] == [1]
    assert not os.path.exists(tmp_path / "heads")  # noqa: PTH110 - the one that hung wrote nothing


class _Refuses:
    """A sink that refuses every line. asked: every line that it was sent."""

    name = "webhook"

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self.on_asked: Callable[[], None] = lambda: None

    async def send(self, line: bytes) -> None:
        """As Sink."""
        self.asked.append(line)
        self.on_asked()
        raise SinkRefused("no")

    async def close(self) -> None:
        """Nothing is open."""


@on_loop
async def test_each_line_has_refusals_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A10: what was refused of a line that had to make room is not held against the next one."""
    monkeypatch.setattr("jackpot.notify.sinks.WAITING_MAX", 2)
    there = _Refuses()
    box = Outbox(there, SystemClock(), "notice", gives_up=True)

    def overflow() -> None:
        if len(there.asked) == REFUSALS_MAX - 1:
            box.put(LINES[2])  # the line that was refused so often is the oldest, and goes

    there.on_asked = overflow
    box.put(LINES[0])
    box.put(LINES[1])
    async with asyncio.TaskGroup() as group:
        running = group.create_task(box.run())
        await emptied(box)
        running.cancel()
    assert [there.asked.count(line) for line in LINES[:3]] == [
        REFUSALS_MAX - 1,
        REFUSALS_MAX,
        REFUSALS_MAX,
    ]
    await box.close()
