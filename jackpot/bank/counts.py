"""Counters of one bank since the start of the server.

For metrics and pages; no counter steers anything.
"""

from collections import Counter
from typing import Final

import structlog

from controllers.answers import Ack, Nack
from jackpot.rules import alarms
from jackpot.rules.outcome import Outcome
from jackpot.rules.refusal import NOT_APPLIED
from jackpot.runtime.histogram import ANSWER_SECONDS, BATCH_ROWS, COMMIT_SECONDS, Histogram

# Everything that the rules and the server alarm; counted from 0, so that the first of a kind is a rise too.
ALARMS: Final = (
    *alarms.KINDS,
    "awards_waiting",
    "key_ended",
    "ledger_behind_confirmed",
    "request_expired",
)

# Kinds of awards, of a meter and others (A1).
AWARDS: Final = ("meter", "odds", "envy", "draw")

log: Final = structlog.get_logger()


class Counts:
    """Counters of one bank. commits, answers: durations in seconds; batches: rows of each. Also alarms by
    name, refusals by code, and awards of settlements by link and kind, in cents.
    """

    def __init__(self) -> None:
        self.commits = Histogram(COMMIT_SECONDS)
        self.batches = Histogram(BATCH_ROWS)
        self.answers = Histogram(ANSWER_SECONDS)
        self.doubts = 0
        self.batches_refused = 0
        self.slow_commits = 0
        self.not_applied = dict.fromkeys(sorted(NOT_APPLIED), 0)
        self.alarms = dict.fromkeys(ALARMS, 0)
        self.awards: Counter[tuple[str, str]] = Counter()

    def add(self, bank: str, outcome: Outcome) -> None:
        """Counts and logs the alarms, refusals and awards of an outcome."""
        for name, facts in outcome.alarms:
            self.alarms[name] = self.alarms.get(name, 0) + 1
            whose = tuple(str(facts.get(key)) for key in ("table", "role", "device"))
            log.warning(name, bank=bank, **facts, kind=(bank, *whose))
        answer = outcome.answer
        if isinstance(answer, Nack) and answer.expected is not None:
            self.not_applied[answer.code] += 1
        elif isinstance(answer, Ack):
            for award in answer.awards:
                self.awards[award.link, award.kind] += award.amount
