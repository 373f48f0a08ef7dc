"""Simulated machines: the real server and the real signage process, each on a simulated event loop.

Nothing in them is stubbed: supervisor, bank, relay and graceful end run as they are. Replaced are their
listeners (a `Wire` is handed to them), their way to the ledger (`reach`) and Redis (`relays`).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Sequence
from datetime import time
from pathlib import Path
from random import Random
from typing import Any, Final, Protocol, TypeVar

from msgspec.structs import replace

from controllers.pace import Limits
from jackpot import app, signage
from jackpot.auth import request_expiry
from jackpot.bank import bank as bank_module
from jackpot.bank.bank import Bank, BankStopped
from jackpot.bank.draws import Drawn
from jackpot.bank.sequencer import QueuedCommand, Release, Sequencer
from jackpot.config import Config
from jackpot.config.mystery_key import MysteryKey
from jackpot.config.settings import Address, Ledger, Listen, Mystery, ServerAt, Sign, Signage, Site
from jackpot.ledger.journal import Head
from jackpot.ledger.reading import Reader
from jackpot.ledger.store import LedgerError, Store
from jackpot.net.devices import ConnectedDevices
from jackpot.program import Installed
from jackpot.publish import redis_connection
from jackpot.publish.redis_connection import RedisConnection
from jackpot.reports.read.reader import LedgerReader
from jackpot.rules.acts import requests
from jackpot.rules.commands import Command, Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.outcome import Outcome
from jackpot.rules.signing import SITE
from jackpot.runtime.service import Service
from jackpot.web.live import LiveStreams
from tests.faults.house import BANK, House, keys
from tests.faults.loops import FalseLoop
from tests.faults.network import Timeline, Wire
from tests.faults.pipe import Pipe
from tests.faults.play import EPOCH_MS
from tests.faults.programs import release
from tests.faults.reach import Reach
from tests.faults.relays import FalseRedis, Road
from tests.faults.site import HOLDS_MS, By

T = TypeVar("T")

# Short heartbeats: a half-open connection is noticed after a few seconds of simulated time.
LIMITS: Final = Limits(heartbeat_ms=1_000)
# Often: processes live for some hundred rows, and most starts are to find a snapshot.
SNAPSHOT_EVERY: Final = 60
# How differently the clocks of two machines run, at most, and what their wall clocks are apart.
RATE: Final = 0.01
HOURS_MS: Final = 3 * 3_600_000
# Two signs at the servers, and two at the signage processes.
AT_SERVERS: Final = ("S1", "S4")
AT_SCREENS: Final = ("S2", "S3")
SCREENS: Final = ("x", "y")


def config_of(house: House, names: str, folder: Path, *, confirms: bool = False) -> Config:
    """The configuration of a house with these servers on one ledger. Several have two signage processes.

    confirms: whether people have to confirm the program.
    """
    admin = folder / "admin"
    links = tuple(plan.terms() for plan in house.links)
    at_links = tuple(link.link for link in links)
    tables = tuple(plan.terms() for plan in house.tables)
    signs = (*AT_SERVERS, *AT_SCREENS)
    own = {("table", table.table): tuple(keys("table", table.table)) for table in tables}
    own |= {("sign", name): tuple(keys("sign", name)) for name in signs}
    config = Config(
        path=folder / "config.toml",
        site=Site("simulated", "USD", time(6), "America/New_York", confirm_program=confirms),
        ledger=Ledger("postgresql://simulated"),
        listen=Listen(Address("all", 1), admin),
        limits=LIMITS,
        links=links,
        tables=tables,
        signs=tuple(Sign(name, at_links) for name in signs),
        udp_signs=(),
        keys=own,
        displays={},
        mystery=Mystery(key_file(folder, names[0])) if any(link.mystery for link in links) else None,
    )
    if len(names) == 1:
        return config
    return replace(
        config,
        redis=("redis://simulated",),
        servers=tuple(
            ServerAt(name, Listen(Address(name, 1), admin, signs=Address(name, 1))) for name in names
        ),
        signage=tuple(Signage(name) for name in SCREENS),
    )


def key_file(folder: Path, name: str) -> Path:
    """The mystery key of a machine, next to which its witness lies; made where it is not there.

    Every machine has the same key (Y12).
    """
    file = folder / f"mystery {name}" / "key"
    if not file.exists():
        file.parent.mkdir()
        file.touch(0o600)
        key = MysteryKey(bytes(range(32)))
        file.write_text(f'id = "{key.id}"\nkey = "{key.secret.hex()}"\n')
    return file


class Clock:
    """A machine's clocks: one that runs a little fast or slow, and one that people set."""

    def __init__(self, loop: FalseLoop, ahead_ms: int) -> None:
        self._loop = loop
        self.ahead_ms = ahead_ms

    def unix_ms(self) -> int:
        return EPOCH_MS + self.ahead_ms + int(self._loop.time() * 1000)

    def monotonic(self) -> float:
        return self._loop.time()


