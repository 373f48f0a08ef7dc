"""Tables and signs: which links they may have."""

from fractions import Fraction

import pytest

from jackpot.catalogue import Return, return_of
from jackpot.config import Config, load
from tests.config.floor import WriteFloor, mistakes


def test_a_game_that_the_link_is_not_for(floor: WriteFloor) -> None:
    """L1: a table of another game is refused, naming game and link; no link takes Criss-Cross."""
    found = mistakes(
        floor(
            ("pa-643a-five-card-hand-bonus", "pa-643a-three-card-A"),
            ('links = ["five"]\nkey_file = "keys/T02"', 'links = ["bonus"]\nkey_file = "keys/T02"'),
        )
    )
    assert found == {
        "table[1].links": "the game is ultimate-texas-holdem, link bonus is for let-it-ride only (L1)"
    }
    found = mistakes(floor(("ultimate-texas-holdem", "criss-cross-poker")))
    assert found == {"table[1].links": "criss-cross-poker has no progressive, link five cannot take it (L1)"}


@pytest.mark.parametrize(
    ("paytable", "allowed"),
    [
        ("ma-PTMGL01", {"let-it-ride", "ultimate-texas-holdem"}),
        ("ma-lir-progressive", {"let-it-ride"}),
        ("pa-643a-five-card-B", {"let-it-ride", "ultimate-texas-holdem"}),
        ("pa-653a-progressive-B", {"let-it-ride", "ultimate-texas-holdem"}),
        ("pa-653a-2011-progressive", {"ultimate-texas-holdem"}),
        ("pa-643a-three-card-A", {"let-it-ride"}),
        ("pa-649a-2011-progressive-A", {"three-card-poker"}),
        ("pa-641a-2011-progressive-A", {"four-card-poker"}),
    ],
)
def test_the_games_of_a_link(floor: WriteFloor, paytable: str, allowed: set[str]) -> None:
    """L1: a paytable is for its own games and those of the one equal to it row for row."""
    level = 'primary = "20%"\nseed = "10000.00"\nreseed = "10000.00"'
    if paytable.startswith(("pa-643a", "pa-653a-progressive")):
        level = ""
    elif paytable == "ma-PTMGL01":
        level = 'primary = "20%"'
    envy = 'envy = "A"' if paytable.startswith("pa-641a") else ""
    link = f'[[link]]\nid = "x"\npaytable = "{paytable}"\nwager = "1.00"\ndecks = 1\n{envy}\n'
    link += f"[link.level.meter]\n{level}\n" if level else ""
    took: set[str] = set()
    for game in ("let-it-ride", "ultimate-texas-holdem", "three-card-poker", "four-card-poker"):
        table = f'[[table]]\nid = "T03"\ngame = "{game}"\nseats = 6\nlinks = ["x"]\nkey_file = "keys/T03"\n'
        file = floor(more=link + table)
        if game in allowed:
            took.update(terms.game for terms in load(file).tables if terms.table == "T03")
        else:
            assert list(mistakes(file)) == ["table[2].links"]
    assert took == allowed


def test_the_links_of_a_table_agree(floor: WriteFloor) -> None:
    """L2: one bank on a table."""
    second = 'paytable = "pa-643a-five-card-hand-bonus"\n'
    found = mistakes(floor((second, f'{second}bank = "other"\n')))
    assert found == {"table[0].links": "the links differ in bank: five main, bonus other (L2)"}


def test_a_udp_format(floor: WriteFloor) -> None:
    """A signage text names link, level and amount, and nothing of the program's inside."""
    sign = '[[udp_sign]]\naddress = "239.1.2.3:5712"\nlinks = ["five"]\nformat = '
    assert mistakes(floor(more=sign + '"{link.__class__}"\n')) == {
        "udp_sign[0].format": "{link.__class__} is not one of {amount}, {cents}, {level}, {link}"
    }
    assert "udp_sign[0].format" in mistakes(floor(more=sign + '"{link"\n'))


def bonus(magic: int = 0, lucky: int = 0) -> tuple[str, str]:
    draws = f"magic_card_every = {magic}\n" * bool(magic) + f"lucky_every = {lucky}\n" * bool(lucky)
    return 'id = "bonus"\n', f'id = "bonus"\n{draws}'


