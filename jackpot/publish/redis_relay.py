"""Relays the newest durable meter board of each bank to Redis. Nothing waits for it.

A hash holds a bank's whole board, a list the hits of the last minute, and a channel carries what changed. One
script compares revisions, sets, lets all expire and publishes, so that a late message of a server that was
replaced is refused. A revision is (epoch, seq, beat): the journal's own two, and a count of messages, since a
state can change and a heartbeat is due while nothing is written. Keys and channel of a bank share a hash tag,
and the channel is a shard's: in a cluster a bank is one node's.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Protocol

import msgspec
import structlog

from controllers.answers import Hit, LinkState, Notice, Status, WaitingHit
from controllers.messages import Id
from jackpot.clock import Clock
from jackpot.publish.board import MeterBoard
from jackpot.publish.broadcaster import SIGN_INTERVAL_S
from jackpot.publish.redis_connection import RedisConnection
from jackpot.rules.outgoing_messages import JACKPOTS_MAX, NOTICES_MAX

if TYPE_CHECKING:
    from redis.asyncio import Redis

# DESIGN: what nobody confirms is gone after 15 s, also where every server died.
EXPIRE_MS: Final = 15_000
# Said again at least so often: five may be lost before a follower shows a fault, fifteen before it expires.
BEAT_S: Final = 1.0
# Hits and statuses that one message brings; a minute of a busy floor has fewer, and Redis' memory is bounded.
HITS_MAX: Final = 64
TOLD_MAX: Final = 64
# Levels of one link: more than any paytable has, and a welcome that tells them fits a frame.
LEVELS_MAX: Final = 8

# What the script answers: done; it holds something newer; it does not hold what this changes.
TAKEN: Final = b"taken"
OLDER: Final = b"older"
WHOLE: Final = b"whole"

# KEYS: hash, hits, channel. ARGV: epoch, seq, beat, the revision that this follows ("" for a whole board),
# milliseconds to live, the message, how many hits (-1: as they are), the hits, then fields and values.
_SCRIPT: Final = """
local held = redis.call('HMGET', KEYS[1], 'epoch', 'seq', 'beat')
if held[1] then
  local newer = false
  for i = 1, 3 do
    local mine, theirs = tonumber(ARGV[i]), tonumber(held[i])
    if mine ~= theirs then newer = mine > theirs break end
  end
  if not newer then return 'older' end
end
if ARGV[4] == '' then
  redis.call('DEL', KEYS[1])
elseif not held[1] or ARGV[4] ~= table.concat(held, ' ') then
  return 'whole'
end
redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'seq', ARGV[2], 'beat', ARGV[3])
local hits = tonumber(ARGV[7])
if hits >= 0 then redis.call('DEL', KEYS[2]) end
for i = 8, 7 + hits do redis.call('RPUSH', KEYS[2], ARGV[i]) end
for i = 8 + math.max(hits, 0), #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[5])
redis.call('PEXPIRE', KEYS[2], ARGV[5])
redis.call('SPUBLISH', KEYS[3], ARGV[6])
return 'taken'
"""

# What is read back must be no more than signs can be told, else one false message ends every process that
# shows the bank: WIRE's integers, and texts and lists that go into a frame.
Count = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]
Text = Annotated[str, msgspec.Meta(max_length=1_024)]
Rev = tuple[Count, Count, Count]

log: Final = structlog.get_logger()


class RelayedLink(msgspec.Struct, frozen=True):
    """Durable state of a link. levels, must_hit_by: cents. shown, waiting: of a sign's `state` (S7).

    notices: of that, too (P2); none from a server before there were any.
    """

    wager: Count
    paytable: Id
    levels: Annotated[dict[Id, Count], msgspec.Meta(max_length=LEVELS_MAX)]
    state: LinkState
    reason: Text
    shown: Literal["normal", "pending", "win", "suspended", "fault"]
    waiting: Annotated[tuple[WaitingHit, ...], msgspec.Meta(max_length=JACKPOTS_MAX)]
    notices: Annotated[tuple[Notice, ...], msgspec.Meta(max_length=NOTICES_MAX)] = ()
    must_hit_by: Annotated[dict[Id, Count], msgspec.Meta(max_length=LEVELS_MAX)] = {}


class SignKeys(msgspec.Struct, frozen=True):
    """Revoked keys of signs (sign, fingerprint), and signs that are not admitted."""

    ended: list[tuple[str, str]] = []
    blocked: list[str] = []


class RelayedState(msgspec.Struct, frozen=True):
    """A relayed message. after: the revision that it changes, None where it is whole; hits, signs: None as
    before.

    trusted: the ledger is not in doubt. told: `status` messages since the last, each with its link.
    """

    rev: Rev
    after: Rev | None
    trusted: bool
    links: dict[str, RelayedLink]
    signs: SignKeys | None = None
    hits: Annotated[list[Hit], msgspec.Meta(max_length=HITS_MAX)] | None = None
    told: Annotated[list[tuple[Text, Status]], msgspec.Meta(max_length=TOLD_MAX)] = []


class RelaySource(Protocol):
    """Interface of a bank to its relay."""

    @property
    def name(self) -> str: ...
    @property
    def board(self) -> MeterBoard: ...
    @property
    def epoch(self) -> int: ...


def keys_of(bank: str) -> tuple[str, str, str]:
    """A bank's hash, list of hits and channel."""
    return f"jackpot:{{{bank}}}:board", f"jackpot:{{{bank}}}:hits", f"jackpot:{{{bank}}}:changes"


def links_of(board: MeterBoard) -> dict[str, RelayedLink]:
    """Relayed links of a board."""
    links = {}
    for name, view in board.links.items():
        display = board.display(name)
        links[name] = RelayedLink(
            wager=view.facts.wager,
            paytable=view.facts.paytable,
            levels=dict(view.levels),
            state=view.state,
            reason=view.reason,
            shown=display.state,
            waiting=display.waiting,
            notices=board.notices.get(name, ()),
            must_hit_by=view.facts.must_hit_by or {},
        )
    return links


class RedisRelay:
    """Relay of one bank: publishes only the newest board, at most ten times a second, at least once.

    allowed: whether this server may show the bank now. signs: the keys that followers must not admit.
    published, refused: messages that Redis took, and those that were older than what it held.
    """

    def __init__(
        self,
        bank: RelaySource,
        urls: Sequence[str],
        clock: Clock,
        allowed: Callable[[], bool],
        signs: Callable[[], SignKeys],
    ) -> None:
        self.bank = bank.name
        self.line = RedisConnection(bank.name, urls)
        self.published = 0
        self.refused = 0
        self._shown = bank
        self._clock = clock
        self._allowed = allowed
        self._signs = signs
        self._beat = 0
        self._said: RelayedState | None = None
        self._said_at = 0.0
        self._mark: tuple[int, int, bool] | None = None
        self._told: list[tuple[str, Status]] = []
        self._replaced = False
        bank.board.on_status.append(self._tell)

    async def run(self) -> None:
        """Publishes until cancelled, whatever Redis does."""
        await self.line.keep(self._publish)

    def statistics(self) -> dict[str, str | int | bool]:
        """Counters since the start, and whether Redis accepts its messages."""
        return {
            "bank": self.bank,
            "up": self.line.up,
            "published": self.published,
            "refused": self.refused,
            "failures": self.line.failures,
        }

    async def _publish(self, redis: "Redis") -> None:
        self._said = None
        while True:
            if self._allowed() and self._due():
                await self._say(redis)
            await asyncio.sleep(SIGN_INTERVAL_S)

    def _due(self) -> bool:
        mark = self._shown.epoch, self._shown.board.rev, self._shown.board.trusted
        changed = mark != self._mark or bool(self._told) or self._said is None
        self._mark = mark
        waited = self._clock.monotonic() - self._said_at >= BEAT_S
        return waited or (changed and not self._replaced)

    async def _say(self, redis: "Redis") -> None:
        whole, said = self._next()
        self._said_at = self._clock.monotonic()
        answer = await offer(redis, self.bank, said)
        if answer == TAKEN:
            self.published += 1
            self._said = whole
            self._replaced = False
            self.line.works()
            return
        self._said = None
        if answer == OLDER:
            self._refused(said)

    def _next(self) -> tuple[RelayedState, RelayedState]:
        """The current board, and the message to send."""
        board, before = self._shown.board, self._said
        self._beat += 1
        whole = RelayedState(
            rev=(self._shown.epoch, board.rev, self._beat),
            after=None,
            trusted=board.trusted,
            links=links_of(board),
            signs=self._signs(),
            hits=board.recent_hits(frozenset(board.links))[-HITS_MAX:],
        )
        told, self._told = self._told, []
        if before is None:
            return whole, msgspec.structs.replace(whole, told=told)
        return whole, RelayedState(
            rev=whole.rev,
            after=before.rev,
            trusted=whole.trusted,
            links={name: link for name, link in whole.links.items() if before.links.get(name) != link},
            signs=None if whole.signs == before.signs else whole.signs,
            hits=None if whole.hits == before.hits else whole.hits,
            told=told,
        )

    def _refused(self, relayed: RelayedState) -> None:
        """Handles a refusal: a newer server publishes the bank, or the ledger was set back and the entry must
        expire.
        """
        self.refused += 1
        if not self._replaced:
            self._replaced = True
            log.warning("relay_refused", bank=self.bank, epoch=relayed.rev[0], seq=relayed.rev[1])

    def _tell(self, link: str, message: Status) -> None:
        self._told = [*self._told, (link, message)][-TOLD_MAX:]


