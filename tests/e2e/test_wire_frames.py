"""Every byte that a device sends, known or not, is answered by the protocol (WIRE: Frames, Handshake)."""

import struct
from collections.abc import Iterator
from typing import Any

import msgpack
import pytest

from tests.e2e.floors import FIVE
from tests.e2e.site import Site, running
from tests.e2e.vendor import Message, Vendor, bets, pack, padded, pairs, raw

FIELDS: Message = {"round": "R1", "bets": bets("five", [1])}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    floor = Site(tmp_path_factory.mktemp("frames"), FIVE)
    floor.add("table", ["five"], 100)
    floor.add("sign", ["five"], 10)
    with running(floor):
        yield floor


def refused(site: Site, data: bytes, *, greeted: bool) -> str:
    """The code of the error that these bytes bring."""
    with site.connect() as device:
        if greeted:
            name = site.unused()
            device.hello(site.keys[name], "table", name)
            device.welcome()
        else:
            device.challenge()
        device.put(data)
        return str(device.error()["code"])


def map_of(entries: int) -> bytes:
    return struct.pack(">BI", 0xDF, entries)


BAD_BODIES = {
    "the byte that MessagePack never uses": b"\xc1",
    "a map that ends too early": msgpack.packb({"t": "ping", "at": 1})[:-1],
    "a map of four thousand million entries": map_of(2**32 - 1) + b"\xa1a\x01",
    "bytes behind the map": msgpack.packb({"t": "ping", "at": 1}) + b"\x00",
    "a list": msgpack.packb(["ping"]),
    "a number": msgpack.packb(7),
    "nil": msgpack.packb(None),
    "text": msgpack.packb("ping"),
    "a map with a number as its key": pairs(("t", "ping"), (7, 1)),
    "no t": msgpack.packb({"seq": 1, **FIELDS}),
    "t is a number": msgpack.packb({"t": 7, "seq": 1, **FIELDS}),
    "t is binary": msgpack.packb({"t": b"wager", "seq": 1, **FIELDS}),
    "t is nil": msgpack.packb({"t": None, "seq": 1, **FIELDS}),
    "lists in lists without end": b"\x91" * 4_000,
}
BAD_SEQS: dict[str, Any] = {
    "none": ...,
    "nil": None,
    "zero": 0,
    "negative": -1,
    "a float": 1.0,
    "true": True,
    "text": "1",
    "binary": b"1",
    "beyond 2^53-1": 2**53,
    "beyond 64 bits": 2**64 - 1,
    "an extension": msgpack.ExtType(1, b"\x01"),
    "a list": [1],
}


@pytest.mark.parametrize("body", BAD_BODIES.values(), ids=BAD_BODIES.keys())
@pytest.mark.parametrize("greeted", [False, True])
def test_what_is_no_message_ends_the_connection(site: Site, body: bytes, greeted: bool) -> None:
    """WIRE, faults: not MessagePack, no map, no `t`: `error bad_frame`, closed; before and after welcome."""
    assert refused(site, raw(body), greeted=greeted) == "bad_frame"


@pytest.mark.parametrize("seq", BAD_SEQS.values(), ids=BAD_SEQS.keys())
@pytest.mark.parametrize("t", ["wager", "close", "bogus"])
def test_a_command_without_a_number_ends_the_connection(site: Site, t: str, seq: Any) -> None:
    """WIRE, faults: `seq` missing or no integer >= 1 where one belongs: `error bad_frame`, closed."""
    fields = FIELDS if seq is ... else {"seq": seq, **FIELDS}
    assert refused(site, pack({"t": t, **fields}), greeted=True) == "bad_frame"


@pytest.mark.parametrize(
    ("length", "greeted"), [(0, False), (4_097, False), (2**32 - 1, False), (0, True), (65_537, True)]
)
def test_a_forbidden_length_ends_the_connection(site: Site, length: int, greeted: bool) -> None:
    """WIRE, frames: 1 <= N <= 65,536, before welcome 4,096; the length alone is enough."""
    assert refused(site, struct.pack(">I", length), greeted=greeted) == "bad_frame"


def test_the_longest_frames_are_read(site: Site) -> None:
    """WIRE, frames: 4,096 bytes before welcome and 65,536 after it are allowed; unknown keys are ignored."""
    name = site.unused()
    with site.connect() as device:
        device.put(padded(device.proof(site.keys[name], "table", name), 4_096))
        device.welcome()
        device.put(padded(device.command("wager", **FIELDS), 65_536))
        assert device.answer(1)["t"] == "ack"


