"""Are bare commits and flushes real ones?"""

import asyncio
from pathlib import Path

import asyncpg

from jackpot.lab.bench.bare import COMMITS_LEAST, copies, flushes
from jackpot.lab.engines import Postgres


def test_a_slow_disk_is_measured_too(tmp_path: Path) -> None:
    """Bench: a few flushes at least, and nothing of them stays."""
    took = flushes(tmp_path / "bare", 4096, 0.0)
    assert len(took) == COMMITS_LEAST
    assert all(seconds > 0 for seconds in took)
    assert list(tmp_path.iterdir()) == []


def test_bare_rows_are_committed(postgres: Postgres) -> None:
    """Bench: as many rows as a batch has, a transaction each; a second time after the first."""
    url = postgres.create("bare")

    async def run() -> int:
        await copies(url, 7, 0.0)
        took = await copies(url, 7, 0.0)
        assert len(took) == COMMITS_LEAST
        connection = await asyncpg.connect(url)
        try:
            return int(await connection.fetchval("SELECT count(*) FROM bare"))
        finally:
            await connection.close()

    assert asyncio.run(run()) == 2 * 7 * COMMITS_LEAST
    postgres.drop("bare")
