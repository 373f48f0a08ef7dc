"""Tables that play without end: the reference client, and variants that break one obligation each."""

import asyncio
import random
from collections.abc import Mapping
from itertools import count
from typing import Any

from controllers.client import SignClient, TableClient
from controllers.device import DeviceEvent
from controllers.frames import BadFrame
from controllers.memory import VolatileMemory
from controllers.states import SessionState
from controllers.table import Offline, Pending, TableSession

KEY = bytes(range(32))
LINK = "five"
# On the device, counted; chips on the layout; of one amount alone.
OFFERS = ("pa-643a-five-card-bonus-C", "pa-643a-three-card-bonus-A", "ma-lir-bonus")
SEATS = (7, 3)
Message = dict[str, Any]


class Player:
    """A dealer at a table. heeds: it looks at the links' states, and at a round that it does not know."""

    def __init__(self, session: type[TableSession], servers: list[str], *, heeds: bool = True) -> None:
        self.client = TableClient("T01", KEY, servers, VolatileMemory())
        self.client.session = session("T01", KEY, random.random, VolatileMemory())
        self.client._session = self.client.session
        self.client.on_push = self._hear
        self._heeds = heeds
        self._active = False
        self._left_over: str | None = None
        self._own = ""

    def _hear(self, message: Message) -> None:
        if message["t"] == "welcome":
            self._active = message["links"][0]["state"] == "active"
            told = (message["round"] or {}).get("round")
            self._left_over = told if told != self._own else None
        elif message["t"] == "link":
            self._active = message["state"] == "active"

    async def play(self) -> None:
        """Round after round, until it is cancelled."""
        async with self.client as client:
            for number in count(1):
                await client._wait_for(lambda: self.client.online and (self._active or not self._heeds))
                if self._left_over is not None and self._heeds:
                    left, self._left_over = self._left_over, None
                    await client.void(left, "it is not known here")
                    continue
                try:
                    await self._round(f"R{number}")
                except Offline:
                    continue  # the connection went while it was looked at

    async def rush(self) -> None:
        """Round after round, without waiting for an answer; until it is cancelled."""
        async with self.client as client:
            await client.wait_online()
            for number in count(1):
                await client._wait_for(lambda: not self.client.session.full)
                bets = [{"seat": 7, "link": LINK, "amount": 100}]
                hands = [{"seat": 7, "cards": ["7s", "7h", "7d"]}]
                now, name = client._now(), f"R{number}"
                client.session.submit({"t": "wager", "round": name, "bets": bets, "lock": True}, now)
                client.session.submit({"t": "settle", "round": name, "hands": hands, "close": True}, now)
                client._flush()
                await wait_between_rounds()

    async def _round(self, name: str) -> None:
        self._own = name
        bets = [{"seat": seat, "link": LINK, "amount": 100} for seat in SEATS]
        taken = await self.client.wager(name, bets, lock=True)
        if taken.get("code") == "suspended":
            self._active = False
        if taken["t"] == "ack":
            hands = [{"seat": seat, "cards": [f"{seat}s", f"{seat}h", f"{seat}d"]} for seat in SEATS]
            await self.client.settle(name, hands, board=["As", "Ks"], close=True)
        self._own = ""
        await asyncio.sleep(0)


async def wait_between_rounds() -> None:
    """Long enough that two heartbeats pass before 64 commands are unanswered."""
    await asyncio.sleep(0.05)


async def show(servers: list[str]) -> None:
    """A sign, until it is cancelled."""
    async with SignClient("S01", KEY, servers) as sign:
        await sign._wait_for(lambda: False)


