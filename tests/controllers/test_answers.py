"""The published schema of the server's messages is current."""

import json
from pathlib import Path

from controllers.answers import TEXT_MAX, floor_schema, shortened

SCHEMA = Path(__file__).parents[2] / "schemas" / "floor.schema.json"


def test_the_schema_is_current() -> None:
    """DESIGN house: schemas/floor.schema.json is generated from the messages and checked in."""
    assert SCHEMA.read_text() == text(), "write it again: python -m tests.generated"


def text() -> str:
    """The published schema, as it should be."""
    return json.dumps(floor_schema(), indent=2) + "\n"


def test_a_text_is_cut_only_where_it_is_too_long() -> None:
    """WIRE faults: a message has 256 characters at most; one that fits is told whole."""
    assert shortened("x" * TEXT_MAX) == "x" * TEXT_MAX
    assert shortened("x" * (TEXT_MAX + 1)) == "x" * (TEXT_MAX - 3) + "..."
