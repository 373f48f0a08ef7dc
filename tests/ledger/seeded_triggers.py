"""Triggers for tests that must come out the same every time: drawn from a seed, and kept in memory."""

from random import Random

from jackpot.rules.commitment import RAW_BYTES, SALT_BYTES, CommitmentId, uniform
from jackpot.rules.events import TriggerCommitted
from jackpot.rules.triggers import NewTrigger, Trigger


class SeededTriggers:
    """A `TriggerSource` that forgets nothing, so that what was opened can be looked at."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.kept: dict[bytes, Trigger] = {}

    def missing(self, committed: bytes) -> bool:
        return committed not in self.kept

    lost = missing

    def crossed(self, committed: bytes, meter: int) -> bool:
        return meter >= self.kept[committed].value

    def opened(self, committed: bytes) -> Trigger:
        return self.kept[committed]

    def commit(
        self, least: CommitmentId, above: int, upto: int, *, people: bool = False
    ) -> TriggerCommitted | None:
        drawing = uniform(self.random.randbytes(RAW_BYTES), upto - above)
        new = NewTrigger(
            least, Trigger(self.random.randbytes(SALT_BYTES), above + 1 + drawing.value, drawing.raw)
        )
        self.kept[new.committed] = new.trigger
        return TriggerCommitted(least.number, new.committed)
