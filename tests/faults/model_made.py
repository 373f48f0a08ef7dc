"""Cycles and table wagers that contributed to a jackpot, for the independent model (L10).

It looks at a link whose history nobody has folded. A reseed that was undone ended no cycle: what was wagered
before it and what was wagered after it made the same jackpot.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tests.faults.model_facts import Award, Change, Event, Fact, Level, Link, Turn, Wager, replay

# By table and account: what its wagers brought to the primary, with its overflow, and to the reserve.
Brought = Counter[tuple[str, str]]


@dataclass
class Made:
    """The composition of a jackpot, in micro-dollars. late: it was settled as of an earlier turn.

    brought: by each wager until then. returned: by those that were withdrawn, struck or void by then.
    """

    level: str
    cycle: int
    late: bool
    before: list[Fact]
    primary: int
    brought: list[Brought]
    returned: Brought

    def cycles(self) -> tuple[int, ...]:
        """The cycles since the last standing reseed; its own cycle is the last."""
        last = self._last_reset()
        reset = self.before[last] if last is not None else None
        ended = reset.winners[0][0].hit.cycle or 0 if isinstance(reset, Event) else 0
        return tuple(range(ended + 1, self.cycle + 1))

    def accepted(self) -> Brought:
        """By the wagers of these cycles, whether or not they went back."""
        return sum(self.brought[self._last_reset() or 0 :], Brought())

    def awards_before(self) -> set[str]:
        """Every percentage award of the link before it."""
        events = [fact for fact in self.before if isinstance(fact, Event)]
        return {award.id for event in events for each in event.winners for award in each}

    def _last_reset(self) -> int | None:
        """Index of the last standing win of the whole meter."""
        resets = [
            place
            for place, fact in enumerate(self.before)
            if isinstance(fact, Event) and (fact.level, fact.percent) == (self.level, 100) and fact.standing()
        ]
        return resets[-1] if resets else None


def made(link: Link, award: Award) -> Made:
    """The composition of a percentage award that is just won."""
    level = award.hit.level or ""
    place = next(number for number, fact in enumerate(link.facts) if won_by(fact, award))
    before, terms = link.facts[:place], link.terms[level]
    brought, returned = [], Brought()
    for fact in before:
        terms = fact.levels[level] if isinstance(fact, Change) else terms
        brought.append(by_wager(link, terms, fact))
        if isinstance(fact, Wager) and not fact.live:
            returned += brought[-1]
    late = not all(isinstance(fact, Event | Turn) for fact in link.facts[place:])
    primary = replay(link, level, before)[0].primary
    return Made(level, award.hit.cycle or 0, late, before, primary, brought, returned)


def by_wager(link: Link, terms: Level, fact: Fact) -> Brought:
    if not isinstance(fact, Wager):
        return Brought()
    rates = {"primary": terms.primary, "reserve": terms.reserve}
    return Brought({(fact.table, account): link.wager * rate for account, rate in rates.items()})


def won_by(fact: Fact, award: Award) -> bool:
    return isinstance(fact, Event) and any(award in each for each in fact.winners)
