"""The engine and the independent model on random floors of must-hit-by links, step by step.

Each step is told to the model first, whose draws the engine then gets. What one of them refuses the other
refuses too; after each step all meters, hits and highest meters are equal.
"""

from random import Random
from typing import Any, Final

import pytest

from tests.faults.model_mystery import COMMITTED, DRAWN
from tests.faults.model_mystery_floor import PAID, PENDING, UNDONE, VALIDATED, MysteryFloor
from tests.faults.worked.form import Link, Message, Table, bets, close, lock, void, wager, withdraw
from tests.rules.test_worked_mystery import OfMysteryEngine, Recorded

STEPS: Final = 400
MINUTE_MS: Final = 60_000
FORMS: Final = (DRAWN, COMMITTED)
# Few wagers a cycle, so that there are many wins; of L some leave a residue.
LEVELS: Final[dict[str, dict[str, dict[str, str]]]] = {
    "L": {"": {"minimum": "10.00", "must_hit_by": "12.03", "rate": "3.33"}},
    "M": {
        "mega": {"minimum": "15.00", "must_hit_by": "20.00", "rate": "12"},
        "minor": {"minimum": "0.00", "must_hit_by": "1.50", "rate": "5"},
    },
}
OTHER: Final[dict[str, dict[str, dict[str, str]]]] = {
    "L": {"": {"minimum": "20.00", "must_hit_by": "24.00", "rate": "10"}},
    "M": {"minor": {"minimum": "1.00", "must_hit_by": "2.50", "rate": "5.01"}},
}
FIVE: Final = "5.00"
TABLES: Final = (
    Table("T1", "any", 7, ("L", "M"), per_minute=1_000),
    Table("T2", "any", 3, ("L",), per_minute=1_000),
    Table("T3", "any", 5, ("M", "L"), per_minute=1_000),
)


class RandomTriggers(Recorded):
    """Triggers of a level, each equally likely, now and then an end of the range."""

    def __init__(self, rng: Random) -> None:
        super().__init__(())
        self.rng = rng

    def draw(self, low: int, high: int) -> int:
        found = self.rng.choice([low + 1, high, *[self.rng.randint(low + 1, high)] * 6])
        self.above.append(found - low - 1)
        return found