def test_frames_come_in_any_pieces(site: Site) -> None:
    """WIRE, frames: the stream is cut by lengths alone."""
    name = site.unused()
    with site.table(name) as device:
        data = b"".join(pack(device.command("close", round="none")) for _ in range(3))
        for byte in data:
            device.put(bytes([byte]))
        assert [device.answer(seq)["code"] for seq in (1, 2, 3)] == ["no_such_round"] * 3


def test_commands_before_a_bad_frame_stand(site: Site) -> None:
    """WIRE, frames: a message is applied whole or not at all, whatever follows it."""
    name = site.unused()
    with site.table(name) as device:
        device.put(pack(device.command("wager", **FIELDS)) + raw(b"\xc1"))
        device.error()
    with site.connect() as device:
        device.hello(site.keys[name], "table", name)
        welcome = device.welcome()
        assert welcome["last_seq"] == 1
        assert welcome["last"] == {"t": "ack", "seq": 1}


def test_no_value_is_so_long_that_its_refusal_is_none(site: Site) -> None:
    """WIRE, faults: bad input never kills the server: a nack quotes a little, and welcomes tell it."""
    name = site.unused()
    with site.table(name) as device:
        command = device.command("wager", round="R1", bets=[{"on": ""}])
        command["bets"] = [{"on": "X" * (65_536 - len(pack(command)) + 2)}]
        data = pack(command)
        assert len(data) == 4 + 65_536
        device.put(data)
        nack = device.answer(1)
        assert nack["code"] == "bad_message"
        assert "X" * 64 in nack["message"]
        assert len(nack["message"]) < 150
    with site.connect() as device:
        device.hello(site.keys[name], "table", name)
        assert device.welcome()["last"] == nack
        device.ack("wager", **FIELDS)


def test_half_a_frame_is_nothing(site: Site) -> None:
    """WIRE, frames: a frame that never ended was never sent."""
    name = site.unused()
    with site.table(name) as device:
        device.put(pack(device.command("wager", **FIELDS))[:-1])
    with site.connect() as device:
        device.hello(site.keys[name], "table", name)
        assert device.welcome()["last_seq"] == 0


# Handshake


def test_strangers_all_hear_the_same(site: Site) -> None:
    """WIRE, faults: unknown device, wrong mac, other role, no hello: `auth_failed` in the same words."""
    table, sign = site.unused(), site.unused("sign")
    key, stranger = site.keys[table], bytes(32)
    said = []

    def hello(as_role: str, device: str, key: bytes, **more: Any) -> None:
        with site.connect() as one:
            one.say({**one.proof(key, as_role, device), **more})
            said.append(one.error())

    hello("table", "T99", stranger)
    hello("table", table, stranger)
    hello("table", table, key, mac=bytes(32))
    hello("table", table, key, mac=b"")
    hello("table", table, key, mac="x" * 32)
    hello("table", table, key, mac=None)
    hello("table", table, key, id=site.unused())
    hello("table", table, key, id=7)
    hello("table", table, key, role="sign")
    hello("table", table, key, role="boss")
    hello("sign", sign, site.keys[sign])
    hello("table", table, key, t="wager", seq=1)
    hello("table", table, key, t="ping")
    assert said == [said[0]] * len(said)
    assert said[0]["code"] == "auth_failed"


def test_a_mac_is_for_one_connection(site: Site) -> None:
    """WIRE, handshake: the nonce is fresh, so a hello cannot be replayed."""
    name = site.unused()
    with site.connect() as device:
        hello = device.proof(site.keys[name], "table", name)
        device.say(hello)
        device.welcome()
        with site.connect() as thief:
            assert thief.challenge() != hello["mac"]
            thief.say(hello)
            assert thief.error()["code"] == "auth_failed"


@pytest.mark.parametrize(
    "wrong", [{"v": 2}, {"v": None}, {"acked": -1}, {"acked": 1.0}, {"acked": True}, {"acked": 2**53}]
)
def test_a_proven_hello_with_wrong_fields_is_refused(site: Site, wrong: Message) -> None:
    """WIRE, frames: floats, booleans and numbers out of range are no integers; the field is named."""
    name = site.unused()
    with site.connect() as device:
        device.say({**device.proof(site.keys[name], "table", name), **wrong})
        error = device.error()
        assert error["code"] == "bad_frame"
        assert next(iter(wrong)) in error["message"]


