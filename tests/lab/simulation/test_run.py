"""A simulated floor is decided by the rules, recorded in the ledger, and described by the exact odds."""

import math
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from jackpot.catalogue import odds_return, row_chances, times
from jackpot.lab.bench.ledger_fixture import BANK
from jackpot.lab.simulation.decks import deal
from jackpot.lab.simulation.plan import SimulationPlan, game_of
from jackpot.lab.simulation.run import judge
from jackpot.ledger.open import open_reader
from jackpot.ledger.rebuild import rebuild
from jackpot.ledger.verify.verifier import verify
from jackpot.reports import goodness_of_fit
from jackpot.reports.goodness_of_fit import LEVEL, CountedHands
from jackpot.reports.registry import REPORTS
from jackpot.reports.report import ReportRequest
from jackpot.rules import hands
from jackpot.rules.cards import parse_all
from jackpot.rules.hands import DEALS, GameDeal
from jackpot.rules.money import from_cents
from jackpot.rules.paytable import Game, LinkTerms, Percent
from tests.lab.simulation.floors import FIVE, played
from tests.reports.asked import said


def test_a_simulated_ledger_holds_and_every_report_reads_it(tmp_path: Path) -> None:
    """M4, S2, S8, A10: verified from its first row, balanced, read each day, every hit paid."""
    config, result = played(tmp_path / "kept", FIVE._replace(days=2, rounds=6))
    assert result.problems == []
    assert result.rounds == 2 * 2 * 24 * 6
    with closing(open_reader(config.ledger.url)) as ledger:
        report = verify(ledger, BANK)
        assert (report.problems, report.refusals, report.head.seq) == ((), 0, result.rows)
        assert report.head.hash == result.head
        engine, _ = rebuild(ledger, BANK)
        assert engine.state.last_day == "2026-01-02"
        for name, each in REPORTS.items():
            if "hit" not in each.options:
                found = each.find(ledger, ReportRequest(config.site, (BANK,)))
                list(found.rows)
                assert found.problems == [], name


def test_a_seed_plays_the_same_again(tmp_path: Path) -> None:
    """A simulation can be repeated to the last hash; kept or not, the same is played."""
    plan = FIVE._replace(rounds=2)
    (_, one), (_, two) = (played(tmp_path / name, plan) for name in ("one", "two"))
    assert one.head == two.head
    _, thrown = played(tmp_path / "thrown", plan, keep=False)
    assert (thrown.rows, thrown.levels, thrown.wagers) == (one.rows, one.levels, one.wagers)
    _, other = played(tmp_path / "other", plan._replace(seed=4))
    assert other.head != one.head


def counts(game: GameDeal, players: int, rounds: int, seed: int) -> CountedHands:
    """Of hands as they are dealt, ranked by the rules alone."""
    counted = CountedHands()
    taken, ranking = hands.made_of("five-flop", "let-it-ride")
    for cards in deal(np.random.default_rng(seed), game, players, rounds):
        board = game.boards[-1]
        own = parse_all(cards[board : board + game.own * players])
        seats = [own[place : place + game.own] for place in range(0, len(own), game.own)]
        counted.add(players, [ranking(seat + parse_all(cards[:taken])).name for seat in seats])
    return counted


def test_wrong_odds_do_not_pass(tmp_path: Path) -> None:
    """Two methods that share no code: dealt hands agree with the exact odds, and with no others."""
    config, _ = played(tmp_path / "one", FIVE._replace(days=1, rounds=1), keep=False)
    expected = goodness_of_fit.expected_of(config.links[0], "let-it-ride")
    tables = [counts(DEALS["let-it-ride"], 6, 4_000, seed) for seed in (1, 2)]
    assert min(judge(expected, tables).chances().values()) > LEVEL
    for name in ("three-of-a-kind", "straight", "flush"):
        place = expected.names.index(name)
        wrong = [rate * (1.5 if at == place else 1) for at, rate in enumerate(expected.chances)]
        assert min(judge(expected._replace(chances=tuple(wrong)), tables).chances().values()) < LEVEL, name