class Lockstep:
    """The same floor twice."""

    def __init__(self, form: str, seed: int) -> None:
        self.rng = Random(seed)
        self.draws = {
            (link, level): RandomTriggers(self.rng) for link, levels in LEVELS.items() for level in levels
        }
        self.model = MysteryFloor({where: of.draw for where, of in self.draws.items()})
        self.engine = OfMysteryEngine({where: of.above for where, of in self.draws.items()})
        self.rounds = 0
        for subject in (self.model, self.engine):
            for name, levels in LEVELS.items():
                subject.open(
                    Link(name, "mystery", FIVE, {"form": form, "levels": levels, "electronic": name == "L"})
                )
            for table in TABLES:
                subject.add(table)

    def frame(self, table: str, message: Message) -> Message:
        must, got = (subject.frame(table, message, {}) for subject in (self.model, self.engine))
        assert (must["ok"], must.get("code")) == (got["ok"], got.get("code")), (table, message)
        if must["ok"]:
            for field in ("awards", "refunds"):
                assert sorted(map(facts, must[field])) == sorted(map(facts, got[field])), (table, message)
        return must

    def act(self, kind: str, **fields: Any) -> bool:
        must, got = (subject.act(kind, **fields) for subject in (self.model, self.engine))
        assert must["ok"] == got["ok"], (kind, fields, must, got)
        return bool(must["ok"])

    def same(self) -> None:
        assert self.engine.meters() == self.model.meters()
        assert self.engine.highest() == self.model.highest()
        assert not any(of.above for of in self.draws.values()), "a value that nobody drew"
        got = {hit["hit"]: facts(hit["awards"][0]) for hit in self.engine.hits()}
        here = {f"H{number}" for number in self.engine.engine.state.hits}
        for hit in self.model.hits():
            (award,) = hit["awards"]
            assert hit["hit"] in got
            if hit["hit"] in here:
                assert got[hit["hit"]] == facts(award)
            else:
                assert award["status"] in (PAID, UNDONE)
        assert len(got) == len(self.model.made)

    # -- what happens on it ----------------------------------------------------------------------------

    def play(self) -> None:
        """A round, which may be withdrawn from, miscounted, void, or left open."""
        table = self.rng.choice(TABLES)
        unfinished = list(self.model.rounds[table.name])
        if unfinished:
            return self.go_on(table, unfinished[0])
        self.rounds += 1
        name = f"r{self.rounds}"
        wagers = [
            bets(
                link,
                sorted(self.rng.sample(range(1, table.seats + 1), self.rng.randint(1, table.seats))),
                FIVE,
            )
            for link in table.links
            if self.rng.random() < 0.8
        ] or [bets(table.links[0], [1], FIVE)]
        self.frame(table.name, wager(name, *wagers, lock=False))
        return None

    def go_on(self, table: Table, name: str) -> None:
        at = self.model.rounds[table.name][name]
        counts = {
            link: sum(one.link == link for one in at.wagers) for link in {one.link for one in at.wagers}
        }
        chance = self.rng.random()
        if at.state == "open" and at.wagers and chance < 0.1:
            one = self.rng.choice(at.wagers)
            self.frame(table.name, withdraw(name, one.seat, one.link))
        elif at.state in ("open", "mismatch") and chance < 0.9:
            off = "M" in counts and self.rng.random() < 0.1
            chips = {"M": counts["M"] + off} if "M" in counts else {}
            self.frame(table.name, lock(name, chips))
        elif at.state == "reopened":
            self.end(table, name)
        elif chance < 0.97:
            self.frame(table.name, close(name))
        else:
            self.frame(table.name, void(name))

    def end(self, table: Table, name: str) -> None:
        """A reopened round is void, once its awards are undone, or closed again."""
        if self.rng.random() < 0.3:
            self.frame(table.name, close(name))
            return
        for hit in self.model.made:
            if (hit.table, hit.round) == (table.name, name) and hit.status in (PENDING, VALIDATED):
                self.act("undo", hit=f"H{hit.number}", people=self.rng.choice([1, 2, 2]))
        if not self.act("void_round", table=table.name, round=name, people=2):
            self.frame(table.name, close(name))

    def reopen(self) -> None:
        table = self.rng.choice(TABLES)
        at = self.model.last.get(table.name)
        if at is not None and at.state == "closed":
            self.act("reopen", table=table.name, round=at.name, people=2)

    def attend(self) -> None:
        """A hit is validated, paid, or undone."""
        waiting = [hit for hit in self.model.made if hit.status in (PENDING, VALIDATED)]
        if not waiting:
            return
        hit = self.rng.choice(waiting)
        if self.rng.random() < 0.2:
            self.act("undo", hit=f"H{hit.number}", people=self.rng.choice([1, 2]))
        elif hit.status == PENDING:
            self.act("validate", hit=f"H{hit.number}", people=1)
        else:
            self.act("pay", award=f"A{hit.number}", people=1)

    def correct(self) -> None:
        link = self.rng.choice(list(LEVELS))
        level = self.rng.choice(list(LEVELS[link]))
        account = self.rng.choice(["primary", "primary", "overflow"])
        micros = self.rng.choice([-1, 1]) * self.rng.randint(1, 300) * 3_700
        self.act(
            "correct_meter", link=link, level=level, account=account, micros=micros,
            people=self.rng.choice([1, 2, 2, 2]),
        )  # fmt: skip

    def change(self) -> None:
        """New terms, which need a link at rest."""
        link = self.rng.choice(list(LEVELS))
        self.act("suspend", link=link, people=1)
        for hit in self.model.made:
            if hit.link == link and hit.status in (PENDING, VALIDATED):
                self.act("undo", hit=f"H{hit.number}", people=2)
        levels = self.rng.choice([LEVELS[link], OTHER[link]])
        self.act("change", link=link, levels=levels, people=2)
        self.act("resume", link=link, people=1)

    def step(self) -> None:
        self.engine.wait(MINUTE_MS)
        does = self.rng.choices(
            [self.play, self.reopen, self.attend, self.correct, self.change, self.take_over],
            [30, 3, 4, 1, 0.5, 0.5],
        )
        does[0]()
        self.same()

    def take_over(self) -> None:
        self.engine.wait(0, take_over=True)


def facts(told: Message) -> tuple[Any, ...]:
    """Of an award or a refund what both say."""
    names = ("seat", "link", "level", "amount", "status", "pays")
    return tuple(told.get(name) if "award" in told or name != "amount" else None for name in names)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(1, 6))
def test_the_engine_does_as_the_model(form: str, seed: int) -> None:
    """Y1-Y4, Y6, Y7, Y10-Y12, M4: wins, voids, undos, corrections, new terms and take-overs at any time."""
    both = Lockstep(form, seed)
    for step in range(STEPS):
        try:
            both.step()
        except AssertionError as difference:
            raise AssertionError(f"seed {seed}, step {step}") from difference
    assert both.model.made, "nobody has won"
    assert any(hit.status == UNDONE for hit in both.model.made)
