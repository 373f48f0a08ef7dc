"""What does the HTTP API answer? Every reply as a type; the published schema is made of these and the asks.

Sums are decimal strings in the site's currency (M1), rates per cent as in the configuration, moments unix
milliseconds. Ids are those of the floor protocol.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from jackpot.rules.signing import Role

Money = Annotated[
    str, Meta(pattern=r"^-?\d+\.\d{2,6}$", description='a sum, such as "10000.18", in the site\'s currency')
]
Rate = Annotated[str, Meta(pattern=r"^\d{1,3}(\.\d{1,2})?%$", description='such as "15%" or "0.25%"')]
Moment = Annotated[int, Meta(ge=0, description="unix milliseconds")]


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """A JSON object."""


class Site(Reply, frozen=True):
    """Where the server stands. id: of the ledger. server: of this process, where several share the ledger."""

    name: str
    id: str
    currency: str
    locale: str
    timezone: str
    gaming_day_ends: str
    server: str | None
    version: str


class Bank(Reply, frozen=True):
    """A bank, as this server sees it. holder: a server's id, machine, process and program. why: of `here`."""

    bank: str
    holder: str
    epoch: int
    seq: int
    here: Literal["held", "unconfirmed", "standby", "stopped"]
    why: str


class Banks(Reply, frozen=True):
    banks: tuple[Bank, ...]


class Elsewhere(Reply, frozen=True):
    """A bank that is left out of a list. server: the id of the one that has it, None where none is known."""

    bank: str
    why: str
    server: str | None


class ShownHit(Reply, frozen=True):
    """A percentage hit, as a level remembers its last ones (S1). before, after: where the meter stood."""

    hit: str
    table: str
    hand: str
    amount: Money
    at: Moment
    cycle: int
    before: Money
    after: Money


class Level(Reply, frozen=True):
    """All of S1. value: the live meter. wagers: counted in it. awards: all that it ever paid.

    undone_wagers, undone_hits: left out of the other counts.
    """

    level: str
    value: Money
    reserve: Money
    overflow: Money
    seed: Money
    reseed: Money
    limit: Money | None
    primary_rate: Rate
    reserve_rate: Rate
    cycle: int
    hits: int
    wins: Money
    wagers: int
    undone_hits: int
    undone_wagers: int
    house: Money
    contributions: Money
    corrections: Money
    transfers: Money
    awards: Money
    last_hits: tuple[ShownHit, ...]


class Difference(Reply, frozen=True):
    """A parameter that the configuration has otherwise than the journal (L9). fixed: it never changes."""

    what: str
    ledger: str
    configuration: str
    fixed: bool


class Left(Reply, frozen=True):
    """What stays on a level until two people decide on it: by so much a paid award would be higher (A11)."""

    left: str
    award: str
    level: str
    amount: Money


class Link(Reply, frozen=True):
    """reasons: why it takes no wagers. paid_by: standing awards of all levels, by who pays (A8).

    awards_outside: odds, envy and draws, which no meter pays. opened: when, where one link is asked for.
    """

    link: str
    bank: str
    paytable: str
    wager: Money
    state: Literal["active", "suspended", "closed"]
    reasons: tuple[str, ...]
    paid_by: dict[str, Money]
    awards_outside: Money
    levels: tuple[Level, ...]
    left: tuple[Left, ...]
    differences: tuple[Difference, ...]
    opened: Moment | None = None


class Links(Reply, frozen=True):
    links: tuple[Link, ...]
    elsewhere: tuple[Elsewhere, ...]


class Moved(Reply, frozen=True):
    """What an act would move on one level. house: what the house gets back. value: of the meter."""

    link: str
    level: str
    value: Money
    value_after: Money
    reserve: Money
    reserve_after: Money
    overflow: Money
    overflow_after: Money
    house: Money


class Preview(Reply, frozen=True):
    """moved: by level. differences: of a change of parameters."""

    moved: tuple[Moved, ...]
    differences: tuple[Difference, ...]


class Bet(Reply, frozen=True):
    seat: int
    link: str
    on: Literal["own", "dealer"]
    player: str | None


class Draw(Reply, frozen=True):
    magic_card: str | None = None
    lucky_box: int | None = None