def test_what_a_wager_returns(floor: WriteFloor) -> None:
    """A7: exactly - the Magic Card 20 x 5/52 / N, the Lucky Bonus 5 / seats / N, the odds by combinations."""
    returns = return_of(load(floor(bonus(magic=100, lucky=50))).links[1], 7)
    odds = Fraction(500 * 624 + 100 * 3_744 + 50 * 5_108, 2_598_960)
    draws = Fraction(20 * 5, 52 * 100) + Fraction(5, 7 * 50)
    assert returns == Return(odds, Fraction(21, 100), Fraction(0), Fraction(0), draws)
    assert returns.total == Fraction(21, 100) + odds + draws
    assert return_of(load(floor()).links[1], 7).draws == 0


@pytest.mark.parametrize(
    ("magic", "lucky", "good"),
    [(0, 1, False), (0, 2, True), (3, 0, False), (4, 0, False), (5, 0, True), (5, 2, False), (10, 4, True)],
)
def test_draws_that_return_more_than_the_wager_are_refused(
    floor: WriteFloor, magic: int, lucky: int, good: bool
) -> None:
    """A7: with 21 % onto the meters and 36.23 % by odds the draws may return 42.76 %, and no more."""
    file = floor(bonus(magic, lucky))
    if good:
        assert isinstance(load(file), Config)
    else:
        found = mistakes(file)
        assert list(found) == ["table[0].links"]
        assert "more than the wager: fewer draws (A7)" in found["table[0].links"]


GENEROUS = """
[[link]]
id = "proposed"
paytable = "pa-653a-2011-progressive"
wager = "1.00"
decks = 1
[link.level.meter]
primary = "20%"
seed = "10000.00"
reseed = "10000.00"
"""


HOLDEM = """
[[table]]
id = "T0{number}"
game = "ultimate-texas-holdem"
seats = 6
links = ["{link}"]
key_file = "keys/T0{number}"
"""


def holdem(number: int, link: str) -> str:
    return HOLDEM.format(number=number, link=link)


def test_a_paytable_without_draws_is_never_refused_for_its_return(floor: WriteFloor) -> None:
    """A7: what the text itself returns above the wager is said once, and taken."""
    file = floor(more=GENEROUS + holdem(3, "proposed") + holdem(4, "proposed"))
    (found,) = [text for text in load(file).warnings if "returns" in text]
    assert found == (
        "link proposed at ultimate-texas-holdem, 6 seats, returns 593.55 % (fixed pays 483.29 %, meters "
        "20.00 %, reseeds 32.32 %, envy 57.93 %, draws 0.00 %), more than the wager (A7)"
    )


def test_a_hand_bonus_of_two_games_is_one_link(floor: WriteFloor) -> None:
    """L1, A6: tables of 643a and 653a share it; H2: which cards count at a 653a table is our own reading."""
    config = load(floor(more=holdem(3, "bonus")))
    assert [table.links for table in config.tables if "bonus" in table.links] == [
        ("five", "bonus"),
        ("bonus",),
    ]
    assert config.links[1].dealer_hand
    (found,) = [text for text in config.warnings if "(H2)" in text]
    assert found.startswith("link bonus at ultimate-texas-holdem: 58 Pa. Code § 653a.12(e)(2) does not say")


def test_no_draw_reaches_a_table_of_653a(floor: WriteFloor) -> None:
    """A7: not by its own paytable, nor by the twin that its table shares."""
    found = mistakes(floor(bonus(magic=100), more=holdem(3, "bonus")))
    assert list(found) == ["table[2].links"]
    assert "the draws of link bonus are not for ultimate-texas-holdem" in found["table[2].links"]


def test_massachusetts_cards_are_said_for_let_it_ride_alone(floor: WriteFloor) -> None:
    """L1: an Ultimate Texas Hold 'Em table on a multi game link is warned of, a Let It Ride table is not."""
    link = """
[[link]]
id = "multi"
paytable = "ma-PTMGL01"
wager = "2.00"
decks = 1
[link.level.meter]
primary = "20%"
[link.envy_approved]
royal-flush = "2000.00"
straight-flush = "600.00"
"""
    ride = holdem(3, "multi").replace("ultimate-texas-holdem", "let-it-ride")
    assert not [text for text in load(floor(more=link + ride)).warnings if "(H2)" in text]
    (found,) = [text for text in load(floor(more=link + holdem(3, "multi"))).warnings if "(H2)" in text]
    assert "s. 12(f) says which cards count for Let It Ride only" in found
