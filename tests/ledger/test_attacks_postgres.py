"""What can a restored database, a half-configured one or somebody with few rights do to a ledger?"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from jackpot.clock import SystemClock
from jackpot.ledger.postgres import PostgresStore
from jackpot.rules import commands as c
from jackpot.server.tenure import Tenure
from jackpot.server.writer import Writer
from tests.ledger.backends import WAIT_S, stores
from tests.ledger.play import FIVE, THREE
from tests.server.bed import on_loop, until

# A database of last night, whose last row and last taker are gone again.
GOES_BACK = """
    ALTER TABLE journal DISABLE TRIGGER USER;
    ALTER TABLE posting DISABLE TRIGGER USER;
    DELETE FROM journal WHERE seq = 2;
    DELETE FROM posting WHERE seq = 2;
    DELETE FROM snapshot;
    UPDATE head SET seq = 1, epoch = 1, writer = gen_random_uuid(), holder = 'last night',
        hash = (SELECT hash FROM journal WHERE seq = 1);
    SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


@asynccontextmanager
async def holding(store: PostgresStore) -> AsyncIterator[Writer]:
    """A server alone on its ledger, that holds the bank."""
    loop = asyncio.get_running_loop()
    writer = Writer.standing_by("main", store, SystemClock())

    async def taken(_writer: Writer) -> None:
        """No device is there."""

    tenure = Tenure(
        writer,
        store,
        SystemClock(),
        "us",
        alone=True,
        waits=lambda: 0.0,
        start=loop.create_task,
        on_taken=taken,
    )
    running = loop.create_task(tenure.run())
    await tenure.settled()
    yield writer
    tenure.end()
    await running


@on_loop
async def test_a_database_that_went_back_is_noticed_by_whoever_took_it_again(database: str) -> None:
    """S5: an act that was acknowledged is gone, the head is another writer's: the bank stops."""
    async with stores(database) as (store,), holding(store) as writer:
        for terms in (FIVE, THREE):
            await writer.person(c.OpenLink(terms), ("p",))
        assert writer.core.durable_seq == 2
        owner = await asyncpg.connect(database, timeout=WAIT_S)
        try:
            await owner.execute(GOES_BACK)
        finally:
            owner.terminate()
        await until(lambda: writer.failed)
        assert "row 2, which was acknowledged, is not in the ledger" in (writer.stopped or "")
