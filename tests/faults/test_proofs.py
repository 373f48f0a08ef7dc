"""Mutation tests: the simulator finds planted errors of one server."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import apsw
import pytest

from jackpot.bank.sequencer import Sequencer
from jackpot.ledger.sqlite.file import SqliteFile
from jackpot.publish.board import MeterBoard
from jackpot.rules import acts, engine, meter
from jackpot.rules.acts.hits import Validate
from jackpot.rules.engine import Engine
from jackpot.rules.meter import Accounts
from jackpot.rules.outcome import Outcome
from jackpot.rules.paytable import LevelTerms
from jackpot.rules.rounds import awards, recompute
from jackpot.rules.signing import ROLES, People
from tests.faults import proofs
from tests.faults.plan import Fault
from tests.faults.proofs import Plan
from tests.faults.simulation import Failure, shorten

# Rounds within which each bug is found, on one of the seeds.
ROUNDS = 400
SEEDS = (0, 1, 2)


def found(
    *words: str, seeds: Sequence[int] = SEEDS, plan: Plan | None = None, first: int | None = None
) -> Failure:
    return proofs.found(*words, seeds=seeds, rounds=ROUNDS, plan=plan, first=first)


def in_doubt(seed: int) -> list[Fault]:
    """Commits that fail and count nevertheless, and kills: what several tables said is sent again at once."""
    random = Random(f"{seed}/in doubt")
    return [
        Fault(at, kind, random.random()) for at in range(2, ROUNDS, 2) for kind in ("revive_sync", "kill")
    ]


def test_a_wrong_reseed_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A2, A3: the reserve must become part of the next meter."""
    right = meter.take

    def take(accounts: Accounts, terms: LevelTerms, **how: Any) -> int:
        kept = accounts.reserve
        given = right(accounts, terms, **how)
        if how["rate"] == 10_000 and kept:
            accounts.primary, accounts.reserve = accounts.primary - kept, kept
        return given

    monkeypatch.setattr(meter, "take", take)
    found("row", first=0)


def test_a_residue_paid_out_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """M3: the fraction below a cent stays on the meter."""
    monkeypatch.setattr(meter, "MICROS_PER_CENT", 100_000)
    found()


def test_a_void_that_returns_no_contribution_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A11: a void round's wagers are taken out of every level."""
    monkeypatch.setattr(recompute, "drop_bets", lambda *_: None)
    found()


def test_an_answer_before_its_commit_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """S5: the sequencer may not answer what is not durable."""
    right = Sequencer._decide

    def decide(sequencer: Sequencer, item: Any) -> None:
        right(sequencer, item)
        if sequencer.submitted % 50 == 0 and isinstance(item.outcome, Outcome):
            item.release(item.outcome)
            item.release = lambda _outcome: None

    monkeypatch.setattr(Sequencer, "_decide", decide)
    found("before its row")


def test_a_failed_commit_taken_for_good_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """S5: a commit that returned an error is doubt."""
    monkeypatch.setattr(Sequencer, "failed", Sequencer.committed)
    found()


def test_a_meter_shown_before_its_commit_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """S5: no sign or table sees a value that is not durable."""
    right = Sequencer._decide

    def decide(sequencer: Sequencer, item: Any) -> None:
        right(sequencer, item)
        if item.entry is not None:
            sequencer._tell([item], sequencer.engine.seq)

    monkeypatch.setattr(Sequencer, "_decide", decide)
    found("revision")


def test_commits_without_a_sync_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """S5: an acknowledged command outlives the power."""
    right = SqliteFile._connect

    def connect(ledger: SqliteFile, create: int = 0) -> apsw.Connection:
        connection = right(ledger, create)
        connection.pragma("synchronous", "off")
        return connection

    monkeypatch.setattr(SqliteFile, "_connect", connect)
    found()


def test_a_resend_applied_twice_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """WIRE, table commands: a resend is answered as before."""
    monkeypatch.setattr(engine, "ANSWERS_KEPT", 1)
    found(seeds=range(12), plan=in_doubt, first=3)


def test_a_snapshot_that_forgets_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """S3: the state from a snapshot is the state of its row."""
    right = Engine.from_snapshot.__func__  # type: ignore[attr-defined]

    def from_snapshot(cls: type[Engine], data: bytes) -> Engine:
        made: Engine = right(cls, data)
        for table in made.state.tables:
            table.held.clear()
        for link in made.state.links:
            for level in link.levels:
                level.cycle = 1
        return made

    monkeypatch.setattr(Engine, "from_snapshot", classmethod(from_snapshot))
    found()


def test_envy_for_ones_own_hand_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A5: nobody is paid envy for their own hand."""
    right = awards.AwardTally.pay_envy

    def pay_envy(tally: Any, link: Any, ranked: Any, winner: Any, hit: Any) -> Any:
        return right(tally, link, ranked, winner._replace(seat=winner.seat % 7 + 1), hit)

    monkeypatch.setattr(awards.AwardTally, "pay_envy", pay_envy)
    found()


def test_a_role_that_may_too_much_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A10: the floor validates, and nobody else."""
    registry: Any = acts.ACT_OF
    monkeypatch.setitem(registry, Validate, registry[Validate]._replace(power=ROLES))
    found("Validate")


def test_one_who_confirms_their_own_request_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A10: however often they sign, one person is not two."""
    monkeypatch.setattr(People, "count", lambda people: len(people.signed) or len(people.names))
    found(first=2)


def test_a_board_that_goes_back_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """WIRE, meters: a revision never goes back on one connection."""
    right = MeterBoard.push

    def push(board: MeterBoard, outcomes: Any, rev: int) -> None:
        right(board, outcomes, rev if rev % 10 else rev - 5)

    monkeypatch.setattr(MeterBoard, "push", push)
    found()


def test_a_failure_names_its_seed_and_is_shortened(monkeypatch: pytest.MonkeyPatch) -> None:
    """A difference prints the seed, the step and a history with fewer faults than it had."""
    monkeypatch.setattr(Sequencer, "failed", Sequencer.committed)
    failure = found()
    short = shorten(failure, runs=12)
    assert len(short.plan) <= len(failure.plan)
    assert f"--seed {failure.seed} --rounds" in str(short)
    assert short.notes
