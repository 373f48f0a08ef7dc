"""HTTP routes of the server outside the API and /ops: health, metrics, floor page; none changes anything.

/metrics, /healthz (alive), /readyz (active and durable) and the floor page on its own listener alone; the
sign pages and the streams there and on the public one.
"""

import asyncio
import os
import platform
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final, Protocol

from aiohttp import hdrs, web

from jackpot import __version__
from jackpot.api.executor import OperationExecutor
from jackpot.api.operation import BASE
from jackpot.api.suspension_help import explained
from jackpot.api.worker_pool import WorkerPool
from jackpot.auth.auth_service import AuthService
from jackpot.bank.bank import Bank, BankStopped
from jackpot.bank.standbys import StandbyMonitor
from jackpot.catalogue import hit_chance
from jackpot.config import Address, Config
from jackpot.config.languages import translate_all
from jackpot.net.device_listeners import Encryption
from jackpot.net.listener import Listener
from jackpot.rules import views
from jackpot.rules.signing import SITE
from jackpot.runtime.histogram import Histogram
from jackpot.web import api, docs, ops, overview
from jackpot.web.authentication import RequestAuthentication
from jackpot.web.book_metrics import of_books
from jackpot.web.floor_alerts import UNUSABLE, why
from jackpot.web.host_names import EVERYWHERE, names
from jackpot.web.http_connection import HttpConnections
from jackpot.web.metrics import (
    ConnectionStatistics,
    LastScrape,
    exposition,
    of_awards,
    of_banks,
    of_chances,
    of_disk,
    of_encryption,
    of_heads,
    of_keys,
    of_mystery,
    of_pagers,
    of_program,
    of_relays,
    of_standbys,
    of_timers,
    of_way_in,
)
from jackpot.web.overview import Overview
from jackpot.web.pages_base import PageContext, PageRenderer
from jackpot.web.reports import Reports
from jackpot.web.sign_pages import Screens, asked_in, secure
from jackpot.web.what_if import WhatIfJobs

# A scrape while the ledger is in doubt gets the last durable state, not an error: that is when people look.
STATE_WITHIN_S: Final = 1.0


class HttpProcess(Protocol):
    """A process that answers over HTTP."""

    @property
    def config(self) -> Config: ...
    @property
    def connections(self) -> HttpConnections: ...


class ServerSource(overview.OverviewSource, HttpProcess, Protocol):
    """Interface of the server to pages and metrics."""

    @property
    def listeners(self) -> Sequence[Listener]: ...

    @property
    def acts(self) -> OperationExecutor: ...
    @property
    def auth(self) -> AuthService: ...
    @property
    def encryption(self) -> Encryption: ...
    @property
    def standbys(self) -> StandbyMonitor | None: ...
    @property
    def digest(self) -> str: ...
    @property
    def warnings(self) -> Sequence[str]: ...
    @property
    def report_readers(self) -> WorkerPool: ...
    @property
    def lag(self) -> Histogram: ...


_SOURCE: Final = web.AppKey("source", ServerSource)
_STATES: Final = web.AppKey("states", dict[str, dict[str, Any]])
_CHANCES: Final = web.AppKey("chances", dict[tuple[str, str], float])


async def listen(
    source: ServerSource, screens: Screens, listener: Listener, address: Address, *, public: bool = False
) -> tuple[web.AppRunner, int]:
    """Serves HTTP at `address` until the runner is cleaned up; the port that it got. Raises OSError."""
    app = web.Application(client_max_size=api.REQUEST_MAX)
    app[_SOURCE] = source
    app[_STATES] = {}
    app[_CHANCES] = {
        (terms.link, level.level): float(hit_chance(terms, level.level))
        for terms in source.config.links
        for level in terms.levels
    }
    app.add_routes(screens.public())
    app.middlewares.append(screens.in_words(private=not public))
    looking = Overview(source, screens.writing)

    async def floor(request: web.Request) -> web.Response:
        """GET /floor.json: what the floor page shows besides the meters, in the browser's language."""
        said = translate_all(asked_in(request, source.config.site.locale), await looking.look())
        return web.json_response(said, headers={"Cache-Control": "no-store", "Vary": hdrs.ACCEPT_LANGUAGE})

    if not public:
        scrape = LastScrape(source.clock, lambda: metrics(app))
        app.add_routes(
            [web.get("/metrics", scrape.answer), web.get("/healthz", alive), web.get("/readyz", ready)]
        )
        app.add_routes([*screens.private(), web.get("/floor.json", floor), *docs.routes()])
        access = RequestAuthentication(source.auth, source.config.listen.proxies)
        served = api.ApiSource(source.acts, access.person, "http", elsewhere(source.config))
        app.add_subapp(BASE, api.api(served))
        front = PageContext(source.acts, access, source.config, screens.writing)
        reports = Reports(
            PageRenderer(front), source.books, source.report_readers, source.config, source.clock
        )
        jobs = WhatIfJobs()
        app.on_shutdown.append(lambda _: jobs.end())
        app.add_routes(ops.routes(front, looking, reports, jobs))
    return await start(app, source, screens, listener, address)


