"""Offers of a configuration, checked whole (B1-B6, B12, B14, B15)."""

from pathlib import Path
from typing import Any

import pytest

from jackpot.config import Config, load
from jackpot.rules.paytable import ForOne, ToOne
from tests.config.floor import HEAD, WriteFloor, mistakes

DOLLAR = 1_000_000
THREE = {
    "id": "three", "paytable": "pa-643a-three-card-bonus-B", "placed": "layout", "tables": ["T01"],
    "least": "5.00", "most": "100.00", "unit": "5.00", "approved": "a letter",
}  # fmt: skip
FIVE = THREE | {
    "id": "five-bonus", "paytable": "pa-643a-five-card-bonus-C", "placed": "device", "stake": "kept",
}  # fmt: skip


SIX = THREE | {
    "id": "six", "paytable": "pa-653a-six-card-bonus-A", "tables": ["T02"],
    "cards": ["own-1", "own-2", "dealer-1", "dealer-2", "board-1", "board-2"],
}  # fmt: skip


BOARD = ("board-1", "board-2", "board-3", "board-4", "board-5")


def written(**given: Any) -> str:
    """One [[offer]] as TOML; None leaves a setting out."""
    lines = [f"{name} = {value!r}".replace("'", '"') for name, value in given.items() if value is not None]
    text = "\n".join(lines).replace("True", "true").replace(": ", " = ")
    return f"[[offer]]\n{text}\n"


def with_offers(floor: WriteFloor, *offers: dict[str, Any]) -> Any:
    """The path of a good configuration with these offers besides."""
    file = floor()
    file.write_text(file.read_text() + "".join(written(**offer) for offer in offers))
    return file


def read(floor: WriteFloor, *offers: dict[str, Any]) -> Config:
    return load(with_offers(floor, *offers))


def test_an_offer_is_a_link_without_levels(floor: WriteFloor) -> None:
    """B1, B3, B6, B15: its terms, with what is left out; its table takes it after its links."""
    config = read(floor, THREE, FIVE)
    three, five = config.links[-2:]
    assert (three.link, three.levels, three.wager, three.most, three.unit) == (
        "three", (), 5 * DOLLAR, 100 * DOLLAR, 5 * DOLLAR,
    )  # fmt: skip
    assert (three.placed, three.count_chips, five.placed, five.count_chips) == (
        "layout",
        False,
        "device",
        True,
    )
    assert (three.validate_at, three.cage_at, three.always_validate_for) == (
        1_000 * DOLLAR,
        10_000 * DOLLAR,
        500,
    )
    assert isinstance(three.rows[0].pays, ToOne)
    assert all(isinstance(row.pays, ForOne) for row in five.rows)  # the stake is kept (B5)
    assert config.tables[0].links[-2:] == ("three", "five-bonus")
    assert "three" not in config.displays


def test_no_award_of_an_offer_is_final_that_may_take_a_tax_form(floor: WriteFloor) -> None:
    """B15: the site's own sum, or else that of its country's law, is below what the offer says."""
    high = THREE | {"validate_at": "5000.00"}
    file = with_offers(floor, high)
    of_law = file.read_text().replace("[site]\n", '[site]\ntax = "us"\n')
    for text, dollars in (
        (of_law, 2_000),
        (of_law.replace('"us"\n', '"us"\ntax_form_from = "1200.00"\n'), 1_200),
    ):
        file.write_text(text)
        assert load(file).links[-1].validate_at == dollars * DOLLAR


def test_a_fold_is_of_the_paytable(floor: WriteFloor) -> None:
    """B8: Trips stand where a hand is folded."""
    trips = THREE | {"id": "trips", "paytable": "pa-653a-trips-A", "tables": ["T02"]}
    assert read(floor, trips).links[-1].fold == "stands"


def test_an_approval_names_the_cards_of_a_six_card_bonus(floor: WriteFloor) -> None:
    """B16: its section does not say which six, so the journalled terms do."""
    assert read(floor, SIX).links[-1].cards == tuple(SIX["cards"])


def test_every_bonus_wager_that_a_table_sends_may_be_offered(floor: WriteFloor) -> None:
    """B2, B10, B11: Six Card, Bad Beat and Cover All too."""
    six = THREE | {"id": "six", "paytable": "pa-643a-six-card-bonus-A"}
    cover = THREE | {"id": "cover", "paytable": "ma-lir-cover-all"}
    beat = THREE | {"id": "beat", "paytable": "pa-653a-bad-beat-A", "tables": ["T02"]}
    assert [terms.link for terms in read(floor, six, cover, beat).links[-3:]] == ["six", "cover", "beat"]


def test_a_criss_cross_table_has_offers_alone(floor: WriteFloor) -> None:
    """B13, L1: its Five Card Bonus, and no link with levels."""
    criss = ('game = "ultimate-texas-holdem"', 'game = "criss-cross-poker"')
    cross = THREE | {"id": "cross", "paytable": "pa-674a-five-card-bonus", "tables": ["T02"]}
    file = floor(criss, ('seats = 6\nlinks = ["five"]\n', "seats = 6\n"))
    file.write_text(file.read_text() + written(**cross))
    assert load(file).tables[1].links == ("cross",)
    linked = mistakes(floor(criss))
    assert "(L1)" in linked["table[1].links"]


