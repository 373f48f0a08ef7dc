"""A worked cycle of a must-hit-by link: an example whose random values are given, and how it is played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from tests.faults.worked.form import Example, usd
from tests.faults.worked.play import Player, Subject, same

Where = tuple[str, str]
"""A link and a level."""


class Given:
    """The random values of one level, in the order in which they are drawn."""

    def __init__(self, triggers: tuple[str, ...]) -> None:
        self.left = [usd(text) for text in triggers]

    def draw(self, low: int, high: int) -> int:
        """The next trigger, above `low` and at most `high`."""
        assert self.left, f"one draw too many, between {low} and {high}"
        assert low < self.left[0] <= high, f"{self.left[0]} is not between {low} and {high}"
        return self.left.pop(0)


@dataclass(frozen=True)
class Cycle(Example):
    """An example of links whose options are the form, and the terms of each level.

    triggers: by link and level, dollars. Of a committed level the trigger of each commitment, in order; of a
    drawn one the trigger that each wager would have had to reach which decided, in order. Exactly these are
    drawn. highest: the highest meter decided without a win, at the end.
    """

    triggers: Mapping[Where, tuple[str, ...]] = field(default_factory=dict)
    highest: Mapping[Where, str] = field(default_factory=dict)


class MysterySubject(Subject, Protocol):
    """A subject whose draws were given to it."""

    def highest(self) -> dict[Where, int]:
        """In micro-dollars, by link and level."""


def play_cycle(cycle: Cycle, subject: MysterySubject, given: Mapping[Where, Given]) -> None:
    """Raises AssertionError with the first difference."""
    Player(cycle, subject).play()
    highest = subject.highest()
    for where, dollars in cycle.highest.items():
        same(f"highest meter decided of {where}", highest[where], usd(dollars))
    for where, of in given.items():
        same(f"draws left of {where}", of.left, [])
