"""What does the server answer over HTTP? /metrics, /healthz (alive) and /readyz (active and durable)."""

import asyncio
import platform
import ssl
from collections.abc import Mapping
from typing import Any, Final, Protocol

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from jackpot import __version__
from jackpot.config import Address
from jackpot.rules import views
from jackpot.server.devices import Devices
from jackpot.server.histogram import Histogram
from jackpot.server.writer import BankStopped, Writer
from jackpot.web.metrics import registry

# A scrape while the ledger is in doubt gets the last durable state, not an error: that is when people look.
STATE_WITHIN_S: Final = 1.0


class Source(Protocol):
    """What pages read."""

    @property
    def writers(self) -> Mapping[str, Writer]: ...
    @property
    def floor(self) -> Devices: ...
    @property
    def signs(self) -> Devices: ...
    @property
    def digest(self) -> str: ...
    @property
    def lag(self) -> Histogram: ...


_SOURCE: Final = web.AppKey("source", Source)
_STATES: Final = web.AppKey("states", dict[str, dict[str, Any]])


async def listen(source: Source, address: Address, tls: ssl.SSLContext | None = None) -> web.AppRunner:
    """Serves HTTP at `address` until the runner is cleaned up. Raises OSError."""
    app = web.Application()
    app[_SOURCE] = source
    app[_STATES] = {}
    app.add_routes([web.get("/metrics", metrics), web.get("/healthz", alive), web.get("/readyz", ready)])
    runner = web.AppRunner(app, access_log=None, handle_signals=False)
    await runner.setup()
    await web.TCPSite(runner, address.host, address.port, ssl_context=tls).start()
    return runner


async def alive(_request: web.Request) -> web.Response:
    """The process answers."""
    return web.json_response({"status": "alive"})


async def ready(request: web.Request) -> web.Response:
    """503 with a reason for every bank that is not active and durable."""
    reasons = {
        bank: reason for bank, writer in request.app[_SOURCE].writers.items() if (reason := why(writer))
    }
    if reasons:
        return web.json_response({"status": "not ready", "reasons": reasons}, status=503)
    return web.json_response({"status": "ready"})


def why(writer: Writer) -> str | None:
    """Why a bank does not act now; None where it does."""
    if writer.stopped is not None:
        return f"stopped: {writer.stopped}"
    return None if writer.active else "the last commit is in doubt or slow"


async def metrics(request: web.Request) -> web.Response:
    """Everything, in Prometheus' text form."""
    source, states = request.app[_SOURCE], request.app[_STATES]
    for bank, writer in source.writers.items():
        try:
            async with asyncio.timeout(STATE_WITHIN_S):
                states[bank] = await writer.ask(views.statistics)
        except (TimeoutError, BankStopped):
            continue  # its last durable state is shown, and jackpot_active says that it is no newer
    build = {"version": __version__, "digest": source.digest, "python": platform.python_version()}
    banks = [writer.statistics() for writer in source.writers.values()]
    devices = [part.statistics() for part in (source.floor, source.signs)]
    found = registry(build, states.values(), banks, devices, source.lag)
    return web.Response(body=generate_latest(found), headers={"Content-Type": CONTENT_TYPE_LATEST})
