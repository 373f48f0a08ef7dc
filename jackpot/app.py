"""The server: the one place that builds it, starts it and stops it gracefully."""

import asyncio
import os
import platform
from collections.abc import Callable, Coroutine
from contextlib import suppress
from itertools import chain
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

import structlog
from aiohttp import web

from jackpot.api.act_effects import ActEffects
from jackpot.api.executor import OperationExecutor
from jackpot.api.suspension_help import explained
from jackpot.auth.auth_service import NOBODY_YET, AuthService
from jackpot.auth.request_expiry import expire
from jackpot.auth.retention import names_by_age, orphan_rows, papers_by_age
from jackpot.auth.site_cursor import see_people
from jackpot.bank.bank import Bank, BankStopped
from jackpot.bank.config_alignment import (
    AlignedBank,
    align,
    align_triggers,
    left_out_message,
    open_books,
    watch_triggers,
)
from jackpot.bank.level_order import watch_level_order
from jackpot.bank.lifecycle import BankLifecycle, takeover_delay
from jackpot.bank.link_ends import end_links, watch_link_ends
from jackpot.bank.mystery_readiness import MysteryReadiness, readiness_of
from jackpot.bank.readings import GamingDayCalendar, read_ended, take_readings
from jackpot.bank.standbys import StandbyMonitor, is_configured
from jackpot.bank.supervisor import RETRY_S, BankSupervisor
from jackpot.clock import Clock
from jackpot.config import Address, Config
from jackpot.config.posting import posted_on
from jackpot.ledger.connect import without_password
from jackpot.ledger.open import open_stores
from jackpot.ledger.sqlite.async_sqlite import AsyncSqliteStore
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import CommitInDoubt, LedgerError, LedgerUnusable, Store
from jackpot.net import file_descriptors
from jackpot.net.device_registry import DeviceRegistry, RegisteredDevice
from jackpot.net.listener import Listener
from jackpot.net.signs import Signs
from jackpot.net.tables import TableListener
from jackpot.notify.notifier import Notifier
from jackpot.notify.signed_heads import HeadSigner
from jackpot.process import Process, look_at_program, page_at, settle_memory, tell_program, told_to_stop
from jackpot.publish.redis_relay import RedisRelay, SignKeys
from jackpot.reports.read.reader import LedgerReader
from jackpot.rules.acts.programs import BeginProgram, Serves
from jackpot.rules.engine import Engine
from jackpot.rules.signing import SITE
from jackpot.runtime.errors import ProgramUnproved
from jackpot.runtime.private_memory import MemoryNotPrivate, make_private
from jackpot.runtime.service import Service
from jackpot.web import api
from jackpot.web import server_routes as site
from jackpot.web.reports import readers
from jackpot.web.sign_pages import Screens

# A graceful end waits this long for the batch in flight; a disk that hangs must not keep a server from being
# stopped.
STOP_WITHIN_S: Final = 20.0
_DIGEST_SHOWN: Final = 12
# Shown in place of a digest, of a program that has none.
_NO_DIGEST: Final = "unproved"

log: Final = structlog.get_logger()


