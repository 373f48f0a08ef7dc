"""The typed and the tolerant decoder read every message alike, exactly as specified."""

from contextlib import suppress
from typing import Any

import msgpack
import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from controllers.frames import BadFrame
from controllers.messages import (
    UNTYPED,
    Command,
    Lock,
    Malformed,
    Ping,
    Pong,
    Settle,
    Void,
    Wager,
    convert_hello,
    decode_by_letter,
    decode_device,
    decode_typed,
    digest,
)
from tests.nightly import repeated

Pairs = list[tuple[Any, Any]]


class Map:
    """A map that is encoded by hand, so that keys may be duplicated."""

    def __init__(self, pairs: Pairs) -> None:
        self.pairs = pairs

    def __repr__(self) -> str:
        return f"Map({self.pairs})"


def pack(value: Any) -> bytes:
    packer = msgpack.Packer()
    if isinstance(value, Map):
        parts = [pack(key) + pack(item) for key, item in value.pairs]
        return bytes(packer.pack_map_header(len(parts)) + b"".join(parts))
    if isinstance(value, list):
        return bytes(packer.pack_array_header(len(value)) + b"".join(map(pack, value)))
    if isinstance(value, dict):
        return pack(Map(list(value.items())))
    return bytes(packer.pack(value))


def by_the_package(payload: bytes) -> Any:
    """Reference decoder: MessagePack's own package, then the types; an optional field may be nil."""
    fields = without_nil(msgpack.unpackb(payload, object_pairs_hook=dict))
    for name in {"bets", "hands"} & fields.keys():
        if isinstance(fields[name], list):
            fields[name] = [without_nil(item) for item in fields[name]]
    return msgspec.convert(fields, Command | Ping | Pong)


def without_nil(value: Any) -> Any:
    """A map without its fields that are nil."""
    if not isinstance(value, dict):
        return value
    return {name: item for name, item in value.items() if item is not None}


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.sampled_from([0, 1, 2**53 - 1, 2**53, 1.0, 100]),
    st.floats(),
    st.sampled_from(
        ["own", "dealer", "As", "Td", "1s", "royal-flush", "s", "R1", "a b", "R1\n", "x" * 65, ""]
    ),
    st.binary(max_size=4),
    st.builds(msgpack.ExtType, st.integers(0, 127), st.binary(max_size=4)),
)
names = st.sampled_from(
    ["seat", "link", "amount", "player", "on", "cards", "hand", "suit", "folded", "zz", "seq", "round"]
)
items = st.lists(st.tuples(names, st.one_of(scalars, st.lists(scalars, max_size=3))), max_size=6).map(Map)
good_items = st.fixed_dictionaries(
    {"seat": st.integers(1, 16), "link": st.just("L"), "amount": st.just(100)},
    optional={"on": st.sampled_from(["own", "dealer"]), "cards": st.just(["As", "Kd"]), "zz": scalars},
)
fields = st.one_of(
    st.tuples(st.just("t"), st.sampled_from(["wager", "lock", "settle", "void", "close", "ping", "nope", 5])),
    st.tuples(st.just("seq"), st.one_of(st.integers(0, 3), scalars)),
    st.tuples(st.just("round"), st.one_of(st.just("R1"), scalars)),
    st.tuples(
        st.sampled_from(["bets", "hands"]), st.lists(st.one_of(good_items, good_items, items), max_size=3)
    ),
    st.tuples(
        st.sampled_from(["chips", "counts"]),
        st.lists(st.tuples(st.sampled_from(["L", "a b"]), scalars)).map(Map),
    ),
    st.tuples(st.sampled_from(["reason", "lock", "close", "board", "zz"]), scalars),
)
good = st.sampled_from(
    [("t", "wager"), ("t", "settle"), ("t", "lock"), ("seq", 1), ("round", "R1"), ("bets", []), ("hands", [])]
)
messages = st.lists(st.one_of(good, fields), max_size=12).map(Map)


BET = {"seat": 1, "link": "L", "amount": 100}
WAGER = {"t": "wager", "seq": 1, "round": "R", "bets": [BET]}
SETTLE = {"t": "settle", "seq": 1, "round": "R", "hands": [{"seat": 1}]}


@settings(max_examples=repeated(200, 2_000), deadline=None)
@example(Map([*SETTLE.items(), ("close", None)]))
@example(Map([*WAGER.items(), ("lock", None), ("chips", None)]))
@given(messages)
def test_both_decoders_agree(message: Map) -> None:
    """DESIGN dependencies: the typed decoder and MessagePack's own package are held equal."""
    payload = pack(message)
    try:
        expected = by_the_package(payload)
    except msgspec.ValidationError:
        expected = None
    try:
        decoded: Any = decode_device(payload)
    except BadFrame:
        decoded = None
    if isinstance(decoded, Malformed):
        assert ": " in decoded.message
        decoded = None
    assert decoded == expected


@settings(max_examples=repeated(200, 2_000), deadline=None)
@given(messages)
def test_the_reader_by_the_letter_agrees_with_the_typed_one(message: Map) -> None:
    """WIRE frames: how a message is written makes no difference to what it says."""
    payload = pack(message)
    with suppress(*UNTYPED):
        assert decode_typed(payload) == decode_by_letter(payload)


