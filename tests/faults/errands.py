"""Simulated people bring links to rest and change their money and terms (L8, L9, A11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any, Final

import msgspec

from jackpot.catalogue import parse_money
from jackpot.catalogue.terms import TermsRefused
from jackpot.rules.acts.disputes import Lift
from jackpot.rules.acts.hits import Pay, Validate
from jackpot.rules.acts.links import Suspend
from jackpot.rules.acts.meters import CloseLink, CorrectMeter, DecideLeft, Transfer
from jackpot.rules.acts.triggers import ReplaceTriggers
from jackpot.rules.commands import Command
from tests.faults.house import SPARE, LinkPlan, model_level, server_level
from tests.faults.model import Model
from tests.faults.model_facts import CENT, DOLLAR, PENDING, VALIDATED, Hit, Link
from tests.faults.terms import Names

Named = tuple[Command, tuple[str, ...]]  # by so many people
TWO: Final = ("ann", "bob")
# From so many cents on a payment takes a tax form; and how often people bring one.
TAX_FROM: Final = 90_000
WITH_FORM: Final = 0.8
# Of the moves of a link's money, how many close the spare link, which no table plays.
CLOSES: Final = 0.5
# Of the links that are brought to rest, how many have other terms then; how often that is asked for before.
CHANGES: Final = 0.5
EARLY: Final = 0.03
# Rates in percent and reseeds in dollars that every source allows.
RATES: Final = ("20%", "20.01%", "22.5%")
RESEEDS: Final = ("5000.00", "5500.00", "10000.00")
# Of other terms of a mystery, how many only hold its table; of replaced triggers, how many are of one link.
MYSTERY_HOLDS: Final = 0.3
ONE_LINK: Final = 0.7
# Looks at a link that does not come to rest, before it is given up.
LOOKS: Final = 400
# What a meter is corrected by, in micro-dollars.
AMOUNTS: Final = (-5_000_000, -1, 777, 12_340_000, 2_000_000_000)


class Desk:
    """People's view of links and hits: the model's books, by the server's names.

    plans: the links' terms.
    """

    def __init__(self, random: Random, model: Model, names: Names, plans: Mapping[str, LinkPlan]) -> None:
        self.random, self.model, self.names, self.plans = random, model, names, plans

    def other(self, name: str) -> LinkPlan:
        """The link with one thing else that the configuration's own check lets pass."""
        plan, link = self.plans[name], self.model.links[name]
        if plan.mystery:
            return self._other_mystery(plan)
        other = self._other_options(plan, link)
        if self.random.random() < 0.5:
            other = replace(plan, levels=self._other_levels(plan, link))
        try:
            other.terms()
        except TermsRefused:
            return replace(plan, options={**plan.options, "hold_table": not link.hold_table})
        return other

    def _other_mystery(self, plan: LinkPlan) -> LinkPlan:
        """A mystery that must hit by another sum, from the next reseed on (Y11), or holds its table."""
        holds = {**plan.options, "hold_table": not plan.options.get("hold_table", False)}
        if self.random.random() < MYSTERY_HOLDS:
            return replace(plan, options=holds)
        name = self.random.choice(list(plan.levels))
        most = parse_money(plan.levels[name]["must_hit_by"]) // CENT + self.random.choice((-3, 1, 25))
        level = {**plan.levels[name], "must_hit_by": f"{most // 100}.{most % 100:02}"}
        other = replace(plan, levels={**plan.levels, name: level})
        try:
            other.terms()
        except TermsRefused:
            return replace(plan, options=holds)
        return other

    def replace_triggers(self) -> Named | None:
        """Two people have the running triggers of a link replaced, as after a leak; or of all (Y12)."""
        committed = [
            link.name for link in self.open_links() if any(one.runs for one in link.must_hit.values())
        ]
        if not committed:
            return None
        links = (self.random.choice(committed),) if self.random.random() < ONE_LINK else ()
        return ReplaceTriggers(links, "a leak"), TWO

    def highest(self) -> tuple[str, ...]:
        """What people state of each mystery level (Y8): what signs show now, or a little more."""
        said = []
        for link in self.open_links():
            for name, meter in link.must_hit.items():
                room = max(0, meter.terms.must_hit_by - 1 - meter.highest)
                value = meter.highest + self.random.choice((0, min(room, 2 * CENT)))
                said.append(f"{link.name}.{server_level(name)}={value // DOLLAR}.{value % DOLLAR:06}")
        return tuple(said)

    def _other_options(self, plan: LinkPlan, link: Link) -> LinkPlan:
        random = self.random
        wishes: list[dict[str, Any]] = [
            {"validate_at": random.choice((None, "45.00", "60.00", "95.00"))},
            {"hold_table": not link.hold_table},
        ]
        if link.paytable.electronic or not plan.paytable.startswith("pa-"):
            wishes.append({"simultaneous": "order" if link.simultaneous == "share" else "share"})
        if not link.paytable.electronic:
            wishes.append({"count_chips": not link.count_chips})
        if link.magic_every or link.lucky_every or "magic_card_every" in plan.options:
            draw = random.choice(("magic_card_every", "lucky_every"))
            wishes.append({draw: random.choice((0, 2, 5))})
        if "envy" in plan.options:
            wishes.append({"envy": random.choice("AB")})
        options = {**plan.options, **random.choice(wishes)}
        return replace(plan, options={key: value for key, value in options.items() if value is not None})

    def _other_levels(self, plan: LinkPlan, link: Link) -> dict[str, dict[str, str]]:
        """A level with another rate, reseed or limit; some of them are refused."""
        random = self.random
        name = random.choice(list(plan.levels or {server_level(one): {} for one in link.levels}))
        level = dict(plan.levels.get(name, {}))
        above = link.now[model_level(name)].primary // DOLLAR + random.choice((-1, 1, 5, 50))
        limit = max(above, link.levels[model_level(name)].seed // DOLLAR)
        terms = {"limit": f"{limit}.00", "limit_approval": "house"}
        if "primary" in level and random.random() < 0.5:
            terms = {"primary": random.choice(RATES)}
        elif "reseed" in level and random.random() < 0.5:
            terms = {"reseed": random.choice(RESEEDS)}
        return {**plan.levels, name: {**level, **terms}}

    def pay(self, hit: str, award: str | None = None, seat: int | None = None) -> Pay:
        """Pays one winner, by the award or the seat; mostly with the form that a large sum takes."""
        pay = Pay(hit, award, f"W-{award or seat or hit}", tax_from=TAX_FROM, seat=seat)
        if self.random.random() >= WITH_FORM:
            return pay
        return msgspec.structs.replace(pay, tax_form="W-2G", paper=bytes(32), on_paper=("tax_number",))

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
        link = self.random.choice(self.with_meters())
        level = server_level(self.random.choice(list(link.levels)))
        account = self.random.choice(("primary", "primary", "reserve", "overflow"))
        amount = self.random.choice(AMOUNTS)
        return CorrectMeter(link.name, level, amount, "counted", account), TWO  # type: ignore[arg-type]  # an account

    def with_meters(self) -> list[Link]:
        """The open links that are no offers: those have nothing to correct, to move or to empty."""
        return [link for link in self.open_links() if not link.offer]

    def open_links(self) -> list[Link]:
        return [link for link in self.model.links.values() if not link.closed]


class Errand:
    """An operator's task: bring one link to rest, then move its money or change its terms.

    plan: the new terms. over: it was asked for, or given up.
    """

    def __init__(self, bank: Desk) -> None:
        self._bank = bank
        self._looks = 0
        self.over = False
        self.link = bank.random.choice(bank.with_meters()).name
        self.plan = bank.other(self.link) if bank.random.random() < CHANGES else None

    def next(self) -> Named | None:
        """The next act; nothing while a table has a round to finish."""
        self._looks += 1
        self.over = self._looks > LOOKS
        model, random = self._bank.model, self._bank.random
        if self.plan is not None and random.random() < EARLY:
            return self._bank.names.change(self.plan), TWO
        if not model.links[self.link].suspended:
            return Suspend("operator", (self.link,), "to be emptied"), TWO[:1]
        rounds = [round_ for table in model.tables.values() for round_ in table.unfinished.values()]
        if any(round_.live(self.link) for round_ in rounds):
            return None
        for hit in model.hits_made.values():
            if hit.link == self.link and model.waiting(hit):
                return self._settle(hit)
        if self.plan is None and model.left_on(self.link):
            return self._bank.decide(self.link)
        self.over = True
        if self.plan is not None:
            return self._bank.names.change(self.plan), TWO
        return self._move(), TWO

    def _settle(self, hit: Hit) -> Named | None:
        """The next step until all that waits of a hit is paid."""
        if hit.disputed:
            return self._bank.lift(hit)
        names = self._bank.names.theirs
        award = next(one for one in hit.awards if one.status in (PENDING, VALIDATED))
        theirs, one = names.get(hit.id), names.get(award.id)
        if theirs is None or one is None:
            return None
        return (Validate(theirs) if award.status == PENDING else self._bank.pay(theirs, one)), TWO[:1]

    def _move(self) -> Command:
        """Transfers to any open link, also to itself, each level to any level; may close the spare one."""
        random, links = self._bank.random, self._bank.model.links
        to = random.choice(self._bank.with_meters())
        levels = tuple(
            f"{server_level(level)}={server_level(random.choice(list(to.levels)))}"
            for level in links[self.link].levels
        )
        if self.link == SPARE and random.random() < CLOSES:
            return CloseLink(self.link, "a new game", to.name, levels)
        return Transfer(self.link, to.name, "a new game", levels)
