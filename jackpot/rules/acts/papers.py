"""What do people write on a hit's papers once they have validated or paid it? An addendum (A10).

What the papers said before stays: the journal has a digest of each sheet, and who added it.
"""

from collections.abc import Collection, Iterable
from typing import ClassVar, Final

from controllers.messages import Seat
from jackpot.rules.acts import sheets
from jackpot.rules.acts.act import FLOOR_OR_CAGE, Act, By, someone
from jackpot.rules.acts.fields import Fact, HitId, Named, Paper, Reason
from jackpot.rules.acts.hits import check_made, number_of
from jackpot.rules.codes import Code
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.refusal import refuse_if
from jackpot.rules.signing import People
from jackpot.rules.state import Hit, State


class AddPapers(ActCommand, tag="add-papers", frozen=True):
    """Something more is written on a hit's papers. paper: the digest of what names somebody.

    seat: on those of this winner alone; a must for what is one winner's own, where there are several.
    on_paper: what the paper names. same_patron: as in `Pay`.
    """

    hit: HitId
    reason: Reason
    surveillance: Fact = ""
    tax_form: Fact = ""
    paper: Paper = b""
    seat: Seat | None = None
    on_paper: Named = ()
    same_patron: tuple[Seat, ...] = ()


class PapersAdded(Event, frozen=True, array_like=True):
    """number: the hit's. seat: 0 where it is about all winners, or about the only one of an old hit."""

    kind: ClassVar[int] = 55
    number: int
    reason: str
    people: People
    surveillance: str = ""
    tax_form: str = ""
    paper: bytes = b""
    seat: int = 0
    on_paper: Named = ()
    same_patron: tuple[Seat, ...] = ()


def decide_add(state: State, command: AddPapers, by: By) -> PapersAdded:
    """To any hit that has papers: a paid one may have left the state long ago."""
    someone(by)
    number = number_of("H", command.hit)
    check_made(state, command.hit)
    hit = state.hits.get(number) or state.paid.get(number)
    written = sheets.fields_of(command.on_paper, command.surveillance, command.tax_form)
    seat = command.seat if hit is None else whose(hit, command.seat, written)
    statuses = {award.status for award in hit.awards} if hit is not None else set()
    waits = "pending" in statuses and not statuses & {"validated", "paid"}
    refuse_if(
        waits,
        Code.NOT_VALIDATED,
        f"hit: {command.hit} is not validated yet: its papers are written when it is",
    )
    refuse_if(not written, Code.BAD_REQUEST, "dealer: nothing is written; fill in one field at least")
    sheets.check_paper(command.paper, command.on_paper, command.tax_form)
    facts = command.surveillance, command.tax_form, command.paper, seat or sheets.ALL
    more = command.on_paper, command.same_patron
    return PapersAdded(number, command.reason, by.people, *facts, *more)


def whose(hit: Hit, seat: int | None, written: Collection[str]) -> int | None:
    """Whose papers these fields are written on; None for all winners. Raises Refusal."""
    theirs = seat is None or any(award.seat == seat for award in hit.awards)
    refuse_if(not theirs, Code.NO_SUCH_AWARD, f"seat: H{hit.number} has no award for seat {seat}")
    if seat is not None or sheets.OWN.isdisjoint(written):
        return seat
    seats = sheets.winners(hit.awards)
    said = sheets.several(hit, "patron and tax form are of one of them")
    refuse_if(len(seats) > 1, Code.SEVERAL_WINNERS, said)
    return seats[0] if seats else None


def apply_added(effects: Effects, event: PapersAdded) -> None:
    """The journal says who added it; no sum and no status changes."""
    state = effects.state
    hit = state.hits.get(event.number) or state.paid.get(event.number)
    if hit is not None:
        hit.written = effects.at if event.paper else hit.written
        fields = sheets.fields_of(event.on_paper, event.surveillance, event.tax_form)
        sheets.write(hit, event.seat, fields, same=event.same_patron)
    effects.hits.add(event.number)
    effects.told.hit = f"H{event.number}"


def _again_add(_state: State, event: PapersAdded) -> Iterable[AddPapers]:
    facts = event.surveillance, event.tax_form, event.paper, event.seat or None
    yield AddPapers(f"H{event.number}", event.reason, *facts, event.on_paper, event.same_patron)


ACTS: Final = (
    Act(
        AddPapers,
        decide_add,
        {PapersAdded: apply_added},
        _again_add,
        power=FLOOR_OR_CAGE,
    ),
)
