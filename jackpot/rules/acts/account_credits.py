"""Credits: an award to a game account is confirmed as credited there, once, with a reference (P4)."""

from typing import ClassVar, Final

from jackpot.rules.acts.act import FLOOR_OR_CAGE, Act, ActContext
from jackpot.rules.acts.fields import AwardId, DocumentNumber
from jackpot.rules.acts.hits import find_award, number_of
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.former_numbers import refuse_former
from jackpot.rules.refusal import Refusal, refuse_if
from jackpot.rules.signing import People
from jackpot.rules.state import BankState


class Credit(ActCommand, tag="credit", frozen=True):
    """An award to a game account is there now, with the reference under which that system has it (P4)."""

    award: AwardId
    reference: DocumentNumber


class Credited(Event, frozen=True, array_like=True):
    """An award was credited. amount: what it came to, with its corrections until then; micro-dollars."""

    kind: ClassVar[int] = 94
    hit: int
    award: int
    amount: int
    reference: str
    people: People


def decide_credit(state: BankState, command: Credit, by: ActContext) -> Credited:
    """Confirms the credit once; an award that is not settled is paid first."""
    number = number_of("A", command.award)
    waits = state.uncredited.get(number)
    if waits is not None:
        return Credited(waits.hit, number, waits.amount, command.reference, by.people)
    award = find_award(state, command.award)
    if award is None:
        refuse_former(state, "A", number)
        raise Refusal("credit_unknown", award=command.award)
    hit = state.hit(award.hit)
    done = hit is not None and number in hit.credited
    refuse_if(done, "credit_done", award=command.award)
    refuse_if(award.pays != "account", "credit_of_no_account", award=command.award, pays=award.pays)
    refuse_if(not award.settled(), "credit_too_early", award=command.award, status=award.status)
    raise Refusal("credit_unknown", award=command.award)


def apply_credited(effects: Effects, event: Credited) -> None:
    """The award waits no more; its hit, while the state has it, says so."""
    state = effects.state
    state.uncredited.pop(event.award)
    if (hit := state.hit(event.hit)) is not None:
        hit.credited.append(event.award)
    effects.hits.add(event.hit)
    effects.told.hit = f"H{event.hit}"


ACTS: Final = (
    Act(
        Credit,
        decide_credit,
        {Credited: apply_credited},
        asked=True,
        power=FLOOR_OR_CAGE,
    ),
)
