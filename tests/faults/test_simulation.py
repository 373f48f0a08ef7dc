"""Does everything hold together when everything fails? 5,000 simulated rounds here, more by hand."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.faults.places import DISKS
from tests.faults.plan import plan_of
from tests.faults.simulation import Failure, run, shorten

# Short histories, so that every process of the suite has some: together 5,000 rounds.
ROUNDS = 250
SEEDS = range(20)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_server_agrees_with_the_model_whatever_fails(seed: int) -> None:
    """M4, S2, S5, A11, T7: every durable step against the independent model, under crashes and faults."""
    ended = run(seed, ROUNDS)
    assert not isinstance(ended, Failure), str(shorten(ended))
    assert ended.witness.rounds >= ROUNDS


def test_every_fault_comes_about() -> None:
    """S4, S5: the plans of the suite hold each kind of fault several times."""
    planned = Counter(fault.kind for seed in SEEDS for fault in plan_of(seed, ROUNDS, DISKS))
    assert planned.keys() == DISKS.weights.keys()
    assert min(planned.values()) > 3


def test_a_seed_is_a_history() -> None:
    """S5: the same seed gives the same rows, so that a difference can be looked at again."""
    first, second = run(3, 60), run(3, 60)
    assert not isinstance(first, Failure)
    assert not isinstance(second, Failure)
    assert list(first.notes) == list(second.notes)