class World(Protocol):
    """Callbacks from a process to the simulation."""

    timeline: Timeline
    redis: FalseRedis

    def random(self, name: str) -> Random: ...
    def ran(self, machine: Machine) -> None:
        """A callback of the process has run."""

    def over(self, machine: Machine, error: BaseException | None) -> None:
        """The process has ended by itself."""

    def end(self, machine: Machine) -> None:
        """The process is killed."""

    def failed(self, node: Node, error: Exception) -> None:
        """The process's bank stops for good."""

    def asked(self, bank: str, envelope: Envelope) -> None: ...
    def drew(self, node: Node, command: bytes, drawn: Drawn) -> None:
        """The process has decided a command by these random bytes, which is to be a row."""

    def released(self, node: Node, bank: str, envelope: Envelope, outcome: Outcome) -> None: ...
    def durable(self, node: Node, sequencer: Sequencer) -> None: ...
    def ear(self, machine: Machine) -> Callable[[bytes], None]:
        """Gives the receiver of what the process sends on a new connection."""

    def fed(self, machine: Machine) -> None:
        """The process has sent something to Redis."""


class Machine:
    """One life of one process. name: of the process; life: of this one."""

    def __init__(self, world: World, name: str, number: int) -> None:
        self.world = world
        self.name = name
        self.life = f"{name}{number}"
        self.random = world.random(f"machine {self.life}")
        rate = 1.0 + RATE * (self.random.random() - 0.5)
        offset = self.random.random() * 1e5
        self.loop = FalseLoop(world.timeline, rate, offset, lambda: world.ran(self))  # type: ignore[abstract]
        self.loop.on_crash = lambda: world.end(self)
        self.road = Road(self.loop, world.redis, world.random(f"road {self.life}"), lambda: world.fed(self))
        ahead = int((self.random.random() - 0.5) * 2 * HOURS_MS - offset * 1000)
        self.clock = Clock(self.loop, ahead)
        self.alive = True
        self.ending = asyncio.Event()
        self.wires: list[Wire] = []
        self._main: asyncio.Task[None] | None = None

    def begin(self, process: contextlib.AbstractAsyncContextManager[Any]) -> None:
        async def live() -> None:
            async with process:
                await self.ending.wait()

        self._main = self.loop.create_task(live())
        self._main.add_done_callback(self._over)

    def _over(self, main: asyncio.Task[None]) -> None:
        if self.alive and not main.cancelled():
            self.alive = False
            self.world.over(self, main.exception())

    def stop(self) -> None:
        """SIGTERM."""
        self.loop.call_soon(self.ending.set)

    def die(self, *, told: bool) -> None:
        """Kill -9, or with `told` False the power: nobody hears of it."""
        self.alive = False
        self.road.gone = True
        for wire in self.wires:
            wire.cut(device_told=told, server_told=False)
        self.loop.bury()

    def take(self, wire: Wire, devices: ConnectedDevices) -> None:
        """Accepts a connection; the process learns of it when it runs."""
        heard: list[Callable[[bytes], None]] = [lambda _data: None]
        ended: list[Callable[[], None]] = [lambda: None]

        def made() -> None:
            if devices.accepting:
                shell, said = devices.connection(certified=False), self.world.ear(self)
                Pipe(self.loop, wire, shell.protocol, lambda: self.alive, said)
                heard[0], ended[0] = wire.server.receive, wire.server.ended
                hear()
            else:
                wire.server.close()

        def hear() -> None:
            wire.server.receive = lambda data: self._call(lambda: heard[0](data))
            wire.server.ended = lambda: self._call(lambda: ended[0]())  # noqa: PLW0108 - whatever it is by then

        self.wires = [*(one for one in self.wires if not one.server.out.broken), wire]
        hear()
        self._call(made)

    def _call(self, action: Callable[[], object]) -> None:
        self.loop.call_soon(action)


