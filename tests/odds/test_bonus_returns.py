"""Returns of bonus and base wagers, counted over all deals, equal those that are published (B14)."""

from fractions import Fraction
from typing import Final

import pytest

from jackpot.catalogue import counted_file, ids_for, odds_of, odds_returns, tie_chance
from jackpot.odds.analysis import Analysis, AnalysisConditions, analyze
from jackpot.odds.deals import DEALT
from jackpot.odds.subject import OperatorChoices, subject_of
from tests.odds.test_analysis import found_of

# By id: the return in percent, to two digits, and of a stake that a device keeps.
KEPT: Final = {
    "pa-643a-five-card-bonus-A": ("118.99", "95.11"),
    "pa-643a-five-card-bonus-B": ("110.80", "86.93"),
    "pa-643a-five-card-bonus-C": ("93.86", "86.23"),
    "pa-643a-five-card-bonus-D": ("109.26", "85.39"),
    "pa-643a-five-card-bonus-E": ("100.43", "92.81"),
    "pa-643a-five-card-bonus-F": ("92.32", "84.69"),
    "pa-643a-five-card-bonus-G": ("78.80", "75.93"),
}
THREE_CARD: Final = {"A": "97.68", "B": "94.43", "C": "92.72", "D": "97.86", "E": "94.61", "F": "92.90"}
SIX_CARD: Final = {"A": "89.78", "B": "84.72", "C": "93.26", "D": "91.44", "E": "81.90"}
TRIPS: Final = {"A": "99.10", "B": "98.10", "C": "96.50", "D": "93.82"}
RETURNS: Final[dict[str, str]] = {
    **{paytable: returned for paytable, (returned, _) in KEPT.items()},
    **{f"{rules}-three-card-bonus-{letter}": part
       for rules in ("pa-643a", "pa-643a-2011", "ma-lir") for letter, part in THREE_CARD.items()},
    **{f"{rules}-six-card-bonus-{letter}": part
       for rules in ("pa-643a", "pa-653a") for letter, part in SIX_CARD.items()},
    "pa-649a-2011-six-card-bonus-A": SIX_CARD["A"],
    "pa-649a-2011-six-card-bonus-B": SIX_CARD["C"],
    "pa-649a-2011-six-card-bonus-C": SIX_CARD["D"],
    **{f"{rules}-trips-{letter}": part
       for rules in ("pa-653a", "pa-653a-2011") for letter, part in TRIPS.items()},
    "pa-653a-bad-beat-A": "79.61",
    "pa-653a-bad-beat-B": "85.21",
    "pa-649a-2011-pair-plus-A": "87.20",
    "pa-649a-2011-pair-plus-B": "94.43",
    "pa-649a-2011-pair-plus-C": "92.72",
    "pa-674a-five-card-bonus": "96.47",
    "ma-lir-bonus": "75.93",
    "pa-643a-2011-bonus-A": "75.93",
    "pa-643a-2011-bonus-B": "86.93",
    "pa-643a-2011-bonus-C": "86.23",
}  # fmt: skip
COVER_ALL: Final = "ma-lir-cover-all"


def percent(part: Fraction, digits: int = 2) -> str:
    return f"{float(100 * part):.{digits}f}"


@pytest.mark.parametrize("paytable", RETURNS)
def test_published_returns(paytable: str) -> None:
    """B14: over every deal, to the last digit that is printed."""
    assert percent(found_of(paytable).total) == RETURNS[paytable]


@pytest.mark.parametrize("paytable", KEPT)
def test_a_stake_that_is_kept(paytable: str) -> None:
    """B5: the odds are the whole payout; the same hands pay one wager less."""
    returned, kept = found_of(paytable), found_of(paytable, stake="kept")
    assert percent(kept.total) == KEPT[paytable][1]
    assert returned.total - kept.total == returned.hit


def test_every_bonus_wager_has_a_return() -> None:
    """B14: of each offer the return is counted here, and it is one number, but for Cover All."""
    assert {*ids_for("offer")} <= {*RETURNS, *ACES_UP, COVER_ALL}
    for paytable in ids_for("offer"):
        found = odds_returns(subject_of(paytable, OperatorChoices()).terms)
        assert [one.players for one in found] == ([1, 2, 3, 4, 5, 6, 7] if paytable == COVER_ALL else [1])


# Best four of five cards: counts that are known of the paytables with levels, and 81,096 pairs of aces.
ACES_UP: Final = {
    "pa-641a-2011-aces-up-A": (50, 30, 9, 6, 4, 2, 1),
    "pa-641a-2011-aces-up-B": (50, 30, 7, 6, 5, 2, 1),
    "pa-641a-2011-aces-up-C": (50, 40, 8, 5, 4, 3, 1),
    "pa-641a-2011-aces-up-D": (50, 40, 8, 6, 4, 2, 1),
    "pa-641a-2011-aces-up-E": (50, 30, 8, 6, 4, 2, 1),
    "pa-641a-2011-aces-up-F": (50, 40, 7, 5, 4, 3, 1),
}
FOURS: Final = (624, 2_072, 58_656, 114_616, 101_808, 123_552, 81_096)


@pytest.mark.parametrize("paytable", ACES_UP)
def test_aces_up(paytable: str) -> None:
    """B8, B14: four of a kind above a straight flush, a pair of aces the last that is paid."""
    wins = sum((odds + 1) * count for odds, count in zip(ACES_UP[paytable], FOURS, strict=True))
    assert found_of(paytable).total == Fraction(wins, 2_598_960)
    assert found_of(paytable).hit == Fraction(sum(FOURS), 2_598_960)


