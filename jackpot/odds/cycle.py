"""Model of a meter's cycle: the time and the amount of a win, from a reseed to the hand that wins it all.

Wagers are taken one after another, each with the same chance. A meter rises by the same sum with each; a hand
that wins a part of it lowers it. Means are exact. Where nothing lowers the meter and it always begins at the
same sum, so are its quantiles; elsewhere they are worked out on a grid, to about one part in a thousand.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from math import ceil, exp, expm1, log, log1p
from typing import Final, NamedTuple

from jackpot.odds.must_hit_by import MustHitByTerms
from jackpot.rules.money import floor_to_cent

# The grid reaches so many mean rises above the start; less than one hit in 100,000 is beyond.
_REACH: Final = 12
_POINTS: Final = 2_048
# Wins that one path shows; a meter that is won more often is shown for less than a year.
_WINS_MAX: Final = 4_000
# Tolerance at which the iteration on the grid stops.
_SETTLED: Final = 1e-7


class MeterModel(NamedTuple):
    """One level, in micro-dollars and chances a wager.

    start: what a cycle begins with. rise: what a wager adds. reserve: what a wager adds to the next start.
    chance: of winning it all. parts: the chance of winning a part of it, by the part, such as 1/10.
    """

    start: int
    rise: Fraction
    reserve: Fraction
    chance: Fraction
    parts: tuple[tuple[Fraction, Fraction], ...] = ()

    @property
    def wagers(self) -> Fraction:
        """Mean number of wagers in a cycle, the winning one among them."""
        return 1 / self.chance

    @property
    def mean_start(self) -> Fraction:
        """Mean amount at which a cycle begins: the reseed, and the reserve of the cycle before."""
        return self.start + self.reserve / self.chance

    def mean(self, start: Fraction) -> Fraction:
        """Mean amount of the meter when it is won, in a cycle that stands at `start` now."""
        lowered = sum((part * chance for part, chance in self.parts), Fraction(0))
        return (self.chance * start + self.rise) / (self.chance + lowered)

    @property
    def exact(self) -> bool:
        """Whether quantiles of the meter are exact as well."""
        return not self.parts and not self.reserve


def wagers_until(chance: Fraction, quantile: Fraction) -> int:
    """Fewest wagers within which the hit comes with this probability."""
    return ceil(log1p(-float(quantile)) / log1p(-float(chance)))


def meter_at(meter: MeterModel, quantile: Fraction) -> int:
    """Amount that the meter does not exceed, with this probability, when it is won."""
    if meter.exact:
        return int(meter.start + meter.rise * wagers_until(meter.chance, quantile))
    below = 0.0, 0.0
    for point in distribution(meter):
        if point[1] >= quantile:
            share = (float(quantile) - below[1]) / (point[1] - below[1])
            return round(below[0] + share * (point[0] - below[0]))
        below = point
    return round(below[0])


def won_within(meter: MeterModel, most: float) -> float:
    """The probability that the meter is no more than this when it is won."""
    if meter.exact:
        return max(0.0, -expm1(-float(meter.chance / meter.rise) * (most - meter.start)))
    points = distribution(meter)
    return _read([below for _, below in points], max(0.0, most) / points[1][0])


@lru_cache(256)
def distribution(meter: MeterModel) -> tuple[tuple[float, float], ...]:
    """Points (sum, probability that the meter is won at no more than it), rising."""
    lost = sum(float(part * chance) for part, chance in meter.parts)
    top = float(meter.start) + _REACH * float(meter.rise) / (float(meter.chance) + lost)
    top += _REACH * float(meter.reserve / meter.chance)
    step = top / (_POINTS - 1)
    sums = [step * number for number in range(_POINTS)]
    found = [won_within(meter, at) for at in sums] if meter.exact else _settled(meter, sums)
    return tuple(zip(sums, found, strict=True))


def _settled(meter: MeterModel, sums: list[float]) -> list[float]:
    """At each amount, the probability that a hit finds no more: first event first, then after partial wins.

    Between two events, each of which wins all or a part, the meter rises by an exponential sum.
    """
    ways = [(1 - float(part), float(chance)) for part, chance in meter.parts]
    events = float(meter.chance) + sum(chance for _, chance in ways)
    mean_rise = float(meter.rise) / events
    begun = list(_starts(meter, sums))
    first = list(_risen(begun, sums[1], mean_rise))
    last = float(meter.chance) / events
    now = first
    while True:
        kept = [0.0] * len(sums)
        for left, chance in ways:
            share = chance / events
            kept = [old + share * _read(now, at / left / sums[1]) for old, at in zip(kept, sums, strict=True)]
        again = _risen(kept, sums[1], mean_rise)
        then = [last * one + more for one, more in zip(first, again, strict=True)]
        if max(abs(new - old) for new, old in zip(then, now, strict=True)) < _SETTLED:
            return then
        now = then


def _starts(meter: MeterModel, sums: list[float]) -> Iterator[float]:
    """Probability that a cycle begins with no more than each amount."""
    gathered = float(meter.reserve / meter.chance)
    for at in sums:
        above = at - meter.start
        if above < 0:
            yield 0.0
        else:
            yield -expm1(-above / gathered) if gathered else 1.0


def _risen(below: list[float], step: float, mean: float) -> Iterator[float]:
    """The distribution after an exponential rise; `below` is interpolated linearly."""
    grows = step / mean
    left = exp(-grows)
    new = 1 + expm1(-grows) / grows
    old = 1 - left - new
    found, before = 0.0, 0.0
    for now in below:
        found = left * found + old * before + new * now
        before = now
        yield found


def _read(points: list[float], place: float) -> float:
    """Linear interpolation; beyond the last point, the last value."""
    at = int(place)
    if at >= len(points) - 1:
        return points[-1]
    return points[at] + (place - at) * (points[at + 1] - points[at])


class CyclePoint(NamedTuple):
    """Point of a path. wagers: since it began. meter: the amount shown, in micro-dollars."""

    wagers: int
    meter: float


def path(meter: MeterModel, now: float, wagers: int, seed: str) -> list[CyclePoint]:
    """One sample path of the meter over so many wagers, from `now`; a win has two points.

    The same seed gives the same path: what could be drawn is made of its digest.
    """
    often = meter.chance + sum(chance for _, chance in meter.parts)
    found, at, reserve = [CyclePoint(0, now)], 0, 0.0
    for number in range(_WINS_MAX):
        gap = ceil(log(_drawn(seed, 2 * number)) / log1p(-float(often)))
        more = min(gap, wagers - at)
        at, now, reserve = at + more, now + more * float(meter.rise), reserve + more * float(meter.reserve)
        found.append(CyclePoint(at, now))
        if at == wagers:
            break
        left = _drawn(seed, 2 * number + 1) * float(often) - float(meter.chance)
        if left < 0:
            now, reserve = meter.start + reserve, 0.0
        else:
            now *= 1 - float(_won_part(meter, left))
        found.append(CyclePoint(at, now))
    return found


def mystery_path(terms: MustHitByTerms, now: int, wagers: int, seed: str) -> list[CyclePoint]:
    """The same of a level that must hit by a sum, whose meter is the highest of its cycle."""
    found, at = [CyclePoint(0, now)], 0
    for number in range(_WINS_MAX):
        trigger = now + ceil(_drawn(seed, number) * (terms.must_hit_by - now))
        more = min(-(-(trigger - now) // terms.contribution), wagers - at)
        at, now = at + more, now + more * terms.contribution
        found.append(CyclePoint(at, min(now, terms.must_hit_by)))
        if at == wagers:
            break
        now = terms.minimum + now - floor_to_cent(min(now, terms.must_hit_by))
        found.append(CyclePoint(at, now))
    return found


def _won_part(meter: MeterModel, left: float) -> Fraction:
    """The part of the meter that is won."""
    for part, chance in meter.parts:
        left -= float(chance)
        if left < 0:
            return part
    return meter.parts[-1][0]


def _drawn(seed: str, number: int) -> float:
    """A uniform pseudo-random number above 0 and at most 1."""
    return (int.from_bytes(sha256(f"{seed} {number}".encode()).digest()[:6]) + 1) / 2**48
