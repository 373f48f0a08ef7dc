"""Random play at tables: all that a table and people may ask for, and some of what they must not.

It looks at the books of the independent model alone. A test that tells more than the model overrides `frame`
and `act`. Every choice comes from one seed.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any, Final, get_args

from controllers.messages import VoidCause
from tests.faults.model_floor import ANY, LOCKED, MISMATCH, OPEN, Round
from tests.faults.model_floor import Table as ModelTable
from tests.faults.random_people import RandomPeople
from tests.faults.worked.form import CRISS, FOUR, LIR, THREE, UTH, Message

CARDS: Final = {LIR: (3, (2,)), UTH: (2, (5,)), THREE: (3, ()), FOUR: (5, ()), CRISS: (2, (5,))}
DECK: Final = [rank + suit for rank in "23456789TJQKA" for suit in "shdc"]
# Dealt more often than chance, so that percentages are won by one, by two and by the dealer.
BOARDS: Final = {
    LIR: ["Js Ts", "Jh Th"],
    UTH: ["Ts Js Qs 2d 3h", "9s Ts Js 2d 3h", "2c 3c 4c Kd Ks", "Kd Ks 4c 2d 3d"],
    CRISS: ["Ts Js Qs Ks As", "9s 9h 9d 9c 2h", "5s 5h 7d 8c Th", "6s 6h 7d 8c Th", "6s 6h 7d 7c Th"],
}
# The three cards of the Six Card Bonus.
BONUS: Final = ("Js Ts 9s", "Jd Td 9d", "Kc Kd Kh", "2c 3d 4h")
HANDS: Final = {
    LIR: ["As Ks Qs", "7s 8s 9s", "Jd Jh Jc", "Ah Kh Qh", "7h 8h 9h", "Td Tc Th"],
    UTH: ["As Ks", "8s 9s", "7s 8s", "Qs Ks", "5c 6c", "Kh Kc", "2h 2s"],
    THREE: ["As Ks Qs", "Ah Kh Qh", "2d 3d 4d", "9s 9h 9d"],
    FOUR: ["As Ah Ad Ac 2s", "Ks Kh Kd Kc 3s", "5h 6h 7h 8h 2d", "9s 9h 9d 2h 3c"],
    CRISS: ["2c 3d", "Ac Ad"],
}
# Two players, one of them written in three ways.
PLAYERS: Final = ("Ann", " ann", "\uff21NN", "Bob")
# How much time passes at once, in milliseconds; a minute and a quarter of an hour to the very end among them.
TIMES: Final = (1, 999, 5_000, 20_000, 59_999, 60_000, 300_000, 899_999, 900_000)
# Of the frames, how many have something wrong with them, and of those how many another thing.
SPOILT: Final = 0.06
# Of its turns, in how many a table counts chips again that agreed.
RECOUNTS: Final = 0.04


class RandomFloor(RandomPeople):
    """Tables that play while people act."""

    def send(self, table: str, message: Message, draws: Message | None = None) -> None:
        """A table sends a command, now and then with one or several mistakes."""
        for _ in range(2):
            if self.rng.random() < SPOILT:
                message = self.spoilt(table, message)
        self.frame(table, message, draws)

    def spoilt(self, table: str, message: Message) -> Message:
        """The frame with one field changed to another well-formed value."""
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

    # What the floor does

    def step(self) -> None:
        """One random step: people act, a table sends, or time passes."""
        if self.of_time and self.rng.random() < self.of_time:
            self.time()
        elif self.of_looks and self.rng.random() < self.of_looks and self.with_meters():
            self.look()
        elif self.crew and self.rng.random() < 0.1:
            self.waiting()
        elif self.of_links and self.rng.random() < self.of_links and self.with_meters():
            self.link()
        elif self.rng.random() < 0.35:
            self.person()
        else:
            self.table()

    def time(self) -> None:
        """Advances time; now and then a gaming day ends or another server takes over."""
        if self.rng.random() < 0.2:
            self.days += self.rng.choice((0, 1, 1, 2))
            self.act("reading", 0, day=f"2026-{1 + self.days // 28:02d}-{1 + self.days % 28:02d}")
            return
        self.wait(self.rng.choice(TIMES), take_over=self.rng.random() < 0.1)

    def table(self) -> None:
        table = self.model.tables[self.rng.choice(self.house.tables).name]
        if not table.unfinished:
            answers = table.asked and not (self.of_time and self.rng.random() < 0.5)
            if table.reopenable is not None and (answers or self.rng.random() < 0.25):
                self.reopen(table.name, table.reopenable.name)
                return
            if self.model.held(table.name) and self.rng.random() < 0.8:
                self.act("release", 1, table=table.name)
            self.rounds += 1
            self.wager(table, f"r{self.rounds}", None)
            return
        round_ = self.rng.choice(list(table.unfinished.values()))
        self.lamp(table)
        self.play(table, round_)

    def lamp(self, table: ModelTable) -> None:
        """Now and then a table says what a lamp shows, perhaps of an award that wants none (P3).

        By the table's rounds and hits, so that all else is played as it would be.
        """
        awards = [award for hit in self.model.hits_made.values() for award in hit.awards]
        rng = Random(f"lamp {table.name} {self.rounds} {len(awards)}")
        if awards and rng.random() < 0.2:
            award, state = rng.choice(awards[-8:]).id, rng.choice(("lit", "lit", "lamp_failed"))
            self.frame(table.name, {"t": "lamp", "award": award, "state": state})

    def reopen(self, table: str, round_: str) -> None:
        if self.model.tables[table].asked and self.rng.random() < 0.3:
            self.act("decline", 1, table=table, round=round_)
        elif self.crew and self.model.tables[table].asked and self.rng.random() < 0.8:
            self.agree(table, round_, self.model.reopening[table])
        else:
            self.act("reopen", self.rng.choice((1, 2, 2, 2)), table=table, round=round_)

    def may_be_unseen(self, bet: Any) -> bool:
        """Whether a wager is decided by cards that nobody may be able to show (T8, B16)."""
        return bet["on"] == "dealer" or self.model.links[bet["link"]].offer

    def cause(self, table: ModelTable) -> dict[str, Any]:
        """Why a round is void, if anybody says; some let Trips Wagers be settled (P5).

        By the round's name, so that all else is played as it would be.
        """
        rng = Random(f"{table.name} {self.rounds}")
        cause = rng.choice((None, *get_args(VoidCause), "exposed-card"))
        trips = [link for link in table.links if "trips" in self.model.links[link].paytable.id]
        if not trips or rng.random() < 0.3:
            return {} if cause is None else {"cause": cause}
        kept = trips if rng.random() < 0.9 else [rng.choice(table.links)]
        return {"settles": kept} if cause is None else {"cause": cause, "settles": kept}

    def abandon(self, table: ModelTable, round_: Round) -> None:
        """A player leaves, and the floor says whether one did (P6)."""
        rng = self.rng
        seats = sorted({w.seat for w in round_.wagers if w.live})
        if seats and round_.state == LOCKED and rng.random() < self.of_gone:
            hand = {"seat": rng.choice(seats), "abandoned": True}
            self.send(table.name, {"t": "settle", "round": round_.name, "hands": [hand]})
        for seat in [seat for seat in round_.gone if not round_.lost(seat)]:
            if rng.random() < 0.7:
                where = {"table": table.name, "round": round_.name, "seat": seat}
                self.act("decide_abandoned", 1, **where, abandoned=rng.random() < 0.7)

    def recount(self, table: ModelTable, round_: Round) -> None:
        """Now and then a table counts again what agreed, before cards or after, and often finds another sum.

        By how often it has played, so that all else is played as it would be.
        """
        self.plays += 1
        rng = Random(f"count {table.name} {self.plays}")
        if round_.state == LOCKED and rng.random() < RECOUNTS:
            counts = Counter(wager.link for wager in round_.wagers if wager.live)
            chips = {link: counts[link] + (rng.random() < 0.3) for link in table.links}
            self.frame(table.name, {"t": "lock", "round": round_.name, "chips": chips})

    def lifetime(self, table: ModelTable) -> Message:
        """What a table has counted in its lifetime, if it says so; now and then wrong (S6, B3)."""
        rng = Random(f"lifetime {table.name} {self.plays}")
        if rng.random() < 0.7:
            return {}
        counts = {link: count + (rng.random() < 0.1) for link, count in table.accepted.items()}
        offers = [link for link in table.wagered if self.model.links[link].offer]
        sums = {link: table.wagered[link] + 500 * (rng.random() < 0.1) for link in offers}
        return {"counts": counts} | ({"sums": sums} if sums else {})

    def undo_final(self) -> Message:
        """Whether people who void a round undo with it what offers have paid at once (B15)."""
        return {"undo_final": True} if Random(f"void {self.plays}").random() < 0.6 else {}

    def play(self, table: ModelTable, round_: Round) -> None:
        self.recount(table, round_)
        if self.of_gone:
            self.abandon(table, round_)
        choice = self.rng.random()
        bets = [{"seat": w.seat, "link": w.link, "on": w.on} for w in round_.wagers if w.live]
        if choice < 0.04:
            self.send(
                table.name, {"t": "void", "round": round_.name, "reason": "misdeal"} | self.cause(table)
            )
        elif choice < 0.08:
            people = self.rng.choice((1, 2))
            self.act("void_round", people, table=table.name, round=round_.name, **self.undo_final())
        elif choice < 0.12 and bets:
            self.send(table.name, {"t": "withdraw", "round": round_.name, "bets": [self.rng.choice(bets)]})
        elif choice < 0.16:
            self.send(table.name, {"t": "close", "round": round_.name} | self.lifetime(table))
        elif round_.state == OPEN:
            if choice < 0.5:
                self.wager(table, round_.name, round_)
            else:
                message = {"t": "lock", "round": round_.name, "chips": self.chips(table, bets)}
                message |= self.sums(table, self.standing_bets(round_))
                message |= self.players(table, self.standing_bets(round_))
                self.send(table.name, message, self.draws(table))
        elif round_.state == MISMATCH and bets and choice < 0.5:
            self.act("strike", 1, table=table.name, round=round_.name, **self.rng.choice(bets))
        elif choice < 0.2 and (unseen := [bet for bet in bets if self.may_be_unseen(bet)]):
            people = self.rng.choice((1, 2, 2))
            self.act("strike", people, table=table.name, round=round_.name, **self.rng.choice(unseen))
        elif round_.state == MISMATCH:
            chips = self.chips(table, bets)
            message = {"t": "lock", "round": round_.name, "chips": chips}
            self.send(table.name, message | self.sums(table, self.standing_bets(round_)))
        elif self.of_players(table) and self.rng.random() < 0.1:
            message = {"t": "lock", "round": round_.name}
            self.send(table.name, message | self.players(table, self.standing_bets(round_)))
        else:
            self.settle(table, round_)

    def wager(self, table: ModelTable, name: str, round_: Round | None) -> None:
        bets: list[Message] = []
        for seat in self.rng.sample(range(1, table.seats + 1), self.rng.randint(1, 4)):
            player = {"player": self.rng.choice(PLAYERS)} if self.rng.random() < 0.1 else {}
            for link in table.links:
                if self.rng.random() < 0.8:
                    bets.append({"seat": seat, "link": link, "amount": self.amount(link), **player})
                if self.model.links[link].paytable.dealer and self.rng.random() < 0.5:
                    bets.append({"seat": seat, "link": link, "amount": self.wagers[link], "on": "dealer"})
        if not bets:
            return
        message: Message = {"t": "wager", "round": name, "bets": bets}
        if self.rng.random() < 0.6:
            standing = self.standing_bets(round_) if round_ else []
            message |= {"lock": True, "chips": self.chips(table, [*standing, *bets])}
            message |= self.sums(table, [*standing, *bets])
            message |= self.players(table, [*standing, *bets])
        self.send(table.name, message, self.draws(table))

    def chips(self, table: ModelTable, bets: list[Message]) -> dict[str, int]:
        counts = Counter(bet["link"] for bet in bets)
        return {link: counts[link] + (self.rng.random() < 0.04) for link in table.links}

    def standing_bets(self, round_: Round) -> list[Message]:
        live = (wager for wager in round_.wagers if wager.live)
        return [{"seat": wager.seat, "link": wager.link, "amount": wager.cents} for wager in live]

    def of_players(self, table: ModelTable) -> bool:
        """Whether one of the table's links depends on how many play (B10)."""
        return any(self.model.links[link].paytable.best_of == "table" for link in table.links)

    def players(self, table: ModelTable, bets: list[Message]) -> Message:
        """How many are dealt a hand: those with wagers and perhaps one more; now and then it is left out."""
        if not self.of_players(table) or self.rng.random() < 0.05:
            return {}
        seats = len({bet["seat"] for bet in bets})
        return {"players": min(7, max(1, seats + self.rng.choice((0, 0, 0, 0, 1, -1))))}

    def amount(self, link: str) -> int:
        """The link's wager; of an offer any amount that it takes, and now and then another one."""
        terms = self.model.links[link]
        if not terms.most:
            return self.wagers[link]
        steps = (terms.most - terms.wager) // terms.unit
        wrong = self.rng.random() < 0.03
        return terms.wager + terms.unit * self.rng.randint(0, min(steps, 4)) + wrong

    def sums(self, table: ModelTable, bets: list[Message]) -> Message:
        """What the dealer's chips on offers come to; nothing where the table has none."""
        offers = [link for link in table.links if self.model.links[link].offer]
        if not offers:
            return {}
        came_to = dict.fromkeys(offers, 0)
        for bet in bets:
            came_to |= {bet["link"]: came_to[bet["link"]] + bet["amount"]} if bet["link"] in offers else {}
        return {"sums": {link: sum_ + 500 * (self.rng.random() < 0.04) for link, sum_ in came_to.items()}}

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
        if table.game == ANY:
            self.send(table.name, self.end_without_cards(round_))
            return
        own, common = CARDS[table.game]
        taken = {*round_.board, *round_.dealer, *(card for dealt in round_.cards.values() for card in dealt)}
        message: Message = {"t": "settle", "round": round_.name, "close": self.rng.random() < 0.6}
        if common and (not round_.board or self.rng.random() < 0.03):
            message["board"] = self.deal(taken, common[0], BOARDS[table.game])
        if table.game == UTH and (self.rng.random() < 0.9 if not round_.dealer else self.rng.random() < 0.03):
            message["dealer"] = self.deal(taken, own, HANDS[UTH])
        counted = {self.model.links[link].paytable.best_of for link in table.links}
        if "dealer" in counted and self.rng.random() < (0.9 if not round_.dealer else 0.03):
            message["dealer"] = self.deal(taken, self.rng.choice((2, 3, 3, 3, 3)), HANDS[THREE])
        if "bonus" in counted and self.rng.random() < (0.9 if not round_.bonus else 0.03):
            message["bonus"] = self.deal(taken, 3, list(BONUS))
        settled = round_.settled
        free = [seat for seat in range(1, table.seats + 1) if seat not in settled]
        if round_.lowest is not None and self.rng.random() < (0.5 if round_.reopened else 0.9):
            free = [seat for seat in free if seat < (round_.lowest or 0)]
        played = sorted({wager.seat for wager in round_.wagers if wager.live} & set(free))
        free = played if played and self.rng.random() < 0.5 else free
        seats = self.rng.sample(free, self.rng.randint(0, min(len(free), 4)))
        if self.rng.random() < 0.7 and round_.one_showing(self.model.links):
            wagered = {wager.seat for wager in round_.wagers if wager.live and wager.on == "own"}
            alone = settled or self.rng.random() < 0.3
            seats = [] if alone else list(wagered | set(seats[:1]))
        if "table" in counted and self.rng.random() < 0.7:
            others = sorted(set(range(1, table.seats + 1)) - set(played) - settled)
            seats = [*played, *others[: max(0, round_.players_dealt - len(played) - len(settled))]]
        seats.sort(reverse=True)
        message["hands"] = [self.hand(table, seat, taken, own) for seat in seats]
        message |= self.lifetime(table) if message["close"] else {}
        offers = [link for link in self.model.links.values() if link.offer]
        if table.game == UTH and offers and self.rng.random() < 0.7:  # folded hands after the others (B8)
            message["hands"].sort(key=lambda hand: hand.get("folded", False))
        last = message["hands"][-1] if seats else {}
        if last and self.rng.random() < (0.5 if "hand" in last else 0.05):
            named = {"hand": self.rng.choice(("straight", last["hand"]))} if "hand" in last else {}
            message["hands"].append(last | named | {"link": self.rng.choice(table.links)})
        self.send(table.name, message)

    def end_without_cards(self, round_: Round) -> Message:
        """A table of any game closes its round, as a settlement or not (Y7); now and then it sends cards."""
        choice = self.rng.random()
        if choice < 0.8:
            return {"t": "close", "round": round_.name}
        hands = [{"seat": 1, "cards": ["As", "Ks", "Qs"]}] if choice > 0.95 else []
        return {"t": "settle", "round": round_.name, "hands": hands, "close": True}

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
