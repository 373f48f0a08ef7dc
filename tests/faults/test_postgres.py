"""The server agrees with the model on a PostgreSQL whose calls fail, and planted bugs are found."""

from __future__ import annotations

import contextlib
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from jackpot.bank.recovery import Recovery
from jackpot.lab.testing.postgres import EnginesMissing, Postgres, binaries
from jackpot.ledger.connect import FAILURES
from jackpot.ledger.journal import Head
from jackpot.ledger.postgres import store as postgres
from jackpot.ledger.postgres.lease import Leases
from jackpot.ledger.postgres.store import PostgresStore
from jackpot.ledger.reading import Differences, Reader
from jackpot.ledger.store import CommitInDoubt
from jackpot.rules.engine import Engine
from tests.faults import proofs
from tests.faults.clusters import Clusters
from tests.faults.plan import Fault, plan_of
from tests.faults.repeat import SHARED_MEMORY
from tests.faults.simulation import Failure, run, shorten
from tests.nightly import repeated

ROUNDS = 300
SEEDS = repeated((185,), (1, 2, 3, 11, 185))  # whose plans have every fault
# Rounds within which each bug is found, on one of the seeds.
FOUND_IN = 250
FOUND_ON = (0, 1, 2)
# Rounds of a history in which every fourth COMMIT comes late.
LATE_ROUNDS = repeated(100, FOUND_IN)
# What the server does then is the server's, not the seed's.
RACES = ("race", "crash")

# A fence that lets everybody pass, as if the head were not looked at.
_OPEN_FENCE = """
    CREATE OR REPLACE FUNCTION fence(
        of_bank integer, in_epoch bigint, seq_before bigint, new_seq bigint, new_hash bytea,
        postings bigint, hits bigint, synchronous boolean
    ) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        UPDATE head SET seq = new_seq, hash = new_hash WHERE bank = of_bank;
    END $$
"""


@pytest.fixture(scope="module")
def clusters() -> Iterator[Clusters]:
    """A cluster that the simulator may kill, quick where there is a file system in memory."""
    try:
        binaries()
    except EnginesMissing as missing:
        pytest.skip(str(missing))
    quick = SHARED_MEMORY if SHARED_MEMORY.is_dir() else None
    with Postgres(Path(tempfile.mkdtemp(prefix="faults-", dir=quick))) as cluster:
        yield Clusters(cluster)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_server_agrees_with_the_model_whatever_fails(clusters: Clusters, seed: int) -> None:
    """M4, S2, S5, A11, T7, DESIGN 4: every durable step against the model, whichever call fails, and how."""
    ended = run(seed, ROUNDS, ground=clusters)
    assert not isinstance(ended, Failure), str(shorten(ended))
    assert ended.witness.rounds >= ROUNDS


def test_every_fault_comes_about() -> None:
    """S5: the plans of the suite hold each kind of fault."""
    planned = Counter(fault.kind for seed in SEEDS for fault in plan_of(seed, ROUNDS, Clusters))  # type: ignore[arg-type]
    assert planned.keys() == Clusters.weights.keys()


def test_a_seed_is_a_history(clusters: Clusters) -> None:
    """S5: where no race is in the plan, the same seed gives the same rows and the same notes."""
    plan = [fault for fault in plan_of(5, 80, clusters) if fault.kind not in RACES]
    first, second = run(5, 80, plan, ground=clusters), run(5, 80, plan, ground=clusters)
    assert not isinstance(first, Failure)
    assert not isinstance(second, Failure)
    assert list(first.notes) == list(second.notes)
    assert first.injected


# Nothing but COMMITs that lie in a buffer for a while, some of a process that is dead by then.
LATE = [Fault(at, "die" if at % 3 == 0 else "late", 0.9) for at in range(4, FOUND_IN, 4)]


def found(clusters: Clusters, *words: str, plan: list[Fault] | None = None, first: int | None = None) -> None:
    """The first of these seeds that fails says one of the words."""
    chosen = None if plan is None else lambda _seed: plan
    failure = proofs.found(*words, seeds=FOUND_ON, rounds=FOUND_IN, plan=chosen, ground=clusters, first=first)
    assert "--postgres" in str(failure)


def test_commits_that_come_late_do_no_harm(clusters: Clusters) -> None:
    """DESIGN 4: carried out in time and found, or fenced, whichever process has the bank by then."""
    ended = run(6, LATE_ROUNDS, LATE, ground=clusters)
    assert not isinstance(ended, Failure), str(ended)
    assert ended.witness.rounds >= LATE_ROUNDS


def test_a_fence_that_checks_nothing_is_found(clusters: Clusters, monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN 4: a COMMIT from an old connection must not move the head, even if that could not be ended."""

    def schema(_ledger: Reader) -> Differences:
        """Skips the schema check, without which the server would not start."""
        return Differences([], [])

    monkeypatch.setattr(clusters, "spoiled", _OPEN_FENCE)
    monkeypatch.setattr(Reader, "schema", schema)
    # The last two: such a COMMIT has written a row of an epoch that was over, or one that the server who has
    # the bank by then knows nothing of.
    seen = (
        "is fenced though it has the bank",
        "there are rows after the head",
        "was written in epoch",
        "the state keeps no answer",
    )
    found(clusters, *seen, plan=LATE, first=1)


def test_an_old_connection_left_alone_is_found(clusters: Clusters, monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN 4: a process that takes a bank first ends what may still write to it."""

    async def end_nothing(*_: Any) -> None:
        """Ends no old backend: only the fence is left."""

    monkeypatch.setattr(Leases, "_end_backends", end_nothing)
    found(clusters, "may still write to it", first=0)


def test_a_doubtful_batch_believed_too_early_is_found(
    clusters: Clusters, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN 4: what was not there before the new epoch may be there after it."""

    async def again(recovery: Any) -> tuple[Engine, Head]:
        await recovery._store.recover()
        engine, head = await recovery._store.run(recovery._read)
        return engine, msgspec.structs.replace(head, epoch=await recovery.take())

    monkeypatch.setattr(Recovery, "again", again)
    found(clusters, plan=LATE)


def test_a_failed_commit_called_a_success_is_found(
    clusters: Clusters, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S5: a COMMIT that raised is doubt, whatever it raised."""
    right = PostgresStore._append

    async def append(store: PostgresStore, *what: Any) -> None:
        with contextlib.suppress(CommitInDoubt):
            await right(store, *what)

    monkeypatch.setattr(PostgresStore, "_append", append)
    found(clusters, "lost", first=1)


def test_a_full_disk_taken_for_bad_data_is_found(clusters: Clusters, monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN 4: only what the database says of the data itself is the command's fault."""
    monkeypatch.setattr(postgres, "REFUSALS", FAILURES)
    found(clusters, "internal: ", first=0)
