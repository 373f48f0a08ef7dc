"""Where does a configuration differ from what the ledger holds, and what does it add to a wager's return?"""

from fractions import Fraction
from typing import Any, Final

import msgspec

from jackpot.catalogue import money_text, rate_text
from jackpot.rules.money import BASIS_POINTS
from jackpot.rules.paytable import LevelTerms, LinkTerms

MONEY_FIELDS: Final = frozenset({"wager", "validate_at", "seed", "reseed", "limit"})
RATE_FIELDS: Final = frozenset({"primary", "reserve"})

# A seat's cards that the Magic Card is held against: the player's three and the two community cards (A7).
MAGIC_CARDS: Final = 5
DECK_SIZE: Final = 52


def differences(journal: LinkTerms, config: LinkTerms) -> list[str]:
    """Where the terms in the ledger and in the configuration differ, each in words (L9); pure."""
    found = []
    for field in LinkTerms.__struct_fields__:
        old, new = getattr(journal, field), getattr(config, field)
        if old == new:
            continue
        if field == "levels":
            found += _level_differences(old, new)
        else:
            found.append(
                f"{field}: {_shown(field, old)} in the ledger, {_shown(field, new)} in the configuration"
            )
    return found


def _level_differences(old: tuple[LevelTerms, ...], new: tuple[LevelTerms, ...]) -> list[str]:
    if [level.level for level in old] != [level.level for level in new]:
        shown = [", ".join(level.level for level in levels) for levels in (old, new)]
        return [f"levels: {shown[0]} in the ledger, {shown[1]} in the configuration"]
    return [
        f"level {was.level} {field}: {_shown(field, getattr(was, field))} in the ledger, "
        f"{_shown(field, getattr(now, field))} in the configuration"
        for was, now in zip(old, new, strict=True)
        for field in LevelTerms.__struct_fields__
        if getattr(was, field) != getattr(now, field)
    ]


def _shown(field: str, value: Any) -> str:
    if value is None:
        return "none"
    if field in MONEY_FIELDS:
        return money_text(value)
    if field in RATE_FIELDS:
        return rate_text(value)
    if isinstance(value, tuple):
        return msgspec.json.encode(value).decode()
    return str(value)


def rates_of(terms: LinkTerms) -> Fraction:
    """What goes onto the meters, primary and reserve, as a part of the wager (L6)."""
    return Fraction(sum(level.primary + level.reserve for level in terms.levels), BASIS_POINTS)


def draws_return(terms: LinkTerms, seats: int) -> Fraction:
    """What the Magic Card and the Lucky Bonus return on average, as a part of the wager (A7).

    Exact for a seat with one wager, which is the most: the prize is once a seat. seats: of the table,
    one of whose boxes is drawn. One of 52 cards is drawn and held against the five cards of the hand.
    """
    magic = Fraction(MAGIC_CARDS * terms.magic_for, DECK_SIZE * terms.magic_every) if terms.magic_every else 0
    lucky = Fraction(terms.lucky_for, seats * terms.lucky_every) if terms.lucky_every else 0
    return Fraction(magic + lucky)


def percent_text(part: Fraction) -> str:
    """A part of the wager as a percentage of two decimals, cut: "192.30 %"."""
    hundredths = part.numerator * BASIS_POINTS // part.denominator
    return f"{hundredths // 100}.{hundredths % 100:02} %"
