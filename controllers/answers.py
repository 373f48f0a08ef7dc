"""Messages from the server, their fields, and the JSON Schema of both sides' messages.

A decision is answered with one of these values, which is encoded once, when it is sent. A field that is
always present has no default here; UNSET stands where a key is left out.
"""

import json
import sys
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from controllers.messages import (
    SEATS,
    Cards,
    Command,
    Hello,
    Id,
    Int,
    Item,
    LampState,
    Message,
    On,
    Ping,
    Players,
    Pong,
    Seat,
    Seq,
)

Money = Annotated[int, Meta(ge=0, le=2**53 - 1, description="cents")]
Moment = Annotated[int, Meta(ge=0, le=2**53 - 1, description="unix milliseconds")]
LinkState = Literal["active", "suspended"]
Pays = Literal["cage", "inventory", "account"]
StakeAt = Literal["layout", "inventory"]
"""Where a wager with fixed odds is: where it lay on the layout, or in the inventory, which pays it back."""
RefundPays = Literal["cage", "inventory", "account", "layout"]
Name = Annotated[str, Meta(max_length=64)]
"""A name of ours, such as a hit's id, a level or a hand."""

TOO_LONG: Final = "too_long"
"""The warning of an ack that was too large with its lists: the floor page has them."""


class Challenge(Message, tag="challenge", frozen=True):
    v: Literal[1]
    nonce: Annotated[bytes, Meta(min_length=16, max_length=16)]
    server: str


Need = Literal["cards", "board", "dealer", "bonus", "players"]
"""A field that decides a wager: a hand's own cards, those of no seat, how many are dealt a hand (lock)."""


class LinkFacts(Item, frozen=True):
    """A link. Of an offer, which has no levels, also its bounds.

    least, most, unit: of a wager's amount. placed: on the device or on the layout. count: the dealer's count
    comes with the lock. needs: the fields of lock and settle that its wagers need. must_hit_by: of a mystery
    link, by level the sum by which the meter is won.
    """

    link: Id
    wager: Money
    paytable: str
    levels: tuple[str, ...]
    state: LinkState
    least: Money | UnsetType = UNSET
    most: Money | UnsetType = UNSET
    unit: Money | UnsetType = UNSET
    placed: Literal["device", "layout"] | UnsetType = UNSET
    count: bool | UnsetType = UNSET
    needs: tuple[Need, ...] | UnsetType = UNSET
    must_hit_by: dict[str, Money] | UnsetType = UNSET


class StandingBet(Item, frozen=True):
    """An accepted wager. amount: of one on an offer, in cents; any other is of its link's amount."""

    seat: Seat
    link: Id
    on: On
    player: str | None
    amount: Money | UnsetType = UNSET


class Drawn(Item, frozen=True):
    """The draw of one link (A7)."""

    magic_card: str | None = None
    lucky_box: Int | None = None


class AbandonedSeat(Item, frozen=True, omit_defaults=False):
    """A seat whose player left the table. confirmed: by a floorperson, so that its wagers have lost."""

    seat: Seat
    confirmed: bool


class RoundFacts(Item, frozen=True):
    """The table's round: closed and void only in a push. sums: what the dealer's chips on offers came to.

    bonus, players: as the table has sent them, where it has. abandoned: the seats whose players left, and
    whether a floorperson has confirmed it.
    """

    round: Id
    state: Literal["open", "locked", "mismatch", "closed", "void"]
    bets: tuple[StandingBet, ...]
    chips: dict[str, Int]
    draw: dict[str, Drawn] | None
    board: tuple[str, ...]
    dealer: tuple[str, ...]
    settled: tuple[Seat, ...]
    sums: dict[str, Int] | UnsetType = UNSET
    bonus: tuple[str, ...] | UnsetType = UNSET
    players: Players | UnsetType = UNSET
    abandoned: tuple[AbandonedSeat, ...] | UnsetType = UNSET


class AwardFacts(Item, frozen=True):
    """An award. A table is told one as pending, validated or final; people are told of any.

    because: the seat whose hand earned an envy bonus, or was beaten (Bad Beat), 0 for the dealer's.
    stake: the wager that N to 1 returns besides the amount, in cents. stake_at: where it is. lamp: what the
    table said last of its lamp, if it did.
    """

    award: str
    hit: str
    seat: Seat
    link: Id
    level: str | None
    hand: str
    kind: Literal["meter", "odds", "envy", "draw"]
    amount: Money
    pays: Pays
    status: Literal["pending", "validated", "paid", "final", "undone"]
    unverified: bool
    because: Annotated[int, Meta(ge=0, le=SEATS)] | None
    light: bool
    stake: Money | UnsetType = UNSET
    stake_at: StakeAt | UnsetType = UNSET
    lamp: LampState | UnsetType = UNSET


