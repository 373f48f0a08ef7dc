"""An independent model of must-hit-by levels: small, slow, and written from the rules Y1 to Y11 alone.

It knows nothing of networks, storage, keys or hashes. A level is told what happens to it, in order; every
random value is asked of a `Draw`, which the worked cycles and the simulations give.

Readings (where the rules leave a choice, the one taken here):
 1. Both forms ask for a trigger: the committed one once, before the meter starts; the drawn one with each
    wager that decides. U of Y2 is that trigger less the highest meter decided before, less one.
 2. A win ends a cycle in the moment of its wager: the next wager of the same round is of the next cycle.
 3. A wager that is refunded takes its contribution from where its cycle's money is: from the meter while its
    cycle runs, from the overflow where its cycle's award was undone, from the house where the award stands.
    What is not there any more the house pays. The highest meter decided stays in every case.
 4. A correction upward must end below the maximum. It opens the commitment only if the meter rises above what
    was decided; so does what a transfer brings.
 5. Changed terms wait for the next reseed of their level, the rate too. With the award's residue the new
    minimum must stay below the new maximum, whatever the last wager leaves.
 6. A closing returns the minimum of the running cycle to the house; the rest of meter and overflow moves,
    each into the same account of the other level.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

CENT = 10_000  # micro-dollars
WHOLE = 10_000  # hundredths of a percent
COMMITTED, DRAWN = "committed", "drawn"
RUNNING, WON, UNDONE = "running", "won", "undone"

Draw = Callable[[int, int], int]
"""A trigger above the first sum, and at most the second."""


class Refused(Exception):
    """What is asked for would break a rule; nothing has changed."""


@dataclass(frozen=True)
class Terms:
    """Terms of a level: sums in micro-dollars, the rate in hundredths of a percent (Y1)."""

    minimum: int
    must_hit_by: int
    wager: int
    rate: int

    @property
    def rise(self) -> int:
        """What one wager adds."""
        rise, rest = divmod(self.wager * self.rate, WHOLE)
        assert rest == 0, "a contribution is never rounded (M2)"
        return rise

    def check(self, residue: int = 0) -> None:
        """Raises Refused. residue: the most that an award may leave under the terms before."""
        if not 0 <= self.minimum < self.must_hit_by or self.rate <= 0:
            raise Refused("0 <= minimum < must_hit_by, and a rate")
        if self.minimum + max(self.rise, residue) >= self.must_hit_by:
            raise Refused("one wager reaches the maximum")


@dataclass(frozen=True)
class Award:
    """What one wager won: whole cents, and the cycle that it ended."""

    cycle: int
    amount: int


@dataclass(eq=False)
class Level:
    """One level; its sums as M4 has them.

    highest: the highest meter decided without a win. later: terms that wait for a reseed. of: what became of
    each cycle. contributed: what each wager of a cycle has added. smallest: what an award is a multiple of.
    """

    terms: Terms
    form: str
    draw: Draw
    primary: int = 0
    highest: int = 0
    trigger: int = 0
    overflow: int = 0
    house: int = 0
    wagers: int = 0
    awards: int = 0
    corrections: int = 0
    transfers: int = 0
    cycle: int = 0
    later: Terms | None = None
    of: dict[int, str] = field(default_factory=dict)
    contributed: dict[int, int] = field(default_factory=dict)
    commitments: int = 0
    smallest: int = CENT

    def __post_init__(self) -> None:
        self.terms.check()
        self.begin(0)

    def begin(self, residue: int) -> None:
        """A cycle begins: the house puts the minimum on, beside the residue (Y1)."""
        self.terms, self.later = self.later or self.terms, None
        self.house += self.terms.minimum
        self.primary = self.highest = self.terms.minimum + residue
        self.cycle += 1
        self.of[self.cycle] = RUNNING
        self.contributed[self.cycle] = self.terms.rise
        self.commit()

    def commit(self) -> None:
        """A fresh trigger, in the form that has one (Y1, Y11, Y12)."""
        if self.form == COMMITTED:
            self.commitments += 1
            self.trigger = self.drawn()

    def drawn(self) -> int:
        """A trigger above the highest meter decided, at most the maximum."""
        found = self.draw(self.highest, self.terms.must_hit_by)
        assert self.highest < found <= self.terms.must_hit_by
        return found

    def contribute(self) -> Award | None:
        """One wager counts, and is decided (Y2)."""
        self.primary += self.terms.rise
        self.wagers += self.terms.rise
        if self.primary <= self.highest:
            return None
        trigger = self.trigger if self.form == COMMITTED else self.drawn()
        if self.primary < trigger:
            self.highest = self.primary
            return None
        award = Award(self.cycle, self.whole(min(self.primary, self.terms.must_hit_by)))
        self.awards += award.amount
        self.of[self.cycle] = WON
        self.begin(self.primary - award.amount)
        return award

    def whole(self, sum_: int) -> int:
        """What of a sum can be paid."""
        return sum_ - sum_ % self.smallest

    def undo(self, award: Award) -> None:
        """The award of a cycle is undone: its sum waits in the overflow (Y4)."""
        assert self.of[award.cycle] == WON
        self.of[award.cycle] = UNDONE
        self.awards -= award.amount
        self.overflow += award.amount

    def refund(self, cycle: int) -> None:
        """A wager that counted in that cycle goes back (Y4); `highest` stays (Y2)."""
        rise = self.contributed[cycle]
        self.wagers -= rise
        if self.of[cycle] == RUNNING:
            there = min(rise, self.primary)
            self.primary -= there
        elif self.of[cycle] == UNDONE:
            there = min(rise, self.overflow)
            self.overflow -= there
        else:
            there = 0
        self.house += rise - there

    def correct(self, account: str, micros: int) -> None:
        """Two people move an account; it never wins (Y11). Raises Refused."""
        if getattr(self, account) + micros < 0:
            raise Refused("negative")
        if account == "primary" and micros > 0:
            self.fits(micros)
        self.corrections += micros
        if account == "overflow":
            self.overflow += micros
        else:
            self.move(micros)

    def fits(self, micros: int) -> None:
        """Raises Refused unless the meter stays below the maximum (Y11)."""
        if self.primary + micros >= self.terms.must_hit_by:
            raise Refused("it would reach the maximum")

    def move(self, micros: int) -> None:
        """The meter moves without a wager: what it passes upward is drawn anew (Y11)."""
        self.primary += micros
        if self.primary > self.highest:
            self.highest = self.primary
            self.commit()

    @property
    def most_left(self) -> int:
        """The most that an award leaves on the meter by the terms of this cycle."""
        return max(self.terms.rise, self.smallest) - 1

    def close_into(self, other: Level | None) -> None:
        """All of it moves to another level but the house's minimum of this cycle (L8). Raises Refused."""
        back = min(self.terms.minimum, self.primary)
        meter, overflow = self.primary - back, self.overflow
        if other is None and (meter or overflow):
            raise Refused("what is left is the players'")
        if other is not None:
            other.fits(meter)
            other.transfers += meter + overflow
            other.overflow += overflow
            if meter:
                other.move(meter)
        self.house -= back
        self.transfers -= meter + overflow
        self.primary = self.overflow = 0
