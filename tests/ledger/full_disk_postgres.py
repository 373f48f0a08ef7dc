"""PostgreSQL ledger on a disk that is really full; run alone, in a mount namespace of its own.

`python -m tests.ledger.full_disk_postgres FOLDER`: mounts a small file system there with a cluster on it,
fills it, makes room again, and prints a line for each thing that happened. A cluster that falls is started
again, as a service manager would do.
"""

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import Final

from jackpot.lab.testing.postgres import EngineError, Postgres
from jackpot.ledger.journal import Row
from jackpot.ledger.postgres.store import PostgresStore
from jackpot.ledger.store import CommitInDoubt
from tests import ceilings
from tests.ledger.full_disk import mount
from tests.ledger.material import rows

DISK_BYTES: Final = 128 * 1024 * 1024
# What the ballast leaves free: the cluster fills it within a second.
FREE_BYTES: Final = 12 * 1024 * 1024
# The least WAL that PostgreSQL allows.
SETTINGS: Final = {"max_wal_size": "32MB", "min_wal_size": "32MB"}
BATCH: Final = 1_000
WAIT_S: Final = ceilings.WAIT_S


async def fill(store: PostgresStore, acknowledged: list[Row]) -> CommitInDoubt:
    """Appends until the disk is full. Returns the error."""
    while True:
        batch = rows(BATCH, after=acknowledged[-1] if acknowledged else None)
        try:
            await store.append("main", 1, len(acknowledged), batch)
        except CommitInDoubt as error:
            return error
        acknowledged += batch


async def look(store: PostgresStore, cluster: Postgres) -> int:
    """Recovers as a server does. Returns the head's seq. Raises CommitInDoubt, EngineError."""
    if not cluster.running:
        cluster.start()
    await store.recover()
    return (await store.new_epoch("main", "test")).seq


async def until_found(store: PostgresStore, cluster: Postgres) -> int:
    """Waits for the restarted cluster. Returns the head's seq."""
    ends = time.monotonic() + WAIT_S
    while True:
        try:
            return await look(store, cluster)
        except CommitInDoubt:
            assert time.monotonic() < ends
            await asyncio.sleep(0.05)


async def go_on(cluster: Postgres, ballast: Path) -> None:
    store = await PostgresStore.open(cluster.url())
    await store.new_epoch("main", "test")
    acknowledged: list[Row] = []
    print("doubt:", str(await fill(store, acknowledged)).replace("\n", " "))
    print("acknowledged:", len(acknowledged) > 0)
    for _ in range(3):
        try:
            print("still room for an epoch:", await look(store, cluster) >= len(acknowledged))
        except (CommitInDoubt, EngineError) as error:
            print("still full:", str(error).replace("\n", " "))
    ballast.unlink()
    seq = await until_found(store, cluster)
    kept = await store.rows("main", 0, 10**6)
    print("whole batches:", seq - len(acknowledged) in {0, BATCH} and len(kept) == seq)
    print("nothing lost:", kept[: len(acknowledged)] == acknowledged)
    head = await store.head("main")
    await store.append("main", head.epoch, seq, rows(BATCH, epoch=head.epoch, after=kept[-1]))
    print("goes on:", (await store.head("main")).seq == seq + BATCH)
    await store.close()


def main(folder: Path) -> None:
    mount(folder, DISK_BYTES)
    with Postgres(folder / "cluster", SETTINGS) as cluster:
        ballast = folder / "ballast"
        free = os.statvfs(folder)
        size = free.f_bavail * free.f_frsize - FREE_BYTES
        with ballast.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, size)
        asyncio.run(go_on(cluster, ballast))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
