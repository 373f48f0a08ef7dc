"""Opening and closing of banks, and joining of two banks into one.

Each chain ends with what it hands on, and a new chain begins with both. Only what is at rest can move: every
link suspended, no round to finish, no award to pay, no cards held, nothing left to decide on. So nothing that
is handed on can still be undone or recomputed, and its history begins again (A11). A paid award can still be
corrected (A10): the last paid hits are handed on with it, under new numbers (`former_numbers.py`).
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import ClassVar, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from jackpot.rules.acts.act import ADMIN, Act, ActContext, always_server
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.invariant import invariant
from jackpot.rules.meter import Accounts
from jackpot.rules.paytable import LinkTerms, TableTerms
from jackpot.rules.refusal import Refusal, refuse_if
from jackpot.rules.rounds import mystery
from jackpot.rules.rounds.offers import settled_hits
from jackpot.rules.rounds.undo import BASE, History, LevelPoint, Moment, PlayedTerms, counted_back, replay
from jackpot.rules.signing import SITE, People
from jackpot.rules.state import (
    CREDITS_KEPT,
    PAID_KEPT,
    UNPAID,
    Alarm,
    AnsweredAct,
    AnsweredFrame,
    BankState,
    Hit,
    HitShown,
    Level,
    Link,
    MysteryCycle,
    Notice,
    NumberRange,
    Part,
    Table,
    Tallied,
    Uncredited,
)

# Of a bank that nobody has ended yet.
NOBODY: Final = People()


class OpenBank(ActCommand, tag="open-bank", frozen=True):
    """A bank's first entry. site: the id of the site whose ledger it is in."""

    site: str


class BankOpened(Event, frozen=True, array_like=True):
    """The first entry of any other bank. site: whose ledger it is in. people: none at the ledger's making."""

    kind: ClassVar[int] = 30
    site: str
    people: People = People()


def decide_open_bank(state: BankState, command: OpenBank, by: ActContext) -> BankOpened:
    """Opens a bank once, before anything else (S3)."""
    refuse_if(state.seq > 0, "bank_has_entries", bank=state.bank)
    refuse_if(not command.site, "site_missing")
    return BankOpened(command.site, by.people)


def apply_bank_opened(effects: Effects, event: BankOpened) -> None:
    """Sets the site that the ledger belongs to."""
    effects.state.site = event.site


class CarriedLevel(msgspec.Struct, frozen=True, array_like=True):
    """A level at rest; its counts and last hits as in the state. reset, stake, reseeded: as in `History`.

    mystery: as in the state, of a level whose history says nothing else.
    """

    accounts: Accounts
    cycle: int
    wagers: int
    hits: int
    wins: int
    undone_wagers: int
    undone_hits: int
    joined: list[tuple[int, int]]
    reset: int
    stake: int
    reseeded: Moment = BASE
    shown: list[HitShown] = []
    mystery: MysteryCycle | None = None


class CarriedLink(msgspec.Struct, frozen=True, array_like=True):
    terms: LinkTerms
    outside: Accounts
    levels: list[CarriedLevel]
    suspended: list[str]
    paid_by: dict[str, int]
    out_of_order: list[tuple[int, int]] = []


class CarriedTable(msgspec.Struct, frozen=True, array_like=True):
    """A table at rest. counts, sums: by its old bank's link numbers."""

    terms: TableTerms
    last_seq: int
    answers: list[AnsweredFrame]
    ended: str
    counts: dict[int, int]
    rounds: int
    disbelieved: int
    sums: dict[int, int] = {}


class HandedOn(msgspec.Struct, frozen=True, array_like=True):
    """The state at rest that one bank gives to the next.

    paid: settled hits that may still be corrected, in the order in which the state drops them. Its tables,
    links, hits and awards have the numbers of the old bank. parts, first_hit, first_award: as in the state.
    known: the entry of the bank `site` up to which it has seen the people, those who ended it among them.
    """

    bank: str
    links: list[CarriedLink]
    tables: list[CarriedTable]
    next_hit: int
    next_award: int
    last_day: str
    blocked: list[tuple[str, str]]
    ended: list[tuple[str, str, str]]
    refusals: dict[str, int]
    site: str
    alarms: list[Alarm] = []
    acts: list[AnsweredAct] = []
    paid: list[Hit] = []
    parts: list[Part] = []
    first_hit: int = 1
    first_award: int = 1
    known: int = 0
    notices: list[Notice] = []
    uncredited: dict[int, Uncredited] = {}
    tallies: dict[tuple[Tallied, str], int] = {}


