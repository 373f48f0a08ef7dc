"""The fairness report accepts fair decks, and names the table of a false one."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from jackpot.lab.bench.ledger_fixture import BANK
from jackpot.lab.simulation import run
from jackpot.lab.simulation.decks import deal
from jackpot.lab.simulation.plan import SimulationPlan
from jackpot.lab.simulation.run import FAIR, RandomSource, SeededChance
from jackpot.ledger.open import open_reader
from jackpot.ledger.reading import Reader
from jackpot.reports import fairness, goodness_of_fit, statistics
from jackpot.reports.fairness import IMPROBABLE, TOO_FEW, DrawCounts, FairnessTally
from jackpot.reports.read.dealt import DealtRound, watch
from jackpot.reports.read.names import JournalNames
from jackpot.rules import hands
from jackpot.rules.events import LevelCounted
from jackpot.rules.hands import GameDeal, best_row
from jackpot.rules.state import DrawMade
from tests.lab.simulation.floors import FIRST, FIVE, played
from tests.reports.asked import said
from tests.reports.season import SITE

Rows = list[dict[str, Any]]
DRAWS = SimulationPlan(
    "pa-643a-five-card-hand-bonus",
    "let-it-ride",
    2,
    6,
    2,
    3,
    10,
    FIRST,
    ("magic_card_every=20", "lucky_every=20"),
)


@contextmanager
def floor(folder: Path, plan: SimulationPlan = FIVE, luck: RandomSource = FAIR) -> Iterator[Reader]:
    """The ledger of a floor that was played."""
    config, _ = played(folder / "floor", plan, luck=luck)
    with closing(open_reader(config.ledger.url)) as ledger:
        yield ledger


def improbable(rows: Rows) -> set[tuple[str, str]]:
    """Improbable findings by table and subject."""
    return {(row["table"], row["what"]) for row in rows if row["verdict"] == IMPROBABLE}


MYSTERY = SimulationPlan(
    "mystery",
    "any",
    2,
    6,
    1,
    3,
    20,
    FIRST,
    ("meter.seed=10.00", "meter.must_hit_by=20.00", "meter.primary=10%"),
)


def test_random_numbers_of_a_mystery_link_are_judged(tmp_path: Path) -> None:
    """Y5: fair ones are not improbable; the report says how many there were, and names their link."""
    with floor(tmp_path, MYSTERY) as ledger:
        found = said(ledger, "fairness")
        other = said(ledger, "fairness", link="simulated")
    assert improbable(found.rows) == set()
    assert found.facts["random numbers of mystery links"] == 2 * 24 * 20 * 6
    assert "0 hands and 5,760 random numbers" in str(found.facts["verdict"])
    assert {row["link"] for row in found.rows} == {"simulated"}
    assert "raw bits: patterns" in {row["what"] for row in found.rows}
    assert other.rows == found.rows


def test_false_random_numbers_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Y5: a source whose numbers are low, as a house would like them; each close verifies."""

    class Low(SeededChance):
        def raw(self, link: int, level: int) -> bytes:
            found = super().raw(link, level)
            return bytes([found[0] & 0x3F]) + found[1:]

    monkeypatch.setattr(run, "SeededChance", Low)
    with floor(tmp_path, MYSTERY) as ledger:
        found = said(ledger, "fairness")
    assert ("all", "random numbers in the lower half") in improbable(found.rows)
    assert ("all", "raw bits: ones") in improbable(found.rows)


def test_fair_decks_and_draws_are_not_called_improbable(tmp_path: Path) -> None:
    """Fairness: nothing of a seeded fair floor is improbable: hands, cards, ranks and draws."""
    with floor(tmp_path, DRAWS) as ledger:
        found = said(ledger, "fairness")
    assert improbable(found.rows) == set()
    assert found.facts[IMPROBABLE] == 0
    verdict, sure, *_ = found.facts.items()
    assert verdict[0] == "verdict"
    assert str(verdict[1]).startswith("fair, as far as ")
    assert sure[0] == "how sure"
    assert "all wagers" in str(found.facts["compared"])
    assert "who dealt" in str(found.facts["shift"])
    known = [row for row in found.rows if row["verdict"] != TOO_FEW]
    assert found.facts["comparisons"] == len(known), "those whose chances are corrected for their number"
    assert f"none of {len(known):,} comparisons" in str(verdict[1])
    assert str(found.facts["left out"]).startswith(f"{len(found.rows) - len(known):,} more, ")
    assert [row["corrected_chance"] == "" for row in found.rows] == [row not in known for row in found.rows]
    kinds = {row["what"].split()[0] for row in found.rows}
    assert kinds >= {"royal-flush", "card", "rank", "magic", "lucky"}
    assert {row["shift"] for row in found.rows} == {"06:00", "14:00", "22:00", "all"}
    assert {row["table"] for row in found.rows} == {"T001", "T002", "all"}


