"""Program that writes schemas/vectors.json for other languages: `python -m tests.controllers.vectors`."""

import json
from pathlib import Path
from typing import Any, Final

import msgpack

from controllers.frames import encode, frame
from controllers.hello import hello_mac

FILE: Final = Path(__file__).parents[2] / "schemas" / "vectors.json"
KEY: Final = bytes(range(32))
NONCE: Final = bytes(range(0xA0, 0xB0))
BINARY: Final = ("nonce", "mac")
"""The fields that are bytes on the wire and hex digits in the file."""

ABOUT: Final = (
    "Test vectors of the floor protocol, version 1. Bytes are hex digits, in messages too (nonce, mac). "
    "`frames` are whole frames in the shortest form. `same` are other forms of one message. "
    "`bad` ends a welcomed table's connection with the error bad_frame."
)

Message = dict[str, Any]

MACS: Final = (
    (KEY, NONCE, "table", "T01"),
    (KEY, NONCE, "sign", "S01"),
    (KEY[::-1], NONCE, "table", "T01"),
    (KEY, bytes(16), "table", "Pit.4_table-12"),
    (bytes(32), bytes(range(16)), "sign", "A" * 64),
)
"""Key, nonce, role and id of each mac."""

AWARD: Final = {
    "award": "A1",
    "hit": "H1",
    "seat": 3,
    "link": "five",
    "level": "mega",
    "hand": "royal-flush",
    "kind": "meter",
    "amount": 1_000_009,
    "pays": "cage",
    "status": "pending",
    "unverified": False,
    "because": None,
    "light": True,
}

OFFER: Final = {
    "link": "trips", "wager": 500, "paytable": "p", "levels": [], "state": "active",
    "least": 500, "most": 10_000, "unit": 500, "placed": "device", "count": True,
    "needs": ["cards", "board", "dealer"],
}  # fmt: skip
STAKE: Final = AWARD | {
    "link": "trips", "level": None, "hand": "flush", "kind": "odds", "amount": 17_500, "pays": "inventory",
    "status": "final", "stake": 2_500, "stake_at": "inventory",
}  # fmt: skip

FROM_DEVICES: Final[tuple[Message, ...]] = (
    {"t": "hello", "v": 1, "role": "table", "id": "T01", "mac": hello_mac(*MACS[0]), "acked": 0},
    {"t": "hello", "v": 1, "role": "sign", "id": "S01", "mac": hello_mac(*MACS[1]), "links": ["five"]},
    {"t": "wager", "seq": 1, "round": "R1", "bets": [{"seat": 3, "link": "five", "amount": 100}]},
    {
        "t": "wager",
        "seq": 2**32,
        "round": "R2",
        "bets": [
            {"seat": 16, "link": "five", "amount": 500, "player": "Zo\u00eb"},
            {"seat": 1, "link": "five", "amount": 500, "on": "dealer"},
        ],
        "lock": True,
        "chips": {"five": 2},
    },
    {"t": "withdraw", "seq": 128, "round": "R1", "bets": [{"seat": 3, "link": "five"}]},
    {"t": "lock", "seq": 256, "round": "R1", "chips": {"five": 1}},
    {
        "t": "settle",
        "seq": 65_536,
        "round": "R1",
        "hands": [{"seat": 3, "cards": ["As", "Ks", "Qs"]}, {"seat": 2, "hand": "pair", "link": "five"}],
        "board": ["Js", "Ts"],
        "close": True,
        "counts": {"five": 70_000},
    },
    {"t": "settle", "seq": 3, "round": "R1", "hands": [{"seat": 1, "folded": True}], "dealer": ["2h", "3d"]},
    {"t": "close", "seq": 127, "round": "R1", "counts": {"five": 255}},
    {"t": "void", "seq": 2**53 - 1, "round": "R" * 64, "reason": "a misdeal: two cards fell to the floor"},
    {"t": "settle", "seq": 11, "round": "R3", "hands": [{"seat": 4, "abandoned": True}]},
    {
        "t": "void",
        "seq": 12,
        "round": "R3",
        "reason": "the dealer's ace fell over",
        "cause": "exposed-card",
        "settles": ["trips"],
    },
    {"t": "ping", "at": 1_700_000_000_000},
    {"t": "pong"},
    {"t": "lock", "seq": 6, "round": "R3", "chips": {"trips": 2}, "sums": {"trips": 2_500}},
    {"t": "close", "seq": 7, "round": "R3", "counts": {"trips": 2}, "sums": {"trips": 2_500}},
    {"t": "lamp", "seq": 8, "award": "A1", "state": "lit"},
    {"t": "lamp", "seq": 9, "award": "A1", "state": "lamp_failed"},
)

