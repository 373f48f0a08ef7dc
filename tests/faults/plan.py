"""Which faults come when? A plan from a seed, made before the run: a failing run can be tried with fewer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Final, Protocol

# Rounds between two faults, on the average: long enough to get going again, most of the time.
EVERY_ROUNDS: Final = 10
# How often a fault is followed at once by another that makes it worse.
WORSE: Final = 0.25


class Kinds(Protocol):
    """What may go wrong. option: for the command line. weights: of faults. worse: those that follow one."""

    option: str
    weights: Mapping[str, int]
    worse: tuple[str, ...]


@dataclass(frozen=True)
class Fault:
    """round: after so many rounds. more: decides of what, how much, how long."""

    round: int
    kind: str
    more: float

    def __str__(self) -> str:
        return f"{self.kind}@{self.round}"


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
        at += random.randint(1, 2 * EVERY_ROUNDS)
    return faults