class CloseBank(ActCommand, tag="close-bank", frozen=True):
    """The bank, at rest, becomes part of another one."""

    into: str
    reason: str


class BankClosed(Event, frozen=True, array_like=True):
    """The last entry of a bank: everything that it had goes into another one."""

    kind: ClassVar[int] = 25
    into: str
    handed_on: HandedOn
    people: People
    reason: str


def decide_close_bank(state: BankState, command: CloseBank, by: ActContext) -> BankClosed:
    """Closes the bank, at rest; never that of the people, without whom nobody could act any more."""
    refuse_if(state.bank == SITE, "bank_without_links", bank=SITE)
    refuse_if(command.into == state.bank, "bank_into_itself", bank=state.bank)
    for link in state.links:
        name = link.terms.link
        refuse_if(not link.suspended, "bank_link_takes_wagers", link=name)
    for table in state.tables:
        name = table.terms.table
        refuse_if(table.unfinished() is not None, "table_round_unfinished", table=name)
        refuse_if(bool(table.held), "table_waits_for_papers", table=name)
    waits = [f"D{one.number}" for one in state.left]
    refuse_if(bool(waits), "bank_left_waits", left=waits)
    refuse_if(bool(state.behind), "bank_ledger_behind")
    standing = [
        f"H{hit.number}" for hit in state.hits.values() if any(award.status in UNPAID for award in hit.awards)
    ]
    refuse_if(bool(standing), "bank_hits_stand", hits=standing)
    return BankClosed(command.into, handed_on(state, by.people), by.people, command.reason)


def handed_on(state: BankState, people: People = NOBODY) -> HandedOn:
    """The state of a bank at rest that the next bank takes over. people: who end it."""
    end = state.seq + 1
    settled = _settled(state, end)
    kept = {award.number for hit in settled for award in hit.awards}
    links = [
        CarriedLink(
            link.terms,
            link.outside.copy(),
            [
                CarriedLevel(
                    level.accounts.copy(), level.cycle, level.wagers, level.hits, level.wins,
                    level.undone_wagers, level.undone_hits, list(level.joined), now.reset, now.stake,
                    counted_back(now.reseeded, end), list(level.shown), mystery.without_history(level, kept),
                )
                for level in link.levels
                for now in [replay(level.history)]
            ],
            list(link.suspended),
            dict(link.paid_by),
            list(link.out_of_order),
        )
        for link in state.links
    ]  # fmt: skip
    tables = [
        CarriedTable(
            table.terms,
            table.last_seq,
            list(table.answers),
            table.ended,
            dict(table.counts),
            table.rounds,
            table.disbelieved,
            dict(table.sums),
        )
        for table in state.tables
    ]
    return HandedOn(
        state.bank, links, tables, state.next_hit, state.next_award, state.last_day, list(state.blocked),
        list(state.ended), dict(state.refusals), state.site,
        list(state.alarms.values()), list(state.acts),
        settled, list(state.parts), state.first_hit, state.first_award,
        max(state.known, people.proof.seq), list(state.notices), dict(state.uncredited),
        dict(state.tallies),
    )  # fmt: skip


def _settled(state: BankState, end: int) -> list[Hit]:
    """The hits that may still be corrected (A10), those of rounds that could be reopened last.

    Those of links with levels come first, then the offers' of each table (B15). end: the entry that ends the
    bank.
    """
    open_ = [hit for hit in state.hits.values() if any(award.settled() for award in hit.awards)]
    hits = list[Hit]()
    for kept in (state.paid, *(table.paid for table in state.tables)):
        hits += [*kept.values(), *(hit for hit in open_ if settled_hits(state, hit) is kept)][-PAID_KEPT:]
    return [
        replace(hit, awards=[replace(award, won=counted_back(award.won, end)) for award in hit.awards])
        for hit in hits
    ]


def apply_bank_closed(effects: Effects, event: BankClosed) -> None:
    """Moves every account to zero: the balances are the next bank's (M4)."""
    state = effects.state
    said, has = event.handed_on, handed_on(state, event.people)
    # An older program kept less of an answer to an act; what this one writes is decided again as a whole.
    same = replace(said, acts=[]) == replace(has, acts=[])
    same = same and [done.digest for done in said.acts] == [done.digest for done in has.acts]
    invariant(same, "it hands on other sums than the bank has")
    for link in state.links:
        for level in link.levels:
            accounts = effects.meter(link, level)
            accounts.add(Accounts().less(accounts))
        outside = effects.outside(link)
        outside.add(Accounts().less(outside))
    state.closed_into = event.into


