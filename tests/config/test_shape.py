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


@pytest.mark.parametrize(
    ("edit", "path", "meant"),
    [
        (("timezone = ", "timezne = "), "site.timezne", "timezone"),
        (("[[sign]]", "[[signs]]"), "signs", "sign"),
        (('tables = "127', 'talbes = "127'), "listen.talbes", "tables"),
        (("decks = 1", "deks = 1"), "link[0].deks", "decks"),
        (
            ('timezone = "America/New_York"', 'timezone = "America/New_York"\ntheme = "golden"'),
            "site.theme",
            "gold",
        ),
        (('"five", "bonus"', '"five", "bonsu"'), "table[0].links", "bonus"),
        (("pa-643a-five-card-C", "pa-643a-fivecard-C"), "link[0].paytable", "pa-643a-five-card-C"),
    ],
)
def test_a_misspelled_name_is_told_with_what_it_may_mean(
    floor: WriteFloor, edit: tuple[str, str], path: str, meant: str
) -> None:
    """DESIGN, config: in every table, for names of settings, links, paytables and themes."""
    assert f" (did you mean {meant}?)" in mistakes(floor(edit))[path]


def test_a_name_like_no_other_is_not_guessed_at(floor: WriteFloor) -> None:
    """DESIGN, config: nothing is suggested that has little in common with what was written."""
    found = mistakes(floor(('timezone = "America/New_York"', 'timezone = "America/New_York"\nxyz = 1')))
    assert "did you mean" not in found["site.xyz"]
    assert found["site.xyz"].startswith("is not known here; known are id, name, ")