FROM_SERVER: Final[tuple[Message, ...]] = (
    {"t": "challenge", "v": 1, "nonce": NONCE, "server": "Riverside"},
    {
        "t": "welcome",
        "v": 1,
        "session": "s1",
        "heartbeat_ms": 5000,
        "last_seq": 2,
        "last": {"t": "ack", "seq": 2, "awards": [AWARD]},
        "held": False,
        "links": [{"link": "five", "wager": 100, "paytable": "p", "levels": ["mega"], "state": "active"}],
        "round": {
            "round": "R2",
            "state": "locked",
            "bets": [{"seat": 3, "link": "five", "on": "own", "player": None}],
            "chips": {},
            "draw": None,
            "board": [],
            "dealer": [],
            "settled": [],
        },
    },
    {"t": "ack", "seq": 1},
    {"t": "ack", "seq": 2, "awards": [AWARD]},
    {
        "t": "ack",
        "seq": 3,
        "refunds": [{"seat": 3, "link": "five", "on": "own", "amount": 100, "pays": "inventory"}],
    },
    {"t": "nack", "seq": 4, "code": "locked_out", "message": "round: R1 takes no more bets"},
    {"t": "nack", "seq": 5, "code": "seq_gap", "message": "seq: 5 comes before 4", "expected": 4},
    {
        "t": "nack",
        "seq": 6,
        "code": "suspended",
        "message": "link: trips is suspended (operator)",
        "expected": 6,
        "link": "trips",
    },
    {"t": "error", "code": "not_active", "message": "elsewhere", "servers": ["10.0.0.6:5710"]},
    {
        "t": "meters",
        "bank": "main",
        "rev": 9,
        "at": 1_700_000_000_000,
        "values": [["five", "mega", 1_000_009]],
    },
    {
        "t": "hit",
        "hit": "H1",
        "link": "five",
        "level": "mega",
        "hand": "royal-flush",
        "table": "T01",
        "amount": 1_000_009,
        "cycle": 1,
        "bank": "main",
        "rev": 9,
        "at": 1_700_000_000_000,
    },
    {"t": "award", **AWARD, "status": "validated"},
    {"t": "status", "hit": "H1", "status": "validated"},
    {"t": "link", "link": "five", "state": "suspended", "reason": "people"},
    {"t": "ping", "at": 0},
    {
        "t": "welcome",
        "v": 1,
        "session": "s2",
        "heartbeat_ms": 5000,
        "last_seq": 6,
        "last": None,
        "held": False,
        "links": [OFFER],
        "round": {
            "round": "R3",
            "state": "locked",
            "bets": [{"seat": 3, "link": "trips", "on": "own", "player": None, "amount": 2_500}],
            "chips": {"trips": 1},
            "draw": None,
            "board": [],
            "dealer": [],
            "settled": [],
            "sums": {"trips": 2_500},
        },
    },
    {"t": "ack", "seq": 7, "awards": [STAKE]},
    {"t": "award", **AWARD, "lamp": "lamp_failed"},
    {
        "t": "paytable",
        "table": "T01",
        "game": "let-it-ride",
        "wagers": [
            {
                "link": "five",
                "title": "Five",
                "paytable": "p",
                "placed": "device",
                "least": 100,
                "most": 100,
                "unit": 100,
                "rows": [
                    {"hand": "royal-flush", "pays": "percent", "of": 10_000, "level": "mega"},
                    {"hand": "flush", "pays": "for", "of": 50, "suits": "s"},
                ],
                "envy": [{"hand": "royal-flush", "amount": 100_000}],
                "limits": {"mega": 10_000_000},
            },
        ],
        "base": [
            {
                "title": "Base",
                "paytable": "b",
                "rows": [
                    {"hand": "flush", "pays": "to", "of": 3, "per": 2},
                    {"hand": "pair", "pays": "push", "least": "T"},
                ],
            },
        ],
        "payout_limit": 5_000_000,
        "phrases": ["Dealer Plays with Queen High or Better."],
    },
)

