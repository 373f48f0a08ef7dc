"""Finds where a cycle of a level begins (L10).

It begins with an award of the whole meter that stands, or with the first entry of the level.

An archive keeps the rows from there on, and the explanation of a jackpot begins there.
"""

from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

from jackpot.ledger.reading import Conversation, Reader
from jackpot.ledger.store import LedgerCorrupt
from jackpot.rules import registry
from jackpot.rules.acts.hits import Undone
from jackpot.rules.events import Closed, Event, Settled, Settlement, TakeMade
from jackpot.rules.rounds.mystery import is_counted
from jackpot.rules.rounds.undo import is_whole

# Entries of one page: a few milliseconds.
PAGE: Final = 200

_AWARDING: Final = """
    SELECT seq FROM posting
    WHERE +bank = ?1 AND seq <= ?2 AND link = ?3 AND level = ?4 AND wagers = 0 ORDER BY seq DESC LIMIT ?5
"""
# A mystery level is won in the row that also counts wagers on it (Y3): hits lead to it.
_COUNTING: Final = """
    SELECT DISTINCT hit_entry.seq FROM hit_entry
    JOIN posting ON posting.bank = hit_entry.bank AND posting.seq = hit_entry.seq
    WHERE hit_entry.bank = ?1 AND hit_entry.seq <= ?2 AND link = ?3 AND level = ?4 AND wagers <> 0
    ORDER BY hit_entry.seq DESC LIMIT ?5
"""
_EVENT: Final = "SELECT kind, version, body FROM journal WHERE bank = ?1 AND seq = ?2"
_UNDONE: Final = f"""
    SELECT version, body FROM journal
    WHERE +bank = ?1 AND kind = {Undone.kind} AND table_seq IS NULL AND seq > ?2 AND seq < ?3 ORDER BY seq
"""  # noqa: S608
_FIRST: Final = """
    SELECT seq FROM posting WHERE bank = ?1 AND link = ?2 AND level = ?3 ORDER BY seq LIMIT 1
"""


class TakePoint(NamedTuple):
    """A moment on a level: before the take of that order in entry `row`."""

    row: int
    order: int


class CycleStart(NamedTuple):
    """The entry that began a cycle. take: of the whole meter; None for the level's first entry."""

    seq: int
    take: TakeMade | None


class Cycles:
    """The cycles of one bank's levels. A level is its link's number, and its own."""

    def __init__(self, ledger: Reader, bank: str) -> None:
        self._ledger = ledger
        self._bank = bank
        self._undone: set[int] = set()
        self._undone_from = 2**63 - 1

    def running_since(self, level: tuple[int, int], waiting: Collection[int]) -> CycleStart:
        """Start of the running cycle, or of the one that may run once waiting awards are undone.

        waiting: the numbers of those awards.
        """
        return self.since(level, TakePoint(self._ledger.head(self._bank).seq + 1, 0), waiting)

    def since(self, level: tuple[int, int], take_point: TakePoint, waiting: Collection[int]) -> CycleStart:
        """Start of the cycle that ran at a turn."""
        return self.reseed_before(level, take_point, waiting) or CycleStart(self.first_entry(level), None)

    def reseed_before(
        self, level: tuple[int, int], take_point: TakePoint, waiting: Collection[int] = ()
    ) -> CycleStart | None:
        """Last take of the whole meter before that turn whose award stands; None if there is none.

        waiting: awards that are treated as undone, since they may be. That of a mystery level ends its cycle
        even when it is undone (Y4).
        """
        return self._reseed(_AWARDING, level, take_point, waiting) or self._reseed(
            _COUNTING, level, take_point, ()
        )

    def _reseed(
        self, sql: str, level: tuple[int, int], take_point: TakePoint, waiting: Collection[int]
    ) -> CycleStart | None:
        below = take_point.row
        while True:
            found = self._asked(sql, below, *level, PAGE)
            for (seq,) in found:
                for take in reversed(takes(self._event(seq), level)):
                    before = TakePoint(seq, take.order) < take_point
                    joins = before and not is_counted(take)
                    gone = self.undone_since(seq).union(waiting) if joins else set()
                    if before and is_whole(take.rate) and not set(take.awards) <= gone:
                        return CycleStart(seq, take)
            if len(found) < PAGE:
                return None
            below = found[-1][0] - 1

    def first_entry(self, level: tuple[int, int]) -> int:
        """Row that opened a level in this bank, or brought it from a joined one; 0 if none did."""
        return next((int(seq) for (seq,) in self._asked(_FIRST, *level)), 0)

    def undone_since(self, seq: int) -> set[int]:
        """Awards that a later entry undid, however late. Each undo is read once."""
        if seq < self._undone_from:
            for version, body in self._asked(_UNDONE, seq, self._undone_from):
                event = registry.decode(Undone.kind, version, body)
                if isinstance(event, Undone):
                    self._undone.update(event.awards)
            self._undone_from = seq
        return self._undone

    def _event(self, seq: int) -> Event:
        for kind, version, body in self._asked(_EVENT, seq):
            return registry.decode(kind, version, body)
        raise LedgerCorrupt(f"{self._bank}: row {seq} is missing; jackpot verify says what was taken away")

    def _asked(self, sql: str, *values: Any) -> Sequence[Any]:
        def question(number: int) -> Conversation[Sequence[Any]]:
            return (yield sql, (number, *values))

        return self._ledger.ask(self._bank, question)


def settlement(event: Event) -> Settlement:
    """Awards of an entry."""
    return event.made if isinstance(event, Settled | Closed) else Settlement()


def takes(event: Event, level: tuple[int, int]) -> list[TakeMade]:
    """The entry's awards of this level at their own turn, in their order."""
    return [take for take in settlement(event).takes if (take.link, take.level) == level and not take.moment]
