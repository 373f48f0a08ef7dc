"""How do two banks become one? Each chain ends with what it hands on, and a new chain begins with both.

Only what is at rest can move: every link suspended, no round to finish, no award to pay, no cards held. So
nothing that is handed on can still be undone or recomputed, and its history begins again (A11).
"""

import msgspec

from jackpot.rules.codes import Code
from jackpot.rules.commands import BeginBank, CloseBank
from jackpot.rules.effects import Effects
from jackpot.rules.events import (
    BankBegun,
    BankClosed,
    CarriedLevel,
    CarriedLink,
    CarriedTable,
    HandedOn,
    People,
)
from jackpot.rules.meter import Accounts
from jackpot.rules.refusal import refuse_if
from jackpot.rules.state import Level, Link, State, Table
from jackpot.rules.undo import BASE, History, Point


def decide_close_bank(state: State, command: CloseBank, people: People) -> BankClosed:
    """The bank ends here, at rest."""
    refuse_if(not people.count(), Code.NO_PERSON, "by: someone must stand for this act")
    refuse_if(command.into == state.bank, Code.SAME_BANK, f"into: {state.bank} cannot become itself")
    for link in state.links:
        name = link.terms.link
        refuse_if(not link.suspended, Code.NOT_SUSPENDED, f"link {name} takes wagers: suspend it first")
    for table in state.tables:
        name = table.terms.table
        refuse_if(
            table.unfinished() is not None, Code.ROUND_UNFINISHED, f"table {name} has an unfinished round"
        )
        refuse_if(bool(table.held), Code.TABLE_HELD, f"table {name} is held for its papers")
    refuse_if(bool(state.behind), Code.LEDGER_BEHIND, "a table has answers that the ledger has lost")
    standing = [
        f"H{hit.number}"
        for hit in state.hits.values()
        if any(award.status in ("pending", "validated") for award in hit.awards)
    ]
    refuse_if(bool(standing), Code.AWARD_STANDING, f"not yet paid or undone: {', '.join(standing)}")
    return BankClosed(command.into, handed_on(state), people, command.reason)


def handed_on(state: State) -> HandedOn:
    """All of a bank at rest that another one goes on with."""
    links = [
        CarriedLink(
            link.terms,
            link.outside.copy(),
            [
                CarriedLevel(
                    level.accounts.copy(), level.cycle, level.wagers, level.hits, level.wins,
                    level.undone_wagers, level.undone_hits, list(level.joined),
                )
                for level in link.levels
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
        links, tables, state.next_hit, state.next_award, state.last_day, list(state.blocked),
        list(state.ended), dict(state.refusals), state.site,
    )  # fmt: skip


def apply_bank_closed(effects: Effects, event: BankClosed) -> None:
    """Every account goes to zero: what was in them is the next bank's (M4)."""
    state = effects.state
    for link in state.links:
        for level in link.levels:
            accounts = effects.meter(link, level)
            accounts.add(Accounts().less(accounts))
        outside = effects.outside(link)
        outside.add(Accounts().less(outside))
    state.closed_into = event.into


def decide_begin_bank(state: State, command: BeginBank) -> BankBegun:
    """A bank whose first entry is the end of others."""
    refuse_if(state.seq > 0, Code.NOT_EMPTY, f"bank {state.bank} has entries already")
    parts = command.parts
    refuse_if(not parts, Code.NO_SITE, "a bank begins with at least one other")
    for name, ids in (
        ("link", [link.terms.link for part in parts for link in part.links]),
        ("table", [table.terms.table for part in parts for table in part.tables]),
    ):
        twice = next((one for one in ids if ids.count(one) > 1), None)
        refuse_if(twice is not None, Code.TWICE, f"{name} {twice} is in more than one of the banks")
    return BankBegun(list(command.heads), list(parts))


def apply_bank_begun(effects: Effects, event: BankBegun) -> None:
    """Links and tables of each bank in turn, numbered on; every account as it was handed on (M4)."""
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


def _take_link(effects: Effects, carried: CarriedLink) -> None:
    state = effects.state
    terms = msgspec.structs.replace(carried.terms, bank=state.bank)
    link = Link(len(state.links) + 1, terms, [], Accounts(), list(carried.suspended), dict(carried.paid_by))
    state.links.append(link)
    effects.outside(link).add(carried.outside)
    for number, (level_terms, of) in enumerate(zip(terms.levels, carried.levels, strict=True), 1):
        level = Level(
            number, level_terms, Accounts(), History(of.accounts.copy(), [Point(BASE)]), of.cycle, of.wagers,
            of.hits, of.wins, of.undone_wagers, of.undone_hits, list(of.joined),
        )  # fmt: skip
        link.levels.append(level)
        effects.meter(link, level).add(of.accounts)


def _take_table(state: State, told: CarriedTable, links_before: int) -> None:
    """Its links have numbers of their own bank; here they follow those of the banks before."""
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
