"""What made a jackpot? For the independent model: the cycles it grew through, each table's wagers (L10).

It looks at a link whose history nobody has folded. A reseed that was undone ended no cycle: what was wagered
before it and what was wagered after it made the same jackpot.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tests.faults.model_facts import Award, Change, Event, Fact, Level, Link, Wager, replay

# By table and account: what its wagers brought to the primary, with its overflow, and to the reserve.
Brought = Counter[tuple[str, str]]


@dataclass
class Made:
    """Of what a percentage was taken, in micro-dollars. brought: by each wager until then.

    returned: of these wagers by the ones that were withdrawn, struck or void by then.
    """

    level: str
    before: list[Fact]
    primary: int
    brought: list[Brought]
    returned: Brought

    def cycles(self) -> tuple[int, ...]:
        """From the last reseed on that stands today; its own cycle is the last."""
        resets = [stands for _, stands in self._resets()]
        last = max((number for number, stands in enumerate(resets, 2) if stands), default=1)
        return tuple(range(last, len(resets) + 2))

    def accepted(self) -> Brought:
        """By the wagers of these cycles, whether or not they went back."""
        standing = [place for place, stands in self._resets() if stands]
        return sum(self.brought[standing[-1] if standing else 0 :], Brought())

    def _resets(self) -> list[tuple[int, bool]]:
        """Where the whole meter was won, and whether that stands today."""
        return [
            (place, bool(fact.standing()))
            for place, fact in enumerate(self.before)
            if isinstance(fact, Event) and (fact.level, fact.percent) == (self.level, 100)
        ]


def made(link: Link, award: Award) -> Made:
    """What has made a percentage award, when it is just won."""
    level = award.hit.level or ""
    place = next(number for number, fact in enumerate(link.facts) if won_by(fact, award))
    before, terms = link.facts[:place], link.terms[level]
    brought, returned = [], Brought()
    for fact in before:
        terms = fact.levels[level] if isinstance(fact, Change) else terms
        brought.append(by_wager(link, terms, fact))
        if isinstance(fact, Wager) and not fact.live:
            returned += brought[-1]
    return Made(level, before, replay(link, level, before)[0].primary, brought, returned)


def by_wager(link: Link, terms: Level, fact: Fact) -> Brought:
    if not isinstance(fact, Wager):
        return Brought()
    rates = {"primary": terms.primary, "reserve": terms.reserve}
    return Brought({(fact.table, account): link.wager * rate for account, rate in rates.items()})


def won_by(fact: Fact, award: Award) -> bool:
    return isinstance(fact, Event) and any(award in each for each in fact.winners)
