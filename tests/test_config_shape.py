"""Does a fault of shape hide no other mistake, and is none made of what is missing?"""

import pytest

from jackpot.config import ConfigErrors, load
from tests.test_config import BASE, Floor, floor, mistakes

__all__ = ["floor"]


def test_a_fault_of_shape_hides_nothing(floor: Floor) -> None:
    """DESIGN, config: every mistake of one reading, next to a fault of shape and behind it."""
    file = floor(
        ('currency = "USD"', "currency = 1"),
        ('timezone = "America/New_York"', 'timezone = "Mars"'),
        ('signs = "127.0.0.1:5711"', 'signs = "127.0.0.1:5710"\nhttp = 8080'),
        ('paytable = "pa-643a-five-card-C"\nwager = "1.00"', 'paytable = "pa-643a-five-card-X"\nwager = 1'),
        ('wager = "1.00"\ndecks = 1\n[[table]]', "wager = 1\ndecks = 1\nfloor_to_seed = true\n[[table]]"),
        ('seats = 7\nlinks = ["five", "bonus"]', 'seats = "7"\nlinks = ["five", "bogus"]'),
        ('key_file = "keys/T02"', 'key_file = "keys/nowhere"\nmax_rounds_per_minute = "many"'),
        ('links = ["five"]\nkey_file = "keys/S01"', 'links = ["nobody", 7]\nkey_file = "keys/S01"'),
    )
    found = mistakes(file)
    assert found.keys() == {
        "site.currency",
        "site.timezone",
        "listen.http",
        "listen.signs",
        "link[0].wager",
        "link[0].paytable",
        "link[1].wager",
        "link[1].floor_to_seed",
        "table[0].seats",
        "table[0].links",
        "table[1].max_rounds_per_minute",
        "table[1].key_file",
        "sign[0].links[1]",
        "sign[0].links",
    }


def test_a_float_is_one_mistake(floor: Floor) -> None:
    """M1: money as a float that is whole is told as what it should be, and not a second time as a float."""
    file = floor(('wager = "1.00"\ndecks = 1\n[[link]]', "wager = 1.0\ndecks = 1.0\n[[link]]"))
    with pytest.raises(ConfigErrors) as raised:
        load(file)
    assert [path for path, _ in raised.value.mistakes] == ["link[0].wager", "link[0].decks"]


@pytest.mark.parametrize("field", ["wager", "decks", "id", "paytable"])
def test_what_is_missing_is_one_mistake(floor: Floor, field: str) -> None:
    """DESIGN, config: what was taken in place of a missing field is never told as a mistake itself."""
    before, bonus = BASE.split('id = "bonus"', 1)
    own, after = f'id = "bonus"{bonus}'.split("[[table]]", 1)
    own = "".join(line for line in own.splitlines(keepends=True) if not line.startswith(f"{field} ="))
    found = mistakes(floor(text=f"{before}{own}[[table]]{after}"))
    assert found.keys() == {f"link[1].{field}"} | ({"table[0].links"} if field == "id" else set())


@pytest.mark.parametrize("code", ["ABC", "X" * 3, "XTS"])
def test_a_currency_is_one_that_there_is(floor: Floor, code: str) -> None:
    """An unknown currency is a mistake: pages would show its three letters."""
    found = mistakes(floor(('"USD"', f'"{code}"')))
    assert found == {"site.currency": f"{code!r} is no currency, like USD or EUR"}
