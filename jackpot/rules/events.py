"""The journal's events: facts, each kind with its number and version.

An event's bytes are its fields as a MessagePack array; next to it a row may hold the command
(`row_commands`). A kind's number never changes and is never used again; a field is only ever added at the
end, with a default, and the rules' version is raised.
"""

from collections.abc import Callable
from typing import ClassVar, Final

import msgspec

from controllers.messages import LampState
from jackpot.rules.meter import Accounts
from jackpot.rules.phrases import Values
from jackpot.rules.signing import People
from jackpot.rules.state import Award, DrawMade, HandShown, Placed, Sharer

# The version of the rules, and of the form of every event; each row names it. A release that decides or
# writes anything differently raises it, because newer rules do not decide again what older ones decided.
RULES_VERSION: Final = 9


class Event(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Base of all events: one decided command."""

    kind: ClassVar[int]


class Locking(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The lock of a round: no more bets. chips: the dealer's count by link, what was not sent is left out.
    draws: of each link wagered on that draws, won or lost, so that the source of randomness can be audited
    (A7). accepted: the wagers of each link whose count is missing or disagrees (T3). sums: the dealer's, as
    `chips`. wagered: what the wagers of each link in `accepted` come to, where they vary (B3); micro-dollars.
    players: who are dealt a hand (B10), 0 where it was not sent.
    """

    chips: dict[int, int]
    draws: list[DrawMade] = []
    accepted: dict[int, int] = {}
    sums: dict[int, int] = {}
    wagered: dict[int, int] = {}
    players: int = 0


class LevelChange(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The change of one level by an undo, per account (A11)."""

    link: int
    level: int
    change: Accounts


class LeftMade(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A residual amount on a meter: a paid award would have been worth `more` than it came to (A11).

    change: by how much that changed; micro-dollars.
    """

    link: int
    level: int
    award: int
    more: int
    change: int


class Recomputed(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The result of a recomputation.

    raised: (award, its new amount). left: what remains on the meter for a decision by two people.
    """

    changes: list[LevelChange]
    raised: list[tuple[int, int]] = []
    left: list[LeftMade] = []

    def grown(self) -> list[LeftMade]:
        """The part of the residual amount that is new."""
        return [one for one in self.left if one.change > 0]


class HitMade(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A hand and the awards it made. more: an earlier entry has made the hit, which gets more awards."""

    number: int
    seat: int
    link: int
    hand: str
    unverified: bool
    awards: list[Award]
    more: bool = False


class TakeMade(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A percentage award: which awards of this entry it is made of, in which order among its takes.

    moment: 0, or the past entry at which its turn was (T10).
    """

    link: int
    level: int
    rate: int
    order: int
    awards: list[int]
    moment: int = 0


class TriggerOpened(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a commitment had fixed (Y12). salt: 32 bytes. value: micro-dollars. raw: the random bytes that the
    value was drawn from. above, upto: the sum above which it was drawn, and the highest that it could be.
    """

    salt: bytes
    value: int
    raw: bytes
    above: int
    upto: int


class TriggerCommitted(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A new commitment of a level (Y12). number: it grows in its level for ever. digest: 32 bytes."""

    number: int
    digest: bytes


class LevelCounted(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The wagers of a closed round as they counted on a mystery level, one by one in payout order (Y3).

    wagers: how many. drawn: the raw bytes of the number of each wager that lifted the meter to where nothing
    was decided yet (Y2). What was won is a take of the entry, whose order names the wager's place. opened,
    committed: of a committed level, for each win in turn, what it opens and what it is committed to next.
    """

    link: int
    level: int
    wagers: int
    drawn: list[bytes] = []
    opened: list[TriggerOpened] = []
    committed: list[TriggerCommitted] = []


class Settlement(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Awards of one entry; takes in the order in which they were taken.

    recomputed: what the takes that were settled as if in the past come to (T10).
    """

    hits: list[HitMade] = []
    takes: list[TakeMade] = []
    recomputed: Recomputed | None = None


class Closing(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A round's end. counts: the table's own count by link. ours: by link, where it is another (S6).

    sums, our_sums: likewise what the wagers came to (B3); micro-dollars.
    """

    counts: dict[int, int]
    ours: dict[int, int] = {}
    sums: dict[int, int] = {}
    our_sums: dict[int, int] = {}


class Wagered(Event, frozen=True, array_like=True, gc=False):
    """Wagers were accepted.

    asked_ms: how long somebody had waited for a second person to reopen the round before (T10).

    It is 0 where nobody waited, and where this neither opens nor locks a round. A wait that began in an
    earlier epoch counts from the start of this one, since another server's clock may differ.

    tick: when it opened a round, where the table has `max_rounds_per_minute`, in milliseconds of the epoch's
    clock (L11). Otherwise 0.
    """

    kind: ClassVar[int] = 3
    round: str
    bets: list[Placed]
    locking: Locking | None = None
    asked_ms: int = 0
    tick: int = 0


class Withdrawn(Event, frozen=True, array_like=True, gc=False):
    kind: ClassVar[int] = 4
    round: str
    bets: list[Placed]
    recomputed: Recomputed


class Locked(Event, frozen=True, array_like=True, gc=False):
    """A round was locked.

    recount: a second lock, which corrects the count and nothing else. asked_ms: as in `Wagered`.
    """

    kind: ClassVar[int] = 5
    round: str
    locking: Locking
    recount: bool = False
    asked_ms: int = 0


class Settled(Event, frozen=True, array_like=True, gc=False):
    kind: ClassVar[int] = 6
    round: str
    shown: list[HandShown]
    board: bytes
    dealer: bytes
    made: Settlement
    sharers: list[Sharer]
    closing: Closing | None = None
    bonus: bytes = b""
    counted: list[LevelCounted] = []


class Closed(Event, frozen=True, array_like=True, gc=False):
    kind: ClassVar[int] = 7
    round: str
    closing: Closing
    made: Settlement
    counted: list[LevelCounted] = []


class Voided(Event, frozen=True, array_like=True, gc=False):
    """A round was voided. table: its number. people: empty if the table itself voided.

    undone: the numbers of the awards that were undone with it (B15). cause: the irregularity, "" where nobody
    named one. settles: the offers whose wagers stay, so that the round goes on with them (P5).
    """

    kind: ClassVar[int] = 8
    table: int
    round: str
    reason: str
    recomputed: Recomputed
    people: People = People()
    undone: list[int] = []
    cause: str = ""
    settles: list[int] = []


class LampReported(Event, frozen=True, array_like=True, gc=False):
    """A table said what the lamp of an award shows (P3). changed: it had not said so last."""

    kind: ClassVar[int] = 96
    hit: int
    award: int
    seat: int
    state: LampState
    changed: bool


FRAMES: Final[tuple[type[Event], ...]] = (Wagered, Withdrawn, Locked, Settled, Closed, Voided, LampReported)
"""What a frame of a table comes to where it is carried out."""


class Refused(Event, frozen=True, array_like=True, gc=False):
    """A durable nack. template, values: as in `phrases.Phrase`. suspended: the links that an internal error
    stopped.
    """

    kind: ClassVar[int] = 9
    code: str
    template: str
    values: Values
    hits: list[int] = []
    suspended: list[int] = []


encode: Final[Callable[[Event], bytes]] = msgspec.msgpack.Encoder().encode
"""An event's canonical bytes."""
