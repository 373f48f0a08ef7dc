"""The whole state of a bank, as its snapshots hold it.

Links, tables, hits and awards have numbers that never change; the protocol's ids are made of them
("H12", "A34"), and journal rows carry them.
"""

from bisect import bisect_right
from functools import cached_property
from typing import Final, Literal

import msgspec

from controllers.answers import Ack
from controllers.messages import LampState
from jackpot.rules.meter import Accounts
from jackpot.rules.outcome import ActAnswer
from jackpot.rules.paytable import LevelTerms, LinkTerms, TableTerms
from jackpot.rules.phrases import Phrase, Values
from jackpot.rules.rounds.undo import BASE, History, Moment
from jackpot.rules.signing import People, Role

# The last answers of each table that a resend gets again (WIRE: answers of the last 64 commands).
ANSWERS_KEPT = 64
# The last acts of people and system whose answers a resend gets again; people act a few times a
# minute, so this spans any doubt. Of these, those of one person: who sends one after the other, perhaps to
# be refused, pushes out their own answers, and four would have to do it to push out another's.
ACTS_KEPT = 1_024
ACTS_OF_ONE = 256
# Hits that a level shows on demand (S1), and what it keeps so that an undone one does not shorten them.
HITS_SHOWN = 25
HITS_KEPT = 2 * HITS_SHOWN

# Hits that are settled and of which nothing is left to do, kept for corrections (A10): on a busy floor a
# hundred a day are validated and paid by people, so this is a week and more of documents; less where
# `validate_at` lets many be final at once. Of offers, which pay small sums all the time, as many for each
# table (B15): a day of it.
PAID_KEPT = 1_000

# Awards to game accounts that are not confirmed as credited (P4); the oldest go. A floor that confirms none
# makes so many in days, and a snapshot of them is 200 kB.
CREDITS_KEPT = 4_096

# What tables and signs are told of a link that has ended (L8); nothing ends that.
CLOSED: Final = "closed"
# What they are told of one whose last gaming day is over, until it is closed (P2).
ENDED: Final = "ended"

Status = Literal["pending", "validated", "paid", "final", "undone"]
# An award of these waits for people (A10).
UNPAID: Final[tuple[Status, ...]] = ("pending", "validated")
Tallied = Literal["void", "abandoned", "lamp"]
"""What a bank counts for its metrics alone: void rounds by cause (P5), decisions about abandoned seats (P6),
changes of lamps (P3)."""
Kind = Literal["meter", "odds", "envy", "draw"]
Pays = Literal["cage", "inventory", "account"]


class Award(msgspec.Struct, array_like=True, gc=False):
    """One sum to one seat. level: 0 for none. because: the seat whose hand earned an envy bonus, or was
    beaten (B11), or 0.

    stake: the wager that an award of N to 1 returns besides its amount (B4).

    difference: what two people journalled against it once it was paid; the amount does not hold it (A10).
    won: when a percentage was taken; before `BASE` where that was in a bank that became this one.
    lamps: what its table has said of its lamp, each change of it, the newest last (P3).
    """

    number: int
    hit: int
    seat: int
    link: int
    level: int
    hand: str
    kind: Kind
    amount: int
    pays: Pays
    status: Status
    unverified: bool = False
    because: int = 0
    dealer: bool = False
    difference: int = 0
    won: Moment = BASE
    stake: int = 0
    lamps: tuple[LampState, ...] = ()

    @property
    def lamp(self) -> LampState | Literal[""]:
        """What its table said last of its lamp; "" where it said nothing."""
        return self.lamps[-1] if self.lamps else ""

    def stands(self) -> bool:
        """Whether it has not been undone."""
        return self.status != "undone"

    def settled(self) -> bool:
        """Whether it is paid, so that its sum never changes."""
        return self.status in ("paid", "final")

    def worth(self) -> int:
        """Its amount, with the difference that was journalled against it; micro-dollars."""
        return self.amount + self.difference


