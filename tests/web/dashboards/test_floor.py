"""The Floor dashboard shows whether the floor is healthy."""

import pytest

from jackpot.web.dashboards.floor import FLOOR
from tests.web.dashboards.asked import metrics


@pytest.mark.parametrize(
    "metric",
    [
        "jackpot_meter_currency_units",
        "jackpot_hits_total",
        "jackpot_table_rounds_total",
        "jackpot_table_connected",
        "jackpot_sign_connected",
        "jackpot_awards_waiting",
        "jackpot_requests_waiting",
        "jackpot_alarms_total",
    ],
)
def test_it_shows_what_it_is_for(metric: str) -> None:
    """Deploy: meters, rounds, hits, tables and signs on and off, what waits for people, alarms."""
    assert metric in metrics(FLOOR)
