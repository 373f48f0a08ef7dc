"""Posted odds of a table: every row of each wager that it takes, and what the rules want read there (P1)."""

from typing import Any, Final

import msgspec
import pytest

from controllers.answers import Paytable, PostedEnvy, PostedRow
from controllers.frames import encode
from jackpot.config import Config
from jackpot.config import load as read
from jackpot.config.posting import PLAY_WAGER, posted, posted_on
from jackpot.net.signs import SIGN_UNREAD_MAX
from tests.config.floor import WriteFloor, mistakes
from tests.config.test_offers import FIVE, THREE, written

LINK: Final = 'links = ["five", "bonus"]\nkey_file = "keys/T01"'
DRAWN: Final = "decks = 1\nlucky_every = 500\n[[table]]"
POKER: Final = """
[[link]]
id = "pair-three"
paytable = "pa-649a-2011-progressive-A"
wager = "1.00"
decks = 1
[link.level.meter]
primary = "15%"
seed = "1000.00"
reseed = "1000.00"
limit = "100000.00"
[[table]]
id = "T03"
game = "three-card-poker"
seats = 7
links = ["pair-three"]
key_file = "keys/T03"
"""
PAIR_PLUS: Final = {
    "id": "pp", "paytable": "pa-649a-2011-pair-plus-A", "placed": "layout", "tables": ["T03"],
    "least": "5.00", "most": "100.00", "unit": "5.00", "approved": "a letter",
}  # fmt: skip


def floor_of(floor: WriteFloor, table: str = "", *offers: dict[str, Any], extra: str = "") -> Any:
    """The path of a good configuration. table: settings of T01. extra: more of the file."""
    file = floor((LINK, f"{LINK}\n{table}"))
    file.write_text(file.read_text() + extra + "".join(written(**offer) for offer in offers))
    return file


def at(config: Config, name: str) -> Paytable:
    (table,) = (one for one in config.tables if one.table == name)
    return posted(config, table, str)


def test_every_row_of_each_wager_is_posted(floor: WriteFloor) -> None:
    """P1: links and offers of the table in their order, each with all its rows, envy, draws and bounds."""
    file = floor_of(floor, "", THREE, FIVE)
    file.write_text(
        file.read_text().replace(
            'paytable = "pa-643a-five-card-hand-bonus"\n',
            'paytable = "pa-643a-five-card-hand-bonus"\nmagic_card_every = 100\n',
        )
    )
    config = read(file)
    found = at(config, "T01")
    assert [wager.link for wager in found.wagers] == ["five", "bonus", "three", "five-bonus"]
    for wager, terms in zip(found.wagers, config.links, strict=True):
        assert [(row.hand, row.suits, row.least) for row in wager.rows] == [
            (row.hand, row.suits, row.least) for row in terms.rows
        ]
    five, bonus, three, kept = found.wagers
    assert (five.least, five.most, three.least, three.most, three.unit) == (100, 100, 500, 10_000, 500)
    assert five.rows[0] == PostedRow("royal-flush", "percent", 10_000, level="mega")
    assert five.envy[0] == PostedEnvy("royal-flush", 100_000)
    assert bonus.rows[1] == PostedRow("straight-flush", "percent", 1_000, level="meter")
    assert (bonus.magic, bonus.lucky) == (20, 0)
    assert {row.pays for row in three.rows} == {"to"}
    assert {row.pays for row in kept.rows} == {"for"}  # the stake is kept, so its odds are the whole (B5)
    assert [wager.title for wager in found.wagers][2:] == ["Three Card Bonus", "Five Card Bonus"]


def test_a_draw_is_posted_only_in_the_game_that_has_it(floor: WriteFloor) -> None:
    """P1, A7: a link of it at Ultimate Texas Hold 'Em, whose own source has no draw, posts none."""
    config = read(floor(("decks = 1\n[[table]]", DRAWN)))
    table = config.tables[0]
    other = msgspec.structs.replace(table, game="ultimate-texas-holdem")
    assert posted(config, table, str).wagers[1].lucky == 5
    assert posted(config, other, str).wagers[1].lucky == 0


def test_base_wagers_and_their_limit_are_posted(floor: WriteFloor) -> None:
    """P1, B9: 000 643a.2(b)(10), (11); odds such as 3 to 2, as 653a.12(b) prints them."""
    file = floor_of(floor, 'base_wagers = ["pa-643a-base-A"]\npayout_limit = "50000.00"')
    text = file.read_text().replace('links = ["five"]\nkey_file = "keys/T02"',
        'links = ["five"]\nkey_file = "keys/T02"\nbase_wagers = ["pa-653a-blind-B"]')  # fmt: skip
    file.write_text(text)
    config = read(file)
    ride, holdem = at(config, "T01"), at(config, "T02")
    assert ride.payout_limit == 5_000_000
    assert ride.base[0].rows[0] == PostedRow("royal-flush", "to", 1_000)
    assert ride.base[0].rows[-1].least == "T"
    assert any("payout limit" in warning for warning in config.warnings)
    assert holdem.base[0].rows[-1] == PostedRow(
        "flush", "to", 3, per=2
    )  # below it a phrase says that it pushes
    assert holdem.payout_limit is None


