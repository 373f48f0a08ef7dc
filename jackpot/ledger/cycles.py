"""Where a cycle of a level begins: with an award of its whole meter that stands, or its first entry (L10).

An archive keeps the rows from there on, and the explanation of a jackpot begins there. Both ask this module.
"""

from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

from jackpot.ledger.reading import Conversation, Reader
from jackpot.ledger.store import LedgerCorrupt
from jackpot.rules import kinds
from jackpot.rules.acts.hits import Undone
from jackpot.rules.events import Closed, Event, Settled, Settlement, TakeMade
from jackpot.rules.undo import is_whole

# Entries of one page: a few milliseconds.
PAGE: Final = 200

_AWARDING: Final = """
    SELECT seq FROM posting
    WHERE +bank = ?1 AND seq <= ?2 AND link = ?3 AND level = ?4 AND wagers = 0 ORDER BY seq DESC LIMIT ?5
"""
_EVENT: Final = "SELECT kind, version, body FROM journal WHERE bank = ?1 AND seq = ?2"
_UNDONE: Final = f"""
    SELECT version, body FROM journal
    WHERE +bank = ?1 AND kind = {Undone.kind} AND table_seq IS NULL AND seq > ?2 AND seq < ?3 ORDER BY seq
"""  # noqa: S608
_FIRST: Final = """
    SELECT seq FROM posting WHERE bank = ?1 AND link = ?2 AND level = ?3 ORDER BY seq LIMIT 1
"""


class Turn(NamedTuple):
    """A moment on a level: before the take of that order in entry `row`."""

    row: int
    order: int


class Start(NamedTuple):
    """The entry with which a cycle began. take: of the whole meter; None for the level's first entry."""

    seq: int
    take: TakeMade | None


class Undoings:
    """The awards of a bank that were undone after some entry. Each undoing is read once."""

    def __init__(self, ledger: Reader, bank: str) -> None:
        self._ledger = ledger
        self._bank = bank
        self._awards: set[int] = set()
        self._from = 2**63 - 1

    def since(self, seq: int) -> set[int]:
        """The awards that were undone in a later entry, however late."""
        if seq < self._from:
            for version, body in _asked(self._ledger, self._bank, _UNDONE, seq, self._from):
                event = kinds.decode(Undone.kind, version, body)
                if isinstance(event, Undone):
                    self._awards.update(event.awards)
            self._from = seq
        return self._awards


def reseed_before(
    ledger: Reader,
    bank: str,
    level: tuple[int, int],
    turn: Turn,
    undone: Undoings,
    waiting: Collection[int] = (),
) -> Start | None:
    """The last take of the whole meter before that turn of which an award stands; None where there is none.

    level: its link's number, and its own. waiting: awards that count as undone, since they may be.
    """
    below = turn.row
    while True:
        found = _asked(ledger, bank, _AWARDING, below, *level, PAGE)
        for (seq,) in found:
            for take in reversed(takes(_event(ledger, bank, seq), level)):
                gone = undone.since(seq).union(waiting)
                if Turn(seq, take.order) < turn and is_whole(take.rate) and not set(take.awards) <= gone:
                    return Start(seq, take)
        if len(found) < PAGE:
            return None
        below = found[-1][0] - 1


def first_entry(ledger: Reader, bank: str, level: tuple[int, int]) -> int:
    """The entry that opened a level in this bank, or brought it along from another; 0 where none did."""
    return next((int(seq) for (seq,) in _asked(ledger, bank, _FIRST, *level)), 0)


def start_of_running(
    ledger: Reader, bank: str, level: tuple[int, int], undone: Undoings, waiting: Collection[int]
) -> Start:
    """Where the running cycle begins, or may begin once awards that wait are undone.

    waiting: the numbers of those awards.
    """
    end = Turn(ledger.head(bank).seq + 1, 0)
    reseed = reseed_before(ledger, bank, level, end, undone, waiting)
    return reseed or Start(first_entry(ledger, bank, level), None)


def settlement(event: Event) -> Settlement:
    """What an entry awarded."""
    return event.made if isinstance(event, Settled | Closed) else Settlement()


def takes(event: Event, level: tuple[int, int]) -> list[TakeMade]:
    """The entry's awards of this level at their own turn, in their order."""
    return [take for take in settlement(event).takes if (take.link, take.level) == level and not take.moment]


def _event(ledger: Reader, bank: str, seq: int) -> Event:
    for kind, version, body in _asked(ledger, bank, _EVENT, seq):
        return kinds.decode(kind, version, body)
    raise LedgerCorrupt(f"{bank}: row {seq} is missing; jackpot verify says what was taken away")


def _asked(ledger: Reader, bank: str, sql: str, *values: Any) -> Sequence[Any]:
    def question(number: int) -> Conversation[Sequence[Any]]:
        return (yield sql, (number, *values))

    return ledger.ask(bank, question)
