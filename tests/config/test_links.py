"""Declared links and their mistakes."""

from typing import Final

import pytest

from jackpot.catalogue import counts_by_default, ids
from jackpot.catalogue import load as load_paytable
from jackpot.config import load
from tests.config.floor import BASE, WriteFloor, mistakes

TENTH: Final = """
[[link]]
id = "tenth"
paytable = "pa-653a-2011-progressive"
wager = "1.00"
decks = 1
[link.level.meter]
primary = "20%"
seed = "10000.00"
reseed = "10000.00"
"""


def test_a_link_that_is_given_twice(floor: WriteFloor) -> None:
    """L1: an id names one link; a table on either is not guessed to be on the first."""
    assert mistakes(floor(('id = "bonus"', 'id = "five"')))["link"] == (
        "the id five is given to 2 of them: link[0], link[1]"
    )


def test_a_link_with_mistakes_still_has_its_bank(floor: WriteFloor) -> None:
    """DESIGN, config: what follows from another mistake is not told as one: a server may name that bank."""
    server = '[[server]]\nid = "a"\ntables = "127.0.0.1:5710"\nbanks = ["main"]\n'
    shared = ("sqlite:///ledger.db", "postgresql://jackpot@db/ledger")
    one = BASE.replace("pa-643a-five-card-hand-bonus", "pa-643a-five-card-A")
    found = mistakes(floor(shared, text=one.replace('wager = "1.00"', 'wager = "0.00"'), more=server))
    assert found.keys() == {"link[0].wager", "link[1].wager"}


@pytest.mark.parametrize("day", ["2026-02-30", "9999-12-31"])
def test_an_end_is_a_day_that_can_be_announced(floor: WriteFloor, day: str) -> None:
    """P2: a server would not start with another one, or wait for ever for its notice."""
    ends = ('wager = "1.00"\ndecks = 1', f'wager = "1.00"\ndecks = 1\nends = "{day}"')
    assert mistakes(floor(ends))["link[0].ends"] == f"{day} is no day that can be announced"


def test_new_links_of_chips_are_counted_by_default(floor: WriteFloor) -> None:
    """P8, T3: 643a.8(b)(2) orders it; electronic wagers have no chips."""
    five, bonus = load(floor()).links
    assert (five.count_chips, bonus.count_chips) == (True, False)
    said = ('wager = "1.00"\ndecks = 1', 'wager = "1.00"\ndecks = 1\ncount_chips = false')
    assert not load(floor(said)).links[0].count_chips


def test_what_a_text_leaves_open_is_said(floor: WriteFloor) -> None:
    """P10: which cards make a Five Card Hand Bonus (H2), and who pays the tenth of 2011 (A8)."""
    holdem = ('links = ["five"]\nkey_file = "keys/T02"', 'links = ["bonus", "tenth"]\nkey_file = "keys/T02"')
    warnings = load(floor(holdem, more=TENTH)).warnings
    assert any("653a.12(e)(2) does not say which cards" in warning for warning in warnings)
    assert (
        "link tenth: 653a.11(j)(4) sends the whole meter alone to the cage, so a tenth could be paid at the "
        "table: here the cage pays it (A8) (P10)"
    ) in warnings


@pytest.mark.parametrize("paytable", [name for name in ids() if load_paytable(name).use == "link"])
def test_no_link_of_massachusetts_and_no_electronic_one_is_counted_by_default(paytable: str) -> None:
    """P8: by the jurisdiction whose text orders it, whatever the table's game."""
    counted = paytable.startswith("pa-") and not paytable.endswith("hand-bonus")
    assert counts_by_default(load_paytable(paytable)) == counted
