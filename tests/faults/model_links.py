"""Acts on a link for the independent model: suspend, correct, change, transfer, close (L8, L9)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.faults.model_facts import (
    CENT,
    MONEY,
    PENDING,
    VALIDATED,
    Award,
    Change,
    Correction,
    Level,
    Link,
    Moved,
    Received,
)
from tests.faults.model_floor import Map, Refused
from tests.faults.model_mystery import COMMITTED, Terms
from tests.faults.model_mystery import Refused as CannotBe
from tests.faults.model_papers import PaperActs
from tests.faults.model_paytables import HOLD_EM, envy_sums

# What the sources ask where they leave a level's terms open (L4, L5): micro-dollars, hundredths of a percent.
SEED_MIN = {
    "pa-641a-2011-progressive-A": 5_000_000_000,
    "pa-641a-2011-progressive-B": 1_000_000_000,
    "pa-649a-2011-progressive-A": 1_000_000_000,
    "pa-649a-2011-progressive-B": 1_000_000_000,
    "pa-653a-2011-progressive": 10_000_000_000,
}
RATE_MIN = {"pa-649a-2011-progressive-A": 1_400, "pa-649a-2011-progressive-B": 2_000}
# Terms of a level, and of a link, that a change may name; a paytable, a wager and decks never change.
OF_LEVEL = ("seed", "reseed", "primary", "reserve", "limit")
OF_LINK = ("simultaneous", "count_chips", "hold_table", "magic_every", "lucky_every")


def is_committed(link: Link) -> bool:
    """Whether its triggers are fixed before (Y1)."""
    return any(meter.form == COMMITTED for meter in link.must_hit.values())


def level_of(terms: Terms) -> Level:
    """A mystery level's terms, as any level has them."""
    return Level(terms.minimum, terms.minimum, terms.rate, 0, None, must_hit_by=terms.must_hit_by)


def terms_of(link: Link) -> tuple[Any, ...]:
    """The changeable terms of a link (L9)."""
    return link.levels, link.envy, link.validate_at, *(getattr(link, name) for name in OF_LINK)


