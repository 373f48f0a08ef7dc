"""Database fixtures: one PostgreSQL cluster a worker with a database a test, and a Redis a test."""

import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from shutil import disk_usage
from tempfile import TemporaryDirectory

import pytest

from jackpot.lab.testing.postgres import EnginesMissing, Postgres, binaries
from jackpot.lab.testing.redis import RedisServer, redis_program
from tests.faults.repeat import SHARED_MEMORY
from tests.ledger.waiting import open_ledger

TEMPLATE = "ledger_template"
# Making a database flushes some hundred files, and a ledger flushes at each commit: a second of a busy disk,
# and nothing of memory. A worker's cluster, and what its tests write at one time, stay below a tenth of this.
ROOM = 8 * 2**30
_numbers = count(1)


def room_in_memory() -> bool:
    """Whether there is a file system in memory for what tests write, from which programs may be run."""
    if not SHARED_MEMORY.is_dir() or os.statvfs(SHARED_MEMORY).f_flag & os.ST_NOEXEC:
        return False
    return disk_usage(SHARED_MEMORY).free > ROOM


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """The worker's own cluster: nobody stops it, kills it or changes its settings."""
    try:
        binaries()
    except EnginesMissing as missing:
        pytest.skip(str(missing))
    quick = SHARED_MEMORY if room_in_memory() else None
    with (
        TemporaryDirectory(prefix="jackpot-tests-", dir=quick) as folder,
        Postgres(Path(folder) / "cluster") as cluster,
    ):
        yield cluster


@pytest.fixture(scope="session")
def ledger_template(postgres: Postgres) -> str:
    """A ledger with nothing in it, that nobody connects to; each test's is a copy of it."""
    open_ledger(postgres.create(TEMPLATE)).close()
    return TEMPLATE


@pytest.fixture
def database(postgres: Postgres, ledger_template: str) -> Iterator[str]:
    """The URL of an empty ledger that only this test has."""
    name = f"test_{next(_numbers)}"
    yield postgres.create(name, ledger_template)
    postgres.drop(name)


@pytest.fixture(scope="session")
def redis_there() -> None:
    """Skips the test where no Redis is installed."""
    try:
        redis_program()
    except EnginesMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def redis(redis_there: None, tmp_path: Path) -> Iterator[RedisServer]:
    """An empty node that only this test has."""
    with RedisServer(tmp_path / "redis") as node:
        yield node
