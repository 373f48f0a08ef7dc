"""A level's accounts: contributions raise the meter, awards lower it (L6, L7, A2-A4)."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import msgspec

from jackpot.rules.money import BASIS_POINTS, MICROS_PER_CENT, floor_to_cent
from jackpot.rules.paytable import LevelTerms
from jackpot.rules.postings import Posting

# What wagers add is the same row after row until the level's next cycle: kept, a round takes 6 % fewer steps.
# 500 links of three levels with seven seats fit, at some 200 bytes each.
RISES_KEPT: Final = 16_384


class Accounts(msgspec.Struct, array_like=True, gc=False):
    """The eight accounts of one level, in micro-dollars; they always sum to zero (M4).

    Sources (house, wagers, corrections, transfers) stand negative, uses positive.
    """

    primary: int = 0
    reserve: int = 0
    overflow: int = 0
    house: int = 0
    wagers: int = 0
    awards: int = 0
    corrections: int = 0
    transfers: int = 0

    def copy(self) -> "Accounts":
        """An independent copy of the balances."""
        return Accounts(*self.values())

    def values(self) -> tuple[int, int, int, int, int, int, int, int]:
        """The balances in the order of a posting's columns."""
        return msgspec.structs.astuple(self)

    def less(self, other: "Accounts") -> "Accounts":
        """The change since `other`."""
        return Accounts(*(a - b for a, b in zip(self.values(), other.values(), strict=True)))

    def add(self, change: "Accounts") -> None:
        """Moves every account by the change."""
        self.primary += change.primary
        self.reserve += change.reserve
        self.overflow += change.overflow
        self.house += change.house
        self.wagers += change.wagers
        self.awards += change.awards
        self.corrections += change.corrections
        self.transfers += change.transfers


def is_sound(balances: Sequence[int], limit: int | None) -> bool:
    """Balanced, nothing negative, the primary within its limit (M4, L7, A11)."""
    primary, reserve, overflow, _, _, awards, _, _ = balances
    if sum(balances) or min(primary, reserve, overflow, awards) < 0:
        return False
    return limit is None or primary <= limit


def opened(terms: LevelTerms) -> Accounts:
    """The accounts of a new level: the seed, from the house (L4)."""
    return Accounts(primary=terms.seed, house=-terms.seed)


def parts(terms: LevelTerms, wagered: int) -> tuple[int, int]:
    """The contributions of a wager to primary and reserve on these terms (L6, M2); micro-dollars."""
    return wagered * terms.primary // BASIS_POINTS, wagered * terms.reserve // BASIS_POINTS


@lru_cache(RISES_KEPT)
def rise(link: int, level: int, cycle: int, terms: LevelTerms, wagered: int) -> Posting:
    """The posting of a wager's contributions, before a limit."""
    primary, reserve = parts(terms, wagered)
    return Posting(link, level, cycle, primary=primary, reserve=reserve, wagers=-primary - reserve)


def contribute(accounts: Accounts, terms: LevelTerms, primary: int, reserve: int) -> None:
    """Adds contributions at once; what would rise above the limit goes to overflow (L6, L7)."""
    accounts.wagers -= primary + reserve
    accounts.reserve += reserve
    accounts.primary += primary
    if terms.limit is not None:
        hold_limit(accounts, terms)


def formula(primary: int, rate: int, parts: int) -> int:
    """`rate` of the primary in equal parts, each floored to the cent (M3, T5, A6); micro-dollars."""
    return primary * rate // (BASIS_POINTS * parts * MICROS_PER_CENT) * MICROS_PER_CENT


def take(
    accounts: Accounts, terms: LevelTerms, *, rate: int, from_meter: int, total: int, floor: int | None
) -> int:
    """Pays `total`: the meter gives `from_meter`, the house the rest; a whole meter reseeds (A2-A4, A11).

    floor: to what the house restores it after a part of it was paid, None: to nothing (A4). Returns the
    house's money that enters the meter; micro-dollars.
    """
    accounts.awards += total
    accounts.primary -= from_meter
    accounts.house -= total - from_meter
    entered = 0
    if rate == BASIS_POINTS:
        entered = terms.reseed
        accounts.primary += entered + accounts.reserve + accounts.overflow
        accounts.reserve = accounts.overflow = 0
    elif floor is not None and accounts.primary < floor:
        entered = floor - accounts.primary
        accounts.primary = floor
    accounts.house -= entered
    hold_limit(accounts, terms)
    return entered


def move(accounts: Accounts, terms: LevelTerms, change: Accounts) -> None:
    """People move money to the level, or from it (L8); what the accounts do not have the house makes up."""
    accounts.add(change)
    for account in ("primary", "reserve", "overflow"):
        lack = -min(0, getattr(accounts, account))
        setattr(accounts, account, getattr(accounts, account) + lack)
        accounts.house -= lack
    hold_limit(accounts, terms)


def correct_award(accounts: Accounts, terms: LevelTerms, difference: int, least: int) -> None:
    """Raises or lowers an award by the difference: the meter takes the difference (A10).

    It gives whole cents, and no more than leaves `least` on the primary; the house pays the rest.
    """
    from_meter = min(difference, floor_to_cent(max(0, accounts.primary - least)))
    accounts.primary -= from_meter
    accounts.house -= difference - from_meter
    accounts.awards += difference
    hold_limit(accounts, terms)


def hold_limit(accounts: Accounts, terms: LevelTerms) -> None:
    """Moves what stands above the limit to overflow (L7)."""
    if terms.limit is not None and accounts.primary > terms.limit:
        accounts.overflow += accounts.primary - terms.limit
        accounts.primary = terms.limit
