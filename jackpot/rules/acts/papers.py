"""What do people write on a hit's papers once they have validated or paid it? An addendum (A10).

What the papers said before stays: the journal has a digest of each sheet, and who added it.
"""

from collections.abc import Iterable
from typing import ClassVar, Final

from controllers.messages import Seat
from jackpot.rules.acts.act import FLOOR_OR_CAGE, Act, By, someone
from jackpot.rules.acts.fields import Fact, HitId, Paper, Reason
from jackpot.rules.acts.hits import check_made, number_of
from jackpot.rules.codes import Code
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.refusal import refuse_if
from jackpot.rules.signing import People
from jackpot.rules.state import State


class AddPapers(ActCommand, tag="add-papers", frozen=True):
    """Something more is written on a hit's papers. paper: the digest of what names somebody.

    seat: on those of this winner alone.
    """

    hit: HitId
    reason: Reason
    surveillance: Fact = ""
    tax_form: Fact = ""
    paper: Paper = b""
    seat: Seat | None = None


class PapersAdded(Event, frozen=True, array_like=True):
    """number: the hit's. seat: 0 where it is about all winners."""

    kind: ClassVar[int] = 55
    number: int
    reason: str
    people: People
    surveillance: str = ""
    tax_form: str = ""
    paper: bytes = b""
    seat: int = 0


def decide_add(state: State, command: AddPapers, by: By) -> PapersAdded:
    """To any hit that has papers: a paid one may have left the state long ago."""
    someone(by)
    number = number_of("H", command.hit)
    check_made(state, command.hit)
    hit = state.hits.get(number) or state.paid.get(number)
    theirs = hit is None or command.seat is None or any(award.seat == command.seat for award in hit.awards)
    refuse_if(not theirs, Code.NO_SUCH_AWARD, f"seat: {command.hit} has no award for seat {command.seat}")
    statuses = {award.status for award in hit.awards} if hit is not None else set()
    waits = "pending" in statuses and not statuses & {"validated", "paid"}
    refuse_if(
        waits,
        Code.NOT_VALIDATED,
        f"hit: {command.hit} is not validated yet: its papers are written when it is",
    )
    written = command.surveillance, command.tax_form, command.paper
    refuse_if(not any(written), Code.BAD_REQUEST, "dealer: nothing is written; fill in one field at least")
    return PapersAdded(number, command.reason, by.people, *written, command.seat or 0)


def apply_added(effects: Effects, event: PapersAdded) -> None:
    """The journal says who added it; no sum and no status changes."""
    state = effects.state
    hit = state.hits.get(event.number) or state.paid.get(event.number)
    if hit is not None and event.paper:
        hit.written = effects.at
    effects.hits.add(event.number)
    effects.told.hit = f"H{event.number}"


def _again_add(_state: State, event: PapersAdded) -> Iterable[AddPapers]:
    written = event.surveillance, event.tax_form, event.paper
    yield AddPapers(f"H{event.number}", event.reason, *written, event.seat or None)


ACTS: Final = (
    Act(
        AddPapers,
        decide_add,
        {PapersAdded: apply_added},
        _again_add,
        power=FLOOR_OR_CAGE,
    ),
)
