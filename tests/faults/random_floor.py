"""What may a random floor do? All that a table and people may ask for, and some of what they must not.

It looks at the books of the independent model alone. A test that tells more than the model overrides `frame`
and `act`. Every choice comes from one seed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any, Final, NamedTuple

from tests.faults.model_floor import MISMATCH, OPEN, Round
from tests.faults.model_floor import Table as ModelTable
from tests.faults.model_people import ROLES, are_two, may
from tests.faults.test_model import OfModel
from tests.faults.worked.form import FOUR, LIR, THREE, UTH, Link, Message, Signer, Table, cents

CARDS: Final = {LIR: (3, (2,)), UTH: (2, (5,)), THREE: (3, ()), FOUR: (5, ())}
DECK: Final = [rank + suit for rank in "23456789TJQKA" for suit in "shdc"]
# Dealt more often than chance, so that percentages are won by one, by two and by the dealer.
BOARDS: Final = {
    LIR: ["Js Ts", "Jh Th"],
    UTH: ["Ts Js Qs 2d 3h", "9s Ts Js 2d 3h", "2c 3c 4c Kd Ks", "Kd Ks 4c 2d 3d"],
}
HANDS: Final = {
    LIR: ["As Ks Qs", "7s 8s 9s", "Jd Jh Jc", "Ah Kh Qh", "7h 8h 9h", "Td Tc Th"],
    UTH: ["As Ks", "8s 9s", "7s 8s", "Qs Ks", "5c 6c", "Kh Kc", "2h 2s"],
    THREE: ["As Ks Qs", "Ah Kh Qh", "2d 3d 4d", "9s 9h 9d"],
    FOUR: ["As Ah Ad Ac 2s", "Ks Kh Kd Kc 3s", "5h 6h 7h 8h 2d", "9s 9h 9d 2h 3c"],
}
# Two players, one of them written in three ways.
PLAYERS: Final = ("Ann", " ann", "\uff21NN", "Bob")
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
# Of the frames, how many have something wrong with them, and of those how many another thing.
SPOILT: Final = 0.06
LIMITED: Final = {"primary": {"mega": "30.33", "major": "22.22", "minor": "9.99"}}


def dollars(micros: int) -> str:
    """Micro-dollars as a worked example writes them; not below zero."""
    return f"{max(0, micros) // 1_000_000}.{max(0, micros) % 1_000_000:06d}"


class House(NamedTuple):
    """Links and tables that are played together."""

    links: tuple[Link, ...]
    tables: tuple[Table, ...]


HOUSES: Final = {
    "levels, a limit, two games": House(
        (
            Link(
                "L",
                "ma-PTMGLML03",
                options={
                    **LIMITED,
                    "reserve": {"mega": "1.01"},
                    "limit": {"mega": "10002.00", "major": "1001.00"},
                },
            ),
            Link("P", "pa-643a-five-card-C", options={"hold_table": False, "validate_at": "40.00"}),
        ),
        (
            Table("T1", links=("L", "P")),
            Table("T2", links=("P",)),
            Table("T3", UTH, 6, ("P",)),
        ),
    ),
    "shared, never below the seed": House(
        (
            Link(
                "L",
                "ma-PTMGL01",
                options={"primary": {"": "50.33"}, "simultaneous": "share", "floor_to_seed": True},
            ),
            Link("P", "pa-643a-three-card-A", options={"count_chips": True}),
        ),
        (Table("T1", links=("L", "P")), Table("T2"), Table("T3")),
    ),
    "the dealer's hand by turn": House(
        (
            Link("L", "pa-653a-five-card-hand-bonus", "5.00", {"hold_table": False}),
            Link("P", "pa-653a-progressive-A"),
        ),
        (Table("T1", UTH, 6, ("L", "P")), Table("T2", UTH, 6)),
    ),
    "the dealer's hand shared": House(
        (Link("L", "pa-653a-five-card-hand-bonus", options={"simultaneous": "share"}),),
        (Table("T1", UTH, 6), Table("T2", UTH, 6)),
    ),
    "both draws": House(
        (
            Link(
                "L",
                "pa-643a-five-card-hand-bonus",
                options={"magic_every": 40, "lucky_every": 40, "validate_at": "100.00"},
            ),
        ),
        (Table("T1"), Table("T2")),
    ),
    "folds that forfeit": House(
        (
            Link(
                "L",
                "pa-641a-2011-progressive-A",
                options={
                    "seed": {"": "5000"},
                    "reseed": {"": "5000"},
                    "primary": {"": "14.5"},
                    "envy": "B",
                    "validate_at": "200.00",
                },
            ),
            Link(
                "P",
                "pa-649a-2011-progressive-A",
                options={"seed": {"": "1000"}, "reseed": {"": "1000"}, "primary": {"": "14"}},
            ),
        ),
        (Table("T1", FOUR), Table("T2", FOUR), Table("T3", THREE, links=("P",))),
    ),
}


class RandomFloor:
    """A house that the model keeps the books of. A test that has more to tell overrides `frame` and `act`.

    of_links: how often people do something to a link as a whole. crew: who signs; empty where names will do.
    """

    of_links = 0.0
    crew: tuple[Signer, ...] = ()

    def __init__(self, house: House, seed: int) -> None:
        self.rng = Random(seed)
        self.house = house
        self.of_model = OfModel()
        self.model = self.of_model.model
        for link in house.links:
            self.of_model.open(link)
        for table in house.tables:
            self.of_model.add(table)
        self.wagers = {link.name: cents(link.wager) for link in house.links}
        self.rounds = 0

    def frame(self, table: str, message: Message, draws: Message | None = None) -> None:
        """A table sends a command."""
        self.of_model.frame(table, message, draws or {})

    def send(self, table: str, message: Message, draws: Message | None = None) -> None:
        """It does; now and then something is wrong with it, or several things."""
        for _ in range(2):
            if self.rng.random() < SPOILT:
                message = self.spoilt(table, message)
        self.frame(table, message, draws)

    def spoilt(self, table: str, message: Message) -> Message:
        """One thing in it is another, well-formed as it is; a wager of another round opens a new one."""
        lists = [name for name in ("bets", "hands") if message.get(name)]
        if not lists or self.rng.random() < 0.1:
            other = f"r{self.rng.randint(1, self.rounds + 1)}"
            return message | {"round": f"x{self.rounds}{table}" if message["t"] == "wager" else other}
        name = self.rng.choice(lists)
        things = [dict(one) for one in message[name]]
        thing, kind = self.rng.choice(things), self.rng.random()
        if kind < 0.2:
            thing["link"] = self.rng.choice(("X", *self.model.links))
        elif kind < 0.4:
            thing["seat"] = self.rng.randint(1, 12)
        elif kind < 0.5:
            things.reverse()
        elif kind < 0.6:
            things.append(dict(thing))
        elif kind < 0.7:
            thing["player"] = self.rng.choice(PLAYERS)
        elif name == "bets" and "amount" in thing:
            thing["amount"] += self.rng.choice((0, 1, 400))
        elif name == "hands" and "cards" in thing and kind < 0.85:
            thing["cards"] = [self.rng.choice(DECK), *thing["cards"][1:]]
        elif name == "hands":
            thing["hand"] = self.rng.choice(("straight", "flush", "pair", "four-aces", "mini-royal"))
        return message | {name: things}

    def act(self, kind: str, people: int, **fields: Any) -> None:
        """People do something; hits and awards by the model's ids."""
        self.of_model.act(kind, people=people, **fields)

    # What the floor does

    def step(self) -> None:
        """People do something, or a table does."""
        if self.crew and self.rng.random() < 0.1:
            self.waiting()
        elif self.of_links and self.rng.random() < self.of_links:
            self.link()
        elif self.rng.random() < 0.35:
            self.person()
        else:
            self.table()

    def table(self) -> None:
        table = self.model.tables[self.rng.choice(self.house.tables).name]
        if not table.unfinished:
            if table.reopenable is not None and (table.asked or self.rng.random() < 0.25):
                self.reopen(table.name, table.reopenable.name)
                return
            if self.model.held(table.name) and self.rng.random() < 0.8:
                self.act("release", 1, table=table.name)
            self.rounds += 1
            self.wager(table, f"r{self.rounds}", None)
            return
        round_ = self.rng.choice(list(table.unfinished.values()))
        self.play(table, round_)

    def reopen(self, table: str, round_: str) -> None:
        if self.model.tables[table].asked and self.rng.random() < 0.3:
            self.act("decline", 1, table=table, round=round_)
        else:
            self.act("reopen", self.rng.choice((1, 2, 2, 2)), table=table, round=round_)

    def play(self, table: ModelTable, round_: Round) -> None:
        choice = self.rng.random()
        bets = [{"seat": w.seat, "link": w.link, "on": w.on} for w in round_.wagers if w.live]
        if choice < 0.04:
            self.send(table.name, {"t": "void", "round": round_.name, "reason": "misdeal"})
        elif choice < 0.08:
            self.act("void_round", self.rng.choice((1, 2)), table=table.name, round=round_.name)
        elif choice < 0.12 and bets:
            self.send(table.name, {"t": "withdraw", "round": round_.name, "bets": [self.rng.choice(bets)]})
        elif choice < 0.16:
            self.send(table.name, {"t": "close", "round": round_.name})
        elif round_.state == OPEN:
            if choice < 0.5:
                self.wager(table, round_.name, round_)
            else:
                message = {"t": "lock", "round": round_.name, "chips": self.chips(table, bets)}
                self.send(table.name, message, self.draws(table))
        elif round_.state == MISMATCH and bets and choice < 0.5:
            self.act("strike", 1, table=table.name, round=round_.name, **self.rng.choice(bets))
        elif choice < 0.2 and (dealer := [bet for bet in bets if bet["on"] == "dealer"]):
            people = self.rng.choice((1, 2, 2))
            self.act("strike", people, table=table.name, round=round_.name, **self.rng.choice(dealer))
        elif round_.state == MISMATCH:
            chips = self.chips(table, bets)
            self.send(table.name, {"t": "lock", "round": round_.name, "chips": chips})
        else:
            self.settle(table, round_)

    def wager(self, table: ModelTable, name: str, round_: Round | None) -> None:
        bets: list[Message] = []
        for seat in self.rng.sample(range(1, table.seats + 1), self.rng.randint(1, 4)):
            player = {"player": self.rng.choice(PLAYERS)} if self.rng.random() < 0.1 else {}
            for link in table.links:
                if self.rng.random() < 0.8:
                    bets.append({"seat": seat, "link": link, "amount": self.wagers[link], **player})
                if self.model.links[link].paytable.dealer and self.rng.random() < 0.5:
                    bets.append({"seat": seat, "link": link, "amount": self.wagers[link], "on": "dealer"})
        if not bets:
            return
        message: Message = {"t": "wager", "round": name, "bets": bets}
        if self.rng.random() < 0.6:
            standing = [{"link": w.link} for w in round_.wagers if w.live] if round_ else []
            message |= {"lock": True, "chips": self.chips(table, [*standing, *bets])}
        self.send(table.name, message, self.draws(table))

    def chips(self, table: ModelTable, bets: list[Message]) -> dict[str, int]:
        counts = Counter(bet["link"] for bet in bets)
        return {link: counts[link] + (self.rng.random() < 0.04) for link in table.links}

    def draws(self, table: ModelTable) -> Message:
        drawn: Message = {}
        for link in table.links:
            terms = self.model.links[link]
            if terms.magic_every and self.rng.random() < 0.5:
                drawn.setdefault(link, {})["magic_card"] = self.rng.choice(DECK)
            if terms.lucky_every and self.rng.random() < 0.5:
                drawn.setdefault(link, {})["lucky_box"] = self.rng.randint(1, table.seats)
        return drawn

    def settle(self, table: ModelTable, round_: Round) -> None:
        own, common = CARDS[table.game]
        taken = {*round_.board, *round_.dealer, *(card for dealt in round_.cards.values() for card in dealt)}
        message: Message = {"t": "settle", "round": round_.name, "close": self.rng.random() < 0.6}
        if common and (not round_.board or self.rng.random() < 0.03):
            message["board"] = self.deal(taken, common[0], BOARDS[table.game])
        if table.game == UTH and (self.rng.random() < 0.9 if not round_.dealer else self.rng.random() < 0.03):
            message["dealer"] = self.deal(taken, own, HANDS[UTH])
        settled = round_.settled
        free = [seat for seat in range(1, table.seats + 1) if seat not in settled]
        if round_.lowest is not None and self.rng.random() < (0.5 if round_.reopened else 0.9):
            free = [seat for seat in free if seat < (round_.lowest or 0)]
        seats = self.rng.sample(free, self.rng.randint(0, min(len(free), 4)))
        if self.rng.random() < 0.7 and round_.one_showing(self.model.links):
            wagered = {wager.seat for wager in round_.wagers if wager.live and wager.on == "own"}
            alone = settled or self.rng.random() < 0.3
            seats = [] if alone else list(wagered | set(seats[:1]))
        seats.sort(reverse=True)
        message["hands"] = [self.hand(table, seat, taken, own) for seat in seats]
        last = message["hands"][-1] if seats else {}
        if last and self.rng.random() < (0.5 if "hand" in last else 0.05):
            named = {"hand": self.rng.choice(("straight", last["hand"]))} if "hand" in last else {}
            message["hands"].append(last | named | {"link": self.rng.choice(table.links)})
        self.send(table.name, message)

    def hand(self, table: ModelTable, seat: int, taken: set[str], own: int) -> Message:
        hand: Message = {"seat": seat}
        if table.game != LIR and self.rng.random() < 0.2:
            hand["folded"] = True
        if "folded" not in hand and self.rng.random() < 0.08:
            hand["hand"] = "straight-flush"
            if self.rng.random() < 0.6:
                hand["link"] = self.rng.choice(table.links)
        elif "folded" not in hand or self.rng.random() < 0.6:
            hand["cards"] = self.deal(taken, own, HANDS[table.game])
            if self.rng.random() < 0.08:
                hand["link"] = self.rng.choice(table.links)
        if self.rng.random() < 0.05:
            hand["player"] = self.rng.choice(PLAYERS)
        return hand

    def deal(self, taken: set[str], number: int, good: list[str]) -> list[str]:
        """Cards that nobody holds yet, good ones where there are any left."""
        dealt = self.rng.choice(good).split()
        if taken & set(dealt) or self.rng.random() < 0.15:
            dealt = self.rng.sample([card for card in DECK if card not in taken], number)
        taken |= set(dealt)
        return dealt

    def person(self) -> None:
        left = [award for name in self.model.links for award in self.model.left_on(name)]
        if left and self.rng.random() < 0.1:
            self.decide(self.rng.choice(left).id, self.rng.choice((1, 2, 2)))
            return
        hits = [
            hit
            for hit in self.of_model.hits()
            if any(award["status"] in ("pending", "validated", "final") for award in hit["awards"])
        ]
        if not hits:
            return
        hit = self.rng.choice(hits[-10:])
        award = self.rng.choice(hit["awards"])
        named = {"hit": hit["hit"]}
        if self.rng.random() < 0.3 and award["status"] == "pending":
            named = {"award": award["award"]}
        kind = self.rng.choice(("validate", "pay", "pay", "pay", "undo", "undo", "correct", "dispute"))
        if hit["disputed"] and self.rng.random() < 0.4:
            self.lift(hit)
            return
        if kind == "dispute":
            self.act(kind, 1, hit=hit["hit"])
            return
        if kind == "pay":
            self.act(kind, 1, **self.winner(hit, award, named), **self.papers(0.7))
            return
        if kind == "correct":
            amount = max(0, award["amount"] + self.rng.choice((-100_000, -777, -1, 0, 1, 777, 50_000)))
            paper: Message = {"tax_from": TAX_FROM}
            paper |= {"document": f"W-{award['award']}"} if self.rng.random() < 0.7 else {}
            self.act(kind, self.rng.choice((1, 2, 2)), award=award["award"], amount=amount, **paper)
            return
        self.act(kind, self.rng.choice((1, 2, 2)), **named)

    def winner(self, hit: Message, award: Message, named: Message) -> Message:
        """Mostly a seat that the hit gives something; or the hit or the award, as they are named."""
        if self.rng.random() < 0.4:
            return named
        seat = award["seat"] if self.rng.random() < 0.9 else self.rng.randint(1, 7)
        return {"hit": hit["hit"], "seat": seat}

    def papers(self, sure: float) -> Message:
        """The site's sum, and mostly the form that a payment from it on takes."""
        return {"tax_from": TAX_FROM} | ({"tax_form": "W-2G"} if self.rng.random() < sure else {})

    def lift(self, hit: Message) -> None:
        """Two end the dispute of a hit; now and then one alone, or another one than holds it."""
        number = hit["disputed"] - (self.rng.random() < 0.1)
        self.act("lift", self.rng.choice((1, 2, 2, 2)), hit=hit["hit"], dispute=number)

    def decide(self, award: str, people: int) -> None:
        """What is left of a paid award is taken off, where it is there still, or it stays."""
        for remove in self.rng.choice(((True, False), (False,))):
            self.act("decide_left", people, award=award, remove=remove)

    # People who sign

    def sign(self, kind: str, signed: tuple[Signer, ...], **fields: Any) -> None:
        """People sign for something; requests by their numbers."""
        self.of_model.sign(kind, signed, **fields)

    def signers(self, people: int, kind: str = "validate", **fields: Any) -> tuple[Signer, ...]:
        """So many of the crew; mostly those who may, with their own secret, and different ones."""
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
        """Mostly by who asked and another who may."""
        asker, second = self.signers(2)
        request = self.model.requests.get(number)
        if request is not None and self.rng.random() < 0.9:
            asker = replace(next(one for one in self.crew if one.id == request.asker), means=request.means)
            roles = self.model.roles(request.kind, request.fields)
            others = [one for one in self.crew if may(one, roles) and are_two(asker, one)]
            second = self.rng.choice(others) if others and self.rng.random() < 0.7 else second
        self.sign("confirm", (asker, second), request=number)

    def reshuffle(self) -> None:
        """One of the crew has other roles from now on."""
        place = self.rng.randrange(len(self.crew))
        roles = tuple(role for role in ROLES if self.rng.random() < (0.6 if role == "floor" else 0.2))
        changed = replace(self.crew[place], roles=roles)
        self.crew = (*self.crew[:place], changed, *self.crew[place + 1 :])

    # Links as a whole (L8, L9)

    def link(self) -> None:
        """Now and then on a link that was brought to rest for it."""
        name = self.rng.choice(self.house.links).name
        kind = self.rng.choice(
            ("suspend", *4 * ("resume",), *4 * ("correct_meter",), *3 * ("change",), *3 * ("move",))
        )
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
                self.correct_meter(self.rng.choice(self.house.links).name, 2)
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
            if any(award["status"] in ("pending", "validated") for award in hit["awards"]):
                self.settle_hit(hit)
        for award in self.model.left_on(name) if self.rng.random() < 0.8 else ():
            self.decide(award.id, 2)

    def settle_hit(self, hit: Message) -> None:
        """All that waits of it is paid, seat by seat; mostly also where it is disputed."""
        if hit["disputed"] and self.rng.random() < 0.8:
            self.act("lift", 2, hit=hit["hit"], dispute=hit["disputed"])
        self.act("validate", 1, hit=hit["hit"])
        for award in hit["awards"]:
            if award["status"] in ("pending", "validated"):
                self.act("pay", 1, award=award["award"], **self.papers(0.95))

    def correct_meter(self, name: str, people: int) -> None:
        level = self.rng.choice(list(self.model.links[name].levels))
        account = self.rng.choice(("primary", "primary", "reserve", "overflow"))
        have = self.model.meters()[name, level][account]
        micros = self.rng.choice((-have, -have - 1, -1, 777, 12_340_000, -5_000_000, 2_000_000_000))
        self.act("correct_meter", people, link=name, level=level, account=account, micros=micros)

    def change(self, name: str, people: int) -> None:
        link = self.model.links[name]
        level = self.rng.choice(list(link.levels))
        value = self.model.meters()[name, level]["primary"]
        terms = self.rng.choice(
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
        self.act("change", people, link=name, **terms)

    def move(self, name: str, people: int) -> None:
        """To another link of the house; closed one time in ten, unless it is the last."""
        links = self.model.links
        other = self.rng.choice(self.house.links).name
        levels = {level: self.rng.choice(list(links[other].levels)) for level in links[name].levels}
        last = sum(not link.closed for link in links.values()) == 1
        kind = "close_link" if self.rng.random() < 0.1 and not last else "transfer"
        self.act(kind, people, link=name, to=other, levels=levels)
