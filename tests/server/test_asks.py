"""Is a request decoded by the registry alone, and is a mistake said of its field?"""

from typing import Any

import msgspec
import pytest

from jackpot.rules.acts import ACTS
from jackpot.rules.acts.hits import Undo
from jackpot.server import asks
from jackpot.server.asks import BadRequest, OpenHits, Request, request_of

UNDO = {"do": "undo", "hit": "H1", "reason": "a misdeal"}
STRIKE = {"do": "strike", "table": "T1", "round": "R1", "seat": 1, "link": "L", "reason": "x"}
RESUME = {"do": "resume", "cause": "restored", "links": [], "reason": "x"}


def test_people_may_ask_for_what_the_registry_says_and_for_nothing_else() -> None:
    """A10, S4: what only the server or a command without a server does cannot be sent."""
    for act in ACTS:
        assert (act.command in asks.KINDS) == act.asked
        if not act.asked:
            with pytest.raises(BadRequest, match=f"^do: '{act.name}' is unknown$"):
                request_of({"do": act.name}, "ann")


def test_no_two_asks_have_one_name() -> None:
    """A question, an act of the server and an act of the rules are told apart by `do`."""
    names = [kind.__struct_config__.tag for kind in asks.KINDS]
    assert len(set(names)) == len(names)


def test_who_stands_for_it_is_the_one_named_else_the_login() -> None:
    """A10: an act has one or two people; a question needs nobody."""
    undo = Undo("H1", "a misdeal")
    assert request_of(UNDO, "ann") == Request(undo, ("ann",))
    named = {**UNDO, "by": " Ann  Lee ", "and_by": "Bo", "bank": "main"}
    assert request_of(named, "ann") == Request(undo, ("Ann Lee", "Bo"), "main")
    assert request_of({"do": "hits", "bank": "main"}, "") == Request(OpenHits(), (), "main")


def test_what_the_command_line_sends_is_what_the_server_reads() -> None:
    """An act goes out and comes in as one value."""
    act = Undo("H1", "a misdeal", "A2")
    assert request_of(msgspec.to_builtins(act), "ann").ask == act


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "do: missing"),
        ({"do": "dance"}, "do: 'dance' is unknown"),
        ({"do": 7}, "do: '7' is unknown"),
        ({"do": "validate"}, "hit: missing"),
        ({"do": "validate", "hit": "one"}, "hit: a hit's id, such as H12"),
        ({"do": "validate", "hit": "H1", "award": "H1"}, "award: an award's id, such as A34"),
        ({"do": "validate", "hit": "H1", "colour": 1}, "colour: unknown"),
        ({"do": "hits", "colour": 1}, "colour: unknown"),
        ({**UNDO, "reason": ""}, "reason: 1 to 256 printable characters"),
        ({**UNDO, "reason": " \u00a0"}, "reason: 1 to 256 printable characters"),
        ({**UNDO, "reason": "a\nb"}, "reason: 1 to 256 printable characters"),
        ({**UNDO, "reason": "x" * 257}, "reason: 1 to 256 printable characters"),
        ({**UNDO, "by": 7}, "by: expected str | null, got int"),
        ({**UNDO, "by": " "}, "by: 1 to 64 printable characters"),
        (
            {**UNDO, "by": "Ann", "and_by": "ANN"},
            "and_by: 'ANN' is the same person; a second one must stand for it",
        ),
        ({**STRIKE, "seat": 0}, "seat: expected int >= 1"),
        ({**STRIKE, "on": "both"}, "on: invalid enum value 'both'"),
        ({**STRIKE, "table": "T 1"}, "table: characters not allowed"),
        ({**RESUME, "cause": "config"}, "cause: operator, internal or restored"),
        ({**RESUME, "believe": [["T1", 1]] * 1001}, "believe: 1000 tables at most"),
        ({"do": "suspend", "cause": "restored", "links": ["L"], "reason": "x"}, "cause: operator"),
        ({"do": "clear", "role": "lamp", "device": "T1"}, "role: table or sign"),
    ],
)  # fmt: skip
def test_a_mistake_is_said_of_its_field(fields: dict[str, Any], said: str) -> None:
    """A message names the field that is missing, unknown or wrong, and what may stand in it."""
    with pytest.raises(BadRequest) as mistake:
        request_of(fields, "ann")
    assert str(mistake.value) == said
