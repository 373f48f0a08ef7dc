"""Lock, opening and disk failures of a SQLite file: what is refused, and what it survives."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import apsw
import pytest

from jackpot.ledger.journal import Row
from jackpot.ledger.migrations import migrations
from jackpot.ledger.sqlite import file as sqlite_file
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import CommitInDoubt, LedgerStopped, LedgerUnusable
from tests.faults.disk import Disk
from tests.ledger.material import rows


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the ledger is made."""
    return tmp_path / "ledger.db"


@pytest.fixture
def disk() -> Iterator[Disk]:
    """A disk that fails when told to."""
    made = Disk("ledger-test", Random(1))
    yield made
    made.unregister()


def opened(path: Path, disk: Disk, batches: int) -> tuple[SqliteLedger, list[Row]]:
    ledger = SqliteLedger(path, vfs=disk.name)
    ledger.new_epoch("main", "test")
    written: list[Row] = []
    for _ in range(batches):
        batch = rows(10, after=written[-1] if written else None)
        ledger.append("main", 1, len(written), batch)
        written += batch
    return ledger, written


def test_a_second_writer_is_refused(path: Path) -> None:
    """DESIGN, the ledger: the lock is held for life, and says whose it is."""
    ledger = SqliteLedger(path)
    with pytest.raises(LedgerUnusable, match=f"in use by process {os.getpid()}: one server at a time"):
        SqliteLedger(path)
    SqliteLedger(path, readonly=True).close()
    ledger.close()
    SqliteLedger(path).close()


def test_a_dead_writer_leaves_no_lock(path: Path) -> None:
    """DESIGN, the ledger: a process that was killed holds nothing; its commits are there."""
    program = """
import os, sys
from jackpot.ledger.sqlite.store import SqliteLedger
from tests.ledger.material import rows

ledger = SqliteLedger(sys.argv[1])
ledger.new_epoch("main", "x")
ledger.append("main", 1, 0, rows(5))
os.kill(os.getpid(), 9)
"""
    assert subprocess.run([sys.executable, "-c", program, str(path)], check=False).returncode == -9
    ledger = SqliteLedger(path)
    assert ledger.new_epoch("main", "y").seq == 5
    assert ledger.rows("main", 0, 10) == rows(5)
    ledger.close()


def test_what_is_no_ledger_is_refused(path: Path) -> None:
    """DESIGN, the ledger: another program's file is left alone, a missing one is not made by a reader."""
    with pytest.raises(LedgerUnusable, match="cannot be opened"):
        SqliteLedger(path, readonly=True)
    assert not path.exists()
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE music (name TEXT)")
    connection.close()
    with pytest.raises(LedgerUnusable, match="is a database, but not a ledger"):
        SqliteLedger(path)
    path.write_bytes(b"a letter, not a database" * 100)
    with pytest.raises(LedgerUnusable, match="cannot be opened"):
        SqliteLedger(path)
    with pytest.raises(LedgerUnusable, match="cannot be locked"):
        SqliteLedger(path.parent / "missing" / "ledger.db")


def test_a_newer_schema_is_refused(path: Path) -> None:
    """DESIGN, the ledger: a program never writes a schema that it does not know."""
    SqliteLedger(path).close()
    connection = apsw.Connection(str(path))
    connection.execute("INSERT INTO migration VALUES (9999, 'tomorrow')")
    connection.close()
    known = f"{len(migrations('sqlite')):04}"
    for readonly in (False, True):
        with pytest.raises(LedgerUnusable, match=f"schema is at 9999, this program knows up to {known}"):
            SqliteLedger(path, readonly=readonly)


@pytest.mark.parametrize("fault", ["fail_sync", "revive_sync", "fail_write", "room", "down"])
def test_a_failed_commit_is_doubt(path: Path, disk: Disk, fault: str) -> None:
    """DESIGN 4: nothing but recover follows doubt; then nothing acknowledged is lost, a batch is whole."""
    ledger, written = opened(path, disk, 3)
    setattr(disk, fault, {"fail_write": 2, "room": 100}.get(fault, True))
    after = rows(10, after=written[-1])
    with pytest.raises(CommitInDoubt):
        ledger.append("main", 1, 30, after)
    disk.room, disk.down = None, False
    for forbidden in (
        lambda: ledger.append("main", 1, 30, after),
        lambda: ledger.head("main"),
        ledger.checkpoint,
    ):
        with pytest.raises(CommitInDoubt):
            forbidden()
    ledger.recover()
    head = ledger.new_epoch("main", "test")
    kept = ledger.rows("main", 0, 100)
    assert kept == (written + after)[: head.seq]
    assert head.seq in {30, 40}
    more = rows(10, epoch=head.epoch, after=kept[-1])
    ledger.append("main", head.epoch, head.seq, more)
    ledger.close()
    disk.kill()
    disk.power_loss(0.0)
    disk.start()
    survivor = SqliteLedger(path, vfs=disk.name)
    assert survivor.rows("main", 0, 100) == kept + more
    survivor.close()


