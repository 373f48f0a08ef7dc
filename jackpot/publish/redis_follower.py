"""Follows a bank through Redis, in a process without a ledger.

It subscribes first, then reads the whole board, and applies newer messages; a gap or a new connection reads
the board again. A revision never goes back, and what has not been confirmed for 5 s is shown as a fault.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import UNSET

from controllers.answers import Hit, State
from jackpot.clock import Clock
from jackpot.publish.board import RESUMED, MeterBoard, RecentHits
from jackpot.publish.redis_connection import RedisConnection
from jackpot.publish.redis_relay import BEAT_S, RelayedLink, RelayedState, Rev, SignKeys, keys_of, read
from jackpot.rules.commands import Command
from jackpot.rules.paytable import LinkTerms
from jackpot.runtime.errors import ServerError
from jackpot.runtime.service import Service

if TYPE_CHECKING:
    from redis.asyncio import Redis
    from redis.asyncio.client import PubSub

# Five beats: longer than a lost message or a change of nodes takes, half of what a sign itself waits (WIRE).
STALE_S: Final = 5.0
# What Redis held so long ago must have come by now: two beats. Over a line that is too thin messages queue up
# at Redis, megabytes of them, and each that comes would be taken for news.
LATE_S: Final = 2.0
_NEVER: Final = float("-inf")
_BEFORE_ALL: Final = (-1, -1, -1)


class NoPublisher(ServerError):
    """The node answers, but no server publishes the bank there in time, or this process fell behind."""


class _ServerTrust:
    """The serving server's word on a followed bank. good: its server says that it may be trusted."""

    good = False

    def leased(self, _now: float) -> bool:
        return True

    def trusted(self, _now: float) -> bool:
        return self.good


class _RelayedHits(RecentHits):
    """Recent hits as the server reports them."""

    def forget_old(self) -> None:
        """Does nothing: the server decides which hits are recent."""

    def _age(self, _hit: Hit) -> float:
        return 0.0


class FollowedBoard(MeterBoard):
    """Meter board of a bank as its server publishes it: states and hits are received, not computed by our
    clock.

    links: those that there can be, by the configuration; each is a fault until something is known of it.
    """

    def __init__(self, bank: str, links: Iterable[LinkTerms], clock: Clock) -> None:
        self._server_trust = _ServerTrust()
        super().__init__(bank, clock, self._server_trust)
        self.hits = _RelayedHits(clock)
        self._shown: dict[str, RelayedLink] = {}
        self.expect(links)

    def trust(self, *, good: bool) -> None:
        """Whether its server is heard of now, and says that what it shows is durable."""
        self._server_trust.good = good
        self.restand(self.clock.monotonic())

    def take(self, relayed: RelayedState) -> None:
        """Applies a newer message: pushes in their order, then the changed meters."""
        self.rev = relayed.rev[1]
        links = {name: board for name, board in relayed.links.items() if name in self.links}
        for name, board in links.items():
            view = self.links[name]
            self._shown[name], self.notices[name] = board, board.notices
            if (view.state, view.reason) != (board.state, board.reason):
                view.state, view.reason = board.state, board.reason
                if self.trusted:
                    self.broadcaster.tell(name, self.link_message(name))
        if relayed.hits is not None:
            for hit in self.hits.take(relayed.hits):
                self.broadcaster.tell(hit.link, hit, signs_only=True)
        for link, status in relayed.told:
            self.broadcaster.tell(link, status, signs_only=True)
        self._restate()
        for name, board in links.items():
            view = self.links[name]
            most = board.must_hit_by or UNSET
            view.facts = msgspec.structs.replace(
                view.facts,
                wager=board.wager,
                paytable=board.paytable,
                levels=tuple(board.levels),
                must_hit_by=most,
            )
            if view.levels.keys() != board.levels.keys():
                view.levels = dict(board.levels)
                self.broadcaster.owe_all()
            for level, cents in board.levels.items():
                self._move(name, level, cents)

    def display(self, link: str) -> State:
        """The `state` that the server decided; a fault while nobody confirms it."""
        told = self._shown.get(link)
        shown = told.shown if told is not None and self.trusted else "fault"
        waiting, notices = (told.waiting, told.notices) if told is not None else ((), ())
        return State(link, shown, self.state(link)[1] or RESUMED, waiting, notices or UNSET)


