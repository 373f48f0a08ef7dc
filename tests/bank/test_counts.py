"""Counters of alarms and refusals of a bank."""

from controllers.answers import Ack, Nack
from jackpot.bank.counts import ALARMS, Counts
from jackpot.rules.outcome import Outcome


def test_what_is_alarmed_or_not_applied_is_counted() -> None:
    """S9: each alarm by its name, each refusal that used up no number by its code; nothing else."""
    counts = Counts()
    facts = {"table": "T01", "acked": 7}
    counts.add("main", Outcome(None, Nack(1, "suspended", "the link is suspended", expected=1)))
    counts.add("main", Outcome(None, Nack(1, "locked_out", "the round is locked")))
    counts.add("main", Outcome(None, Ack(2), alarms=(("ledger_behind", facts), ("ledger_behind", facts))))
    assert {name: count for name, count in counts.not_applied.items() if count} == {"suspended": 1}
    assert counts.alarms == dict.fromkeys(ALARMS, 0) | {"ledger_behind": 2}
