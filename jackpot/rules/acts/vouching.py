"""Vouching: an admin who saw a person sign in with their own password confirms that they are independent.

An admin who gives the codes of two accounts could choose both secrets, and so could somebody who makes two
admins on the server's machine. So neither account confirms what the other requests, until an admin who is
independent of that person has vouched for one of the two.
"""

from typing import ClassVar, Final

from jackpot.rules.acts.act import ADMIN, Act, ActContext, BankKey
from jackpot.rules.acts.people import Number, find_person, is_independent
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.refusal import Refusal, refuse_if
from jackpot.rules.signing import OPERATOR, People, Signed
from jackpot.rules.state import BankState, Person


class Vouch(ActCommand, tag="vouch", frozen=True):
    """An admin has seen that a person signs in with a password that they alone know."""

    person: Number


class Vouched(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 71
    person: int
    people: People


def decide_vouch(state: BankState, command: Vouch, by: ActContext) -> Vouched:
    """Takes one admin with their own secret, who could confirm what the code's issuer requests."""
    person = find_person(state, command.person)
    own = [one.means == "secret" for one in by.people.signed]
    refuse_if(own != [True], "voucher_needs_own_password")
    refuse_if(not person.secret, "password_needed", person=person.id)
    refuse_if(as_secret(person).own, "vouching_not_needed", person=person.id)
    (voucher,) = by.people.signed
    refuse_if(voucher.id == person.id, "vouching_for_oneself")
    is_independent(voucher)
    _independent(state, person, by.people, voucher)
    return Vouched(person.id, by.people)


def _independent(state: BankState, person: Person, people: People, voucher: Signed) -> None:
    """Refuses an admin who could not confirm requests of the one who may have chosen the person's secret."""
    if person.given_by == OPERATOR:
        fault = voucher.origin if voucher.given_by == OPERATOR else None
    else:
        fault = people.signed_by(as_secret(state.people[person.given_by - 1]), voucher).fault()
    if fault is not None:
        raise Refusal("voucher_not_independent", origin=as_secret(person).origin, fault=fault)


def apply_vouched(effects: Effects, event: Vouched) -> None:
    """Marks the person as independent, even if others had a code from the same admin."""
    effects.state.people[event.person - 1].vouched = event.people.signed[0].id


def as_secret(person: Person) -> Signed:
    """The person as a signer by their own secret."""
    return Signed(person.id, tuple(person.roles), "secret", person.given_by, person.vouched, lost=person.lost)


ACTS: Final = (
    Act(
        Vouch,
        decide_vouch,
        {Vouched: apply_vouched},
        asked=True,
        bank=BankKey.PEOPLE,
        power=ADMIN,
    ),
)
