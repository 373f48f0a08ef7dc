"""The baselines of the bench make real commits and real flushes."""

import asyncio
import time
from pathlib import Path

import asyncpg
import pytest

from jackpot.lab.bench.bare import COMMITS_MIN, copies, flushes
from jackpot.lab.bench.run_plan import commit_every
from jackpot.lab.testing.postgres import Postgres


def test_a_slow_disk_is_measured_too(tmp_path: Path) -> None:
    """Bench: a few flushes at least, and nothing of them stays."""
    took = flushes(tmp_path / "bare", 4096, 0.0)
    assert len(took) == COMMITS_MIN
    assert all(seconds > 0 for seconds in took)
    assert list(tmp_path.iterdir()) == []


def test_bare_flushes_wait_like_those_of_a_floor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bench: a processor that has waited is slower, so what is bare waits as long as a floor's wagers do."""
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    took = flushes(tmp_path / "bare", 4096, 0.0, every=1_000.0)
    assert [round(pause + each) for pause, each in zip(waited, took, strict=True)] == [1_000] * len(took)
    assert commit_every(floor=500, pace=1) == 0.06


def test_bare_rows_are_committed(postgres: Postgres) -> None:
    """Bench: as many rows as a batch has, a transaction each; a second time after the first."""
    url = postgres.create("bare")

    async def run() -> int:
        await copies(url, 7, 0.0)
        took = await copies(url, 7, 0.0)
        assert len(took) == COMMITS_MIN
        connection = await asyncpg.connect(url)
        try:
            return int(await connection.fetchval("SELECT count(*) FROM bare"))
        finally:
            await connection.close()

    assert asyncio.run(run()) == 2 * 7 * COMMITS_MIN
    postgres.drop("bare")
