"""Is a paytable's analysis right? What it says of itself, put together again, and at the edges."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

import pytest

from jackpot.catalogue import ids, return_of
from jackpot.odds.analysis import Analysis, Tonight, analyze
from jackpot.odds.chances import draw_chances, hand_chances, pair_chances
from jackpot.odds.subject import Unanalysable, Wish, subject_of
from jackpot.rules.money import MICROS_PER_CENT
from jackpot.rules.paytable import SEATS

DOLLAR: Final = 1_000_000


def found_of(
    paytable: str, meters: Mapping[str, int] | None = None, players: int = 1, **wish: object
) -> Analysis:
    return analyze(subject_of(paytable, Wish(**wish)), Tonight(meters or {}, players))  # type: ignore[arg-type]


@pytest.mark.parametrize("paytable", ids())
def test_every_paytable_adds_up(paytable: str) -> None:
    """A1, A5: rows, levels, envy and draws are the total; envy over all own hands is envy; odds are A7's."""
    subject = subject_of(paytable, Wish())
    seats = SEATS[subject.game]
    found = analyze(subject, Tonight(players=seats))
    rows = sum((row.part for row in found.rows), Fraction(0))
    assert found.total == rows + found.envy[seats] + found.draws
    chances = hand_chances(subject.terms.hand_kind)
    assert sum(chances[hand] * envy for hand, envy in found.envy_given.items()) == found.envy[seats]
    assert found.odds == return_of(subject.terms, seats).odds
    assert found.envy[1] == 0
    assert all(level.part == found.levels[at].part for at, level in enumerate(found.levels))


@pytest.mark.parametrize("paytable", [name for name in ids() if name != "pa-653a-2011-progressive"])
def test_at_its_break_even_meter_a_wager_returns_itself(paytable: str) -> None:
    """M3, A1: at that cent it does, and a dollar below it does not."""
    for level in found_of(paytable).levels:
        name = level.terms.level
        at = found_of(paytable, {name: level.break_even})
        # A part of the meter is cut to the cent (M3), which may be missing.
        assert at.total >= 1 - Fraction(MICROS_PER_CENT, at.subject.terms.wager)
        assert found_of(paytable, {name: level.break_even - DOLLAR}).total < 1


def test_a_bet_that_returns_more_with_an_empty_meter_breaks_even_at_any() -> None:
    """H2: the best five of seven of 2011."""
    assert found_of("pa-653a-2011-progressive", {"meter": 0}).total > 1
    assert found_of("pa-653a-2011-progressive").levels[0].break_even == 0


def test_envy_given_ones_own_hand_counts_the_cards_that_are_left() -> None:
    """A5: with a mini-royal three of the four are left, and none of spades for who holds it."""
    found = found_of("pa-643a-three-card-B", players=2)
    pairs, alone = pair_chances("three", "let-it-ride"), hand_chances("three")
    given = pairs["mini-royal", "mini-royal"] / alone["mini-royal"]
    assert given == Fraction(3, 18_424)
    assert found.envy_given["mini-royal"] == given * Fraction(100 + 3 * 25, 4)
    assert found.envy_given["mini-royal"] < found.envy[2] < found.envy_given["straight-flush"]


def test_where_a_wager_goes_in_the_long_run() -> None:
    """M4, A2: contributions, odds, envy and the house's reseeds; what is left is the edge."""
    found = found_of("pa-643a-five-card-C", players=7, wager="5.00")
    run = found.long_run
    assert run is not None
    assert run.contributions == Fraction(19, 100)
    reseeds = Fraction(4 * 10_000 + 36 * 1_000 + 624 * 250, 2_598_960)
    assert run.seeds == reseeds
    assert run.edge == 1 - run.contributions - found.odds - found.envy[7] - reseeds
    assert [
        level.next_mean == level.cycle.mean(level.cycle.mean_start) for level in found.levels if level.cycle
    ]
    assert found.levels[0].cost * 649_740 * 5 == 50_000


