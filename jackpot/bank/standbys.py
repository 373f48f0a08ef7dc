"""Monitors how many PostgreSQL standbys have each commit before it is answered.

No wager waits for it: each poll has a connection of its own.
"""

import asyncio
from typing import Final

import structlog

from jackpot.clock import Clock
from jackpot.config.settings import Ledger
from jackpot.ledger.connect import CONNECT_S, FAILURES, connect, each_host, text
from jackpot.ledger.store import LedgerUnusable

# An alert waits a minute. A look costs the database one short connection.
LOOK_S: Final = 10.0
# What was seen so long ago is not known any more.
KNOWN_S: Final = 3 * LOOK_S

# A role without pg_read_all_stats sees who is connected and not how. Where commits wait for a standby that is
# not there they are not acknowledged at all, which other alerts tell: so it is enough then who is connected.
_LOOK: Final = """
    SELECT CASE WHEN current_setting('synchronous_standby_names') = '' THEN 0
        WHEN pg_has_role('pg_read_all_stats', 'USAGE')
            THEN count(*) FILTER (WHERE sync_state IN ('sync', 'quorum'))
        ELSE count(*) END
    FROM pg_stat_replication
"""

log: Final = structlog.get_logger()


def is_configured(ledger: Ledger) -> bool:
    """Whether the site configures a standby: its URL names several hosts, or it requires one."""
    return ledger.file is None and (ledger.require_synchronous or len(each_host(ledger.url)) > 1)


async def count_standbys(url: str) -> int:
    """Number of standbys that have each commit before it is answered. Raises TimeoutError, LedgerUnusable,
    and as `connect` does.
    """
    connection = await connect(url)
    try:
        async with asyncio.timeout(CONNECT_S):
            return int(await connection.fetchval(_LOOK))
    finally:
        connection.terminate()


class StandbyMonitor:
    """Polls the number of standbys while the server runs."""

    def __init__(self, url: str, clock: Clock) -> None:
        self._url = url
        self._clock = clock
        self._count = 0
        self._seen = float("-inf")

    @property
    def count(self) -> int | None:
        """Latest number of standbys; None if it is not known."""
        return self._count if self._clock.monotonic() - self._seen < KNOWN_S else None

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_S)

    async def look(self) -> None:
        """Polls once. A failure is logged and tried again."""
        try:
            count = await count_standbys(self._url)
        except (*FAILURES, TimeoutError, LedgerUnusable) as error:
            log.warning("standbys_unknown", reason=text(error), kind="standbys")
            return
        if count == 0 and self._count > 0:
            log.warning("standby_lost")
        self._count, self._seen = count, self._clock.monotonic()
