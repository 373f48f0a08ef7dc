"""Server whose disk is full as a snapshot is saved; run alone, in a mount namespace of its own.

`python -m tests.ledger.full_disk_snapshot FOLDER`: mounts a small file system there, plays on a real server,
fills the disk whenever a snapshot is to be saved, makes room again, and prints a line for each thing that
happened.
"""

import logging
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import structlog

from jackpot.app import Server
from jackpot.config import Config
from jackpot.ledger.journal import Snapshot
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import CommitInDoubt
from jackpot.ledger.verify.verifier import verify
from tests.ledger.full_disk import mount
from tests.ledger.waiting import open_ledger
from tests.running_server import configure, on_loop, table, until

DISK_BYTES: Final = 4 * 1024 * 1024
CHUNK: Final = 4096
ROUNDS: Final = 40
SEAL_EVERY: Final = 10


class Filled(SqliteLedger):
    """A ledger whose disk has no byte left when the first snapshots are saved."""

    def __init__(self, config: Config) -> None:
        self.folder = config.path.parent
        super().__init__(self.folder / "ledger.db")
        self.failed = 0
        self.tried = 0

    def save_snapshot(self, snapshot: Snapshot) -> None:
        self.tried += 1
        if self.tried > 2:
            super().save_snapshot(snapshot)
            return
        with (self.folder / "ballast").open("ab", buffering=0) as ballast, suppress(OSError):
            while True:
                ballast.write(bytes(CHUNK))
        try:
            super().save_snapshot(snapshot)
        except CommitInDoubt as error:
            self.failed += 1
            print("doubt:", error)
            raise

    def recover(self) -> None:
        """The second time there is room again."""
        if self.failed % 2:
            self.failed += 1
            try:
                super().recover()
                self.new_epoch("main", "still full")
                print("still room for an epoch")
            except CommitInDoubt as error:
                print("still full:", error)
                raise
        (self.folder / "ballast").unlink(missing_ok=True)
        super().recover()


async def play(config: Config, ledger: Filled) -> None:
    async with Server(config, ledger=ledger) as server, table(server) as device:
        bank = server.banks["main"]
        for seq in range(1, 2 * ROUNDS, 2):
            bank.sequencer._snapshot_every = SEAL_EVERY
            await until(lambda: bank.active)
            device.wager(seq, f"R{seq}", 1, lock=True)
            assert (await device.answer(seq))["t"] == "ack"
            device.say(t="close", seq=seq + 1, round=f"R{seq}")
            assert (await device.answer(seq + 1))["t"] == "ack"
        print("doubts:", bank.counts.doubts)


def main(folder: Path) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    mount(folder, DISK_BYTES)
    config = configure(folder)
    ledger = Filled(config)
    on_loop(play)(config, ledger)
    ledger.close()
    with closing(open_ledger(config.ledger.url)) as again:
        engine, head = rebuild(again, "main")
        found = engine.table("T01")
        print("every round is there:", found is not None and found.last_seq == 2 * ROUNDS)
        print("problems:", len(verify(again, "main", head.hash).problems))
        print("snapshots:", again.newest_snapshot("main") is not None)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
