"""Is the schema of what the server says current?"""

import json
from pathlib import Path

from controllers.answers import floor_schema

SCHEMA = Path(__file__).parents[2] / "schemas" / "floor.schema.json"


def test_the_schema_is_current() -> None:
    """DESIGN house: schemas/floor.schema.json is generated from the messages and checked in."""
    made = json.dumps(floor_schema(), indent=2) + "\n"
    assert SCHEMA.read_text() == made, (
        "write it again: python -m controllers.answers > schemas/floor.schema.json"
    )
