"""How is money counted? In whole micro-dollars, always (M1)."""

from typing import Final

MICROS_PER_CENT: Final = 10_000
MICROS_PER_UNIT: Final = 1_000_000

# A rate is counted in hundredths of a per cent (M2): 10_000 basis points are 100 %.
BASIS_POINTS: Final = 10_000


def from_cents(cents: int) -> int:
    """Micro-dollars of a whole number of cents."""
    return cents * MICROS_PER_CENT


def to_cents(micros: int) -> int:
    """Whole cents of a sum; the fraction below a cent is dropped (M3)."""
    return micros // MICROS_PER_CENT


def floor_to_cent(micros: int) -> int:
    """The sum without its fraction below a cent, in micro-dollars (M3)."""
    return micros - micros % MICROS_PER_CENT


def contribution(wager: int, rate: int) -> int:
    """What one wager adds to a meter: wager x rate, never rounded (M2).

    wager: micro-dollars, a whole number of cents. rate: basis points.
    """
    return wager * rate // BASIS_POINTS
