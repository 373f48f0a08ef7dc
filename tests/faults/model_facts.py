"""The independent model's records, and the one recomputation that everything rests on.

A link is a list of plain facts in order. `replay` walks them from the beginning and says what one level
must hold, and what every award won on it comes to. Nothing is ever adjusted in place: a wager given back,
an award undone or a hand found late changes the list, and the list is walked again.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Any

from tests.faults.model_must_hit import Meter
from tests.faults.model_paytables import Envy, Paytable

CENT = 10_000  # micro-dollars
DOLLAR = 100 * CENT
PENDING, VALIDATED, PAID, FINAL, UNDONE = "pending", "validated", "paid", "final", "undone"
CLOSED = 0  # the turn of a round's end: after every seat's
OF_ALL = 0  # the papers of all winners of a hit


@dataclass
class Level:
    seed: int
    reseed: int
    primary: int  # hundredths of a percent
    reserve: int
    limit: int | None
    floored: bool = False  # whether it never stays below its reseed (A4)
    must_hit_by: int | None = None  # of a mystery level (Y1)


@dataclass(eq=False)
class Wager:
    """A bet on a link; `live` until it is withdrawn, struck or void. round: which of its table's it is.

    cents: what it comes to. counted: by mystery level, the cycle in which it has counted (Y3).
    """

    table: str
    round: int
    seat: int
    link: str
    on: str
    live: bool = True
    cents: int = 0
    counted: dict[str, int] = field(default_factory=dict)


@dataclass
class Papers:
    """Papers of one winner, or those of all.

    things: which of what a site may want there. documents: numbers of its forms.
    """

    things: set[str] = field(default_factory=set)
    patrons: set[str] = field(default_factory=set)
    documents: set[str] = field(default_factory=set)


@dataclass(eq=False)
class Hit:
    """A hand that won something on a link; seat None is the dealer's hand."""

    id: str
    table: str
    round: int
    called: str  # by the table, which may have called another round so before
    seat: int | None
    link: str
    hand: str
    unverified: bool
    level: str | None = None
    cycle: int | None = None
    disputed: int = 0  # the number of the dispute that holds its payment
    papers: dict[int, Papers] = field(default_factory=lambda: defaultdict(Papers))  # by seat, or OF_ALL
    awards: list[Award] = field(default_factory=list)


@dataclass(eq=False)
class Award:
    """One award. `base`: the cents published for it, None until computed.

    fixed: its corrections before it was paid, part of its amount; difference: those after. reseeds: how many
    stood when it was won. emptied: how often the meter had been emptied once it was won. left: by how much it
    would be higher now that it is paid; decided: how much of that people have decided on.
    """

    id: str
    hit: Hit
    seat: int
    kind: str
    base: int | None
    pays: str
    because: int | None = None
    status: str = PENDING
    fixed: int = 0
    difference: int = 0
    reseeds: int = 0
    emptied: int = 0
    left: int = 0
    decided: int = 0
    released: bool = False
    lamps: list[str] = field(default_factory=list)  # what its table said, each change (P3)
    stake: int = 0  # the wager that it returns besides (B4)
    credited: bool = False  # to a game account, confirmed (P4)

    @property
    def amount(self) -> int:
        return (self.base or 0) + self.fixed

    @property
    def level(self) -> str | None:
        return self.hit.level if self.kind == "meter" else None

    @property
    def undecided(self) -> int:
        """The cents of it that stay on the meter until two people decide (A11)."""
        return max(0, self.left - self.decided)


@dataclass(eq=False)
class Event:
    """A percentage of a level won, by several winners only where they share.

    Each winner is a list of awards: one, or for the dealer's hand one for each player who wagered on it.
    """

    table: str
    round: int
    level: str
    percent: int
    row: int
    winners: list[list[Award]]
    shared: bool = False

    def standing(self) -> list[list[Award]]:
        winners = [[award for award in each if award.status != UNDONE] for each in self.winners]
        return [each for each in winners if each]


