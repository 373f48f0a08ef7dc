"""What happened? The journal's events: facts, each kind with its number and version.

An event's body is its fields as a MessagePack array. A kind's number never changes and is never used
again; a field is only ever added at the end, with a default, and the rules' version is raised.
"""

import re
from typing import ClassVar, Final

import msgspec

from jackpot.rules import names
from jackpot.rules.meter import Accounts
from jackpot.rules.paytable import LinkTerms, TableTerms
from jackpot.rules.state import Answered, Award, DrawMade, Shown, Waiting

# The version of the rules, and of the form of every event; each row names it. A release that decides or
# writes anything differently raises it, because newer rules do not decide again what older ones decided.
RULES_VERSION: Final = 1


class People(msgspec.Struct, frozen=True, array_like=True):
    """Who stands for an act. proved: they signed in; names given on the server's machine are not proved."""

    names: tuple[str, ...] = ()
    proved: bool = False

    def count(self) -> int:
        """How many different people they are, however their names are written."""
        return len({names.plain(name) for name in self.names} - {""})


class Event(msgspec.Struct, frozen=True, array_like=True):
    """One decided command."""

    kind: ClassVar[int]


class LinkOpened(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 1
    number: int
    terms: LinkTerms


class TableOpened(Event, frozen=True, array_like=True):
    """A new table, or new terms of a known one."""

    kind: ClassVar[int] = 2
    number: int
    terms: TableTerms


class Locking(msgspec.Struct, frozen=True, array_like=True):
    """No more bets. chips: the dealer's count by link, what was not sent is left out. draws: of each link
    wagered on that draws, won or lost, so that the source of randomness can be audited (A7).
    """

    chips: dict[int, int]
    draws: list[DrawMade] = []


class Placed(msgspec.Struct, frozen=True, array_like=True):
    seat: int
    link: int
    dealer: bool = False
    player: str | None = None


class LevelChange(msgspec.Struct, frozen=True, array_like=True):
    """What an undo moves on one level, per account (A11)."""

    link: int
    level: int
    change: Accounts


class Recomputed(msgspec.Struct, frozen=True, array_like=True):
    """What an undo comes to.

    raised: (award, its new amount). left: (paid award, what it would have been worth more; that remains
    on the meter for a decision by two people).
    """

    changes: list[LevelChange]
    raised: list[tuple[int, int]] = []
    left: list[tuple[int, int]] = []


class HitMade(msgspec.Struct, frozen=True, array_like=True):
    """A hand and the awards it made. more: an earlier entry has made the hit, which gets more awards."""

    number: int
    seat: int
    link: int
    hand: str
    unverified: bool
    awards: list[Award]
    more: bool = False


class TakeMade(msgspec.Struct, frozen=True, array_like=True):
    """A percentage award: which awards of this entry it is made of, in which order among its takes.

    moment: 0, or the past entry at which its turn was (T10).
    """

    link: int
    level: int
    rate: int
    order: int
    awards: list[int]
    moment: int = 0


class Settlement(msgspec.Struct, frozen=True, array_like=True):
    """Awards of one entry; takes in the order in which they were taken.

    recomputed: what the takes that were settled as if in the past come to (T10).
    """

    hits: list[HitMade] = []
    takes: list[TakeMade] = []
    recomputed: Recomputed | None = None


class Closing(msgspec.Struct, frozen=True, array_like=True):
    """A round's end. counts: the table's own count by link, compared with ours (S6)."""

    counts: dict[int, int]


class Wagered(Event, frozen=True, array_like=True):
    """asked_ms: how long somebody had waited for a second person to reopen the round before (T10).

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


class Withdrawn(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 4
    round: str
    bets: list[Placed]
    recomputed: Recomputed


class Locked(Event, frozen=True, array_like=True):
    """recount: a second lock, which corrects the count and nothing else. asked_ms: as in `Wagered`."""

    kind: ClassVar[int] = 5
    round: str
    locking: Locking
    recount: bool = False
    asked_ms: int = 0


class Settled(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 6
    round: str
    shown: list[Shown]
    board: bytes
    dealer: bytes
    made: Settlement
    waiting: list[Waiting]
    closing: Closing | None = None


class Closed(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 7
    round: str
    closing: Closing
    made: Settlement


class Voided(Event, frozen=True, array_like=True):
    """table: its number. people: empty if the table itself voided."""

    kind: ClassVar[int] = 8
    table: int
    round: str
    reason: str
    recomputed: Recomputed
    people: People = People()


class Refused(Event, frozen=True, array_like=True):
    """A durable nack. suspended: the links that an internal error stopped."""

    kind: ClassVar[int] = 9
    code: str
    message: str
    hits: list[int] = []
    suspended: list[int] = []


class Validated(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 10
    hit: int
    awards: list[int]
    people: People


class Paid(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 11
    hit: int
    awards: list[int]
    people: People


class Undone(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 12
    hit: int
    awards: list[int]
    reason: str
    recomputed: Recomputed
    people: People


class Corrected(Event, frozen=True, array_like=True):
    """amount: micro-dollars, what the award comes to now.

    Where it was paid before, the difference is journalled against it, under a document's number.
    """

    kind: ClassVar[int] = 13
    hit: int
    award: int
    amount: int
    reason: str
    recomputed: Recomputed
    people: People
    document: str = ""


class Released(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 14
    table: int
    hits: list[int]
    reason: str
    people: People


class Struck(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 15
    table: int
    round: str
    bet: Placed
    reason: str
    recomputed: Recomputed
    people: People


class Reopened(Event, frozen=True, array_like=True):
    """people: the two who stand for it, whether they acted at once or one after the other."""

    kind: ClassVar[int] = 16
    table: int
    round: str
    reason: str
    people: People


class FoundBehind(Event, frozen=True, array_like=True):
    """A table says that it holds answers, up to `acked`, that this ledger has lost (S9).

    since: the entry after which the epoch began. suspends: the bank, for another table said so since then
    and waits for people, or no other has ever played.
    """

    kind: ClassVar[int] = 17
    table: int
    acked: int
    since: int
    suspends: bool


class BehindConfirmed(Event, frozen=True, array_like=True):
    """missing: how many answers the ledger has lost; 0 where people do not believe the table."""

    kind: ClassVar[int] = 18
    table: int
    acked: int
    missing: int
    reason: str
    people: People
    believed: bool


class BehindOver(Event, frozen=True, array_like=True):
    """A table that was not believed has named a number, `acked`, that the ledger has."""

    kind: ClassVar[int] = 29
    table: int
    acked: int


class Believed(msgspec.Struct, frozen=True, array_like=True):
    """A table's number that people believe, and how many answers the ledger has lost."""

    table: int
    acked: int
    missing: int


class Suspended(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 19
    links: list[int]
    reason: str
    people: People = People()
    note: str = ""


class Resumed(Event, frozen=True, array_like=True):
    """believed: the tables whose lost tail the same act confirms (S9)."""

    kind: ClassVar[int] = 20
    links: list[int]
    reason: str
    people: People = People()
    note: str = ""
    believed: list[Believed] = []


class ReadingTaken(Event, frozen=True, array_like=True):
    """meters: (link, level, primary, reserve, overflow, wagers counted, hits counted)."""

    kind: ClassVar[int] = 21
    day: str
    meters: list[tuple[int, int, int, int, int, int, int]]


class DeviceBlocked(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 22
    role: str
    device: str


class DeviceCleared(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 23
    role: str
    device: str
    people: People


class KeyEnded(Event, frozen=True, array_like=True):
    """people: who revoked it; none where a rotation ended it."""

    kind: ClassVar[int] = 24
    role: str
    device: str
    fingerprint: str
    people: People = People()


class CarriedLevel(msgspec.Struct, frozen=True, array_like=True):
    """A level at rest; its counts as in the state."""

    accounts: Accounts
    cycle: int
    wagers: int
    hits: int
    wins: int
    undone_wagers: int
    undone_hits: int
    joined: list[tuple[int, int]]


class CarriedLink(msgspec.Struct, frozen=True, array_like=True):
    terms: LinkTerms
    outside: Accounts
    levels: list[CarriedLevel]
    suspended: list[str]
    paid_by: dict[str, int]


class CarriedTable(msgspec.Struct, frozen=True, array_like=True):
    """counts: by its old bank's link numbers."""

    terms: TableTerms
    last_seq: int
    answers: list[Answered]
    ended: str
    counts: dict[int, int]
    rounds: int
    disbelieved: int


class HandedOn(msgspec.Struct, frozen=True, array_like=True):
    """What one bank gives to the next."""

    links: list[CarriedLink]
    tables: list[CarriedTable]
    next_hit: int
    next_award: int
    last_day: str
    blocked: list[tuple[str, str]]
    ended: list[tuple[str, str, str]]
    refusals: dict[str, int]
    site: str


class BankClosed(Event, frozen=True, array_like=True):
    """The last entry of a bank: everything that it had goes into another one."""

    kind: ClassVar[int] = 25
    into: str
    handed_on: HandedOn
    people: People
    reason: str


class BankBegun(Event, frozen=True, array_like=True):
    """The first entry of a bank that others became. heads: of each, its name, last entry and its hash."""

    kind: ClassVar[int] = 26
    heads: list[tuple[str, int, bytes]]
    parts: list[HandedOn]


class ReopenAsked(Event, frozen=True, array_like=True):
    """One person wants a closed round opened again. tick: when, by the server's monotonic clock, in ms."""

    kind: ClassVar[int] = 27
    table: int
    round: str
    reason: str
    tick: int
    people: People


class ReopenDeclined(Event, frozen=True, array_like=True):
    """Somebody says that the closed round stays closed."""

    kind: ClassVar[int] = 28
    table: int
    round: str
    reason: str
    people: People


class BankOpened(Event, frozen=True, array_like=True):
    """The first entry of any other bank. site: whose ledger it is in. people: none at the ledger's making."""

    kind: ClassVar[int] = 30
    site: str
    people: People = People()


KINDS: dict[int, type[Event]] = {event.kind: event for event in Event.__subclasses__()}

_encoder = msgspec.msgpack.Encoder()
_decoders = {kind: msgspec.msgpack.Decoder(event) for kind, event in KINDS.items()}


def name_of(kind: int) -> str:
    """What people call a kind: `link_opened`."""
    event = KINDS.get(kind)
    return f"kind {kind}" if event is None else re.sub(r"(?<!^)([A-Z])", r"_\1", event.__name__).lower()


class UnknownEventError(Exception):
    """The journal holds a kind or version that this program does not know: it is too old for it."""


def encode(event: Event) -> bytes:
    """The event's canonical bytes."""
    return _encoder.encode(event)


def decode(kind: int, version: int, body: bytes) -> Event:
    """The event of a journal row; raises UnknownEventError, or msgspec.DecodeError if it is damaged."""
    event = KINDS.get(kind)
    if event is None or not 1 <= version <= RULES_VERSION:
        message = f"event kind {kind} version {version} is unknown to this program"
        raise UnknownEventError(message)
    return _decoders[kind].decode(body)