def test_one_sided_counts_do_not_pass() -> None:
    """The sign of every residual: counts that are each a little too low are improbable together."""
    expected = goodness_of_fit.ExpectedHands(("pair",), (0.5,), ((0.25,),))
    tables = [CountedHands() for _ in range(20)]
    for counted in tables:
        counted.hands, counted.made["pair"] = 1_000, 495
    judged = judge(expected, tables)
    assert (judged.above, judged.below) == (0, 20)
    assert judged.sign == pytest.approx(2 * 0.5**20)
    assert judged.chances()["signs"] < LEVEL < judged.chances()["pair"]


@pytest.mark.parametrize(
    ("paytable", "settings"),
    [
        ("pa-653a-2011-progressive", ["meter.primary=10%", "meter.seed=10000.00", "meter.reseed=10000.00"]),
        ("pa-641a-2011-progressive-A", ["envy=A", "*"]),
        ("pa-643a-five-card-hand-bonus", ["magic_card_every=20", "lucky_every=20"]),
    ],
)
def test_other_games_are_played(tmp_path: Path, paytable: str, settings: list[str]) -> None:
    """A7, H2: every hand kind, and draws; the engine refuses nothing, and the meters are sound."""
    open_ = ["primary=10%", "seed=5000.00", "reseed=5000.00"]
    settings = [text for text in settings if text != "*"] + [
        f"meter.{text}" for text in open_ if "*" in settings
    ]
    plan = SimulationPlan(paytable, game_of((paytable,), None, 6), 2, 6, 1, 5, 4, FIVE.first, tuple(settings))
    _, result = played(tmp_path / "played", plan, keep=False)
    assert result.problems == []
    assert result.levels[0].wagers == result.rounds * 6


OFFERED: Final = {
    "let-it-ride": ("pa-643a-five-card-bonus-A", "pa-643a-three-card-bonus-D", "pa-643a-six-card-bonus-E"),
    "ultimate-texas-holdem": ("pa-653a-trips-A", "pa-653a-bad-beat-B", "pa-653a-six-card-bonus-C"),
    "three-card-poker": ("pa-649a-2011-pair-plus-A", "pa-649a-2011-six-card-bonus-A"),
    "four-card-poker": ("pa-641a-2011-aces-up-A",),
    "criss-cross-poker": ("pa-674a-five-card-bonus",),
}


def offered(game: Game, *, folds: int = 0, rounds: int = 20, players: int = 6) -> SimulationPlan:
    """A floor of that game with offers alone."""
    return SimulationPlan(None, game, 2, players, 1, 5, rounds, FIVE.first, (), OFFERED[game], folds)


@pytest.mark.parametrize("game", OFFERED)
def test_offers_are_played_at_their_exact_odds(tmp_path: Path, game: Game) -> None:
    """B3, B10-B16: every amount is taken, every card shown; hands and returns are those of the exact odds."""
    config, result = played(tmp_path / "played", offered(game, folds=25), keep=False)
    assert result.problems == []
    assert [one.wager for one in result.wagers] == list(OFFERED[game])
    assert min(result.chances().values()) > LEVEL
    for one, terms in zip(result.wagers, config.links, strict=True):
        assert one.wagers == result.rounds * 6
        assert one.wagered == one.wagers * 1_500, "amounts of 5 to 25 dollars, each as often"
        assert one.exact == pytest.approx(float(odds_return(terms)))
        spread = math.sqrt(6 * float(_variance(terms)) / one.wagers)  # six hands of a round may be as one
        assert abs(one.returned - one.exact) < 4 * spread, one


def _variance(terms: LinkTerms) -> Fraction:
    """The variance of what a wager of one returns."""
    chances = zip(terms.rows, row_chances(terms), strict=True)
    paid = [(row.pays, chance) for row, chance in chances if not isinstance(row.pays, Percent)]
    squares = sum((chance * times(pays, terms.wager) ** 2 for pays, chance in paid), Fraction(0))
    return squares - odds_return(terms) ** 2