@dataclass(eq=False)
class Turn:
    """A seat was settled (2 x seat; a fold after the others 1 + seat / 100), the dealer's hand paid
    (2 x seat + 1) or the round closed (0).
    """

    table: str
    round: int
    key: float


@dataclass(eq=False)
class Correction:
    """Two people moved money: an award's sum, or an account of the level itself; in micro-dollars."""

    level: str
    micros: int
    award: Award | None = None
    account: str = "primary"


@dataclass(eq=False)
class Change:
    """Two people changed the terms of the levels: what comes after it goes by the new ones (L9)."""

    levels: dict[str, Level]


@dataclass(eq=False)
class Moved:
    """Amounts that a transfer took from a level (L8): of each account to another link, and to the house."""

    level: str
    out: dict[str, int]
    back: dict[str, int]


@dataclass(eq=False)
class Received:
    """Amounts that a transfer from another link brought to a level, by account."""

    level: str
    into: dict[str, int]


Fact = Wager | Event | Turn | Correction | Change | Moved | Received
MONEY = ("primary", "overflow", "reserve")  # in the order in which the house takes its own back


@dataclass
class Accounts:
    primary: int = 0
    reserve: int = 0
    overflow: int = 0
    house: int = 0
    wagers: int = 0
    awards: int = 0
    corrections: int = 0
    transfers: int = 0  # in, less out
    reseeds: int = 0  # reseeds ever made, undone ones too: cycle - 1
    standing: int = 0  # those not undone
    emptied: int = 0  # the same, and the transfers: how often all that stood there was taken along
    reset: int = 0  # the reseed in force: of the last reseed, or of the opening
    in_meter: int = 0  # wagers, and how many more were undone
    undone_wagers: int = 0
    hits: int = 0
    undone_hits: int = 0
    stake: int = 0  # what the house put on the meter in the current cycle, and has not taken back

    def balanced(self) -> bool:
        held = self.primary + self.reserve + self.overflow
        return (
            self.house + self.wagers + self.corrections + self.transfers == held + self.awards
            and min(self.primary, self.reserve, self.overflow) >= 0
        )


@dataclass(frozen=True)
class Play:
    """The terms that a link's rounds are played and paid by. envy: a hand, and what it pays in cents."""

    simultaneous: str
    validate_at: int | None
    envy: tuple[tuple[Envy, int], ...]
    count_chips: bool


@dataclass(eq=False)
class Link:
    name: str
    paytable: Paytable
    wager: int  # cents
    levels: dict[str, Level]  # as they are now
    simultaneous: str = "order"
    validate_at: int | None = None
    envy: tuple[tuple[Envy, int], ...] = ()  # a qualifying hand, and what it pays in cents
    count_chips: bool = False
    hold_table: bool = True
    magic_every: int = 0
    lucky_every: int = 0
    suspended: bool = False
    closed: bool = False
    terms: dict[str, Level] = field(default_factory=dict)  # as they were before the first fact
    facts: list[Fact] = field(default_factory=list)
    start: dict[str, Accounts] = field(default_factory=dict)  # everything folded away so far
    now: dict[str, Accounts] = field(default_factory=dict)
    left: dict[str, Award] = field(default_factory=dict)  # paid awards that ever left something on a meter
    most: int = 0  # of a wager that the player chooses, in cents (B3); 0: exactly the wager
    unit: int = 0
    placed: str = "device"
    stake: str = "returned"
    cage_at: int | None = None
    wagered_before: int = 0  # cents of the standing wagers that are folded away
    cards: tuple[str, ...] = ()  # of a Six Card Bonus whose approval names them
    must_hit: dict[str, Meter] = field(default_factory=dict)  # its levels, where they are mysteries (Y1)

    @property
    def offer(self) -> bool:
        """Whether no meter pays it (B1)."""
        return not self.levels

    def takes(self, cents: int) -> bool:
        """Whether a wager may be of so much (B3)."""
        if not self.most:
            return cents == self.wager
        return self.wager <= cents <= self.most and cents % self.unit == 0

    def play(self) -> Play:
        return Play(self.simultaneous, self.validate_at, self.envy, self.count_chips)