class Refund(Item, frozen=True):
    """A wager that goes back. on: the seat whose hand it was on."""

    seat: Seat
    link: Id
    on: On
    amount: Money
    pays: RefundPays


class Ack(Message, tag="ack", frozen=True):
    """The answer to a command that was done. left: cents by which awards paid already would be higher now.

    They stay on the meter, and are a matter of people: the table has nothing to do about it.
    """

    seq: Seq
    awards: tuple[AwardFacts, ...] = ()
    draw: dict[str, Drawn] | None = None
    warn: tuple[str, ...] = ()
    refunds: tuple[Refund, ...] | UnsetType = UNSET
    left: dict[str, Money] | None = None


class Nack(Message, tag="nack", frozen=True):
    """A refusal. expected: the seq that the table sends next; where it is given, no number was used up.

    link: the one that takes no wagers, where that is why.
    """

    seq: Seq
    code: str
    message: str
    expected: Seq | None = None
    hits: tuple[str, ...] = ()
    link: Id | UnsetType = UNSET


class Welcome(Message, tag="welcome", frozen=True, kw_only=True, omit_defaults=False):
    """The answer to a hello. last_seq, last, held and round are empty for a sign, and left out for a browser.

    last_follows: the answer to last_seq is the next frame, for there was no room for it here.
    """

    v: Literal[1]
    session: str
    heartbeat_ms: Annotated[int, Meta(ge=1)]
    last_seq: Int | UnsetType = UNSET
    last: Ack | Nack | UnsetType | None = UNSET
    held: bool | UnsetType = UNSET
    links: tuple[LinkFacts, ...]
    round: RoundFacts | UnsetType | None = UNSET
    last_follows: bool | UnsetType = UNSET


class Error(Message, tag="error", frozen=True):
    """The last message before the server closes. servers: addresses to try, with `not_active`."""

    code: str
    message: str
    servers: tuple[str, ...] | UnsetType = UNSET


class Meters(Message, tag="meters", frozen=True):
    """Meters, each with its level. must_hit_by: of those of mystery links in a whole snapshot."""

    bank: Id
    rev: Int
    at: Moment
    values: tuple[tuple[Id, str, Money], ...]
    must_hit_by: tuple[tuple[Id, str, Money], ...] | UnsetType = UNSET


class Hit(Message, tag="hit", frozen=True):
    """A percentage award. cards: those that made the hand, as people lay it; not of one claimed by name."""

    hit: Name
    link: Id
    level: Name
    hand: Name
    table: Id
    amount: Money
    cycle: Int
    bank: Id
    rev: Int
    at: Moment
    cards: Cards | UnsetType = UNSET


class Award(AwardFacts, tag_field="t", tag="award", frozen=True):
    """A changed award of the table."""


class Status(Message, tag="status", frozen=True):
    hit: Name
    status: Literal["validated", "paid", "undone", "raised", "released"]
    award: Name | None = None
    amount: Money | None = None


class Round(RoundFacts, tag_field="t", tag="round", frozen=True):
    """A change of the table's round by people. refunds: the wagers that went back with it."""

    refunds: tuple[Refund, ...] | UnsetType = UNSET


class Link(Message, tag="link", frozen=True):
    """A link's state. must_hit_by: as in a welcome; it may change when a cycle begins."""

    link: Id
    state: LinkState
    reason: str
    must_hit_by: dict[str, Money] | UnsetType = UNSET


class WaitingHit(Item, frozen=True):
    hit: Name
    level: Name
    table: Id
    amount: Money


Day = Annotated[str, Meta(max_length=10, description="a date, such as 2026-12-24")]


class Notice(Item, frozen=True):
    """An announcement: from a day on a wager is no longer taken, or a figure is another one.

    last: the day is the last one on which it is taken. table: at that table alone. amount: in place of
    closing, what the limit becomes, in cents: of the level named; without one, of wagers on an offer; with a
    table, of what its base wagers pay. seed, rate: in place of these, with how many cents a mystery level
    begins, and how many hundredths of a per cent of a wager it gains.
    """

    day: Day
    table: Id | UnsetType = UNSET
    level: Name | UnsetType = UNSET
    amount: Money | UnsetType = UNSET
    last: Literal[True] | UnsetType = UNSET
    seed: Money | UnsetType = UNSET
    rate: Annotated[int, Meta(ge=1, le=10_000)] | UnsetType = UNSET