def test_the_pairs_of_aces() -> None:
    """H1: of all deals that make a pair, by rank; they differ where four cards make a straight."""
    odds = odds_of("four")
    assert odds.ranks[-1] == 81_096
    assert sum(odds.ranks) == odds.hands["pair"]
    assert len(set(odds.ranks)) > 1
    assert set(odds_of("five-flop").ranks) == {1_098_240 // 13}


def cover_all(players: int) -> Analysis:
    return analyze(subject_of(COVER_ALL, OperatorChoices()), AnalysisConditions(players=players))


def test_cover_all_of_one_and_two_is_exact() -> None:
    """B10, B14: of one player a hand of five, of two from the deals of two players."""
    assert [percent(cover_all(players).total) for players in (1, 2)] == ["89.02", "90.37"]
    assert [one.bound for one in cover_all(1).by_players[:2]] == [0, 0]


def test_cover_all_of_more_is_simulated() -> None:
    """B10, B14: within the bound, which is printed with the seed; published to half a percent."""
    published = {7: 91.1, 6: 90.6, 5: 91.1, 4: 90.3, 3: 88.9}
    for one in cover_all(1).by_players[2:]:
        assert one.seed == 11
        assert 0 < one.bound < Fraction(5, 1000)
        assert abs(float(100 * one.part) - published[one.players]) < 0.5
        assert one.part == cover_all(one.players).total


def test_the_hands_of_the_table_rise_with_the_players() -> None:
    """B10: no hand is rarer as the highest or higher of more players."""
    for hand in ("three-of-a-kind", "flush", "full-house", "four-of-a-kind"):
        chances = []
        for players in range(1, 8):
            odds = odds_of("best-of-table", players)
            names = list(odds.hands)
            least = sum(odds.hands[name] for name in names[: names.index(hand) + 1])
            chances.append(least / odds.deals)
        assert chances == sorted(chances)


def test_bad_beat_if_only_the_players_hand_counted() -> None:
    """B11: half of what it returns with either hand; the published 39.8 and 42.6 % are of that reading."""
    for paytable, part in (("pa-653a-bad-beat-A", "39.8"), ("pa-653a-bad-beat-B", "42.6")):
        assert percent(found_of(paytable).total / 2, 1) == part


def test_best_play_of_let_it_ride() -> None:
    """B2: what the three bets lose together, as a part of one, published to three digits."""
    for paytable, edge in (("pa-643a-base-A", "3.506"), ("pa-643a-base-B", "3.737")):
        play = found_of(paytable).best_play
        assert play is not None
        assert percent(-sum(play.wins, Fraction(0)), 3) == edge
        first, second, third = play.wins
        assert first > 0
        assert second > 0
        assert third < 0
        assert third == found_of(paytable).total - 1


def test_the_hand_that_wins_and_the_hand_that_is_beaten_are_of_one_count() -> None:
    """B2, B11: one side wins and the other is beaten; every other deal is a tie."""
    won, lost = odds_of("winning"), odds_of("beaten")
    assert won.deals == lost.deals == 2_598_960 * 1_081 * 990
    assert 0 < tie_chance("winning") < Fraction(1, 10)
    seven = odds_of("five-best")
    for hand, chance in seven.hands.items():
        # Won, lost, or tied: at most as often as it is dealt.
        dealt = Fraction(chance, seven.deals)
        assert Fraction(won.hands[hand], won.deals) + Fraction(lost.hands[hand], 2 * lost.deals) <= dealt
    assert lost.hands["royal-flush"] == 0


def test_a_blind_that_never_folds() -> None:
    """B2: wins as printed, pushes below a straight and at a tie, and loses what the dealer wins."""
    found = found_of("pa-653a-blind-A")
    won = odds_of("winning")
    paid = {"royal-flush": 500, "straight-flush": 50, "four-of-a-kind": 10, "full-house": 3, "straight": 1}
    wins = sum((Fraction(won.hands[hand] * odds, won.deals) for hand, odds in paid.items()), Fraction(0))
    wins += Fraction(won.hands["flush"] * 3, 2 * won.deals)
    lost = Fraction(sum(won.hands.values()), won.deals)
    assert found.total == 1 + wins - lost
    assert found_of("pa-653a-blind-B").total == found.total - Fraction(won.hands["straight"], won.deals)


def test_a_bonus_on_the_ante_returns_no_stake() -> None:
    """B2: 25, 20 and 2 times its chance, no wager with it."""
    found = found_of("pa-641a-2011-ante-bonus")
    assert found.total == Fraction(25 * 624 + 20 * 2_072 + 2 * 58_656, 2_598_960)
    suited = found_of("pa-649a-2011-ante-bonus-suited-A").total
    assert suited == Fraction(50 * 1 + 5 * 3 + 4 * 44 + 3 * 52 + 720, 22_100)


def test_a_push_returns_the_wager() -> None:
    """B2: Criss-Cross, pairs of sixes to tens; jacks and higher pay 1 to 1."""
    found = found_of("pa-674a-ante")
    one_rank = Fraction(1_098_240 // 13, 2_598_960)
    better = Fraction(4 + 36 + 624 + 3_744 + 5_108 + 10_200 + 54_912 + 123_552, 2_598_960)
    assert found.total == 2 * (better + 4 * one_rank) + 5 * one_rank


def test_the_sections_of_the_file_are_those_that_are_counted() -> None:
    """B14: nothing stands in the file of counts that `jackpot paytable count` does not count."""
    kinds = {kind for kind, _ in DEALT}
    assert counted_file().keys() == kinds | {"beaten", "winning", "best-of-table", "best-play"}
