"""A jackpot is explained by the cycles and wagers that the independent model counts for it."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from jackpot.ledger.journal import Row, genesis, row_of
from jackpot.ledger.open import open_reader
from tests.faults.model_facts import CENT, UNDONE, Award
from tests.faults.model_made import Brought, Made, made
from tests.faults.random_houses import HOUSES, House
from tests.ledger.waiting import open_ledger
from tests.reports.asked import said
from tests.rules.subject import BANK, OfEngine
from tests.rules.test_against_model import OfLinks

STEPS: Final = 200
SEED: Final = 14
# Of a hand found late the way to its turn is told, and what has happened since in one line.
LATE: Final = ("as if at their turn", "since its turn")

Line = dict[str, Any]
Key = tuple[Any, ...]


class Told(NamedTuple):
    """A percentage award: its origin and amount in cents by the model, and its explanation.

    turned: of a hand found late, or after one: it is told by rows, and the model has it by turns.
    """

    made: Made
    worth: int
    turned: bool
    lines: list[Line]

    def part(self, name: str) -> list[Line]:
        return [line for line in self.lines if line["part"] == name]


class Noting(OfLinks):
    """It notes of each percentage award, once it is won, what has made it. Nothing is folded."""

    def __init__(self, house: House, seed: int) -> None:
        super().__init__(house, seed)
        self.won: dict[Key, tuple[Award, Made]] = {}

    def step(self) -> None:
        super().step()
        for hit in self.model.hits_made.values():
            for award in hit.awards:
                name = self.names(self.of_model)[award.id]
                if award.kind == "meter" and name not in self.won:
                    self.won[name] = award, made(self.model.links[hit.link], award)

    def write(self, path: Path) -> str:
        """Writes the engine's journal as a ledger; returns its URL."""
        with closing(open_ledger(url := f"sqlite:///{path}")) as ledger:
            ledger.new_epoch(BANK, "test")
            ledger.append(BANK, 1, 0, list(rows_of(self.engine)))
        return url

    def told(self, url: str) -> Iterator[Told]:
        """Every percentage award, from the ledger's report."""
        names = self.names(self.engine)
        late = {award.id for award, by in self.won.values() if by.late}
        with closing(open_reader(url)) as reader:
            for hit in self.engine.hits():
                explained = said(reader, "explain", hit=int(hit["hit"][1:])).rows
                for name in (one["award"] for one in hit["awards"] if one["kind"] == "meter"):
                    award, by = self.won[names[name]]
                    worth = 0 if award.status == UNDONE else award.amount + award.difference
                    turned = by.late or bool(late & by.awards_before())
                    lines = [line for line in explained if line["award"] == name]
                    turned |= any(words in line["what"] for line in lines for words in LATE)
                    yield Told(by, worth, turned, lines)


def rows_of(engine: OfEngine) -> Iterator[Row]:
    previous = genesis(BANK)
    for entry in engine.entries:
        row = row_of(BANK, 1, entry, previous)
        previous = row.hash
        yield row


@pytest.fixture(scope="module")
def jackpots(tmp_path_factory: pytest.TempPathFactory) -> list[Told]:
    """Awards of every floor that the model plays at random."""
    found: list[Told] = []
    for house in HOUSES.values():
        floor = Noting(house, SEED)
        for _ in range(STEPS):
            floor.step()
        found += floor.told(floor.write(tmp_path_factory.mktemp("jackpots") / "ledger.db"))
    return found


def test_an_explanation_comes_to_the_sum(jackpots: list[Told]) -> None:
    """L10, A10, A11: to what the award is worth today, raised, corrected or undone as it may be."""
    assert len(jackpots) > 20
    for told in jackpots:
        (total,) = told.part("total")
        assert total["amount"] == told.worth * CENT


def test_an_explanation_names_cycles_and_what_it_was_taken_of(jackpots: list[Told]) -> None:
    """L10: cycles since the last reseed that stands, undone ones joined; the meter at the award's turn."""
    joined = 0
    for told in (told for told in jackpots if not told.turned):
        for meter in told.part("meter"):  # told once where several share it
            assert meter["amount"] == told.made.primary
            names, cycles = set(map(int, re.findall(r"\d+", meter["what"]))), told.made.cycles()
            assert sorted(names) == list(cycles)
            joined += len(cycles) > 1
    assert joined > 1


def test_an_explanation_names_the_wagers_of_each_table(jackpots: list[Told]) -> None:
    """L10: which wagers of which tables made this jackpot, by what they brought; and which went back."""
    back = 0
    for told in (told for told in jackpots if told.part("meter") and not told.turned):
        way = told.part("how it grew")
        alone = not any(re.search("award|correction|transfer", line["what"]) for line in way)
        assert brought(line for line in way if line["what"] == "wagers") == told.made.accepted(), told.lines
        if alone and told.made.cycles() == (1,):  # else the house, or another cycle, bears some of it
            gone = brought(line for line in way if re.search("taken back|voided by|struck by", line["what"]))
            assert Counter({key: -micros for key, micros in gone.items()}) == told.made.returned, told.lines
            back += bool(gone)
    assert back


def brought(lines: Iterable[Line]) -> Brought:
    """By table, the amounts put on the primary and its overflow, and on the reserve."""
    found = Brought()
    for line in lines:
        found[line["table"], "primary"] += line["amount"] + line["overflow"]
        found[line["table"], "reserve"] += line["reserve"]
    return found