class Round(Reply, frozen=True):
    """The unfinished round, or the last closed one while it can be reopened (T10).

    hits, asked: of a closed one; who asked to reopen it and waits for a second person. left_ms: for how long
    the table still waits with them; 0 once it plays on.
    """

    round: str
    state: Literal["open", "locked", "mismatch", "closed"]
    bets: tuple[Bet, ...] = ()
    chips: dict[str, int] = {}
    draw: dict[str, Draw] | None = None
    board: tuple[str, ...] = ()
    dealer: tuple[str, ...] = ()
    settled: tuple[int, ...] = ()
    hits: tuple[str, ...] = ()
    asked: str | None = None
    left_ms: int | None = None


class Table(Reply, frozen=True):
    """held: the hits whose cards must stay (T11). wagers: accepted ones by link, over its life (S6).

    behind: what it says that it has and the ledger has lost (S9).
    """

    table: str
    bank: str
    game: str
    links: tuple[str, ...]
    online: bool
    last_seq: int
    rounds: int
    wagers: dict[str, int]
    held: tuple[str, ...]
    behind: int | None
    round: Round | None


class Tables(Reply, frozen=True):
    tables: tuple[Table, ...]
    elsewhere: tuple[Elsewhere, ...]


class Award(Reply, frozen=True):
    """because: the seat whose hand earned an envy bonus. difference: journalled once it was paid (A10)."""

    award: str
    seat: int
    link: str
    level: str | None
    hand: str
    kind: Literal["meter", "odds", "envy", "draw"]
    amount: Money
    pays: Literal["cage", "inventory", "account"]
    status: Literal["pending", "validated", "paid", "final", "undone"]
    unverified: bool
    because: int | None
    difference: Money = "0.00"


class Step(Reply, frozen=True):
    """What people did with a hit, the newest first.

    facts: what they wrote on its papers; those that name somebody, for who has to do with payments alone.
    """

    what: Literal["validated", "paid", "undone", "corrected", "disputed", "lifted", "added", "erased"]
    at: Moment
    awards: tuple[str, ...]
    people: tuple[str, ...]
    reason: str
    document: str
    facts: dict[str, str] = {}


class Cards(Reply, frozen=True):
    """What a hit is paid for; cards in the order in which they were dealt, such as "As".

    own: of the hand, a player's or the dealer's; none where it was not shown. ranked: those that make the
    hand (H2). dealer: the dealer's, where they were sent. drawn: of a drawn bonus what was drawn (A7).
    """

    own: tuple[str, ...]
    board: tuple[str, ...]
    dealer: tuple[str, ...]
    ranked: tuple[str, ...]
    drawn: str


class Hit(Reply, frozen=True):
    """amount: the hand's own awards; what it earned others is `envy`.

    steps, cards: where one hit is asked for.

    disputed: the entry that holds its payment until two people lift that; None where none does.
    """

    hit: str
    bank: str
    link: str
    level: str | None
    table: str
    round: str
    seat: int | None
    hand: str
    unverified: bool
    amount: Money
    envy: Money
    difference: Money
    at: Moment
    status: Literal["pending", "validated", "final", "paid", "undone"]
    disputed: int | None
    awards: tuple[Award, ...]
    steps: tuple[Step, ...] = ()
    cards: Cards | None = None


class Hits(Reply, frozen=True):
    """more: what asks for the next ones, as `before` or `after`; None where there are none."""

    hits: tuple[Hit, ...]
    more: str | None


class Meter(Reply, frozen=True):
    """One level in a reading (S2)."""

    link: str
    level: str
    value: Money
    reserve: Money
    overflow: Money
    wagers: int
    hits: int


class Reading(Reply, frozen=True):
    """The meters at a gaming day's end, and the bank's head there."""

    day: str
    bank: str
    at: Moment
    seq: int
    epoch: int
    hash: str
    meters: tuple[Meter, ...]


class Readings(Reply, frozen=True):
    readings: tuple[Reading, ...]
    before: int | None


class Posting(Reply, frozen=True):
    """What an entry moved on one level, by account; level None for awards that no meter pays (M4)."""

    link: str
    level: str | None
    cycle: int
    accounts: dict[str, Money]


class Entry(Reply, frozen=True):
    """A row of the journal. event: its fields as they were decided; sums in it are micro-dollars.

    about, by, reason: the same in words, with sums as the site writes them; "" where nobody stood for it.
    """

    seq: int
    at: Moment
    epoch: int
    kind: str
    version: int
    table: str | None
    table_seq: int | None
    about: str
    by: str
    reason: str
    event: dict[str, Any]
    postings: tuple[Posting, ...]
    hash: str


