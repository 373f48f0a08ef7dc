"""Order of the hits that wait for people, and how long each has waited, as every page says it."""

from collections.abc import Iterable
from typing import Final

from jackpot.rules.state import UNPAID
from jackpot.text import Sentence

# Awards that are a percentage of a meter, or all of it.
_OF_METER: Final = frozenset({"meter", "draw"})


def owes_meter(awards: Iterable[tuple[str, str]]) -> bool:
    """Whether an award of a meter is not paid yet. awards: the kind and the status of each."""
    return any(kind in _OF_METER and status in UNPAID for kind, status in awards)


def rank(*, of_meter: bool, left: int, at: int) -> tuple[bool, int, int]:
    """The place of a hit: those with an award of a meter by sum, the highest first; the rest by age.

    left: what is not paid yet, in any one unit. at: unix milliseconds.
    """
    return (False, -left, at) if of_meter else (True, 0, at)


def waited(ms: int) -> Sentence:
    """How long something has waited, in its two largest units."""
    minutes = max(ms, 0) // 60_000
    hours, days = minutes // 60, minutes // (24 * 60)
    if days:
        return Sentence("{days} d {hours} h", days=days, hours=hours % 24)
    if hours:
        return Sentence("{hours} h {minutes} min", hours=hours, minutes=minutes % 60)
    return Sentence("{minutes} min", minutes=minutes)
