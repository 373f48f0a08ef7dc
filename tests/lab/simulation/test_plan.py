"""Floors that may be simulated, and the messages for those that may not."""

from pathlib import Path

import pytest

from jackpot.config import load
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
        game_of(("pa-653a-progressive-C",), "ultimate-texas-holdem", 7)
    with pytest.raises(PlanError, match="not three-card-poker"):
        game_of(("pa-643a-five-card-C",), "three-card-poker", 6)


def test_wagers_of_one_table_are_of_one_game() -> None:
    """L1, B1: a link and offers, or offers alone, at a game that all of them are for."""
    assert game_of(("pa-643a-five-card-C", "pa-653a-trips-A"), None, 6) == "ultimate-texas-holdem"
    assert game_of(("pa-674a-five-card-bonus",), None, 6) == "criss-cross-poker"
    with pytest.raises(PlanError, match="different games"):
        game_of(("pa-674a-five-card-bonus", "pa-653a-trips-A"), None, 6)
    with pytest.raises(PlanError, match="--paytable, --offer, or both"):
        game_of((), None, 6)


def test_what_an_offer_leaves_open_may_be_set(tmp_path: Path) -> None:
    """B2, B3, B16: place and amounts of an offer, and the six cards of 653a; a base wager is no offer."""
    plan = FIVE._replace(
        paytable=None,
        game="ultimate-texas-holdem",
        offers=("pa-653a-trips-A", "pa-653a-six-card-bonus-B"),
        settings=(
            "pa-653a-trips-A.most=100.00",
            "pa-653a-six-card-bonus-B.cards=own-1,own-2,board-1,board-2,board-3,dealer-1",
        ),
    )
    trips, six = load(furnish(tmp_path, plan)).links
    assert (trips.wager, trips.most, trips.unit, trips.placed) == (
        5_000_000,
        100_000_000,
        5_000_000,
        "layout",
    )
    assert six.cards == ("own-1", "own-2", "board-1", "board-2", "board-3", "dealer-1")
    with pytest.raises(PlanError, match="of what is simulated"):
        furnish(tmp_path / "other", plan._replace(settings=("pa-643a-six-card-bonus-A.most=5.00",)))
    with pytest.raises(PlanError, match="is no offer"):
        furnish(tmp_path / "base", plan._replace(offers=("pa-653a-blind-A",), settings=()))
