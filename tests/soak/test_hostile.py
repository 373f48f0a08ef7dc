"""The soak's measure of slow answers: what an attack has slowed, and nothing else."""

import pytest

from tests.soak.hostile import P99_LEAST_S, P99_S, is_slow


@pytest.mark.parametrize(
    ("during", "quiet", "slow"),
    [
        (0.039, [0.004], False),
        (0.041, [0.004], True),
        (0.041, [0.004, 0.030, 0.005], False),
        (0.061, [0.004, 0.030, 0.005], True),
        (P99_S, [1.0], False),
        (P99_S + 0.001, [1.0], True),
    ],
)
def test_answers_are_held_against_the_worst_quiet_time(during: float, quiet: list[float], slow: bool) -> None:
    """S9: twice the worst that the machine does by itself, and never more than 100 ms."""
    assert P99_LEAST_S == 0.02
    assert is_slow(during, quiet) is slow
