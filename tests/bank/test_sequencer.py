"""The sequencer keeps order, and each answer behind its commit, whatever the ledger does."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jackpot.bank.sequencer import BATCH_COMMANDS_MAX, Sequencer
from jackpot.ledger.journal import chained, genesis
from jackpot.rules.invariant import InvariantError
from tests.bank.counting_engine import BANK, POISON_ENGINE, POISON_LEDGER, QUIET, SEAL, Adder, Bench, named


def names(bench: Bench) -> list[str]:
    return [name for name, _ in bench.released]


def test_nothing_is_answered_before_its_commit() -> None:
    """S5: a decided command's answer waits for its batch, and the next one is decided meanwhile."""
    bench = Bench()
    bench.submit("a")
    batch = bench.sequencer.take_batch()
    assert batch is not None
    bench.submit("b")
    assert bench.sequencer.engine.seq == 2
    assert bench.released == []
    assert bench.sequencer.take_batch() is None
    bench.commit(batch)
    assert bench.released == [("a", ["a"])]
    assert bench.told == [(1, 1)]


def test_an_answer_without_an_entry_waits_for_what_it_was_decided_on() -> None:
    """S5: a resend's answer or a refusal speaks of undurable state and leaves with that state."""
    bench = Bench()
    bench.submit("a")
    bench.submit(QUIET)
    assert bench.released == []
    bench.flush()
    assert names(bench) == ["a", QUIET]


def test_an_answer_without_an_entry_leaves_at_once_where_nothing_is_pending() -> None:
    """DESIGN 2: nobody waits for a commit that nothing asks for."""
    bench = Bench()
    bench.submit(QUIET)
    assert names(bench) == [QUIET]
    assert bench.sequencer.take_batch() is None


def test_a_question_sees_the_order_it_was_asked_in() -> None:
    """S5: a page reads the state at its place in the order and sees it once that is durable."""
    bench, seen = Bench(), list[Any]()
    bench.submit("a")
    bench.sequencer.submit(lambda engine: engine.seq, seen.append)
    bench.submit("b")
    assert seen == []
    bench.flush()
    assert seen == [1]


def test_batches_are_bounded_and_chained() -> None:
    """DESIGN 2: at most 256 commands a transaction; the hash chain runs through them."""
    bench = Bench()
    for number in range(BATCH_COMMANDS_MAX + 10):
        bench.submit(str(number))
    first = bench.sequencer.take_batch()
    assert first is not None
    assert len(first.rows) == BATCH_COMMANDS_MAX
    bench.commit(first)
    bench.flush()
    previous = genesis(BANK)
    for row in bench.ledger.rows:
        assert row.hash == chained(previous, row)
        previous = row.hash
    assert len(bench.released) == BATCH_COMMANDS_MAX + 10


def test_a_batch_is_bounded_in_bytes() -> None:
    """DESIGN 2: at most 256 KiB a transaction, but always one command."""
    bench = Bench()
    for number in range(3):
        bench.submit(str(number) + "x" * 200_000)
    assert bench.flush() == 3


def test_doubt_decides_again_in_order_of_arrival() -> None:
    """DESIGN 4: in doubt nothing is decided or answered; afterwards all is, in order of arrival."""
    bench = Bench()
    for name in "ab":
        bench.submit(name)
    assert bench.sequencer.take_batch() is not None
    bench.submit("c")
    bench.sequencer.failed()
    bench.submit("d")
    assert bench.sequencer.broken
    assert bench.sequencer.take_batch() is None
    bench.ledger.epoch = 2
    bench.sequencer.rebuilt(bench.ledger.engine(), bench.ledger.head())
    bench.flush()
    assert names(bench) == ["a", "b", "c", "d"]
    assert {row.epoch for row in bench.ledger.rows} == {2}


def test_a_doubtful_commit_that_survived_is_answered_as_decided() -> None:
    """DESIGN 4: the ledger holds the whole doubtful batch, so its own answers and pushes leave."""
    bench = Bench()
    bench.submit("a")
    batch = bench.sequencer.take_batch()
    assert batch is not None
    bench.submit("b")
    bench.sequencer.failed()
    bench.ledger.append(batch.before, batch.rows)
    bench.sequencer.rebuilt(bench.ledger.engine(), bench.ledger.head())
    assert names(bench) == ["a"]
    bench.flush()
    assert names(bench) == ["a", "b"]
    assert [row.body for row in bench.ledger.rows] == [b"a", b"b"]


def test_a_row_of_another_writer_is_not_taken_for_the_doubtful_one() -> None:
    """DESIGN 4: a batch survived where its own hash stands at the head; as many rows are not enough."""
    bench = Bench()
    bench.submit("a")
    assert bench.sequencer.take_batch() is not None
    bench.sequencer.failed()
    other = Bench()
    other.submit("z")
    other.flush()
    bench.ledger.rows += other.ledger.rows
    bench.sequencer.rebuilt(bench.ledger.engine(), bench.ledger.head())
    assert names(bench) == []
    bench.flush()
    assert bench.released == [("a", ["z", "a"])]


