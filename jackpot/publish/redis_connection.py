"""Reconnecting Redis client: tries one node at a time, with a pause between attempts.

Nothing waits for it: a failure is logged and counted, and ends only this attempt.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, urlsplit

import structlog

from jackpot.text import refused_certificate

if TYPE_CHECKING:
    from redis.asyncio import Redis

# A node that does not answer for this long hangs: ten times what a busy one takes across a city.
ANSWER_WITHIN_S: Final = 2.0
# A new attempt comes soon after a short break; later ones are seldom enough for a thousand processes.
RETRY_FIRST_S: Final = 0.2
RETRY_MAX_S: Final = 2.0

_chance: Final = secrets.SystemRandom()
log: Final = structlog.get_logger()


class RedisConnection:
    """Connection to the node that holds one bank: one of `urls` in turn, or the one that a cluster names.

    up: whether the last attempt works. failures: attempts that ended, each with its error.
    """

    def __init__(self, bank: str, urls: Sequence[str]) -> None:
        self.up = False
        self.failures = 0
        self._bank = bank
        self._urls = [urlsplit(url) for url in urls]
        self._turn = 0
        self._url = self._urls[0]

    @property
    def node(self) -> str:
        """Host and port, without the password."""
        return self._url.netloc.rpartition("@")[2]

    def works(self) -> None:
        """Records a success of the node."""
        if not self.up:
            self.up = True
            log.info("redis_reached", bank=self._bank, node=self.node, kind=(self._bank, self.node))

    async def keep(self, work: Callable[["Redis"], Awaitable[None]]) -> None:
        """Runs `work` with a connection, again on the next node after each failure; until cancelled."""
        pause = RETRY_FIRST_S
        first = True
        while True:
            try:
                async with self._client() as client:
                    await work(client)
            except Exception as error:  # noqa: BLE001 - nothing about Redis may end a server that moves money
                self.failures += 1
                pause = RETRY_FIRST_S if self.up else pause
                if self.up or first:
                    kind, words = (self._bank, self.node), _words(error)
                    log.warning("redis_lost", bank=self._bank, node=self.node, reason=words, kind=kind)
                self.up = first = False
                self._url = self._after(error)
            await asyncio.sleep(pause * _chance.uniform(0.5, 1.0))  # else all come back at one moment
            pause = min(2 * pause, RETRY_MAX_S)

    def _client(self) -> "Redis":
        # Loaded here: a floor without Redis starts a fifth sooner.
        from redis.asyncio import Redis  # noqa: PLC0415
        from redis.asyncio.retry import Retry  # noqa: PLC0415
        from redis.backoff import NoBackoff  # noqa: PLC0415

        return Redis.from_url(
            self._url.geturl(),
            socket_timeout=ANSWER_WITHIN_S,
            socket_connect_timeout=ANSWER_WITHIN_S,
            retry=Retry(NoBackoff(), 0),
            protocol=2,
        )

    def _after(self, error: Exception) -> SplitResult:
        """Next node to try: the one that a cluster names for the bank, otherwise the next of the list."""
        from redis.exceptions import MovedError  # noqa: PLC0415

        if isinstance(error, MovedError):
            login, at, _ = self._url.netloc.rpartition("@")
            host = error.host or self._url.hostname or ""
            host = f"[{host}]" if ":" in host else host
            return self._url._replace(netloc=f"{login}{at}{host}:{error.port}")
        self._turn += 1
        return self._urls[self._turn % len(self._urls)]


def _words(error: Exception) -> str:
    return refused_certificate(error, "ssl_ca_certs") or f"{type(error).__name__}: {error}"