class PayoutDetails(msgspec.Struct, array_like=True):
    """The documentation of one winner, or of all. fields: what was written, by name, in order.

    documents: their numbers, as names are compared. same_patron: seats whose papers name the same one.
    withheld: from payments, in cents. nonresident, treaty_rate: as in `tax.Payee`, by the last payment.
    tax_forms: what the forms are called, as names are compared.
    """

    fields: list[str] = []
    documents: list[str] = []
    same_patron: list[int] = []
    withheld: int = 0
    nonresident: bool = False
    treaty_rate: int | None = None
    tax_forms: list[str] = []


class Hit(msgspec.Struct, array_like=True):
    """One hand (or draw) that won, and its awards. seat: 0 for the dealer's hand.

    seq: of its entry, in the bank that made it. written: when its newest papers were, in unix milliseconds; 0
    where it has none. sheets: papers by seat, 0 those of all winners. opened: the entry that opened
    its round. wager: what the seat had wagered on the link, where its player chose that (B3), else 0;
    micro-dollars. credited: the numbers of its awards to game accounts that are confirmed (P4).
    """

    number: int
    table: int
    round: str
    seat: int
    link: int
    hand: str
    seq: int
    at: int
    cycle: int
    awards: list[Award]
    unverified: bool = False
    written: int = 0
    sheets: dict[int, PayoutDetails] = {}
    opened: int = 0
    wager: int = 0
    credited: list[int] = []


class Unpaid(msgspec.Struct, array_like=True):
    """Awards that wait for people. amount: micro-dollars. hits: of each award its hit's number, ascending."""

    amount: int = 0
    hits: list[int] = []

    def first(self, limit: int, after: int = 0) -> list[int]:
        """The first so many different hits with a number above `after`."""
        found: list[int] = []
        at = bisect_right(self.hits, after)
        while at < len(self.hits) and len(found) < limit:
            found.append(self.hits[at])
            at = bisect_right(self.hits, found[-1], at)
        return found


class HitShown(msgspec.Struct, array_like=True, gc=False):
    """A percentage hit as a level remembers it (S1). before, after: where the meter stood, in micro-dollars.

    Of a hit that was won in the past (T10) as its entry moved the meter. seq: 0 where a bank made it that
    became this one. cards: those that made the hand, packed in the order in which people lay them; none where
    it was claimed by name.
    """

    hit: int
    table: str
    hand: str
    amount: int
    at: int
    cycle: int
    seq: int
    before: int
    after: int
    cards: bytes = b""