def test_a_hello_may_be_written_in_any_way(site: Site) -> None:
    """WIRE, frames: unknown keys ignored, any order, of two equal keys the last counts, nil is absent."""
    name = site.unused()
    with site.connect() as device:
        hello = device.proof(site.keys[name], "table", name, acked=None, links=None)
        twice = [("mac", b"wrong"), ("id", 7), ("t", "wager"), ("new", {"a": [1.5, None]})]
        device.put(raw(pairs(*twice, *reversed(hello.items()))))
        assert device.welcome()["last_seq"] == 0


def test_welcome_says_all_that_a_table_needs(site: Site) -> None:
    """WIRE, handshake: `welcome` field by field, then at once one `meters` snapshot."""
    name = site.unused()
    sessions = set()
    for _ in range(2):
        with site.connect() as device:
            device.hello(site.keys[name], "table", name)
            welcome = device.frame()
            sessions.add(welcome.pop("session"))
            assert welcome.pop("v", 1) == 1
            link = {"link": "five", "wager": 100, "paytable": "pa-643a-five-card-C"}
            assert welcome == {
                "t": "welcome",
                "last_seq": 0,
                "last": None,
                "held": False,
                "heartbeat_ms": 60_000,
                "links": [{**link, "levels": ["mega", "major", "minor"], "state": "active"}],
                "round": None,
            }
            meters = device.frame()
            assert set(meters) == {"t", "bank", "rev", "at", "values"}
            assert (meters["t"], meters["bank"]) == ("meters", "main")
            values = {(link, level): cents for link, level, cents in meters["values"]}
            assert set(values) == {("five", "mega"), ("five", "major"), ("five", "minor")}
            assert values["five", "mega"] >= 1_000_000
    assert len(sessions) == 2


def test_a_second_hello_ends_the_connection(site: Site) -> None:
    """WIRE, handshake: one hello a connection; what has no number cannot be answered."""
    name = site.unused()
    with site.connect() as device:
        hello = device.proof(site.keys[name], "table", name)
        device.say(hello)
        device.welcome()
        device.say(hello)
        assert device.error()["code"] == "bad_frame"


def test_what_was_sent_before_the_welcome_is_answered_after_it(site: Site) -> None:
    """WIRE, handshake: a table that knows its number may send at once."""
    name = site.unused()
    with site.connect() as device:
        hello = device.proof(site.keys[name], "table", name)
        device.put(pack(hello) + pack(device.command("wager", **FIELDS)) + pack({"t": "ping", "at": 5}))
        device.welcome()
        assert device.answer(1)["t"] == "ack"
        assert device.next("meters")["values"]
        assert {"t": "pong", "at": 5} in device.heard


@pytest.mark.parametrize("at", [0, 5, 2**53 - 1])
def test_pings_are_answered(site: Site, at: int) -> None:
    """WIRE, pushes: `ping` is answered `pong` with the same `at`."""
    with site.table(site.unused()) as device:
        device.say(t="ping", at=at)
        assert device.next("pong") == {"t": "pong", "at": at}


# Fields


def wager(**more: Any) -> Message:
    return {"round": "R1", "bets": bets("five", [1]), **more}


def bet(**more: Any) -> Message:
    return wager(bets=[{**bets("five", [1])[0], **more}])


def without(name: str, **fields: Any) -> Message:
    return {key: value for key, value in fields.items() if key != name}


EXT = msgpack.ExtType(7, b"x")
TEXTS: dict[str, Any] = {
    "empty": "",
    "too long": "x" * 257,
    "a line break": "a\nb",
    "a line break at its end": "a\n",
    "a control": "a\x00",
    "a right-to-left override": "a\u202eb",
    "a line separator": "a\u2028b",
    "a zero width space": "\u200b",
    "binary": b"x",
    "a number": 7,
    "an extension": EXT,
}
IDS: dict[str, Any] = {
    "empty": "",
    "too long": "x" * 65,
    "a space": "R 1",
    "a slash": "R/1",
    "a letter of another alphabet": "\u0391",
    "a line break at its end": "R1\n",
    "a number": 7,
    "nil": None,
    "an extension": EXT,
}
NUMBERS: dict[str, Any] = {
    "a float": 100.0,
    "true": True,
    "negative": -1,
    "beyond 2^53-1": 2**53,
    "text": "100",
    "nil": None,
    "an extension": EXT,
    "a timestamp": msgpack.Timestamp(1),
}
SEATS: dict[str, Any] = {**NUMBERS, "zero": 0, "seventeen": 17}
CARDS: dict[str, Any] = {
    "small": "as",
    "ten as a number": "10s",
    "no suit": "A",
    "no rank": "Xs",
    "one": "1s",
    "a capital suit": "AS",
    "a number": 7,
}

