"""Opening of tables, changes of their terms, and release of held cards (L1, L2, L11, T11)."""

from typing import ClassVar, Final

from controllers.messages import Id
from jackpot.rules.acts.act import FLOOR, Act, ActContext
from jackpot.rules.acts.fields import Reason
from jackpot.rules.acts.notices import check_table_terms, forget_done
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.hands import makes
from jackpot.rules.invariant import invariant
from jackpot.rules.paytable import SEATS, TableTerms
from jackpot.rules.phrases import Fault, quoted
from jackpot.rules.refusal import Refusal, refuse_if
from jackpot.rules.rounds.apply import forget
from jackpot.rules.signing import People
from jackpot.rules.state import BankState, Table
from jackpot.rules.terms import check_joins, check_table

# A welcome tells all of a table's links, its round and its last answer in one frame of 65,536 bytes.
TABLE_LINKS_MAX = 8


class OpenTable(ActCommand, tag="open-table", frozen=True):
    """A table joins, or its terms change while it has no unfinished round."""

    terms: TableTerms


class TableOpened(Event, frozen=True, array_like=True):
    """A new table, or new terms of a known one."""

    kind: ClassVar[int] = 2
    number: int
    terms: TableTerms


def decide_open_table(state: BankState, command: OpenTable, by: ActContext) -> TableOpened:
    """Opens a table, or changes its terms between rounds (L1, L2, L11)."""
    terms = command.terms
    links = {link.terms.link: link for link in state.links}
    for name in terms.links:
        refuse_if(name not in links, "table_link_not_open", table=terms.table, link=name)
        taken = links[name].terms
        wrong = not makes(taken.hand_kind, terms.game, taken.cards)
        refuse_if(wrong, "table_game_wrong", table=terms.table, game=terms.game, link=name)
    twice = len(set(terms.links)) < len(terms.links)
    refuse_if(not terms.links or twice, "table_links_wrong", table=terms.table)
    many = len(terms.links) > TABLE_LINKS_MAX
    refuse_if(many, "table_links_too_many", table=terms.table, most=TABLE_LINKS_MAX)
    most = SEATS[terms.game]
    wrong = not 1 <= terms.seats <= most
    refuse_if(wrong, "table_seats_wrong", table=terms.table, most=most)
    mystery_links = [links[name].terms for name in terms.links if links[name].terms.mystery]
    try:
        check_table(terms)
        check_joins(terms, mystery_links)
    except Fault as fault:
        raise Refusal("table_terms_bad", table=terms.table, fault=fault.phrase) from fault
    for table in state.tables:
        if table.terms.table == terms.table:
            busy = table.unfinished() is not None
            refuse_if(busy, "table_round_unfinished", table=terms.table)
            refuse_if(table.terms == terms, "table_terms_unchanged", table=terms.table)
            check_table_terms(state, table, terms, by.at)
            return TableOpened(table.number, terms)
    return TableOpened(len(state.tables) + 1, terms)


def apply_table_opened(effects: Effects, event: TableOpened) -> None:
    """Adds a table, or sets its terms."""
    state = effects.state
    names = {link.terms.link: link.number for link in state.links}
    links = [names[name] for name in event.terms.links]
    known = {table.terms.table: table.number for table in state.tables}
    right = known.get(event.terms.table, len(state.tables) + 1)
    invariant(event.number == right, f"table {event.number} is no {quoted(event.terms.table)}")
    if event.number <= len(state.tables):
        table = state.table(event.number)
        if table.closed is not None:
            forget(effects, table.closed)
            table.closed = table.asked = None
        table.terms, table.links = event.terms, links
        forget_done(effects)
    else:
        state.tables.append(Table(event.number, event.terms, links))


class Release(ActCommand, tag="release", frozen=True):
    """A floorperson releases the cards that a table keeps (T11)."""

    table: Id
    reason: Reason


class Released(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 14
    table: int
    hits: list[int]
    reason: str
    people: People


def decide_release(state: BankState, command: Release, by: ActContext) -> Released:
    """Releases the cards that a table keeps (T11)."""
    table = find_table(state, command.table)
    refuse_if(not table.held, "table_keeps_no_cards", table=command.table)
    return Released(table.number, list(table.held), command.reason, by.people)


def apply_released(effects: Effects, event: Released) -> None:
    """Ends the hold on the table's cards (T11)."""
    table = effects.state.table(event.table)
    table.held = []
    for number in event.hits:
        hit = effects.state.hits.get(number)
        if hit is not None:
            effects.tell_status(hit, "released")


def find_table(state: BankState, name: str) -> Table:
    """The table of that id; refused as `no_such_table`."""
    for table in state.tables:
        if table.terms.table == name:
            return table
    raise Refusal("table_unknown", table=name)


ACTS: Final = (
    Act(
        OpenTable,
        decide_open_table,
        {TableOpened: apply_table_opened},
    ),
    Act(
        Release,
        decide_release,
        {Released: apply_released},
        asked=True,
        power=FLOOR,
    ),
)
