"""Disputes of a hit: it is not paid until two people lift the dispute, or until it is undone (A10)."""

from typing import ClassVar, Final

from jackpot.rules.acts.act import FLOOR, FLOOR_OR_AUDITOR, Act, ActContext
from jackpot.rules.acts.fields import EntryId, HitId, Reason
from jackpot.rules.acts.hits import find_hit, number_of
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.former_numbers import refuse_former
from jackpot.rules.refusal import refuse_if
from jackpot.rules.rounds.apply import end_dispute
from jackpot.rules.signing import People
from jackpot.rules.state import UNPAID, BankState


class Dispute(ActCommand, tag="dispute", frozen=True):
    """A floorperson stops the payment of a hit, for somebody says that it is wrong."""

    hit: HitId
    reason: Reason


class Disputed(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 52
    hit: int
    reason: str
    people: People


def decide_dispute(state: BankState, command: Dispute, by: ActContext) -> Disputed:
    """Holds the payment of what waits to be paid."""
    hit = find_hit(state, command.hit)
    waits = any(award.status in UNPAID for award in hit.awards)
    refuse_if(not waits, "hit_not_waiting", hit=command.hit)
    twice = hit.number in state.disputed
    refuse_if(twice, "hit_disputed_already", hit=command.hit)
    return Disputed(hit.number, command.reason, by.people)


def apply_disputed(effects: Effects, event: Disputed) -> None:
    """Holds the payment until two people lift the dispute. The hit can still be undone."""
    effects.state.disputed[event.hit] = effects.seq
    _tell_state(effects, event.hit)


class Lift(ActCommand, tag="lift", frozen=True):
    """The dispute is over, and the hit may be paid; two people of floor and audit.

    dispute: the entry that began it, as the hit's `disputed` says: a later dispute is another one.
    """

    hit: HitId
    reason: Reason
    dispute: EntryId


class Lifted(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 53
    hit: int
    reason: str
    people: People


def decide_lift(state: BankState, command: Lift, by: ActContext) -> Lifted:
    """Lifts a dispute: two people say that the hit is right, or what was wrong has been corrected."""
    number = number_of("H", command.hit)
    refuse_former(state, "H", number)
    held = state.disputed.get(number)
    refuse_if(held is None, "hit_not_disputed", hit=command.hit)
    other = held != command.dispute
    refuse_if(other, "hit_disputed_by_other_entry", hit=command.hit, entry=held)
    return Lifted(number, command.reason, by.people)


def apply_lifted(effects: Effects, event: Lifted) -> None:
    """Ends the hold on the payment."""
    end_dispute(effects.state, event.hit)
    _tell_state(effects, event.hit)


def _tell_state(effects: Effects, number: int) -> None:
    effects.hits.add(number)
    effects.told.hit = f"H{number}"


ACTS: Final = (
    Act(
        Dispute,
        decide_dispute,
        {Disputed: apply_disputed},
        asked=True,
        power=FLOOR,
    ),
    Act(
        Lift,
        decide_lift,
        {Lifted: apply_lifted},
        asked=True,
        power=FLOOR_OR_AUDITOR,
        needs_two="why_dispute_lifted",
    ),
)
