"""The fault simulator: one seeded run of the real parts in a simulated world.

    python -m tests.faults --seed 7 --rounds 5000
    python -m tests.faults --postgres --seed 7 --rounds 5000
    python -m tests.faults --servers --seed 7 --rounds 5000

Real: whole servers and signage processes, each on a loop of its own; device sessions on both sides; the
ledger. False: time, every network, SQLite's disk, Redis, cards, people. Of several servers also the backends
of their database are false (`shared`). At every step an independent model says what must have happened
(`witness`).
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Final

from tests.faults.difference import Difference
from tests.faults.places import DISKS, Ground
from tests.faults.plan import Fault, plan_of
from tests.faults.play import WRONG
from tests.faults.repeat import repeatable
from tests.faults.servers import Simulation

# Runs that shortening may take.
SHRINKS: Final = 40


@dataclass(frozen=True)
class Failure:
    """A failed run: what went wrong, and how to reproduce it."""

    seed: int
    rounds: int
    plan: tuple[Fault, ...]
    at_round: int
    at_row: int
    reason: str
    notes: tuple[str, ...]
    ground: Ground
    racing: int

    def __str__(self) -> str:
        faults = " ".join(map(str, self.plan)) or "none"
        again = f"python -m tests.faults {self.ground.option} --seed {self.seed} --rounds {self.rounds}"
        return "\n".join(
            [
                f"seed {self.seed}, round {self.at_round}, row {self.at_row}: {self.reason}",
                f"again: {' '.join(again.split())}" + (" (perhaps: it held a race)" if self.racing else ""),
                f"faults left after shortening: {faults}",
                "the last of its history:",
                *(f"  {note[:400]}" for note in self.notes),
            ]
        )


def run(
    seed: int,
    rounds: int,
    plan: list[Fault] | None = None,
    progress: Callable[[int], None] = lambda _rounds: None,
    ground: Ground = DISKS,
    watch: Callable[[Simulation], AbstractContextManager[None]] = lambda _play: nullcontext(),
) -> Failure | Simulation:
    """Plays one run, in a place of its own; a failure is returned, not raised. watch: while it is played."""
    faults = plan_of(seed, rounds, ground) if plan is None else plan
    with repeatable(seed) as (folder, source):
        play = Simulation(seed, rounds, faults, folder, ground, source)
        try:
            with watch(play):
                play.run(progress)
        except WRONG as error:
            witness = play.witness
            happened = tuple(fault for fault in faults if fault.round <= witness.rounds)
            reason = f"{type(error).__name__}: {error}"
            if not isinstance(error, Difference):
                reason += "\n" + "".join(traceback.format_exception(error)[-4:])
            return Failure(
                seed,
                rounds,
                happened,
                witness.rounds,
                witness.seq,
                reason,
                tuple(play.notes),
                ground,
                play.place.racing,
            )
        finally:
            play.close()
        return play


def shorten(failure: Failure, runs: int = SHRINKS) -> Failure:
    """The same seed failing sooner and with fewer faults, as far as a few tries go."""
    best = failure
    size = max(1, len(best.plan) // 2)
    while runs > 0 and best.plan:
        for start in range(0, len(best.plan), size):
            fewer = [*best.plan[:start], *best.plan[start + size :]]
            runs -= 1
            again = run(best.seed, best.at_round + 20, fewer, ground=best.ground)
            if isinstance(again, Failure):
                best = replace(again, rounds=again.at_round + 1)
                break
            if runs <= 0:
                break
        else:
            if size == 1:
                break
            size //= 2
    return best
