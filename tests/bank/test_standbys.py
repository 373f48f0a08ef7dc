"""Missing standbys are detected and reported in time."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import asyncpg
import pytest

from jackpot.bank.standbys import KNOWN_S, StandbyMonitor, count_standbys, is_configured
from jackpot.config.settings import Ledger
from jackpot.lab.testing.postgres import Postgres
from tests import ceilings
from tests.running_server import StepClock, on_loop

WAIT_S: Final = ceilings.WAIT_S
PAIR: Final = {"synchronous_standby_names": "second"}
ALONE: Final = {"synchronous_standby_names": ""}


@pytest.mark.parametrize(
    ("ledger", "expected"),
    [
        (Ledger("sqlite:////ledger.db"), False),
        (Ledger("postgresql://a@db1/ledger"), False),
        (Ledger("postgresql://a@db1/ledger", require_synchronous=True), True),
        (Ledger("postgresql://a:p@db1:5432,db2:5432/ledger"), True),
    ],
)
def test_who_means_to_have_a_standby(ledger: Ledger, expected: bool) -> None:
    """Deploy: a database alone is a choice; one of two hosts that stands alone is a fault."""
    assert is_configured(ledger) is expected


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Postgres, Postgres]]:
    folder = tmp_path_factory.mktemp("pair")
    with Postgres(folder / "primary") as primary:
        yield primary, primary.standby(folder / "standby", "second")


async def until(count: int, *urls: str) -> None:
    """Waits until each role sees so many standbys; new settings take effect a moment later."""
    async with asyncio.timeout(WAIT_S):
        while [await count_standbys(url) for url in urls] != [count] * len(urls):  # noqa: ASYNC110
            await asyncio.sleep(0.05)


@on_loop
async def test_a_standby_is_missed(pair: tuple[Postgres, Postgres]) -> None:
    """S5, deploy: a superuser and a server's role see it; nobody waited for is as bad as nobody there."""
    primary, standby = pair
    url = primary.create("watched")
    owner = await asyncpg.connect(url)
    await owner.execute("CREATE ROLE plain LOGIN")
    await owner.close()
    both = url, url.replace("postgres@", "plain@")
    await until(0, *both)  # it streams, and no commit waits for it
    primary.configure(PAIR)
    await until(1, *both)
    standby.kill()
    await until(0, *both)
    standby.start()
    await until(1, *both)
    primary.configure(ALONE)
    await until(0, *both)


@on_loop
async def test_what_is_not_known_is_not_said(tmp_path: Path) -> None:
    """Deploy: a database that does not answer says nothing, and neither does what was seen long ago."""
    clock = StepClock()
    nobody = StandbyMonitor("postgresql://nobody@127.0.0.1:1/ledger", clock)
    await nobody.look()
    assert nobody.count is None
    with Postgres(tmp_path / "alone") as database:
        found = StandbyMonitor(database.create("ledger"), clock)
        await found.look()
    assert found.count == 0
    clock.ahead_s += KNOWN_S
    await found.look()
    assert found.count is None
