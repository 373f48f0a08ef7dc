"""Floors that may be simulated, and the messages for those that may not."""

from pathlib import Path

import pytest

from jackpot.lab.simulation.plan import PlanError, furnish, game_of
from tests.lab.simulation.floors import FIVE


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("wager", "is not like"),
        ("id=x", "is not like"),
        ("meter.=5", "is not like"),
        ("Wager=1", "is not like"),
    ],
)
def test_what_is_no_setting_is_named(tmp_path: Path, setting: str, said: str) -> None:
    """Wrong input gets one clear line."""
    with pytest.raises(PlanError, match=said):
        furnish(tmp_path, FIVE._replace(settings=(setting,)))


def test_a_game_has_its_seats() -> None:
    """Wrong input: no player sits where the game has no seat, and no paytable is played in another game."""
    with pytest.raises(PlanError, match="6 seats, not 7"):
        game_of("pa-653a-progressive-C", "ultimate-texas-holdem", 7)
    with pytest.raises(PlanError, match="not three-card-poker"):
        game_of("pa-643a-five-card-C", "three-card-poker", 6)
