"""Lamps: what a table says of the lamp at the seat of an award (P3)."""

from collections.abc import Callable
from typing import Any, Final

from controllers.messages import Lamp
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event, LampReported
from jackpot.rules.invariant import require
from jackpot.rules.refusal import Refusal, refuse_if
from jackpot.rules.rounds.betting import FrameContext
from jackpot.rules.state import Award, BankState, Table

# Changes of one lamp that the journal keeps: a few repairs. Each is a row of its hit's history, which a lamp
# that flickers would fill.
LAMP_CHANGES_MAX: Final = 16


def decide_lamp(state: BankState, table: Table, command: Lamp, _around: FrameContext) -> LampReported:
    """Takes down what the lamp shows; to say the same again changes nothing."""
    award = _find(state, table, command.award)
    changed = award.lamp != command.state
    flickers = changed and len(award.lamps) >= LAMP_CHANGES_MAX
    refuse_if(flickers, "lamp_flickers", award=award.number, most=LAMP_CHANGES_MAX)
    return LampReported(award.hit, award.number, award.seat, command.state, changed)


def _find(state: BankState, table: Table, name: str) -> Award:
    """The table's standing award of that id, which waits for people or is of its last round.

    The newest hits are looked at first.
    """
    rounds = (one for one in (table.round, table.closed) if one is not None)
    hits = [*table.unpaid.hits, *(number for one in rounds for number in one.hits)]
    for number in dict.fromkeys(reversed(hits)):
        hit = state.hits.get(number)
        for award in hit.awards if hit is not None else ():
            if f"A{award.number}" == name and award.stands():
                return award
    raise Refusal("lamp_of_no_award", award=name, table=table.terms.table)


def apply_lamp_reported(effects: Effects, event: LampReported) -> None:
    """Keeps what the lamp shows with its award."""
    if not event.changed:
        return
    found = (award for award in effects.state.hits[event.hit].awards if award.number == event.award)
    award = require(next(found, None), f"hit {event.hit} has no award {event.award}")
    award.lamps = (*award.lamps, event.state)
    effects.hits.add(event.hit)
    effects.state.tally("lamp", event.state)


APPLIES: Final[dict[type[Event], Callable[[Effects, Any], None]]] = {LampReported: apply_lamp_reported}
"""What a table's word of a lamp changes."""