class BeginBank(ActCommand, tag="begin-bank", frozen=True):
    """A new bank goes on with what others handed on. heads: of each, its name, last entry and its hash."""

    heads: tuple[tuple[str, int, bytes], ...]
    parts: tuple[HandedOn, ...]


class BankBegun(Event, frozen=True, array_like=True):
    """The first entry of a bank that others became. heads: of each, its name, last entry and its hash."""

    kind: ClassVar[int] = 26
    heads: list[tuple[str, int, bytes]]
    parts: list[HandedOn]


def _twice(ids: list[str]) -> str | None:
    """The first id that is there more than once; None where each is there once."""
    return next((one for one in ids if ids.count(one) > 1), None)


def decide_begin_bank(state: BankState, command: BeginBank, _by: ActContext) -> BankBegun:
    """Begins a bank with the ends of others."""
    refuse_if(state.bank == SITE, "bank_without_links", bank=SITE)
    refuse_if(state.seq > 0, "bank_has_entries", bank=state.bank)
    parts = command.parts
    refuse_if(not parts, "bank_without_parts")
    if link := _twice([link.terms.link for part in parts for link in part.links]):
        raise Refusal("link_in_two_banks", link=link)
    if table := _twice([table.terms.table for part in parts for table in part.tables]):
        raise Refusal("table_in_two_banks", table=table)
    return BankBegun(list(command.heads), list(parts))


class Offsets(NamedTuple):
    """Offsets of a part's numbers in the bank that it became."""

    links: int
    tables: int
    hits: int
    awards: int


def offsets(parts: Sequence[HandedOn]) -> list[Offsets]:
    """The offsets of each part. No hit or award gets a number that another had before the join."""
    links = tables = 0
    hits = max((part.next_hit for part in parts), default=1) - 1
    awards = max((part.next_award for part in parts), default=1) - 1
    found = []
    for part in parts:
        found.append(Offsets(links, tables, hits, awards))
        links += len(part.links)
        tables += len(part.tables)
        hits += part.next_hit - 1
        awards += part.next_award - 1
    return found


def apply_bank_begun(effects: Effects, event: BankBegun) -> None:
    """Takes links and tables of each bank in turn, renumbered; every account as it was handed on (M4).

    Of the paid hits it keeps the last ones by the time when they were won, whichever bank made them (A10).
    """
    state = effects.state
    moved = offsets(event.parts)
    settled = list[Hit]()
    for part, by in zip(event.parts, moved, strict=True):
        for carried in part.links:
            _take_link(effects, carried, by)
        for told in part.tables:
            _take_table(state, told, by.links)
        for notice in part.notices:
            _take_notice(state, notice, by)
        for award, waits in part.uncredited.items():
            moved_to = replace(
                waits, hit=waits.hit + by.hits, link=waits.link + by.links, table=waits.table + by.tables
            )
            state.uncredited[award + by.awards] = moved_to
        settled += [renumbered(hit, by) for hit in part.paid]
        state.next_hit = by.hits + part.next_hit
        state.next_award = by.awards + part.next_award
        state.site = part.site
        state.last_day = max(state.last_day, part.last_day)
        state.known = max(state.known, part.known)
        state.blocked += part.blocked
        state.ended += part.ended
        for code, count in part.refusals.items():
            state.refusals[code] = state.refusals.get(code, 0) + count
        for (what, kind), count in part.tallies.items():
            state.tally(what, kind, count)
        for alarm in part.alarms:
            _take_alarm(state, alarm, part.bank)
        for done in part.acts:
            state.keep(done)  # an act that is sent again is not done again
    for oldest in [*state.uncredited][:-CREDITS_KEPT]:
        del state.uncredited[oldest]
    state.parts = parts_of(event.parts)
    for hit in sorted(settled, key=attrgetter("at")):
        settled_hits(state, hit)[hit.number] = hit
    state.paid = dict(list(state.paid.items())[-PAID_KEPT:])
    if moved:
        state.first_hit, state.first_award = moved[0].hits + 1, moved[0].awards + 1


