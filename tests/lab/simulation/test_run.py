"""A simulated floor is decided by the rules, recorded in the ledger, and described by the exact odds."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from jackpot.lab.bench.ledger_fixture import BANK
from jackpot.lab.demo.dealing import LAYOUTS, Layout
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
from tests.lab.simulation.floors import FIVE, played


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
    assert (thrown.rows, thrown.levels, thrown.judged) == (one.rows, one.levels, one.judged)
    _, other = played(tmp_path / "other", plan._replace(seed=4))
    assert other.head != one.head


def counts(layout: Layout, players: int, rounds: int, seed: int) -> CountedHands:
    """Of hands as they are dealt, ranked by the rules alone."""
    counted = CountedHands()
    taken, ranking = hands.made_of("five-flop", "let-it-ride")
    for cards in deal(np.random.default_rng(seed), layout, players, rounds):
        board, own = parse_all(cards[: layout.board]), parse_all(cards[layout.board :])
        seats = [own[place : place + layout.own] for place in range(0, len(own), layout.own)]
        counted.add(players, [ranking(seat + board[:taken]).name for seat in seats])
    return counted


def test_wrong_odds_do_not_pass(tmp_path: Path) -> None:
    """Two methods that share no code: dealt hands agree with the exact odds, and with no others."""
    config, _ = played(tmp_path / "one", FIVE._replace(days=1, rounds=1), keep=False)
    expected = goodness_of_fit.expected_of(config.links[0], "let-it-ride")
    tables = [counts(LAYOUTS["let-it-ride"], 6, 4_000, seed) for seed in (1, 2)]
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
    plan = SimulationPlan(paytable, game_of(paytable, None, 6), 2, 6, 1, 5, 4, FIVE.first, tuple(settings))
    _, result = played(tmp_path / "played", plan, keep=False)
    assert result.problems == []
    assert result.levels[0].wagers == result.rounds * 6
