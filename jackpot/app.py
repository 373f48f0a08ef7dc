"""What is a running server made of? The one place that builds it, starts it and stops it gracefully."""

import asyncio
import os
import platform
import signal
import ssl
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, NamedTuple, Self
from zoneinfo import ZoneInfo

import structlog
from aiohttp import web

from jackpot.books.reader import Books
from jackpot.clock import Clock, SystemClock
from jackpot.config import Config
from jackpot.ledger.connect import without_password
from jackpot.ledger.open import open_stores
from jackpot.ledger.store import CommitInDoubt, Ledger, LedgerUnusable, Store, Threaded
from jackpot.rules.engine import Engine
from jackpot.rules.paytable import LinkTerms, TableTerms
from jackpot.server import descriptors, listening
from jackpot.server.admin import Admin
from jackpot.server.alone import alone, contained
from jackpot.server.devices import Device, Devices
from jackpot.server.door import Door
from jackpot.server.floor import Floor
from jackpot.server.guests import Bounds
from jackpot.server.histogram import LAG_SECONDS, Histogram
from jackpot.server.hold import Hold, patience
from jackpot.server.life import Service
from jackpot.server.opening import (
    Opened,
    agree,
    is_left_out,
    is_missing,
    link_terms,
    open_books,
    own_digest,
    table_terms,
)
from jackpot.server.readings import take_readings
from jackpot.server.relay import Publisher, SignKeys
from jackpot.server.remedy import explained
from jackpot.server.signs import Signs
from jackpot.server.tenure import RETRY_S, Tenure
from jackpot.server.udp import UdpText
from jackpot.server.writer import BankStopped, Writer
from jackpot.web import site
from jackpot.web.live import Live
from jackpot.web.screens import Screens
from jackpot.web.visitor import Visits

# How often boards and sessions see time pass: a sign's values come at most ten times a second.
TICK_S: Final = 0.1
# A graceful end waits this long for the batch in flight; a disk that hangs must not keep a server from being
# stopped.
STOP_WITHIN_S: Final = 20.0
_DIGEST_SHOWN: Final = 12

log: Final = structlog.get_logger()