class Server(Process):
    """One server of one configuration: `async with Server(config) as server`.

    ledger: another than the configuration's, for tests. Raises LedgerError where the ledger cannot be
    trusted (S3), OSError where an address cannot be had.
    """

    def __init__(
        self, config: Config, clock: Clock | None = None, ledger: SqliteLedger | None = None
    ) -> None:
        super().__init__(config, clock)
        self.banks: dict[str, Bank] = {}
        self.people: Bank
        self.supervisors: dict[str, BankSupervisor] = {}
        self.digest = ""
        self.warnings: list[str] = []
        self.relays: list[RedisRelay] = []
        self.signer: HeadSigner | None = None
        self.notifier: Notifier | None = None
        self.standbys: StandbyMonitor | None = None
        self.mystery: MysteryReadiness | None = None
        self.books = LedgerReader(config.ledger.url)
        # Each reads by itself: no act waits for somebody's long page, and no page waits for a notifier that
        # catches up.
        self.directory = LedgerReader(config.ledger.url)
        self.news = LedgerReader(config.ledger.url)
        self.report_readers = readers()
        self.auth: AuthService
        self.acts: OperationExecutor
        self.effects: ActEffects
        self.tables: TableListener
        self.signs: Signs
        self._ledger = ledger
        self._stores: dict[str, Store] = {}
        self._writing: list[asyncio.Task[None]] = []
        self._others: list[asyncio.Task[None]] = []
        self._duties: dict[str, list[asyncio.Task[None]]] = {}

    @property
    def active(self) -> bool:
        """Whether every bank decides and is durable."""
        return bool(self.banks) and all(bank.active for bank in self.banks.values())

    async def _start(self) -> None:
        config = self.config
        found = await look_at_program()
        self.digest = found.program.digest.hex()
        name = "" if config.server is None else f"{config.server.id} "
        holder = f"{name}{platform.node()}:{os.getpid()}:{self.digest[:_DIGEST_SHOWN] or _NO_DIGEST}"
        log.info("starting", site=config.site.name, config=str(config.path), program=self.digest)
        unproved = tell_program(found)
        if found.checkout and config.site.confirm_program:
            raise ProgramUnproved(
                "[site] confirm_program = true, and the program runs from a checkout: no list says which "
                "files it has; install the wheel of a release"
            )
        for warning in config.warnings:
            log.warning("config_warning", warning=warning)
        await self._take_addresses()
        self._stores = await self._open_ledger()
        serves: Serves = "confirmed" if config.site.confirm_program else "always"
        program = BeginProgram(*found.program, serves)
        self.banks |= {name: self._bank(name, holder, program) for name in config.banks}
        self.people = self._bank(SITE, holder, program)
        self.auth = AuthService(self.people, self._stores[SITE], self.directory, self.clock, config.people)
        self._build_devices()
        roles = {"table": self.tables, "sign": self.signs}
        self.effects = ActEffects(self.auth, self.books, config, roles)
        missing, left_out, proved = await self._open_books()
        if config.heads is not None:
            self.signer = HeadSigner(config.heads, self.clock)
            self._others += [self._task(outbox.run(), _harmless) for outbox in self.signer.outboxes]
        if config.notify is not None:
            self.notifier = Notifier(config.notify, self.news, self._stores[SITE], self.clock)
            self._others.append(self._task(self.notifier.outbox.run(), _harmless))
        if is_configured(config.ledger):
            self.standbys = StandbyMonitor(config.ledger.url, self.clock)
            self._others.append(self._task(self.standbys.run(), _harmless))
        self.mystery = readiness_of(config, self.news)
        if self.mystery is not None:
            await self.mystery.look()
            self._others.append(self._task(self.mystery.run(), _harmless))
        self.warnings += [left_out_message(name) for name in left_out]
        banks = self.banks | {SITE: self.people}
        if len(config.servers) < 2:  # the file of one of several lacks what the others signed
            for name, bank in banks.items():
                bank.recovery.proved = proved.get(name)
        self.supervisors |= {name: self._supervisor(bank) for name, bank in banks.items()}
        for name, reason in missing.items():
            banks[name].fail(LedgerUnusable(reason))
        stopped = set(missing)
        if unproved is not None:
            for bank in self.banks.values():
                bank.fail(unproved)
            stopped |= self.banks.keys()
        there = [supervisor for name, supervisor in self.supervisors.items() if name not in stopped]
        self._writing += [self._task_of(supervisor.run(), supervisor.bank) for supervisor in there]
        for supervisor in there:
            await supervisor.settled()
        await self._listen()
        self._run(self._tick())
        self._run(expire([*self.banks.values(), self.people], self.auth.directory))
        if config.redis:
            for bank in self.banks.values():
                self._relay(bank)
        http = self.ports.get("http")
        pages = {} if http is None else {"pages": page_at(config.listen, "http", http)}
        log.info("serving", **self.ports, **pages)

    async def _take_addresses(self) -> None:
        """Binds the addresses before a ledger is made, so that a second server touches nothing."""
        await self._bind(self.config.listen, ["tables", "signs"])

    def _bank(self, name: str, holder: str, program: BeginProgram) -> Bank:
        """A bank in this server, as that holder. program: what each of its epochs begins with."""
        config, store = self.config, self._stores[name]
        lifecycle = BankLifecycle(
            name, holder, self.clock.monotonic(), shared=store.shared, others=len(config.servers) > 1
        )
        links = [terms for terms in config.links if terms.bank == name]
        key = None if config.mystery is None else config.mystery.key
        return Bank(lifecycle, store, self.clock, program, links, key)

    async def _open_ledger(self) -> dict[str, Store]:
        """Opens a store for each bank; what its opening found is logged."""
        config = self.config
        banks = (*config.banks, SITE)
        if self._ledger is not None:
            return dict.fromkeys(banks, AsyncSqliteStore(self._ledger))
        url, required = config.ledger.url, config.ledger.require_synchronous
        stores = await open_stores(url, banks, require_synchronous=required)
        first = stores[config.banks[0]]
        if first.created:
            log.warning("ledger_created", url=without_password(url))
        for warning in first.warnings:
            log.warning("ledger_warning", warning=warning)
        return stores

    async def _open_books(self) -> AlignedBank:
        """Reads the ledger before any bank is taken. Returns where it and the configuration differ.

        One of several servers waits for a database that does not answer; one alone raises CommitInDoubt.
        """
        store, now = self._stores[self.config.banks[0]], self.clock.unix_ms()
        while True:
            try:
                return await open_books(store, self.config, now)
            except CommitInDoubt as error:
                if len(self.config.servers) < 2:
                    raise
                log.warning("ledger_unavailable", retry_s=RETRY_S, reason=str(error))
            await asyncio.sleep(RETRY_S)
            with suppress(CommitInDoubt):
                await store.recover()

    def leave(self) -> None:
        """Stops waiting for any ledger: what is under way ends in doubt."""
        for store in self._stores.values():
            store.leave()

    def _supervisor(self, bank: Bank) -> BankSupervisor:
        """The supervisor of a bank here: alone on the ledger, or one server of several."""
        server, began = self.config.server, self.clock.monotonic()
        first = [other for other in self.config.servers if bank.name in other.banks]

        def waits() -> float:
            busy = sum(other.lifecycle.busy for other in self.banks.values())
            up_s = self.clock.monotonic() - began
            return takeover_delay(first=server in first, others_first=bool(first), busy=busy, up_s=up_s)

        return BankSupervisor(
            bank,
            waits=waits,
            start=lambda work: self._task_of(work, bank),
            on_taken=self._taken,
        )

    async def _taken(self, bank: Bank) -> None:
        """Aligns the bank's links with the configuration, before any device is accepted."""
        await bank.ask(lambda engine: engine.seq)  # the epoch's own first row is durable: no head is older
        if bank is self.people:  # no device is let in, and nothing stands on a meter
            if self.config.people.required and not await bank.ask(lambda engine: engine.state.people):
                log.warning("no_people", do=NOBODY_YET)
            await self._repeat_effects(bank)
            duties = [orphan_rows(bank, self.auth)]
            if self.config.site.names_kept_days is not None:
                duties.append(names_by_age(bank, self.auth, self.config.site.names_kept_days))
            self._begin(bank, *duties)
            return
        await align(bank, self.config, self._stores[bank.name], self.clock.unix_ms())
        await align_triggers(bank)
        await bank.refresh()
        for link, reason in explained(bank.board, bank.name).items():
            log.warning("link_suspended", bank=bank.name, link=link, reason=reason)
        known = await bank.ask(_keys_of)
        for devices in (self.tables, self.signs):
            registry, reason = devices.registry, "its key has ended"
            for name in registry.learn(bank, known.blocked, known.ended):
                log.warning("device_locked_out", role=registry.role, device=name, reason=reason)
        (first,) = await self._stores[bank.name].rows(bank.name, 0, 1)
        site = self.config.site
        calendar = GamingDayCalendar(self.clock, site.gaming_day_ends, ZoneInfo(site.timezone), first.at)
        await read_ended(bank, calendar)
        await end_links(bank)
        await self._repeat_effects(bank)
        duties = [
            take_readings(bank, calendar),
            watch_link_ends(bank),
            watch_level_order(bank),
            watch_triggers(bank),
            see_people(bank, self.auth.directory),
        ]
        if site.papers_kept_days is not None:
            duties.append(papers_by_age(bank, self.auth, site.papers_kept_days))
        self._begin(bank, *duties)

    async def _repeat_effects(self, bank: Bank) -> None:
        """Repeats what the last acts change besides the journal: a kill may have cut it off."""
        try:
            await self.effects.repeat(bank)
        except LedgerError as error:  # the next start repeats it, and so does who sends the act again
            log.warning("act_effects_pending", bank=bank.name, reason=str(error))

    def _begin(self, bank: Bank, *duties: Coroutine[Any, Any, None]) -> None:
        """Starts the periodic work of a bank, which runs as long as it is held here."""
        for task in self._duties.get(bank.name, ()):
            task.cancel()
        self._duties[bank.name] = [self._task_of(_while_held(duty), bank) for duty in duties]
        if self.signer is not None:
            signing = self._task(_while_held(self.signer.watch(bank)), _harmless)
            self._duties[bank.name].append(signing)
        if self.notifier is not None:
            telling = self._task(_while_held(self.notifier.watch(bank)), _harmless)
            self._duties[bank.name].append(telling)

    def _build_devices(self) -> None:
        config = self.config
        banks = {terms.link: self.banks[terms.bank] for terms in config.links}
        at_tables = [RegisteredDevice(at.table, at.links, [banks[at.links[0]]]) for at in config.tables]
        at_signs = [
            RegisteredDevice(at.id, at.links, [banks[link] for link in at.links], posted_on(config, at))
            for at in config.signs
        ]
        name, limits = config.site.name, config.limits
        self.tables = TableListener(
            name, DeviceRegistry("table", at_tables, config.keys_of), limits, self.clock
        )
        self.signs = Signs(name, DeviceRegistry("sign", at_signs, config.keys_of), limits, self.clock)
        others = [server.listen for server in config.servers if server != config.server]
        self.tables.elsewhere = tuple(str(listen.tables) for listen in others)
        self.signs.elsewhere = tuple(str(listen.signs) for listen in others if listen.signs is not None)
        for bank in self.banks.values():
            bank.on_durable += [self.tables.flush, self.signs.flush]
            bank.on_opened += [self.tables.active, self.signs.active]
            bank.on_stopped += [self.tables.not_active, self.signs.not_active]

    async def _listen(self) -> None:
        boards = [bank.board for bank in self.banks.values()]
        roles = {"table": self.tables, "sign": self.signs}
        self.acts = OperationExecutor(
            roles, self.supervisors, self.books, self.config, self.auth, self.effects
        )
        listen = self.config.listen
        await self._open(listen, {"tables": self.tables, "signs": self.signs}, boards)
        listener = self._listener("admin", file_descriptors.ADMIN, None)
        self._sites.append(await api.listen(listen, listener, self.connections, self.acts, self.auth))

    async def _listen_pages(
        self, screens: Screens, listener: Listener, address: Address, *, public: bool
    ) -> tuple[web.AppRunner, int]:
        return await site.listen(self, screens, listener, address, public=public)

    def _relay(self, bank: Bank) -> None:
        """Feeds a bank to Redis, as long as this server may speak for it."""
        signs = self.signs

        def keys() -> SignKeys:
            return SignKeys(sorted(signs.registry.ended), sorted(signs.registry.blocked))

        def allowed() -> bool:
            return bank.lifecycle.service is Service.HERE and bank.board.leased

        publisher = RedisRelay(bank, self.config.redis, self.clock, allowed, keys)
        self.relays.append(publisher)
        self._run(publisher.run())

    async def _stop(self) -> None:
        log.info("stopping")
        for listener in self.listeners:
            listener.close()
        devices = [found for found in (getattr(self, "tables", None), getattr(self, "signs", None)) if found]
        for each in devices:
            each.stop_reading()
        held = [
            supervisor.bank
            for supervisor in self.supervisors.values()
            if supervisor.lifecycle.stopped is None
        ]
        for supervisor in self.supervisors.values():
            supervisor.end()
        if self._writing:
            _, late = await asyncio.wait(self._writing, timeout=STOP_WITHIN_S)
            if late:
                log.error("stop_timeout", within_s=STOP_WITHIN_S)
                self.leave()
                await asyncio.wait(late)
        if self.signer is not None:
            await self.signer.end([bank for bank in held if not bank.lifecycle.failed])
        for task in chain(self._others, *self._duties.values()):
            task.cancel()
        await self._close(devices)
        for books in (self.books, self.directory, self.news):
            await books.close()
        if auth := getattr(self, "auth", None):
            auth.close()
        for store in dict.fromkeys(self._stores.values()):
            await store.close()
        log.info("stopped")

    def _sweep(self) -> None:
        for bank in (*self.banks.values(), self.people):
            bank.tick()
        self.tables.sweep()
        self.signs.sweep()
        self.connections.budget.tables_connected = bool(self.tables.connections)

    def _run(self, work: Coroutine[None, None, None]) -> None:
        self._others.append(self._task_of(work, *self.banks.values()))

    def _task_of(self, work: Coroutine[Any, Any, None], *banks: Bank) -> asyncio.Task[None]:
        """Runs it as a task next to the others. An unexpected error stops only its own banks."""

        def stop(error: Exception) -> None:
            for bank in banks:
                bank.fail(error)

        return self._task(work, stop)


