"""The available pictures and their names are known before any is drawn."""

from jackpot.config.writing import writing
from jackpot.odds.drawable import drawable
from tests.odds.test_analysis import found_of


def test_what_is_not_known_is_not_drawn() -> None:
    """L5: without a rate there is no cycle; a paytable without envy has no picture of it."""
    names = {
        paytable: [picture.name for picture in drawable(found_of(paytable))]
        for paytable in ("ma-lir-progressive", "pa-643a-five-card-hand-bonus")
    }
    assert names == {
        "ma-lir-progressive": ["return-meter", "envy"],
        "pa-643a-five-card-hand-bonus": ["return-meter", "hit-meter", "year-meter"],
    }


def test_a_title_says_what_is_shown_of_which_meter() -> None:
    """L3, M1: the level, where it has a name, and the wager as the site writes it."""
    euros = writing("en_IE", "EUR")
    titles = [one.title for one in drawable(found_of("pa-643a-five-card-B", wager="5.00"), euros)]
    assert titles[:2] == [f"What a €5.00 wager returns at each {level} meter" for level in ("mega", "major")]
    assert titles[-1] == "What envy returns of a €5.00 wager, by players"
    assert drawable(found_of("pa-643a-five-card-A"))[1].title == "How high the meter is when it is won"
