"""SQLite ledger on a disk that is really full; run alone, in a mount namespace of its own.

`python -m tests.ledger.full_disk FOLDER`: mounts a 2 MB file system there, fills it, makes room again, and
prints one line for each thing that happened.
"""

import ctypes
import os
import sys
from pathlib import Path
from typing import Final

from jackpot.ledger.journal import Row
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import CommitInDoubt
from tests.ledger.material import rows

DISK_BYTES: Final = 2 * 1024 * 1024
# What another program holds of the disk, and gives back later: enough for WAL and database together.
BALLAST_BYTES: Final = 1_200_000
BATCH: Final = 50


def mount(folder: Path, size: int) -> None:
    """A tiny file system of so many bytes; gone with this process and its namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", 0, b"size=%d" % size) != 0:
        raise OSError(ctypes.get_errno(), "mount")


def main(folder: Path) -> None:
    mount(folder, DISK_BYTES)
    ballast = folder / "ballast"
    ballast.write_bytes(bytes(BALLAST_BYTES))
    ledger = SqliteLedger(folder / "ledger.db")
    ledger.new_epoch("main", "test")
    acknowledged: list[Row] = []
    while True:
        batch = rows(BATCH, after=acknowledged[-1] if acknowledged else None)
        try:
            ledger.append("main", 1, len(acknowledged), batch)
        except CommitInDoubt as error:
            print("doubt:", error)
            break
        acknowledged += batch
    print("acknowledged:", len(acknowledged) > 0)
    for _ in range(3):
        try:
            ledger.recover()
            ledger.new_epoch("main", "test")
        except CommitInDoubt as error:
            print("still full:", error)
    ballast.unlink()
    ledger.recover()
    head = ledger.new_epoch("main", "test")
    kept = ledger.rows("main", 0, 100_000)
    print("whole batches:", head.seq - len(acknowledged) in {0, BATCH} and len(kept) == head.seq)
    print("nothing lost:", kept[: len(acknowledged)] == acknowledged)
    ledger.append("main", head.epoch, head.seq, rows(BATCH, epoch=head.epoch, after=kept[-1]))
    print("goes on:", ledger.head("main").seq == head.seq + BATCH)
    ledger.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
