"""The fault-injecting disk behaves as documented: real SQLite over it, without and with its faults."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from random import Random

import apsw
import pytest

from tests.faults.disk import Disk


class Bench:
    """A little SQLite database on a faulty disk, written like the ledger: WAL, synchronous=FULL."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.random = Random(seed)
        self.disk = Disk(f"bench-{seed}", self.random)
        self.path = str(folder / f"bench-{seed}.db")
        self.acknowledged: list[int] = []
        self.next = 1
        self.connection = self.open()
        self.connection.execute("create table t (n integer primary key, filler blob)")

    def open(self) -> apsw.Connection:
        connection = apsw.Connection(self.path, vfs=self.disk.name)
        for pragma in ("journal_mode=wal", "synchronous=full", "wal_autocheckpoint=0"):
            list(connection.execute(f"pragma {pragma}"))
        return connection

    def close(self) -> None:
        """Closes a dead process's connection: its last writes are refused, its locks are gone."""
        with contextlib.suppress(apsw.Error):
            self.connection.close(True)

    def insert(self) -> None:
        number, self.next = self.next, self.next + 1
        size = self.random.randrange(3000)
        self.connection.execute("insert into t values (?, randomblob(?))", (number, size))
        self.acknowledged.append(number)

    def restart(self, keep: float | None) -> None:
        """keep: None for kill -9, else a power loss."""
        self.disk.kill()
        self.close()
        if keep is not None:
            self.disk.power_loss(keep)
        self.disk.start()
        self.connection = self.open()

    def numbers(self) -> list[int]:
        assert list(self.connection.execute("pragma integrity_check")) == [("ok",)]
        return [n for (n,) in self.connection.execute("select n from t order by n")]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path, 1)
    yield made
    made.close()


@pytest.mark.parametrize("seed", range(12))
def test_nothing_committed_is_lost_in_any_crash(tmp_path: Path, seed: int) -> None:
    """S5: with synchronous=FULL a commit outlives kill -9 and power loss, torn sectors and all."""
    bench = Bench(tmp_path, seed)
    for _ in range(25):
        for _ in range(bench.random.randrange(6)):
            bench.insert()
            bench.disk.write_back(bench.random.choice([0.0, 0.3]))
        if bench.random.random() < 0.3:
            list(bench.connection.execute("pragma wal_checkpoint(passive)"))
        if bench.random.random() < 0.4:
            bench.connection.execute("begin immediate")
            bench.connection.execute("insert into t values (?, randomblob(20000))", (10_000 + bench.next,))
        bench.restart(bench.random.choice([None, 0.0, 0.5, 1.0]))
        assert bench.numbers() == bench.acknowledged
    bench.connection.close()


def test_without_the_sync_a_power_loss_loses(bench: Bench) -> None:
    """S5: the disk does tell synced from unsynced: the same load with synchronous=OFF is not durable."""
    bench.insert()
    list(bench.connection.execute("pragma wal_checkpoint(truncate)"))
    bench.connection.execute("pragma synchronous=off")
    bench.insert()
    bench.restart(0.0)
    assert bench.numbers() == [1]


def test_a_failed_sync_is_followed_by_a_lying_one(bench: Bench) -> None:
    """S5: what a failed sync was to write is gone, though a later sync says yes; reads show it until then."""
    list(bench.connection.execute("pragma wal_checkpoint(truncate)"))
    bench.insert()
    bench.disk.fail_sync = True
    with pytest.raises(apsw.IOError):
        bench.insert()
    bench.restart(None)
    assert bench.numbers() == [1, 2], "the log in the cache still holds the failed commit"
    bench.connection.execute("insert into t values (3, randomblob(9000))")
    assert bench.disk.tainted()
    bench.restart(1.0)
    assert bench.numbers() == [1], "the acknowledged third went with the second, whose pages nobody wrote"


def test_a_truncating_checkpoint_heals_a_failed_sync(bench: Bench) -> None:
    """S5: close, reopen, truncate the log, commit once (the new epoch): what is shown then is durable."""
    bench.insert()
    bench.disk.fail_sync = True
    with pytest.raises(apsw.IOError):
        bench.insert()
    bench.restart(None)
    list(bench.connection.execute("pragma wal_checkpoint(truncate)"))
    assert bench.disk.tainted()
    bench.insert()
    shown = bench.numbers()
    assert not bench.disk.tainted()
    bench.restart(0.0)
    assert bench.numbers() == shown == [1, 2, 3]


def test_evicted_pages_show_what_the_platter_holds(bench: Bench) -> None:
    """S5: once the cache forgets a doomed page, reads show the old content at once."""
    bench.insert()
    bench.disk.fail_sync = True
    with pytest.raises(apsw.IOError):
        bench.insert()
    bench.disk.kill()
    bench.close()
    bench.disk.evict()
    bench.disk.start()
    bench.connection = bench.open()
    assert bench.numbers() == [1]


@pytest.mark.parametrize("keep", [None, 0.0])
def test_a_failed_commit_may_be_revived(bench: Bench, keep: float | None) -> None:
    """S5: a commit that returned an error stands in the log and comes back with the next opening."""
    bench.disk.revive_sync = True
    with pytest.raises(apsw.IOError):
        bench.insert()
    assert bench.numbers() == [], "the living connection does not show it"
    bench.restart(keep)
    assert bench.numbers() == [1]


def test_a_full_disk_refuses_until_there_is_room(bench: Bench) -> None:
    """S5: SQLITE_FULL, nothing written; with room again the next commit goes through."""
    bench.insert()
    bench.disk.room = 4000
    with pytest.raises(apsw.FullError):
        bench.connection.execute("insert into t values (99, randomblob(30000))")
    bench.disk.room = None
    bench.insert()
    bench.restart(0.0)
    assert bench.numbers() == bench.acknowledged == [1, 2]


def test_reads_and_writes_fail_when_told(bench: Bench) -> None:
    """S5: one I/O error reaches the caller as an error, and is over with the next try."""
    bench.insert()
    bench.disk.fail_write = 1
    with pytest.raises(apsw.IOError):
        bench.connection.execute("insert into t values (50, randomblob(30000))")
    bench.insert()
    bench.restart(None)
    bench.disk.fail_read = 0
    with pytest.raises(apsw.IOError):
        bench.numbers()
    assert bench.numbers() == bench.acknowledged


def test_a_disk_that_is_down_refuses_everything(bench: Bench) -> None:
    """S5: until it is up again every operation fails, and nothing that was committed is gone."""
    bench.insert()
    bench.disk.down = True
    with pytest.raises(apsw.Error):
        bench.connection.execute("insert into t values (60, randomblob(9000))")
    bench.disk.down = False
    bench.insert()
    bench.restart(0.0)
    assert bench.numbers() == bench.acknowledged
