"""History of a level, and its recomputation from the moment of an undone event (A11).

Every wager of a link adds the same on the same terms. So a level's history is a short list of points:
percentage awards ("takes"), and what people moved or changed, each with how many wagers stood on the level
then. What was contributed after one and before the next follows from the two counts. A round that is settled
keeps the count of that moment, so that a missed hand can be settled as if then (T10).
Replaying the list from its base gives the level's accounts; leaving something out of the list, or
putting something in, gives what they would have been. History that can no longer change is folded
into the base.
"""

from bisect import bisect_left
from collections.abc import Collection
from operator import attrgetter
from typing import NamedTuple

import msgspec

from jackpot.rules import meter
from jackpot.rules.meter import Accounts
from jackpot.rules.money import BASIS_POINTS
from jackpot.rules.paytable import LevelTerms

# A history is folded when it has grown to this many points and to twice what the last folding left:
# so folding costs nothing on average, and a quiet link keeps a handful of points.
FOLD_AT_MIN = 64

Moment = tuple[int, int]
"""Where in a level's history: (the journal's seq, the order within that entry).

A moment in a bank that became this one lies before all of its own: its seq is counted back from that bank's
last entry, which is 0.
"""

BASE: Moment = (0, 0)


def counted_back(at: Moment, last: int) -> Moment:
    """The moment as the next bank has it. last: the entry that ends this one."""
    seq, order = at
    return seq - last, order


# The moment of a point. Every search asks for it, so it is found without a call of ours.
_at = attrgetter("at")


class AwardShare(msgspec.Struct, array_like=True, gc=False):
    """One award's part in a take. dealer: the dealer's hand's part, divided among its players (A6).

    correction: what two people changed the amount by, which it includes (A10). decided: how much of what it
    leaves on the meter people have decided on. That stays so if an undo lets it leave less for a while (A11).
    """

    award: int
    amount: int
    dealer: bool = False
    paid: bool = False
    undone: bool = False
    correction: int = 0
    decided: int = 0


class MeterTake(msgspec.Struct, array_like=True, gc=False):
    """A percentage award: `rate` of the meter (basis points), for one share or several (T5, A6)."""

    rate: int
    shares: list[AwardShare]


class AwardCorrection(msgspec.Struct, array_like=True, gc=False):
    """A correction by two people: an award is worth `more`, or less, from here; undone with it (A10).

    won: when the award was taken.
    """

    award: int
    more: int
    won: Moment
    undone: bool = False


class MeterMove(msgspec.Struct, array_like=True):
    """Money that two people moved to the level, or from it (L8). ends: the house has got its stake back."""

    change: Accounts
    ends: bool = False


class PlayedTerms(msgspec.Struct, array_like=True):
    """The terms on which a level is played."""

    terms: LevelTerms
    floor_to_seed: bool = False


class LevelPoint(msgspec.Struct, array_like=True, gc=False):
    """A moment in a level's history. wagers: how many that still stand were made before it.

    played: on which terms from here on, where two people changed them (L9).
    """

    at: Moment
    wagers: int
    take: MeterTake | None = None
    fix: AwardCorrection | None = None
    moved: MeterMove | None = None
    played: PlayedTerms | None = None


class History(msgspec.Struct, array_like=True):
    """All of a level that can still change.

    What holds before its first point. base: the accounts. played: the terms. reset: what the house last set
    the meter to. stake: the house's money of that cycle. reseeded: when an award that stands reseeded it
    last. wager: the amount of one. wagers: how many stand now, since the level was opened.
    """

    base: Accounts
    points: list[LevelPoint]
    played: PlayedTerms
    reset: int
    stake: int
    wager: int
    wagers: int = 0
    fold_at: int = FOLD_AT_MIN
    reseeded: Moment = BASE

    def copy(self) -> "History":
        """An independent copy."""
        return msgspec.msgpack.decode(msgspec.msgpack.encode(self), type=History)

    def drop(self, seq: int) -> None:
        """Removes a wager of entry `seq` (T2, T6)."""
        self.wagers -= 1
        for point in self.points[bisect_left(self.points, (seq, 0), key=_at) :]:
            point.wagers -= 1

    def insert(self, at: Moment, take: MeterTake, wagers: int) -> bool:
        """Inserts a take at its moment, now or in the past; returns whether it is a new point.

        wagers: how many stood then, as in `LevelPoint`. A take that is there already gains shares (T5, T10).
        """
        index = bisect_left(self.points, at, key=_at)
        if index < len(self.points) and self.points[index].at == at:
            standing = self.points[index].take
            if standing is not None:
                standing.shares.extend(take.shares)
            return False
        self.points.insert(index, LevelPoint(at, wagers, take=take))
        return True

    def shares(self) -> list[AwardShare]:
        """Every share of every take that is still in the history."""
        return [share for point in self.points if point.take for share in point.take.shares]

    def has_later(self, awards: set[int]) -> bool:
        """Whether a standing take comes after the first take that holds one of these awards (A11)."""
        found = False
        for point in self.points:
            if point.take is None:
                continue
            if found and any(not share.undone and share.award not in awards for share in point.take.shares):
                return True
            found = found or any(share.award in awards for share in point.take.shares)
        return False

    def emptied_since(self, award: int) -> bool:
        """Whether a standing award, or a transfer, took the whole meter after this award was taken (A11).

        What the award left must still wait, so that its take is not folded.
        """
        own = (p.at for p in self.points if p.take and any(one.award == award for one in p.take.shares))
        since = next(own)
        return self.reseeded > since or any(
            point.at > since and (reseeds(point) or (point.moved is not None and point.moved.ends))
            for point in self.points
        )

    def reseeds_from(self, at: Moment) -> int:
        """How many reseeds were made at this moment or later, undone ones included (L10)."""
        later = self.points[bisect_left(self.points, at, key=_at) :]
        return sum(point.take is not None and is_whole(point.take.rate) for point in later)

    def fold(self, needed: int, waits: Collection[int] = ()) -> None:
        """Folds what entry `needed` and later ones do not depend on into the base; it can no longer change.

        The last point before `needed` stays: what was wagered since then is counted in it. So does an award
        that is not paid, and one of those in `waits`, of which people have yet to decide on what it left.
        """
        open_ = [
            point.at[0]
            for point in self.points
            if point.take
            and any(not (one.paid or one.undone) or one.award in waits for one in point.take.shares)
        ]
        keep = bisect_left(self.points, (min([needed, *open_]), 0), key=_at) - 1
        if keep > 0:
            kept, self.points = self.points[keep:], self.points[:keep]
            now, self.wagers = self.wagers, kept[0].wagers
            self.base, self.played, self.reset, self.stake, self.reseeded = replay(self)
            self.points, self.wagers = [LevelPoint(BASE, self.wagers), *kept], now
        self.fold_at = max(FOLD_AT_MIN, 2 * len(self.points))