WRONG: dict[str, tuple[str, Message, str]] = {
    "wager without round": ("wager", without("round", **wager()), "round"),
    "wager without bets": ("wager", without("bets", **wager()), "bets"),
    "no bets": ("wager", wager(bets=[]), "bets"),
    "65 bets": ("wager", wager(bets=bets("five", [1] * 65)), "bets"),
    "bets is a map": ("wager", wager(bets={}), "bets"),
    "a bet is a list": ("wager", wager(bets=[[1, "five", 100]]), "bets"),
    "a bet without seat": ("wager", wager(bets=[{"link": "five", "amount": 100}]), "seat"),
    "a bet without link": ("wager", wager(bets=[{"seat": 1, "amount": 100}]), "link"),
    "a bet without amount": ("wager", wager(bets=[{"seat": 1, "link": "five"}]), "amount"),
    "on nobody's hand": ("wager", bet(on="player"), "on"),
    "lock is a number": ("wager", wager(lock=1), "lock"),
    "chips is a list": ("wager", wager(lock=True, chips=[1]), "chips"),
    "chips by a bad id": ("wager", wager(lock=True, chips={"a b": 1}), "chips"),
    "chips of a float": ("wager", wager(lock=True, chips={"five": 1.0}), "chips"),
    "on the dealer at Let It Ride": ("wager", bet(on="dealer"), "on"),
    "a withdrawal with an amount only": ("withdraw", {"round": "R1", "bets": [{"amount": 1}]}, "seat"),
    "65 withdrawals": ("withdraw", {"round": "R1", "bets": [{"seat": 1, "link": "five"}] * 65}, "bets"),
    "settle without hands": ("settle", {"round": "R1"}, "hands"),
    "65 hands": ("settle", {"round": "R1", "hands": [{"seat": 1, "cards": ["As"]}] * 65}, "hands"),
    "a hand without seat": ("settle", {"round": "R1", "hands": [{"cards": ["As", "Ks", "Qs"]}]}, "seat"),
    "a hand of nothing": ("settle", {"round": "R1", "hands": [{"seat": 1}]}, "cards"),
    "an unknown hand": ("settle", {"round": "R1", "hands": [{"seat": 1, "hand": "high-card"}]}, "hand"),
    "an unknown suit": (
        "settle",
        {"round": "R1", "hands": [{"seat": 1, "hand": "flush", "suit": "x"}]},
        "suit",
    ),
    "folded at Let It Ride": ("settle", {"round": "R1", "hands": [{"seat": 1, "folded": True}]}, "folded"),
    "folded is a number": ("settle", {"round": "R1", "hands": [{"seat": 1, "folded": 1}]}, "folded"),
    "a board of text": ("settle", {"round": "R1", "hands": [], "board": "JsTs"}, "board"),
    "close is text": ("settle", {"round": "R1", "hands": [], "close": "yes"}, "close"),
    "counts of a float": ("close", {"round": "R1", "counts": {"five": 1.5}}, "counts"),
    "counts negative": ("close", {"round": "R1", "counts": {"five": -1}}, "counts"),
    "void without reason": ("void", {"round": "R1"}, "reason"),
    "unknown t": ("bet", wager(), "t:"),
    "a server's t": ("ack", {}, "t:"),
    **{f"round: {name}": ("wager", wager(round=value), "round") for name, value in IDS.items()},
    **{f"link: {name}": ("wager", bet(link=value), "link") for name, value in IDS.items()},
    **{f"amount: {name}": ("wager", bet(amount=value), "amount") for name, value in NUMBERS.items()},
    **{f"seat: {name}": ("wager", bet(seat=value), "seat") for name, value in SEATS.items()},
    **{f"player: {name}": ("wager", bet(player=value), "player") for name, value in TEXTS.items()},
    **{f"reason: {name}": ("void", {"round": "R1", "reason": v}, "reason") for name, v in TEXTS.items()},
    **{
        f"card: {name}": (
            "settle",
            {"round": "R1", "hands": [{"seat": 1, "cards": [v, "Ks", "Qs"]}]},
            "cards",
        )
        for name, v in CARDS.items()
    },
    **{
        f"board: {name}": ("settle", {"round": "R1", "hands": [], "board": [v]}, "board")
        for name, v in CARDS.items()
    },
}


