"""Base of every process of a floor: listeners for devices and screens, tasks, and periodic work.

The server (`jackpot.app`) and the signage processes (`jackpot.signage`) differ in where meters come from.
"""

import asyncio
import gc
import platform
import signal
import ssl
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping, Sequence
from types import TracebackType
from typing import Any, Final, Self

import structlog
from aiohttp import web

from jackpot.clock import Clock, SystemClock
from jackpot.config import Address, Config, Listen, Signage
from jackpot.net import device_listeners, file_descriptors
from jackpot.net.admission import AdmissionLimits
from jackpot.net.devices import ConnectedDevices
from jackpot.net.listener import Listener
from jackpot.net.udp import UdpText
from jackpot.program import Installed, faults_text, installed
from jackpot.publish.board import MeterBoard
from jackpot.runtime.errors import ProgramUnproved
from jackpot.runtime.histogram import LAG_SECONDS, Histogram
from jackpot.runtime.isolate import contained, isolate
from jackpot.web.host_names import EVERYWHERE
from jackpot.web.http_connection import HttpConnections
from jackpot.web.live import LiveStreams
from jackpot.web.sign_pages import Screens

# What is there once a process has started stays: the collector passes over it from then on. It looks through
# new objects once so many more were made than freed: about once a thousand frames. With Python's own 700 it
# looks several times a commit through all that waits for one. That is a tenth of the server's work.
GARBAGE_YOUNG: Final = 50_000

# How often boards and sessions see time pass: a sign's values come at most ten times a second.
TICK_S: Final = 0.1

log: Final = structlog.get_logger()


def settle_memory() -> None:
    """Tunes the garbage collector. Call it once, when a process has started."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE_YOUNG)


def found_at(listen: Listen, name: str, port: int) -> Address:
    """The address at which others reach a listener: the machine's name where it listens everywhere."""
    host: str = getattr(listen, name).host
    return Address(platform.node() if host in EVERYWHERE else host, port)


def page_at(listen: Listen, name: str, port: int) -> str:
    """The address of a listener for a browser, with a slash at its end."""
    return f"{'http' if listen.tls is None else 'https'}://{found_at(listen, name, port)}/"


async def look_at_program() -> Installed:
    """Compares the installed program with its list in a thread, while the event loop goes on (S3)."""
    return await asyncio.to_thread(installed)


def tell_program(installed: Installed) -> ProgramUnproved | None:
    """Logs each file that differs from the list. Returns why no link may open; None if all is well."""
    if installed.checkout:
        log.warning("program_unlisted", why="it runs from a checkout: no list says which files it has")
    if not installed.faults:
        return None
    log.error("program_differs", files=list(installed.faults))
    return ProgramUnproved(
        f"the program's files are not those that were installed: {faults_text(installed.faults)}; install "
        "the release again, and start again"
    )


class Process(ABC):
    """One process of one configuration: `async with` starts it and stops it.

    ports: by listener ("tables", "signs", "http", "public"), also where the configuration said 0.
    """

    def __init__(self, config: Config, clock: Clock | None) -> None:
        self.config = config
        self.clock = clock or SystemClock()
        self.ports: dict[str, int] = {}
        self.lag = Histogram(LAG_SECONDS)
        self.connections = HttpConnections(self.clock, config.listen.proxies, config.listen.scrapers)
        self.encryption = device_listeners.Encryption(config.listen.tls)
        self.listeners: list[Listener] = []
        self._group = asyncio.TaskGroup()
        self._sites: list[web.AppRunner] = []
        self._udp: list[UdpText] = []
        self._live = LiveStreams((), self.clock)

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
        """Stops gracefully. The block's own error goes on as it is."""
        try:
            await self._stop()
        finally:
            cancelled = kind is not None and issubclass(kind, asyncio.CancelledError)
            await self._group.__aexit__(*((kind, error, trace) if cancelled else (None, None, None)))

    @abstractmethod
    async def _start(self) -> None: ...
    @abstractmethod
    async def _stop(self) -> None: ...

    @abstractmethod
    def _sweep(self) -> None:
        """Periodic work of what this process alone has."""

    @abstractmethod
    async def _listen_pages(
        self, screens: Screens, listener: Listener, address: Address, *, public: bool
    ) -> tuple[web.AppRunner, int]:
        """Answers over HTTP. Raises OSError."""

    async def _bind(self, at: Listen | Signage, devices: Sequence[str]) -> None:
        """Takes the addresses that `at` names, before anything else is made or opened. Raises OSError.

        devices: the names of their listeners.
        """
        names = [name for name in (*devices, "http", "public") if getattr(at, name) is not None]
        bounds = file_descriptors.bounds(self.config, names, file_descriptors.raise_limit())
        for name in names:
            tls = self.encryption.of(devices=name in devices)
            await self._listener(name, bounds[name], tls).bind(getattr(at, name))

    async def _open(
        self, at: Listen | Signage, devices: Mapping[str, ConnectedDevices], boards: Sequence[MeterBoard]
    ) -> None:
        """Starts listening at each address taken, and opens the UDP text sent here. Raises OSError.

        devices: by the name of their listener.
        """
        for board in boards:
            board.broadcaster.soon = asyncio.get_running_loop().call_soon
        listen = self.config.listen
        self._live = LiveStreams(boards, self.clock, listen.streams_per_address, listen.proxies)
        screens = Screens(self.config, self._live)
        for listener in self.listeners:
            name = listener.name
            if name in devices:
                self.ports[name] = device_listeners.listen(listener, devices[name])
            else:
                address, public = getattr(at, name), name == "public"
                runner, port = await self._listen_pages(screens, listener, address, public=public)
                self._sites.append(runner)
                self.ports[name] = port
        sender = at.id if isinstance(at, Signage) else None
        for sign in (sign for sign in self.config.udp_signs if sign.sender == sender):
            text = UdpText(sign, boards)
            self._udp.append(text)
            await text.open()

    def _listener(self, name: str, bounds: AdmissionLimits, tls: ssl.SSLContext | None) -> Listener:
        def start(work: Coroutine[Any, Any, None]) -> object:
            return self._task(work, lambda _error: None)

        self.listeners.append(Listener(name, bounds, self.clock, start, tls))
        return self.listeners[-1]

    async def _close(self, devices: Sequence[ConnectedDevices]) -> None:
        """Closes the listeners and connections; devices and screens go to another process."""
        await device_listeners.close(devices)
        for text in self._udp:
            text.close()
        for runner in self._sites:
            await runner.cleanup()

    async def _tick(self) -> None:
        while True:
            due = self.clock.monotonic() + TICK_S
            await asyncio.sleep(TICK_S)
            self.lag.observe(max(self.clock.monotonic() - due, 0.0))
            self._sweep()
            self._live.sweep()
            self.connections.sweep()
            self.encryption.tick(self.clock.monotonic())
            for text in self._udp:
                isolate(text, text.tick, self.clock.monotonic())

    def _task(self, work: Coroutine[Any, Any, None], stop: Callable[[Exception], None]) -> asyncio.Task[None]:
        """Runs it as a task next to the others. stop: called with an unexpected error."""
        return self._group.create_task(contained(work, stop))


def told_to_stop(also: Callable[[], None] = lambda: None) -> asyncio.Event:
    """Set once SIGTERM or SIGINT came; `also` is called when the first comes."""
    ended = asyncio.Event()

    def faults_text() -> None:
        if not ended.is_set():
            ended.set()
            also()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, faults_text)
    return ended
