"""Erasure of the names of people who left; the journal has their numbers, the names lie next to it.

Two admins have the name of somebody who left erased. Once it is kept long enough one does, or the server
itself. The journal says that it was, and by whom, not the name.
"""

from typing import ClassVar, Final

from jackpot.rules.acts.act import ADMIN, Act, ActContext, always_server, outlived
from jackpot.rules.acts.fields import KeptDays
from jackpot.rules.acts.people import Number
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.refusal import Refusal, refuse_if
from jackpot.rules.signing import SITE, People
from jackpot.rules.state import BankState


class EraseName(ActCommand, tag="erase-name", frozen=True):
    """The name of a person who left is erased. kept_days: as long as the site keeps it, as its server says;
    None for ever.
    """

    person: Number
    kept_days: KeptDays | None = None


class NameErased(Event, frozen=True, array_like=True):
    """A person's name was erased. kept_days: as in `EraseName`."""

    kind: ClassVar[int] = 73
    person: int
    people: People
    kept_days: int | None = None


def decide_erase(state: BankState, command: EraseName, by: ActContext) -> NameErased:
    """Erases a name once the person has left."""
    refuse_if(state.bank != SITE, "people_elsewhere", site=SITE, bank=state.bank)
    number = command.person
    if number > len(state.people):
        raise Refusal("person_unknown", number=number)
    person = state.people[number - 1]
    refuse_if(not person.ended, "person_has_access", person=number)
    refuse_if(person.erased, "name_erased_already", person=number)
    return NameErased(number, by.people, command.kept_days)


def erases_early(state: BankState, command: EraseName, at: int) -> str:
    """Why two people erase a name: it is younger than the site keeps it."""
    early = not outlived(state.people[command.person - 1].left, command.kept_days, at)
    return "why_name_erased" if early else ""


def apply_erased(effects: Effects, event: NameErased) -> None:
    """Marks the name as erased; the server erases what lies next to the journal."""
    effects.state.people[event.person - 1].erased = True


ACTS: Final = (
    Act(
        EraseName,
        decide_erase,
        {NameErased: apply_erased},
        power=ADMIN,
        needs_two=erases_early,  # so no admin ends and hides somebody alone
        server=always_server,
    ),
)
