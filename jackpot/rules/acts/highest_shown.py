"""The highest values of mystery levels that people saw, where the ledger has lost its newest rows (Y8).

A wager of a lost row may have lifted a meter and won nothing. The ledger does not know that it was decided,
while signs and tables have shown the sum. So the two people who let wagers in again state it for each level:
up to there nothing is decided again, and no trigger lies below.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from jackpot.rules.money import floor_to_cent, of_decimal
from jackpot.rules.refusal import refuse_if
from jackpot.rules.rounds import mystery
from jackpot.rules.state import BankState

# Maximum of levels of which one act states a value: more than a bank has.
_LEVELS_MAX: Final = 1_000
_LEVEL: Final = r"[A-Za-z0-9._-]{1,64}\.[a-z]{1,16}"

Highest = Annotated[
    tuple[Annotated[str, Meta(pattern=rf"^{_LEVEL}=[0-9]{{1,10}}(\.[0-9]{{1,6}})?(?!\n)$")], ...],
    Meta(max_length=_LEVELS_MAX, description='levels with a sum each, such as "must-hit.meter=12.34"'),
]


class StatedValue(msgspec.Struct, frozen=True, array_like=True):
    """A mystery level, and the sum up to which all is decided from now on; micro-dollars."""

    link: int
    level: int
    decided: int


def decide_stated(state: BankState, lost: Iterable[int], highest: Sequence[str]) -> list[StatedValue]:
    """What people state of every mystery level of these links; of no other level.

    Signs show whole cents: a value that is the ledger's own, but for a fraction of one, is not below it.
    """
    asked = {
        f"{link.terms.link}.{level.terms.level}": (link, level)
        for link in map(state.link, lost)
        if link.terms.form and not link.closed
        for level in link.levels
    }
    said: dict[str, int] = {}
    for name, _, amount in (text.partition("=") for text in highest):
        refuse_if(name in said, "highest_twice", level=name)
        refuse_if(name not in asked, "highest_not_asked", level=name)
        said[name] = of_decimal(amount)
    missing = [name for name in asked if name not in said]
    refuse_if(bool(missing), "highest_missing", levels=missing)
    found = []
    for name, (link, level) in asked.items():
        cycle = mystery.cycle_of(level)
        most = mystery.must_hit_sum(cycle.terms)
        low = said[name] < floor_to_cent(cycle.decided)
        refuse_if(low, "highest_too_low", level=name, decided=cycle.decided)
        refuse_if(said[name] >= most, "highest_too_high", level=name, most=most)
        found.append(StatedValue(link.number, level.number, max(said[name], cycle.decided)))
    return found


def apply_stated(state: BankState, stated: Iterable[StatedValue]) -> None:
    """Counts as decided what people stated; triggers are replaced besides."""
    for one in stated:
        mystery.raise_decided(state.link(one.link).levels[one.level - 1], one.decided)


def every_link(state: BankState) -> list[int]:
    """The links that a table's lost answers may be about: a lost row may be of any."""
    return [link.number for link in state.links if not link.closed]
