"""Opening and closing of banks, and joining of two banks into one.

Each chain ends with what it hands on, and a new chain begins with both. Only what is at rest can move: every
link suspended, no round to finish, no award to pay, no cards held, nothing left to decide on. So nothing that
is handed on can still be undone or recomputed, and its history begins again (A11).
"""

from typing import ClassVar, Final

import msgspec
from msgspec.structs import replace

from jackpot.rules.acts.act import Act, ActContext, require_person
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.invariant import invariant
from jackpot.rules.meter import Accounts
from jackpot.rules.paytable import LinkTerms, TableTerms
from jackpot.rules.refusal import Refusal, refuse_if
from jackpot.rules.rounds.undo import BASE, History, PlayedTakes, Point, replay
from jackpot.rules.signing import People
from jackpot.rules.state import UNPAID, Alarm, AnsweredAct, AnsweredFrame, BankState, Level, Link, Table


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
    """A level at rest; its counts as in the state. reset, stake: as in `History`."""

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
    answers: list[AnsweredFrame]
    ended: str
    counts: dict[int, int]
    rounds: int
    disbelieved: int


class HandedOn(msgspec.Struct, frozen=True, array_like=True):
    """The state at rest that one bank gives to the next."""

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
    """Closes the bank, at rest."""
    require_person(by)
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
    return BankClosed(command.into, handed_on(state), by.people, command.reason)


def handed_on(state: BankState) -> HandedOn:
    """The state of a bank at rest that the next bank takes over."""
    links = [
        CarriedLink(
            link.terms,
            link.outside.copy(),
            [
                CarriedLevel(
                    level.accounts.copy(), level.cycle, level.wagers, level.hits, level.wins,
                    level.undone_wagers, level.undone_hits, list(level.joined), now.reset, now.stake,
                )
                for level in link.levels
                for now in [replay(level.history)]
            ],
            list(link.suspended),
            dict(link.paid_by),
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
        )
        for table in state.tables
    ]
    return HandedOn(
        state.bank, links, tables, state.next_hit, state.next_award, state.last_day, list(state.blocked),
        list(state.ended), dict(state.refusals), state.site,
        list(state.alarms.values()), list(state.acts),
    )  # fmt: skip


def apply_bank_closed(effects: Effects, event: BankClosed) -> None:
    """Moves every account to zero: the balances are the next bank's (M4)."""
    state = effects.state
    said, has = event.handed_on, handed_on(state)
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
    refuse_if(state.seq > 0, "bank_has_entries", bank=state.bank)
    parts = command.parts
    refuse_if(not parts, "bank_without_parts")
    if link := _twice([link.terms.link for part in parts for link in part.links]):
        raise Refusal("link_in_two_banks", link=link)
    if table := _twice([table.terms.table for part in parts for table in part.tables]):
        raise Refusal("table_in_two_banks", table=table)
    return BankBegun(list(command.heads), list(parts))


def apply_bank_begun(effects: Effects, event: BankBegun) -> None:
    """Takes links and tables of each bank in turn, renumbered; every account as it was handed on (M4)."""
    state = effects.state
    for part in event.parts:
        before = len(state.links)
        for carried in part.links:
            _take_link(effects, carried)
        for told in part.tables:
            _take_table(state, told, before)
        state.next_hit = max(state.next_hit, part.next_hit)
        state.next_award = max(state.next_award, part.next_award)
        state.site = part.site
        state.last_day = max(state.last_day, part.last_day)
        state.blocked += part.blocked
        state.ended += part.ended
        for code, count in part.refusals.items():
            state.refusals[code] = state.refusals.get(code, 0) + count
        for alarm in part.alarms:
            _take_alarm(state, alarm, part.bank)
        for done in part.acts:
            state.keep(done)  # an act that is sent again is not done again
    state.first_hit, state.first_award = state.next_hit, state.next_award


def _take_link(effects: Effects, carried: CarriedLink) -> None:
    state = effects.state
    terms = msgspec.structs.replace(carried.terms, bank=state.bank)
    link = Link(len(state.links) + 1, terms, [], Accounts(), list(carried.suspended), dict(carried.paid_by))
    state.links.append(link)
    effects.outside(link).add(carried.outside)
    for number, (level_terms, of) in enumerate(zip(terms.levels, carried.levels, strict=True), 1):
        played = PlayedTakes(level_terms, terms.floor_to_seed)
        points = [Point(BASE, of.wagers)]
        history = History(of.accounts.copy(), points, played, of.reset, of.stake, terms.wager, of.wagers)
        level = Level(
            number, level_terms, Accounts(), history, of.cycle, of.hits, of.wins,
            of.undone_wagers, of.undone_hits, list(of.joined),
        )  # fmt: skip
        link.levels.append(level)
        effects.meter(link, level).add(of.accounts)


def _take_alarm(state: BankState, alarm: Alarm, bank: str) -> None:
    """Takes over an open alarm, under a number of this bank; seq is that of the bank before.

    A hit, or the bank itself, is named together with that bank: another bank may have an alarm of the same.
    """
    where = alarm.where or f"bank {bank}"
    if where.startswith("hit "):
        where = f"{where} ({bank})"
    state.alarms[alarm.kind, where] = msgspec.structs.replace(alarm, number=state.next_alarm, where=where)
    state.next_alarm += 1


def _take_table(state: BankState, told: CarriedTable, links_before: int) -> None:
    """Takes over a table; its link numbers follow those of the banks before."""
    names = {link.terms.link: link.number for link in state.links}
    state.tables.append(
        Table(
            len(state.tables) + 1,
            told.terms,
            [names[name] for name in told.terms.links],
            told.last_seq,
            list(told.answers),
            ended=told.ended,
            counts={links_before + number: count for number, count in told.counts.items()},
            rounds=told.rounds,
            disbelieved=told.disbelieved,
        )
    )


ACTS: Final = (
    Act(
        OpenBank,
        decide_open_bank,
        {BankOpened: apply_bank_opened},
        lambda _, event: [OpenBank(event.site)],
        alone=True,
    ),
    Act(
        CloseBank,
        decide_close_bank,
        {BankClosed: apply_bank_closed},
        lambda _, event: [CloseBank(event.into, event.reason)],
        alone=True,
    ),
    Act(
        BeginBank,
        decide_begin_bank,
        {BankBegun: apply_bank_begun},
        lambda _, event: [BeginBank(tuple(event.heads), tuple(event.parts))],
    ),
)
