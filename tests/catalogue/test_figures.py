"""Money and rates are parsed exactly, and nothing is guessed from other text."""

import pytest

from jackpot.catalogue import parse_money, parse_rate


@pytest.mark.parametrize(
    ("text", "micros"),
    [("0", 0), ("1", 1_000_000), ("1.5", 1_500_000), ("0.01", 10_000), ("5000.000", 5_000_000_000)],
)
def test_money_is_read_exactly(text: str, micros: int) -> None:
    """M1: decimal text becomes whole micro-dollars."""
    assert parse_money(text) == micros


@pytest.mark.parametrize(
    "text", ["", "-1.00", "1.001", "1e3", " 1", "1,000", ".5", "1.", "\u0661", "1000000000.01"]
)
def test_what_is_no_money(text: str) -> None:
    """M1: nothing is guessed from other text."""
    with pytest.raises(ValueError, match=r"sum of money|finer|most that"):
        parse_money(text)


@pytest.mark.parametrize(
    ("text", "rate"), [("0.01%", 1), ("15%", 1_500), ("12.50%", 1_250), ("100.00%", 10_000)]
)
def test_a_rate_is_read_exactly(text: str, rate: int) -> None:
    """M2: a rate is a multiple of 0.01 %."""
    assert parse_rate(text) == rate


@pytest.mark.parametrize("text", ["15", "0.001%", "101%", "-1%", "15 %", "%"])
def test_what_is_no_rate(text: str) -> None:
    """M2: a finer rate is refused, and so is more than the whole wager."""
    with pytest.raises(ValueError, match=r"not a rate|finer than 0.01 %|more than the whole"):
        parse_rate(text)
