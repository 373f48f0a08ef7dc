"""Mysteries in the fault simulator: servers that fail at every step between draw, commitment and opening."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.faults.house import MYSTERIES, MYSTERIES_FROM
from tests.faults.places import DISKS, SERVERS, Ground
from tests.faults.simulation import Failure, run, shorten
from tests.faults.steps import NO_STEPS, STEPS, first_lines, killed_at
from tests.nightly import repeated

FIRST = MYSTERIES_FROM - MYSTERIES_FROM % len(MYSTERIES)
ALONE = repeated([FIRST, FIRST + 1], range(FIRST, FIRST + 16))
SEVERAL = repeated([FIRST + 1], range(FIRST, FIRST + 8))
RUNS = [*((DISKS, seed, repeated(160, 400)) for seed in ALONE), *((SERVERS, seed, 120) for seed in SEVERAL)]


@pytest.mark.parametrize(("ground", "seed", "rounds"), RUNS, ids=str)
def test_mysteries_next_to_cards_and_offers(ground: Ground, seed: int, rounds: int) -> None:
    """Y1-Y4, Y6-Y8, Y11, Y12, P6, M4: never two winners, none at the maximum, or a draw for nothing.

    Every opened commitment is what was drawn for it; the books balance, and verify passes.
    """
    ended = run(seed, rounds, ground=ground)
    assert not isinstance(ended, Failure), str(shorten(ended))
    assert ended.witness.kinds["TriggersRenewed"] > 2
    won = [hit for hit in ended.witness.history.hits.values() if hit.facts.get("hand") == "mystery"]
    assert len(won) > rounds // 10


@pytest.mark.parametrize(("ground", "seed"), [(DISKS, FIRST), (DISKS, FIRST + 1), (SERVERS, FIRST)], ids=str)
def test_a_process_dies_at_every_step(ground: Ground, seed: int) -> None:
    """Y8, Y12, S5: before each step on the way; another process goes on, and nothing is lost or doubled."""
    ended, tracer = killed_at(seed, repeated(200, 400), first_lines(), ground)
    assert not isinstance(ended, Failure), str(ended)
    assert not tracer.left, "nobody died here"


def test_every_step_has_its_name() -> None:
    """Y8, Y12: a function of mysteries that runs, and is no step at which a process dies, is found."""
    others: set[str] = set()
    seen: Counter[str] = Counter()
    for seed in (FIRST, FIRST + 1):
        ended, tracer = killed_at(seed, 80, (), DISKS)
        assert not isinstance(ended, Failure), str(ended)
        others |= tracer.others
        seen += Counter(step for step, _ in tracer.seen.elements())
    assert others == NO_STEPS
    assert seen.keys() == STEPS.keys()
