"""HTTP routes of a signage process: sign pages, streams, readiness and metrics.

It has no ledger, so it can serve neither the floor page nor the metrics of the banks' states.
"""

import platform
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final, Protocol

from aiohttp import web

from jackpot import __version__
from jackpot.clock import Clock
from jackpot.config import Address, Signage
from jackpot.net.devices import ConnectedDevices
from jackpot.net.listener import Listener
from jackpot.publish.redis_follower import RedisFollower
from jackpot.runtime.histogram import Histogram
from jackpot.web import server_routes
from jackpot.web.api import REQUEST_MAX
from jackpot.web.metric_families import by_bank
from jackpot.web.metrics import ConnectionStatistics, LastScrape, exposition, of_program, of_way_in
from jackpot.web.sign_pages import Screens

_GAUGES: Final = (
    ("signage_fresh", "fresh", "1 while what is shown of the bank was confirmed within 5 s."),
    ("signage_up", "up", "1 while Redis says what is new of the bank."),
    ("signage_seq", "seq", "The journal's entry that is shown of the bank."),
    ("signage_epoch", "epoch", "The epoch in which that entry was told."),
)
_COUNTERS: Final = (
    ("signage_applied", "applied", "Messages that were shown."),
    ("signage_gaps", "gaps", "Messages before which one was missing, so that the whole was read."),
    ("signage_older", "older", "Messages that were older than what was shown, and were not."),
    ("signage_failures", "failures", "Attempts with a node of Redis that ended with an error."),
)


class SignageSource(server_routes.HttpProcess, Protocol):
    """Interface of the process to its routes."""

    @property
    def settings(self) -> Signage: ...
    @property
    def followers(self) -> Mapping[str, RedisFollower]: ...
    @property
    def signs(self) -> ConnectedDevices: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def lag(self) -> Histogram: ...
    @property
    def digest(self) -> str: ...
    @property
    def listeners(self) -> Sequence[Listener]: ...


_SOURCE: Final = web.AppKey("source", SignageSource)


async def listen(
    source: SignageSource, screens: Screens, listener: Listener, address: Address, *, public: bool
) -> tuple[web.AppRunner, int]:
    """Serves HTTP at `address` until the runner is cleaned up; the port that it got. Raises OSError."""
    app = web.Application(client_max_size=REQUEST_MAX)
    app[_SOURCE] = source
    app.add_routes(screens.public())
    app.middlewares.append(screens.in_words(private=False))
    if not public:
        scrape = LastScrape(source.clock, lambda: metrics(app))
        app.add_routes(
            [
                web.get("/metrics", scrape.answer),
                web.get("/healthz", server_routes.alive),
                web.get("/readyz", ready),
            ]
        )
    return await server_routes.start(app, source, screens, listener, address)


async def ready(request: web.Request) -> web.Response:
    """GET /readyz: 503 with every bank whose links are shown as a fault."""
    banks = request.app[_SOURCE].followers.items()
    reasons = {bank: "not confirmed by its server" for bank, one in banks if not one.board.trusted}
    if reasons:
        return web.json_response({"status": "not ready", "reasons": reasons}, status=503)
    return web.json_response({"status": "ready"})


async def metrics(app: web.Application) -> bytes:
    """Everything, in Prometheus' text form."""
    source = app[_SOURCE]
    build = {
        "version": __version__,
        "digest": source.digest,
        "python": platform.python_version(),
        "server": source.settings.id,
    }
    listeners = [listener.statistics() for listener in source.listeners]
    way_in = ConnectionStatistics(
        [source.signs.statistics()], listeners, source.connections.refused, source.connections.budget
    )
    followers = [follower.statistics() for follower in source.followers.values()]
    shown = by_bank(_GAUGES, _COUNTERS, followers)
    return exposition(
        chain(of_program(build, source.lag, source.clock.unix_ms() / 1000), shown, of_way_in(way_in))
    )