def without(card: str) -> Callable[..., list[list[str]]]:
    """Decks in which every second table lacks a card: the deck's next one takes its place."""

    def dealing(rng: np.random.Generator, game: GameDeal, players: int, rounds: int) -> list[list[str]]:
        size = game.boards[-1] + game.own * players
        whole = deal(rng, game, players, rounds)  # the bonus cards, of which nobody counts one, come last
        return [
            [one for one in cards if number % 2 or one != card][:size] for number, cards in enumerate(whole)
        ]

    return dealing


def test_a_deck_without_an_ace_is_found(tmp_path: Path) -> None:
    """Fairness: a card that never comes is named with its table, and no other table is."""
    with floor(tmp_path, luck=RandomSource(without("As"))) as ledger:
        found = said(ledger, "fairness")
    assert {("T001", "card A♠")} <= improbable(found.rows)
    assert {table for table, _ in improbable(found.rows)} == {"T001"}
    first = found.rows[0]
    assert (first["table"], first["what"], first["observed"], first["off"][0]) == ("T001", "card A♠", 0, "-")


def royals(rng: np.random.Generator, game: GameDeal, players: int, rounds: int) -> list[list[str]]:
    """Decks in which the second table gets a royal flush twice."""
    dealt = deal(rng, game, players, rounds)
    for number in (7, 301):
        royal = ["Ts", "Js", "Qs", "Ks", "As"]
        dealt[number] = [*royal, *(card for card in dealt[number] if card not in royal)][: len(dealt[number])]
    return dealt


def test_royal_flushes_that_come_too_often_are_found(tmp_path: Path) -> None:
    """Fairness: two in a thousand rounds; the hand is named with its table."""
    with floor(tmp_path, luck=RandomSource(royals)) as ledger:
        found = said(ledger, "fairness")
    assert ("T002", "royal-flush") in improbable(found.rows)
    assert str(found.facts["verdict"]).startswith("look closer: ")
    assert {table for table, _ in improbable(found.rows)} <= {"T002", "all"}


def test_draws_that_come_too_often_are_found(tmp_path: Path) -> None:
    """A7: a source that gives zero too often draws too often, and the same card."""
    rng = Random(5)

    def below(limit: int) -> int:
        return 0 if rng.random() < 0.1 else rng.randrange(limit)

    with floor(tmp_path, DRAWS, luck=RandomSource(below=below)) as ledger:
        found = said(ledger, "fairness")
        names = {what for _, what in improbable(found.rows)}
    assert {
        "magic card drawn, 1 in 20",
        "lucky bonus drawn, 1 in 20",
        "magic card 2♠",
    } <= names


def test_a_draw_that_always_comes_is_no_question_of_luck() -> None:
    """A7: one chance in one, or one box, is nothing to compare; what is left to chance is."""
    draws = DrawCounts()
    draws.add("lucky bonus drawn", 1, drawn=True)
    draws.boxes[1, 1] += 1
    assert list(draws.findings()) == []
    draws.add("lucky bonus drawn", 2, drawn=True)
    draws.boxes[2, 1] += 1
    assert [found.what for found in draws.findings()] == ["lucky bonus drawn, 1 in 2", "lucky box 1 of 2"]


class Paying:
    """Listener that hides the cards of losing hands, as a site that sends paying hands alone."""

    def __init__(self, to: FairnessTally, names: JournalNames) -> None:
        self._to = to
        self._names = names

    def drawn(self, seq: int, round_: DealtRound, draws: list[DrawMade]) -> None:
        self._to.drawn(seq, round_, draws)

    def counted(self, levels: list[LevelCounted]) -> None:
        self._to.counted(levels)

    def played(self, round_: DealtRound, sign: int) -> None:
        _, ranking = hands.made_of("five-flop", "let-it-ride")
        rows = self._names.links[1].rows
        shown, round_.shown = round_.shown, [
            hand for hand in round_.shown if best_row(rows, ranking(hand.cards + round_.board))
        ]  # fmt: skip
        self._to.played(round_, sign)
        round_.shown = shown


def test_a_site_that_shows_paying_hands_alone_is_judged_alike(tmp_path: Path) -> None:
    """Fairness: the same hands against the same wagers; ranks, which pairs favour, are not compared."""
    with floor(tmp_path) as ledger:
        names, upto = JournalNames(ledger, BANK), ledger.head(BANK).seq
        whole, paying = FairnessTally(names, SITE, None), FairnessTally(names, SITE, None)
        watch(ledger, BANK, 0, upto, whole)
        watch(ledger, BANK, 0, upto, Paying(paying, names))
    assert whole.hidden == 0 < paying.hidden
    by_hand = [
        {place: finding for place, finding in fairness._findings(names, tally) if place.link}
        for tally in (whole, paying)
    ]
    assert by_hand[0] == by_hand[1] != {}
    known = [(place, finding) for place, finding in fairness._findings(names, paying)]
    assert not [finding for _, finding in known if finding.what.startswith("rank")]
    cards = [finding.chance or 0.0 for _, finding in known if finding.what.startswith("card")]
    assert cards
    assert min(statistics.holm(cards)) > goodness_of_fit.LEVEL
