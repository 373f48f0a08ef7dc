"""Must-hit-by levels next to card links and offers, for the independent model (Y1-Y4, Y8, Y11, Y12).

A level is told what its entry has drawn; it says itself what comes of that. Readings, besides those of
`model_mystery`:
 1. A committed level is due for a commitment when its link opens, when people lift its meter above all that
    was decided, when they state what was shown, and when they want its trigger replaced. It gets one in an
    entry of its own, and decides nothing before.
 2. What the house adds to an award that people raise goes back to it first, where they lower or undo that.
 3. A refund takes from the overflow no more than is left there of the award of its own cycle.
 4. A transfer takes meter and overflow; what was decided stays, and so does the trigger.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.faults.difference import Difference
from tests.faults.model_mystery import COMMITTED, RUNNING, UNDONE, WON, Award, Level

WORD_BYTES = 8
MYSTERY = "mystery"

Value = Callable[[int, int], int]
"""A trigger above the first sum, and at most the second: what was drawn, as the range makes it."""


def number(raw: bytes, below: int) -> int:
    """A number below that: of the first word that is no more than the highest multiple of it allows (Y1)."""
    words = [raw[at : at + WORD_BYTES] for at in range(0, len(raw), WORD_BYTES)]
    usable = 2 ** (8 * WORD_BYTES) // below * below
    return next(value for word in words if (value := int.from_bytes(word, "big")) < usable) % below


def from_raw(raw: bytes) -> Value:
    """What these bytes come to."""
    return lambda low, high: low + 1 + number(raw, high - low)


class Tape:
    """What the next entry has drawn for one level, in its order: nothing twice, and nothing for nothing.

    What is only tried draws nothing: a copy of the model has the same tape.
    """

    def __init__(self, where: str) -> None:
        self.left: deque[Value] = deque()
        self._where = where

    def __deepcopy__(self, _memo: object) -> Tape:
        return self

    def draw(self, low: int, high: int) -> int:
        if not self.left:
            raise Difference(f"{self._where}: nothing was drawn between {low} and {high}")
        return self.left.popleft()(low, high)

    def over(self) -> None:
        """All that the entry has drawn was used."""
        if self.left:
            raise Difference(f"{self._where}: {len(self.left)} draws for nothing")


@dataclass(eq=False)
class Meter(Level):
    """A level of a floor. tape: where its draws come from.

    stake: the house's money of the running cycle. undone: by cycle, what its undone award has left in the
    overflow. lent: by award, what the house has added. counted, undone_wagers, hits, undone_hits: how many.
    due: for a commitment. stopped: its trigger is not to be had. opened: the triggers that were opened since
    somebody looked.
    """

    tape: Tape = field(default_factory=lambda: Tape("a level"))
    stake: int = 0
    undone: dict[int, int] = field(default_factory=dict)
    lent: dict[str, int] = field(default_factory=dict)
    counted: int = 0
    undone_wagers: int = 0
    hits: int = 0
    undone_hits: int = 0
    due: bool = False
    runs: bool = False
    opened: list[int] = field(default_factory=list)
    counting: bool = False

    def begin(self, residue: int) -> None:
        super().begin(residue)
        self.stake = self.terms.minimum

    def commit(self) -> None:
        if self.form != COMMITTED:
            return
        if self.counting:
            self.renew()
        else:
            self.due = True

    def renew(self) -> None:
        """A fresh trigger, above all that was decided."""
        self.end_trigger()
        super().commit()
        self.due, self.runs = False, True

    def end_trigger(self) -> None:
        """The running trigger is opened, and played on no more."""
        if self.runs:
            self.opened.append(self.trigger)
        self.due = self.runs = False

    @property
    def waits(self) -> bool:
        """Whether nothing may be decided on it yet."""
        return self.form == COMMITTED and (self.due or not self.runs)

    def look_at_opened(self) -> Sequence[int]:
        """The triggers that were opened since the last look."""
        opened, self.opened = self.opened, []
        return opened

    def state(self, micros: int) -> None:
        """People say up to where all was decided (Y8): no trigger of before is played on."""
        self.highest = max(self.highest, micros)
        self.commit()

    # Wagers and awards

    def contribute(self) -> Award | None:
        if self.waits:
            raise Difference("a wager is decided without a trigger")
        self.counted += 1
        self.counting = True
        won = super().contribute()
        self.counting = False
        self.hits += won is not None
        return won

    def take_back(self, cycle: int | None) -> None:
        """A wager goes back. cycle: in which it counted; None where its round was never closed."""
        self.undone_wagers += 1
        if cycle is None:
            return
        self.counted -= 1
        rise = self.contributed[cycle]
        self.wagers -= rise
        there = 0
        if self.of[cycle] == RUNNING:
            there = min(rise, self.primary)
            self.primary -= there
        elif self.of[cycle] == UNDONE:
            there = min(rise, self.undone.get(cycle, 0), self.overflow)
            self.overflow -= there
            self.undone[cycle] = self.undone.get(cycle, 0) - there
        self.house += rise - there

    def undo_award(self, award: str, cycle: int, micros: int) -> None:
        """Y4: its sum waits in the overflow, without what the house had added."""
        assert self.of[cycle] == WON
        self.of[cycle] = UNDONE
        lent = self.lent.pop(award, 0)
        self.awards -= micros
        self.overflow += micros - lent
        self.house -= lent
        self.undone[cycle] = micros - lent
        self.hits -= 1
        self.undone_hits += 1

    def correct_award(self, award: str, micros: int) -> None:
        """A10: the house pays what is raised; of what is lowered it has its own back first."""
        self.awards += micros
        lent = self.lent.get(award, 0)
        if micros > 0:
            self.house += micros
            self.lent[award] = lent + micros
            return
        back = min(-micros, lent)
        self.house -= back
        self.lent[award] = lent - back
        self.overflow += -micros - back

    def empty(self, out: int, back: int) -> None:
        """All of it was taken: so much to another link, and so much to the house."""
        self.transfers -= out
        self.house -= back
        self.primary = self.overflow = self.stake = 0
        self.undone = {}

    def receive(self, primary: int, overflow: int) -> None:
        """Another link's money comes: it wins nothing (Y11)."""
        self.transfers += primary + overflow
        self.overflow += overflow
        self.move(primary)
