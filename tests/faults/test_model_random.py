"""The independent model against everything at once, at random: its books must always balance."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.faults.random_floor import RandomFloor
from tests.faults.random_houses import HOUSES, House
from tests.nightly import repeated


class Floor(RandomFloor):
    """A floor whose books are checked after every step. amounts: of each award, as published last.

    A correction alone may lower one.
    """

    of_links = 0.05

    def __init__(self, house: House, seed: int) -> None:
        super().__init__(house, seed)
        self.done: Counter[str] = Counter()
        self.amounts: dict[str, int] = {}

    def act(self, kind: str, people: int, **fields: Any) -> None:
        answer = self.of_model.act(kind, people=people, **fields)
        self.done[kind] += answer["ok"]
        if kind == "correct" and answer["ok"]:
            self.amounts.pop(fields["award"], None)

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
            given = have["house"] + have["wagers"] + have["corrections"] + have["transfers"]
            assert given == kept
            assert (
                min(have["primary"], have["reserve"], have["overflow"], have["awards"], have["wagers"]) >= 0
            )
            assert have["awards"] == totals.get(key, 0)
            limit = self.model.links[key[0]].levels[key[1]].limit
            assert limit is None or have["primary"] <= limit
        assert sum(have["transfers"] for have in self.model.meters().values()) == 0


@pytest.mark.parametrize("seed", range(repeated(2, 4)))
@pytest.mark.parametrize("house", HOUSES)
def test_books_balance_whatever_happens(house: str, seed: int) -> None:
    """M4, L7, A11: conserved, nothing negative or above its limit, after every random step."""
    floor = Floor(HOUSES[house], seed)
    for _ in range(400):
        floor.step()
        floor.check()
        if floor.rng.random() < 0.2:
            before = floor.model.meters()
            floor.model.checkpoint()
            assert floor.model.meters() == before
    assert floor.model.hits_made


@pytest.mark.parametrize("seed", range(repeated(1, 2)))
@pytest.mark.parametrize("house", HOUSES)
def test_with_everything_undone_only_wagers_are_left(house: str, seed: int) -> None:
    """A11: undo every hit, and the meters are seed and contributions alone."""
    floor = Floor(HOUSES[house], 100 + seed)
    for _ in range(150):
        floor.table()
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
