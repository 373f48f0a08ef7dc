"""The demo's configuration is one that any server accepts."""

from pathlib import Path

from jackpot.config import load
from jackpot.lab.demo.house import PLACES, SIGNS, furnish, keep_ports, key
from jackpot.rules.paytable import ANY, SEATS


def test_the_folder_is_a_configuration_without_mistakes(tmp_path: Path) -> None:
    """L1, L5, B1: twelve tables of all five games, two links, bonus wagers at each; config accepts them."""
    config = load(furnish(tmp_path))
    assert [table.table for table in config.tables] == [place.table for place in PLACES]
    assert {place.game for place in PLACES} == set(SEATS) - {ANY}
    links = {link.link for link in config.links if not link.offer}
    assert links == {place.link for place in PLACES if place.link} == set(SIGNS.values())
    offers = {link.link for link in config.links if link.offer}
    assert offers == {offer.offer for place in PLACES for offer in place.offers}
    assert all(place.offers for place in PLACES)
    kinds = {link.hand_kind for link in config.links if link.offer}
    assert kinds >= {"six", "beaten", "best-of-table", "five-board"}
    assert not [one for one in config.warnings if "(B1)" in one], (
        "one jurisdiction a table, one paytable a wager"
    )


def test_a_folder_is_furnished_once(tmp_path: Path) -> None:
    """A ledger that was given again finds its tables with the keys that they had."""
    config = furnish(tmp_path)
    before = (config.read_text(), key(tmp_path, "T01"))
    furnish(tmp_path)
    assert (config.read_text(), key(tmp_path, "T01")) == before


def test_keys_are_read_by_their_owner_alone(tmp_path: Path) -> None:
    """A stolen device key is a table's wagers: nobody else on the machine may read it."""
    furnish(tmp_path)
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "keys").iterdir()} == {0o600}


def test_a_kept_floor_has_the_ports_that_it_got(tmp_path: Path) -> None:
    """An open floor page reconnects after a restart; a port that was configured is never overwritten."""
    path = furnish(tmp_path)
    keep_ports(tmp_path, {"tables": 40_001, "http": 40_002})
    keep_ports(tmp_path, {"tables": 50_001, "signs": 40_003, "http": 50_002})
    listen = load(path).listen
    assert listen.signs is not None
    assert listen.http is not None
    assert (listen.tables.port, listen.signs.port, listen.http.port) == (40_001, 40_003, 40_002)
