"""The servers agree with the model under all faults: some thousand rounds here, more by hand."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from tests.faults import errands, reach
from tests.faults.places import DISKS, SERVERS, Ground
from tests.faults.plan import Fault, plan_of
from tests.faults.simulation import Failure, run, shorten
from tests.nightly import repeated

# Short histories, so that every process of the suite has some. Each run of it has a few, whose plans hold
# every fault together; the night has all.
Run = tuple[Ground, int, int]
ALONE: list[Run] = repeated(
    [(DISKS, seed, 160) for seed in (194, 364, 57)], [(DISKS, seed, 250) for seed in (*range(14), 22)]
)
SEVERAL: list[Run] = repeated(
    [(SERVERS, seed, 100) for seed in (73, 162, 345, 332)],
    [(SERVERS, seed, 160) for seed in (*range(10), 13, 14, 20)],
)
# Of the runs with one kind of fault, which comes every 25 rounds.
SERVED: int = repeated(60, 160)


def name(value: object) -> str | None:
    """Test id of a ground."""
    return type(value).__name__ if value in (DISKS, SERVERS) else None


@pytest.mark.parametrize(("ground", "seed", "rounds"), [*ALONE, *SEVERAL], ids=name)
def test_the_servers_agree_with_the_model_whatever_fails(ground: Ground, seed: int, rounds: int) -> None:
    """M4, S2, S4, S5, A11, T7, DESIGN, lease: every durable step against the model; one server at a time."""
    ended = run(seed, rounds, ground=ground)
    assert not isinstance(ended, Failure), str(shorten(ended))
    assert ended.witness.rounds >= rounds
    assert ended.shared.takings > 1


@pytest.mark.parametrize(
    ("kind", "within_s"),
    [("kill", 5), ("power", 5), ("freeze", 5), ("stop", 1), ("hand_over", 1), ("rolling", 1), ("clock", 0)],
)
def test_a_floor_is_served_again_in_time(monkeypatch: pytest.MonkeyPatch, kind: str, within_s: float) -> None:
    """DESIGN, lease: taken over within 5 s of a death, at once on a graceful stop; a clock has no effect."""
    monkeypatch.setattr(reach, "LONG", 0.0)  # the journal is short, and a look at it as well
    monkeypatch.setattr(errands, "CHANGES", 0.0)  # no server is restarted for new terms while one hands over
    random = Random(kind)
    plan = [Fault(at, kind, random.random()) for at in range(10, SERVED, 25)]
    ended = run(1, SERVED, plan, ground=SERVERS)
    assert not isinstance(ended, Failure), str(ended)
    assert ended.longest_absence <= within_s


@pytest.mark.parametrize(("runs", "times"), [(ALONE, repeated(2, 4)), (SEVERAL, 1)])
def test_every_fault_comes_about(runs: list[Run], times: int) -> None:
    """S4, S5: the plans of the suite hold each kind of fault so many times at least."""
    planned: Counter[str] = Counter()
    for ground, seed, rounds in runs:
        planned += Counter(fault.kind for fault in plan_of(seed, rounds, ground))
    assert planned.keys() == runs[0][0].weights.keys()
    assert min(planned.values()) >= times


@pytest.mark.parametrize(("ground", "rounds"), [(DISKS, 60), (SERVERS, 40)], ids=name)
def test_a_seed_is_a_history(ground: Ground, rounds: int) -> None:
    """S5: the same seed gives the same history, so that a difference can be looked at again."""
    first, second = run(3, rounds, ground=ground), run(3, rounds, ground=ground)
    assert not isinstance(first, Failure)
    assert not isinstance(second, Failure)
    assert list(first.notes) == list(second.notes)
