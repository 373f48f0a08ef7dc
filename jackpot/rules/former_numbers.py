"""Numbers that hits and awards had in the banks that became this one (A10).

A joined bank numbers the hits and awards of its parts again, above each number that any part has given. So an
old number is nobody's here: who names one, from a paper of before, is told the new one, and no act is done
with another hit than they mean.
"""

from collections.abc import Iterable, Iterator
from typing import Literal

from jackpot.rules.refusal import Refusal, refuse_if
from jackpot.rules.state import BankState, NumberRange, Part

Letter = Literal["H", "A"]
"""The first letter of an id: of a hit, or of an award."""


def former(parts: Iterable[Part], letter: Letter, number: int) -> list[tuple[str, int]]:
    """Each bank in which a hit or award had another number, and that number; the last bank first.

    parts: of the bank whose number it is.
    """
    return [
        (bank, number - there.moved)
        for bank, there in _ranges(parts, letter)
        if there.first <= number < there.end
    ]


def refuse_former(state: BankState, letter: Letter, number: int) -> None:
    """Refuses a number from before banks were joined, and says which numbers it has here."""
    first = state.first_hit if letter == "H" else state.first_award
    if not 0 < number < first:
        return
    now = [
        f"{letter}{number + there.moved} ({bank})"
        for bank, there in _ranges(state.parts, letter)
        if there.first <= number + there.moved < there.end
    ]
    name = f"{letter}{number}"
    if letter == "H":
        refuse_if(bool(now), "hit_renumbered", hit=name, bank=state.bank, now=now)
        raise Refusal("hit_before_join", hit=name, bank=state.bank)
    refuse_if(bool(now), "award_renumbered", award=name, bank=state.bank, now=now)
    raise Refusal("award_before_join", award=name, bank=state.bank)


def _ranges(parts: Iterable[Part], letter: Letter) -> Iterator[tuple[str, NumberRange]]:
    return ((part.bank, part.hits if letter == "H" else part.awards) for part in parts)