def test_refused_data_is_refused_alone() -> None:
    """DESIGN 4: the culprit alone becomes `internal`; what came before and after is done."""
    bench = Bench()
    for name in ("a", "b", POISON_LEDGER, "c", "d"):
        bench.submit(name)
    bench.flush()
    assert names(bench) == ["a", "b", f"internal {POISON_LEDGER}", "c", "d"]


def test_a_ledger_that_refuses_even_the_refusal_is_an_error() -> None:
    """DESIGN 4: no loop without end where no row can be written."""
    bench = Bench()
    bench.submit("a")
    bench.sequencer.take_batch()
    bench.sequencer.refused()
    bench.sequencer.rebuilt(bench.ledger.engine(), bench.ledger.head())
    bench.sequencer.take_batch()
    with pytest.raises(InvariantError):
        bench.sequencer.refused()


def test_an_engine_that_breaks_is_rebuilt_and_the_culprit_refused() -> None:
    """DESIGN 4: no message is a remote off switch; the batch in flight is not disturbed."""
    bench = Bench()
    bench.submit("a")
    batch = bench.sequencer.take_batch()
    assert batch is not None
    bench.submit("b")
    bench.submit(POISON_ENGINE)
    bench.submit("c")
    broken = [bench.sequencer.broken]
    bench.commit(batch)
    broken.append(bench.sequencer.broken)
    assert broken == [False, True], "what is being flushed is not disturbed"
    bench.flush()
    assert names(bench) == ["a", "b", f"internal {POISON_ENGINE}", "c"]


def test_a_callback_that_submits_again_stays_in_order() -> None:
    """WIRE: a table's answers come in its order, also where one answer makes room for the next frame."""
    bench = Bench()

    def release_and_go_on(outcome: Any) -> None:
        bench.release(outcome)
        bench.submit(QUIET)

    bench.sequencer.submit(named("a"), release_and_go_on)
    bench.submit("b")
    bench.flush()
    assert names(bench) == ["a", "b", QUIET]


def test_a_snapshot_is_sealed_by_the_row_after_it() -> None:
    """S3: a seal ends its batch, and its snapshot names the row before it, however far the engine has run."""
    bench = Bench(snapshot_every=3)
    for number in range(5):
        bench.submit(str(number))
    batch = bench.sequencer.take_batch()
    assert batch is not None
    assert batch.snapshot is not None
    assert [row.body.decode() for row in batch.rows] == ["0", "1", "2", SEAL]
    assert (batch.snapshot.seq, batch.snapshot.hash) == (3, batch.rows[2].hash)
    assert batch.snapshot.state == Adder(["0", "1", "2"]).snapshot()
    bench.commit(batch)
    bench.flush()
    assert names(bench) == ["0", "1", "2", "3", "4"]


def test_a_seal_in_a_batch_of_its_own_names_the_row_before() -> None:
    """S3: also where the batch was full with the row that made it due."""
    bench = Bench(snapshot_every=BATCH_COMMANDS_MAX)
    for number in range(BATCH_COMMANDS_MAX):
        bench.submit(str(number))
    first = bench.sequencer.take_batch()
    assert first is not None
    assert (len(first.rows), first.snapshot) == (BATCH_COMMANDS_MAX, None)
    bench.commit(first)
    second = bench.sequencer.take_batch()
    assert second is not None
    assert second.snapshot is not None
    assert [row.body.decode() for row in second.rows] == [SEAL]
    assert (second.snapshot.seq, second.snapshot.hash) == (BATCH_COMMANDS_MAX, first.rows[-1].hash)


def test_rows_without_a_seal_are_counted_across_starts_and_doubts() -> None:
    """Takeover within seconds: however often a bank changes hands, a start replays no more rows."""
    bench = Bench(snapshot_every=3)
    bench.submit("0")
    bench.flush()
    bench.sequencer.failed()
    bench.submit("1")
    bench.flush()
    later = Sequencer(bench.ledger.engine(), bench.ledger.head(), snapshot_every=3)
    for sequencer in (bench.sequencer, later):
        sequencer.submit(named("2"), lambda _outcome: None)
        batch = sequencer.take_batch()
        assert batch is not None
        assert batch.snapshot is not None
        assert batch.snapshot.seq == 3


def test_a_seal_that_was_not_written_is_made_again_with_the_next_row() -> None:
    """S3: in doubt a seal waits for nobody; what waits is decided again, and sealed as it then is."""
    bench = Bench(snapshot_every=2)
    bench.submit("0")
    bench.submit("1")
    assert bench.sequencer.take_batch() is not None
    bench.sequencer.failed()
    assert bench.sequencer.depth == 3
    bench.sequencer.rebuilt(bench.ledger.engine(), bench.ledger.head())
    bench.flush()
    assert [row.body.decode() for row in bench.ledger.rows] == ["0", "1", SEAL]