WAGER: Final = FROM_DEVICES[2]


def _written(*pairs: tuple[Any, Any]) -> bytes:
    """Encodes a map of at most 15 entries in the given order, duplicate keys included."""
    body = b"".join(msgpack.packb(key) + msgpack.packb(value) for key, value in pairs)
    return bytes([0x80 | len(pairs)]) + body


SAME: Final[tuple[tuple[str, bytes], ...]] = (
    ("the keys in another order", _written(*reversed(WAGER.items()))),
    ("an unknown key", _written(*WAGER.items(), ("dealer_shift", 3))),
    ("a key twice: the last one counts", _written(("seq", 7), *WAGER.items())),
    ("an optional field that is nil", _written(*WAGER.items(), ("chips", None))),
    ("a default that is written out", _written(*WAGER.items(), ("lock", False))),
    (
        "a number in eight bytes",
        _written(*WAGER.items()).replace(b"\xa3seq\x01", b"\xa3seq\xcf" + bytes(7) + b"\1"),
    ),
    ("a text with a length in two bytes", _written(*WAGER.items()).replace(b"\xa2R1", b"\xda\x00\x02R1")),
    (
        "the map with a length in four bytes",
        b"\xdf" + bytes(3) + bytes([len(WAGER)]) + _written(*WAGER.items())[1:],
    ),
)
"""Payloads that a server must read as the plain wager: one content, so also one resend."""

BAD: Final[tuple[tuple[str, bytes], ...]] = (
    ("a length of 0", bytes(4)),
    ("a length above 65,536", (65_537).to_bytes(4, "big")),
    ("not a map", frame(msgpack.packb(["t", "ping"]))),
    ("a map without t", frame(msgpack.packb({"seq": 1}))),
    ("a key that is no text", frame(msgpack.packb({"t": "ping", 1: 1}))),
    ("a command without seq", frame(msgpack.packb({"t": "lock", "round": "R1"}))),
    ("a seq of 0", frame(msgpack.packb({"t": "lock", "seq": 0, "round": "R1"}))),
    ("a seq that is a floating-point number", frame(msgpack.packb({"t": "lock", "seq": 1.0, "round": "R1"}))),
    ("two values in one frame", frame(msgpack.packb({"t": "ping"}) * 2)),
)
"""What a server answers to a table after its welcome with `error bad_frame`."""


def _as_json(message: Any) -> Any:
    """A message with its bytes as hex digits."""
    if isinstance(message, dict):
        return {key: value.hex() if key in BINARY else _as_json(value) for key, value in message.items()}
    return [_as_json(item) for item in message] if isinstance(message, list) else message


def document() -> dict[str, Any]:
    """The content of the whole file."""
    macs = [
        {
            "key": key.hex(),
            "nonce": nonce.hex(),
            "role": role,
            "id": device,
            "mac": hello_mac(key, nonce, role, device).hex(),
        }
        for key, nonce, role, device in MACS
    ]
    sides = (("device", FROM_DEVICES), ("server", FROM_SERVER))
    return {
        "about": ABOUT,
        "macs": macs,
        "frames": [
            {"from": side, "message": _as_json(message), "hex": encode(message).hex()}
            for side, messages in sides
            for message in messages
        ],
        "same": {
            "message": _as_json(WAGER),
            "frames": [{"with": how, "hex": frame(payload).hex()} for how, payload in SAME],
        },
        "bad": [{"what": what, "hex": data.hex()} for what, data in BAD],
    }


def text() -> str:
    """The expected text of the file."""
    return json.dumps(document(), indent=1, ensure_ascii=True) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), "utf-8")
    print(f"wrote {FILE}")
