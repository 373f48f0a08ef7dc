"""Money is counted in whole micro-dollars, without a hidden remainder."""

from hypothesis import given
from hypothesis.strategies import integers

from jackpot.rules.money import BASIS_POINTS, contribution, from_cents, to_cents

CENTS = integers(0, 10**11)


@given(CENTS, integers(0, BASIS_POINTS))
def test_a_contribution_is_never_rounded(cents: int, rate: int) -> None:
    """M2: a rate of hundredths of a per cent of whole cents is a whole number of micro-dollars."""
    wager = from_cents(cents)
    assert contribution(wager, rate) * BASIS_POINTS == wager * rate


@given(CENTS, integers(0, from_cents(1) - 1))
def test_cents_drop_their_fraction(cents: int, fraction: int) -> None:
    """M3: what is below a cent is dropped, and whole cents come back unchanged."""
    assert to_cents(from_cents(cents) + fraction) == cents
