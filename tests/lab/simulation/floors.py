"""Small simulated floors for tests."""

from datetime import date
from pathlib import Path
from typing import Final

from jackpot.config import Config, load
from jackpot.lab.simulation.plan import SimulationPlan, furnish
from jackpot.lab.simulation.run import FAIR, RandomSource, SimulationResult, simulate

FIRST: Final = date(2026, 1, 1)
FIVE: Final = SimulationPlan("pa-643a-five-card-C", "let-it-ride", 2, 6, 1, 3, 20, FIRST)


def played(
    folder: Path, plan: SimulationPlan = FIVE, *, keep: bool = True, luck: RandomSource = FAIR
) -> tuple[Config, SimulationResult]:
    """Plays a plan in a new folder."""
    folder.mkdir(parents=True)
    config = load(furnish(folder, plan))
    return config, simulate(plan, config, lambda _: None, keep=keep, luck=luck)
