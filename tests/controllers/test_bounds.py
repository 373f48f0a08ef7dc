"""The work for one frame is bounded, and so is what is said of it."""

import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import msgpack
import pytest

from controllers.frames import FRAME_MAX, BadFrame
from controllers.messages import (
    COMMANDS,
    Bet,
    Claim,
    Command,
    Malformed,
    Ping,
    Pong,
    Unbet,
    convert_hello,
    decode_device,
    decode_hello,
    digest,
)
from tests.controllers.attacks import PAYLOADS

# What 64 hands with every field and all their cards take, opened and digested; no frame may take more.
STEPS_MAX = 12_500
LONG = "x" * 60_000
WRONG: tuple[Any, ...] = (
    LONG,
    LONG.encode(),
    "\u202e" * 10_000,
    "' - at `$." * 1_000,
    [LONG],
    {LONG: 1},
    {"a": LONG},
    [{"seat": LONG}],
    [{"on": LONG}],
    [{"hand": LONG, "seat": 1}],
    msgpack.ExtType(1, LONG.encode()),
)


def steps(call: Callable[[], object]) -> int:
    """Number of function calls within it, the library's included."""
    count = 0

    def counted(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        call()
    finally:
        sys.setprofile(None)
    return count


def said(payload: bytes) -> str:
    """The decoder's error, empty where there is none."""
    try:
        message = decode_device(payload)
    except BadFrame as error:
        return str(error)
    return message.message if isinstance(message, Malformed) else ""


@pytest.mark.parametrize("name", PAYLOADS)
def test_no_frame_is_more_work_than_the_longest_honest_one(name: str) -> None:
    """WIRE faults: bad input never stops the server: steps are counted before they are taken, not after."""
    payload = PAYLOADS[name]
    assert len(payload) <= FRAME_MAX
    assert steps(lambda: said(payload)) <= STEPS_MAX

    assert steps(lambda: refused(payload)) <= STEPS_MAX


def filled(kind: type[Any]) -> dict[str, Any]:
    """A valid message of that type with every field."""
    facts: dict[str, Any] = {
        "seq": 1, "round": "R", "lock": True, "close": True, "chips": {"L": 1}, "counts": {"L": 1},
        "sums": {"L": 1}, "players": 3,
        "board": ["As"], "dealer": ["2c"], "bonus": ["3c"], "reason": "why", "at": 5,
        "cause": "shoe-jam", "settles": ["L"], "award": "A1", "state": "lit",
    }  # fmt: skip
    bet = {"seat": 1, "link": "L", "amount": 100, "player": "p", "on": "dealer"}
    unbet = {"seat": 1, "link": "L", "on": "dealer"}
    claim = {
        "seat": 1,
        "cards": ["As"],
        "hand": "pair",
        "suit": "s",
        "link": "L",
        "folded": True,
        "abandoned": True,
    }
    claim |= {"player": "p"} if "player" in Claim.__struct_fields__ else {}
    name = str(kind.__struct_config__.tag)
    facts |= {"bets": [unbet if name == "withdraw" else bet], "hands": [claim]}
    return {"t": name} | {field: facts[field] for field in kind.__struct_fields__}


def replaced(value: Any, wrong: Any) -> Iterator[Any]:
    """Variants of the value, each with one part invalid."""
    yield wrong
    if isinstance(value, dict):
        for key, item in value.items():
            yield from ({**value, key: part} for part in replaced(item, wrong))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from ([*value[:place], part, *value[place + 1 :]] for part in replaced(item, wrong))


@pytest.mark.parametrize("kind", [*COMMANDS, Ping, Pong])
def test_no_complaint_repeats_more_than_a_little(kind: type[Any]) -> None:
    """WIRE faults: a refusal quotes at most 64 characters of what it was sent, whatever is wrong where."""
    right = filled(kind)
    assert said(msgpack.packb(right)) == ""
    found = 0
    for wrong in WRONG:
        for message in replaced(right, wrong):
            text = said(msgpack.packb(message)[:FRAME_MAX])
            found += bool(text)
            assert len(text) <= 800
            assert "x" * 65 not in text
            assert text.count("\\u202e") <= 64
            assert text.count("$") <= 7
    assert found > 20


def refused(payload: bytes) -> str:
    """The error of a hello, empty where there is none."""
    try:
        convert_hello(decode_hello(payload) or {})
    except BadFrame as error:
        return str(error)
    return ""


def test_no_error_of_a_hello_repeats_more_than_a_little() -> None:
    """WIRE faults: the same of the error that ends a connection."""
    right = {"t": "hello", "v": 1, "role": "table", "id": "T01", "mac": bytes(32), "acked": 1, "links": ["L"]}
    found = 0
    for wrong in WRONG:
        for message in replaced(right, wrong):
            text = refused(msgpack.packb(message))
            found += bool(text)
            assert len(text) <= 800
            assert "x" * 65 not in text
    assert found > 20


OTHER = {
    "seq": 2, "round": "R2", "lock": False, "close": False, "chips": {"L": 2}, "counts": {"L": 2},
    "sums": {"L": 2}, "players": 4,
    "board": ["Ad"], "dealer": ["2d"], "bonus": ["3d"], "reason": "else",
    "cause": "stub-count", "settles": ["K"], "award": "A2", "state": "lamp_failed",
    "seat": 2, "link": "K", "amount": 200,
    "player": "q", "on": "own", "cards": ["Ad"], "hand": "flush", "suit": "h", "folded": False,
    "abandoned": False,
}  # fmt: skip


@pytest.mark.parametrize("kind", COMMANDS)
def test_every_field_counts_in_the_digest(kind: type[Any]) -> None:
    """WIRE table commands: other content under a used number is a conflict, whichever field it is in."""

    def of(message: dict[str, Any]) -> bytes:
        command = decode_device(msgpack.packb(message))
        assert isinstance(command, Command)
        return digest(command)

    right = filled(kind)
    for field in set(right) - {"t", "bets", "hands"}:
        assert of(right) != of({**right, field: OTHER[field]}), field
    for field in set(right) & {"bets", "hands"}:
        (item,) = right[field]
        assert of(right) != of({**right, field: []})
        for part in item:
            assert of(right) != of({**right, field: [{**item, part: OTHER[part]}]}), part


def test_other_wrong_content_has_another_digest() -> None:
    """WIRE table commands: so has a command that was refused: a resend is told from another one."""

    def of(**fields: Any) -> bytes:
        command = decode_device(msgpack.packb({"t": "settle", "seq": 1, "round": 5, **fields}))
        assert isinstance(command, Malformed)
        return digest(command)

    hands: list[Any] = [
        [], [5], [[]], [[[]]], [{}], [{"seat": 1}], [{"seat": "1"}], [{"seat": [1]}], [{"seat": [2]}],
        [{"cards": ["As"]}], [{"cards": ["As", "Ad"]}], [{"cards": [["As"]]}], [{"cards": ["As"] * 8}],
        [{"seat": 1}] * 65, [{"seat": 2}] * 65, {}, {"seat": 1}, msgpack.ExtType(1, b"a"),
        msgpack.ExtType(2, b"a"), "a", b"a",
    ]  # fmt: skip
    assert len({of(hands=hand) for hand in hands}) == len(hands)
    assert of(hands=[{"seat": 1, "zz": 1}]) == of(hands=[{"seat": 1, "zz": 2, "link": None}])


def test_a_players_name_has_64_bytes() -> None:
    """WIRE frames: in UTF-8, at a wager and at a hand; a round with its wagers is told in one frame."""
    bet = {"seat": 1, "link": "L", "amount": 100}
    for name, fits in [
        ("x" * 64, True),
        ("\u00e9" * 32, True),
        ("\u00e9" * 33, False),
        ("\U0001f0a1" * 17, False),
    ]:
        text = said(msgpack.packb({"t": "wager", "seq": 1, "round": "R", "bets": [{**bet, "player": name}]}))
        assert text == ("" if fits else "bets[0].player: more than 64 bytes")
        hand = {"seat": 1, "hand": "pair", "player": name}
        text = said(msgpack.packb({"t": "settle", "seq": 1, "round": "R", "hands": [hand]}))
        assert text == ("" if fits else "hands[0].player: more than 64 bytes")


def test_every_item_is_a_part_of_the_walks_above() -> None:
    """A field that is added is looked at as well."""
    known = {*OTHER, "bets", "hands"}
    fields = {field for kind in (*COMMANDS, Bet, Unbet, Claim) for field in kind.__struct_fields__}
    assert fields <= known
