"""Cycles of simulated must-hit-by levels are held against the exact law of each."""

from contextlib import closing
from pathlib import Path
from random import Random
from typing import Final

import pytest

from jackpot.config.mystery_key import read_mystery_key
from jackpot.lab.bench.ledger_fixture import BANK
from jackpot.lab.simulation.cycles import LevelCycles
from jackpot.lab.simulation.plan import KEY
from jackpot.ledger.open import open_reader
from jackpot.ledger.trigger_rows import stored
from jackpot.ledger.trigger_vault import unseal
from jackpot.ledger.verify.verifier import verify
from jackpot.rules.money import MICROS_PER_CENT, MICROS_PER_UNIT
from jackpot.rules.paytable import LevelTerms
from tests.lab.simulation.floors import FIVE, played

DOLLAR: Final = MICROS_PER_UNIT
# Seven wagers of $1.50 from $10 to $20.07: an award of the last leaves 43 cents.
TERMS: Final = LevelTerms("meter", 3_000, 0, 10 * DOLLAR, 10 * DOLLAR, must_hit_by=2_007 * MICROS_PER_CENT)
PLAN: Final = FIVE._replace(
    paytable="mystery",
    game="any",
    settings=(
        "mega.seed=10.00", "mega.must_hit_by=20.07", "mega.primary=30%",
        "minor.seed=0.00", "minor.must_hit_by=5.00", "minor.primary=3.33%",
    ),
)  # fmt: skip


def chances(cycles: int, seed: int, above: int = 0) -> list[float]:
    """Of a level whose triggers lie at least so much above its meter."""
    level, rng = LevelCycles(TERMS, 5 * DOLLAR), Random(seed)
    most, rise = TERMS.must_hit_by or 0, 1_500_000
    meter = TERMS.seed
    for _ in range(cycles):
        trigger = rng.randint(min(meter + 1 + above, most), most)
        while meter < trigger:
            meter += rise
            level.wager()
        award = min(meter, most) // MICROS_PER_CENT * MICROS_PER_CENT
        level.won(award)
        meter = TERMS.seed + meter - award
    return [finding.chance or 0.0 for finding in level.findings()]


def test_cycles_with_residues_have_their_own_law() -> None:
    """Y1, Y5: what an award leaves shortens the next cycle; seeded."""
    found = chances(20_000, 1)
    assert len(found) == 5
    assert min(found) > 0.001


def test_other_triggers_are_found() -> None:
    """Y1: a level that spares its first wager."""
    assert min(chances(2_000, 1, above=1_500_000)) < 1e-6


def test_nothing_is_said_of_no_cycles() -> None:
    """Y5: of a level that was never won."""
    assert LevelCycles(TERMS, 5 * DOLLAR).findings() == []


@pytest.mark.parametrize("form", ["drawn", "committed"])
def test_a_floor_of_the_engine_has_the_exact_law(tmp_path: Path, form: str) -> None:
    """Y2, Y3, Y5, M4: two levels, every hit paid, kept or not; the same seed plays the same again."""
    plan = PLAN._replace(settings=(*PLAN.settings, f"form={form}"))
    config, kept = played(tmp_path / "kept", plan)
    _, thrown = played(tmp_path / "thrown", plan, keep=False)
    assert kept.problems == thrown.problems == []
    assert (kept.rows, kept.levels) == (thrown.rows, thrown.levels)
    assert all(level.hits > 300 for level in kept.levels)
    (wager,) = kept.wagers
    assert min(kept.chances().values()) > 0.001
    assert {finding.what.partition(":")[0] for finding in wager.judged.findings} == {"mega", "minor"}
    # all that was put on is won, but for what is left
    assert abs(wager.returned - wager.exact) < 0.02
    with closing(open_reader(config.ledger.url)) as ledger:
        assert not verify(ledger, BANK).problems
        running = [unseal(read_mystery_key(config.path.parent / KEY), row) for row in stored(ledger)]
    assert len(running) == (2 if form == "committed" else 0)
