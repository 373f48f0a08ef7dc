"""The notifier of a real server delivers every notice, whatever ends in between."""

import hashlib
import hmac
import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
import structlog
import trustme
from aiohttp import web

from jackpot.app import Server
from jackpot.config import Config
from jackpot.notify.sinks import REFUSALS_MAX
from jackpot.rules.acts.devices import BlockDevice
from jackpot.rules.acts.hits import Pay, Undo, Validate
from tests.net.test_admin_socket import royal
from tests.running_server import LINKS, configure, on_loop, table, until
from tests.web.staffed import prove, staffed

SECRET: Final = "ab" * 32
FREE: Final = LINKS + "hold_table = false\n"


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Removes the pauses between polls and attempts."""
    monkeypatch.setattr("jackpot.notify.notifier.LOOK_EVERY_S", 0.02)
    monkeypatch.setattr("jackpot.notify.notifier.KEEP_EVERY_S", 0.0)
    monkeypatch.setattr("jackpot.notify.sinks.RETRY_FIRST_S", 0.01)
    monkeypatch.setattr("jackpot.notify.sinks.RETRY_MAX_S", 0.02)


class Pager:
    """A web server behind TLS. heard: each notice that it took. broken: it takes none.

    refused: what a notice that it never takes has in it.
    """

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []
        self.asked = 0
        self.broken = False
        self.refused = b"nothing"
        self.port = 0

    async def take(self, request: web.Request) -> web.Response:
        body = await request.read()
        self.asked += 1
        if self.broken:
            return web.Response(status=503)
        proved(request.headers["Jackpot-Signature"], body)
        if self.refused in body:
            return web.Response(status=400)
        self.heard.append(json.loads(body))
        return web.Response(status=204)


def proved(header: str, body: bytes) -> None:
    """Checks the signature as deploy/README.md describes."""
    said = dict(part.split("=", 1) for part in header.split(","))
    signed = said["t"].encode() + b"." + body
    assert hmac.new(bytes.fromhex(SECRET), signed, hashlib.sha256).hexdigest() == said["v1"]


@asynccontextmanager
async def pager(folder: Path) -> AsyncIterator[Pager]:
    """One that answers; its authority's certificate is ca.pem in the folder."""
    found, trust = Pager(), trustme.CA()
    trust.cert_pem.write_to_path(str(folder / "ca.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trust.issue_cert("127.0.0.1").configure_cert(context)
    app = web.Application()
    app.add_routes([web.post("/page", found.take)])
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    found.port = runner.addresses[0][1]
    try:
        yield found
    finally:
        await runner.cleanup()


def notify(folder: Path, port: int, *more: str) -> Config:
    """A configuration that tells the web server on that port."""
    secret = folder / "notify"
    secret.touch(mode=0o600)
    secret.write_text(SECRET)
    url = f'url = "https://127.0.0.1:{port}/page"'
    return configure(
        folder, links=FREE, extra="\n".join(["[notify]", url, 'secret = "notify"', 'ca = "ca.pem"', *more])
    )


@on_loop
async def test_nothing_is_lost_while_nobody_could_be_told(tmp_path: Path) -> None:
    """A10, S9: the web server is away, the hit is paid, the server ends and starts: it hears of all, in
    order.
    """
    async with pager(tmp_path) as away:
        config = notify(tmp_path, away.port)
        away.broken = True
        async with Server(config) as server, table(server) as device:
            await until(lambda: server.notifier is not None and server.notifier.outbox.room > 0)
            await royal(device)
            main = server.banks["main"]
            await main.person(Validate("H1"), ("Ann",))
            await main.person(Pay("H1", document="W-1", seat=1), ("Ann",))
            await main.person(BlockDevice("table", "T02"), ())
            await until(lambda: away.asked > 2)
            assert server.active
        assert away.heard == []
        away.broken = False
        async with Server(config) as server:
            await until(lambda: len(away.heard) == 2)
        hit, alarm = away.heard
        assert (hit["about"], hit["facts"]["hit"], hit["facts"]["amount"]) == ("hit", "H1", "10000.18")
        assert hit["text"] == "royal flush of 10000.18 at T01, seat 1 waits for people"
        assert (alarm["about"], alarm["facts"]["alarm"]) == ("alarm", "device_conflict")
        assert hit["id"].startswith("test/main/")
        async with Server(config) as server, table(server) as device:
            await royal(device, 3, "R2")
            await until(lambda: len(away.heard) > 2)
            await until(lambda: server.notifier is not None and not server.notifier.statistics()["waiting"])
        assert [one["facts"].get("hit") for one in away.heard] == ["H1", None, "H2"]


@on_loop
async def test_a_notice_that_is_always_refused_holds_none_back(tmp_path: Path) -> None:
    """A10: the web server cannot read one of them; the next ones come, also after a start, and it is said."""
    async with pager(tmp_path) as there:
        config = notify(tmp_path, there.port)
        there.refused = b'"H1"'
        with structlog.testing.capture_logs() as logs:
            async with Server(config) as server, table(server) as device:
                await until(lambda: server.notifier is not None and server.notifier.outbox.room > 0)
                await royal(device)
                await royal(device, 3, "R2")
                await until(lambda: bool(there.heard))
                assert server.notifier is not None
                assert server.notifier.statistics()["dropped"] == 1
        assert there.asked == REFUSALS_MAX + 1
        (said,) = [line for line in logs if line["event"] == "refused_for_good"]
        assert json.loads(said["line"])["facts"]["hit"] == "H1"
        there.refused = b"nothing"
        async with Server(config) as server, table(server) as device:
            await royal(device, 5, "R3")
            await until(lambda: there.heard[-1]["facts"].get("hit") == "H3")
        heard = dict.fromkeys(one["facts"].get("hit") for one in there.heard)
        assert list(heard) == ["H2", "H3"], "one may come twice"


@on_loop
async def test_a_request_is_told_with_who_asks(tmp_path: Path) -> None:
    """A11: a second person hears what is asked for, and by whom; what nobody wants to hear is not told."""
    async with pager(tmp_path) as there:
        config = notify(tmp_path, there.port, 'events = ["request"]')
        async with staffed(config) as server, table(server) as device:
            await royal(device)
            await royal(device, 3, "R2")
            ann = await prove(server, "ann")
            asked = await server.auth.act(server.banks["main"], Undo("H1", "misdealt"), (ann,))
            assert asked.asked, asked.message
            await until(lambda: bool(there.heard))
        (one,) = there.heard
        assert one["text"] == "Ann asks for undo: a second person confirms it within 15 minutes"
        assert (one["page"], one["facts"]["request"]) == ("/ops/requests", "main-1")


@on_loop
async def test_a_pager_that_is_away_is_said_once_in_a_while(tmp_path: Path) -> None:
    """Operations: the log has why, the metrics how many wait and since when none was taken."""
    async with pager(tmp_path) as away:
        away.broken = True
        with structlog.testing.capture_logs() as logs:
            async with Server(notify(tmp_path, away.port)) as server:
                assert server.notifier is not None
                await server.banks["main"].person(BlockDevice("table", "T02"), ())
                await until(lambda: away.asked > 1)
                told = server.notifier.statistics()
                assert (told["waiting"], told["sent"], told["sent_at"]) == (1, 0, 0)
                assert told["failures"] > 0
    line = next(line for line in logs if line["event"] == "delivery_failed")
    assert line["reason"].endswith("answered 503")
