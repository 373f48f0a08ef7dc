"""Requests decoded by the registry alone, with each mistake named by its field."""

from typing import Any

import pytest

from jackpot.api.http_call import HttpCall, act_of, question_of, target, with_idempotency_key
from jackpot.api.operation import BadRequest, OperationCall, name_of
from jackpot.api.queries.hits import AskHit, AskHits, AskWaitingHits
from jackpot.api.queries.payouts import Correct
from jackpot.api.registry import ASKED_ACTS, QUESTIONS
from jackpot.rules.acts.hits import Undo
from jackpot.rules.commands import KEY_BYTES

UNDO = {"hit": "H1", "reason": "a misdeal"}
STRIKE = {"table": "T1", "round": "R1", "seat": 1, "link": "L", "reason": "x"}
RESUME = {"cause": "restored", "links": [], "reason": "x"}
CORRECT = {"award": "A1", "reason": "x"}
ACT_OF = {name_of(kind): kind for kind in ASKED_ACTS}
QUESTION_OF = {kind.path: kind for kind in QUESTIONS}


def test_who_stands_for_it_is_the_one_named_else_the_login() -> None:
    """A10: an act has one or two people; a question needs nobody."""
    undo = Undo("H1", "a misdeal")
    assert act_of(Undo, UNDO, "ann") == OperationCall(undo, ("ann",))
    named = {**UNDO, "by": " Ann  Lee ", "and_by": "Bo", "bank": "main"}
    assert act_of(Undo, named, "ann") == OperationCall(undo, ("Ann Lee", "Bo"), "main")
    found = question_of(AskHits, {"bank": "main", "limit": "2"})
    assert found == OperationCall(AskHits("main", None, 2))


def test_what_the_command_line_sends_is_what_the_server_reads() -> None:
    """An act goes out and comes in as one value; its sums as decimal strings (M1)."""
    undo = Undo("H1", "a misdeal", "A2")
    sent = target(undo, {"by": "Ann"})
    assert sent == HttpCall("POST", "/acts/undo", {**UNDO, "award": "A2", "by": "Ann"})
    correct = target(Correct("A1", 999_921, "misread"), {}).body
    assert correct == {
        "award": "A1",
        "amount": "9999.21",
        "reason": "misread",
        "document": "",
        "way": "",
    }
    assert act_of(Correct, correct, "ann").ask == Correct("A1", 999_921, "misread")
    assert target(AskHit("H1", "main"), {}) == HttpCall("GET", "/hits/H1?bank=main", None)
    assert target(AskWaitingHits(after="H3"), {}).path == "/hits/waiting?after=H3&limit=100"


def test_a_key_is_of_who_asks_and_of_what_is_asked() -> None:
    """S5: the same again has the same digest; under one key another act shows, and nobody meets another's."""
    one = act_of(Undo, UNDO, "ann")
    other = act_of(Undo, {**UNDO, "reason": "another"}, "ann")
    digest = with_idempotency_key(one, "ann", "k").digest
    assert (len(digest), digest) == (16, with_idempotency_key(one, "ann", "k").digest)
    twin = with_idempotency_key(other, "ann", "k").digest
    assert digest[-KEY_BYTES:] == twin[-KEY_BYTES:]
    assert digest != twin
    for strange in (with_idempotency_key(one, "bo", "k"), with_idempotency_key(one, "ann", "l")):
        assert strange.digest[-KEY_BYTES:] != digest[-KEY_BYTES:]


@pytest.mark.parametrize(
    ("name", "fields", "said"),
    [
        ("validate", {}, "hit: missing"),
        ("validate", {"hit": "one"}, "hit: a hit's id, such as H12"),
        ("validate", {"hit": "H1", "award": "H1"}, "award: an award's id, such as A34"),
        ("validate", {"hit": "H1", "colour": 1}, "colour: unknown"),
        ("validate", {"hit": "H1", "do": "undo"}, "do: unknown"),
        ("undo", {**UNDO, "reason": ""}, "reason: 1 to 256 printable characters"),
        ("undo", {**UNDO, "reason": " \u00a0"}, "reason: 1 to 256 printable characters"),
        ("undo", {**UNDO, "reason": "a\nb"}, "reason: 1 to 256 printable characters"),
        ("undo", {**UNDO, "reason": "x" * 257}, "reason: 1 to 256 printable characters"),
        ("undo", {**UNDO, "by": 7}, "by: expected str | null, got int"),
        ("undo", {**UNDO, "by": " "}, "by: 1 to 64 printable characters"),
        (
            "undo",
            {**UNDO, "by": "Ann", "and_by": "ANN"},
            "and_by: 'ANN' is the same person: name another one",
        ),
        ("strike", {**STRIKE, "seat": 0}, "seat: expected int >= 1"),
        ("strike", {**STRIKE, "seat": "1"}, "seat: expected int, got str"),
        ("strike", {**STRIKE, "on": "both"}, "on: invalid enum value 'both'"),
        ("strike", {**STRIKE, "table": "T 1"}, "table: characters not allowed"),
        (
            "resume",
            {**RESUME, "cause": "config"},
            "cause: operator, internal, restored, transferred or rolled_back",
        ),
        ("correct", {**CORRECT, "amount": 5}, 'amount: a sum as a string, such as "9999.21"'),
        ("correct", {**CORRECT, "amount": "9.999"}, "amount: '9.999' is finer than a cent (M1)"),
        (
            "correct",
            {**CORRECT, "amount": "-1"},
            "amount: '-1' is not a sum of money: write it like \"5000.00\"",
        ),
        ("resume", {**RESUME, "believe": [["T1", 1]] * 1001}, "believe: 1000 tables at most"),
        ("suspend", {"cause": "restored", "links": ["L"], "reason": "x"}, "cause: operator"),
        ("clear", {"role": "lamp", "device": "T1"}, "role: table or sign"),
        ("revoke", {"device": "T1", "role": "lamp"}, "role: table or sign"),
    ],
)
def test_a_wrong_field_of_an_act_is_named(name: str, fields: dict[str, Any], said: str) -> None:
    """M1, A10: the answer says which field is wrong, and what may stand in it."""
    with pytest.raises(BadRequest) as mistake:
        act_of(ACT_OF[name], fields, "ann")
    assert str(mistake.value) == said


@pytest.mark.parametrize(
    ("path", "fields", "said"),
    [
        ("/hits", {"colour": "1"}, "colour: unknown"),
        ("/hits", {"limit": "0"}, "limit: 1 to 100"),
        ("/hits", {"limit": "many"}, "limit: 1 to 100"),
        ("/hits", {"before": "12"}, "before: a hit's id, such as H12"),
        ("/journal", {"kind": "DROP"}, "kind: a kind of entry, such as link_opened"),
        ("/tables/{table}", {"table": "T 1"}, "table: characters not allowed"),
    ],
)
def test_a_wrong_part_of_a_question_is_named(path: str, fields: dict[str, str], said: str) -> None:
    """A query is checked as strictly as an act."""
    with pytest.raises(BadRequest) as mistake:
        question_of(QUESTION_OF[path], fields)
    assert str(mistake.value) == said
