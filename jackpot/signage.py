"""A signage process: every output of meters, fed by Redis; nothing is stored."""

import asyncio
from collections.abc import Coroutine
from typing import Final

import structlog
from aiohttp import web

from jackpot.clock import Clock
from jackpot.config import Address, Config, Signage
from jackpot.config.posting import posted_on
from jackpot.net.device_registry import DeviceRegistry, RegisteredDevice
from jackpot.net.listener import Listener
from jackpot.net.signs import Signs
from jackpot.process import Process, look_at_program, settle_memory, tell_program, told_to_stop
from jackpot.program import running
from jackpot.publish.redis_follower import FollowedBoard, RedisFollower
from jackpot.publish.redis_relay import SignKeys
from jackpot.web import signage_routes
from jackpot.web.sign_pages import Screens

log: Final = structlog.get_logger()


class SignageProcess(Process):
    """One signage process of a configuration: `async with SignageProcess(config, settings) as process`.

    Raises OSError where an address cannot be had.
    """

    def __init__(self, config: Config, settings: Signage, clock: Clock | None = None) -> None:
        super().__init__(config, clock)
        self.settings = settings
        self.digest = running().digest.hex()
        links = config.links
        self.followers = {
            bank: RedisFollower(
                FollowedBoard(bank, [terms for terms in links if terms.bank == bank], self.clock),
                config.redis,
                self.clock,
                self._take_keys,
            )
            for bank in config.banks
        }
        banks = {terms.link: self.followers[terms.bank] for terms in links}
        signs = [
            RegisteredDevice(
                sign.id, sign.links, [banks[link] for link in sign.links], posted_on(config, sign)
            )
            for sign in config.signs
        ]
        self.signs = Signs(
            config.site.name, DeviceRegistry("sign", signs, config.keys_of), config.limits, self.clock
        )
        self._blocked: dict[str, set[str]] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def _start(self) -> None:
        log.info(
            "starting", site=self.config.site.name, config=str(self.config.path), signage=self.settings.id
        )
        tell_program(await look_at_program())
        await self._bind(self.settings, ["signs"])
        boards = [follower.board for follower in self.followers.values()]
        await self._open(self.settings, {"signs": self.signs}, boards)
        for follower in self.followers.values():
            self._run(follower.run())
        self._run(self._tick())
        log.info("serving", **self.ports)

    async def _stop(self) -> None:
        log.info("stopping")
        for listener in self.listeners:
            listener.close()
        for task in self._tasks:
            task.cancel()
        await self._close([self.signs])
        log.info("stopped")

    def _sweep(self) -> None:
        for follower in self.followers.values():
            follower.sweep()
        self.signs.sweep()

    async def _listen_pages(
        self, screens: Screens, listener: Listener, address: Address, *, public: bool
    ) -> tuple[web.AppRunner, int]:
        return await signage_routes.listen(self, screens, listener, address, public=public)

    def _take_keys(self, bank: str, keys: SignKeys) -> None:
        """Drops signs whose key was revoked or replaced at the server, and blocked ones."""
        for sign, key in keys.ended:
            if (sign, key) not in self.signs.registry.ended:
                self.signs.revoke(sign, key)
        blocked = set(keys.blocked)
        self.signs.registry.blocked -= self._blocked.get(bank, set()) - blocked
        self.signs.registry.blocked |= blocked
        self._blocked[bank] = blocked

    def _run(self, work: Coroutine[None, None, None]) -> None:
        """Runs it as a task; where it fails, the meters shown are no longer confirmed (S7)."""
        self._tasks.append(self._task(work, lambda _error: None))


async def show(config: Config, settings: Signage) -> None:
    """Shows until SIGTERM or SIGINT. Raises what SignageProcess raises."""
    ended = told_to_stop()
    async with SignageProcess(config, settings):
        settle_memory()
        await ended.wait()
