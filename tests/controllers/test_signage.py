"""Are the frames for signs what the wire says, and is the schema current?"""

import json
from pathlib import Path

import msgspec

from controllers import signage
from controllers.answers import ServerMessage, floor_schema
from controllers.frames import FrameReader, decode

SCHEMA = Path(__file__).parents[2] / "schemas" / "floor.schema.json"


def test_a_snapshot_of_any_size_fits_its_frames() -> None:
    """WIRE pushes: `meters`, whole or in part; every frame within 65,536 bytes."""
    values = [(f"{number:04d}" + "x" * 60, "y" * 64, 2**53 - 1) for number in range(600)]
    messages = [decode(payload) for payload in FrameReader().feed(signage.meters("main", 7, 8, values))]
    assert [len(message["values"]) for message in messages] == [256, 256, 88]
    assert [tuple(row) for message in messages for row in message["values"]] == values
    assert {(message["bank"], message["rev"], message["at"]) for message in messages} == {("main", 7, 8)}
    assert len(FrameReader().feed(signage.meters("main", 7, 8, []))) == 1


def test_every_sign_frame_fits_its_type() -> None:
    """WIRE pushes: the fields of meters, hit and link."""
    facts = {"hit": "H1", "link": "a", "level": "meter", "hand": "royal-flush", "table": "T01", "amount": 1}
    for framed in (
        signage.meters("main", 1, 2, [("a", "meter", 3)]),
        signage.hit({**facts, "cycle": 1, "bank": "main", "rev": 1, "at": 2}),
        signage.link("a", "suspended", "ledger"),
    ):
        (payload,) = FrameReader().feed(framed)
        assert msgspec.convert(decode(payload), ServerMessage)


def test_the_schema_is_current() -> None:
    """DESIGN house: schemas/floor.schema.json is generated from the messages and checked in."""
    made = json.dumps(floor_schema(), indent=2) + "\n"
    assert SCHEMA.read_text() == made, (
        "write it anew: python -m controllers.answers > schemas/floor.schema.json"
    )
