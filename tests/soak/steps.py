"""Processes that die at every line between a draw and its opening: `python -m tests.soak steps --times 20`.

The suite kills at the beginning of each step of `tests/faults/steps.py`. Here each line of them has its
death, in history after history, on a disk and among several servers.
"""

from __future__ import annotations

from typing import Final

from tests.faults.house import MYSTERIES_FROM
from tests.faults.places import DISKS, SERVERS
from tests.faults.simulation import Failure
from tests.faults.steps import Line, killed_at

ROUNDS: Final = 300


def soak(times: int, seed: int) -> int:
    """So many histories of each ground, two runs of each; 1 where one fails.

    The first run finds the lines that are run, the second dies at each of them.
    """
    died = 0
    for number in range(times):
        for ground in (DISKS, SERVERS):
            at = MYSTERIES_FROM + seed + number
            lines: set[Line] = set()
            for _ in range(2):
                ended, tracer = killed_at(at, ROUNDS, lines, ground)
                if isinstance(ended, Failure):
                    print(ended)
                    return 1
                died += len(lines) - len(tracer.left)
                lines = set(tracer.seen)
            print(f"{number + 1} of {times} histories: {died:,} deaths, nothing lost", flush=True)
    return 0