async def start(
    app: web.Application, source: HttpProcess, screens: Screens, listener: Listener, address: Address
) -> tuple[web.AppRunner, int]:
    """Serves the routes of `app`, and tells its receivers when it ends. Raises OSError."""
    hosts = names(source.config.listen.hosts, [address.host])
    app.on_response_prepare.append(secure)
    app.on_shutdown.append(lambda _: screens.live.end())
    return await source.connections.serve(app, listener, hosts)


def elsewhere(config: Config) -> dict[str, str]:
    """The addresses of the other servers' APIs, by server id; only those that are known to be reachable."""
    scheme = "http" if config.listen.tls is None else "https"
    there = {server.id: server.listen.http for server in config.servers if server != config.server}
    return {
        name: f"{scheme}://{address}"
        for name, address in there.items()
        if address is not None and address.port and address.host not in EVERYWHERE
    }


async def alive(_request: web.Request) -> web.Response:
    """GET /healthz: the process answers."""
    return web.json_response({"status": "alive"})


async def ready(request: web.Request) -> web.Response:
    """GET /readyz: 503 with a reason for every bank that is not active and durable, or that this server,
    standing by, could not take over whole (Y12); and the start's findings.

    mystery: that the key or its witness cannot be used. Anybody may ask: where these files are, and what is
    wrong with them, is in the log. suspended: the links that take no wagers, each
    with why and what people do next.
    """
    source = request.app[_SOURCE]
    reasons = {name: reason for name, bank in source.banks.items() if (reason := why(bank))}
    found: dict[str, Any] = {"warnings": list(source.warnings)} if source.warnings else {}
    mystery = source.mystery
    if mystery is not None and mystery.faults:
        unusable = [str(UNUSABLE[file]) for file in mystery.faults]
        found["mystery"] = {
            file: f"{said}: the line mystery_not_ready in its log says which file and why"
            for file, said in zip(mystery.faults, unusable, strict=True)
        }
        reasons |= {
            name: f"its committed links would be suspended here: {'; '.join(unusable)}"
            for name, bank in source.banks.items()
            if bank.lifecycle.elsewhere and name in mystery.banks
        }
    if reasons:
        return web.json_response({"status": "not ready", "reasons": reasons, **found}, status=503)
    for bank in source.banks.values():
        if stopped := explained(bank.board, bank.name):
            found["suspended"] = found.get("suspended", {}) | stopped
    return web.json_response({"status": "ready", **found})


async def _learn(states: dict[str, dict[str, Any]], name: str, bank: Bank) -> None:
    """Reads the bank's durable state; if the bank is late, the earlier one stays."""
    try:
        async with asyncio.timeout(STATE_WITHIN_S):
            states[name] = await bank.ask(views.statistics)
    except (TimeoutError, BankStopped):
        if bank.lifecycle.elsewhere:
            states.pop(name, None)  # the other server shows the bank's state


async def metrics(app: web.Application) -> bytes:
    """Everything, in Prometheus' text form."""
    source, states, chances = app[_SOURCE], app[_STATES], app[_CHANCES]
    banks = {**source.banks, SITE: source.people}
    async with asyncio.TaskGroup() as group:  # all at once: banks in doubt answer late, each as late as one
        for name, bank in banks.items():
            group.create_task(_learn(states, name, bank))
    own = "" if source.config.server is None else source.config.server.id
    build = {
        "version": __version__,
        "digest": source.digest,
        "python": platform.python_version(),
        "server": own,
    }
    names = [bank.statistics() for bank in banks.values()]
    devices = [part.statistics() for part in (source.tables, source.signs)]
    relays = [relay.statistics() for relay in source.relays]
    listeners = [listener.statistics() for listener in source.listeners]
    way_in = ConnectionStatistics(devices, listeners, source.connections.refused, source.connections.budget)
    books = of_books(list(states.values()), names, source.config.site.credit_within_hours)
    heads = [] if source.signer is None else [source.signer.statistics()]
    disk = [] if source.config.ledger.file is None else [_disk(source.config.ledger.file.parent)]
    return exposition(
        chain(
            of_program(build, source.lag, source.clock.unix_ms() / 1000),
            of_encryption(source.encryption.ends),
            of_keys(source.config.keys_end),
            of_timers(source.config.ledger.timers, banks),
            books,
            of_banks(names),
            of_awards(names),
            of_chances(chances),
            of_disk(disk),
            of_standbys(None if source.standbys is None else source.standbys.count),
            of_mystery(source.mystery),
            of_way_in(way_in),
            of_relays(relays),
            of_heads(heads),
            of_pagers([] if source.notifier is None else [source.notifier.statistics()]),
        )
    )


def _disk(folder: Path) -> tuple[int, int]:
    """Bytes free and in all of a folder's disk, which the system knows without reading it."""
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize
