"""How does a process without a ledger show a bank? It follows what the active server says in Redis.

It subscribes first, then reads the whole face, and applies what is newer; a gap or a new connection reads the
face again. A revision never goes back, and what has not been confirmed for 5 s is shown as a fault.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from controllers.answers import Hit, State
from jackpot.clock import Clock
from jackpot.publish.board import Board
from jackpot.publish.meter_board import RESUMED, Hits
from jackpot.publish.redis_connection import RedisLine
from jackpot.publish.redis_relay import BEAT_S, LinkFace, Rev, Said, SignKeys, keys_of, read
from jackpot.rules.commands import Command
from jackpot.rules.paytable import LinkTerms
from jackpot.runtime.errors import ServerError
from jackpot.runtime.service_states import Service

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


class Silent(ServerError):
    """The node answers, but nobody speaks for the bank there, or too late; or this process did not listen."""


class _Told:
    """Shows all that is known of a bank. good: its server says that it may be trusted."""

    good = False

    def leased(self, _now: float) -> bool:
        return True

    def trusted(self, _now: float) -> bool:
        return self.good


class _ToldHits(Hits):
    """The server says which hits are of the last minute."""

    def forget_old(self) -> None:
        """None by our own clock."""

    def _age(self, _hit: Hit) -> float:
        return 0.0


class Followed(Board):
    """A bank's face as another process decided it: states and hits are told, none is reckoned by our clock.

    links: those that there can be, by the configuration; each is a fault until something is known of it.
    """

    def __init__(self, bank: str, links: Iterable[LinkTerms], clock: Clock) -> None:
        self._by_server = _Told()
        super().__init__(bank, clock, self._by_server)
        self.hits = _ToldHits(clock)
        self._shown: dict[str, LinkFace] = {}
        self.expect(links)

    def trust(self, *, good: bool) -> None:
        """Whether its server is heard of now, and says that what it shows is durable."""
        self._by_server.good = good
        self.restand()

    def take(self, said: Said) -> None:
        """What is newer than all before: pushes in their order, then the meters that moved."""
        self.rev = said.rev[1]
        links = {name: face for name, face in said.links.items() if name in self.links}
        for name, face in links.items():
            view = self.links[name]
            self._shown[name] = face
            if (view.state, view.reason) != (face.state, face.reason):
                view.state, view.reason = face.state, face.reason
                if self.trusted:
                    self.audience.tell(name, self.link_message(name))
        if said.hits is not None:
            for hit in self.hits.take(said.hits):
                self.audience.tell(hit.link, hit, signs_only=True)
        for link, status in said.told:
            self.audience.tell(link, status, signs_only=True)
        self._restate()
        for name, face in links.items():
            view = self.links[name]
            view.facts = msgspec.structs.replace(
                view.facts, wager=face.wager, paytable=face.paytable, levels=tuple(face.levels)
            )
            if view.levels.keys() != face.levels.keys():
                view.levels = dict(face.levels)
                self.audience.owe_all()
            for level, cents in face.levels.items():
                self._move(name, level, cents)

    def display(self, link: str) -> State:
        """The `state` that the server decided; a fault while nobody confirms it."""
        told = self._shown.get(link)
        shown = told.shown if told is not None and self.trusted else "fault"
        return State(link, shown, self.state(link)[1] or RESUMED, told.waiting if told is not None else ())


class Follower:
    """One bank in a process that only shows it; what a device needs of a bank (`register.DeviceDesk`).

    heard_at: when, by our monotonic clock, the newest face was written. applied, gaps, older: messages that
    were shown, those before which one was missing, and those that were not newer than what was shown.
    """

    full = False

    def __init__(
        self,
        board: Followed,
        urls: Sequence[str],
        clock: Clock,
        on_signs: Callable[[str, SignKeys], None] = lambda _bank, _signs: None,
    ) -> None:
        self.bank = board.bank
        self.board = board
        self.line = RedisLine(board.bank, urls)
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
        """No device is let in before anything has come from Redis: which keys are good is not known yet."""
        return Service.SOON if self.rev == _BEFORE_ALL else Service.HERE

    @property
    def fresh(self) -> bool:
        """Whether what is shown was confirmed within 5 s."""
        return self._clock.monotonic() - self.heard_at <= STALE_S

    def act(self, command: Command, release: Callable[[Any], None]) -> None:
        """Nothing: only a server with the ledger can make an act durable."""

    async def run(self) -> None:
        """Follows until cancelled, whatever Redis does."""
        await self.line.keep(self._follow)

    def sweep(self) -> None:
        """Lets time pass; about ten times a second."""
        self.board.trust(good=self.fresh and self._trusted)
        self.board.tick()

    def statistics(self) -> dict[str, Any]:
        """Its counts since the start, and where it stands."""
        return {
            "bank": self.bank,
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
            await channel.ssubscribe(keys_of(self.bank)[2])
            began = looked = self._clock.monotonic()
            held = _BEFORE_ALL
            while True:
                await self._listen(redis, channel)
                now = self._clock.monotonic()
                if now - max(self.heard_at, began) > STALE_S:
                    raise Silent(f"nothing was heard for {STALE_S:.0f} s")
                if now - looked > LATE_S:
                    if self.rev < held:
                        raise Silent(f"what is heard comes more than {LATE_S:.0f} s late")
                    found = await read(redis, self.bank)
                    looked, held = now, found[0].rev if found else _BEFORE_ALL

    async def _listen(self, redis: "Redis", channel: "PubSub") -> None:
        """The next message, if one comes within a beat. A subscription, new or renewed, reads the face."""
        asked = self._clock.monotonic()
        message = await channel.get_message(timeout=BEAT_S)
        if self._clock.monotonic() - asked > STALE_S:
            raise Silent("this process stood still: nobody knows how old is what has come meanwhile")
        if message is None:
            return
        if message["type"] == "ssubscribe":
            await self._read(redis)
        elif message["type"] == "smessage":
            said = msgspec.json.decode(message["data"], type=Said)
            if said.rev > self.rev and said.after not in (None, self.rev):
                self.gaps += 1
                await self._read(redis)
            else:
                self._hear(said, 0.0)

    async def _read(self, redis: "Redis") -> None:
        asked = self._clock.monotonic()
        found = await read(redis, self.bank)
        if found is not None:
            said, age = found
            self._hear(said, age + self._clock.monotonic() - asked)

    def _hear(self, said: Said, age: float) -> None:
        """Shows it if it is newer. The same, read again, is no news: who speaks has said more by now."""
        if said.rev < self.rev:
            self.older += 1
            return
        if said.rev > self.rev:
            self.heard_at = max(self.heard_at, self._clock.monotonic() - age)
            if said.signs is not None:
                self._on_signs(self.bank, said.signs)
            self.board.take(said)
            self.applied += 1
            self.rev = said.rev
            self._trusted = said.trusted
        self.sweep()
        if self.fresh:
            self.line.works()
