"""Claims of tables that the ledger has lost answers, and people's decisions on them (S9).

A table that has answers beyond the ledger is refused and waits for people. Its bank stops when a second one
claims the same within the epoch while people have not answered the first, or when it is the only one that has
ever played.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Final

import msgspec

from controllers.messages import Id
from jackpot.rules.acts.act import FLOOR_OR_ADMIN, Act, ActContext
from jackpot.rules.acts.fields import Reason
from jackpot.rules.acts.highest_shown import Highest, StatedValue, apply_stated, decide_stated, every_link
from jackpot.rules.acts.tables import find_table
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.refusal import Refusal, refuse_if
from jackpot.rules.rounds import mystery
from jackpot.rules.signing import People
from jackpot.rules.state import BankState, ClaimedAck, Table

BEHIND: Final = "ledger_behind"


# The highest acceptable claim: from it a table can count on for ever within the 2^53 - 1 of the protocol.
BELIEVED_MAX: Final = 2**52


class FoundBehind(Event, frozen=True, array_like=True):
    """A table claims answers, up to `acked`, that this ledger has lost (S9).

    since: the entry after which the epoch began. suspends: the bank, for another table claimed so since then
    and waits for people, or no other has ever played.
    """

    kind: ClassVar[int] = 17
    table: int
    acked: int
    since: int
    suspends: bool


class BehindOver(Event, frozen=True, array_like=True):
    """A table whose claim was rejected has named a number, `acked`, that the ledger has."""

    kind: ClassVar[int] = 29
    table: int
    acked: int


class ConfirmBehind(ActCommand, tag="confirm-behind", frozen=True):
    """Two people believe what a table says that the ledger has lost, or they do not (S9).

    highest: where they believe it, of each mystery level of the bank the highest value that was shown (Y8).
    """

    table: Id
    reason: Reason
    believe: bool
    highest: Highest = ()


class BehindConfirmed(Event, frozen=True, array_like=True):
    """People have decided on a table's claim.

    missing: how many answers the ledger has lost; 0 where people do not believe the table. stated: up to
    where mystery levels are decided.
    """

    kind: ClassVar[int] = 18
    table: int
    acked: int
    missing: int
    reason: str
    people: People
    believed: bool
    stated: list[StatedValue] = msgspec.field(default_factory=list)


class AcceptedClaim(msgspec.Struct, frozen=True, array_like=True):
    """A table's claimed last ack that people accept, and how many answers the ledger has lost."""

    table: int
    acked: int
    missing: int


def is_ahead(table: Table, acked: int | None) -> bool:
    """Whether the table claims answers that the ledger has not, and people have not rejected that."""
    return acked is not None and acked > max(table.last_seq, table.disbelieved)


def is_told(state: BankState, table: Table, since: int) -> bool:
    """Whether the table's claim of this epoch waits for people. since: the entry after which that began."""
    said = state.behind.get(table.number)
    return said is not None and said.seq > since


def refusal_of_claim(table: Table) -> str:
    """The refusal of such a table; the numbers are in the journal."""
    return (
        f"table {table.terms.table} has answers that the ledger has lost; people must confirm what is missing"
    )


def decide_found(state: BankState, table: Table, acked: int, since: int) -> FoundBehind:
    """Journals a table's claim, once in an epoch until people have answered it."""
    others = [other for other in state.tables if other.number != table.number]
    second = any(is_told(state, other, since) for other in others)
    alone = not any(other.counts for other in others)
    return FoundBehind(table.number, acked, since, second or alone)


def apply_found_behind(effects: Effects, event: FoundBehind) -> None:
    """Makes the table wait for people, or its bank with it (WIRE: ledger_behind)."""
    state = effects.state
    state.behind[event.table] = ClaimedAck(event.acked, effects.seq)
    for link in state.links if event.suspends else ():
        effects.suspend(link, BEHIND)


def decide_over(table: Table, acked: int | None) -> BehindOver | None:
    """The table names a number that the ledger has, after a higher claim was rejected; else nothing."""
    right = acked is not None and acked <= table.last_seq
    return BehindOver(table.number, acked) if right and table.disbelieved and acked is not None else None


def apply_behind_over(effects: Effects, event: BehindOver) -> None:
    """Makes the table's claims count again."""
    effects.state.table(event.table).disbelieved = 0


def decide_confirm(state: BankState, command: ConfirmBehind, by: ActContext) -> BehindConfirmed:
    """Two people accept or reject the table's claimed last ack."""
    table = find_table(state, command.table)
    believed = decide_believed(state, table, None) if command.believe else None
    said = state.behind.get(table.number)
    if said is None:
        raise _not_behind(table)
    missing = believed.missing if believed else 0
    stated = decide_stated(state, every_link(state) if believed else (), command.highest)
    return BehindConfirmed(
        table.number, said.acked, missing, command.reason, by.people, command.believe, stated
    )


def decide_believed(state: BankState, table: Table, acked: int | None) -> AcceptedClaim:
    """The decision on one table's claim. acked: the number that people were shown, None for any."""
    waiting = state.behind.get(table.number)
    name = table.terms.table
    if waiting is None:
        raise _not_behind(table)
    said = waiting.acked
    wrong = acked not in (None, said)
    refuse_if(wrong, "table_claims_other", table=name, said=said, acked=acked)
    high = said > BELIEVED_MAX
    refuse_if(high, "table_claims_too_much", table=name, said=said, most=BELIEVED_MAX)
    return AcceptedClaim(table.number, said, max(0, said - table.last_seq))


def apply_behind_confirmed(effects: Effects, event: BehindConfirmed) -> None:
    """Continues the table after its claimed ack, or ignores its claims up to there from now on."""
    if event.believed:
        apply_stated(effects.state, event.stated)
        believe(effects, AcceptedClaim(event.table, event.acked, event.missing))
        return
    table = effects.state.table(event.table)
    table.disbelieved = event.acked
    _decided(effects, event.table)


def believe(effects: Effects, believed: AcceptedClaim) -> None:
    """Continues the table after its claimed ack, or after what it sent since; its numbers never go back.

    What is missing may have lifted a committed level: no trigger of the bank is played on any more (Y8).
    """
    table = effects.state.table(believed.table)
    table.last_seq = max(table.last_seq, believed.acked)
    table.disbelieved = 0
    effects.alarm("ledger_behind_confirmed", table=table.terms.table, missing=believed.missing)
    for link in effects.state.links:
        if mystery.is_committed(link) and not link.closed:
            mystery.replace_triggers(link)
    _decided(effects, believed.table)


def _decided(effects: Effects, number: int) -> None:
    """Resumes the bank when people have answered every table."""
    state = effects.state
    del state.behind[number]
    for link in state.links if not state.behind else ():
        effects.resume(link, BEHIND)


def _not_behind(table: Table) -> Refusal:
    return Refusal("table_claims_nothing", table=table.terms.table)


GREETINGS: Final[dict[type[Event], Callable[[Effects, Any], None]]] = {
    FoundBehind: apply_found_behind,
    BehindOver: apply_behind_over,
}
"""What a table's hello comes to: neither its frame nor an act."""

ACTS: Final = (
    Act(
        ConfirmBehind,
        decide_confirm,
        {BehindConfirmed: apply_behind_confirmed},
        asked=True,
        power=FLOOR_OR_ADMIN,
        needs_two="why_lost_acks",
    ),
)