def parts_of(handed: Sequence[HandedOn]) -> list[Part]:
    """The numbers that each part has in the bank that they became, as `BankState.parts`."""
    found = []
    for part, by in zip(handed, offsets(handed), strict=True):
        hits = NumberRange(part.first_hit, part.next_hit, 0)
        own = Part(part.bank, hits, NumberRange(part.first_award, part.next_award, 0))
        found += [
            Part(one.bank, one.hits.further(by.hits), one.awards.further(by.awards))
            for one in (own, *part.parts)
        ]
    return found


def renumbered(hit: Hit, by: Offsets) -> Hit:
    """A hit of a part with the numbers of this bank; it shares nothing with the one that was handed on."""
    return replace(
        hit,
        number=hit.number + by.hits,
        table=hit.table + by.tables,
        link=hit.link + by.links,
        awards=[
            replace(
                award, number=award.number + by.awards, hit=award.hit + by.hits, link=award.link + by.links
            )
            for award in hit.awards
        ],
        credited=[award + by.awards for award in hit.credited],
        sheets={
            seat: replace(
                sheet,
                fields=list(sheet.fields),
                documents=list(sheet.documents),
                same_patron=list(sheet.same_patron),
                tax_forms=list(sheet.tax_forms),
            )
            for seat, sheet in hit.sheets.items()
        },
    )


def _take_link(effects: Effects, carried: CarriedLink, by: Offsets) -> None:
    state = effects.state
    terms = msgspec.structs.replace(carried.terms, bank=state.bank)
    link = Link(
        len(state.links) + 1,
        terms,
        [],
        Accounts(),
        list(carried.suspended),
        dict(carried.paid_by),
        out_of_order=list(carried.out_of_order),
    )
    state.links.append(link)
    effects.outside(link).add(carried.outside)
    for number, (level_terms, of) in enumerate(zip(terms.levels, carried.levels, strict=True), 1):
        played = PlayedTerms(level_terms, terms.floor_to_seed)
        points = [LevelPoint(BASE, of.wagers)]
        history = History(
            of.accounts.copy(),
            points,
            played,
            of.reset,
            of.stake,
            terms.wager,
            of.wagers,
            reseeded=of.reseeded,
        )
        level = Level(
            number, level_terms, Accounts(), history, of.cycle, of.hits, of.wins,
            of.undone_wagers, of.undone_hits, list(of.joined),
            [replace(shown, hit=shown.hit + by.hits, seq=0) for shown in of.shown],
            None if of.mystery is None else mystery.taken_over(of.mystery, by.awards),
        )  # fmt: skip
        link.levels.append(level)
        effects.meter(link, level).add(of.accounts)


def _take_alarm(state: BankState, alarm: Alarm, bank: str) -> None:
    """Takes over an open alarm, under a number of this bank; seq is that of the bank before.

    A hit, or the bank itself, is named together with that bank: another bank may have an alarm of the same.
    """
    place = alarm.place or f"bank {bank}"
    if place.startswith("hit "):
        place = f"{place} ({bank})"
    state.alarms[alarm.kind, place] = msgspec.structs.replace(alarm, number=state.next_alarm, place=place)
    state.next_alarm += 1


def _take_notice(state: BankState, notice: Notice, by: Offsets) -> None:
    """Takes over a notice that stands (P2), under a number of this bank."""
    state.notices.append(
        msgspec.structs.replace(
            notice,
            number=state.next_notice,
            link=notice.link and notice.link + by.links,
            table=notice.table and notice.table + by.tables,
            to=notice.to and notice.to + by.links,
        )
    )
    state.next_notice += 1


def _take_table(state: BankState, carried: CarriedTable, links_before: int) -> None:
    """Takes over a table; its link numbers follow those of the banks before."""
    names = {link.terms.link: link.number for link in state.links}
    state.tables.append(
        Table(
            len(state.tables) + 1,
            carried.terms,
            [names[name] for name in carried.terms.links],
            carried.last_seq,
            list(carried.answers),
            ended=carried.ended,
            counts={links_before + number: count for number, count in carried.counts.items()},
            rounds=carried.rounds,
            disbelieved=carried.disbelieved,
            sums={links_before + number: sum_ for number, sum_ in carried.sums.items()},
        )
    )


ACTS: Final = (
    Act(OpenBank, decide_open_bank, {BankOpened: apply_bank_opened}, power=ADMIN, server=always_server),
    Act(
        CloseBank,
        decide_close_bank,
        {BankClosed: apply_bank_closed},
        power=ADMIN,
    ),
    Act(
        BeginBank,
        decide_begin_bank,
        {BankBegun: apply_bank_begun},
    ),
)
