"""The independent model against everything at once, at random: its books must always balance."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.faults.model import Model
from tests.faults.model_facts import DOLLAR

TABLES = {"T1": ("let-it-ride", 7, ["A", "S"]), "T2": ("let-it-ride", 7, ["A", "H", "S"]), "T3": None}
HOLDEM = ("ultimate-texas-holdem", 6, ["H"])
SIZE = {"let-it-ride": (3, 2), "ultimate-texas-holdem": (2, 5)}
DECK = [rank + suit for rank in "23456789TJQKA" for suit in "shdc"]
# Dealt more often than chance: boards on which two hands, or every hand, make a straight flush or better.
BOARDS = {
    "let-it-ride": ["Js Ts"],
    "ultimate-texas-holdem": ["Ts Js Qs 2d 3h", "9s Ts Js 2d 3h", "2c 3c 4c Kd Ks"],
}
HANDS = {
    "let-it-ride": ["As Ks Qs", "7s 8s 9s", "Jh Jd Jc"],
    "ultimate-texas-holdem": ["As Ks", "8s 9s", "7s 8s", "Qs Ks", "5c 6c"],
}


class Floor:
    """Three tables doing whatever they can, and a floorperson undoing much of it."""

    def __init__(self, seed: int) -> None:
        self.rng, self.model = random.Random(seed), Model()
        model = self.model
        model.open_link(
            "A",
            "ma-PTMGLML03",
            100,
            primary={"mega": 1111, "major": 707, "minor": 333},
            reserve={"mega": 101},
            limit={"mega": 10_002 * DOLLAR, "major": 1_001 * DOLLAR},
        )
        model.open_link("S", "ma-PTMGL01", 100, primary={"": 1234}, simultaneous="share", floor_to_seed=True)
        model.open_link(
            "H", "pa-653a-five-card-hand-bonus", 500, simultaneous=self.rng.choice(["share", "order"])
        )
        for name, table in TABLES.items():
            game, seats, links = table or HOLDEM
            model.add_table(name, game, seats, links)
        self.rounds = 0
        self.amounts: dict[str, int] = {}

    def wager(self, name: str) -> None:
        table = self.model.tables[name]
        self.rounds += 1
        seats = self.rng.sample(range(1, table.seats + 1), self.rng.randint(1, 4))
        bets: list[dict[str, Any]] = []
        for seat in seats:
            for link in table.links:
                bets.append({"seat": seat, "link": link, "amount": 500 if link == "H" else 100})
                if table.game == HOLDEM[0] and self.rng.random() < 0.5:
                    bets.append({**bets[-1], "on": "dealer"})
        bets = [bet for bet in bets if bet["link"] != "H" or table.game == HOLDEM[0] or "on" not in bet]
        lock = self.rng.random() < 0.7
        round_ = next(iter(table.unfinished), f"r{self.rounds}")
        self.frame(name, {"t": "wager", "round": round_, "bets": bets, "lock": lock})

    def frame(self, table: str, message: dict[str, Any]) -> None:
        self.model.frame(table, message)

    def deal(self, taken: set[str], number: int, good: list[str]) -> list[str]:
        """Cards not yet taken, good ones where there are any left."""
        chosen = self.rng.choice(good).split()
        if taken & set(chosen) or self.rng.random() < 0.3:
            chosen = self.rng.sample([card for card in DECK if card not in taken], number)
        taken |= set(chosen)
        return chosen

    def settle(self, name: str, round_: str) -> None:
        table = self.model.tables[name]
        held = table.unfinished[round_]
        own, common = SIZE[table.game]
        taken = set(held.board) | set(held.dealer) | {card for some in held.cards.values() for card in some}
        message: dict[str, Any] = {"t": "settle", "round": round_, "hands": []}
        if not held.board:
            message["board"] = self.deal(taken, common, BOARDS[table.game])
        if table.game == HOLDEM[0] and not held.dealer:
            message["dealer"] = self.deal(taken, 2, HANDS[table.game])
        settled = held.settled
        free = [seat for seat in range(table.seats, 0, -1) if seat not in settled]
        if held.lowest is not None:
            free = [seat for seat in free if seat < (held.lowest or 0)]
        seats = set(self.rng.sample(free, min(len(free), 2)))
        if self.rng.random() < 0.5 and held.one_showing(self.model.links):
            seats = {wager.seat for wager in held.wagers if wager.live and wager.on == "own"} - settled
        for seat in sorted(seats, reverse=True):
            message["hands"].append({"seat": seat, "cards": self.deal(taken, own, HANDS[table.game])})
        message["close"] = self.rng.random() < 0.7
        self.frame(name, message)

    def table_step(self) -> None:
        name = self.rng.choice(list(TABLES))
        table = self.model.tables[name]
        if not table.unfinished:
            if table.reopenable is not None and self.rng.random() < 0.3:
                self.model.act("reopen", table=name, round=table.reopenable.name, people=2)
            else:
                self.model.act("release", table=name)
                self.wager(name)
            return
        round_ = self.rng.choice(list(table.unfinished))
        choice = self.rng.random()
        if choice < 0.05:
            self.frame(name, {"t": "void", "round": round_, "reason": "misdeal"})
        elif choice < 0.08:
            self.model.act("void_round", table=name, round=round_, people=2)
        elif choice < 0.3:
            self.frame(name, {"t": "lock", "round": round_})
        elif choice < 0.4:
            seat, link = self.rng.randint(1, 7), self.rng.choice(table.links)
            self.frame(name, {"t": "withdraw", "round": round_, "bets": [{"seat": seat, "link": link}]})
        elif choice < 0.5:
            self.frame(name, {"t": "close", "round": round_})
        else:
            self.settle(name, round_)

    def person_step(self) -> None:
        hits = self.model.hits()
        if not hits:
            return
        hit = self.rng.choice(hits[-8:])
        award = self.rng.choice(hit["awards"])
        kind = self.rng.choice(
            ["validate", "validate", "pay", "pay", "undo", "undo", "undo_award", "correct"]
        )
        if kind == "undo_award":
            self.model.act("undo", award=award["award"], people=2)
        elif kind == "correct":
            amount = max(0, award["amount"] + self.rng.randint(-500, 500))
            answer = self.model.act("correct", award=award["award"], amount=amount, people=2, document="D1")
            if answer["ok"] and award["status"] in ("pending", "validated"):
                self.amounts[award["award"]] = amount
        else:
            self.model.act(kind, hit=hit["hit"], people=2)

    def check(self) -> None:
        totals: dict[tuple[str, str], int] = {}
        for hit in self.model.hits():
            for award in hit["awards"]:
                before = self.amounts.get(award["award"], 0)
                assert award["amount"] >= before or award["status"] == "undone", "a published award fell"
                self.amounts[award["award"]] = award["amount"]
                if award["kind"] == "meter" and award["status"] != "undone":
                    key = (hit["link"], hit["level"])
                    cents = award["amount"] + award["difference"]
                    totals[key] = totals.get(key, 0) + cents * 10_000
        for key, have in self.model.meters().items():
            kept = have["primary"] + have["reserve"] + have["overflow"] + have["awards"]
            assert have["house"] + have["wagers"] + have["corrections"] == kept
            assert min(have.values()) >= 0
            assert have["awards"] == totals.get(key, 0)
            limit = self.model.links[key[0]].levels[key[1]].limit
            assert limit is None or have["primary"] <= limit


@pytest.mark.parametrize("seed", range(20))
def test_books_balance_whatever_happens(seed: int) -> None:
    """M4, L7, A11: conserved, nothing negative or above its limit, after every random step."""
    floor = Floor(seed)
    for _ in range(400):
        if floor.rng.random() < 0.7:
            floor.table_step()
        else:
            floor.person_step()
        floor.check()
        if floor.rng.random() < 0.2:
            before = floor.model.meters()
            floor.model.checkpoint()
            assert floor.model.meters() == before
    assert floor.model.hits_made


@pytest.mark.parametrize("seed", range(10))
def test_with_everything_undone_only_wagers_are_left(seed: int) -> None:
    """A11: undo every hit, and the meters are seed and contributions alone."""
    floor = Floor(100 + seed)
    for _ in range(150):
        floor.table_step()
        floor.check()
    model = floor.model
    for hit in reversed(model.hits()):
        model.act("undo", hit=hit["hit"], people=2)
    floor.check()
    for (link, level), have in model.meters().items():
        terms = model.links[link].levels[level]
        assert have["awards"] == 0
        assert have["house"] == terms.seed
        live = [w for w in model.links[link].facts if getattr(w, "live", False)]
        assert have["wagers"] == len(live) * model.links[link].wager * (terms.primary + terms.reserve)