class Commitment(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The last commitment to a trigger of a level (Y12); the trigger itself is in no state.

    bank, cycle: where it was made, as in its hash. above, upto: the trigger is a sum between them, the higher
    one among them; micro-dollars. running: it was not opened yet.
    """

    bank: str
    cycle: int
    number: int
    digest: bytes
    above: int
    upto: int
    running: bool = True


class MysteryCycle(msgspec.Struct, array_like=True, gc=False):
    """The running cycle of a level that must hit by a sum (Y2), and what is left of those before (Y4).

    terms: on which it began; changed ones count from the next (Y11). start: its meter then. decided: the
    highest meter that was decided without a win, at first the start. stake: the house's money in it (L8).
    undone: by the cycle whose award was undone, what waits in the overflow for refunds of its wagers. lent:
    by award, what the house paid when people raised it. Micro-dollars. commitment: of a committed level.
    replace: it is to be opened, and the trigger drawn afresh, before anything is decided by it (Y8, Y11).
    reached: how much of `decided` wagers have reached, where people lifted the meter above that; else None.
    """

    terms: LevelTerms
    start: int
    decided: int
    stake: int
    undone: dict[int, int] = {}
    lent: dict[int, int] = {}
    commitment: Commitment | None = None
    replace: bool = False
    reached: int | None = None


class Level(msgspec.Struct, array_like=True):
    """A level's accounts, its counts (S1), its cycles (L10) and all of its history that can change.

    mystery: of one that must hit by a sum. Nothing of it is recomputed (Y4), so its history is only a count.
    """

    number: int
    terms: LevelTerms
    accounts: Accounts
    history: History
    cycle: int = 1
    hits: int = 0
    wins: int = 0
    undone_wagers: int = 0
    undone_hits: int = 0
    joined: list[tuple[int, int]] = []
    shown: list[HitShown] = []
    mystery: MysteryCycle | None = None

    @property
    def wagers(self) -> int:
        """How many stand (S1); of a mystery level only those of rounds that were closed (Y3)."""
        return self.history.wagers


class Link(msgspec.Struct, array_like=True):
    """A link. outside: the accounts of awards that no meter pays (level 0 of the postings).

    suspended: why it takes no wagers, nothing if it is active. paid_by: standing awards by who pays (A8).
    unpaid: by level and status; level 0 for those that no meter pays. out_of_order: the neighbouring levels,
    (higher, lower), of which the lower one shows more, as last journalled (L12).
    """

    number: int
    terms: LinkTerms
    levels: list[Level]
    outside: Accounts
    suspended: list[str] = []
    paid_by: dict[str, int] = {}
    unpaid: dict[tuple[int, Status], Unpaid] = {}
    out_of_order: list[tuple[int, int]] = []

    @property
    def closed(self) -> bool:
        """Whether it has ended, for ever (L8)."""
        return CLOSED in self.suspended

    def level(self, name: str) -> Level:
        """The level of that name."""
        return next(level for level in self.levels if level.terms.level == name)


class Placed(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An accepted wager.

    dealer: it is on the dealer's hand. amount: micro-dollars, 0 for the link's own (B3).
    """

    seat: int
    link: int
    dealer: bool = False
    player: str | None = None
    amount: int = 0

    def wagered(self, terms: LinkTerms) -> int:
        """What it came to, in micro-dollars. terms: of its link."""
        return self.amount or terms.wager


class HandShown(msgspec.Struct, array_like=True, gc=False):
    """A hand as a settlement showed it; cards packed, one byte each. player: whose, if the hand says.

    abandoned: the player has left; without cards it is no hand, and asks people (P6).
    """

    seat: int
    cards: bytes = b""
    hand: str = ""
    suit: str = ""
    link: int = 0
    folded: bool = False
    player: str | None = None
    abandoned: bool = False


class Sharer(msgspec.Struct, array_like=True, gc=False):
    """A hand that shares a percentage award when the round closes (T5).

    row: its place in the paytable, from 0. hit: the hit that its envy bonuses already made, or 0.
    """

    seat: int
    link: int
    row: int
    hand: str
    unverified: bool
    dealer: bool = False
    hit: int = 0


class DrawMade(msgspec.Struct, array_like=True, gc=False):
    """The raw random numbers of a link's draws, lost ones too (A7); -1 for those of a draw that it has not.

    magic_chance, lucky_chance: 0 .. N-1, 0 draws. magic_card: 0 .. 51. lucky_box: 1 .. seats.
    """

    link: int
    magic_chance: int = -1
    magic_card: int = -1
    lucky_chance: int = -1
    lucky_box: int = -1

    @property
    def magic(self) -> int | None:
        """The card drawn, None where none was."""
        return self.magic_card if self.magic_chance == 0 else None

    @property
    def lucky(self) -> int | None:
        """The box drawn, None where none was."""
        return self.lucky_box if self.lucky_chance == 0 else None


class CountedBet(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A wager of a closed round as it counted on a mystery level (Y3): in which cycle, and what it added."""

    seat: int
    link: int
    level: int
    cycle: int
    amount: int


class Settling(msgspec.Struct, array_like=True, gc=False):
    """An entry that settled seats of the round in turn, or closed it (seats empty).

    wagers: how many that still stand were made before it on each of the round's links, by number.
    """

    seq: int
    seats: list[int]
    wagers: dict[int, int]


class Round(msgspec.Struct, array_like=True):
    """A round of one table (T1).

    seqs: of each bet the entry that accepted it. reopened: by two people, once or more (T10). seated: who
    still sits at a seat whose named wagers were all taken back; the hand there is still their own (A5).
    terms: on which it was played, by link, where people have changed them since (L9). sums: the dealer's, by
    link, in micro-dollars (B3). offers: the numbers of the offers that were wagered on. bonus: the cards of
    the Six Card Bonus that all share (B16). players: who are dealt a hand, 0 where nobody said (B10).
    abandoned: the seats whose players left, and whether people have confirmed it (P6).
    counted: its wagers on mystery levels, once it was closed (Y3).
    """

    id: str
    state: Literal["open", "locked", "mismatch", "closed"]
    first_seq: int
    bets: list[Placed] = []
    seqs: list[int] = []
    chips: dict[int, int] = {}
    draws: list[DrawMade] = []
    board: bytes = b""
    dealer: bytes = b""
    shown: list[HandShown] = []
    settlings: list[Settling] = []
    sharers: list[Sharer] = []
    hits: list[int] = []
    reopened: bool = False
    seated: dict[int, str] = {}
    terms: dict[int, LinkTerms] = {}
    sums: dict[int, int] = {}
    offers: list[int] = []
    bonus: bytes = b""
    players: int = 0
    counted: list[CountedBet] = []
    abandoned: dict[int, bool] = {}

    def lost(self) -> set[int]:
        """The seats that people confirmed as abandoned: their wagers have lost (P6)."""
        return {seat for seat, confirmed in self.abandoned.items() if confirmed}

    def waiting(self) -> list[int]:
        """The seats that may be abandoned, while people have not answered (P6)."""
        return sorted(seat for seat, confirmed in self.abandoned.items() if not confirmed)

    def owners(self) -> dict[int, str]:
        """Whose each seat is, where a wager said it (T9)."""
        return self.seated | {bet.seat: bet.player for bet in self.bets if bet.player is not None}

    def settled(self) -> list[int]:
        """The seats whose hands were settled, in the order of their showing."""
        return [shown.seat for shown in self.shown]

    def wagers_at(self, seq: int, link: int) -> int:
        """How many that still stand were made on a link of it before it was settled in that entry."""
        return next(settling.wagers[link] for settling in self.settlings if settling.seq == seq)

    def begun(self) -> bool:
        """Whether any of its cards were shown, or it was closed without."""
        return bool(self.board or self.dealer or self.bonus or self.settlings)

    def links(self) -> set[int]:
        """The numbers of the links wagered on."""
        return {bet.link for bet in self.bets}

    def amount(self, seat: int, link: int) -> int:
        """The amount of a seat's wager on its own hand, as in `Placed`; 0 where it has none."""
        own = (bet.amount for bet in self.bets if (bet.seat, bet.link, bet.dealer) == (seat, link, False))
        return next(own, 0)

    def on_dealer(self) -> bool:
        """Whether a wager is on the dealer's hand, and not lost with its seat."""
        seats = [bet.seat for bet in self.bets if bet.dealer]
        return not all(map(self.abandoned.get, seats))


class ReopenRequest(msgspec.Struct, array_like=True):
    """A request to reopen the table's closed round (T10). people: who waits, none once they do not.

    seq: of the entry in which it was first asked of this round. tick: that entry's time, by the monotonic
    clock of the server that wrote it, in milliseconds.
    """

    people: People
    seq: int
    tick: int


class Person(msgspec.Struct, array_like=True):
    """A person of the site, in the bank of that name. mark: the digest of their name.

    secret: the digest of what is kept of it, empty while they have none. code: that of the code with which
    they choose it. code_until: its end, unix milliseconds. given_by: who gave it to them, as in `Signed`.
    vouched: which other admin has vouched for them since, 0 for nobody. erased: so is
    what they were called. left: when their access was ended, in unix milliseconds. lost: the entry by which
    they lost a role, their password or their access last; 0 where they never did.
    """

    id: int
    mark: bytes
    roles: list[Role]
    secret: bytes = b""
    given_by: int = 0
    ended: bool = False
    code: bytes = b""
    code_until: int = 0
    vouched: int = 0
    erased: bool = False
    left: int = 0
    lost: int = 0


class Token(msgspec.Struct, array_like=True):
    """A person's API token, until it is ended. roles: which of theirs it has. until: its end, unix ms."""

    id: int
    person: int
    digest: bytes
    roles: list[Role]
    until: int


class Session(msgspec.Struct, array_like=True):
    """A person's session, until it ends. at: when they signed in, of the entry, in unix milliseconds."""

    person: int
    at: int


class SeenLevel(msgspec.Struct, array_like=True):
    """A level in a preview.

    held: what stood on a level. change: what an act would have moved there; micro-dollars.
    """

    link: int
    level: int
    held: Accounts
    change: Accounts


class SeenPreview(msgspec.Struct, array_like=True):
    """The preview that a person saw of an act. terms: of a link whose parameters would change.

    left: what of an award would be decided on, in micro-dollars (A11). limits: of the levels to which a
    link's money would come (L7, L8). raised, leaving: numbers of awards that a recomputation would raise,
    and of paid ones of which it would leave another sum on the meter (A11).
    """

    levels: list[SeenLevel]
    terms: LinkTerms | None = None
    left: int = 0
    limits: list[int | None] = []
    raised: list[int] = []
    leaving: list[int] = []


class ApprovalRequest(msgspec.Struct, array_like=True):
    """One person's act that another has to confirm. command, seen: as in `Requested`.

    seq, tick: of the entry in which it was asked, as in `ReopenRequest`.
    """

    id: int
    command: bytes
    people: People
    seq: int
    tick: int
    seen: SeenPreview


class Alarm(msgspec.Struct, array_like=True):
    """An alarm that nobody has acknowledged. kind, place: as in `rules/alarms.py`. what: the details of
    the last time; None where the kind says all.

    seq, at: of the entry that raised it first. last: when it was raised last. person: whom it is about, or 0.
    """

    number: int
    kind: str
    place: str
    what: Phrase | None
    seq: int
    at: int
    last: int
    times: int = 1
    person: int = 0


class Program(msgspec.Struct, array_like=True):
    """A program that decides. digest: empty where its files prove nothing, or no row names it.

    seq: of the entry by which it began. waits: whether links wait until two people confirm it.
    """

    version: str = ""
    digest: bytes = b""
    seq: int = 0
    waits: bool = False


class ClaimedAck(msgspec.Struct, array_like=True):
    """A table's claimed last ack, `acked`, until people have answered (S9). seq: of the entry."""

    acked: int
    seq: int


class FrameRefused(msgspec.Struct, tag_field="t", tag="refused", frozen=True, omit_defaults=True, gc=False):
    """The kept part of a refused frame. template, values: as in `phrases.Phrase`; they are told as a nack."""

    code: str
    template: str
    values: Values = ()
    hits: tuple[str, ...] = ()


# A thousand tables keep 64,000 answers: values that no cycle leads through, for the collector to pass over.
class AnsweredFrame(msgspec.Struct, array_like=True, gc=False):
    """A durable answer to a table's frame, kept for a resend."""

    seq: int
    digest: bytes
    answer: Ack | FrameRefused


class AnsweredAct(msgspec.Struct, array_like=True):
    """A durable answer to an act, kept in case the same act is asked for again.

    person: who sent it, the last one who signed; 0 where nobody did. at: its entry's, as in `Envelope`.
    event: the kind of what it came to; 0 where it was refused before.
    """

    digest: bytes
    answer: ActAnswer
    person: int = 0
    at: int = 0
    event: int = 0


class Table(msgspec.Struct, array_like=True):
    """A table. round: its unfinished round. closed: its last closed one, until the next lock (T10).

    asked: who wanted that one reopened. ended: the id of the last round that ended. held: the cage hits whose
    cards must stay (T11). counts: accepted wagers by link over its life, undone ones included (S6).
    disbelieved: up to which number people have rejected its claimed acks, 0 for none (S9). unpaid: of all its
    links. conflict: the last entry of a number that it used twice. sums: as `counts`, what the wagers on
    offers came to (B3), in micro-dollars. paid: as in the bank's state, of its offers (B15).
    """

    number: int
    terms: TableTerms
    links: list[int]
    last_seq: int = 0
    answers: list[AnsweredFrame] = []
    round: Round | None = None
    closed: Round | None = None
    ended: str = ""
    held: list[int] = []
    counts: dict[int, int] = {}
    rounds: int = 0
    asked: ReopenRequest | None = None
    disbelieved: int = 0
    unpaid: Unpaid = msgspec.field(default_factory=Unpaid)
    conflict: int = 0
    sums: dict[int, int] = {}
    paid: dict[int, Hit] = {}

    def waits(self) -> ReopenRequest | None:
        """Who asked for the closed round and waits for a second person (T10)."""
        return self.asked if self.asked is not None and self.asked.people.count() else None

    def unfinished(self) -> Round | None:
        """The round to finish first: a reopened one, else the one in play."""
        return self.closed if self.closed and self.closed.state != "closed" else self.round

    def find(self, round_id: str) -> Round | None:
        """The unfinished round of that id."""
        now, before = self.round, self.closed
        if now is not None and now.id == round_id and now.state != "closed":
            return now
        return before if before is not None and before.id == round_id and before.state != "closed" else None


class ResidualAmount(msgspec.Struct, array_like=True):
    """A sum by which a paid award would be higher: it stays on the meter until two people decide (A11).

    amount: micro-dollars.
    """

    number: int
    award: int
    link: int
    level: int
    amount: int


FIGURES: Final = ("amount", "seed", "rate")
"""The figures of which a notice announces one: a limit, and of a mystery level the other two of its terms."""


class Notice(msgspec.Struct, frozen=True, array_like=True):
    """An announcement of what ends on a day, or of which figure is another one from then on (P2).

    link, table, level: 0 for none. With a link and a table it ends at that table alone. amount: what the
    limit becomes, of a level, of wagers on an offer, or without a link of a table's payouts; micro-dollars.
    seed, rate: in place of it what a mystery level begins with, or adds of a wager; in micro-dollars and in
    basis points. day: as people read it; due: when it begins, at: of its entry, in unix milliseconds.

    ends: two people announced that the link ends with that day: due is when it ends, and the server does it.
    to: the link that its money goes to then, 0 for none. levels: as in `Transfer`. told: the template of what
    is in the way, once people were told of it.
    """

    number: int
    link: int
    table: int
    level: int
    amount: int | None
    day: str
    due: int
    at: int
    ends: bool = False
    to: int = 0
    levels: tuple[str, ...] = ()
    told: str = ""
    seed: int | None = None
    rate: int | None = None

    def closes(self, link: int) -> bool:
        """Whether it announces that the link of that number is withdrawn, at one table or at all."""
        return self.link == link and not self.figure

    @property
    def figure(self) -> str:
        """Which figure becomes another one: `amount`, `seed` or `rate`; "" where something is withdrawn."""
        return next((name for name in FIGURES if getattr(self, name) is not None), "")

    @property
    def becomes(self) -> int | None:
        """What that figure becomes."""
        return next((value for name in FIGURES if (value := getattr(self, name)) is not None), None)

    @property
    def about(self) -> tuple[int, int, int, str]:
        """What it is about: of each there is one."""
        return self.link, self.table, self.level, self.figure


class Uncredited(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An award to a game account that waits for its confirmation (P4). amount: with its corrections.

    at: when its hit was made, in unix milliseconds.
    """

    hit: int
    link: int
    table: int
    seat: int
    amount: int
    at: int


class NumberRange(msgspec.Struct, frozen=True, array_like=True):
    """The numbers that a part's hits, or its awards, have here: first <= number < end.

    moved: by how much each is above the number that it had in the part.
    """

    first: int
    end: int
    moved: int

    def further(self, by: int) -> "NumberRange":
        """The same in a bank that this one became, where all numbers are so much above those here."""
        return NumberRange(self.first + by, self.end + by, self.moved + by)


class Part(msgspec.Struct, frozen=True, array_like=True):
    """A bank that became part of this one, at once or by way of another part."""

    bank: str
    hits: NumberRange
    awards: NumberRange


class BankState(msgspec.Struct, array_like=True, dict=True):
    """One bank's state after entry `seq`. ended: (role, device, fingerprint) of keys ended by a rotation.

    behind: claimed acks by table number, until people have answered. paid: settled hits
    of which nothing is left to do but a correction, the last ones only. closed_into: the bank that this one
    became, empty while it lives. site: the site's id. sealed: the newest entry that seals a state.
    requests: what waits for a second person. known: the entry of the bank `site` up to which an act here has
    looked. people, tokens, sessions: of the bank `site` alone; sessions by digest, the oldest first. lost:
    its entry by which somebody lost a right last.
    alarms: open ones, by kind and place: of each kind there is one for a device, a person or a hit, and no
    more. left: what waits for a decision of two people. disputed: hits that are not paid until that is
    lifted, and the entry that began it. parts: the banks that became this one; of each part, after it, those
    that had become it. first_hit, first_award: the first numbers here. Lower ones are those by which the
    parts knew their own, so that no paper of theirs names another hit here. program: what decides. programs:
    digests that the bank knows, because these programs decided here, or people confirmed them. notices: those
    that stand, in the order in which they were given. uncredited: by award, the newest last. tallies: how
    often something happened in the bank's life, by what it was and which of its kinds.
    """

    bank: str
    seq: int = 0
    links: list[Link] = []
    tables: list[Table] = []
    hits: dict[int, Hit] = {}
    next_hit: int = 1
    next_award: int = 1
    acts: list[AnsweredAct] = []
    blocked: list[tuple[str, str]] = []
    behind: dict[int, ClaimedAck] = {}
    refusals: dict[str, int] = {}
    last_day: str = ""
    ended: list[tuple[str, str, str]] = []
    closed_into: str = ""
    paid: dict[int, Hit] = {}
    site: str = ""
    sealed: int = 0
    requests: list[ApprovalRequest] = []
    next_request: int = 1
    known: int = 0
    people: list[Person] = []
    tokens: list[Token] = []
    next_token: int = 1
    alarms: dict[tuple[str, str], Alarm] = {}
    next_alarm: int = 1
    lost: int = 0
    left: list[ResidualAmount] = []
    next_left: int = 1
    disputed: dict[int, int] = {}
    sessions: dict[bytes, Session] = {}
    first_hit: int = 1
    first_award: int = 1
    program: Program = msgspec.field(default_factory=Program)
    programs: list[bytes] = []
    parts: list[Part] = []
    notices: list[Notice] = []
    next_notice: int = 1
    uncredited: dict[int, Uncredited] = {}
    tallies: dict[tuple[Tallied, str], int] = {}

    @cached_property
    def settled(self) -> dict[int, int]:
        """By table, the last entry at which a round of it was settled in turn; the latest stands last.

        It follows from the rounds, so no snapshot has it. A round that is gone may still be counted.
        """
        ends = (
            (round_.settlings[-1].seq, table.number)
            for table in self.tables
            for round_ in (table.round, table.closed)
            if round_ is not None and round_.settlings
        )
        return {number: seq for seq, number in sorted(ends)}

    def link(self, number: int) -> Link:
        """The link of that number."""
        return self.links[number - 1]

    def table(self, number: int) -> Table:
        """The table of that number."""
        return self.tables[number - 1]

    def tally(self, occurrence: Tallied, kind: str, count: int = 1) -> None:
        """Counts that it happened once more, or so often."""
        self.tallies[occurrence, kind] = self.tallies.get((occurrence, kind), 0) + count

    def hit(self, number: int) -> Hit | None:
        """The hit of that number, settled or not; None where it is not kept any more."""
        kept = (self.hits, self.paid, *(table.paid for table in self.tables))
        return next((hits[number] for hits in kept if number in hits), None)

    def keep(self, done: AnsweredAct) -> None:
        """Keeps the answer to an act. The oldest goes if there are too many, or too many of one person."""
        own = [place for place, one in enumerate(self.acts) if one.person == done.person]
        if len(own) >= ACTS_OF_ONE:
            del self.acts[own[0]]
        self.acts.append(done)
        del self.acts[:-ACTS_KEPT]