@settings(max_examples=repeated(300, 3_000), deadline=None)
@given(st.one_of(st.binary(max_size=80), messages.map(pack)), st.data())
def test_any_bytes_are_a_message_or_one_exception(payload: bytes, data: st.DataObject) -> None:
    """Any bytes end in an answer or a closed connection."""
    at = data.draw(st.integers(0, len(payload)))
    for damaged in (payload, payload[:at], payload[:at] + b"\xc1" + payload[at:]):
        try:
            message = decode_device(damaged)
        except BadFrame:
            continue  # the one exception that there is
        if isinstance(message, Malformed):
            assert len(digest(message)) == 16


@pytest.mark.parametrize("depth", [5, 64, 200])
def test_depth_is_no_weapon(depth: int) -> None:
    """WIRE frames: keys that are not known are ignored, whatever they hold."""
    deep = b"\x91" * depth + b"\xc0"
    payload = b"\x84" + pack("t") + pack("lock") + pack("seq") + pack(1) + pack("round") + pack("R")
    assert decode_device(payload + pack("zz") + deep) == Lock(1, "R")
    refused = decode_device(payload + pack("chips") + deep)
    assert isinstance(refused, Malformed)
    assert refused.message.startswith("chips")


def test_what_is_deeper_than_anybody_nests_is_a_bad_frame() -> None:
    """WIRE frames: to look for the end of it would be work without a bound."""
    for field in ("zz", "chips"):
        with pytest.raises(BadFrame, match="deep"):
            decode_device(b"\x82" + pack("t") + pack("lock") + pack(field) + b"\x91" * 5000 + b"\xc0")


@pytest.mark.parametrize("key", ["seq", "round", "t", "bets"])
def test_the_last_of_two_equal_keys_counts(key: str) -> None:
    """WIRE frames: also where the first is of a type that would be refused."""
    true: dict[str, Any] = {**WAGER, "seq": 3}
    wrongs: list[Any] = [1.5, None, "lock", -1, []]
    for wrong in wrongs:
        assert decode_device(pack(Map([(key, wrong), *true.items()]))) == decode_device(pack(true))
    last = pack(Map([*true.items(), (key, 1.5)]))
    if key in ("seq", "t"):
        with pytest.raises(BadFrame):
            decode_device(last)
    else:
        assert isinstance(decode_device(last), Malformed)


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ({**WAGER, "t": "bet"}, "t"),
        ({**WAGER, "round": "x" * 65}, "round"),
        ({**WAGER, "round": "R\n"}, "round"),
        ({**WAGER, "round": ""}, "round"),
        ({"t": "lock", "seq": 1}, "round"),
        ({**WAGER, "bets": [BET] * 65}, "bets"),
        ({**WAGER, "bets": {}}, "bets"),
        ({**WAGER, "bets": [BET, {**BET, "seat": 17}]}, "bets[1].seat"),
        ({**WAGER, "bets": [{**BET, "seat": 0}]}, "bets[0].seat"),
        ({**WAGER, "bets": [{**BET, "seat": True}]}, "bets[0].seat"),
        ({**WAGER, "bets": [{**BET, "amount": 1.0}]}, "bets[0].amount"),
        ({**WAGER, "bets": [{**BET, "amount": -1}]}, "bets[0].amount"),
        ({**WAGER, "bets": [{**BET, "amount": 2**53}]}, "bets[0].amount"),
        ({**WAGER, "bets": [{**BET, "amount": "100"}]}, "bets[0].amount"),
        ({**WAGER, "bets": [{**BET, "on": "house"}]}, "bets[0].on"),
        ({**WAGER, "bets": [{**BET, "player": "a\u202eb"}]}, "bets[0].player"),
        ({**WAGER, "bets": [{**BET, "player": "x" * 65}]}, "bets[0].player"),
        ({**WAGER, "bets": [{"seat": 1, "amount": 100}]}, "bets[0].link"),
        ({**WAGER, "lock": 1}, "lock"),
        ({**WAGER, "chips": {"a b": 1}}, "a key of chips"),
        ({**WAGER, "chips": {"L": -1}}, "chips"),
        ({**WAGER, "chips": {5: 1}}, "chips"),
        ({**SETTLE, "hands": [{"seat": 1, "cards": ["10s"]}]}, "hands[0].cards[0]"),
        ({**SETTLE, "hands": [{"seat": 1, "cards": ["As\n"]}]}, "hands[0].cards[0]"),
        ({**SETTLE, "hands": [{"seat": 1, "cards": ["As"] * 8}]}, "hands[0].cards"),
        ({**SETTLE, "hands": [{"seat": 1, "hand": "royal flush"}]}, "hands[0].hand"),
        ({**SETTLE, "hands": [{"seat": 1, "suit": "x"}]}, "hands[0].suit"),
        ({**SETTLE, "board": "As"}, "board"),
        ({"t": "void", "seq": 1, "round": "R", "reason": ""}, "reason"),
        ({"t": "void", "seq": 1, "round": "R", "reason": "a\tb"}, "reason"),
        ({"t": "void", "seq": 1, "round": "R", "reason": msgpack.ExtType(1, b"x")}, "reason"),
        ({"t": "hello", "seq": 1}, "t"),
    ],
)
def test_a_wrong_field_is_named(message: dict[str, Any], field: str) -> None:
    """WIRE faults: well-formed but wrong is refused whole, with a message that names the field."""
    decoded = decode_device(pack(message))
    assert isinstance(decoded, Malformed)
    assert decoded.seq == 1
    assert field in decoded.message.partition(": ")[0]


