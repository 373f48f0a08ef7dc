"""Which faults come when? A plan from a seed, made before the run: a failing run can be tried with fewer."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final

# Rounds between two faults, on the average: long enough to get going again, most of the time.
EVERY_ROUNDS: Final = 10
# How often a fault is followed at once by the end of the process.
WORSE: Final = 0.25

WEIGHTS: Final[dict[str, int]] = {
    "kill": 6,
    "power": 6,
    "fail_sync": 4,
    "revive_sync": 4,
    "fail_write": 3,
    "fail_read": 2,
    "full": 3,
    "down": 2,
    "write_back": 4,
    "cut": 6,
    "half_open": 4,
    "abandon": 3,
    "restart": 5,
    "amnesia": 3,
    "storm": 3,
    "clock": 2,
    "poison": 2,
}


@dataclass(frozen=True)
class Fault:
    """round: after so many rounds. kind: one of WEIGHTS. more: decides which one, how much, how long."""

    round: int
    kind: str
    more: float

    def __str__(self) -> str:
        return f"{self.kind}@{self.round}"


def plan_of(seed: int, rounds: int) -> list[Fault]:
    """The faults of a run."""
    random = Random(f"{seed}/plan")
    kinds, weights = list(WEIGHTS), list(WEIGHTS.values())
    faults: list[Fault] = []
    at = random.randint(1, EVERY_ROUNDS)
    while at < rounds:
        kind = random.choices(kinds, weights)[0]
        faults.append(Fault(at, kind, random.random()))
        if kind not in ("kill", "power") and random.random() < WORSE:
            faults.append(Fault(at, random.choice(["kill", "power"]), random.random()))
        at += random.randint(1, 2 * EVERY_ROUNDS)
    return faults
