"""How do simulated people bring a link to rest, and what do they do to its money (L8, A11)?"""

from __future__ import annotations

from random import Random
from typing import Final

from jackpot.rules.acts.disputes import Lift
from jackpot.rules.acts.hits import Pay, Validate
from jackpot.rules.acts.links import Suspend
from jackpot.rules.acts.meters import CloseLink, CorrectMeter, DecideLeft, Transfer
from jackpot.rules.commands import Command
from tests.faults.house import SPARE, server_level
from tests.faults.model import Model
from tests.faults.model_facts import PENDING, VALIDATED, Hit, Link
from tests.faults.terms import Names

Named = tuple[Command, tuple[str, ...]]  # by so many people
TWO: Final = ("ann", "bob")
# From so many cents on a payment takes a tax form; and how often people bring one.
TAX_FROM: Final = 90_000
WITH_FORM: Final = 0.8
# Of the moves of a link's money, how many close the spare link, which no table plays.
CLOSES: Final = 0.5
# Looks at a link that does not come to rest, before it is given up.
LOOKS: Final = 400
# What a meter is corrected by, in micro-dollars.
AMOUNTS: Final = (-5_000_000, -1, 777, 12_340_000, 2_000_000_000)


class Desk:
    """What people know of links and hits: the model's books, by the server's names."""

    def __init__(self, random: Random, model: Model, names: Names) -> None:
        self.random, self.model, self.names = random, model, names

    def pay(self, hit: str, award: str | None) -> Pay:
        """Mostly with the form that a large sum takes."""
        form = "W-2G" if self.random.random() < WITH_FORM else ""
        return Pay(hit, award, "W-1", form, TAX_FROM)

    def lift(self, hit: Hit) -> Named | None:
        """Two end the dispute that holds a hit."""
        known = [entry for entry, number in self.names.disputes.items() if number == hit.disputed]
        theirs = self.names.theirs.get(hit.id)
        if not known or theirs is None:
            return None
        return Lift(theirs, "pictures seen", known[0]), TWO

    def decide(self, link: str | None = None) -> Named | None:
        """Two decide on what is left of a paid award, on that link or on any."""
        links = list(self.model.links) if link is None else [link]
        waiting = {award.id for name in links for award in self.model.left_on(name)}
        known = [left for left, award in self.names.left.items() if award in waiting]
        if not known:
            return None
        return DecideLeft(self.random.choice(known), self.random.random() < 0.5, "as agreed"), TWO

    def correct_meter(self) -> Named:
        link = self.random.choice(self.open_links())
        level = server_level(self.random.choice(list(link.levels)))
        account = self.random.choice(("primary", "primary", "reserve", "overflow"))
        amount = self.random.choice(AMOUNTS)
        return CorrectMeter(link.name, level, amount, "counted", account), TWO  # type: ignore[arg-type]  # an account

    def open_links(self) -> list[Link]:
        return [link for link in self.model.links.values() if not link.closed]


class Errand:
    """One link is brought to rest, and its money goes to another. over: that was asked for, or given up."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._looks = 0
        self.over = False
        self.link = desk.random.choice(desk.open_links()).name

    def next(self) -> Named | None:
        """What is to be done now; nothing while a table has a round to finish."""
        self._looks += 1
        self.over = self._looks > LOOKS
        model = self._desk.model
        if not model.links[self.link].suspended:
            return Suspend("operator", (self.link,), "to be emptied"), TWO[:1]
        rounds = [round_ for table in model.tables.values() for round_ in table.unfinished.values()]
        if any(round_.live(self.link) for round_ in rounds):
            return None
        for hit in model.hits_made.values():
            if hit.link == self.link and model.waiting(hit):
                return self._settle(hit)
        if model.left_on(self.link):
            return self._desk.decide(self.link)
        self.over = True
        return self._move(), TWO

    def _settle(self, hit: Hit) -> Named | None:
        """The next step until all that waits of a hit is paid."""
        if hit.disputed:
            return self._desk.lift(hit)
        names = self._desk.names.theirs
        award = next(one for one in hit.awards if one.status in (PENDING, VALIDATED))
        theirs, one = names.get(hit.id), names.get(award.id)
        if theirs is None or one is None:
            return None
        return (Validate(theirs) if award.status == PENDING else self._desk.pay(theirs, one)), TWO[:1]

    def _move(self) -> Command:
        """To any open link, also to itself, each level to any of its levels; the spare one may be closed."""
        random, links = self._desk.random, self._desk.model.links
        to = random.choice(self._desk.open_links())
        levels = tuple(
            f"{server_level(level)}={server_level(random.choice(list(to.levels)))}"
            for level in links[self.link].levels
        )
        if self.link == SPARE and random.random() < CLOSES:
            return CloseLink(self.link, "a new game", to.name, levels)
        return Transfer(self.link, to.name, "a new game", levels)