@pytest.mark.parametrize(
    "message",
    [
        [],
        5,
        {},
        {"seq": 1},
        {"t": 5, "seq": 1},
        {"t": "lock", "round": "R"},
        {"t": "lock", "round": "R", "seq": 0},
        {"t": "lock", "round": "R", "seq": -1},
        {"t": "lock", "round": "R", "seq": True},
        {"t": "lock", "round": "R", "seq": 1.0},
        {"t": "lock", "round": "R", "seq": "1"},
        {"t": "lock", "round": "R", "seq": 2**53},
        {"t": "nope"},
        {"t": "lock", "round": "R", "seq": 1, 5: 5},
        {"t": "ping", "at": "now"},
    ],
)
def test_what_has_no_type_or_number_is_a_bad_frame(message: Any) -> None:
    """WIRE faults: not a map, no `t`, no `seq` of 1 or more where one belongs."""
    with pytest.raises(BadFrame):
        decode_device(pack(message))


def test_good_messages_are_read_whole() -> None:
    """WIRE table commands: every field of the two largest."""
    wager = decode_device(pack({**WAGER, "lock": True, "chips": {"L": 1}, "new": 1.5, "player": None}))
    assert isinstance(wager, Wager)
    assert (wager.bets[0].amount, wager.bets[0].on, wager.lock, wager.chips) == (100, "own", True, {"L": 1})
    hand = {"seat": 16, "cards": ["As", "Td"], "hand": "pair", "suit": "s", "link": "L", "folded": True}
    settle = decode_device(pack({**SETTLE, "hands": [hand], "board": [], "dealer": ["2c"], "close": True}))
    assert isinstance(settle, Settle)
    assert settle.hands[0].cards == ("As", "Td")
    assert (settle.board, settle.dealer, settle.close, settle.counts) == ((), ("2c",), True, None)
    void = decode_device(pack({"t": "void", "seq": 2**53 - 1, "round": "R", "reason": "für Sie"}))
    assert isinstance(void, Void)


@pytest.mark.parametrize("count", [64, 65])
def test_both_decoders_take_the_same_number_of_links_in_a_count(count: int) -> None:
    """WIRE limits: 64 links in `chips`; the decoder by the letter has the same bound."""
    message = {"t": "lock", "seq": 1, "round": "R", "chips": {f"L{number}": 1 for number in range(count)}}
    read = [type(decode(pack(message))) for decode in (decode_device, decode_by_letter)]
    assert read == [Lock if count == 64 else Malformed] * 2


def test_the_digest_is_of_the_decoded_fields() -> None:
    """WIRE table commands: the same content is told whatever its keys' order, defaults and unknown keys."""

    def of(message: Any) -> bytes:
        decoded = decode_device(pack(message))
        assert not isinstance(decoded, Ping | Pong)
        return digest(decoded)

    chips = {**WAGER, "chips": {"A": 1, "B": 2}}
    turned = {"chips": {"B": 2, "A": 1}, "extra": 7, **dict(reversed(WAGER.items())), "lock": False}
    assert of(chips) == of(turned)
    assert of(chips) != of({**chips, "chips": {"A": 1, "B": 3}})
    assert of(WAGER) != of({**WAGER, "seq": 2})
    wrong = {**WAGER, "bets": [{**BET, "seat": 0}]}
    assert of(wrong) == of({"extra": 7, **dict(reversed(wrong.items()))})
    assert of(wrong) != of({**WAGER, "bets": [{**BET, "seat": 17}]})


def test_golden_digests() -> None:
    """DESIGN ledger: digests stand in journals, so their bytes may never change."""
    assert digest(Lock(1, "R1", {"b": 2, "a": 1})).hex() == "5e7457e4b3fb2281740fec94e3fd9674"
    wrong = decode_device(pack({"t": "lock", "seq": 1, "round": 5}))
    assert isinstance(wrong, Malformed)
    assert digest(wrong).hex() == "26773e05cc2a0ef53c3263e0937af23f"


def test_a_hello_is_checked_whole() -> None:
    """WIRE handshake: version, role, acked and links have types too."""
    true = {"t": "hello", "v": 1, "role": "sign", "id": "S01", "mac": bytes(32), "links": ["a"], "acked": 3}
    assert convert_hello(true).links == ("a",)
    for field, wrong in [("v", 2), ("acked", -1), ("links", ["a b"]), ("role", "host"), ("mac", b"short")]:
        with pytest.raises(BadFrame, match=field):
            convert_hello({**true, field: wrong})
