"""A stolen table's traffic: everything within the protocol's limits, at them, and just beyond.

It has a table's key, and a table of its own in the house. It keeps none of a table's habits: it counts on
without waiting, sends again, contradicts itself, lies about what it has, and goes without a word. What the
server journals of it the model judges like any other table's. It answers for itself alone.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

import msgpack

from controllers.frames import FRAME_MAX, LENGTH_BYTES, FrameReader, decode, encode
from controllers.hello import hello_mac
from controllers.messages import ACKED_MAX, INT_MAX, ITEMS_MAX
from controllers.pace import UNANSWERED_MAX
from tests.faults.dealing import deal
from tests.faults.difference import Difference
from tests.faults.dying import Mood
from tests.faults.house import House, TablePlan, keys
from tests.faults.network import Wire
from tests.faults.strangers import World
from tests.faults.witness import Witness

Map = dict[str, Any]

# Seconds between two of its acts, and for how long it comes at the most.
ACTS_S: Final = 0.02
COMES_S: Final = 12.0
# How often it comes on a socket that will die, and after how many calls of it at the most.
DIES: Final = 0.3
CALLS: Final = 60
# Until it knocks again where nobody let it in, and after it was sent away.
AGAIN_S: Final = 0.2
# How often its hello says what is so, or less; and how often that it has what no server ever gave it,
# mostly what it said before. The others say what no hello may.
BELIEVABLE: Final = 0.7
AHEAD: Final = 0.2
# Of its acts, how many say how far it has got in a round, as an honest table would.
PLAYS: Final = 0.4

# Commands that it sends at once: as many as may be unanswered, and a few that wait for room.
BURST: Final = UNANSWERED_MAX + 20
# Refusals at once: above what one device may cause in a second.
FLOOD: Final = 150

NAME: Final = "N" * 64
TEXT: Final = "\u00e4" * 256
PLAYER: Final = "\U0001f0a1" * 16
# The last words that the server may have for it.
CODES: Final = frozenset(
    {"bad_frame", "too_many", "auth_failed", "replaced", "device_conflict", "ledger_behind", "not_active"}
)


class Thief:
    """The stolen table, over all its visits. present: it is here, or will come again by itself."""

    def __init__(self, world: World, plan: TablePlan, house: House, witness: Witness, random: Random) -> None:
        self.present = False
        self._world = world
        self._plan = plan
        self._house = house
        self._witness = witness
        self._random = random
        self._wire: Wire | None = None
        self._frames = FrameReader()
        self._last_seq = self._next = 0
        self._last_follows = False
        self._lie = 2**31
        self._round: Map | None = None
        self._turn = 0

    # Coming and going

    def come(self) -> None:
        """Begins a visit."""
        if not self.present:
            self.present = True
            self._world.timeline.after(COMES_S * self._random.random(), self.go)
            self._connect()

    def go(self) -> None:
        """Ends a visit, mostly without closing."""
        self.present = False
        self._leave(told=self._random.random() < 0.3)

    def _leave(self, *, told: bool) -> None:
        self._turn += 1
        wire, self._wire = self._wire, None
        if wire is not None:
            wire.device.forget()
            wire.cut(device_told=False, server_told=told)

    def _again(self) -> None:
        self._leave(told=True)
        self._later(AGAIN_S, self._connect)

    def _later(self, delay: float, action: Callable[[], None]) -> None:
        self._turn += 1
        wish = self._turn
        self._world.timeline.after(
            delay * 2 * self._random.random(), lambda: action() if wish == self._turn else None
        )

    def _connect(self) -> None:
        if not self.present:
            return
        mood = Mood(self._random, CALLS) if self._random.random() < DIES else None
        self._wire = wire = Wire(self._world.timeline, self._random, self._world.weather, mood)
        self._frames = FrameReader()
        server = self._random.choice(self._world.servers(self._plan.table))
        if self._world.accept(wire, "table", server) is not None:
            self._wire = None
            self._later(AGAIN_S, self._connect)
            return
        wire.device.receive, wire.device.ended = self._receive, self._again

    # What it hears

    def _receive(self, data: bytes) -> None:
        for payload in self._frames.feed(data):
            if self._wire is not None:
                self._hear(decode(payload))

    def _hear(self, message: Map) -> None:
        match message["t"]:
            case "challenge":
                self._greet(message["nonce"])
            case "welcome":
                self._welcomed(message)
            case "ack" | "nack":
                self._answered(message)
            case "round":
                self._round = message if message["state"] in ("open", "locked", "mismatch") else None
            case "ping" if self._random.random() < 0.7:
                self._send({**message, "t": "pong"})
            case "error":
                if message["code"] not in CODES:
                    raise Difference(f"{self._plan.table} is sent away: {message}")

    def _greet(self, nonce: bytes) -> None:
        name = self._plan.table
        hello = {"t": "hello", "v": 1, "role": "table", "id": name}
        hello["mac"] = hello_mac(keys("table", name)[0], nonce, "table", name)
        self._send(hello | self._acked())

    def _acked(self) -> Map:
        """The claimed last ack: the true one, none, less, or one that no server ever gave."""
        true = self._last_seq
        kind = self._random.random()
        if kind < BELIEVABLE:
            acked = self._random.choice([true, None, 0, max(0, true - 1)])
        elif kind < BELIEVABLE + AHEAD:
            acked = self._lie = self._random.choice([*[self._lie] * 4, true + 1, 2**31, 2**52, ACKED_MAX])
        else:
            acked = self._random.choice([-1, ACKED_MAX + 1, INT_MAX, 2**64 - 1])
        return {} if acked is None else {"acked": acked}

    def _welcomed(self, message: Map) -> None:
        self._last_seq, self._last_follows = message["last_seq"], message.get("last_follows", False)
        self._next = self._last_seq + 1
        self._round = message["round"]
        if message["last"] is not None:
            self._told(message["last"])
        self._later(ACTS_S, self._act)

    def _answered(self, answer: Map) -> None:
        self._told(answer)
        if "expected" in answer:
            self._next = answer["expected"]
        elif answer["seq"] == self._last_seq + 1:
            self._last_seq += 1

    def _told(self, answer: Map) -> None:
        """Checks that an answer is the journalled one, whole."""
        self._witness.heard(self._plan.table, {"seq": answer["seq"]}, answer)

    # What it does

    def _act(self) -> None:
        if self._wire is None:
            return
        self._later(ACTS_S, self._act)
        if self._random.random() < PLAYS:
            self._command(self._plays())
        else:
            self._random.choice(ACTS)(self)

    def _send(self, message: Map) -> None:
        self._send_raw(encode(message))

    def _send_raw(self, data: bytes) -> None:
        if self._wire is not None and self._wire.whole:
            self._wire.device.send(data)

    def _command(self, message: Map) -> None:
        """The next command, as its own numbers go."""
        self._send({**message, "seq": self._next})
        self._next += 1

    def _plays(self) -> Map:
        """Sends what an honest table might now, or a little too early."""
        if self._round is None:
            return self._wager(self._name("R"))
        name, state = self._round["round"], self._round["state"]
        if state == "open":
            self._round = self._round | {"state": "locked"}
            return {"t": "lock", "round": name} | self._chips(self._round["bets"])
        known, self._round = self._round.get("board"), None
        if known:  # a reopened round, whose cards it has forgotten
            return {"t": "close", "round": name}
        return self._random.choice([self._settle(name), {"t": "close", "round": name}, self._void(name)])

    def _name(self, first: str) -> str:
        return f"{first}{self._random.randrange(10**12)}".ljust(self._random.choice([1, 64]), "-")

    def _wager(self, name: str) -> Map:
        """Sends as many wagers as its seats can place, each with the longest name."""
        bets = [
            {
                "seat": seat,
                "link": link,
                "amount": self._house.link(link).wager * 100,
                "player": PLAYER[:15] + letter,
            }
            for seat, letter in zip(range(self._plan.seats, 0, -1), "abcdefghijklmnop", strict=False)
            for link in self._plan.links
        ]
        self._round = {"round": name, "state": "open", "bets": bets}
        return {"t": "wager", "round": name, "bets": bets}

    def _chips(self, bets: list[Map]) -> Map:
        counted = [link for link in self._plan.links if self._house.link(link).counted]
        chips = {link: sum(bet["link"] == link for bet in bets) for link in counted}
        offers = [link for link in counted if self._house.link(link).offer]
        sums = {link: sum(bet["amount"] for bet in bets if bet["link"] == link) for link in offers}
        return {"chips": chips} | ({"sums": sums} if sums else {})

    def _settle(self, name: str) -> Map:
        seats = list(range(self._plan.seats, 0, -1))
        dealt = deal(self._plan.game, seats, self._random, 0.1)
        hands = [{"seat": seat, "cards": list(dealt.hand(seat))} for seat in seats]
        board = {"board": list(dealt.board)} if dealt.board else {}
        return {"t": "settle", "round": name, "hands": hands, "close": True} | board

    def _void(self, name: str) -> Map:
        return {"t": "void", "round": name, "reason": TEXT}

    # At the limits and beyond

    def _longest(self) -> None:
        """A frame of the last byte, of which a refusal might repeat almost all."""
        name = self._random.choice(["on", "link", "player"])
        bet = {"seat": 1, "link": self._plan.links[0], "amount": 100}
        message: Map = {"t": "wager", "seq": self._next, "round": "R", "bets": [bet]}
        bet[name] = ""
        bet[name] = self._random.choice("X'\u00e4\U0001f0a1") * FRAME_MAX
        room = FRAME_MAX - len(msgpack.packb({**message, "bets": [{**bet, name: ""}]})) - 4
        bet[name] = str(bet[name]).encode()[:room].decode(errors="ignore")
        self._command(message)

    def _odd_type(self) -> None:
        """A type, or a field, that nobody knows; a type is repeated in no answer."""
        self._command({"t": "T" * self._random.choice([1, 64, 65_000]), "round": "R"})

    def _unknown_fields(self) -> None:
        """Keys that are ignored, as many as fit: the same command in the shortest form is a resend of it."""
        void = self._void(self._name("U"))
        seq = self._next
        self._command(void | {f"{number:04}": {} for number in range(6_000)})
        self._send(void | {"seq": seq})

    def _items(self) -> None:
        """Lists and maps at their limit and one beyond."""
        many = ITEMS_MAX + self._random.randint(0, 1)
        bet = {"seat": 16, "link": NAME, "amount": INT_MAX, "player": PLAYER, "on": "own"}
        counts = {f"{number:x<64}": INT_MAX for number in range(many)}
        messages: list[Map] = [
            {"t": "wager", "bets": [bet] * many, "chips": counts, "lock": True},
            {"t": "withdraw", "bets": [{"seat": 16, "link": NAME, "on": "own"}] * many},
            {"t": "lock", "chips": counts},
            {
                "t": "settle",
                "hands": [{"seat": 16, "folded": True}] * many,
                "counts": counts,
            },
            {"t": "close", "counts": counts},
        ]
        self._command(self._random.choice(messages) | {"round": self._random.choice([NAME, NAME + "N"])})

    def _texts(self) -> None:
        """Ids, players and reasons at their limit and one beyond."""
        more = self._random.choice(["", "X"])
        link = self._plan.links[0]
        amount = self._house.link(link).wager * 100
        messages: list[Map] = [
            {"t": "void", "round": "R", "reason": TEXT + more},
            {"t": "wager", "round": NAME + more, "bets": [{"seat": 99, "link": link, "amount": amount}]},
            {"t": "wager", "round": "R", "bets": [{"seat": 1, "link": NAME + more, "amount": amount}]},
            {
                "t": "wager",
                "round": "R",
                "bets": [{"seat": 9, "link": NAME, "amount": 1, "player": PLAYER + more}],
            },
        ]
        self._command(self._random.choice(messages))

    def _heaps(self) -> None:
        """Small things where a map or a list belongs, as many as fit."""
        thing: Any = self._random.choice([{}, [], None, 0, "", True, b""])
        field, kind = self._random.choice(
            [("chips", "lock"), ("hands", "settle"), ("board", "settle"), ("bets", "wager")]
        )
        many = [thing] * 32_000
        self._command({"t": kind, "round": "R", field: {"links": many} if thing == 0 else many})

    def _deep(self) -> None:
        """A value inside a value, thousands of times; where a field belongs, or where none does."""
        outer = self._random.choice([b"\x91", b"\x81\xa1k"])
        depth = self._random.choice([100, 500, 900, 1_100, 5_000, 65_000 // len(outer)])
        field = self._random.choice([b"\xa4bets", b"\xa5chips", b"\xa5round", b"\xa7unknown", b"\xa3seq"])
        body = b"\x84\xa1t\xa4lock\xa3seq" + msgpack.packb(self._next) + b"\xa5round\xa1R"
        payload = body + field + outer * depth + b"\xc0"
        self._next += 1
        self._send_raw(len(payload).to_bytes(LENGTH_BYTES, "big") + payload)

    def _burst(self) -> None:
        """More commands than may be unanswered, all good or none."""
        link = self._plan.links[0]
        for number in range(BURST):
            self._command({"t": "withdraw", "round": f"B{number}", "bets": [{"seat": 1, "link": link}]})

    def _flood(self) -> None:
        """Refusals beyond the limit, such that use up a number and such that do not."""
        gap = self._random.random() < 0.5
        for _ in range(FLOOD):
            if gap:
                self._send({"t": "close", "round": "R", "seq": self._last_seq + 1_000})
            else:
                self._command({"t": "close", "round": 7})

    def _numbers(self) -> None:
        """Every seq but the next: forgotten, used with other content, far ahead, impossible."""
        old = [1, self._last_seq - 64, self._last_seq - 63, self._last_seq, self._last_seq + 2]
        seq = self._random.choice([*old, 2**31, 2**52, INT_MAX, 0, -1, INT_MAX + 1, 2**64 - 1])
        self._send({"t": "lock", "round": self._name("N"), "seq": max(seq, -1)})

    def _pings(self) -> None:
        for _ in range(FLOOD):
            self._send({"t": "ping", "at": INT_MAX})

    def _bytes(self) -> None:
        """Sends bytes that are no frame, or no message."""
        lengths = [0, FRAME_MAX + 1, 2**32 - 1]
        self._send_raw(
            self._random.choice(
                [*(length.to_bytes(4, "big") for length in lengths), self._random.randbytes(99)]
            )
        )

    def _beginning(self) -> None:
        """The beginning of a frame that never ends."""
        self._send_raw(FRAME_MAX.to_bytes(LENGTH_BYTES, "big") + bytes(self._random.randrange(FRAME_MAX)))

    def _twice(self) -> None:
        """Opens another connection that replaces this one; the old one stays open, and is read no more."""
        wire, self._wire = self._wire, None
        if wire is not None:
            wire.device.receive, wire.device.ended = lambda _data: None, wire.device.close
            self._connect()

    def _half_open(self) -> None:
        self._leave(told=False)
        self._later(AGAIN_S, self._connect)


ACTS: Final[tuple[Callable[[Thief], None], ...]] = (
    Thief._longest,
    Thief._odd_type,
    Thief._unknown_fields,
    Thief._items,
    Thief._texts,
    Thief._heaps,
    Thief._deep,
    Thief._burst,
    Thief._flood,
    Thief._numbers,
    Thief._pings,
    Thief._bytes,
    Thief._beginning,
    Thief._twice,
    Thief._half_open,
)
