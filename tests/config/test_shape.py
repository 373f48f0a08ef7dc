"""A fault of shape is one mistake, and what is missing causes no further ones."""

import pytest

from jackpot.config import ConfigErrors, load
from tests.config.floor import BASE, WriteFloor, mistakes


@pytest.mark.parametrize("field", ["wager", "decks", "id", "paytable"])
def test_what_is_missing_is_one_mistake(floor: WriteFloor, field: str) -> None:
    """DESIGN, config: what was taken in place of a missing field is never told as a mistake itself."""
    before, bonus = BASE.split('id = "bonus"', 1)
    own, after = f'id = "bonus"{bonus}'.split("[[table]]", 1)
    own = "".join(line for line in own.splitlines(keepends=True) if not line.startswith(f"{field} ="))
    found = mistakes(floor(text=f"{before}{own}[[table]]{after}"))
    assert found.keys() == {f"link[1].{field}"} | ({"table[0].links"} if field == "id" else set())


def test_a_float_is_one_mistake(floor: WriteFloor) -> None:
    """M1: money as a float that is whole is told as what it should be, and not a second time as a float."""
    file = floor(('wager = "1.00"\ndecks = 1\n[[link]]', "wager = 1.0\ndecks = 1.0\n[[link]]"))
    with pytest.raises(ConfigErrors) as raised:
        load(file)
    assert [path for path, _ in raised.value.mistakes] == ["link[0].wager", "link[0].decks"]