class FalseBooks(LedgerReader):
    """Reads the ledger over the process's simulated connection. reach: that of the people's bank."""

    reach: Reach

    async def read(self, work: Callable[[Reader], T]) -> T:
        return await self.reach.run(work)

    async def close(self) -> None:
        """Does nothing; the connection belongs to the node."""


class SimulatedServer(app.Server):
    """The real server, without listeners."""

    node: Node
    listening = False

    async def _take_addresses(self) -> None:
        """Binds no addresses; devices connect by simulated wires."""

    async def _open_ledger(self) -> dict[str, Store]:
        await self.node.reach.open()
        return {BANK: self.node.reach, SITE: self.node.reach_of_site}

    async def _listen(self) -> None:
        self._live = LiveStreams([bank.board for bank in self.banks.values()], self.clock)
        self.listening = True

    def _relay(self, bank: Bank) -> None:
        super()._relay(bank)
        take_road(self.relays[-1].line, self.node.road)


class WatchedBank(Bank):
    """The real bank; its commands and answers are reported to the simulation, and what it draws for them."""

    @property
    def node(self) -> Node:
        assert isinstance(self.store, Reach)
        node: Node = self.store.process
        return node

    def begin(self, engine: Engine, head: Head) -> None:
        super().begin(engine, head)
        self.sequencer._snapshot_every = SNAPSHOT_EVERY
        decide = self.sequencer._decide

        def deciding(item: QueuedCommand) -> None:
            decide(item)
            if item.entry is not None and isinstance(item.work, Envelope):
                self.node.world.drew(self.node, item.work.digest, item.drawn)

        self.sequencer._decide = deciding  # type: ignore[method-assign]

    def submit(self, envelope: Envelope, release: Release) -> None:
        node = self.node

        def heard(outcome: Outcome) -> None:
            node.world.released(node, self.name, envelope, outcome)
            release(outcome)

        if self.lifecycle.stopped is None:
            node.world.asked(self.name, envelope)
        super().submit(envelope, heard)

    def fail(self, error: Exception) -> None:
        self.node.world.failed(self.node, error)
        super().fail(error)

    def _tell(self, items: Sequence[QueuedCommand], seq: int) -> None:
        super()._tell(items, seq)
        if self.name == BANK and any(isinstance(item.outcome, Outcome) for item in items):
            self.node.world.durable(self.node, self.sequencer)


