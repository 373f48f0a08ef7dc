"""Detects that an act would no longer do what was previewed (refusal `changed`), for the independent model.

Readings, besides those of the model:
 1. What an act moves is told by level, and once a link for what the house pays of it (odds, envy, draws). The
    levels must be the same as when it was asked for, and of each the change of awards, corrections and
    transfers: what primary and house have of it is for the hour of the act, as ever.
 2. An act on meters was asked for by what stood there. If house, awards, corrections or transfers of a level
    that it moves stand otherwise, something else than wagers moved it. What came back to where it was is as
    it was. Wagers alone change nothing, unless what the act moves is all that stands there: a transfer.
 3. People decide on a sum that an undo left: with another sum it is another decision, also to let it stay.
 4. New terms were asked for instead of the terms in force; those of another act may change, but for the limit
    of each level to which a transfer or a closing brings more than nothing.
 5. The awards that an act raises or lowers are those whose sum, corrections included, is another after it. It
    leaves a decision on a paid one where another sum of it is left on the meter, be it more or less. What the
    act itself names, a hit with all that it won, is neither. Which awards these are is looked at, not by how
    much each is another.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from tests.faults.model_facts import CENT, UNDONE, Award
from tests.faults.model_floor import Map
from tests.faults.model_links import LinkActs, terms_of

# What is held against what it was: the first of what an act moves, the second of what stood there.
MOVED: Final = ("awards", "corrections", "transfers")
STOOD: Final = ("house", *MOVED)
MOVING: Final = ("transfer", "close_link")
ON_METERS: Final = ("correct_meter", "decide_left", *MOVING)

Where = tuple[str, str | None]  # a link, and its level; None for what the house pays
Books = dict[Where, dict[str, int]]


@dataclass
class Sight:
    """Preview of an act: what it would move, what stood there where that matters, which terms it replaces.

    waits: the cents that it would decide on. limits: of the levels that it would go to. others: the awards
    that it would raise or lower. left: the paid ones on which it would leave a decision.
    """

    moves: dict[Where, tuple[int, ...]]
    stood: dict[Where, tuple[int, ...]]
    terms: tuple[Any, ...] = ()
    waits: int = 0
    limits: dict[Where, int | None] = field(default_factory=dict)
    others: frozenset[str] = frozenset()
    left: frozenset[str] = frozenset()


class SeenActs(LinkActs):
    """Acts that can be told apart by what they would move."""

    def books(self) -> Books:
        """All accounts that an act may move."""
        books: Books = {(link, level): meter for (link, level), meter in self.meters().items()}
        for name in self.links:
            paid = [award for award in self.by_house() if award.hit.link == name]
            books[name, None] = {"awards": CENT * sum(one.amount + one.difference for one in paid)}
        return books

    def by_house(self) -> list[Award]:
        awards = [award for hit in self.hits_made.values() for award in hit.awards]
        return [award for award in awards if award.kind != "meter" and award.status != UNDONE]

    def sight(self, kind: str, fields: Map, then: SeenActs) -> Sight:
        """The effect of an act that turns this state into `then`."""
        before, after = self.books(), then.books()
        levels = [where for where in before if before[where] != after[where]]
        meters = [where for where in levels if kind in ON_METERS and where[1] is not None]
        sight = Sight(
            {where: change(before[where], after[where]) for where in levels},
            {where: tuple(before[where][name] for name in STOOD) for where in meters},
        )
        if kind == "decide_left":
            sight.waits = sum(
                one.undecided
                for name in self.links
                for one in self.left_on(name)
                if one.id == fields["award"]
            )
        if kind == "change":
            sight.terms = terms_of(self.links[fields["link"]])
        if kind in MOVING:
            sight.limits = {
                (link, level): self.links[link].levels[level].limit
                for link, level in levels
                if level is not None and sight.moves[link, level][-1] > 0
            }
        named = self.named(fields)
        sight.others = differing(self.sums(), then.sums()) - named
        sight.left = differing(self.left_sums(), then.left_sums()) - named
        return sight

    def sums(self) -> dict[str, int]:
        """The sum of every award, in cents."""
        awards = [award for hit in self.hits_made.values() for award in hit.awards]
        return {one.id: 0 if one.status == UNDONE else one.amount + one.difference for one in awards}

    def left_sums(self) -> dict[str, int]:
        """Residual amounts of undos on paid awards' meters, decided on or not, in cents."""
        return {award.id: award.left for link in self.links.values() for award in link.left.values()}

    def named(self, fields: Map) -> set[str]:
        """The awards that an act itself names."""
        if "award" in fields:
            return {fields["award"]}
        hit = self.hits_made.get(fields.get("hit", ""))
        return {award.id for award in hit.awards} if hit is not None else set()


def change(before: dict[str, int], after: dict[str, int]) -> tuple[int, ...]:
    return tuple(after.get(name, 0) - before.get(name, 0) for name in MOVED)


def differing(before: dict[str, int], after: dict[str, int]) -> frozenset[str]:
    """The awards that have another sum; one that is not listed has none."""
    return frozenset(one for one in before | after if before.get(one, 0) != after.get(one, 0))
