"""The Link dashboard shows what one progressive does."""

import pytest

from jackpot.web.dashboards.link import LINK
from tests.web.dashboards.asked import metrics


@pytest.mark.parametrize(
    "metric",
    [
        "jackpot_meter_currency_units",
        "jackpot_hits_total",
        "jackpot_hit_probability_ratio",
        "jackpot_contributions_currency_units",
        "jackpot_house_currency_units",
        "jackpot_wins_currency_units",
        "jackpot_cycle",
    ],
)
def test_it_shows_what_it_is_for(metric: str) -> None:
    """Deploy: each level with its hits, those that its odds let expect, and all of its money."""
    assert metric in metrics(LINK)