class Node(Machine):
    """A simulated server machine."""

    reach: Reach
    reach_of_site: Reach

    def __init__(
        self,
        world: World,
        name: str,
        number: int,
        config: Config,
        reaches: Callable[[Node], tuple[Reach, Reach]],
    ) -> None:
        super().__init__(world, name, number)
        self._acts: list[asyncio.Task[None]] = []
        self.reach, self.reach_of_site = reaches(self)
        self.reach.process = self.reach_of_site.process = self
        own = config.of_server(name) if config.servers else config
        if own.mystery is not None:
            own = replace(own, mystery=Mystery(key_file(config.path.parent, name)))
        self.server = SimulatedServer(own, self.clock)
        self.server.node = self
        for books in (self.server.books, self.server.directory, self.server.news):
            assert isinstance(books, FalseBooks)
            books.reach = self.reach_of_site
        self.begin(self.server)

    @property
    def bank(self) -> WatchedBank | None:
        found = self.server.banks.get(BANK)
        assert found is None or isinstance(found, WatchedBank)
        return found

    @property
    def active(self) -> bool:
        """Whether the server believes that it is active, and accepts devices."""
        return self.alive and self.bank is not None and self.bank.active and self.bank.service is Service.HERE

    @property
    def well(self) -> bool:
        """Whether the server has no fault that it could not know of."""
        stays = self.alive and self.server.listening and not self.ending.is_set()
        return stays and not self.loop.frozen and self.reach.well

    def accept(self, wire: Wire, role: str) -> bool:
        if not self.alive or not self.server.listening or self.ending.is_set():
            return False
        self.take(wire, self.server.tables if role == "table" else self.server.signs)
        return True

    def submit(self, command: Command, by: By, digest: bytes, release: Release) -> None:
        """Submits over the admin socket: the people's own acts to their bank, any other to the floor."""

        def act() -> None:
            if (supervisor := self.server.supervisors.get(by.bank)) is not None:
                tick = int(self.clock.monotonic() * 1000)
                envelope = Envelope(
                    command, self.clock.unix_ms(), tick, digest, people=by.names, proof=by.proof
                )
                with contextlib.suppress(BankStopped):  # it is answered so
                    supervisor.bank.submit(envelope, release)

        self.loop.call_soon(act)

    def hand_over(self) -> None:
        async def hand_over() -> None:
            with contextlib.suppress(BankStopped, LedgerError):  # it is not held here, or not any more
                await self.server.supervisors[BANK].hand_over()

        if self.alive and BANK in self.server.supervisors:
            self._acts.append(self.loop.create_task(hand_over()))

    def killed(self) -> None:
        """Ends the process inside a ledger call."""
        self.world.end(self)

    def die(self, *, told: bool) -> None:
        self.reach.died(stands=not told)
        self.reach_of_site.died(stands=not told)
        super().die(told=told)


class Screen(Machine):
    """A simulated signage machine."""

    def __init__(self, world: World, name: str, number: int, config: Config) -> None:
        super().__init__(world, name, number)
        settings = next(one for one in config.signage if one.id == name)
        self.process = signage.SignageProcess(config, settings, self.clock)
        self.follower = self.process.followers[BANK]
        take_road(self.follower.line, self.road)
        self.begin(self.process)

    @property
    def conflicts(self) -> bool:
        """Whether the server has detected a conflict of devices with one key by itself."""
        told = self.process._blocked.values()
        return not self.ending.is_set() and bool(self.process.signs.registry.blocked.difference(*told))

    def accept(self, wire: Wire, _role: str) -> bool:
        if not self.alive or self.ending.is_set():
            return False
        self.take(wire, self.process.signs)
        return True


def take_road(line: RedisConnection, road: Road) -> None:
    """Connects the process to the simulated Redis."""
    line._client = road.client  # type: ignore[method-assign, assignment]


class Chance:
    """Replaces `os` in the bank: random numbers that a seed repeats."""

    def __init__(self, random: Random) -> None:
        self.urandom = random.randbytes


@contextlib.contextmanager
def simulated(random: Random) -> Iterator[None]:
    """Patches servers that start meanwhile: their banks are watched, their randomness is seeded.

    Requests end soon, for a run lasts less than a quarter of an hour.
    """
    starts = Random(random.random())

    async def look() -> Installed:
        """Replaces the program check: each start has a randomly chosen release."""
        return release(starts)

    changed: tuple[tuple[Any, str, Any], ...] = (
        (app, "Bank", WatchedBank),
        (app, "LedgerReader", FalseBooks),
        (app, "look_at_program", look),
        (signage, "look_at_program", look),
        (bank_module, "os", Chance(random)),
        (redis_connection, "_chance", random),
        (requests, "REQUEST_HOLDS_MS", HOLDS_MS),
        (request_expiry, "REQUEST_HOLDS_MS", HOLDS_MS),
        (request_expiry, "LOOK_S", HOLDS_MS / 4_000),
    )
    before = [getattr(module, name) for module, name, _ in changed]
    for module, name, new in changed:
        setattr(module, name, new)
    try:
        yield
    finally:
        for (module, name, _), old in zip(changed, before, strict=True):
            setattr(module, name, old)
