"""Simulated tables: everything a table may do, much that it may not, and loss of its memory.

A table sends one command, or a whole round in advance, looks at the answers and goes on from what they say.
What it believes of its round it takes from the answers alone; after a new connection, or when people have
changed the round, from the server's `round`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from controllers.device import CommandAnswered, DeviceEvent, PushReceived, WelcomeReceived
from controllers.frames import encode
from controllers.memory import VolatileMemory
from controllers.table import TableSession
from jackpot.rules.paytable import ANY, FOLD
from tests.faults.dealing import DEALER_SENT, Deal, deal, known
from tests.faults.devices import Device, WatchedTable, World
from tests.faults.house import House, TablePlan

Map = dict[str, Any]

# How often a table does what it must not, and how often a seat gets a hand that is paid for.
STRAY: Final = 0.04
RIGGED: Final = 0.3
# How often a round is sent without waiting for the answer to its wagers.
AHEAD: Final = 0.2
# Seconds: between two commands, and before another try where the server said not now.
THINK_S: Final = 0.004
LATER_S: Final = 0.15

# Hands claimed by name alone, by what the link is called.
NAMES: Final = {
    "three": ("straight-flush", "three-of-a-kind"),
    "four": ("four-aces", "four-of-a-kind", "straight-flush"),
    "": ("royal-flush", "straight-flush", "four-of-a-kind"),
}

NOT_NOW: Final = frozenset({"suspended", "table_held", "award_standing"})
OWN_FAULT: Final = frozenset(
    {"unknown_link", "unknown_seat", "wrong_amount", "duplicate_wager", "bad_message", "unreasonable"}
)


class Table:
    """One table of the house, over restarts and lost memory. standing: calls a floorperson to these hits."""

    def __init__(
        self, world: World, plan: TablePlan, house: House, standing: Callable[[list[str]], None]
    ) -> None:
        self.world = world
        self.plan = plan
        self.house = house
        self.key = plan.table.encode().ljust(32, b"\1")
        self.rng = world.random(plan.table)
        self.memory = VolatileMemory()
        self.counts: dict[str, int] | None = dict.fromkeys(plan.links, 0)
        self.sums = {link: 0 for link in plan.links if house.link(link).offer}
        self.resting = False
        self._standing = standing
        self._leaving = world.random(f"{plan.table} leaves")
        self._draws = any("lucky_every" in house.link(link).options for link in plan.links)
        self._forget()
        self.device = Device(world, self._session(), self._handle)
        self.turn_later()

    @property
    def session(self) -> TableSession:
        session = self.device.session
        assert isinstance(session, TableSession)
        return session

    @property
    def idle(self) -> bool:
        """Whether no command is in flight."""
        return self.device.online and self.phase == "idle" and not self.session.pending and not self._stale

    def _session(self) -> WatchedTable:
        return WatchedTable(self.plan.table, self.key, self.rng.random, self.memory, self.world.shown)

    def _forget(self) -> None:
        self.phase = "idle"
        self.round = ""
        self.bets: list[tuple[int, str, str]] = []
        self.amounts: dict[tuple[int, str, str], int] = {}
        self.deal: Deal | None = None
        self.dealt_for = ""
        self.left: list[int] = []
        self.gone: set[int] = set()
        self.told_cards = False
        self.give_up = False
        self.named = False
        self._stale = False
        self._turn = 0

    # What happens to it.

    def restart(self, *, memory: bool) -> None:
        """Power loss at the table. memory: it has kept its log; else it has lost everything."""
        if not memory:
            self.memory = VolatileMemory()
            self.counts = None
        self.device.abandon()
        self._forget()
        self._stale = True
        self.device.session = self._session()
        self.turn_later(self.rng.random() * 2)

    def _handle(self, events: list[DeviceEvent]) -> None:
        for event in events:
            if isinstance(event, CommandAnswered):
                self.world.heard(self.plan.table, event.message, event.answer)
                self._answered(event.message, event.answer)
            elif isinstance(event, WelcomeReceived):
                self._stale = bool(self.session.pending)
                if not self._stale:
                    self._adopt(event.message["round"])
            elif isinstance(event, PushReceived) and event.message["t"] == "round":
                if self.session.pending or event.message["state"] == "void":
                    self._stale = True
                else:
                    self._adopt(event.message)
        if self._stale and self.device.online and not self.session.pending:
            self.session.state = type(self.session.state).CLOSED  # to be welcomed with the round as it stands
        if events and not self.session.pending:
            self.turn_later()

    def _adopt(self, told: Map | None) -> None:
        """Resumes from the round that the server reports."""
        if told is None or told.get("state") not in ("open", "locked", "mismatch"):
            self.phase, self.deal = "idle", None
            return
        self.phase = told["state"]
        self.amounts = {(bet["seat"], bet["link"], bet["on"]): bet.get("amount", 0) for bet in told["bets"]}
        self.bets = list(self.amounts)
        self.named = any(bet["player"] for bet in told["bets"])
        self.round = told["round"]
        if self.round != self.dealt_for or self.deal is None:
            self.dealt_for = self.round
            self.deal = known(self.plan.game, told["board"], told["dealer"], self.rng)
            self.told_cards = bool(told["board"] or told["dealer"])
        self.gone = {one["seat"] for one in told.get("abandoned", ())}
        seats = {seat for seat, _, _ in self.bets} - set(told["settled"]) - self.gone
        self.left = sorted(seats, reverse=True)
        self.give_up = self.rng.random() < 0.3

    def _answered(self, command: Map, answer: Map) -> None:
        if answer["t"] == "nack":
            self._refused(command, answer)
            return
        kind = command["t"]
        warned = "chip_mismatch" in answer.get("warn", ())
        if kind == "wager":
            self._accepted(command)
        elif kind == "withdraw":
            gone = {(bet["seat"], bet["link"], bet.get("on", "own")) for bet in command["bets"]}
            self.bets = [bet for bet in self.bets if bet not in gone]
        elif kind == "settle" and any(hand.get("abandoned") for hand in command["hands"]):
            self.gone |= {hand["seat"] for hand in command["hands"]}
            self.left = [seat for seat in self.left if seat not in self.gone]
        elif kind == "settle":
            self.told_cards = True
            seats = {hand["seat"] for hand in command["hands"]}
            self.left = [seat for seat in self.left if seat < min(seats, default=99)]
        if kind == "lock" or command.get("lock"):
            self.phase = "mismatch" if warned else "locked"
        if kept := command.get("settles"):  # a void but for these
            self.bets = [bet for bet in self.bets if bet[1] in kept]
            self.left = [seat for seat in self.left if any(bet[0] == seat for bet in self.bets)]
        elif kind in ("close", "void") or command.get("close"):
            self.phase, self.deal = "idle", None

    def _accepted(self, command: Map) -> None:
        if command["round"] != self.round or self.phase == "idle":
            self.round, self.bets, self.give_up, self.named = command["round"], [], False, False
            self.amounts, self.gone = {}, set()
        self.named |= any("player" in bet for bet in command["bets"])
        placed = {(bet["seat"], bet["link"], bet.get("on", "own")): bet["amount"] for bet in command["bets"]}
        self.bets += list(placed)
        self.amounts |= placed
        self.phase = "open"
        if self.counts is not None:
            for bet in command["bets"]:
                self.counts[bet["link"]] += 1
                if bet["link"] in self.sums:
                    self.sums[bet["link"]] += bet["amount"]

    def _refused(self, command: Map, answer: Map) -> None:
        code = answer["code"]
        if code in NOT_NOW:
            self._turn += 1
            self.turn_later(LATER_S * (0.5 + self.rng.random()))
            if code == "award_standing":
                self._standing(answer["hits"])
        elif code in OWN_FAULT:
            return
        elif command["t"] == "settle":
            self.give_up = True
            self._stale = code in ("no_such_round", "not_locked", "chip_mismatch", "internal")
        else:
            self._stale = True

    # What it does.

    def turn_later(self, delay: float | None = None) -> None:
        """Schedules the next step; a later call replaces it."""
        self._turn += 1
        wish = self._turn
        wait = self.rng.random() * 2 * THINK_S if delay is None else delay
        self.world.timeline.after(wait, lambda: self._act() if wish == self._turn else None)

    def _act(self) -> None:
        self.turn_later(LATER_S)
        session = self.session
        if not self.device.online or session.pending or self._stale:
            return
        if self.phase == "idle" and self.resting:
            return
        if self.rng.random() < STRAY and not self.resting:
            self._stray()
        elif (message := self._next()) is not None:
            self._submit(message)
            if message["t"] == "wager" and message.get("lock") and self.rng.random() < AHEAD:
                self._submit(self._settlement(message["round"], everything=True))
        self.device.flush()

    def _submit(self, message: Map) -> None:
        if message["t"] != "wager" or self.session.online(self.world.timeline.now):
            self.session.submit(message, self.world.timeline.now)

    def _next(self) -> Map | None:
        choice = self.rng.random()
        if self.phase == "idle":
            return self._wager(f"R{self.rng.randrange(10**12)}", self._seats())
        if self.phase == "open":
            if choice < 0.15 and not self.resting:
                return self._wager(self.round, self._seats())
            if choice < 0.3 and self.bets:
                return self._withdraw(self.rng.choice(self.bets))
            if choice < 0.35:
                return self._void()
            return self._lock(right=choice < 0.9)
        if self.phase == "mismatch":
            if choice < 0.1:
                return self._void()
            return self._lock(right=True) if choice < 0.7 or self.resting else None
        if self.house.leaves and self._leaving.random() < self.house.leaves and self.left:
            return self._abandoned(self._leaving.choice(self.left))
        if self.plan.game == ANY:
            return self._close() if choice < 0.9 else self._void()
        if self.give_up or not self.left or choice < 0.1:
            return self._close() if choice < 0.9 else self._void()
        if choice < 0.14:
            return self._void()
        if choice < 0.17:
            return self._lock(right=True)
        return self._settlement(self.round, everything=choice < 0.75)

    def _seats(self) -> list[int]:
        most = self.plan.seats
        return sorted(self.rng.sample(range(1, most + 1), self.rng.randint(1, most)), reverse=True)

    def _bet(self, seat: int, link: str) -> Map:
        return {"seat": seat, "link": link, "amount": self.rng.choice(self.house.link(link).amounts)}

    def _wager(self, round_: str, seats: list[int]) -> Map | None:
        held = set(self.bets) if round_ == self.round and self.phase == "open" else set()
        bets = []
        players: dict[str, str] = {}
        if self.rng.random() < 0.2 and self.plan.game != "ultimate-texas-holdem" and not held:
            pair = [seat for seat in seats if seat - 1 in seats][:1]
            players = {str(seat): "P" for one in pair for seat in (one, one - 1)}
        for seat in seats:
            for link in self.plan.links:
                if (seat, link, "own") not in held and self.rng.random() < 0.85:
                    player = {"player": players[str(seat)]} if str(seat) in players else {}
                    bets.append(self._bet(seat, link) | player)
                if self._dealer_too(link) and (seat, link, "dealer") not in held and self.rng.random() < 0.4:
                    bets.append(self._bet(seat, link) | {"on": "dealer"})
        if not bets:
            return None
        message: Map = {"t": "wager", "round": round_, "bets": bets}
        self.left = sorted({*seats, *(bet[0] for bet in held)}, reverse=True)
        if self.deal is None or not held:
            self.deal = deal(self.plan.game, self.left, self.rng, RIGGED)
            self.dealt_for = round_
            self.told_cards = False
        if self.rng.random() < 0.7:
            message["lock"] = True
            standing = [(link, self.amounts[seat, link, on]) for seat, link, on in held]
            message |= self._chips([*((bet["link"], bet["amount"]) for bet in bets), *standing])
        return message

    def _dealer_too(self, link: str) -> bool:
        return self.plan.game in DEALER_SENT and "653a-five-card-hand-bonus" in self.house.link(link).paytable

    def _chips(self, bets: list[tuple[str, int]], *, right: bool | None = None) -> Map:
        """The dealer's count, where it is owed or sometimes; wrong now and then. bets: link and amount."""
        chips, sums = {}, {}
        for link in self.plan.links:
            plan = self.house.link(link)
            owed = plan.counted
            if not plan.electronic and (owed or self.rng.random() < 0.1):
                chips[link] = sum(name == link for name, _ in bets)
                if not right and self.rng.random() < 0.1:
                    chips[link] += self.rng.choice([1, -1]) if chips[link] else 1
                if plan.offer:
                    wrong = 100 if not right and self.rng.random() < 0.1 else 0
                    sums[link] = sum(amount for name, amount in bets if name == link) + wrong
        told = {"chips": chips} | ({"sums": sums} if sums else {})
        return told if chips and (right or self.rng.random() < 0.95) else {}

    def _lock(self, *, right: bool) -> Map:
        standing = [(bet[1], self.amounts[bet]) for bet in self.bets]
        return {"t": "lock", "round": self.round} | self._chips(standing, right=right)

    def _withdraw(self, bet: tuple[int, str, str]) -> Map:
        seat, link, on = bet
        return {"t": "withdraw", "round": self.round, "bets": [{"seat": seat, "link": link, "on": on}]}

    def _void(self) -> Map:
        kept = [link for link in self.plan.links if "trips" in self.house.link(link).paytable]
        wagered = [link for link in kept if any(bet[1] == link for bet in self.bets)]
        if not wagered or self.phase != "locked" or self.rng.random() < 0.5:
            return {"t": "void", "round": self.round, "reason": "misdeal"}
        cause = self.rng.choice(["cards-face-up", "exposed-card"])
        return {"t": "void", "round": self.round, "reason": "misdeal", "cause": cause, "settles": wagered}

    def _abandoned(self, seat: int) -> Map:
        """A player has left the seat (P6); a table of any game cannot say so, and is told so."""
        return {"t": "settle", "round": self.round, "hands": [{"seat": seat, "abandoned": True}]}

    def _close(self) -> Map:
        """The end of the round; without the board, which an offer may count, it may be refused (B16)."""
        if self.deal is not None and self.deal.board and not self.told_cards and self.rng.random() < 0.8:
            board = {"t": "settle", "round": self.round, "hands": [], "board": list(self.deal.board)}
            return board if self._all_in_one() else board | {"close": True} | self._lifetime()
        return {"t": "close", "round": self.round} | self._lifetime()

    def _lifetime(self) -> Map:
        if self.counts is None or self.session.pending or self.rng.random() < 0.6:
            return {}
        return {"counts": dict(self.counts), "sums": dict(self.sums)}

    def _settlement(self, round_: str, *, everything: bool) -> Map:
        assert self.deal is not None
        if self.plan.game == ANY:
            return {"t": "close", "round": round_}
        everything = everything or self._all_in_one()
        seats = self.left if everything else self.left[:1]
        message: Map = {"t": "settle", "round": round_, "hands": [self._claim(seat) for seat in seats]}
        if self.deal.board and (not self.told_cards or self.rng.random() < 0.5):
            message["board"] = list(self.deal.board)
        if self.deal.dealer and not self.told_cards:
            message["dealer"] = list(self.deal.dealer)
        if everything and self.rng.random() < 0.8:
            message |= {"close": True} | self._lifetime()
        return message

    def _all_in_one(self) -> bool:
        """Whether all hands must come in one message: for a shared link, or a wager on the dealer's hand."""
        shared = [
            link for link in self.plan.links if self.house.link(link).options.get("simultaneous") == "share"
        ]
        return any(bet[1] in shared or bet[2] == "dealer" for bet in self.bets)

    def _claim(self, seat: int) -> Map:
        assert self.deal is not None
        claim: Map = {"seat": seat, "cards": list(self.deal.hand(seat))}
        if self.rng.random() < 0.1 and FOLD[self.plan.game] != "none":
            claim["folded"] = True
            if self.rng.random() < 0.5:
                del claim["cards"]
        elif not self._draws and self.rng.random() < 0.04:
            link = self.rng.choice(self.plan.links)
            if (seat, link, "own") in self.bets:
                name = self.rng.choice(NAMES.get(link, NAMES[""]))
                claim = {"seat": seat, "hand": name, "link": link}
        return claim

    # What it must not do.

    def _stray(self) -> None:
        """Sends one invalid command: a bad field, a number out of order, or a valid one at the wrong time."""
        session, rng = self.session, self.rng
        other = f"R{rng.randrange(10**12)}"
        seat, link = rng.randint(1, self.plan.seats), rng.choice(self.plan.links)
        bet = self._bet(seat, link)
        open_round = self.round if self.phase == "open" else other
        strays: list[Map] = [
            {"t": "wager", "round": open_round, "bets": [bet | {"amount": bet["amount"] + 1}]},
            {"t": "wager", "round": open_round, "bets": [bet | {"link": "nowhere"}]},
            {"t": "wager", "round": open_round, "bets": [bet | {"seat": self.plan.seats + 1}]},
            {"t": "wager", "round": open_round, "bets": [bet | {"seat": "one"}]},
            {"t": "settle", "round": other, "hands": []},
            {"t": "lock", "round": other},
            {"t": "void", "round": other, "reason": "\0"},
            {"t": "raise", "round": other},
        ]
        if self.phase == "idle":
            strays.append({"t": "wager", "round": other, "bets": [bet, bet]})
        kind = rng.randrange(len(strays) + 2)
        if kind < len(strays):
            if strays[kind]["t"] != "wager" or session.online(self.world.timeline.now):
                session.submit(strays[kind], self.world.timeline.now)
            return
        seq = session.acked if kind == len(strays) and session.acked else session.acked + 5
        raw = {"t": "close", "round": other, "seq": seq}
        if self.device.protocol is not None:
            self.device.protocol.device.send(encode(raw))
