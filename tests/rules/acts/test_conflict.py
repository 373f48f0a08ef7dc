"""A number that was used twice is journalled once an epoch."""

from jackpot.rules import registry
from jackpot.rules.acts.conflict import SeqConflict, conflicting
from jackpot.rules.state import Table
from tests.frames import Close
from tests.rules.subject import OfEngine
from tests.rules.test_engine import bank, send, wager


def table(subject: OfEngine) -> Table:
    return subject.engine.state.tables[0]


def test_the_first_of_each_table_and_epoch_is_journalled() -> None:
    """S4, S6: people find it in the journal; a table that goes on fills none, and its own resend is none."""
    subject = bank()
    send(subject, 1, wager())
    assert send(subject, 1, wager()).entry is None
    first, more = send(subject, 1, wager(seats=(5,))), send(subject, 1, wager(seats=(6,)))
    assert first.entry is not None
    assert registry.decode(first.entry.kind, 1, first.entry.body) == SeqConflict(1, 1)
    assert (more.entry, more.answer) == (None, first.answer)
    assert first.alarms[0][0] == more.alarms[0][0] == "seq_conflict"
    assert table(subject).last_seq == 1, "it used up no number"
    subject.take_over()
    assert send(subject, 1, wager(seats=(5,))).entry is not None
    assert send(subject, 2, Close("r1")).answer["t"] == "ack"


def test_a_forged_one_is_named() -> None:
    """S8: a frame that the table sent before is no other, nor is one of a number that it has not used."""
    subject = bank()
    sent = send(subject, 1, wager()).entry
    assert sent is not None
    state = subject.engine.state
    for seq, digest, forged in ((1, b"x" * 16, False), (1, sent.digest, True), (2, b"x" * 16, True)):
        assert (conflicting(state, SeqConflict(1, seq), digest, 0) is not None) == forged