class State(Message, tag="state", frozen=True):
    """The facts of a link that a sign shows besides its meters. notices: what was announced, where anything
    was.
    """

    link: Id
    state: Literal["normal", "pending", "win", "suspended", "fault"]
    reason: str
    waiting: tuple[WaitingHit, ...]
    notices: tuple[Notice, ...] | UnsetType = UNSET


PostedPays = Literal["percent", "for", "to", "fixed", "push"]
"""What a posted row pays: basis points of a level's meter, N for 1, N to 1, cents, or the wager alone."""


class PostedRow(Item, frozen=True):
    """A row of a paytable, as it is posted. of: the N of `for` and `to`, basis points, or cents.

    per: of odds such as 3 to 2, the 2. level: of `percent`. suits: which it is for, "" for all. least: the
    lowest rank of a pair that it pays, "" for any. players: the N of `to` by how many players the round has,
    one first.
    """

    hand: Name
    pays: PostedPays
    of: Money = 0
    per: Int = 1
    level: Name = ""
    suits: str = ""
    least: str = ""
    players: tuple[Int, ...] = ()


class PostedEnvy(Item, frozen=True):
    """The envy bonus of each other player for one hand, in cents."""

    hand: Name
    amount: Money
    suits: str = ""


class PostedWager(Item, frozen=True):
    """A wager that a table takes on a link or an offer. least, most, unit: of its amount, in cents.

    magic, lucky: the N for 1 of a draw, 0 without one. limits: of the meters that have one, in cents.
    must_hit_by: of a mystery link, by level the sum by which it is won.
    """

    link: Id
    title: str
    paytable: str
    placed: Literal["device", "layout"]
    least: Money
    most: Money
    unit: Money
    rows: tuple[PostedRow, ...]
    envy: tuple[PostedEnvy, ...] = ()
    magic: Int = 0
    lucky: Int = 0
    limits: dict[str, Money] = msgspec.field(default_factory=dict)
    must_hit_by: dict[str, Money] = msgspec.field(default_factory=dict)


class PostedBase(Item, frozen=True):
    """The odds of a wager that the table's own game settles, and never sends."""

    title: str
    paytable: str
    rows: tuple[PostedRow, ...]


class Paytable(Message, tag="paytable", frozen=True):
    """All that is posted at one table. payout_limit: what its base wagers pay at most, in cents.

    phrases: what the rules want to be read there, in the site's language.
    """

    table: Id
    game: Name
    wagers: tuple[PostedWager, ...]
    base: tuple[PostedBase, ...] = ()
    payout_limit: Money | None = None
    phrases: tuple[str, ...] = ()


TEXT_MAX: Final = 256
"""Characters of a `message`: enough for a reader, and no answer grows by it."""


def shortened(text: str) -> str:
    """A message's text, cut to the maximum length."""
    return text if len(text) <= TEXT_MAX else text[: TEXT_MAX - 3] + "..."


def reduced(answer: Ack | Nack) -> Ack | Nack:
    """Replacement for an answer that does not fit in a frame: the same decision, without its lists.

    No answer decided now is so long; a ledger written before may hold one.
    """
    if isinstance(answer, Ack):
        return Ack(answer.seq, warn=(TOO_LONG,))
    return Nack(answer.seq, answer.code, shortened(answer.message), answer.expected)


ServerMessage = (
    Challenge
    | Welcome
    | Ack
    | Nack
    | Error
    | Meters
    | Hit
    | Award
    | Status
    | Round
    | Link
    | State
    | Paytable
    | Ping
    | Pong
)
DeviceMessage = Hello | Command | Ping | Pong


def floor_schema() -> dict[str, Any]:
    """The JSON Schema of every message; binary fields are base64 text."""
    (device, server), parts = msgspec.json.schema_components((DeviceMessage, ServerMessage))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Floor protocol, version 1",
        "description": "Messages as MessagePack maps; unknown keys are ignored.",
        "anyOf": [{"$ref": "#/$defs/DeviceMessage"}, {"$ref": "#/$defs/ServerMessage"}],
        "$defs": {"DeviceMessage": device, "ServerMessage": server, **parts},
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(floor_schema(), indent=2) + "\n")