def test_every_wrong_field_is_refused_by_name(site: Site) -> None:
    """WIRE, faults: well-formed but wrong is `nack bad_message`, durable, and the message names the field.

    Floats, booleans as numbers, extension types, ids, texts, seats, cards and their limits.
    """
    name = site.unused()
    with site.table(name) as device:
        found = {}
        for case, (t, fields, field) in WRONG.items():
            answer = device.ask(t, **fields)
            right = answer["t"] == "nack" and answer["code"] == "bad_message" and field in answer["message"]
            if not right or "expected" in answer:
                found[case] = answer
        assert found == {}
        assert device.ack("wager", **FIELDS)["seq"] == len(WRONG) + 1


RIGHT: dict[str, Message] = {
    "an id of every kind": {"round": "AZaz09._-"},
    "an id of 64": {"round": "r" * 64},
    "a player of 64 bytes": {"player": "\u00e9" * 32},
    "a player in any script": {"player": "\u00c5sa \u738b \U0001f0a1"},
    "a player of nil": {"player": None},
    "own, said": {"on": "own"},
    "on of nil": {"on": None},
    "lock of nil": {"lock": None},
    "lock of false": {"lock": False},
    "chips of nil": {"chips": None},
    "chips": {"chips": {"five": 1}},
}


@pytest.mark.parametrize("given", RIGHT.values(), ids=RIGHT.keys())
def test_every_allowed_field_is_taken(site: Site, given: Message) -> None:
    """WIRE, frames: the limits themselves are allowed, and an optional field may be left out or nil."""
    at_bet = {key: value for key, value in given.items() if key in ("player", "on")}
    rest = {key: value for key, value in given.items() if key not in at_bet}
    with site.table(site.unused()) as device:
        device.ack("wager", **{"round": "R1", "bets": bets("five", [7], **at_bet), **rest})


def test_unknown_keys_hold_anything(site: Site) -> None:
    """WIRE, frames: a receiver ignores keys that it does not know, at every depth."""
    deep: list[Any] = []
    for _ in range(20):
        deep = [deep]
    odd: Message = {"zz": [1.5, {"a": EXT}, b"\xff", -7, deep]}
    with site.table(site.unused()) as device:
        device.ack("wager", round="R1", bets=bets("five", [1], **odd), **odd)
        device.ack("lock", round="R1", **odd)
        hand = {"seat": 1, "cards": ["2s", "3h", "9d"], **odd}
        device.ack("settle", round="R1", hands=[hand], board=["Js", "Td"], **odd)


def same(body: bytes, device: Vendor, seq: int) -> Message:
    device.put(raw(body))
    return device.answer(seq)


def test_of_two_equal_keys_the_last_counts(site: Site) -> None:
    """WIRE, frames: at the top, in a bet and in a map of counts, whatever the first one held."""
    name = site.unused()
    with site.table(name) as device:
        plain = ("bets", bets("five", [1]))
        first = pairs(("t", "wager"), ("seq", 1), ("round", "no"), ("bets", 7), ("round", "R1"), plain)
        assert same(first, device, 1)["t"] == "ack"
        second = pairs(("t", "void"), ("seq", 99), ("t", "lock"), ("seq", 2), ("round", "R1"))
        assert same(second, device, 2)["t"] == "ack"
        third = pairs(("seq", 3), ("t", 5), ("t", "close"), ("round", "R1"))
        assert same(third, device, 3)["t"] == "ack"
        seats = pairs(("seat", 1.5), ("seat", 3), ("link", "five"), ("amount", 7), ("amount", 100))
        head = b"\x84" + b"".join(map(msgpack.packb, ("t", "wager", "seq", 4, "round", "R2", "bets")))
        assert same(head + b"\x91" + seats, device, 4)["t"] == "ack"
        tail = pairs(("five", 7), ("five", 1))
        head = b"\x84" + b"".join(map(msgpack.packb, ("t", "lock", "seq", 5, "round", "R2", "chips")))
        assert same(head + tail, device, 5) == {"t": "ack", "seq": 5}
        last = pairs(("t", "close"), ("seq", 6), ("round", "R2"), ("round", 7))
        assert same(last, device, 6)["code"] == "bad_message"
