"""The Server dashboard shows whether the program keeps up."""

import pytest

from jackpot.web.dashboards.server import SERVER
from tests.web.dashboards.asked import metrics


@pytest.mark.parametrize(
    "metric",
    [
        "jackpot_bank_active",
        "jackpot_wager_answer_seconds",
        "jackpot_commit_seconds",
        "jackpot_batch_rows",
        "jackpot_event_loop_lag_seconds",
        "process_resident_memory_bytes",
        "jackpot_refusals_total",
        "jackpot_ledger_disk_free_bytes",
    ],
)
def test_it_shows_what_it_is_for(metric: str) -> None:
    """Deploy: latencies, commits, rows a commit, lag, memory, refusals, and who holds which bank."""
    assert metric in metrics(SERVER)
