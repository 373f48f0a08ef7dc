"""The form of a worked example: plain data that any implementation of the rules can be run against.

An example names links, tables and a script of steps; every step says what must be answered, and the
example says what every meter must be at the end. All money is written as decimal strings in dollars;
nothing here computes an expectation, and the arithmetic stands in the comments next to the numbers.

A hand is known by its round, seat and link: no two that win in rounds of one name have the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

LIR = "let-it-ride"
UTH = "ultimate-texas-holdem"
THREE = "three-card"
FOUR = "four-card"
CRISS = "criss-cross"
MACHINE = -1
DEALER = 0  # the "seat" of the dealer's hand in Hand and Prize
Message = dict[str, Any]
MICROS = 1_000_000


def usd(text: str) -> int:
    """Dollars as micro-dollars: "10,130.00" -> 10130000000."""
    if text.startswith("-"):
        return -usd(text[1:])
    whole, _, part = text.replace(",", "").replace("$", "").partition(".")
    return int(whole or "0") * MICROS + int((part + "000000")[:6])


def cents(text: str) -> int:
    return usd(text) // 10_000


@dataclass(frozen=True)
class Link:
    """Options, where given.

    seed, reseed, limit as {level: "dollars"}; primary, reserve as {level: "12.5"} in percent; validate_at
    as "dollars"; envy_approved as {hand: "dollars"}; simultaneous, floor_to_seed, envy, count_chips,
    hold_table, magic_every, lucky_every.
    """

    name: str
    paytable: str
    wager: str = "1.00"
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    name: str
    game: str = LIR
    seats: int = 7
    links: tuple[str, ...] = ("L",)
    adjacent_boxes: int = 2
    per_minute: int = 0  # rounds; 0 where nobody watches


@dataclass(frozen=True)
class Won:
    """One award of an answer."""

    seat: int
    kind: str  # meter | odds | envy | draw
    amount: str
    hand: str
    level: str | None = None
    because: int | None = None
    status: str = "pending"
    pays: str = ""  # "" means cage for a meter award, else inventory
    unverified: bool = False
    link: str = "L"

    @property
    def payer(self) -> str:
        return self.pays or ("cage" if self.kind == "meter" else "inventory")


@dataclass(frozen=True)
class Hand:
    """A hit, known by its round, the seat of the hand (DEALER for the dealer's) and the link."""

    round: str
    seat: int
    link: str = "L"


@dataclass(frozen=True)
class Prize:
    """One award of a hit: to which seat and of which kind."""

    hand: Hand
    seat: int
    kind: str = "meter"


@dataclass(frozen=True)
class Now:
    """An award's status; in a step's `changed`, its new one."""

    prize: Prize
    amount: str
    status: str


@dataclass(frozen=True)
class Frame:
    """A table's command. `code` None: acknowledged with exactly these awards; else refused with the code."""

    table: str
    message: Message
    awards: tuple[Won, ...] = ()
    code: str | None = None
    refunds: tuple[str, ...] = ()  # "LINK:SEAT", or "LINK:SEAT:account" where the account gets it back
    warn: bool = False
    changed: tuple[Now, ...] = ()  # later awards that were raised or became pending again
    draws: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Signer:
    """A person who signs. means: secret, token, login or code; given_by: whose code they first came with.

    That is MACHINE for an admin whom the machine's operator made later than the first two. vouched: which
    other admin said since that they are somebody of their own. lost: the row by which they lost a right last.
    """

    id: int
    roles: tuple[str, ...]
    means: str = "secret"
    given_by: int = 0
    vouched: int = 0
    lost: int = 0


@dataclass(frozen=True)
class Act:
    """Something people do. `on` is a Hand, a Prize, or None; `fields` what else the command needs.

    `correct` takes the `amount` that the award ought to have, and a `document` once it is paid;
    `correct_meter` the `link`, `level`, `account` and a signed `amount`; `change` the `link` and new options
    as of Link; `transfer` and `close_link` the `link`, where it goes `to`, and `levels` where names differ.
    Kinds: validate pay undo correct add_papers release strike void_round reopen decline suspend resume
    correct_meter change transfer close_link reading.

    What is on a hit's papers: `wrote` (dealer, witness, surveillance), `document`, `patron`, `tax_form`, and
    `tax_number` if that is not there with the form. What a site wants of a payment: `needs`, and `tax_from`
    in cents.

    signed: who signs it, instead of so many `people` whose names nobody proves. Then `asked` says that it
    waits for another person, who may `confirm` the `request` of that number, or `reject` it. Who asked signs
    a `confirm` first. why: what it is refused with, where that matters. shown: the number of the Look that
    showed them what it would do.
    """

    kind: str
    on: Hand | Prize | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    people: int = 1
    ok: bool = True
    signed: tuple[Signer, ...] = ()
    asked: int | None = None
    changed: tuple[Now, ...] = ()  # other awards that were raised; exactly these
    left: tuple[Now, ...] = ()  # paid awards that stay, with the amount left on the meter for a decision
    why: str = ""
    shown: int = 0


@dataclass(frozen=True)
class Look:
    """A preview of an act, remembered by that number; or why it is refused."""

    number: int
    act: Act


@dataclass(frozen=True)
class Wait:
    """A wait of so many milliseconds, or a takeover by a server with another clock."""

    ms: int = 0
    take_over: bool = False


@dataclass(frozen=True)
class RepeatWagers:
    """n wagers on `link` at `table`, in whole rounds of all its seats (the last smaller), nobody winning."""

    table: str
    link: str
    n: int
    wager: str = "1.00"
    prefix: str = "fill"


@dataclass(frozen=True)
class Level:
    """A level's accounts. house: seeds, reseeds, top-ups and make-goods less returns; wagers: contributions
    net of refunds; awards net of undone ones; transfers in less out. house + wagers + corrections +
    transfers = primary + reserve + overflow + awards, always (M4).
    """

    primary: str
    house: str
    wagers: str
    awards: str = "0"
    reserve: str = "0"
    overflow: str = "0"
    cycle: int = 1
    corrections: str = "0"
    transfers: str = "0"


@dataclass(frozen=True)
class Check:
    """The meters in the middle of a script: link, level ("" for the one unnamed), what it must be."""

    meters: Mapping[tuple[str, str], Level]


Step = Frame | Act | RepeatWagers | Check | Look | Wait


@dataclass(frozen=True)
class Example:
    name: str
    rules: tuple[str, ...]
    source: str
    links: tuple[Link, ...]
    tables: tuple[Table, ...]
    steps: tuple[Step, ...]
    meters: Mapping[tuple[str, str], Level]
    awards: tuple[Now, ...] = ()  # how these awards stand at the end
    held: tuple[str, ...] = ()  # tables held for their papers at the end


def cards(text: str) -> list[str]:
    return text.split()


def bets(
    link: str,
    seats: list[int],
    amount: str = "1.00",
    on: str = "own",
    players: Mapping[int, str] | None = None,
) -> list[Message]:
    out: list[Message] = []
    for seat in seats:
        bet: Message = {"seat": seat, "link": link, "amount": cents(amount)}
        if on != "own":
            bet["on"] = on
        if players and seat in players:
            bet["player"] = players[seat]
        out.append(bet)
    return out


def wager(
    round_: str, *lists: list[Message], lock: bool = True, chips: Mapping[str, int] | None = None
) -> Message:
    message: Message = {"t": "wager", "round": round_, "bets": [bet for some in lists for bet in some]}
    if lock:
        message["lock"] = True
    if chips is not None:
        message["chips"] = dict(chips)
    return message


def plain(round_: str, seats: list[int], link: str = "L", amount: str = "1.00") -> Message:
    """One wager a seat on one link, and the lock."""
    return wager(round_, bets(link, seats, amount))


def withdraw(round_: str, seat: int, link: str = "L") -> Message:
    return {"t": "withdraw", "round": round_, "bets": [{"seat": seat, "link": link}]}


def lock(round_: str, chips: Mapping[str, int] | None = None) -> Message:
    return {"t": "lock", "round": round_} | ({} if chips is None else {"chips": dict(chips)})


def shown(seat: int, text: str = "", **more: Any) -> Message:
    """One hand of a settlement: its cards, and whatever else (hand, suit, link, folded)."""
    return {"seat": seat} | ({"cards": cards(text)} if text else {}) | more


def settle(round_: str, *hands: Message, board: str = "", dealer: str = "", close: bool = True) -> Message:
    message: Message = {"t": "settle", "round": round_, "hands": list(hands)}
    if board:
        message["board"] = cards(board)
    if dealer:
        message["dealer"] = cards(dealer)
    if close:
        message["close"] = True
    return message


def close(round_: str, counts: Mapping[str, int] | None = None) -> Message:
    return {"t": "close", "round": round_} | ({} if counts is None else {"counts": dict(counts)})


def void(round_: str, **more: Any) -> Message:
    return {"t": "void", "round": round_, "reason": "misdeal", **more}


def envies(
    seats: list[int], amount: str, hand: str, because: int, link: str = "L", **more: Any
) -> tuple[Won, ...]:
    """The same envy bonus for each of these seats."""
    return tuple(Won(seat, "envy", amount, hand, None, because, link=link, **more) for seat in seats)