class LinkActs(PaperActs):
    """Acts on a link as a whole."""

    def open_one(self, link: str) -> Link:
        if link not in self.links or self.links[link].closed:
            raise Refused("no such link, or closed")
        return self.links[link]

    def do_suspend(self, link: str, people: int = 1) -> Map:
        self.open_one(link).suspended = True
        return self.answer()

    def do_resume(self, link: str, people: int = 1) -> Map:
        self.open_one(link).suspended = False
        return self.answer()

    def at_rest(self, link: Link) -> Link:
        """L8, L9: the link suspended, no unfinished round with its wagers, every hit paid or undone."""
        name = link.name
        if not link.suspended:
            raise Refused("not suspended")
        if any(round_.live(name) for table in self.tables.values() for round_ in table.unfinished.values()):
            raise Refused("a round is not finished")
        hits = [hit for hit in self.hits_made.values() if hit.link == name]
        if any(award.status in (PENDING, VALIDATED) for hit in hits for award in hit.awards):
            raise Refused("a hit waits")
        return link

    def settled_link(self, link: Link) -> Link:
        """L8, A11: at rest, and nothing that an undo left on it waits for a decision."""
        if self.left_on(link.name):
            raise Refused("what was left there waits")
        return self.at_rest(link)

    def left_on(self, link: str) -> list[Award]:
        """The awards for which an undo has left something on this link's meters."""
        return [award for award in self.links[link].left.values() if award.undecided]

    # -- corrections (L8) ------------------------------------------------------------------------------

    def do_correct_meter(self, link: str, level: str, account: str, micros: int, people: int = 1) -> Map:
        """Corrects one account of a level by an amount; never negative, never above the limit."""
        if people < 2:
            raise Refused("two people")
        of = self.links[link]
        if of.closed and micros > 0:
            raise Refused("closed")
        if level not in of.levels or account not in MONEY or micros == 0:
            raise Refused("of what?")
        value = getattr(of.now[level], account) + micros
        limit = of.levels[level].limit
        if value < 0:
            raise Refused("negative")
        if account == "primary" and limit is not None and value > limit:
            raise Refused("above the limit")
        if of.must_hit:
            self.check_lift(of, level, micros if account == "primary" else 0)
            if account == "reserve":
                raise Refused("a mystery has none")
            of.must_hit[level].correct(account, micros)
        else:
            of.facts.append(Correction(level, micros, None, account))
        return self.answer(*self.recompute({link}))

    def check_lift(self, link: Link, level: str, micros: int) -> None:
        """Y11: people lift no mystery to the sum by which it must hit."""
        meter = link.must_hit.get(level)
        if meter is not None and micros > 0 and meter.primary + micros >= meter.terms.must_hit_by:
            raise Refused("it would hit")

    def do_decide_left(self, award: str, remove: bool, people: int = 1) -> Map:
        """Keeps an undo's residual amount on a paid award's meter, or takes it off as a correction (A11)."""
        if people < 2:
            raise Refused("two people")
        waiting = {one.id: one for link in self.links for one in self.left_on(link)}
        if award not in waiting:
            raise Refused("nothing waits")
        one = waiting[award]
        of, level = self.links[one.hit.link], one.hit.level or ""
        if remove:
            now, micros = of.now[level], one.undecided * CENT
            if now.emptied > one.emptied or now.primary < micros:
                raise Refused("it is there no more")
            of.facts.append(Correction(level, -micros))
        one.decided += one.undecided
        return self.answer(*self.recompute({of.name}))

    def do_replace_triggers(self, links: list[str], people: int = 1) -> Map:
        """Y12: every running trigger of these links, or of all, is opened and drawn afresh."""
        chosen = [self.open_one(name) for name in links] or [
            one for one in self.links.values() if not one.closed
        ]
        committed = [one for one in chosen if is_committed(one)]
        if not committed or (links and len(committed) < len(links)):
            raise Refused("no triggers")
        if people < 2:
            raise Refused("two people")
        for link in committed:
            for meter in link.must_hit.values():
                meter.commit()
        return self.answer()

    # -- transfer and closing (L8) ---------------------------------------------------------------------

    def do_transfer(
        self,
        link: str,
        to: str,
        levels: dict[str, str] | None = None,
        people: int = 1,
        *,
        closing: bool = False,
    ) -> Map:
        """Moves the players' money of a link's levels to another's, by name unless `levels` says it."""
        if people < 2:
            raise Refused("two people")
        source = self.settled_link(self.open_one(link) if closing else self.links[link])
        target = self.open_one(to)
        into = {name: (levels or {}).get(name, name) for name in source.levels}
        if target is source or set(into.values()) - set(target.levels):
            raise Refused("nowhere to go")
        moved = {name: self.take(source, name) for name in source.levels}
        for other in target.must_hit:
            brought = [moved[name].out for name in into if into[name] == other]
            self.check_lift(target, other, sum(out["primary"] + out["reserve"] for out in brought))
        for name, other in into.items():
            self.give(source, moved[name])
            if sum(moved[name].out.values()):
                self.receive(target, other, moved[name].out)
        source.closed |= closing
        return self.answer(*self.recompute({link, to}))

    def do_close_link(
        self, link: str, to: str | None = None, levels: dict[str, str] | None = None, people: int = 1
    ) -> Map:
        """Closes it for good; without a link to go to only where nothing of the players' is left."""
        if to is not None:
            return self.do_transfer(link, to, levels, people, closing=True)
        if people < 2:
            raise Refused("two people")
        source = self.settled_link(self.open_one(link))
        taken = [self.take(source, name) for name in source.levels]
        if any(sum(moved.out.values()) for moved in taken):
            raise Refused("players' money is left")
        for moved in taken:
            self.give(source, moved)
        source.closed = True
        return self.answer(*self.recompute({link}))

    def take(self, link: Link, name: str) -> Moved:
        """The house has back what it put on the meter in this cycle, as far as it goes; the rest moves."""
        now, left = link.now[name], link.now[name].stake
        out, back = {}, {}
        for account in MONEY:
            back[account] = min(left, getattr(now, account))
            out[account] = getattr(now, account) - back[account]
            left -= back[account]
        return Moved(name, out, back)

    def give(self, link: Link, moved: Moved) -> None:
        """A level's money goes."""
        if link.must_hit:
            link.must_hit[moved.level].empty(sum(moved.out.values()), sum(moved.back.values()))
        else:
            link.facts.append(moved)

    def receive(self, link: Link, level: str, into: dict[str, int]) -> None:
        """Another's money comes; a mystery has no reserve."""
        if link.must_hit:
            link.must_hit[level].receive(into["primary"] + into["reserve"], into["overflow"])
        else:
            link.facts.append(Received(level, into))

    # -- parameters (L9) -------------------------------------------------------------------------------

    def do_change(self, link: str, people: int = 1, **terms: Any) -> Map:
        """New terms of a link; those of its levels as {level: value}, `envy` and `envy_approved` together."""
        if people < 2:
            raise Refused("two people")
        of = self.at_rest(self.open_one(link))
        whole = self.whole_terms(of, terms)
        if of.must_hit:
            return self.change_must_hit(of, whole)
        levels = {name: self.changed(of, name, whole) for name in of.levels}
        self.check_options(of, whole)
        new = replace(
            of,
            levels=levels,
            envy=whole["sums"],
            validate_at=whole["validate_at_cents"],
            **{name: whole[name] for name in OF_LINK},
        )
        if terms_of(new) == terms_of(of):
            raise Refused("unchanged")
        for name in ("levels", "envy", "validate_at", *OF_LINK):
            setattr(of, name, getattr(new, name))
        of.facts.append(Change(levels))
        return self.answer(*self.recompute({link}))

    def whole_terms(self, link: Link, terms: dict[str, Any]) -> dict[str, Any]:
        """All changeable terms: the requested ones, else the current; `sums` is what envy comes to."""
        terms = dict(terms)
        if link.must_hit:
            now = {name: meter.later or meter.terms for name, meter in link.must_hit.items()}
            return {"hold_table": link.hold_table} | terms | {"must_hit": now | terms.get("must_hit", {})}
        if "envy" in terms or "envy_approved" in terms:
            approved, schedule = terms.pop("envy_approved", None) or {}, terms.pop("envy", None) or ""
            if schedule and schedule not in link.paytable.envy:
                raise Refused("no such schedule")
            terms["sums"] = envy_sums(link.paytable, link.wager, schedule, approved)
        whole: dict[str, Any] = {name: getattr(link, name) for name in OF_LINK}
        whole |= {"sums": link.envy, "validate_at_cents": link.validate_at}
        whole["floor_to_seed"] = any(level.floored for level in link.levels.values())
        for term in OF_LEVEL:
            have = {name: getattr(level, term) for name, level in link.levels.items()}
            whole[term] = have | terms.pop(term, {})
        if unknown := terms.keys() - whole.keys():
            raise Refused(f"nobody changes {', '.join(sorted(unknown))}")
        return whole | terms

    def change_must_hit(self, link: Link, terms: dict[str, Any]) -> Map:
        """Y11: the running cycles keep the terms on which they began."""
        wanted = terms["must_hit"]
        for name, meter in link.must_hit.items():
            try:
                wanted[name].check(meter.most_left)
            except CannotBe as why:
                raise Refused(str(why)) from why
        now = {name: meter.later or meter.terms for name, meter in link.must_hit.items()}
        if (wanted, terms["hold_table"]) == (now, link.hold_table):
            raise Refused("unchanged")
        for name, meter in link.must_hit.items():
            meter.later = wanted[name]
        link.levels = {name: level_of(new) for name, new in wanted.items()}
        link.hold_table = terms["hold_table"]
        return self.answer()

    def changed(self, link: Link, name: str, terms: dict[str, Any]) -> Level:
        """One level's new terms, held to its source (L4, L5) and its limit (L7)."""
        given = {term: terms[term][name] for term in OF_LEVEL}
        old, printed = link.levels[name], link.paytable.levels[name]
        level = replace(old, **given, floored=terms["floor_to_seed"])
        mandated = (level.seed, level.reseed) != (old.seed, old.reseed) and printed.seed_for_1 is not None
        if mandated or (level.primary != old.primary and printed.primary is not None):
            raise Refused("the source mandates it")
        if level.reserve != old.reserve or level.primary < RATE_MIN.get(link.paytable.id, 1):
            raise Refused("no such rate")
        if min(level.seed, level.reseed) < SEED_MIN.get(link.paytable.id, 0):
            raise Refused("below what the source asks for")
        if level.limit is not None and level.limit < max(link.now[name].primary, level.reseed):
            raise Refused("the limit is below the meter or its reseed")
        return level

    def check_options(self, link: Link, terms: dict[str, Any]) -> None:
        """T3, T5, A4, A7: what the source leaves open."""
        if terms["count_chips"] and link.paytable.electronic:
            raise Refused("no chips")
        by_turn = link.paytable.id.startswith("pa-") and not link.paytable.electronic
        seeded = any(terms.seed_for_1 is not None for terms in link.paytable.levels.values())
        if terms["simultaneous"] == "share" and by_turn:
            raise Refused("winners are paid by turn")
        if terms["floor_to_seed"] and link.paytable.id.startswith("pa-") and seeded:
            raise Refused("the source mandates seed and reseed")
        here = [table.game for table in self.tables.values() if link.name in table.links]
        drawn = link.paytable.electronic and not link.paytable.dealer and HOLD_EM not in here
        if (terms["magic_every"] or terms["lucky_every"]) and not drawn:
            raise Refused("no draws here")
