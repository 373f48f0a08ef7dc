"""The engine and the independent model, told the same a million times: `python -m tests.soak model`.

Random floors of every house: cards, offers, mysteries of both forms, tables of any game. On some of them
people sign for their acts, move the money of links and change their terms, let time pass, leave their seats.
After every step answers, awards, meters, counts and what the house paid must be equal. There are no servers
and no faults here: `python -m tests.faults` has those.
"""

from __future__ import annotations

import time
from itertools import count
from typing import Final

from tests.faults.difference import Difference
from tests.faults.random_houses import HOUSES, MIXED, OFFERING
from tests.rules.test_against_model import Both, Busy, Lively

# A floor's history grows, and each step looks at all of it.
STEPS_A_FLOOR: Final = 500
FOLDS_EVERY: Final = 25
TELLS_EVERY_S: Final = 60.0
ALL: Final = HOUSES | OFFERING | MIXED


KINDS: Final[tuple[type[Both], ...]] = (Both, Lively, Busy)


def soak(steps: int, seed: int, only: str) -> int:
    """Plays so many steps in all, in the houses whose name has `only` in it; 1 where anything differs."""
    houses = {name: house for name, house in ALL.items() if only in name}
    if not houses:
        print(f"no house is called like {only!r}: {', '.join(ALL)}")
        return 1
    played, floors, told_at = 0, 0, time.monotonic()
    for number in count(seed):
        for name, house in houses.items():
            both = KINDS[number % len(KINDS)](house, number)
            wanted = min(STEPS_A_FLOOR, steps - played)
            for step in range(wanted):
                try:
                    both.step()
                except (AssertionError, Difference) as difference:
                    print(f"{name}, {type(both).__name__}, seed {number}, step {step}: {difference}")
                    return 1
                if step % FOLDS_EVERY == 0:
                    both.model.checkpoint()
            played, floors = played + wanted, floors + 1
            if time.monotonic() - told_at > TELLS_EVERY_S:
                told_at = time.monotonic()
                print(f"{played:,} steps on {floors:,} floors, none differs", flush=True)
            if played >= steps:
                print(f"{played:,} steps on {floors:,} floors of {len(houses)} houses: none differs")
                return 0
    return 0