def test_the_source_may_leave_higher_odds_open(floor: WriteFloor) -> None:
    """B12: a row that it says "no less" of may be raised; the return is counted with it (B14)."""
    more = THREE | {"paytable": "ma-lir-three-card-bonus-B", "better_odds": {"straight": "6 to 1"}}
    config = read(floor, more)
    assert next(row.pays for row in config.links[-1].rows if row.hand == "straight") == ToOne(6)
    assert any("several jurisdictions" in warning for warning in config.warnings)


@pytest.mark.parametrize(
    ("offer", "where", "says"),
    [
        (THREE | {"paytable": "pa-643a-five-card-C"}, "paytable", "(B1"),
        (THREE | {"paytable": "no-such"}, "paytable", "there is no paytable"),
        (SIX | {"cards": None}, "cards", "653a.12(f) does not say"),
        (SIX | {"cards": ["own-1", "own-2", "board-1", "board-2", "board-3", "board-6"]}, "cards", "none of"),
        (SIX | {"cards": [*BOARD, "dealer-1"]}, "cards", "own"),
        (SIX | {"approved": None}, "approved", "(B16)"),
        (SIX | {"paytable": "pa-643a-six-card-bonus-A", "tables": ["T01"]}, "cards", "nothing is left open"),
        (THREE | {"tables": ["T09"]}, "tables", "there is no table"),
        (THREE | {"tables": ["T02"]}, "tables", "(B1)"),
        (THREE | {"id": "five"}, "id", "has this id already"),
        (THREE | {"bank": "side"}, "bank", "what table T01 takes besides lies in main (L2)"),
        (THREE | {"placed": "device"}, "placed", "(B2)"),
        (THREE | {"approved": None}, "approved", "(B2)"),
        (THREE | {"least": None}, "least", "(B3)"),
        (THREE | {"most": "103.00"}, "unit", "103.00 is no multiple of 5.00 (B3)"),
        (THREE | {"unit": "7.00"}, "unit", "5.00 and 100.00 are no multiples of 7.00 (B3)"),
        (THREE | {"unit": "0.00"}, "unit", "more than nothing"),
        (THREE | {"least": "0.00", "unit": None}, "least", "more than nothing"),
        (THREE | {"most": "1.00"}, "most", "1.00 is below the least, 5.00 (B3)"),
        (FIVE | {"most": "10000.00"}, "most", "more than"),
        (FIVE | {"stake": None}, "stake", "(B5)"),
        (THREE | {"stake": "kept"}, "stake", "(B5)"),
        (THREE | {"count_chips": True}, "count_chips", "(B6)"),
        (THREE | {"better_odds": {"pair": "2 to 1"}}, "better_odds", "(B12)"),
        (
            THREE | {"paytable": "ma-lir-three-card-bonus-B", "better_odds": {"straight": "4 to 1"}},
            "better_odds.straight", "never lowered",
        ),
        (
            THREE | {"paytable": "ma-lir-three-card-bonus-B", "better_odds": {"pair": "2 to 1"}},
            "better_odds", "(B14)",
        ),
    ],
)  # fmt: skip
def test_every_mistake_of_an_offer_is_named(
    floor: WriteFloor, offer: dict[str, Any], where: str, says: str
) -> None:
    """B1-B6, B12, B14: with its place."""
    found = mistakes(with_offers(floor, offer))
    assert list(found) == [f"offer[0].{where}"]
    assert says in found[f"offer[0].{where}"]


def test_an_offer_named_as_a_link_is_told_where_it_belongs(floor: WriteFloor) -> None:
    """B1: neither a table nor a sign lists it among its links."""
    file = with_offers(floor, THREE)
    file.write_text(file.read_text().replace('"five", "bonus"', '"five", "bonus", "three"'))
    assert mistakes(file) == {
        "table[0].links": "three is no link but an offer: the [[offer]] names its tables (B1)"
    }


def test_a_table_takes_one_paytable_of_a_wager(floor: WriteFloor) -> None:
    """B1: "one of the following": two at a table are refused, two in the house are a warning."""
    other = THREE | {"id": "other", "paytable": "pa-643a-three-card-bonus-A"}
    assert list(mistakes(with_offers(floor, THREE, other))) == ["offer[1].tables"]


def test_an_offer_that_returns_more_than_the_wager_needs_its_approval(floor: WriteFloor) -> None:
    """B5, B14: the Five Card Bonus E whose stake is returned."""
    given = FIVE | {"paytable": "pa-643a-five-card-bonus-E", "stake": "returned"}
    assert any("100.43 %" in warning for warning in read(floor, given).warnings)


def test_a_floor_needs_a_link_or_an_offer(tmp_path: Path) -> None:
    """B1: neither of them is one mistake; the offer alone is enough (tests/web/test_offer_pages.py)."""
    file = tmp_path / "floor.toml"
    file.write_text(HEAD)
    assert mistakes(file) == {"link": "a floor has a [[link]] at least, or an [[offer]]"}
