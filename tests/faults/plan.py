"""Fault schedules: made from a seed before the run, so that a failing run can be tried with fewer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Final, Protocol

# Rounds between two faults, on the average: long enough to get going again, most of the time.
EVERY_ROUNDS: Final = 10
# How often a fault is followed at once by another that makes it worse.
WORSE: Final = 0.25
# And by one that comes while the first is being put right.
LATER: Final = 0.4


class Kinds(Protocol):
    """The kinds of faults. option: for the command line. weights: of faults. worse: those that follow one.

    later_s: within so many seconds another may follow, whether or not anything is played; 0 for never.
    """

    option: str
    weights: Mapping[str, int]
    worse: tuple[str, ...]
    later_s: float


@dataclass(frozen=True)
class Fault:
    """A planned fault: after `round` rounds and `after` seconds. more: decides target, size and duration."""

    round: int
    kind: str
    more: float
    after: float = 0.0

    def __str__(self) -> str:
        return f"{self.kind}@{self.round}" + (f"+{self.after:.1f}s" if self.after else "")


def plan_of(seed: int, rounds: int, ground: Kinds) -> list[Fault]:
    """The faults of a run."""
    random = Random(f"{seed}/plan")
    kinds, weights = list(ground.weights), list(ground.weights.values())
    faults: list[Fault] = []
    at = random.randint(1, EVERY_ROUNDS)
    while at < rounds:
        kind = random.choices(kinds, weights)[0]
        faults.append(Fault(at, kind, random.random()))
        if kind not in ("kill", "power") and random.random() < WORSE:
            faults.append(Fault(at, random.choice(ground.worse), random.random()))
        if ground.later_s and random.random() < LATER:
            after = ground.later_s * random.random()
            faults.append(Fault(at, random.choice(ground.worse), random.random(), after))
        at += random.randint(1, 2 * EVERY_ROUNDS)
    return faults
