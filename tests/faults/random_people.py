"""Random acts of people: on hits, papers and links, with requests, confirmations and previews.

They look at the books of the independent model alone.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any, Final

from tests.faults.model_facts import Link
from tests.faults.model_links import is_committed
from tests.faults.model_people import ROLES, are_two, may
from tests.faults.random_houses import House
from tests.faults.test_model import OfModel
from tests.faults.worked.form import Message, Signer, Table, cents

# Who signs, where people do; the fourth and the fifth came with a code from the first.
CREW: Final = (
    Signer(1, ("floor",)),
    Signer(2, ("floor", "cage")),
    Signer(3, ("floor", "admin")),
    Signer(4, ("floor",), given_by=1),
    Signer(5, ("cage",), given_by=1),
    Signer(6, ("admin", "auditor")),
    Signer(7, ("viewer",)),
)
# From so many cents on a payment takes a tax form.
TAX_FROM: Final = 60_000
# On papers: a patron in three ways and another, numbers of forms that are easily given twice, and what a site
# may want there.
PATRONS: Final = ("Pat Ron", "pat  ron", "PAT RON", "Cy Ox")
NUMBERS: Final = ("P-1", " p-1", "P-2")
THERE: Final = ("dealer", "witness", "surveillance")
WAITING: Final = ("pending", "validated")
# What people do with a hit.
KINDS: Final = ("validate", *3 * ("pay",), *2 * ("undo",), "correct", "dispute", "add_papers")
# And what comes next.
NEXT: Final = {"pending": "validate", "validated": "pay"}
# Of what people may do, what they may be shown before.
SHOWN: Final = ("undo", "undo", "correct", "decide_left", "correct_meter", "change", "transfer")
# Of the turns of people, in how many somebody confirms a credit.
CREDITS: Final = 0.2
# Rounds a minute, where time passes.
PER_MINUTE: Final = 2


def dollars(micros: int) -> str:
    """Micro-dollars as a worked example writes them; not below zero."""
    return f"{max(0, micros) // 1_000_000}.{max(0, micros) % 1_000_000:06d}"


class RandomPeople:
    """A house whose books the model keeps. A test that tells more than the model overrides `frame` and `act`.

    of_links: how often people do something to a link as a whole; of_time: how often time passes; of_looks:
    how often people are shown what an act would do; of_left: how often they let hits wait, or undo an award
    after a later one was paid. crew: who signs; empty where names will do.
    """

    of_links = 0.0
    of_time = 0.0
    of_looks = 0.0
    of_left = 0.0
    of_gone = 0.0
    crew: tuple[Signer, ...] = ()

    def __init__(self, house: House, seed: int) -> None:
        self.rng = Random(seed)
        self.house = house
        self.of_model = OfModel()
        self.model = self.of_model.model
        for link in house.links:
            self.of_model.open(link)
        for table in house.tables:
            self.of_model.add(self.watched(table))
        self.wagers = {link.name: cents(link.wager) for link in house.links}
        self.rounds = self.days = self.plays = self.turns = 0
        self.looks: list[tuple[str, dict[str, Any], Any]] = []

    def watched(self, table: Table) -> Table:
        """The table, with a limit of rounds a minute where time passes."""
        return replace(table, per_minute=PER_MINUTE) if self.of_time else table

    def frame(self, table: str, message: Message, draws: Message | None = None) -> None:
        """A table sends a command."""
        self.of_model.frame(table, message, draws or {})

    def act(self, kind: str, people: int, **fields: Any) -> None:
        """People do something; hits and awards by the model's ids."""
        self.of_model.act(kind, people=people, **fields)

    def preview(self, kind: str, **fields: Any) -> Any:
        """Previews an act; text where it is refused."""
        return self.of_model.preview(kind, **fields)

    def wait(self, ms: int, *, take_over: bool) -> None:
        """Time passes, or another server takes over."""
        self.of_model.wait(ms, take_over=take_over)

    def credit(self) -> None:
        """Now and then somebody confirms that an award is on a game account, perhaps before it is paid (P4).

        By how often people had their turn, so that all else is played as it would be.
        """
        self.turns += 1
        rng = Random(f"credit {self.turns}")
        if rng.random() > CREDITS:
            return
        awards = [award for hit in self.of_model.hits()[-20:] for award in hit["awards"]]
        there = [award["award"] for award in awards if award["pays"] == "account"]
        if not there:
            return
        fields = {"award": rng.choice(there), "reference": f"G-{self.turns}"}
        if self.crew:
            self.sign("credit", (rng.choice(self.crew),), **fields)
        else:
            self.act("credit", 1, **fields)

    def person(self) -> None:
        self.credit()
        if self.rng.random() < self.of_left:
            if self.rng.random() < 0.3:  # else they let hits wait
                self.leave()
            return
        left = [award for name in self.model.links for award in self.model.left_on(name)]
        if left and self.rng.random() < max(0.1, self.of_left / 2):
            self.decide(self.rng.choice(left).id, self.rng.choice((1, 2, 2)))
            return
        hits = [
            hit
            for hit in self.of_model.hits()
            if any(award["status"] in (*WAITING, "final") for award in hit["awards"])
        ]
        if not hits:
            return
        hit = self.rng.choice(hits[-10:])
        award = self.rng.choice(hit["awards"])
        named = {"hit": hit["hit"]}
        if self.rng.random() < 0.3 and award["status"] == "pending":
            named = {"award": award["award"]}
        kind = self.rng.choice(KINDS)
        if self.rng.random() < 0.4:
            kind = NEXT.get(award["status"], kind)
        if hit["disputed"] and self.rng.random() < 0.4:
            self.lift(hit)
            return
        if kind == "dispute":
            self.act(kind, 1, hit=hit["hit"])
            return
        if kind == "pay":
            self.act(kind, 1, **self.winner(hit, award, named), **self.papers(0.7))
        elif kind == "add_papers":
            self.add_papers(hit, award)
        elif kind == "correct":
            self.act(kind, self.rng.choice((1, 2, 2)), **self.correction(award))
        elif kind == "validate":
            self.act(kind, 1, **named, wrote=self.there(), lamp=self.seen_lamp(hit))
        else:
            self.act(kind, self.rng.choice((1, 2, 2)), **named)

    def seen_lamp(self, hit: Message) -> str:
        """What somebody saw of a lamp, where its table says anything of one (P3).

        It is always said: a refusal would change all that is played after it.
        """
        return next((award["lamp"] for award in hit["awards"] if award["lamp"]), "")

    def correction(self, award: Message) -> Message:
        """Fields of a correction, to another sum or the same; mostly with a form's number."""
        amount = max(0, award["amount"] + self.rng.choice((-100_000, -777, -1, 0, 1, 777, 50_000)))
        paper = {"document": self.number(award)} if self.rng.random() < 0.7 else {}
        return {"award": award["award"], "amount": amount, "tax_from": TAX_FROM, **paper}

    def number(self, award: Message) -> str:
        """A form's number, mostly that award's own."""
        return self.rng.choice(NUMBERS) if self.rng.random() < 0.3 else f"W-{award['award']}"

    def there(self) -> list[str]:
        return [one for one in THERE if self.rng.random() < 0.3]

    def add_papers(self, hit: Message, award: Message) -> None:
        """Adds papers to those of all, or of a winner; now and then of a seat that is none."""
        seat = award["seat"] if self.rng.random() < 0.9 else self.rng.randint(1, 7)
        whose = {"seat": seat} if self.rng.random() < 0.8 else {}
        self.act("add_papers", 1, hit=hit["hit"], **whose, **self.written(0.3), wrote=self.there())

    def winner(self, hit: Message, award: Message, named: Message) -> Message:
        """Mostly a seat that the hit gives something; or the hit or the award, as they are named."""
        if self.rng.random() < 0.4:
            return named
        seat = award["seat"] if self.rng.random() < 0.9 else self.rng.randint(1, 7)
        return {"hit": hit["hit"], "seat": seat}

    def papers(self, sure: float) -> Message:
        """The site's sum, and mostly the form that a payment from it on takes; what else the site wants."""
        needs = [one for one in (*THERE, "patron", "tax_form") if self.rng.random() < 0.02]
        paper = {"tax_from": TAX_FROM, "needs": needs, **self.written(sure)}
        return paper | ({"document": self.rng.choice(NUMBERS)} if self.rng.random() < 0.3 else {})

    def written(self, sure: float) -> Message:
        """So often the tax form, seldom half of it; and who is paid."""
        paper: Message = {"tax_form": "W-2G"} if self.rng.random() < sure else {}
        if self.rng.random() < 0.05:
            paper["tax_number"] = self.rng.choice(("", "T-1"))
        return paper | ({"patron": self.rng.choice(PATRONS)} if self.rng.random() < 0.4 else {})

    def leave(self) -> None:
        """Pays all later wins of a level, and undoes a waiting award before them."""
        hits = [hit for hit in self.of_model.hits() if hit["level"] is not None]
        waits = [hit for hit in hits if any(one["status"] in WAITING for one in hit["awards"])]
        if not waits:
            return
        first = self.rng.choice(waits)
        of_level = [hit for hit in hits if (hit["link"], hit["level"]) == (first["link"], first["level"])]
        later = of_level[of_level.index(first) + 1 :]
        for hit in later:
            if self.rng.random() < 0.8:
                self.settle_hit(hit)
        if later:
            self.act("undo", 2, hit=first["hit"])

    def lift(self, hit: Message) -> None:
        """Two end the dispute of a hit; now and then one alone, or another one than holds it."""
        number = hit["disputed"] - (self.rng.random() < 0.1)
        self.act("lift", self.rng.choice((1, 2, 2, 2)), hit=hit["hit"], dispute=number)

    def decide(self, award: str, people: int) -> None:
        """Takes a paid award's residual amount off, where it is there still, or lets it stay."""
        for remove in self.rng.choice(((True, False), (False,))):
            self.act("decide_left", people, award=award, remove=remove)

    # People who were shown what an act would do

    def look(self) -> None:
        """Previews an act, or does a previewed one; now and then a different one."""
        if not self.looks or self.rng.random() < 0.5:
            if (chosen := self.to_be_shown()) is not None:
                kind, fields = chosen
                shown = self.preview(kind, **fields)
                self.looks.append((kind, fields, shown))
                del self.looks[:-5]
            return
        kind, fields, shown = self.rng.choice(self.looks)
        if self.rng.random() < 0.2:
            kind, fields, _ = self.rng.choice(self.looks)
        given = {} if isinstance(shown, str) else {"shown": shown}
        self.act(kind, self.rng.choice((1, 2, 2, 2)), **fields, **given)

    def to_be_shown(self) -> tuple[str, dict[str, Any]] | None:
        kind = self.rng.choice(SHOWN)
        link = self.rng.choice(self.with_meters())
        if kind == "correct_meter":
            return kind, self.of_correction(link)
        if kind == "change":
            return kind, {"link": link, **self.terms(link)}
        if kind == "transfer":
            return self.moved(link)
        if kind == "decide_left":
            left = [award for name in self.model.links for award in self.model.left_on(name)]
            one = self.rng.choice(left).id if left else ""
            return (kind, {"award": one, "remove": self.rng.random() < 0.5}) if left else None
        awards = [award for hit in self.of_model.hits()[-10:] for award in hit["awards"]]
        if not awards:
            return None
        award = self.rng.choice(awards)
        hit = award["award"].split(".")[0]
        whole = self.rng.random() < 0.5
        if kind == "undo":
            return kind, {"hit": hit} if whole else {"award": award["award"]}
        return kind, self.correction(award)

    # People who sign

    def sign(self, kind: str, signed: tuple[Signer, ...], **fields: Any) -> None:
        """Sends an act that people sign; requests by their numbers."""
        self.of_model.sign(kind, signed, **fields)

    def signers(self, people: int, kind: str = "validate", **fields: Any) -> tuple[Signer, ...]:
        """So many of the crew: mostly authorized, different, and with their own secrets."""
        likely = [one for one in self.crew if may(one, self.model.roles(kind, fields))]
        chosen = [
            self.rng.choice((likely or self.crew) if self.rng.random() < 0.8 else self.crew)
            for _ in range(people)
        ]
        return tuple(self.by_means(one) for one in chosen)

    def by_means(self, one: Signer) -> Signer:
        return replace(one, means=self.rng.choice(("secret", "secret", "secret", "secret", "token", "login")))

    def waiting(self) -> None:
        """Somebody answers a request; now and then one that is not there. Or somebody's roles change."""
        if not self.model.requests or self.rng.random() < 0.2:
            self.reshuffle()
            return
        number = self.rng.choice((*self.model.requests, *self.model.requests, 99))
        if self.rng.random() < 0.2:
            self.sign("reject", self.signers(1), request=number)
            return
        self.confirm(number)

    def confirm(self, number: int) -> None:
        """Confirms a request, mostly by who asked and another who may."""
        asker, second = self.signers(2)
        request = self.model.requests.get(number)
        if request is not None and self.rng.random() < 0.9:
            asker = replace(next(one for one in self.crew if one.id == request.asker), means=request.means)
            roles = self.model.roles(request.kind, request.fields)
            others = [one for one in self.crew if may(one, roles) and are_two(asker, one)]
            second = self.rng.choice(others) if others and self.rng.random() < 0.7 else second
        self.sign("confirm", (asker, second), request=number)

    def agree(self, table: str, round_: str, asked: Signer) -> None:
        """Agrees to reopen a round, mostly by who asked, as they are now, and another who may."""
        asker, second = self.signers(2)
        if self.rng.random() < 0.9:
            asker = replace(next(one for one in self.crew if one.id == asked.id), means=asked.means)
            others = [one for one in self.crew if may(one, ("floor",)) and are_two(asker, one)]
            second = self.rng.choice(others) if others and self.rng.random() < 0.7 else second
        self.sign("agree_to_reopen", (asker, second), table=table, round=round_)

    def reshuffle(self) -> None:
        """Gives one of the crew other roles."""
        place = self.rng.randrange(len(self.crew))
        roles = tuple(role for role in ROLES if self.rng.random() < (0.6 if role == "floor" else 0.2))
        before = self.crew[place]
        lost = before.lost + (not set(before.roles) <= set(roles))
        changed = replace(before, roles=roles, lost=lost)
        self.crew = (*self.crew[:place], changed, *self.crew[place + 1 :])

    # Links as a whole (L8, L9)

    def with_meters(self) -> list[str]:
        """The links that are no offers."""
        return [link.name for link in self.house.links if not self.model.links[link.name].offer]

    def link(self) -> None:
        """An act on a link; now and then one that was brought to rest for it."""
        name = self.rng.choice(self.with_meters())
        kind = self.rng.choice(
            ("suspend", *4 * ("resume",), *4 * ("correct_meter",), *3 * ("change",), *3 * ("move",))
        )
        committed = [
            link.name for link in self.model.links.values() if is_committed(link) and not link.closed
        ]
        if committed and self.rng.random() < 0.1:
            self.act("replace_triggers", self.rng.choice((1, 2, 2)), links=[self.rng.choice(committed)])
            return
        if kind in ("change", "move") and self.rng.random() < 0.8:
            self.bring_to_rest(name)
        people = self.rng.choice((1, 2, 2, 2))
        if kind == "correct_meter":
            self.correct_meter(name, people)
        elif kind == "change":
            self.change(name, people)
        elif kind == "move":
            self.move(name, people)
        else:
            self.act(kind, 1, link=name)
        if self.model.requests and self.rng.random() < 0.5:
            if self.rng.random() < 0.5:
                self.correct_meter(self.rng.choice(self.with_meters()), 2)
            for number in list(self.model.requests)[-2:]:
                self.confirm(number)
        if kind != "suspend" and self.rng.random() < 0.7:
            self.act("resume", 1, link=name)

    def bring_to_rest(self, name: str) -> None:
        """No wagers, no unfinished round, nothing that waits; mostly also nothing to decide on."""
        self.act("suspend", 1, link=name)
        for table in self.model.tables.values():
            for round_ in [one for one in table.unfinished.values() if one.live(name)]:
                self.act("void_round", 2, table=table.name, round=round_.name)
        for hit in [one for one in self.of_model.hits() if one["link"] == name]:
            if any(award["status"] in WAITING for award in hit["awards"]):
                self.settle_hit(hit)
        for award in self.model.left_on(name) if self.rng.random() < 0.8 else ():
            self.decide(award.id, 2)

    def settle_hit(self, hit: Message) -> None:
        """Pays all that waits of the hit, seat by seat; mostly also where it is disputed."""
        if hit["disputed"] and self.rng.random() < 0.8:
            self.act("lift", 2, hit=hit["hit"], dispute=hit["disputed"])
        self.act("validate", 1, hit=hit["hit"], lamp=self.seen_lamp(hit))
        for award in hit["awards"]:
            if award["status"] in WAITING:
                self.act("pay", 1, award=award["award"], **self.papers(0.95))

    def correct_meter(self, name: str, people: int) -> None:
        self.act("correct_meter", people, **self.of_correction(name))

    def of_correction(self, name: str) -> dict[str, Any]:
        level = self.rng.choice(list(self.model.links[name].levels))
        account = self.rng.choice(("primary", "primary", "reserve", "overflow"))
        have = self.model.meters()[name, level][account]
        micros = self.rng.choice((-have, -have - 1, -1, 777, 12_340_000, -5_000_000, 2_000_000_000))
        return {"link": name, "level": level, "account": account, "micros": micros}

    def change(self, name: str, people: int) -> None:
        self.act("change", people, link=name, **self.terms(name))

    def terms(self, name: str) -> dict[str, Any]:
        """A link's terms with one of them changed."""
        link = self.model.links[name]
        if link.must_hit:
            return self.terms_of_mystery(link)
        level = self.rng.choice(list(link.levels))
        value = self.model.meters()[name, level]["primary"]
        terms: dict[str, Any] = self.rng.choice(
            (
                {"primary": {level: self.rng.choice(("0.01", "9.99", "17.77", "30"))}},
                {"reseed": {level: self.rng.choice(("1", "500", "1500", "6000"))}},
                {"limit": {level: dollars(value + self.rng.choice((-1, 0, 1_230_000)))}},
                {"limit": {level: None}},
                {"validate_at": self.rng.choice((None, "45.00", "100.00"))},
                {"hold_table": self.rng.random() < 0.5},
                {"floor_to_seed": self.rng.random() < 0.5},
                {"simultaneous": self.rng.choice(("order", "share"))},
                {"count_chips": self.rng.random() < 0.5},
                {self.rng.choice(("magic_every", "lucky_every")): self.rng.choice((0, 40, 60))},
                {"envy": self.rng.choice("AB")},
            )
        )
        return terms

    def terms_of_mystery(self, link: Link) -> dict[str, Any]:
        """The same of a mystery: its range a little wider or narrower, or whether it holds its table."""
        level, meter = self.rng.choice(list(link.must_hit.items()))
        if self.rng.random() < 0.3:
            return {"hold_table": not link.hold_table}
        now = meter.later or meter.terms
        most = max(now.minimum + 3 * now.rise, now.must_hit_by + self.rng.choice((-10_000, 10_000, 370_000)))
        return {"must_hit": {level: replace(now, must_hit_by=most)}}

    def move(self, name: str, people: int) -> None:
        kind, fields = self.moved(name)
        self.act(kind, people, **fields)

    def moved(self, name: str) -> tuple[str, dict[str, Any]]:
        """A transfer to another link of the house; a closing one time in ten, unless it is the last."""
        links = self.model.links
        other = self.rng.choice(self.with_meters())
        levels = {level: self.rng.choice(list(links[other].levels)) for level in links[name].levels}
        last = sum(not link.closed for link in links.values()) == 1
        kind = "close_link" if self.rng.random() < 0.1 and not last else "transfer"
        return kind, {"link": name, "to": other, "levels": levels}
