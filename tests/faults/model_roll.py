"""The people of a site and how they change, for the independent model: the bank of the people.

Readings:
 1. One admin adds nobody, gives no role and takes no secret away: that takes two. One takes a role, ends a
    person, gives a code, vouches. Somebody who can sign in as an admin is always left.
 2. A code is for who has no secret, and is given with one's own secret. Who chose one with it came by who
    gave it, and nobody has vouched for them yet; a secret that is taken away takes with it what was said of
    who had it.
 3. Who came by somebody gives no code and vouches for nobody until vouched for. An admin vouches for who came
    by another, if that admin and the other are two people: so neither the other, nor who came by them, nor
    one who came by the same third.
 4. The machine's operator makes an admin too, where no server runs. Such a one came by the machine, as if by
    its code. Where no admin is left who came otherwise, the next one came by nobody, as the first two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tests.faults.model_floor import Map, Refused
from tests.faults.model_people import ADMIN, Requests, are_two, nothing_moved
from tests.faults.worked.form import MACHINE, Signer

# What one person does in their own name, so that it matters who it is.
IN_PERSON: Final = ("give_code", "vouch")


@dataclass
class Person:
    """A person of the site.

    given_by: by whose code they came. code_by: who gave them the code that they have not used. token: what
    their program may, as far as they may it themselves. secret: whether they have one. lost: the row by which
    they lost a right last.
    """

    roles: tuple[str, ...]
    given_by: int = 0
    vouched: int = 0
    token: tuple[str, ...] = ()
    ended: bool = False
    secret: bool = True
    code_by: int = 0
    lost: int = 0


class Roll(Requests):
    """The bank of the people: who they are, and how that changes. row: the one that is being decided."""

    def __init__(self) -> None:
        super().__init__()
        self.row = 0
        self.people: dict[int, Person] = {}

    def signer(self, number: int, means: str = "secret") -> Signer:
        """The signer that this person is now."""
        one = self.people[number]
        roles = tuple(role for role in one.roles if means != "token" or role in one.token)
        return Signer(number, roles if self.able(number) else (), means, one.given_by, one.vouched, one.lost)

    def able(self, number: int) -> bool:
        """Whether they can sign in."""
        return self.people[number].secret and not self.people[number].ended

    def here(self, person: int) -> Person:
        if person not in self.people or self.people[person].ended:
            raise Refused("no such person")
        return self.people[person]

    def reject(self, number: int, signer: Signer) -> Map:
        if not self.able(signer.id):
            raise Refused("not_allowed")
        return super().reject(number, signer)

    def signed(self, kind: str, signers: tuple[Signer, ...], fields: Map) -> Map:
        if kind not in IN_PERSON:
            return super().signed(kind, signers, fields)
        (signer,) = signers
        if signer.given_by and not signer.vouched:
            raise Refused("not_allowed")
        if kind == "give_code":
            return self.give_code(signer, fields["person"])
        return self.vouch(signer, fields["person"])

    # -- by two ----------------------------------------------------------------------------------------

    def do_add_person(self, roles: tuple[str, ...], mark: object = None, people: int = 1) -> Map:
        """Adds a person without secret or code."""
        if people < 2:
            raise Refused("two people")
        self.people[len(self.people) + 1] = Person(tuple(roles), secret=False)
        return nothing_moved()

    def do_grant(self, person: int, role: str, people: int = 1) -> Map:
        if people < 2:
            raise Refused("two people")
        one = self.here(person)
        if role in one.roles:
            raise Refused("they have it")
        one.roles = (*one.roles, role)
        return nothing_moved()

    def do_reset_secret(self, person: int, people: int = 1) -> Map:
        if people < 2:
            raise Refused("two people")
        one = self.here(person)
        if not one.secret:
            raise Refused("they have none")
        one.secret, one.vouched, one.code_by, one.lost = False, 0, 0, self.row
        return nothing_moved()

    # -- by one ----------------------------------------------------------------------------------------

    def do_withdraw_role(self, person: int, role: str, people: int = 1) -> Map:
        one = self.here(person)
        if role not in one.roles:
            raise Refused("they have it not")
        if role == ADMIN:
            self.check_admin_left(person)
        one.roles = tuple(other for other in one.roles if other != role)
        one.lost = self.row
        return nothing_moved()

    def do_end_person(self, person: int, people: int = 1) -> Map:
        one = self.here(person)
        self.check_admin_left(person)
        one.ended, one.lost = True, self.row
        return nothing_moved()

    def check_admin_left(self, without: int) -> None:
        """Refuses unless somebody else can sign in as an admin."""
        others = [number for number in self.people if number != without]
        if not any(ADMIN in self.signer(number).roles for number in others):
            raise Refused("last_admin")

    def give_code(self, signer: Signer, person: int) -> Map:
        one = self.here(person)
        if one.secret:
            raise Refused("they have a secret")
        if signer.means != "secret":
            raise Refused("not_allowed")
        one.code_by = signer.id
        return nothing_moved()

    def vouch(self, signer: Signer, person: int) -> Map:
        one = self.here(person)
        if not one.secret or not one.given_by or one.vouched or signer.means != "secret":
            raise Refused("nobody to vouch for")
        known = one.given_by in self.people
        giver = self.signer(one.given_by) if known else Signer(MACHINE, (), given_by=MACHINE)
        if signer.id == person or not are_two(giver, signer):
            raise Refused("not_allowed")
        one.vouched = signer.id
        return nothing_moved()

    # -- by nobody else --------------------------------------------------------------------------------

    def set_secret(self, person: int) -> Map:
        """Sets a secret with the code that the person was given."""
        one = self.people.get(person)
        if one is None or one.ended or not one.code_by:
            return {"ok": False, "why": "no such code"}
        one.secret, one.given_by, one.vouched, one.code_by = True, one.code_by, 0, 0
        return nothing_moved()

    def recover(self) -> Map:
        """The machine's operator makes an admin."""
        numbers = [number for number, one in self.people.items() if one.given_by != MACHINE]
        others = any(ADMIN in self.signer(number).roles for number in numbers)
        self.people[len(self.people) + 1] = Person((ADMIN,), MACHINE if others else 0)
        return nothing_moved()