async def offer(redis: "Redis", bank: str, relayed: RelayedState) -> bytes:
    """Publishes a message by the script: TAKEN, OLDER or WHOLE. Raises RedisError."""
    client: Any = redis  # its typing has one answer for both of its kinds of client
    answer: bytes = await client.eval(_SCRIPT, 3, *keys_of(bank), *_arguments(relayed))
    return answer


def _arguments(relayed: RelayedState) -> list[Any]:
    """The script's ARGV."""
    hits = relayed.hits or []
    fields: list[Any] = ["trusted", int(relayed.trusted)]
    if relayed.signs is not None:
        fields += ["signs", msgspec.json.encode(relayed.signs)]
    for name, link in relayed.links.items():
        fields += [f"link:{name}", msgspec.json.encode(link)]
    return [
        *relayed.rev,
        "" if relayed.after is None else " ".join(map(str, relayed.after)),
        EXPIRE_MS,
        msgspec.json.encode(relayed),
        -1 if relayed.hits is None else len(hits),
        *map(msgspec.json.encode, hits),
        *fields,
    ]


_READ: Final = """
return {redis.call('HGETALL', KEYS[1]), redis.call('LRANGE', KEYS[2], 0, -1), redis.call('PTTL', KEYS[1])}
"""


async def read(redis: "Redis", bank: str) -> tuple[RelayedState, float] | None:
    """A bank's whole board as Redis holds it, and its age in seconds; None if it holds none.

    The age is by Redis' own clock alone, and as old as can be where that is behind the clock of the node that
    was written to. Raises RedisError, and ValueError for what no server of ours wrote.
    """
    client: Any = redis
    flat, hits, left_ms = await client.eval(_READ, 2, *keys_of(bank)[:2])
    fields = dict(zip(flat[::2], flat[1::2], strict=True))
    if not fields:
        return None
    said = RelayedState(
        rev=msgspec.convert([int(fields[name]) for name in (b"epoch", b"seq", b"beat")], type=Rev),
        after=None,
        trusted=fields[b"trusted"] == b"1",
        links={
            name.decode().removeprefix("link:"): msgspec.json.decode(value, type=RelayedLink)
            for name, value in fields.items()
            if name.startswith(b"link:")
        },
        signs=msgspec.json.decode(fields[b"signs"], type=SignKeys),
        hits=[msgspec.json.decode(hit, type=Hit) for hit in hits],
    )
    known = 0 <= left_ms <= EXPIRE_MS + BEAT_S * 1000
    return said, max(EXPIRE_MS - left_ms, 0) / 1000 if known else EXPIRE_MS / 1000