@pytest.mark.parametrize("players", [1, 4, 7])
def test_cover_all_is_played_by_its_players(tmp_path: Path, players: int) -> None:
    """B10: the lock says how many, each shows a hand, and the odds are those of so many players."""
    plan = offered("let-it-ride", players=players, rounds=30)._replace(offers=("ma-lir-cover-all",))
    config, result = played(tmp_path / "played", plan, keep=False)
    (cover_all,) = result.wagers
    assert cover_all.exact == pytest.approx(float(odds_return(config.links[0], players)))
    first = cover_all.judged.findings[0]
    assert first.of == result.rounds, "the table has one hand a round"
    assert min(result.chances().values()) > LEVEL


@pytest.mark.parametrize("game", ["three-card-poker", "four-card-poker", "ultimate-texas-holdem"])
def test_a_fold_changes_no_return(tmp_path: Path, game: Game) -> None:
    """B8: what stands is paid by its cards, and nobody folds what a forfeited wager would be paid for."""
    stayed, folded = (
        played(tmp_path / str(folds), offered(game, folds=folds, rounds=6), keep=False)[1]
        for folds in (0, 60)
    )
    assert stayed.head != folded.head, "hands were folded"
    assert stayed.wagers == folded.wagers


def test_wrong_odds_of_one_hand_a_round_do_not_pass(tmp_path: Path) -> None:
    """B11: beaten hands agree with the exact odds, and with no others."""
    plan = offered("ultimate-texas-holdem", rounds=40)._replace(offers=("pa-653a-bad-beat-B",))
    config, result = played(tmp_path / "played", plan, keep=False)
    expected = goodness_of_fit.expected_of(config.links[0], "ultimate-texas-holdem")
    counted = CountedHands()
    counted.hands = result.rounds
    counted.made.update({one.what: one.observed for one in result.wagers[0].judged.findings[1:]})
    assert min(judge(expected, [counted]).chances().values()) > LEVEL
    place = expected.names.index("three-of-a-kind")
    wrong = [rate * (2 if at == place else 1) for at, rate in enumerate(expected.chances)]
    assert min(judge(expected._replace(chances=tuple(wrong)), [counted]).chances().values()) < LEVEL


def test_a_ledger_with_offers_holds_and_its_fairness_is_judged(tmp_path: Path) -> None:
    """M4, S8, B14: verified and balanced; fairness has Bad Beat, named six cards and Cover All by players."""
    plans = {
        "beat": offered("ultimate-texas-holdem", folds=25, rounds=10),
        "cover": offered("let-it-ride", rounds=10)._replace(offers=("ma-lir-cover-all", "ma-lir-bonus")),
    }
    for name, plan in plans.items():
        config, result = played(tmp_path / name, plan)
        with closing(open_reader(config.ledger.url)) as ledger:
            report = verify(ledger, BANK)
            assert (report.problems, report.refusals, report.head.seq) == ((), 0, result.rows)
            found = said(ledger, "fairness")
        of = {
            row["link"]: row["of"]
            for row in found.rows
            if (row["what"], row["table"]) == ("three-of-a-kind", "all")
        }
        alone = {"pa-653a-bad-beat-B", "pa-653a-six-card-bonus-C", "ma-lir-cover-all"}
        assert of == {link: result.rounds * (1 if link in alone else 6) for link in plan.offers}
        assert str(found.facts["verdict"]).startswith("fair, ")


def test_cover_all_is_expected_to_cost_what_its_players_make_it(tmp_path: Path) -> None:
    """B10, B14: what four players wager is expected to return by the odds of four, not of one."""
    plan = offered("let-it-ride", players=4, rounds=4)._replace(offers=("ma-lir-cover-all",))
    config, result = played(tmp_path / "played", plan)
    with closing(open_reader(config.ledger.url)) as ledger:
        found = said(ledger, "result", month="2026-01")
    (row,) = [row for row in found.rows if row["name"] == "ma-lir-cover-all"]
    wagered = from_cents(result.wagers[0].wagered)
    four, one = (
        odds_return(config.links[0], players) - sum(row_chances(config.links[0], players))
        for players in (4, 1)
    )
    assert row["expected_cost"] == int(four * wagered), "the stakes that its odds return are no cost"
    assert abs(row["expected_cost"] - int(one * wagered)) > wagered // 1_000