def test_what_the_rules_want_read_is_posted(floor: WriteFloor) -> None:
    """P1, B7: 649a.2(b)(5) word for word, 653a.2(b)(7)(i)-(iii), and what 649a.7(e) lets the holder ask."""
    extra = POKER.replace('key_file = "keys/T03"', 'key_file = "keys/T03"\npair_plus = "half-ante"')
    config = read(floor_of(floor, "", PAIR_PLUS, extra=extra))
    assert at(config, "T01").phrases == ()
    assert at(config, "T02").phrases == (
        "An Ante Wager will push if the dealer has less than a pair.",
        "A Blind Wager will push if the player's winning hand is not a straight or better.",
        PLAY_WAGER,
    )
    assert at(config, "T03").phrases == (
        "Dealer Plays with Queen High or Better.",
        "A Pair Plus Wager needs an Ante Wager of at least half its amount.",
    )
    assert at(config, "T03").wagers[0].limits == {"meter": 10_000_000}


def test_a_blind_that_pays_no_straight_pushes_below_a_flush(floor: WriteFloor) -> None:
    """P1: 653a.2(b)(7)(ii) with the paytable of 653a.12(b) that the table has."""
    blind = ('key_file = "keys/T02"', 'key_file = "keys/T02"\nbase_wagers = ["pa-653a-blind-B"]')
    assert "not a flush or better" in at(read(floor(blind)), "T02").phrases[1]
    blind = ('key_file = "keys/T02"', 'key_file = "keys/T02"\nbase_wagers = ["pa-653a-blind-A"]')
    assert "not a straight or better" in at(read(floor(blind)), "T02").phrases[1]


@pytest.mark.parametrize(
    ("setting", "path", "sentence"),
    [
        ('base_wagers = ["pa-643a-base-Z"]', "base_wagers", "there is no paytable"),
        ('base_wagers = ["pa-643a-five-card-A"]', "base_wagers", "is no base wager"),
        ('base_wagers = ["pa-653a-blind-A"]', "base_wagers", "is for ultimate-texas-holdem only"),
        ('base_wagers = ["pa-643a-base-A", "pa-643a-base-B"]', "base_wagers", "for the same wager"),
        ('payout_limit = "49999.99"', "payout_limit", "wants at least 50,000.00"),
        ('payout_limit = "50000.001"', "payout_limit", "finer than a cent"),
        ('pair_plus = "ante"', "pair_plus", "has no offer of Pair Plus"),
    ],
)
def test_what_no_source_allows_is_refused(floor: WriteFloor, setting: str, path: str, sentence: str) -> None:
    """P1, B1, B2, B7, B9: one paytable of a wager, of the table's game; a limit as sources let it be."""
    found = mistakes(floor_of(floor, setting))
    assert [(where, sentence in said) for where, said in found.items()] == [(f"table[0].{path}", True)]


def test_three_card_poker_has_no_payout_limit(floor: WriteFloor) -> None:
    """B9: 649a lets no holder limit what is paid."""
    extra = POKER.replace('key_file = "keys/T03"', 'key_file = "keys/T03"\npayout_limit = "50000.00"')
    found = mistakes(floor_of(floor, extra=extra))
    said = "no source lets a holder limit what three-card-poker pays (B9)"
    assert found == {"table[2].payout_limit": said}


def test_a_sign_gets_the_tables_that_it_names(floor: WriteFloor) -> None:
    """P1: each once, in the site's language; a table that is not there is refused."""
    sign = 'links = ["five"]\nkey_file = "keys/S01"'
    spanish = 'currency = "USD"', 'currency = "USD"\nlocale = "es_US"'
    config = read(floor((sign, f'{sign}\ntables = ["T02"]'), spanish))
    (found,) = posted_on(config, config.signs[0])
    assert (found.table, found.phrases[0]) == (
        "T02",
        "La apuesta Ante empata si el crupier tiene menos que una pareja.",
    )
    assert posted_on(read(floor()), read(floor()).signs[0]) == []
    assert mistakes(floor((sign, f'{sign}\ntables = ["T9"]'))) == {"sign[0].tables": "there is no table T9"}


def test_the_most_that_a_sign_may_be_given_fits_what_it_may_leave_unread(floor: WriteFloor) -> None:
    """WIRE: four tables, each with every kind of wager that its game has, and no sign is cut off for it."""
    found = at(read(floor_of(floor, 'base_wagers = ["pa-643a-base-A"]', THREE, FIVE)), "T01")
    many = Paytable(found.table, found.game, found.wagers * 2, found.base * 3, 5_000_000, found.phrases)
    assert len(encode(many)) < SIGN_UNREAD_MAX // 4