def into_primary(accounts: Accounts, level: Level, amount: int) -> None:
    """Raise the primary; what would rise above the limit goes to overflow (L7)."""
    accounts.primary += amount
    if level.limit is not None and accounts.primary > level.limit:
        accounts.overflow += accounts.primary - level.limit
        accounts.primary = level.limit


def replay(link: Link, name: str, facts: list[Fact]) -> tuple[Accounts, dict[str, int]]:
    """Recomputes one level from its start: its accounts, and each award's computed cents."""
    level, accounts = link.terms[name], replace(link.start[name])
    computed: dict[str, int] = {}
    for fact in facts:
        if isinstance(fact, Change):
            level = fact.levels[name]
            into_primary(accounts, level, 0)
        elif isinstance(fact, Wager):
            accounts.in_meter += fact.live
            accounts.undone_wagers += not fact.live
            if fact.live:
                accounts.wagers += link.wager * (level.primary + level.reserve)
                accounts.reserve += link.wager * level.reserve
                into_primary(accounts, level, link.wager * level.primary)
        elif isinstance(fact, Event) and fact.level == name:
            play_event(level, accounts, fact, computed)
        elif isinstance(fact, Correction) and fact.level == name:
            if fact.award is None:
                play_correction(level, accounts, fact)
            elif fact.award.status != UNDONE:
                correct_award(level, accounts, fact.award, fact.micros)
        elif isinstance(fact, Moved | Received) and fact.level == name:
            play_transfer(level, accounts, fact)
    assert accounts.balanced(), (link.name, name, accounts)
    return accounts, computed


def play_event(level: Level, accounts: Accounts, event: Event, computed: dict[str, int]) -> None:
    """A2-A4, A6, T5: a share for each winner; and A11: never below what was published."""
    if event.percent == 100:
        accounts.reseeds += 1
    winners = event.standing()
    accounts.hits += len(winners)
    accounts.undone_hits += len(event.winners) - len(winners)
    if not winners:
        return
    whole = accounts.primary * event.percent // 100 // CENT
    for each in winners:
        part = whole // len(winners) // len(each)
        for award in each:
            award.reseeds = accounts.standing
            computed[award.id] = part
            published = part if award.base is None else award.base
            amount = published if award.status == PAID else max(published, part)
            given = min(amount, part)
            accounts.primary -= given * CENT
            accounts.house += (amount - given) * CENT
            accounts.awards += amount * CENT
    accounts.emptied += event.percent == 100
    for award in (award for each in winners for award in each):
        award.emptied = accounts.emptied
    if event.percent == 100:
        accounts.standing += 1
        again = level.reseed + accounts.reserve + accounts.overflow
        accounts.house += level.reseed
        accounts.stake = accounts.reset = level.reseed
        accounts.reserve = accounts.overflow = 0
        into_primary(accounts, level, again)
    elif level.floored and accounts.primary < accounts.reset:
        accounts.house += accounts.reset - accounts.primary
        accounts.stake += accounts.reset - accounts.primary
        accounts.primary = accounts.reset


def play_correction(level: Level, accounts: Accounts, fact: Correction) -> None:
    accounts.corrections += fact.micros
    add(level, accounts, fact.account, fact.micros)


def play_transfer(level: Level, accounts: Accounts, fact: Moved | Received) -> None:
    """What was moved stays moved, whatever the meter is recomputed to; the house makes up what it lacks."""
    if isinstance(fact, Received):
        accounts.transfers += sum(fact.into.values())
        for account, micros in fact.into.items():
            add(level, accounts, account, micros)
        return
    accounts.transfers -= sum(fact.out.values())
    accounts.house -= sum(fact.back.values())
    accounts.stake = 0
    accounts.emptied += 1
    for account in MONEY:
        add(level, accounts, account, -fact.out[account] - fact.back[account])


