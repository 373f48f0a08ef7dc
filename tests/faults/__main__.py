"""python -m tests.faults --seed 7 --rounds 1000000: the fault simulator by hand, with a progress bar."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from jackpot.lab.testing.postgres import Postgres
from tests.faults.clusters import Clusters
from tests.faults.places import DISKS, SERVERS, Ground
from tests.faults.repeat import SHARED_MEMORY
from tests.faults.simulation import Failure, run, shorten


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="which history (default 1)")
    parser.add_argument("--rounds", type=int, default=5_000, help="rounds to play (default 5000)")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--postgres", action="store_true", help="on a PostgreSQL of its own, not SQLite")
    where.add_argument("--servers", action="store_true", help="several servers on one ledger, and signage")
    parser.add_argument("--whole", action="store_true", help="do not shorten a failure")
    asked = parser.parse_args()
    if not asked.postgres:
        return play(asked, SERVERS if asked.servers else DISKS)
    quick = SHARED_MEMORY if SHARED_MEMORY.is_dir() else None
    with Postgres(Path(tempfile.mkdtemp(prefix="faults-", dir=quick))) as cluster:
        return play(asked, Clusters(cluster))


def play(asked: argparse.Namespace, ground: Ground) -> int:
    """Runs one seed and, where it fails, further runs that shorten it; returns the result."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns) as bar:
        task = bar.add_task(f"seed {asked.seed}", total=asked.rounds)

        def tell(rounds: int) -> None:
            bar.update(task, completed=rounds)

        ended = run(asked.seed, asked.rounds, None, tell, ground)
    if isinstance(ended, Failure):
        print(ended if asked.whole else shorten(ended))
        return 1
    faults = ", ".join(f"{number} {kind}" for kind, number in sorted(ended.injected.items()))
    events = ", ".join(f"{number} {kind}" for kind, number in sorted(ended.witness.kinds.items()))
    codes = ", ".join(f"{number} {code}" for code, number in sorted(ended.witness.codes.items()))
    print(
        f"{ended.witness.rounds} rounds, {ended.witness.seq} rows, {ended.timeline.now:.0f} simulated seconds"
    )
    print(f"events: {events}\nrefusals: {codes}\nfaults: {faults}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
