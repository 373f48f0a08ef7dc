"""Our figures agree with published ones, each with its source."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final, NamedTuple

import pytest
from msgspec import structs

from jackpot.catalogue import odds_of, odds_return
from jackpot.odds.analysis import AnalysisConditions, analyze
from jackpot.odds.subject import AnalyzedLink, OperatorChoices, subject_of
from jackpot.rules.paytable import ForOne, HandKind, LinkTerms, Pays, PaytableRow, Percent, ToOne
from tests.rules.floor import DOLLAR, WHOLE, level, link

COUNTS: Final[dict[HandKind, tuple[str, int, dict[str, int]]]] = {
    "five-flop": (
        "georgehernandez.com/h/xzMisc/Games/Poker.asp, 'Number of ways such a hand can be dealt'",
        2_598_960,
        {
            "royal-flush": 4,
            "straight-flush": 36,
            "four-of-a-kind": 624,
            "full-house": 3_744,
            "flush": 5_108,
            "straight": 10_200,
            "three-of-a-kind": 54_912,
            "two-pair": 123_552,
            "pair": 1_098_240,
        },
    ),
    "three": (
        "B. Alspach, 3-Card Poker Hands (2000), math.sfu.ca/~alspach/comp16; mini-royals within",
        22_100,
        {"straight-flush": 48, "three-of-a-kind": 52, "straight": 720, "flush": 1_096, "pair": 3_744},
    ),
    "five-best": (
        "B. Alspach, 7-Card Poker Hands (2000), math.sfu.ca/~alspach/comp20",
        133_784_560,
        {"royal-flush": 4_324, "straight-flush": 37_260, "four-of-a-kind": 224_848},
    ),
}


@pytest.mark.parametrize("kind", COUNTS)
def test_counted_hands(kind: HandKind) -> None:
    """H1: the counts of hands that everybody prints."""
    _, deals, printed = COUNTS[kind]
    odds = odds_of(kind)
    counted = dict(odds.hands)
    counted["straight-flush"] += counted.pop("mini-royal", 0)
    assert odds.deals == deals
    assert {hand: counted[hand] for hand in printed} == printed


def bet(kind: HandKind, pays: Mapping[str, Pays], wager: int = DOLLAR) -> LinkTerms:
    """A published side bet as a link, whose one meter takes nothing."""
    rows = tuple(PaytableRow(hand, paid) for hand, paid in pays.items())
    return link("x", "published", (level("meter", 100, 0, 0),), rows, hand_kind=kind, wager=wager)


class Printed(NamedTuple):
    """Published figures. part: what the fixed pays return, to as many digits as are printed."""

    source: str
    kind: HandKind
    pays: dict[str, Pays]
    part: str
    wager: int = DOLLAR


FIXED: Final = [
    Printed(
        "wizardofodds.com/games/let-it-ride/appendix/2, Isle of Capri side bet: house edge 27.70 %",
        "five-flop",
        {
            "royal-flush": ForOne(5_000),
            "straight-flush": ForOne(2_000),
            "four-of-a-kind": ForOne(100),
            "full-house": ForOne(75),
            "flush": ForOne(50),
            "straight": ForOne(25),
            "three-of-a-kind": ForOne(8),
            "two-pair": ForOne(4),
        },
        "0.7230",
    ),
    Printed(
        "wizardofodds.com/games/three-card-poker/side-bets/millionaire-maker: fixed wins of $5: 34.04 %",
        "five-flop",
        {
            "royal-flush": Percent("meter", WHOLE),
            "straight-flush": Percent("meter", 0),
            "four-of-a-kind": ForOne(300),
            "full-house": ForOne(50),
            "flush": ForOne(40),
            "straight": ForOne(30),
        },
        "0.3404",
        5 * DOLLAR,
    ),
    Printed(
        "tunicatravel.com/blog/mini-royal-payoffs-in-three-card-poker: Pair Plus, edge 7.28 %",
        "three",
        {
            "straight-flush": ToOne(40),
            "three-of-a-kind": ToOne(30),
            "straight": ToOne(6),
            "flush": ToOne(3),
            "pair": ToOne(1),
        },
        "0.9272",
    ),
    Printed(
        "the same: with 50 to 1 for a mini-royal, edge 7.10 %",
        "three",
        {
            "mini-royal": ToOne(50),
            "straight-flush": ToOne(40),
            "three-of-a-kind": ToOne(30),
            "straight": ToOne(6),
            "flush": ToOne(3),
            "pair": ToOne(1),
        },
        "0.9290",
    ),
    Printed(
        "davemillergaming.com/pac/math_pay.html, Bonus Sidebet, paytable 2: -0.027873",
        "three",
        {
            "straight-flush": ToOne(30),
            "three-of-a-kind": ToOne(30),
            "straight": ToOne(5),
            "flush": ToOne(5),
            "pair": ToOne(1),
        },
        "0.972127",
    ),
]


@pytest.mark.parametrize("printed", FIXED, ids=lambda printed: printed.source)
def test_published_returns_of_fixed_pays(printed: Printed) -> None:
    """A1, A7: what these side bets return, to the last digit that is printed."""
    found = odds_return(bet(printed.kind, printed.pays, printed.wager))
    digits = len(printed.part.partition(".")[2])
    assert f"{float(found):.{digits}f}" == printed.part


def test_the_published_break_even_of_the_three_card_progressive() -> None:
    """A1, A5: 3cardpokerstrategy.org/side-bets prints $11,520, and $175 less for each other player's envy.

    Jackpot for the mini-royal of spades, 500 for the others, 100 for a straight flush, 90 for three of a
    kind; envy of $100 and $25. This is our `pa-643a-three-card-B`. 3cardpoker.com/progressive-jackpot: each
    $1,000 more on the meter is worth 4.5 %, and of 22,100 hands 100 are paid.
    """
    subject = subject_of("pa-643a-three-card-B", OperatorChoices(wager="1.00"))
    for players in range(1, 8):
        (one,) = analyze(subject, AnalysisConditions(players=players)).levels
        assert one.break_even == (11_520 - 175 * (players - 1)) * DOLLAR
    assert analyze(subject, AnalysisConditions()).hit == Fraction(100, 22_100)
    lower, higher = (
        analyze(subject, AnalysisConditions({"meter": sum_ * DOLLAR})).total for sum_ in (5_000, 6_000)
    )
    assert f"{float(higher - lower):.3f}" == "0.045"


def test_the_published_long_run_of_a_progressive_of_five_cards() -> None:
    """A2, M4: nilapub.com/games/casino-hold-em/progressive, pay table 1: averages and a return of 0.654960.

    "The same math could be applied to any five random cards": seeds and contributions of three meters, odds
    below. The average win is the seed and what a cycle gathers.
    """
    names = {"mega": "straight-flush", "major": "four-of-a-kind", "minor": "full-house"}
    levels = (level("mega", 900, 0, 1_000), level("major", 2_000, 0, 250), level("minor", 800, 0, 50))
    rows = (
        *(PaytableRow(hand, Percent(name, WHOLE)) for name, hand in names.items()),
        PaytableRow("flush", ForOne(50)),
        PaytableRow("straight", ForOne(10)),
    )
    subject = AnalyzedLink(link("x", "published", levels, rows), "ultimate-texas-holdem", frozenset())
    found = analyze(subject, AnalysisConditions())
    wins = [one.cycle.mean(one.cycle.mean_start) / DOLLAR for one in found.levels if one.cycle is not None]
    assert [f"{float(win):.2f}" for win in wins] == ["6847.66", "1083.00", "105.53"]
    assert found.long_run is not None
    assert f"{float(1 - found.long_run.edge):.6f}" == "0.654960"
    second = tuple(
        structs.replace(one, primary=rate, seed=seed * DOLLAR, reseed=seed * DOLLAR)
        for one, rate, seed in zip(levels, (800, 950, 800), (6_000, 500, 100), strict=True)
    )
    found = analyze(
        subject._replace(terms=structs.replace(subject.terms, levels=second)), AnalysisConditions()
    )
    assert found.long_run is not None
    assert f"{float(1 - found.long_run.edge):.6f}" == "0.748967"