def add(level: Level, accounts: Accounts, account: str, micros: int) -> None:
    """Raise or lower an account: never above the limit, and what would be below zero the house makes up."""
    if account == "primary":
        into_primary(accounts, level, micros)
    else:
        setattr(accounts, account, getattr(accounts, account) + micros)
    value = getattr(accounts, account)
    accounts.house += max(0, -value)
    setattr(accounts, account, max(0, value))


def correct_award(level: Level, accounts: Accounts, award: Award, micros: int) -> None:
    """A10: less goes to the live primary; more is given by it down to its floor, the rest by the house."""
    accounts.awards += micros
    if micros <= 0:
        into_primary(accounts, level, -micros)
        return
    reseeded = accounts.standing > award.reseeds
    floor = accounts.reset if reseeded or level.floored else 0
    given = min(micros, max(0, accounts.primary - floor) // CENT * CENT)
    accounts.primary -= given
    accounts.house += micros - given


def recompute(link: Link) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Walk the link again: publish new awards, raise unpaid ones, note what paid ones leave on the meter."""
    raised: list[dict[str, Any]] = []
    left: list[dict[str, Any]] = []
    if link.must_hit:  # what has counted is a fact (Y3)
        link.now = {name: as_it_stands(meter) for name, meter in link.must_hit.items()}
        return raised, left
    for name in link.levels:
        link.now[name], computed = replay(link, name, link.facts)
        for fact in link.facts:
            if not isinstance(fact, Event) or fact.level != name:
                continue
            for award in (award for each in fact.standing() for award in each):
                part = computed[award.id]
                if award.base is None:
                    award.base = part
                elif part > award.base and award.status != PAID:
                    award.base, award.status = part, PENDING
                    raised.append(status_of(award, "raised"))
                elif award.status == PAID and award.left != max(0, part - award.base):
                    award.left = max(0, part - award.base)
                    link.left[award.id] = award
                    left.append({"hit": award.hit.id, "award": award.id, "difference": award.left})
    return raised, left


def as_it_stands(meter: Meter) -> Accounts:
    """A mystery level's accounts."""
    accounts = Accounts(
        primary=meter.primary,
        overflow=meter.overflow,
        house=meter.house,
        wagers=meter.wagers,
        awards=meter.awards,
        corrections=meter.corrections,
        transfers=meter.transfers,
        reseeds=meter.cycle - 1,
        in_meter=meter.counted,
        undone_wagers=meter.undone_wagers,
        hits=meter.hits,
        undone_hits=meter.undone_hits,
        stake=meter.stake,
    )
    assert accounts.balanced(), accounts
    return accounts


def status_of(award: Award, status: str) -> dict[str, Any]:
    return {"hit": award.hit.id, "award": award.id, "status": status, "amount": award.amount}


def place(link: Link, table: str, round_: int, key: float, row: int = 0) -> int:
    """Index in the history for a turn of this round: before its first later turn, or at the end.

    For a row shared at the close (key 1) the events of lower rows come after it.
    """
    for index, fact in enumerate(link.facts):
        if isinstance(fact, Turn) and (fact.table, fact.round) == (table, round_) and fact.key < key:
            return index
        shared = isinstance(fact, Event) and fact.shared and (fact.table, fact.round) == (table, round_)
        if shared and isinstance(fact, Event) and (key > 1 or fact.row > row):
            return index
    return len(link.facts)


def cycle_at(link: Link, level: str, index: int) -> int:
    """The cycle that stands at this place of the history: one more than the reseeds before it."""
    before = [fact for fact in link.facts[:index] if isinstance(fact, Event)]
    reseeds = sum(1 for event in before if event.level == level and event.percent == 100)
    return link.start[level].reseeds + reseeds + 1
