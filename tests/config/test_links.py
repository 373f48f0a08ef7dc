"""Declared links and their mistakes."""

from tests.config.floor import BASE, WriteFloor, mistakes


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
