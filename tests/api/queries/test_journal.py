"""Journal entries, shown with the names of their fields."""

import json

import msgspec

from jackpot.api.queries.journal import plain
from jackpot.rules.signing import People


class Inner(msgspec.Struct, frozen=True, array_like=True):
    mark: bytes
    by: People


def test_an_entry_is_shown_by_the_names_of_its_fields() -> None:
    """S5: an auditor reads names and hex digits, where the journal has bare lists and bytes."""
    shown = plain([Inner(b"\x00\xff", People(("Ann",))), {3: (1, None)}])
    assert shown[0] == {"mark": "00ff", "by": plain(People(("Ann",)))}
    assert shown[1] == {"3": [1, None]}
    assert "Ann" in json.dumps(shown)
