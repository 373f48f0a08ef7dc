"""Figures are formatted for people and for programs."""

from fractions import Fraction

import pytest

from jackpot.odds.sheets import Cell, Kind, brief, cell_text, decimal, exact, facts_of, sheets_of
from tests.odds.test_analysis import found_of


@pytest.mark.parametrize(
    ("kind", "value", "for_people", "for_programs"),
    [
        ("sum", 81_250_000_000, "$81,250.00", "81250"),
        ("sum", Fraction(10_000_000, 3), "$3.33", "3.33333333333"),
        ("part", Fraction(2, 3), "66.67 %", "0.666666666667"),
        ("part", Fraction(-1, 8), "-12.50 %", "-0.125"),
        ("chance", Fraction(4, 2_598_960), "1 in 649,740", "1/649740"),
        ("number", Fraction(1, 649_740), "0.00000154", "0.00000153907716933"),
        ("number", Fraction(649_740), "649,740", "649740"),
        ("count", 1_000, "1,000", 1_000),
        ("text", "spades", "spades", "spades"),
        ("name", "royal-flush", "Royal flush", "royal-flush"),
        ("sum", None, "", None),
    ],
)
def test_a_figure_is_written_twice(
    kind: Kind, value: Cell, for_people: str, for_programs: str | int | None
) -> None:
    """M1: sums to the cent for people; twelve digits, and never a power of ten, for programs."""
    assert cell_text(kind, value) == for_people
    assert exact(kind, value) == for_programs


def test_numbers_for_programs_have_no_exponent() -> None:
    """M1: a spreadsheet reads it as it stands."""
    assert decimal(Fraction(1_300_000)) == "1300000"


def test_every_row_has_a_cell_for_each_column() -> None:
    """A1: of every sheet, with all that may be in it."""
    for found in (
        found_of("pa-643a-five-card-D", players=7),
        found_of("pa-643a-five-card-hand-bonus", magic_card_every=100),
        found_of("ma-PTMGLML02"),
    ):
        for sheet in sheets_of(found):
            assert {len(row) for row in sheet.rows} == {len(sheet.columns)}, sheet.name


def test_a_figure_says_what_it_is_of() -> None:
    """A2, L6: whether the reserve is in a return, what a round is, and which edge is the long run's."""
    sheets = {sheet.name: sheet for sheet in sheets_of(found_of("pa-643a-five-card-hand-bonus", players=3))}
    assert "Reserve and overflow are in no award" in " ".join(sheets["return"].notes)
    assert "A round is one deal at a table" in sheets["hands"].notes[0]
    assert sheets["return"].rows[-1][0] == "house edge"
    assert sheets["long_run"].rows[-1][0] == "house edge in the long run"


def test_what_is_not_in_the_figures_is_said() -> None:
    """L4, L7, A5: figures left open, envy not printed, limits, a first seed, and means that are not exact."""
    facts = dict(facts_of(found_of("ma-PTMGL01", wager="2.00")))
    assert facts["left open"].startswith("meter.primary")
    assert facts["envy"] == "left out: none is printed for this wager"
    bonus = {
        sheet.name: " ".join(sheet.notes) for sheet in sheets_of(found_of("pa-643a-five-card-hand-bonus"))
    }
    assert "$10,000.00, is paid once" in bonus["long_run"]
    assert "one part in a hundred" in bonus["cycles"]
    limited = found_of("pa-649a-2011-progressive-A", figures={"meter.limit": "20000.00"})
    assert "Limits are left out" in " ".join(note for sheet in sheets_of(limited) for note in sheet.notes)


def test_a_paytable_that_does_not_pay_for_its_seed_says_so() -> None:
    """M4: reseeds that cost more than the house keeps."""
    figures = {"meter.seed": "100000.00", "meter.reseed": "100000.00", "meter.primary": "20%"}
    found = found_of("pa-649a-2011-progressive-B", figures=figures)
    (run,) = (sheet for sheet in sheets_of(found) if sheet.name == "long_run")
    assert run.notes[0].startswith("It does not pay for its own seed")
    assert dict(brief(found))["break-even meter"] == "meter $11,520.00"


def test_a_bonus_wager_says_what_it_returns_and_how_it_is_read() -> None:
    """B5, B10, B14: the stake, every reading, the return by players, and no sheet that is of meters."""
    kept = dict(facts_of(found_of("pa-643a-five-card-bonus-A", stake="kept")))
    assert kept["stake"] == "kept: the odds are the whole payout"
    assert "wagers an hour" not in kept
    table = found_of("ma-lir-cover-all", players=3)
    facts, sheets = dict(facts_of(table)), {sheet.name: sheet for sheet in sheets_of(table)}
    assert "Let It Ride has not" in facts["reading"]
    assert "three of a kind pays as well" in facts["reading"]
    assert facts["cards"].endswith("10,000,000 rounds of a simulation with the seed 11")
    assert list(sheets) == ["return", "by_players", "spread", "sessions", "hands"]
    assert [row[3] for row in sheets["by_players"].rows] == [None, None, 11, 11, 11, 11, 11]
    assert sheets["hands"].rows[0][2] == "250 to 1"
    assert {len(row) for row in sheets["by_players"].rows} == {4}


def test_what_no_table_sends_is_shown_as_it_is_printed() -> None:
    """B2: "3 to 2", a push, a pair from its rank on; best play; a bonus adds to a wager, with no edge."""
    blind, ante = found_of("pa-653a-blind-A"), found_of("pa-674a-ante")
    pays = {sheet.name: sheet for sheet in sheets_of(blind)}["hands"].rows
    assert [row[2] for row in pays[4:7]] == ["3 to 2", "1 to 1", "push"]
    pairs = {sheet.name: sheet for sheet in sheets_of(ante)}["hands"].rows
    assert [row[2] for row in pairs[8:10]] == ["1 to 1 from a pair of J", "push from a pair of 6"]
    play = {sheet.name: sheet for sheet in sheets_of(found_of("pa-643a-base-A"))}["best_play"]
    assert [row[1] for row in play.rows] == [3, 4, 5, None]
    bonus = {sheet.name: sheet for sheet in sheets_of(found_of("pa-641a-2011-ante-bonus"))}["return"]
    assert [row[0] for row in bonus.rows] == ["added to the wager"]
    assert brief(found_of("pa-641a-2011-ante-bonus"))[0] == ("bonus", "6.71 % of the Ante")
