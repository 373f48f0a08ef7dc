"""Mysteries in the fault simulator: servers that fail at every step between draw, commitment and opening."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from jackpot.bank.bank import Bank
from jackpot.bank.draws import RepeatedChance
from jackpot.bank.running_triggers import RunningTriggers
from jackpot.rules.rounds import claims, mystery
from tests.faults import proofs
from tests.faults.house import MYSTERIES, MYSTERIES_FROM
from tests.faults.places import DISKS, SERVERS, Ground
from tests.faults.plan import Fault
from tests.faults.simulation import Failure, run, shorten
from tests.faults.steps import NO_STEPS, SELDOM, STEPS, code_of, first_lines, killed_at
from tests.nightly import repeated

# The first house has committed mysteries alone, the second both forms.
FIRST = MYSTERIES_FROM - MYSTERIES_FROM % len(MYSTERIES)
SEEDS = (FIRST, FIRST + 1)
RUNS: list[tuple[Ground, int, int]] = repeated(
    [(DISKS, FIRST, 60), (DISKS, FIRST + 1, 60), (SERVERS, FIRST + 1, 40)],
    [
        *((DISKS, seed, 250) for seed in range(FIRST, FIRST + 12)),
        *((SERVERS, seed, 160) for seed in range(FIRST, FIRST + 6)),
    ],
)


@pytest.mark.parametrize(("ground", "seed", "rounds"), RUNS)
def test_mysteries_next_to_cards_and_offers(ground: Ground, seed: int, rounds: int) -> None:
    """Y1-Y4, Y6-Y8, Y11, Y12, P6, M4: never two winners, none at the maximum, or a draw for nothing.

    Every opened commitment is what was drawn for it; the books balance, and verify passes.
    """
    ended = run(seed, rounds, ground=ground)
    assert not isinstance(ended, Failure), str(shorten(ended))
    assert ended.witness.kinds["TriggersRenewed"] > 0
    won = [hit for hit in ended.witness.history.hits.values() if hit.facts.get("hand") == "mystery"]
    assert len(won) > rounds // 10


@pytest.mark.parametrize("ground", repeated([DISKS], [DISKS, SERVERS]))
def test_a_process_dies_at_every_step(ground: Ground) -> None:
    """Y8, Y12, S5: at the beginning of each; another goes on, and nothing is lost, doubled or drawn again.

    A function of mysteries that runs, and that nobody has named, is found.
    """
    left = {line for line in first_lines() if line[0] not in SELDOM}
    for seed in SEEDS:
        ended, tracer = killed_at(seed, 150, left, ground)
        assert not isinstance(ended, Failure), str(ended)
        assert tracer.others <= NO_STEPS
        left = tracer.left
    assert not left, "nobody died there"


def test_steps_are_functions_that_are_named_once() -> None:
    """Y8, Y12: what is a step is nothing else."""
    assert not STEPS.keys() & NO_STEPS
    assert all(map(code_of, STEPS))


def found(*words: str, plan: Callable[[int], list[Fault]] = lambda _seed: []) -> None:
    proofs.found(*words, seeds=SEEDS, rounds=100, plan=plan)


def test_a_win_before_its_witness_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Y8: nobody is told of a commitment that the witness lacks."""

    async def publish(_bank: Bank, _kept: object) -> None:
        """Forgets the witness."""

    monkeypatch.setattr(Bank, "_publish", publish)
    found("is told before")


def test_a_second_draw_after_a_doubt_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Y2, A7: who makes a commit fail gets no other number."""
    right = RepeatedChance.begin

    def begin(chance: RepeatedChance, drawn: Any) -> None:
        drawn.clear()
        right(chance, drawn)

    monkeypatch.setattr(RepeatedChance, "begin", begin)
    found("first", plan=lambda _: [Fault(at, "fail_sync", 0.5) for at in range(2, 100, 2)])


@pytest.mark.parametrize("off", [-200_000, 200_000])
def test_a_wager_that_wins_too_late_or_too_early_is_found(monkeypatch: pytest.MonkeyPatch, off: int) -> None:
    """Y2: the first that reaches the trigger wins, and no other."""
    right = RunningTriggers.crossed

    def crossed(triggers: RunningTriggers, committed: bytes, meter: int) -> bool:
        return right(triggers, committed, meter + off)

    monkeypatch.setattr(RunningTriggers, "crossed", crossed)
    monkeypatch.setattr(mystery, "invariant", lambda *_: None)
    found()


def test_an_opening_with_other_bytes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Y12: a commitment is opened with what was drawn for it."""
    right = mystery.opening

    def opening(*facts: Any) -> Any:
        opened = right(*facts)
        return type(opened)(bytes(32), opened.value, opened.raw, opened.above, opened.upto)

    monkeypatch.setattr(mystery, "opening", opening)
    found("opened with something else")


def test_a_round_that_ends_without_an_answer_for_a_seat_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """P6: a floorperson answers before the round is closed."""
    monkeypatch.setattr(claims, "check_answered", lambda *_: None)
    proofs.found(seeds=range(FIRST + 2, FIRST + 6), rounds=100, first=FIRST + 3)
