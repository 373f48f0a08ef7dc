"""Additions to a hit's papers, and their erasure (A10).

What the papers said before stays: the journal has a digest of each sheet, and who added it.
"""

from collections.abc import Collection
from typing import Annotated, ClassVar, Final

from msgspec import Meta

from controllers.messages import Seat
from jackpot.rules.acts import payout_details
from jackpot.rules.acts.act import ADMIN, FLOOR_OR_CAGE, Act, ActContext, outlived
from jackpot.rules.acts.fields import Fact, HitId, KeptDays, Named, Paper, Reason
from jackpot.rules.acts.hits import number_of
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.former_numbers import refuse_former
from jackpot.rules.refusal import refuse_if
from jackpot.rules.signing import People
from jackpot.rules.state import UNPAID, BankState, Hit


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
    """Something was added to a hit's papers.

    number: the hit's. seat: 0 where it is about all winners, or about the only one of an old hit.
    """

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


def decide_add(state: BankState, command: AddPapers, by: ActContext) -> PapersAdded:
    """Adds to any hit that has papers: a paid one may have left the state long ago."""
    number = number_of("H", command.hit)
    check_made(state, command.hit)
    hit = state.hit(number)
    written = payout_details.fields_of(command.on_paper, command.surveillance, command.tax_form)
    seat = command.seat if hit is None else whose(hit, command.seat, written)
    statuses = {award.status for award in hit.awards} if hit is not None else set()
    waits = "pending" in statuses and not statuses & {"validated", "paid"}
    refuse_if(waits, "papers_before_validation", hit=command.hit)
    refuse_if(not written, "papers_empty")
    payout_details.check_paper(command.paper, command.on_paper, command.tax_form)
    facts = command.surveillance, command.tax_form, command.paper, seat or payout_details.ALL
    more = command.on_paper, command.same_patron
    return PapersAdded(number, command.reason, by.people, *facts, *more)


def whose(hit: Hit, seat: int | None, written: Collection[str]) -> int | None:
    """The seat whose papers these fields are written on; None for all winners. Raises Refusal.

    A hit whose awards are all undone has none (A11): nobody is paid.
    """
    seats = payout_details.winners(hit.awards)
    refuse_if(not seats, "hit_pays_nobody", hit=hit.number)
    theirs = seat is None or seat in seats
    refuse_if(not theirs, "hit_has_no_award_of_seat", hit=hit.number, seat=seat)
    if seat is not None or payout_details.OWN.isdisjoint(written):
        return seat
    refuse_if(len(seats) > 1, "several_winners_named", hit=hit.number, seats=seats)
    return seats[0]


def apply_added(effects: Effects, event: PapersAdded) -> None:
    """Records who added it; no sum and no status changes."""
    state = effects.state
    hit = state.hit(event.number)
    if hit is not None:
        hit.written = effects.at if event.paper else hit.written
        fields = payout_details.fields_of(event.on_paper, event.surveillance, event.tax_form)
        payout_details.write(hit, event.seat, fields, same=event.same_patron, tax_form=event.tax_form)
    effects.hits.add(event.number)
    effects.told.hit = f"H{event.number}"


class ErasePapers(ActCommand, tag="erase-papers", frozen=True):
    """Personal data of a hit's payment, next to the journal, is erased: who was paid, and who was there.

    kept_days: as long as the site keeps papers, as its server says; None for ever. written: when the hit's
    newest were, in unix milliseconds, which counts for a hit that the state no longer keeps; 0 for none.
    """

    hit: HitId
    reason: Reason
    kept_days: KeptDays | None = None
    written: Annotated[int, Meta(ge=0)] = 0


class PapersErased(Event, frozen=True, array_like=True):
    """A hit's papers were erased.

    number: the hit's. kept_days: as in `ErasePapers`. written: when its newest papers were.
    """

    kind: ClassVar[int] = 54
    number: int
    reason: str
    people: People
    kept_days: int | None = None
    written: int = 0


def check_made(state: BankState, hit: str) -> None:
    """Refuses a hit that neither this bank nor one that became it has ever made."""
    number = number_of("H", hit)
    refuse_if(not 0 < number < state.next_hit, "hit_unknown", hit=hit)
    refuse_former(state, "H", number)


def decide_erase(state: BankState, command: ErasePapers, by: ActContext) -> PapersErased:
    """Erases the papers of a hit that is done; it may have left the state."""
    number = number_of("H", command.hit)
    check_made(state, command.hit)
    hit = state.hit(number)
    open_ = hit is not None and any(award.status in UNPAID for award in hit.awards)
    refuse_if(open_, "papers_of_unpaid_hit", hit=command.hit)
    return PapersErased(number, command.reason, by.people, command.kept_days, _last_written(state, command))


def erases_early(state: BankState, command: ErasePapers, at: int) -> str:
    """Why two people erase papers: they are younger than the site keeps them."""
    early = not outlived(_last_written(state, command), command.kept_days, at)
    return "why_papers_erased" if early else ""


def _last_written(state: BankState, command: ErasePapers) -> int:
    number = number_of("H", command.hit)
    hit = state.hit(number)
    return command.written if hit is None else hit.written


def apply_erased(effects: Effects, event: PapersErased) -> None:
    """Records who erased the papers, which lie outside the journal, and that they name nobody now."""
    if (hit := effects.state.hit(event.number)) is not None:
        payout_details.erase(hit)
    effects.hits.add(event.number)
    effects.told.hit = f"H{event.number}"


ACTS: Final = (
    Act(
        AddPapers,
        decide_add,
        {PapersAdded: apply_added},
        power=FLOOR_OR_CAGE,
    ),
    Act(
        ErasePapers,
        decide_erase,
        {PapersErased: apply_erased},
        power=ADMIN,
        needs_two=erases_early,
    ),
)