def test_a_disk_that_fails_in_recovery_stops_for_good(path: Path, disk: Disk) -> None:
    """DESIGN, the ledger: a failed sync can be followed by a lying one, so there is no third try."""
    ledger, written = opened(path, disk, 1)
    disk.fail_sync = True
    with pytest.raises(CommitInDoubt):
        ledger.append("main", 1, 10, rows(10, after=written[-1]))
    disk.fail_write = 0
    with pytest.raises(LedgerStopped, match="cannot be recovered"):
        ledger.recover()
    for forbidden in (ledger.recover, lambda: ledger.head("main"), lambda: ledger.new_epoch("main", "x")):
        with pytest.raises(LedgerStopped):
            forbidden()
    ledger.close()


def test_a_disk_that_fails_right_after_recovery_stops_for_good(path: Path, disk: Disk) -> None:
    """DESIGN, the ledger: until the new epoch is acknowledged, an I/O error is the second one."""
    ledger, written = opened(path, disk, 1)
    disk.fail_sync = True
    with pytest.raises(CommitInDoubt):
        ledger.append("main", 1, 10, rows(10, after=written[-1]))
    ledger.recover()
    disk.fail_sync = True
    with pytest.raises(LedgerStopped, match="again"):
        ledger.new_epoch("main", "test")
    ledger.close()


def test_a_full_disk_in_recovery_may_be_tried_again(path: Path, disk: Disk) -> None:
    """DESIGN, the ledger: a full disk is no I/O error; when there is room the bank goes on."""
    ledger, written = opened(path, disk, 1)
    disk.room = 0
    for _ in range(3):
        with pytest.raises(CommitInDoubt):
            ledger.append("main", 1, 10, rows(10, after=written[-1]))
        with pytest.raises(CommitInDoubt, match="full"):
            ledger.recover()
    disk.room = None
    ledger.recover()
    assert ledger.new_epoch("main", "test").seq == 10
    ledger.close()


@pytest.mark.parametrize("suffix", ["", "-wal"])
def test_a_lost_file_is_doubt_and_then_the_end(path: Path, suffix: str) -> None:
    """DESIGN 4: a commit into a removed file is never acknowledged; no empty file takes its place."""
    ledger = SqliteLedger(path)
    ledger.new_epoch("main", "test")
    first = rows(10)
    ledger.append("main", 1, 0, first)
    path.with_name(path.name + suffix).rename(path.with_name("elsewhere"))
    with pytest.raises(CommitInDoubt, match="removed or replaced"):
        ledger.append("main", 1, 10, rows(10, after=first[-1]))
    with pytest.raises(LedgerStopped):
        ledger.recover()
    ledger.close()
    assert suffix or not path.exists()


def test_the_log_is_carried_over_every_16_mib(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN, the ledger: checkpoints run when asked, after enough of the log, and the log starts again."""
    monkeypatch.setattr(sqlite_file, "CHECKPOINT_BYTES", 256 * 1024)
    ledger = SqliteLedger(path)
    ledger.new_epoch("main", "test")
    last = None
    sizes = []
    for _ in range(40):
        batch = rows(100, after=last)
        ledger.append("main", 1, batch[0].seq - 1, batch)
        ledger.checkpoint()
        last = batch[-1]
        sizes.append(path.with_name(path.name + "-wal").stat().st_size)
    assert max(sizes) < 2 * 256 * 1024
    assert path.stat().st_size > 256 * 1024
    ledger.close()
    assert not path.with_name(path.name + "-wal").exists()


# A byte of the shared index, as SQLite describes it. It is locked while the log is carried over.
CHECKPOINT_LOCK = 121
HOLDS = f"""
import fcntl, sys
index = open(sys.argv[1], "r+b")
fcntl.lockf(index, fcntl.LOCK_EX, 1, {CHECKPOINT_LOCK})
print(flush=True)
sys.stdin.read()
"""


def test_a_log_that_the_other_writer_carries_over_is_no_doubt(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN 4: two writers may want to carry the log over at one moment; the later one leaves it."""
    monkeypatch.setattr(sqlite_file, "CHECKPOINT_BYTES", 1)
    ledger, made = SqliteLedger(path), rows(3)
    ledger.new_epoch("main", "test")
    ledger.append("main", 1, 0, made[:2])
    command = [sys.executable, "-c", HOLDS, f"{path}-shm"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        ledger.checkpoint()
        ledger.append("main", 1, 2, made[2:])
        other.communicate()
    ledger.checkpoint()
    assert not ledger.file.checkpoint_due
    ledger.close()


def test_the_owner_alone_reads_a_ledger(path: Path) -> None:
    """Hashes of secrets and patrons lie in the file and its log, and its folder may be open to others."""
    SqliteLedger(path).new_epoch("main", "test")
    modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.glob("ledger.db*")}
    assert modes == dict.fromkeys(modes, 0o600)
    assert {"ledger.db", "ledger.db-wal"} <= modes.keys()
