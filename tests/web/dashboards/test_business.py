"""The Business dashboard shows whether the link earns."""

import pytest

from jackpot.web.dashboards.business import BUSINESS
from tests.web.dashboards.asked import metrics


@pytest.mark.parametrize(
    "metric",
    [
        "jackpot_table_wagers_total",
        "jackpot_table_info",
        "jackpot_awards_made_currency_units_total",
        "jackpot_contributions_currency_units",
        "jackpot_house_currency_units",
    ],
)
def test_it_shows_what_it_is_for(metric: str) -> None:
    """Deploy: wagers by table and game, what envy costs, contributions next to house money."""
    assert metric in metrics(BUSINESS)
