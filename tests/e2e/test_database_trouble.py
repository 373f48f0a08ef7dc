"""A floor survives each kind of PostgreSQL failure under load, and loses nothing."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from jackpot.lab.testing.postgres import Postgres
from tests.e2e.floors import EASY
from tests.e2e.load import Played, check, load
from tests.e2e.site import Site, running

TABLES: Final = 4


class Floor:
    """A cluster and a server on it."""

    def __init__(self, cluster: Postgres, site: Site) -> None:
        self.cluster = cluster
        self.site = site


@pytest.fixture(scope="module")
def floor(made_once: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    folder = tmp_path_factory.mktemp("floor")
    with Postgres(folder / "cluster") as cluster:
        site = Site(folder, EASY, ledger=cluster.create("ledger"))
        site.add("table", ["easy"], TABLES)
        site.add("sign", ["easy"])
        with running(site):
            yield Floor(cluster, site)


def under_load(floor: Floor, folder: Path, trouble: Callable[[], None], relief: Callable[[], None]) -> None:
    """Breaks the database under load, then repairs it: devices are told, play resumes, nothing is lost."""
    site, played = floor.site, Played()

    async def scenario() -> None:
        async with load(site, played, folder) as names:
            await played.until_all_play(names)
            await asyncio.to_thread(trouble)
            try:
                await played.until_told("suspended")
                assert await asyncio.to_thread(site.status, "/readyz") == 503
                assert await asyncio.to_thread(site.status, "/healthz") == 200
            finally:
                await asyncio.to_thread(relief)
            await played.until_told("active")
            await played.until_all_play(names)
            assert await asyncio.to_thread(site.status, "/readyz") == 200

    asyncio.run(scenario())
    check(site.url, site.devices("table"), played)


def doubts(site: Site) -> int:
    """How many commits of the tables' bank had an unknown outcome.

    The people's bank writes seldom: it may doubt late, for a connection that an earlier test ended.
    """
    return sum((line["event"], line.get("bank")) == ("commit_in_doubt", "main") for line in site.log)


def test_a_killed_database_comes_back(floor: Floor, tmp_path: Path) -> None:
    """S4, S5, DESIGN 4: kill -9 of PostgreSQL under load: told at once, resumed without hands, all once."""
    under_load(floor, tmp_path, floor.cluster.kill, floor.cluster.start)


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_stopped_database_comes_back(floor: Floor, tmp_path: Path, mode: str) -> None:
    """S4, S5, DESIGN 4: a database that is shut down, or crashes in good order, and is started later."""
    under_load(floor, tmp_path, lambda: floor.cluster.stop(mode), floor.cluster.start)


def test_a_frozen_database_is_waited_for(floor: Floor, tmp_path: Path) -> None:
    """DESIGN 4, lease: tables are told after 2 s, the COMMIT is left alone, and its answer comes, once."""
    before = doubts(floor.site)
    under_load(floor, tmp_path, floor.cluster.freeze, floor.cluster.thaw)
    assert doubts(floor.site) == before


def test_a_read_only_database_is_waited_for(floor: Floor, tmp_path: Path) -> None:
    """DESIGN 4: a primary that is set read-only writes nothing; set back, all goes on."""
    cluster = floor.cluster
    under_load(
        floor,
        tmp_path,
        lambda: cluster.configure({"default_transaction_read_only": "on"}),
        lambda: cluster.configure({"default_transaction_read_only": "off"}),
    )


def test_an_ended_connection_is_made_again(floor: Floor, tmp_path: Path) -> None:
    """S4, S5, DESIGN 4: pg_terminate_backend under load, again and again: each time doubt, a look, and on."""
    site, played = floor.site, Played()
    before = doubts(site)

    async def scenario() -> None:
        async with load(site, played, tmp_path) as names:
            for _ in range(5):
                await played.until_all_play(names)
                seen = sum(map(len, played.states.values()))
                await asyncio.to_thread(floor.cluster.sql, END_WRITER)
                await played.until("news", lambda: sum(map(len, played.states.values())) > seen)  # noqa: B023
            await played.until_told("active")
            await played.until_all_play(names)

    asyncio.run(scenario())
    assert doubts(site) >= before + 5
    check(site.url, site.devices("table"), played)


END_WRITER: Final = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'jackpot'"
)