class BonusPlayer(Player):
    """A dealer at a table that takes bonus wagers, and counts what is to be counted.

    stale: it keeps the bounds of the first welcome. deaf: it hears of no offer's state. stopping: an award
    ends its play. giving_up: a refusal that names one link ends its play on all. obstinate: it wagers on
    what a refusal named.
    """

    def __init__(self, servers: list[str], fault: str = "") -> None:
        super().__init__(TableSession, servers)
        self._stale, self._deaf, self._stopping = fault == "stale", fault == "deaf", fault == "stopping"
        self._giving_up, self._obstinate = fault == "giving_up", fault == "obstinate"
        self._offers: dict[str, Message] = {}

    def _hear(self, message: Message) -> None:
        if message["t"] == "link" and message["link"] in self._offers:
            if not self._deaf:
                self._offers[message["link"]]["state"] = message["state"]
            return
        super()._hear(message)
        if message["t"] == "welcome":
            told = {link["link"]: dict(link) for link in message["links"] if not link["levels"]}
            known = self._offers if self._stale else {}
            self._offers = {
                name: link | {key: known[name][key] for key in ("least", "most", "unit") if name in known}
                for name, link in told.items()
            }

    async def _round(self, name: str) -> None:
        self._own = name
        active = [offer for offer in self._offers.values() if offer["state"] == "active"]
        counted = [offer for offer in active if offer["count"]]
        bets = [{"seat": seat, "link": LINK, "amount": 100} for seat in SEATS]
        bets += [
            {"seat": seat, "link": offer["link"], "amount": offer["most"]}
            for seat in SEATS
            for offer in active
        ]
        chips = {offer["link"]: len(SEATS) for offer in counted}
        sums = {offer["link"]: len(SEATS) * offer["most"] for offer in counted}
        taken = await self.client.wager(name, bets, lock=True, chips=chips, sums=sums)
        if taken.get("code") == "suspended" and not self._obstinate:
            if self._giving_up or taken["link"] == LINK:
                self._active = False
            else:
                self._offers[taken["link"]]["state"] = "suspended"
        if taken["t"] == "ack":
            hands = [{"seat": seat, "cards": [f"{seat}s", f"{seat}h", f"{seat}d"]} for seat in SEATS]
            paid = await self.client.settle(name, hands, board=["As", "Ks"], close=True)
            if self._stopping and paid.get("awards"):
                await self.client._wait_for(lambda: False)
        self._own = ""
        await asyncio.sleep(0)


# Tables that break one obligation.


class Hasty(TableSession):
    def disconnected(self, now: float) -> None:
        super().disconnected(now)
        self.connect_at = now + 0.05


class Patient(TableSession):
    def tick(self, now: float) -> list[DeviceEvent]:
        self._heard_at = now
        return super().tick(now)


class Rewriting(TableSession):
    def _welcomed(self, message: Message, now: float) -> None:
        for item in self.pending:
            item.message = {**item.message, "round": "another"}
        super()._welcomed(message, now)


class Repeating(TableSession):
    def _welcomed(self, message: Message, now: float) -> None:
        if self.pending and message["last_seq"] >= self.pending[0].message["seq"]:
            self.pending[0].message = {**self.pending[0].message, "seq": message["last_seq"] + 1}
        super()._welcomed(message, now)

    def _number_from(self, first: int) -> None:
        super()._number_from(max(first, self._last_seq + 1))


class Impatient(TableSession):
    def _welcomed(self, message: Message, now: float) -> None:
        super()._welcomed({**message, "last_follows": False}, now)


class Strict(TableSession):
    def _hear(self, message: Message, events: list[DeviceEvent], now: float) -> None:
        if message["t"] == "weather":
            raise BadFrame("weather")
        super()._hear(message, events, now)


class Skipping(TableSession):
    def _go_on(self, now: float) -> None:
        if self._expected is not None:
            self._expected += 1
        super()._go_on(now)


class Reusing(TableSession):
    def _done(self, item: Pending, answer: Message) -> None:
        super()._done(item, answer)
        if answer["t"] == "nack" and "expected" not in answer:
            self._next = item.message["seq"]


class Homely(TableSession):
    def _refused(self, error: Mapping[str, Any]) -> Any:
        return super()._refused({key: value for key, value in error.items() if key != "servers"})


class Changing(TableSession):
    def _answered(self, message: Message, events: list[DeviceEvent], now: float) -> None:
        if message.get("code") == "not_active":
            self.pending[0].message = {**self.pending[0].message, "round": "elsewhere"}
        super()._answered(message, events, now)


class Yielding(TableSession):
    def _refused(self, error: Mapping[str, Any]) -> Any:
        if error.get("code") == "ledger_behind":
            self.acked -= 1
        return super()._refused(dict(error))


class Stubborn(TableSession):
    def _welcomed(self, message: Message, now: float) -> None:
        super()._welcomed({**message, "last_seq": max(self.acked, message["last_seq"])}, now)


class Hopeful(TableSession):
    def online(self, now: float) -> bool:
        return self.state is SessionState.TABLE