class Replayed(NamedTuple):
    """The end of a replayed history; the fields are those of `History`."""

    accounts: Accounts
    played: PlayedTerms
    reset: int
    stake: int
    reseeded: Moment


def new_history(terms: LevelTerms, wager: int, *, floor_to_seed: bool) -> History:
    """The history of a new level."""
    base = meter.opened(terms)
    return History(
        base, [LevelPoint(BASE, 0)], PlayedTerms(terms, floor_to_seed), terms.reseed, terms.seed, wager
    )


def replay(history: History, residuals: dict[int, int] | None = None) -> Replayed:
    """Replays a level's history; raises unpaid shares to what the meter now gives.

    A published award is never lowered: what the recomputed meter cannot give, the house makes up. A
    share already paid stays as it is, and the difference remains on the meter (A11): `residuals` gathers it
    by award. What two people moved is moved all the same (L8).
    """
    accounts, reseeded = history.base.copy(), history.reseeded
    played, reset, stake = history.played, history.reset, history.stake
    ends = [*(point.wagers for point in history.points[1:]), history.wagers]
    for point, end in zip(history.points, ends, strict=True):
        if point.played is not None:
            played = point.played
            meter.hold_limit(accounts, played.terms)
        if point.take is not None:
            floor = reset if played.floor_to_seed else None
            entered = _retake(
                accounts, played.terms, point.take, {} if residuals is None else residuals, floor
            )
            if reseeds(point):
                reseeded, reset, stake = point.at, played.terms.reseed, 0
            stake += entered
        if point.fix is not None and not point.fix.undone:
            least = reset if reseeded >= point.fix.won or played.floor_to_seed else 0
            meter.correct_award(accounts, played.terms, point.fix.more, least)
        if point.moved is not None:
            meter.move(accounts, played.terms, point.moved.change)
            stake = 0 if point.moved.ends else stake
        if wagered := (end - point.wagers) * history.wager:
            meter.contribute(accounts, played.terms, *meter.parts(played.terms, wagered))
    return Replayed(accounts, played, reset, stake, reseeded)


def floor_of(history: History) -> int | None:
    """To what the house now restores the meter after a partial award (A4); None: it does not."""
    now = replay(history)
    return now.reset if now.played.floor_to_seed else None


def _retake(
    accounts: Accounts, terms: LevelTerms, take: MeterTake, residuals: dict[int, int], floor: int | None
) -> int:
    """Takes an award again; returns the house's money that enters the meter with it."""
    standing = [share for share in take.shares if not share.undone]
    if not standing:
        return 0
    given = total = 0
    for share in standing:
        due = due_of(accounts.primary, take.rate, standing, share)
        published = share.amount - share.correction
        if due > published and share.paid:
            residuals[share.award] = due - published
        elif due > published:
            published = due
            share.amount = due + share.correction
        given += min(published, due)
        total += published
    return meter.take(accounts, terms, rate=take.rate, from_meter=given, total=total, floor=floor)


def due_of(primary: int, rate: int, standing: list[AwardShare], share: AwardShare) -> int:
    """The amount of one standing share of this primary: equal floors, the dealer's divided (T5, A6)."""
    dealers = sum(other.dealer for other in standing)
    units = len(standing) - dealers + (1 if dealers else 0)
    return meter.formula(primary, rate, units * dealers if share.dealer else units)


def is_whole(rate: int) -> bool:
    """Whether a take of this rate reseeds (A2)."""
    return rate == BASIS_POINTS


def reseeds(point: LevelPoint) -> bool:
    """Whether a standing award of the whole meter was made at this moment (A2)."""
    take = point.take
    return take is not None and is_whole(take.rate) and any(not share.undone for share in take.shares)
