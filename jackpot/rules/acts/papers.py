"""What do people write on a hit's papers once they have validated or paid it? An addendum (A10).

What the papers said before stays: the journal has a digest of each sheet, and who added it.
"""

from typing import ClassVar, Final

from jackpot.rules.acts.act import FLOOR_OR_CAGE, Act, By, someone
from jackpot.rules.acts.fields import Fact, HitId, Paper, Reason
from jackpot.rules.acts.hits import number_of
from jackpot.rules.codes import Code
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.refusal import quoted, refuse_if
from jackpot.rules.signing import People
from jackpot.rules.state import State


class AddPapers(ActCommand, tag="add-papers", frozen=True):
    """Something more is written on a hit's papers. paper: the digest of what names somebody."""

    hit: HitId
    reason: Reason
    surveillance: Fact = ""
    tax_form: Fact = ""
    paper: Paper = b""


class PapersAdded(Event, frozen=True, array_like=True):
    """number: the hit's."""

    kind: ClassVar[int] = 55
    number: int
    reason: str
    people: People
    surveillance: str = ""
    tax_form: str = ""
    paper: bytes = b""


def decide_add(state: State, command: AddPapers, by: By) -> PapersAdded:
    """To any hit that has papers: a paid one may have left the state long ago."""
    someone(by)
    number = number_of("H", command.hit)
    refuse_if(not 0 < number < state.next_hit, Code.NO_SUCH_HIT, f"hit: there is no {quoted(command.hit)}")
    statuses = {award.status for award in state.hits[number].awards} if number in state.hits else set()
    waits = "pending" in statuses and not statuses & {"validated", "paid"}
    refuse_if(
        waits,
        Code.NOT_VALIDATED,
        f"hit: {command.hit} is not validated yet: its papers are written when it is",
    )
    written = command.surveillance, command.tax_form, command.paper
    refuse_if(not any(written), Code.BAD_REQUEST, "dealer: nothing is written; fill in one field at least")
    return PapersAdded(number, command.reason, by.people, *written)


def apply_added(effects: Effects, event: PapersAdded) -> None:
    """The journal says who added it; no sum and no status changes."""
    state = effects.state
    hit = state.hits.get(event.number) or state.paid.get(event.number)
    if hit is not None and event.paper:
        hit.written = effects.at
    effects.hits.add(event.number)
    effects.told.hit = f"H{event.number}"


ACTS: Final = (
    Act(
        AddPapers,
        decide_add,
        {PapersAdded: apply_added},
        lambda _, event: [
            AddPapers(f"H{event.number}", event.reason, event.surveillance, event.tax_form, event.paper)
        ],
        power=FLOOR_OR_CAGE,
    ),
)