def test_a_ledger_that_refuses_a_seal_takes_no_row() -> None:
    """S3: there is nothing in it that anybody sent, so nobody else's command is to blame."""
    bench = Bench(snapshot_every=1)
    bench.submit("0")
    for expected in (2, 1):
        batch = bench.sequencer.take_batch()
        assert batch is not None
        assert len(batch.rows) == expected
        if expected == 2:
            bench.sequencer.refused()
            bench.sequencer.rebuilt(bench.ledger.engine(), bench.ledger.head())
        else:
            bench.commit(batch)
    batch = bench.sequencer.take_batch()
    assert batch is not None
    assert [row.body.decode() for row in batch.rows] == [SEAL]
    with pytest.raises(InvariantError, match="refused a seal"):
        bench.sequencer.refused()


STEP = st.one_of(
    st.tuples(st.just("submit"), st.sampled_from(["x", "x", "x", QUIET, POISON_ENGINE, POISON_LEDGER])),
    st.tuples(st.sampled_from(["take", "commit", "fail", "fail but written", "rebuild"]), st.just("")),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(STEP, min_size=12, max_size=60), st.sampled_from([3, 10_000]), st.booleans())
def test_every_command_is_answered_once_in_order_and_only_when_durable(
    steps: list[tuple[str, str]], snapshot_every: int, epochs: bool
) -> None:
    """S5, DESIGN 2-4: under any mixture of commits, doubts, revivals, refusals and breaks.

    All that waits somewhere is counted, with seals and what begins an epoch: the bank is full by that.
    """
    bench, sent = Bench(snapshot_every), list[str]()
    first = named("first") if epochs else None
    if first is not None:
        bench.sequencer.begin(first)
    batch: Any = None
    for number, (step, kind) in enumerate(steps):
        if step == "submit":
            sent.append(kind if kind != "x" else f"x{number}")
            bench.submit(sent[-1])
        elif step == "take" and batch is None:
            batch = bench.sequencer.take_batch()
        elif step == "commit" and batch is not None:
            bench.commit(batch)
            batch = None
        elif step.startswith("fail") and batch is not None:
            refusable = any(row.body == POISON_LEDGER.encode() for row in batch.rows)
            if step == "fail but written" and not refusable:
                bench.ledger.append(batch.before, batch.rows)
            bench.sequencer.failed()
            batch = None
        elif step == "rebuild" and bench.sequencer.broken:
            bench.sequencer.rebuilt(bench.ledger.engine(), bench.ledger.head(), first)
        assert bench.sequencer.depth == sum(bench.sequencer.statistics()["queue"].values())
    if batch is not None:
        bench.commit(batch)
    bench.flush()
    poisoned = {POISON_ENGINE, POISON_LEDGER}
    assert names(bench) == [f"internal {name}" if name in poisoned else name for name in sent]
    assert bench.sequencer.depth == 0


def durable(bench: Bench) -> list[str]:
    return [row.body.decode() for row in bench.ledger.rows]


def test_the_first_row_of_an_epoch_comes_before_all_that_waits() -> None:
    """S3, DESIGN 4: decided again in a new epoch it is that one's alone, and nobody hears an answer to it."""
    bench = Bench()
    bench.sequencer.begin(named("first"))
    bench.submit("a")
    bench.sequencer.take_batch()
    bench.sequencer.failed()
    bench.submit("b")
    bench.ledger.epoch = 2
    bench.sequencer.rebuilt(bench.ledger.engine(), bench.ledger.head(), named("second"))
    bench.flush()
    assert durable(bench) == ["second", "a", "b"]
    assert [name for name, _ in bench.released] == ["a", "b"]


def test_the_first_row_of_an_epoch_that_was_written_after_all_stays() -> None:
    """S3, DESIGN 4: the epoch after the doubt has its own."""
    bench = Bench()
    bench.sequencer.begin(named("first"))
    bench.submit("a")
    batch = bench.sequencer.take_batch()
    assert batch is not None
    bench.ledger.append(batch.before, batch.rows)
    bench.sequencer.failed()
    bench.ledger.epoch = 2
    bench.sequencer.rebuilt(bench.ledger.engine(), bench.ledger.head(), named("second"))
    bench.flush()
    assert durable(bench) == ["first", "a", "second"]


def test_within_an_epoch_the_first_row_keeps_its_place() -> None:
    """S3: refused data begins no epoch, so what was first is decided again, and first."""
    bench = Bench()
    bench.sequencer.begin(named("first"))
    bench.submit("a")
    bench.sequencer.take_batch()
    bench.sequencer.refused()
    bench.sequencer.rebuilt(bench.ledger.engine(), bench.ledger.head())
    bench.flush()
    assert durable(bench) == ["first", "a"]


def test_a_ledger_that_refuses_the_first_row_of_an_epoch_stops_the_bank() -> None:
    """S3: nothing is decided by a program that the journal does not name."""
    bench = Bench()
    bench.sequencer.begin(named("first"))
    bench.sequencer.take_batch()
    with pytest.raises(InvariantError, match="which program this is"):
        bench.sequencer.refused()
