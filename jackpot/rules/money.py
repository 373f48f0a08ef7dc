"""Money in whole micro-dollars (M1)."""

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


def decimal(micros: int) -> str:
    """A sum as JSON carries it (M1): "9999.21", "-0.50"; below a cent only where it has a fraction there."""
    whole, rest = divmod(abs(micros), MICROS_PER_UNIT)
    fraction = f"{rest:06}".rstrip("0").ljust(2, "0")
    return f"{'-' if micros < 0 else ''}{whole}.{fraction}"


def of_decimal(text: str) -> int:
    """Micro-dollars of a text that `decimal` wrote."""
    whole, _, fraction = text.removeprefix("-").partition(".")
    micros = int(whole) * MICROS_PER_UNIT + int(fraction.ljust(6, "0"))
    return -micros if text.startswith("-") else micros