def test_a_reserve_makes_the_next_meter() -> None:
    """A3: the Five Card Hand Bonus costs no reseed; a cycle begins with what the reserve has gathered."""
    found = found_of("pa-643a-five-card-hand-bonus")
    (level,) = found.levels
    assert found.long_run is not None
    assert found.long_run.seeds == 0
    assert level.cycle is not None
    assert level.cycle.mean_start == Fraction(8, 100) * 649_740 * DOLLAR
    assert not level.cycle.exact


def test_what_the_source_leaves_open_is_left_out_until_it_is_given() -> None:
    """L4, L5: no rate, no cycle; a printed minimum stands in for itself; an approved envy is not guessed."""
    left = found_of("ma-lir-progressive")
    assert left.subject.open == {"meter.primary", "meter.seed", "meter.reseed"}
    assert left.long_run is None
    assert left.levels[0].ends == ()
    given = found_of("ma-lir-progressive", figures={"meter.primary": "9%", "meter.seed": "10000.00"})
    assert not given.subject.open
    assert given.long_run is not None
    assert given.levels[0].terms.reseed == 10_000 * DOLLAR
    assert found_of("pa-649a-2011-progressive-A").subject.terms.levels[0].primary == 1_400
    assert found_of("ma-PTMGL01", wager="2.00", players=7).subject.open == {"meter.primary", "envy"}
    assert found_of("ma-PTMGL02").subject.terms.wager == 5 * DOLLAR


def test_draws_are_returned_too() -> None:
    """A7: one of 52 cards against five, one of seven boxes."""
    found = found_of("pa-643a-five-card-hand-bonus", magic_card_every=100, lucky_every=50)
    chances = draw_chances(found.subject.terms, 7)
    assert chances == (Fraction(5, 5_200), Fraction(1, 350))
    assert found.draws == 20 * chances.magic + 5 * chances.lucky


@pytest.mark.parametrize(
    ("paytable", "wish", "tonight", "line"),
    [
        ("pa-000", {}, {}, "no paytable 'pa-000'"),
        (
            "pa-643a-five-card-C",
            {"wager": "2.00"},
            {},
            "wager: pa-643a-five-card-C is for wagers of 1.00 or 5.00",
        ),
        ("ma-PTMGL01", {"wager": "two"}, {}, "wager: 'two' is not a sum"),
        ("pa-643a-five-card-C", {"game": "chess"}, {}, "game: pa-643a-five-card-C is for let-it-ride or"),
        ("pa-641a-2011-progressive-A", {"envy": "C"}, {}, "envy: .* A or B"),
        ("pa-643a-five-card-C", {"figures": {"mega.primary": "4%"}}, {}, "mega.primary: .* mandates 9%"),
        ("pa-643a-five-card-C", {"figures": {"mega.colour": "4"}}, {}, "mega.colour: .* no such figure"),
        ("ma-PTMGL01", {"figures": {"meter.primary": "9"}}, {}, "meter.primary: '9' is not a rate"),
        ("ma-PTMGL01", {"figures": {"meter.limit": "1.00"}}, {}, "meter.limit: 1.00 is below 10,000.00"),
        ("pa-643a-five-card-C", {"lucky_every": 3}, {}, "lucky_every: .* no such draw"),
        ("pa-643a-five-card-C", {}, {"meters": {"meter": 1}}, "meter meter: .* has mega, major, minor"),
        ("pa-643a-five-card-C", {}, {"players": 8}, "players: let-it-ride seats 1 to 7, not 8"),
        ("pa-643a-five-card-C", {}, {"players": 0}, "players: let-it-ride seats 1 to 7, not 0"),
        ("pa-643a-five-card-C", {}, {"wagers_an_hour": 0}, "rate: at least one wager an hour"),
        (
            "ma-PTMGL01",
            {"figures": {"meter.limit": "20000.00"}},
            {"meters": {"meter": 30_000 * DOLLAR}},
            "meter meter: 30,000.00 is above its limit 20,000.00",
        ),
    ],
)
def test_what_cannot_be_meant_gets_one_clear_line(
    paytable: str, wish: dict[str, object], tonight: dict[str, object], line: str
) -> None:
    """L1, L3, L4, L5, L7, A5, A7: each refusal names what is wrong."""
    with pytest.raises(Unanalysable, match=line) as refused:
        analyze(subject_of(paytable, Wish(**wish)), Tonight(**tonight))  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)
