"""Helpers that plant an error and require a simulated run on one of some seeds to fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from tests.faults.places import DISKS, Ground
from tests.faults.plan import Fault
from tests.faults.simulation import Failure, run

Plan = Callable[[int], list[Fault]]
# Rounds that each seed is played for before any is played longer. Most errors are found in the first rounds
# of some seed, and the first rounds of ten seeds cost less than hundreds of one.
DEPTHS: Final = (25, 100)


def found(
    *words: str,
    seeds: Sequence[int],
    rounds: int,
    plan: Plan | None = None,
    ground: Ground = DISKS,
    first: int | None = None,
) -> Failure:
    """The first failure of these seeds, which must say one of the words, if there are any.

    plan: the faults of a seed's run, instead of all that the ground has. first: the seed that finds it
    soonest today; the others are there for a day when it does not.
    """
    depths = [*(depth for depth in DEPTHS if depth < rounds), rounds]
    soonest = [] if first is None else [(first, max(DEPTHS))]
    for seed, depth in [*soonest, *((seed, depth) for depth in depths for seed in seeds)]:
        ended = run(seed, depth, plan and plan(seed), ground=ground)
        if isinstance(ended, Failure):
            assert not words or any(word in ended.reason for word in words), ended.reason
            return ended
    raise AssertionError(f"the error was not found in {rounds} rounds of each seed")
