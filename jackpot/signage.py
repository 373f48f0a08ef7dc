"""What is a running signage process made of? Every way out for meters, fed by Redis; nothing is kept."""

import asyncio
import ssl
from collections.abc import Coroutine, Mapping
from types import TracebackType
from typing import Any, Final, Self

import structlog
from aiohttp import web

from jackpot.app import TICK_S, told_to_stop
from jackpot.clock import Clock, SystemClock
from jackpot.config import Config, Signage
from jackpot.server import descriptors, listening
from jackpot.server.alone import alone, contained
from jackpot.server.devices import Device
from jackpot.server.door import Door
from jackpot.server.follow import Followed, Follower
from jackpot.server.guests import Bounds
from jackpot.server.histogram import LAG_SECONDS, Histogram
from jackpot.server.opening import own_digest
from jackpot.server.relay import SignKeys
from jackpot.server.signs import Signs
from jackpot.server.udp import UdpText
from jackpot.web import remote
from jackpot.web.live import Live
from jackpot.web.screens import Screens
from jackpot.web.visitor import Visits

log: Final = structlog.get_logger()


class SignageProcess:
    """One signage process of a configuration: `async with SignageProcess(config, settings) as process`.

    ports: by listener ("signs", "http", "public"), also where the configuration said 0. Raises OSError where
    an address cannot be had.
    """

    def __init__(self, config: Config, settings: Signage, clock: Clock | None = None) -> None:
        self.config = config
        self.settings = settings
        self.clock = clock or SystemClock()
        self.ports: dict[str, int] = {}
        self.digest = own_digest()
        self.lag = Histogram(LAG_SECONDS)
        links = config.links
        self.followers = {
            bank: Follower(
                Followed(bank, [terms for terms in links if terms.bank == bank], self.clock),
                config.redis,
                self.clock,
                self._take_keys,
            )
            for bank in config.banks
        }
        boards = [follower.board for follower in self.followers.values()]
        banks = {terms.link: self.followers[terms.bank] for terms in links}
        devices = {
            sign.id: Device(sign.id, sign.links, list(dict.fromkeys(banks[link] for link in sign.links)))
            for sign in config.signs
        }
        self.signs = Signs("sign", config.site.name, devices, config.keys_of, config.limits, self.clock)
        self._live = Live(boards, self.clock, config.listen.streams_per_address)
        self.visits = Visits(self.clock)
        self.doors: list[Door] = []
        mine = [sign for sign in config.udp_signs if sign.sender == settings.id]
        self._udp = [UdpText(sign, boards) for sign in mine]
        self._blocked: dict[str, set[str]] = {}
        self._group = asyncio.TaskGroup()
        self._tasks: list[asyncio.Task[None]] = []
        self._sites: list[web.AppRunner] = []

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
        """Stops: signs and receivers go to whoever serves them next."""
        try:
            await self._stop()
        finally:
            cancelled = kind is not None and issubclass(kind, asyncio.CancelledError)
            await self._group.__aexit__(*((kind, error, trace) if cancelled else (None, None, None)))

    async def _start(self) -> None:
        log.info(
            "starting", site=self.config.site.name, config=str(self.config.path), signage=self.settings.id
        )
        tls = listening.tls_of(self.config, devices=True)
        given = [name for name in ("signs", "http", "public") if getattr(self.settings, name) is not None]
        bounds = descriptors.bounds(self.config, given, descriptors.allowed())
        if self.settings.signs is not None:
            door = self._door("signs", bounds, tls)
            self.ports["signs"] = await listening.listen(door, self.settings.signs, self.signs, tls)
        screens = Screens(self.config, self._live)
        pages_tls = listening.tls_of(self.config, devices=False)
        for name, address in (("http", self.settings.http), ("public", self.settings.public)):
            if address is not None:
                door = self._door(name, bounds, pages_tls)
                found = await remote.listen(self, screens, door, address, public=name == "public")
                self._sites.append(found[0])
                self.ports[name] = found[1]
        for text in self._udp:
            await text.open()
        for follower in self.followers.values():
            self._run(follower.run())
        self._run(self._tick())
        log.info("serving", **self.ports)

    async def _stop(self) -> None:
        log.info("stopping")
        for door in self.doors:
            door.close()
        for task in self._tasks:
            task.cancel()
        await listening.close([self.signs])
        for text in self._udp:
            text.close()
        for found in self._sites:
            await found.cleanup()
        log.info("stopped")

    async def _tick(self) -> None:
        while True:
            due = self.clock.monotonic() + TICK_S
            await asyncio.sleep(TICK_S)
            self.lag.observe(max(self.clock.monotonic() - due, 0.0))
            for follower in self.followers.values():
                follower.sweep()
            self.signs.sweep()
            self._live.sweep()
            self.visits.sweep()
            for text in self._udp:
                alone(text, text.tick, self.clock.monotonic())

    def _take_keys(self, bank: str, told: SignKeys) -> None:
        """A key that was revoked or replaced at the server opens nothing here; nor does a blocked sign's."""
        for sign, key in told.ended:
            if (sign, key) not in self.signs.ended:
                self.signs.revoke(sign, key)
        blocked = set(told.blocked)
        self.signs.blocked -= self._blocked.get(bank, set()) - blocked
        self.signs.blocked |= blocked
        self._blocked[bank] = blocked

    def _door(self, name: str, bounds: Mapping[str, Bounds], tls: ssl.SSLContext | None) -> Door:
        self.doors.append(Door(name, bounds[name], self.clock, self._task, tls))
        return self.doors[-1]

    def _run(self, work: Coroutine[None, None, None]) -> None:
        self._tasks.append(self._task(work))

    def _task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Runs it beside the rest; where it fails, what it shows is not confirmed any more (S7)."""
        return self._group.create_task(contained(work, lambda _error: None))


async def show(config: Config, settings: Signage) -> None:
    """Shows until SIGTERM or SIGINT. Raises what SignageProcess raises."""
    ended = told_to_stop()
    async with SignageProcess(config, settings):
        await ended.wait()
