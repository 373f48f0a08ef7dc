"""Does everything hold together among several servers? 1,600 simulated rounds here, more by hand."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from tests.faults import reach
from tests.faults.places import SERVERS
from tests.faults.plan import Fault, plan_of
from tests.faults.simulation import Failure, run, shorten

# Short histories, so that every process of the suite has some.
ROUNDS = 160
SEEDS = range(10)


@pytest.mark.parametrize("seed", SEEDS)
def test_several_servers_agree_with_the_model_whatever_fails(seed: int) -> None:
    """DESIGN, lease; S4, S5: one server at a time, every durable step once, no sign ever an older value."""
    ended = run(seed, ROUNDS, ground=SERVERS)
    assert not isinstance(ended, Failure), str(shorten(ended))
    assert ended.witness.rounds >= ROUNDS
    assert ended.shared.takings > 1


@pytest.mark.parametrize(
    ("kind", "within_s"),
    [("kill", 5), ("power", 5), ("freeze", 5), ("stop", 1), ("hand_over", 1), ("rolling", 1), ("clock", 0)],
)
def test_a_floor_is_served_again_in_time(monkeypatch: pytest.MonkeyPatch, kind: str, within_s: float) -> None:
    """DESIGN, lease: taken over within 5 s of a death, at once on a graceful stop; a clock has no effect."""
    monkeypatch.setattr(reach, "LONG", 0.0)  # the journal is short, and a look at it as well
    random = Random(kind)
    plan = [Fault(at, kind, random.random()) for at in range(10, ROUNDS, 25)]
    ended = run(1, ROUNDS, plan, ground=SERVERS)
    assert not isinstance(ended, Failure), str(ended)
    assert ended.longest_absence <= within_s


def test_every_fault_of_several_servers_comes_about() -> None:
    """S4: the plans of the suite hold each kind of fault."""
    planned = Counter(fault.kind for seed in SEEDS for fault in plan_of(seed, ROUNDS, SERVERS))
    assert planned.keys() == SERVERS.weights.keys()


def test_a_seed_is_a_history_of_all_servers() -> None:
    """S5: the same seed gives the same history, so that a difference can be looked at again."""
    first, second = run(3, 40, ground=SERVERS), run(3, 40, ground=SERVERS)
    assert not isinstance(first, Failure)
    assert not isinstance(second, Failure)
    assert list(first.notes) == list(second.notes)