class Journal(Reply, frozen=True):
    """before: what goes on with the search; a page may be empty where what is looked for is rare."""

    bank: str
    entries: tuple[Entry, ...]
    before: int | None


class Device(Reply, frozen=True):
    """keys: fingerprints of those it may greet with. blocked: two devices used one key."""

    role: Literal["table", "sign"]
    device: str
    links: tuple[str, ...]
    online: bool
    blocked: bool
    keys: tuple[str, ...]


class Person(Reply, frozen=True):
    """Somebody of the site. secret: whether they have chosen one. last_sign_in: None where it is long ago.

    code_from: who gave them their code, None where nobody did. recovered: they were made on the server's
    machine, because every admin was lost. vouched_by: which other admin vouched for them.
    """

    person: int
    login: str
    name: str
    roles: tuple[Role, ...]
    secret: bool
    ended: bool
    erased: bool
    last_sign_in: Moment | None
    code_from: int | None
    recovered: bool
    vouched_by: int | None


class People(Reply, frozen=True):
    people: tuple[Person, ...]


class OneTimeCode(Reply, frozen=True):
    """code: good once. until: its end."""

    person: int
    code: str
    until: Moment


class Devices(Reply, frozen=True):
    devices: tuple[Device, ...]


class Waiting(Reply, frozen=True):
    """What a second person answers. what: the act that waits, or that answers. asked: who asked, if anybody.

    request: what `confirm` and `reject` call it; then `fields` are those of the act that waits. left_ms: how
    long it waits yet, in milliseconds. asker: who asked, by number. roles: with one of which another person
    may confirm it. moved: what it would do now; seen: what it would have done when it was asked for. problem:
    why it would be refused now, "" where it would be done.
    """

    what: str
    bank: str
    request: str | None
    fields: dict[str, Any]
    table: str | None
    round: str | None
    acked: int | None
    last_seq: int | None
    asked: str | None
    left_ms: int | None
    asker: int | None = None
    roles: tuple[Role, ...] = ()
    moved: tuple[Moved, ...] = ()
    seen: tuple[Moved, ...] = ()
    problem: str = ""


class Requests(Reply, frozen=True):
    requests: tuple[Waiting, ...]
    elsewhere: tuple[Elsewhere, ...]


class Alarm(Reply, frozen=True):
    """What people must look at. alarm: what `acknowledge` calls it. means, then: of its kind, for everybody.

    where: a table, another device or a person. what: of the last time. seq, at: of the entry that raised it
    first. last: when it was raised last; times: how often.
    """

    alarm: str
    bank: str
    kind: str
    means: str
    then: str
    where: str
    what: str
    seq: int
    at: Moment
    last: Moment
    times: int


class Alarms(Reply, frozen=True):
    """The oldest first."""

    alarms: tuple[Alarm, ...]
    elsewhere: tuple[Elsewhere, ...]


class Refund(Reply, frozen=True):
    seat: int
    link: str
    on: Literal["own", "dealer"]
    amount: Money
    pays: Literal["cage", "inventory", "account"]


class Done(Reply, frozen=True, omit_defaults=True):
    """An act is done, and durable. left: by how much paid awards would be higher now (A11).

    difference: journalled against a paid award (A10). asked: it waits for a second person, who confirms
    `request`, if that is one. person: who was added, by number. suspended: the links that still take no
    wagers after a resumption, with why and what is next.
    """

    hit: str = ""
    awards: tuple[Award, ...] = ()
    warn: tuple[str, ...] = ()
    refunds: tuple[Refund, ...] = ()
    left: dict[str, Money] = {}
    difference: Money | None = None
    asked: bool = False
    request: str = ""
    person: int = 0
    suspended: dict[str, str] = {}


class HandedOver(Reply, frozen=True):
    """holder: who has the bank now."""

    bank: str
    holder: str


class Revoked(Reply, frozen=True):
    """revoked, left: fingerprints of the keys that ended, and of those that are still valid."""

    revoked: tuple[str, ...]
    left: tuple[str, ...]


class Problem(Reply, frozen=True, omit_defaults=True):
    """Why it was refused (RFC 9457). code: what `type` says. field: which field is wrong. next: what to do.

    hits: what stands in the way. bank, server: who has the bank, where this server has not.
    """

    type: str
    title: str
    status: int
    detail: str
    code: str
    field: str | None = None
    next: str = ""
    hits: tuple[str, ...] = ()
    bank: str | None = None
    server: str | None = None
