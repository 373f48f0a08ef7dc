"""An operator may set what the source leaves open; everything else is refused."""

import pytest

from jackpot.odds.analysis import AnalysisConditions, analyze
from jackpot.odds.subject import AnalysisError, OperatorChoices, subject_of
from tests.odds.test_analysis import DOLLAR, found_of


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
        ("pa-643a-five-card-C", {"stake": "kept"}, {}, "stake: .* leaves no choice of the stake"),
        ("pa-653a-trips-A", {"stake": "kept"}, {}, "stake: .* leaves no choice of the stake"),
        ("pa-643a-five-card-bonus-A", {"stake": "lost"}, {}, "stake: the stake of .* is returned or kept"),
        ("pa-653a-trips-A", {"envy": "A"}, {}, "envy: pa-653a-trips-A has fixed odds alone"),
        ("pa-653a-trips-A", {"figures": {"meter.seed": "1.00"}}, {}, "meter.seed: .* fixed odds alone"),
        ("pa-653a-trips-A", {"lucky_every": 3}, {}, "lucky_every: .* fixed odds alone"),
        ("pa-653a-trips-A", {"wager": "0.00"}, {}, "wager: .* for wagers of more than nothing, not 0.00"),
        ("pa-653a-trips-A", {"wager": "two"}, {}, "wager: 'two' is not a sum"),
        ("ma-lir-bonus", {"wager": "5.00"}, {}, "wager: ma-lir-bonus is for wagers of 1.00, not 5.00"),
        ("pa-653a-trips-A", {"game": "let-it-ride"}, {}, "game: .* is for ultimate-texas-holdem"),
        ("pa-653a-trips-A", {}, {"meters": {"meter": 1}}, "meter: pa-653a-trips-A has fixed odds alone"),
        ("pa-643a-five-card-C", {}, {"players": 8}, "players: let-it-ride seats 1 to 7, not 8"),
        ("pa-643a-five-card-C", {}, {"players": 0}, "players: let-it-ride seats 1 to 7, not 0"),
        ("pa-643a-five-card-C", {}, {"wagers_an_hour": 0}, "rate: 1 to 9,999,999 wagers an hour"),
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
    with pytest.raises(AnalysisError, match=line) as refused:
        analyze(subject_of(paytable, OperatorChoices(**wish)), AnalysisConditions(**tonight))  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)
