"""Cycles of must-hit-by levels, a million of each form: `python -m tests.soak mystery`.

Each form is held against the exact law, and against the other: how long its cycles are, what they pay, and
where in its range each trigger lies. What an award leaves begins the next cycle, so each has the law of its
own residue. The independent model plays both forms on three levels. Then simulated floors play as many
cycles with the engine itself, every hit validated and paid. The seed is fixed: a run says the same each
time. By chance one of a thousand seeds fails.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Final

from jackpot.lab.simulation.plan import SimulationPlan
from jackpot.odds.must_hit_by import MustHitByOdds, MustHitByTerms, odds_of
from jackpot.reports.statistics import chi_square_beyond, holm
from jackpot.rules.money import decimal
from tests.faults.model_mystery import COMMITTED, DRAWN, Level, Terms
from tests.faults.worked.form import usd
from tests.lab.simulation.floors import played as played_floor

FORMS: Final = (COMMITTED, DRAWN)
# Twenty equal steps; a last step that is shorter, and leaves a residue; steps below a cent.
LEVELS: Final[Mapping[str, Terms]] = {
    "equal steps": Terms(usd("10"), usd("20"), usd("5"), 1_000),
    "a shorter last step": Terms(usd("10"), usd("20.30"), usd("5"), 1_000),
    "parts of a cent": Terms(usd("1"), usd("1.50"), usd("1"), 333),
}
# The floor that the engine plays: a day has 1,209,600 wagers.
FLOOR: Final = SimulationPlan("mystery", "any", 12, 7, 1, 1, 600, date(2026, 1, 1))
# Of all comparisons of a run together (Holm): what fair play passes but for one seed in a thousand.
LEVEL: Final = 0.001
# Parts into which the range of each trigger is divided.
PARTS: Final = 20
# Lengths of which fewer are expected count as one with the next.
EXPECTED_MIN: Final = 25.0


@dataclass
class Played:
    """Cycles that were played. begun: how many with each residue. triggers: by the part of their range.

    started: what the house put on, all in all; left: what lies on the meter at the end.
    """

    lengths: Counter[int] = field(default_factory=Counter)
    begun: Counter[int] = field(default_factory=Counter)
    triggers: Counter[int] = field(default_factory=Counter)
    awards: int = 0
    started: int = 0
    left: int = 0

    @property
    def cycles(self) -> int:
        return self.lengths.total()

    @property
    def wagers(self) -> int:
        return sum(length * count for length, count in self.lengths.items())


Play = Callable[[Terms, str, int, int], Played]
"""Plays a level of these terms and of this form for so many cycles, with this seed."""


def by_model(terms: Terms, form: str, cycles: int, seed: int) -> Played:
    """Played by the independent model."""
    played, rng = Played(), Random(seed)

    def draw(low: int, high: int) -> int:
        value = rng.randrange(low, high) + 1
        played.triggers[(value - low - 1) * PARTS // (high - low)] += 1
        return value

    level = Level(terms, form, draw)
    for _ in range(cycles):
        played.begun[level.primary - terms.minimum] += 1
        wagers = 1
        while (award := level.contribute()) is None:
            wagers += 1
        played.lengths[wagers] += 1
        played.awards += award.amount
    played.started, played.left = level.house, level.primary
    return played


@cache
def exact(terms: Terms, residue: int) -> tuple[MustHitByOdds, Sequence[float], float]:
    """The figures of a cycle, the chance of each length, and the variance of the length."""
    odds = odds_of(MustHitByTerms(terms.minimum, terms.must_hit_by, terms.wager, terms.rate, residue))
    span = terms.must_hit_by - terms.minimum - residue
    law = [terms.rise / span] * (odds.wagers_max - 1)
    law.append(1 - terms.rise * (odds.wagers_max - 1) / span)
    mean = float(odds.mean_wagers)
    return odds, law, math.fsum(chance * (number - mean) ** 2 for number, chance in enumerate(law, 1))


def compared(terms: Terms, played: Played) -> dict[str, float]:
    """The chance of each comparison with the exact law."""
    laws = [(count, *exact(terms, residue)) for residue, count in played.begun.items()]
    expected: Counter[int] = Counter()
    for count, _, law, _ in laws:
        for number, chance in enumerate(law, 1):
            expected[number] += count * chance  # type: ignore[assignment]  # not a whole number
    mean = math.fsum(count * float(odds.mean_wagers) for count, odds, _, _ in laws)
    spread = math.sqrt(math.fsum(count * variance for count, _, _, variance in laws))
    awards = math.fsum(count * float(odds.mean_award) for count, odds, _, _ in laws)
    off = abs(played.awards - awards) / (terms.rise * spread)
    return {
        "lengths": fit(played.lengths, expected),
        "mean length": math.erfc(abs(played.wagers - mean) / spread / math.sqrt(2)),
        # an award is the meter, which rises with the wagers: it strays as they do, or less
        "mean award": math.erfc(off / math.sqrt(2)),
        "triggers": fit(played.triggers, dict.fromkeys(range(PARTS), played.triggers.total() / PARTS)),
    }


def fit(counts: Mapping[int, int], expected: Mapping[int, float]) -> float:
    """Chi-square of counts with those expected; nothing may come that cannot."""
    if any(count and not expected.get(number) for number, count in counts.items()):
        return 0.0
    groups = list(pooled([(counts.get(number, 0), mean) for number, mean in sorted(expected.items())]))
    square = math.fsum((count - mean) ** 2 / mean for count, mean in groups)
    return chi_square_beyond(square, len(groups) - 1)


def pooled(pairs: Iterable[tuple[int, float]]) -> Iterable[tuple[int, float]]:
    """Neighbours together, until so many of each group are expected."""
    count, mean = 0, 0.0
    for one, of in pairs:
        count, mean = count + one, mean + of
        if mean >= EXPECTED_MIN:
            yield count, mean
            count, mean = 0, 0.0
    if mean:
        yield count, mean


def alike(one: Played, other: Played) -> float:
    """The chance that both forms have lengths so different, were they of one law (two samples, as many)."""
    numbers = sorted(one.lengths | other.lengths)
    pairs = [(one.lengths[number], other.lengths[number]) for number in numbers]
    groups = [(a, b) for a, b in pairs if a + b >= 2 * EXPECTED_MIN]
    square = math.fsum((a - b) ** 2 / (a + b) for a, b in groups)
    return chi_square_beyond(square, len(groups) - 1)


def unbalanced(terms: Terms, played: Played) -> bool:
    """Whether money was made or lost: what came in is what was won and what is left (M4)."""
    return played.started + played.wagers * terms.rise != played.awards + played.left


def judged(cycles: int, seed: int, play: Play = by_model, only: str = "") -> dict[str, float]:
    """The chance of each comparison, corrected for their number (Holm); 0 where money is missing."""
    chances: dict[str, float] = {}
    for name, terms in LEVELS.items():
        if only not in name:
            continue
        forms = {form: play(terms, form, cycles, seed + place) for place, form in enumerate(FORMS)}
        for form, played in forms.items():
            assert played.cycles == cycles
            for what, chance in compared(terms, played).items():
                chances[f"{name}, {form}: {what}"] = 0.0 if unbalanced(terms, played) else chance
        chances[f"{name}: both forms alike"] = alike(*forms.values())
    return dict(zip(chances, holm(list(chances.values())), strict=True))


def by_engine(cycles: int, seed: int, only: str = "") -> dict[str, float]:
    """The chance of each part of the lengths that simulated floors of the engine had, by form (Holm)."""
    chances: dict[str, float] = {}
    for (name, terms), form in product(LEVELS.items(), FORMS):
        if only not in name:
            continue
        wagers = cycles * float(exact(terms, 0)[0].mean_wagers)
        days = math.ceil(wagers / (FLOOR.tables * FLOOR.players * FLOOR.rounds * 24))
        sums = (("seed", terms.minimum), ("must_hit_by", terms.must_hit_by))
        settings = (
            f"form={form}",
            f"wager={decimal(terms.wager)}",
            f"meter.primary={terms.rate / 100:.2f}%",
            *(f"meter.{key}={decimal(sum_)}" for key, sum_ in sums),
        )
        plan = FLOOR._replace(seed=seed + FORMS.index(form), days=days, settings=settings)
        with tempfile.TemporaryDirectory() as folder:
            _, result = played_floor(Path(folder) / "floor", plan, keep=False)
        assert result.problems == []
        print(f"engine: {name}, {form}: {sum(level.hits for level in result.levels):,} cycles", flush=True)
        chances |= {f"{name}, {form}, {what}": chance for (_, what), chance in result.chances().items()}
    return dict(zip(chances, holm(list(chances.values())), strict=True))


def soak(cycles: int, seed: int, only: str) -> int:
    """Plays so many cycles of each form, spread over the levels; 1 where a comparison is improbable."""
    began = time.monotonic()
    levels = [name for name in LEVELS if only in name]
    each = math.ceil(cycles / max(len(levels), 1))
    found: dict[str, float] = {}
    for player, play in (("model", judged), ("engine", by_engine)):
        chances = play(each, seed, only=only)
        for what, chance in chances.items():
            print(f"{player}: {what}: {chance:.3g}", flush=True)
        found |= {f"{player}: {what}": chance for what, chance in chances.items()}
    improbable = sum(chance < LEVEL for chance in found.values())
    print(
        f"{each * len(levels):,} cycles of each form by each: {improbable} of {len(found)} comparisons are "
        f"improbable, after {time.monotonic() - began:.0f} s"
    )
    return 1 if improbable or not found else 0