class RedisFollower:
    """Follower of one bank in a process that only shows it; the interface of a bank to devices
    (`device_registry.DeviceBank`).

    heard_at: when, by our monotonic clock, the newest board was written. applied, gaps, older: messages that
    were shown, those before which one was missing, and those that were not newer than what was shown.
    """

    full = False

    def __init__(
        self,
        board: FollowedBoard,
        urls: Sequence[str],
        clock: Clock,
        on_signs: Callable[[str, SignKeys], None] = lambda _bank, _signs: None,
    ) -> None:
        self.name = board.bank
        self.board = board
        self.line = RedisConnection(board.bank, urls)
        self.applied = 0
        self.gaps = 0
        self.older = 0
        self.rev: Rev = _BEFORE_ALL
        self.heard_at = _NEVER
        self._clock = clock
        self._on_signs = on_signs
        self._trusted = False

    @property
    def service(self) -> Service:
        """No device is accepted before Redis has answered: valid keys are not known yet."""
        return Service.SOON if self.rev == _BEFORE_ALL else Service.HERE

    @property
    def fresh(self) -> bool:
        """Whether what is shown was confirmed within 5 s."""
        return self._clock.monotonic() - self.heard_at <= STALE_S

    def act(self, command: Command, release: Callable[[Any], None]) -> None:
        """Does nothing: only a server with the ledger can make an act durable."""

    async def run(self) -> None:
        """Follows until cancelled, whatever Redis does."""
        await self.line.keep(self._follow)

    def sweep(self) -> None:
        """Lets time pass; about ten times a second."""
        self.board.trust(good=self.fresh and self._trusted)
        self.board.tick(self._clock.monotonic())

    def statistics(self) -> dict[str, Any]:
        """Counters since the start, and the current state."""
        return {
            "bank": self.name,
            "up": self.line.up,
            "fresh": self.fresh and self._trusted,
            "seq": max(self.rev[1], 0),
            "epoch": max(self.rev[0], 0),
            "applied": self.applied,
            "gaps": self.gaps,
            "older": self.older,
            "failures": self.line.failures,
        }

    async def _follow(self, redis: "Redis") -> None:
        async with redis.pubsub() as channel:
            await channel.ssubscribe(keys_of(self.name)[2])
            began = looked = self._clock.monotonic()
            held = _BEFORE_ALL
            while True:
                await self._listen(redis, channel)
                now = self._clock.monotonic()
                if now - max(self.heard_at, began) > STALE_S:
                    raise NoPublisher(f"nothing was heard for {STALE_S:.0f} s")
                if now - looked > LATE_S:
                    if self.rev < held:
                        raise NoPublisher(f"what is heard comes more than {LATE_S:.0f} s late")
                    found = await read(redis, self.name)
                    looked, held = now, found[0].rev if found else _BEFORE_ALL

    async def _listen(self, redis: "Redis", channel: "PubSub") -> None:
        """Next message, if one comes within a beat. A new or renewed subscription reads the whole board."""
        asked = self._clock.monotonic()
        message = await channel.get_message(timeout=BEAT_S)
        if self._clock.monotonic() - asked > STALE_S:
            raise NoPublisher("this process stood still: nobody knows how old is what has come meanwhile")
        if message is None:
            return
        if message["type"] == "ssubscribe":
            await self._read(redis)
        elif message["type"] == "smessage":
            said = msgspec.json.decode(message["data"], type=RelayedState)
            if said.rev > self.rev and said.after not in (None, self.rev):
                self.gaps += 1
                await self._read(redis)
            else:
                self._hear(said, 0.0)

    async def _read(self, redis: "Redis") -> None:
        asked = self._clock.monotonic()
        found = await read(redis, self.name)
        if found is not None:
            said, age = found
            self._hear(said, age + self._clock.monotonic() - asked)

    def _hear(self, relayed: RelayedState, age: float) -> None:
        """Applies a message if it is newer. The same revision read again does not count as a sign of life."""
        if relayed.rev < self.rev:
            self.older += 1
            return
        if relayed.rev > self.rev:
            self.heard_at = max(self.heard_at, self._clock.monotonic() - age)
            if relayed.signs is not None:
                self._on_signs(self.name, relayed.signs)
            self.board.take(relayed)
            self.applied += 1
            self.rev = relayed.rev
            self._trusted = relayed.trusted
        self.sweep()
        if self.fresh:
            self.line.works()
