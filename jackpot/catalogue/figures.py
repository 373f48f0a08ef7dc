"""Parsing and formatting of money, rates and payouts as decimal text, without floats (M1, M2)."""

import re
from fractions import Fraction
from typing import Final

from jackpot.rules.money import BASIS_POINTS, MICROS_PER_CENT, MICROS_PER_UNIT
from jackpot.rules.paytable import Fixed, ForOne, Pays, Percent, ToOne
from jackpot.rules.terms import SUM_MAX

MONEY: Final = re.compile(r"(\d{1,14})(?:\.(\d+))?", re.ASCII)
RATE: Final = re.compile(r"(\d{1,3})(?:\.(\d+))?%", re.ASCII)
PAYS: Final = re.compile(
    r"(?P<percent>[\d.]+%) of (?P<level>[a-z]+)|(?P<n>\d+) (?P<how>for|to) 1|\$(?P<sum>[\d.]+)", re.ASCII
)
RATIO: Final = re.compile(r"(?P<n>\d+) to (?P<of>[1-9]\d*)", re.ASCII)


def parse_money(text: str) -> int:
    """Parses a decimal string of whole cents into micro-dollars (M1). Raises ValueError."""
    match = MONEY.fullmatch(text)
    if match is None:
        raise ValueError(f'{text!r} is not a sum of money: write it like "5000.00"')
    whole, fraction = match[1], (match[2] or "").rstrip("0")
    if len(fraction) > 2:
        raise ValueError(f"{text!r} is finer than a cent (M1)")
    micros = int(whole + fraction.ljust(2, "0")) * MICROS_PER_CENT
    if micros > SUM_MAX:
        raise ValueError(f"{text!r} is more than {money_text(SUM_MAX)}, the most that the books carry")
    return micros


def parse_rate(text: str) -> int:
    """Parses a percentage into basis points. Raises ValueError if finer than 0.01 % (M2) or above 100 %."""
    match = RATE.fullmatch(text)
    if match is None:
        raise ValueError(f'{text!r} is not a rate: write it like "15%" or "0.25%"')
    fraction = (match[2] or "").rstrip("0")
    if len(fraction) > 2:
        raise ValueError(f"{text!r} is finer than 0.01 % (M2)")
    rate = int(match[1] + fraction.ljust(2, "0"))
    if rate > BASIS_POINTS:
        raise ValueError(f"{text!r} is more than the whole wager")
    return rate


def parse_pays(text: str) -> Pays:
    """Parses a row's printed payout. Raises ValueError where it has none of the four forms."""
    match = PAYS.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no payout")
    if match["percent"]:
        return Percent(match["level"], parse_rate(match["percent"]))
    if match["sum"]:
        return Fixed(parse_money(match["sum"]))
    return ForOne(int(match["n"])) if match["how"] == "for" else ToOne(int(match["n"]))


def money_text(micros: int) -> str:
    """Formats a sum for messages, in the site's currency, whatever that is: "5,000.00"."""
    whole, rest = divmod(micros, MICROS_PER_UNIT)
    return f"{whole:,}.{rest // MICROS_PER_CENT:02}"


def rate_text(rate: int) -> str:
    """Formats basis points for people and messages: "15 %", "0.25 %"."""
    whole, rest = divmod(rate, 100)
    return f"{whole}.{rest:02} %".replace(".00 ", " ")


def for_one(text: str) -> int:
    """The N of "N for 1"."""
    pays = parse_pays(text)
    if not isinstance(pays, ForOne):
        raise ValueError(f"{text!r} is not N for 1")  # noqa: TRY004 - the type is right, the text is not
    return pays.n


def to_one(text: str) -> int:
    """The N of "N to 1"."""
    pays = parse_pays(text)
    if not isinstance(pays, ToOne):
        raise ValueError(f"{text!r} is not N to 1")  # noqa: TRY004 - the type is right, the text is not
    return pays.n


def parse_printed(text: str) -> Fraction:
    """How many wagers a printed row wins, without the one that is returned: "3 to 2", "push" (B2).

    Raises ValueError where it is neither.
    """
    if text == "push":
        return Fraction(0)
    match = RATIO.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is neither odds nor a push")
    return Fraction(int(match["n"]), int(match["of"]))