class Server:
    """One server of one configuration: `async with Server(config) as server`.

    ports: by listener ("tables", "signs", "http", "public"), also where the configuration said 0. ledger:
    another than the configuration's, for tests. Raises LedgerError where the ledger cannot be believed (S3),
    OSError where an address cannot be had.
    """

    def __init__(self, config: Config, clock: Clock | None = None, ledger: Ledger | None = None) -> None:
        self.config = config
        self.clock = clock or SystemClock()
        self.ports: dict[str, int] = {}
        self.writers: dict[str, Writer] = {}
        self.tenures: dict[str, Tenure] = {}
        self.digest = ""
        self.warnings: list[str] = []
        self.lag = Histogram(LAG_SECONDS)
        self.relays: list[Publisher] = []
        self.books = Books(config.ledger.url)
        self.floor: Floor
        self.signs: Signs
        self._ledger = ledger
        self._stores: dict[str, Store] = {}
        self._admin: Admin
        self._group = asyncio.TaskGroup()
        self._writing: list[asyncio.Task[None]] = []
        self._others: list[asyncio.Task[None]] = []
        self._reading: dict[str, asyncio.Task[None]] = {}
        self._listeners: list[asyncio.Server] = []
        self._sites: list[web.AppRunner] = []
        self._live = Live((), self.clock)
        self.doors: list[Door] = []
        self.visits = Visits(self.clock)
        self._udp: list[UdpText] = []

    async def __aenter__(self) -> Self:
        """Starts; on an error everything that was started is stopped."""
        await self._group.__aenter__()
        try:
            await self._start()
        except BaseException as error:
            await self.__aexit__(type(error), error, error.__traceback__)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stops gracefully: no new input, then every answer that is due.

        The block's own error goes on as it is.
        """
        try:
            await self._stop()
        finally:
            cancelled = kind is not None and issubclass(kind, asyncio.CancelledError)
            await (
                self._group.__aexit__(kind, error, trace)
                if cancelled
                else self._group.__aexit__(None, None, None)
            )

    @property
    def active(self) -> bool:
        """Whether every bank decides and is durable."""
        return bool(self.writers) and all(writer.active for writer in self.writers.values())

    async def _start(self) -> None:
        config = self.config
        self.digest = own_digest()
        name = "" if config.server is None else f"{config.server.id} "
        holder = f"{name}{platform.node()}:{os.getpid()}:{self.digest[:_DIGEST_SHOWN]}"
        log.info("starting", site=config.site.name, config=str(config.path), digest=self.digest)
        for warning in config.warnings:
            log.warning("config_warning", warning=warning)
        self._stores = await self._open_ledger()
        for bank in config.banks:
            links = [terms for terms in config.links if terms.bank == bank]
            store, several = self._stores[bank], len(config.servers) > 1
            hold = Hold(bank, holder, self.clock.monotonic(), shared=store.shared, others=several)
            self.writers[bank] = Writer.standing_by(hold, store, self.clock, links)
        self._build_devices()
        missing, left_out = await self._open_books()
        self.warnings += [is_left_out(bank) for bank in left_out]
        self.tenures |= {bank: self._tenure(bank) for bank in config.banks}
        for bank in missing:
            self.writers[bank].fail(LedgerUnusable(is_missing(bank)))
        there = [tenure for bank, tenure in self.tenures.items() if bank not in missing]
        self._writing += [self._task(tenure.run(), tenure.writer) for tenure in there]
        for tenure in there:
            await tenure.settled()
        await self._listen()
        self._run(self._tick())
        if config.redis:
            for writer in self.writers.values():
                self._relay(writer)
        log.info("serving", **self.ports)

    async def _open_ledger(self) -> dict[str, Store]:
        """A store for each bank; what its opening found is logged."""
        config = self.config
        if self._ledger is not None:
            return dict.fromkeys(config.banks, Threaded(self._ledger))
        url, required = config.ledger.url, config.ledger.require_synchronous
        stores = await open_stores(url, config.banks, require_synchronous=required)
        first = stores[config.banks[0]]
        if first.created:
            log.warning("ledger_created", url=without_password(url))
        for warning in first.warnings:
            log.warning("ledger_warning", warning=warning)
        return stores

    async def _open_books(self) -> Opened:
        """Looks into the ledger before any bank is taken; where it and the configuration differ.

        One of several servers waits for a database that does not answer; one alone raises CommitInDoubt.
        """
        store, now = self._stores[self.config.banks[0]], self.clock.unix_ms()
        while True:
            try:
                return await store.run(lambda ledger: open_books(ledger, self.config, now))
            except CommitInDoubt as error:
                if len(self.config.servers) < 2:
                    raise
                log.warning("ledger_unavailable", retry_s=RETRY_S, reason=str(error))
            await asyncio.sleep(RETRY_S)
            with suppress(CommitInDoubt):
                await store.recover()

    def _tenure(self, bank: str) -> Tenure:
        """A bank here: alone on the ledger, or one server of several."""
        server, began = self.config.server, self.clock.monotonic()
        first = [other for other in self.config.servers if bank in other.banks]

        def waits() -> float:
            busy = sum(writer.hold.busy for writer in self.writers.values())
            up_s = self.clock.monotonic() - began
            return patience(first=server in first, others_first=bool(first), busy=busy, up_s=up_s)

        return Tenure(
            self.writers[bank],
            self._stores[bank],
            self.clock,
            alone=len(self.config.servers) < 2,
            waits=waits,
            start=lambda work: self._task(work, self.writers[bank]),
            on_taken=self._taken,
        )

    async def _taken(self, writer: Writer) -> None:
        """The bank is ours: its links agree with the configuration before any device is let in."""
        await agree(writer, self.config, self._stores[writer.bank])
        await writer.refresh()
        for link, reason in explained(writer.board, writer.bank).items():
            log.warning("link_suspended", bank=writer.bank, link=link, reason=reason)
        known = await writer.ask(_known)
        self.floor.learn(known.tables, known.links)
        for devices in (self.floor, self.signs):
            own = {name for name, device in devices.devices.items() if device.banks[0] is writer}
            devices.blocked -= own
            devices.blocked |= {device for role, device in known.blocked if role == devices.role}
            devices.ended |= {(device, key) for role, device, key in known.ended if role == devices.role}
            for name, device in devices.devices.items():
                if writer in device.banks and not devices.keys(devices.role, name):
                    log.warning(
                        "device_locked_out", role=devices.role, device=name, reason="its key has ended"
                    )
        if (earlier := self._reading.get(writer.bank)) is not None:
            earlier.cancel()
        work = self._readings(writer, ZoneInfo(self.config.site.timezone))
        self._reading[writer.bank] = self._task(work, writer)

    def _build_devices(self) -> None:
        config = self.config
        banks = {terms.link: self.writers[terms.bank] for terms in config.links}
        at_tables = {
            terms.table: Device(terms.table, terms.links, [banks[terms.links[0]]]) for terms in config.tables
        }
        at_signs = {
            sign.id: Device(sign.id, sign.links, list(dict.fromkeys(banks[link] for link in sign.links)))
            for sign in config.signs
        }
        name, limits = config.site.name, config.limits
        self.floor = Floor(name, at_tables, config.keys_of, limits, self.clock)
        self.signs = Signs("sign", name, at_signs, config.keys_of, limits, self.clock)
        others = [server.listen for server in config.servers if server != config.server]
        self.floor.elsewhere = tuple(str(listen.tables) for listen in others)
        self.signs.elsewhere = tuple(str(listen.signs) for listen in others if listen.signs is not None)
        for writer in self.writers.values():
            writer.on_durable += [self.floor.flush, self.signs.flush]
            writer.on_opened += [_letting_in(writer, self.floor), _letting_in(writer, self.signs)]
            writer.on_stopped += [_sending_away(writer, self.floor), _sending_away(writer, self.signs)]

    async def _listen(self) -> None:
        listen = self.config.listen
        tls = listening.tls_of(self.config, devices=True)
        given = [name for name in ("tables", "signs", "http", "public") if getattr(listen, name) is not None]
        bounds = descriptors.bounds(self.config, given, descriptors.allowed())
        for name, where, devices in (
            ("tables", listen.tables, self.floor),
            ("signs", listen.signs, self.signs),
        ):
            if where is not None:
                self.ports[name] = await listening.listen(self._door(name, bounds, tls), where, devices, tls)
        roles = {"table": self.floor, "sign": self.signs}
        self._admin = Admin(self.writers, self.clock, roles, self.tenures, self.books, self.config.site)
        self._listeners.append(await self._admin.listen(listen.admin))
        boards = [writer.board for writer in self.writers.values()]
        self._live = Live(boards, self.clock, listen.streams_per_address)
        screens = Screens(self.config, self._live)
        for name, address in (("http", listen.http), ("public", listen.public)):
            if address is not None:
                pages_tls = listening.tls_of(self.config, devices=False)
                door = self._door(name, bounds, pages_tls)
                found = await site.listen(self, screens, door, address, public=name == "public")
                self._sites.append(found[0])
                self.ports[name] = found[1]
        for sign in (sign for sign in self.config.udp_signs if sign.sender is None):
            text = UdpText(sign, [writer.board for writer in self.writers.values()])
            self._udp.append(text)
            await text.open()

    def _door(self, name: str, bounds: Mapping[str, Bounds], tls: ssl.SSLContext | None) -> Door:
        self.doors.append(Door(name, bounds[name], self.clock, self._task, tls))
        return self.doors[-1]

    def _relay(self, writer: Writer) -> None:
        """Feeds a bank to Redis, as long as this server may speak for it."""
        signs = self.signs

        def keys() -> SignKeys:
            return SignKeys(sorted(signs.ended), sorted(signs.blocked))

        def allowed() -> bool:
            return writer.hold.service is Service.HERE and writer.board.leased

        publisher = Publisher(writer, self.config.redis, self.clock, allowed, keys)
        self.relays.append(publisher)
        self._run(publisher.run())

    async def _stop(self) -> None:
        log.info("stopping")
        for listener in self._listeners:
            listener.close()
        for door in self.doors:
            door.close()
        devices = [found for found in (getattr(self, "floor", None), getattr(self, "signs", None)) if found]
        for each in devices:
            each.read_no_further()
        for tenure in self.tenures.values():
            tenure.end()
        if self._writing:
            _, late = await asyncio.wait(self._writing, timeout=STOP_WITHIN_S)
            if late:
                log.error("stop_late", within_s=STOP_WITHIN_S)
                for store in self._stores.values():
                    store.leave()
                await asyncio.wait(late)
        for task in (*self._others, *self._reading.values()):
            task.cancel()
        await listening.close(devices)
        for text in self._udp:
            text.close()
        for found in self._sites:
            await found.cleanup()
        await self.books.close()
        for store in dict.fromkeys(self._stores.values()):
            await store.close()
        log.info("stopped")

    async def _tick(self) -> None:
        while True:
            due = self.clock.monotonic() + TICK_S
            await asyncio.sleep(TICK_S)
            self.lag.observe(max(self.clock.monotonic() - due, 0.0))
            for writer in self.writers.values():
                writer.tick()
            self.floor.sweep()
            self.signs.sweep()
            self._live.sweep()
            self.visits.sweep()
            for text in self._udp:
                alone(text, text.tick, self.clock.monotonic())

    async def _readings(self, writer: Writer, zone: ZoneInfo) -> None:
        try:
            await take_readings(writer, self.clock, self.config.site.gaming_day_ends, zone)
        except BankStopped:
            log.info("readings_stopped", bank=writer.bank)

    def _run(self, work: Coroutine[None, None, None]) -> None:
        self._others.append(self._task(work, *self.writers.values()))

    def _task(self, work: Coroutine[Any, Any, None], *banks: Writer) -> asyncio.Task[None]:
        """Runs it beside the rest. An error that nobody can explain stops the banks it is of, and no more."""

        def stop(error: Exception) -> None:
            for writer in banks:
                writer.fail(error)

        return self._group.create_task(contained(work, stop))


async def serve(config: Config) -> None:
    """Serves until SIGTERM or SIGINT, which end a start too: a database can let it wait for ever.

    Raises what Server raises.
    """
    task, started = asyncio.current_task(), False

    def stop_starting() -> None:
        if not started and task is not None:
            task.cancel()

    ended = told_to_stop(stop_starting)
    try:
        async with Server(config):
            started = True
            await ended.wait()
    except (asyncio.CancelledError, CommitInDoubt):
        # A call to the database that the cancelled start waited for ends in doubt; the stop was asked for.
        if started or not ended.is_set():
            raise


def told_to_stop(also: Callable[[], None] = lambda: None) -> asyncio.Event:
    """Set once SIGTERM or SIGINT came; `also` is called when the first comes."""
    ended = asyncio.Event()

    def told() -> None:
        if not ended.is_set():
            ended.set()
            also()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told)
    return ended


class _Known(NamedTuple):
    """What a bank's journal says about devices."""

    tables: dict[str, TableTerms]
    links: dict[str, LinkTerms]
    blocked: list[tuple[str, str]]
    ended: list[tuple[str, str, str]]


def _known(engine: Engine) -> _Known:
    state = engine.state
    return _Known(table_terms(state), link_terms(state), list(state.blocked), list(state.ended))


def _sending_away(writer: Writer, devices: Devices) -> Callable[[], None]:
    return lambda: devices.not_active(writer)


def _letting_in(writer: Writer, devices: Devices) -> Callable[[], None]:
    return lambda: devices.active(writer)