def _harmless(_error: Exception) -> None:
    """Logs the end of work that no bank depends on. The metrics of that work show it, too."""


async def _while_held(work: Coroutine[Any, Any, None]) -> None:
    """Repeats a step for a bank, until it is not held here any more."""
    with suppress(BankStopped):  # what stopped it has told people
        await work


async def serve(config: Config, on_started: Callable[[Server], None] = lambda _: None) -> None:
    """Serves until SIGTERM or SIGINT. They end a start, too, for a disk may make it wait for ever.

    on_started: called once it has started. Raises what Server raises.
    """
    if config.mystery is not None:
        _keep_memory_private()
    server, task, started = Server(config), asyncio.current_task(), False

    def stop_starting() -> None:
        if not started and task is not None:
            task.cancel()
            asyncio.get_running_loop().call_later(STOP_WITHIN_S, server.leave)

    ended = told_to_stop(stop_starting)
    try:
        async with server:
            started = True
            on_started(server)
            settle_memory()
            await ended.wait()
    except (asyncio.CancelledError, CommitInDoubt):
        # A call to the database that the cancelled start waited for ends in doubt; the stop was asked for.
        if started or not ended.is_set():
            raise


def _keep_memory_private() -> None:
    """Before a mystery key is read: nobody but root sees it, or a running trigger, in this process (Y9)."""
    try:
        make_private()
    except MemoryNotPrivate as error:
        log.warning("memory_not_private", reason=str(error))


class _Known(NamedTuple):
    """Devices as a bank's journal knows them."""

    blocked: list[tuple[str, str]]
    ended: list[tuple[str, str, str]]


def _keys_of(engine: Engine) -> _Known:
    state = engine.state
    return _Known(list(state.blocked), list(state.ended))
