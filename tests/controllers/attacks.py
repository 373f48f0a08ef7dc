"""Worst-case payloads: frames of the greatest length, each made to cost the most work."""

import struct
from typing import Any, Final

import msgpack

from controllers.frames import FRAME_MAX

pack = msgpack.packb


def _array(count: int, body: bytes) -> bytes:
    return struct.pack(">BI", 0xDD, count) + body


def _map(count: int, body: bytes) -> bytes:
    return struct.pack(">BI", 0xDF, count) + body


def _filled(head: bytes, element: bytes, pairs: bool = False) -> bytes:
    """The head, then a list or map of as many equal elements as fill the frame."""
    count = (FRAME_MAX - len(head) - 5) // len(element)
    return head + (_map if pairs else _array)(count, element * count)


def _head(t: str, last: str, **fields: Any) -> bytes:
    """A message without the value of its last field."""
    facts = {"t": t, "seq": 1, "round": "R", **fields}
    parts = b"".join(pack(key) + pack(value) for key, value in facts.items())
    return bytes([0x80 + len(facts) + 1]) + parts + pack(last)


def _items(t: str, field: str, element: bytes, count: int) -> bytes:
    """A message with so many items, each full of that element; the first is not an item."""
    room = (FRAME_MAX - 100) // count
    body = (room - 20) // len(element)
    item = b"\x81" + pack("cards") + _array(body, element * body)
    return _head(t, field) + _array(count, b"\x07" + item * (count - 1))


_CARDS: Final = b"\x81" + pack("cards") + b"\x97" + pack("As") * 7
_FULL: Final = b"\x88" + b"".join(
    pack(key) + pack(value)
    for key, value in {
        "cards": ["As"] * 7, "hand": "x", "suit": "x", "link": "L", "folded": 5, "amount": 1, "player": "p",
        "seat": 99,
    }.items()
)  # fmt: skip

PAYLOADS: Final = {
    "empty maps where bets belong": _filled(_head("wager", "bets"), b"\x80"),
    "empty lists where hands belong": _filled(_head("settle", "hands"), b"\x90"),
    "numbers where a round belongs": _filled(_head("lock", "round"), b"\x01"),
    "lists where a seat belongs": _filled(_head("wager", "bets") + b"\x91\x81" + pack("seat"), b"\x90"),
    "one link counted over and over": _filled(_head("lock", "chips"), pack("a") + b"\x01", pairs=True),
    "a map where cards belong": _filled(_head("settle", "board", hands=[]), pack("a") + b"\x01", pairs=True),
    "an unknown list behind a nil": _filled(_head("wager", "zz", bets=[], lock=None), b"\x80"),
    "an unknown list before a wrong field": _filled(_head("wager", "zz", bets=5), b"\x90"),
    "64 items, all with too many cards": _items("settle", "hands", pack("As"), 64),
    "64 items, all of empty maps": _items("settle", "hands", b"\x80", 64),
    "64 items with every field": _head("settle", "hands") + _array(64, _FULL * 64),
    "64 items with all cards": _head("settle", "hands") + _array(64, _CARDS * 64),
    "a long text where a hand's name belongs": _head("wager", "bets")
    + b"\x91\x81"
    + pack("on")
    + pack("x" * 65_000),
    "a long type": b"\x82" + pack("seq") + b"\x01" + pack("t") + pack("x" * 65_000),
    "a long text for a number": b"\x82" + pack("t") + pack("lock") + pack("seq") + pack("1" * 65_000),
    "a map of keys alone": _filled(b"", pack("t") + pack("lock"), pairs=True),
    "a key over and over": _filled(b"", pack("a") + b"\x01", pairs=True),
    "a map that ends too early": _head("wager", "bets") + _array(2**32 - 1, b"\x80" * 65_000),
    "lists in lists": _head("lock", "zz") + b"\x91" * 65_000 + b"\xc0",
    "a hello of lists": _filled(b"\x82" + pack("t") + pack("hello") + pack("links"), b"\x90"),
}  # fmt: skip
"""By what each is, none longer than a frame may be; none of them is a right command."""
