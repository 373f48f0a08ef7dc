"""The bank of the people agrees with an independent model, whatever people and operators do.

Both are given the same acts. After each, their answers, requests, people and pairs of people must agree.
"""

from itertools import permutations
from random import Random
from typing import Any, Final

import pytest

from jackpot.rules.acts.people import (
    AddPerson,
    EndPerson,
    GiveCode,
    Grant,
    Recover,
    ResetSecret,
    SetSecret,
    WithdrawRole,
)
from jackpot.rules.acts.requests import Confirm, Reject
from jackpot.rules.acts.vouching import Vouch
from jackpot.rules.signing import Means, People
from tests.faults.model_people import ADMIN, are_two
from tests.faults.model_roll import Person, Roll
from tests.rules.site import CODE, SECRET, OfSite, mark, newcomer

STEPS: Final = 120
# At most so many people, for every two of them are compared.
PEOPLE_MAX: Final = 9
KINDS: Final[dict[str, Any]] = {
    "add_person": AddPerson,
    "grant": Grant,
    "withdraw_role": WithdrawRole,
    "reset_secret": ResetSecret,
    "end_person": EndPerson,
    "give_code": lambda person: GiveCode(person, CODE, 1),
    "vouch": Vouch,
}


class BothSites:
    """A site of the engine and one of the model, with their first two admins."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.site = OfSite()
        self.roll = Roll()
        self.roll.people = {1: Person((ADMIN,)), 2: Person((ADMIN,))}
        self.marks = 10

    def step(self) -> None:
        rng, people = self.rng, list(self.roll.people)
        person = rng.choice((*people, 99))
        choice = rng.random()
        if choice < 0.2:
            self.set_secret(rng.choice([one for one in people if self.roll.people[one].code_by] or people))
        elif choice < 0.24 and len(people) < PEOPLE_MAX:
            self.recover()
        elif choice < 0.4 and self.roll.requests:
            self.answer(rng.choice((*self.roll.requests, 99)))
        elif choice < 0.5 and len(people) < PEOPLE_MAX:
            roles = tuple(rng.sample(("floor", "cage", ADMIN, ADMIN), 1))
            self.marks += 1
            self.act("add_person", self.some(2), mark=mark(self.marks), roles=roles)
        elif choice < 0.65:
            codeless = [one for one in people if not self.roll.people[one].secret]
            admin, whom = self.some(1), rng.choice(codeless or people)
            self.act("give_code", admin, "login", person=whom)
            self.act("give_code", admin, person=whom)
        elif choice < 0.8:
            self.act("vouch", self.some(1), person=person)
        elif choice < 0.87:
            self.act("end_person", self.some(rng.choice((1, 2))), person=person)
        else:
            kind = rng.choice(("grant", "withdraw_role", "reset_secret", "reset_secret"))
            role: dict[str, Any] = {} if kind == "reset_secret" else {"role": rng.choice(("floor", ADMIN))}
            self.act(kind, self.some(rng.choice((1, 2, 2))), person=person, **role)

    def some(self, number: int) -> tuple[int, ...]:
        """So many who sign; mostly admins."""
        people = list(self.roll.people)
        admins = [one for one in people if ADMIN in self.roll.signer(one).roles]
        return tuple(self.rng.choice(admins if self.rng.random() < 0.9 else people) for _ in range(number))

    # Told to both

    def act(self, kind: str, signed: tuple[int, ...], means: Means = "secret", **fields: Any) -> None:
        """means: of the first who signs."""
        signers = tuple(self.roll.signer(one, "secret" if at else means) for at, one in enumerate(signed))
        self.roll.row += 1
        mine = self.roll.sign(kind, signers, **fields)
        theirs = self.site.ask(KINDS[kind](**fields), *signed, means=means).answer
        self.compare((kind, signed, means, fields), theirs, mine)

    def answer(self, request: int) -> None:
        asked = self.roll.requests.get(request)
        asker = asked.asker if asked is not None else self.some(1)[0]
        second = self.some(1)[0]
        if self.rng.random() < 0.2:
            theirs = self.site.ask(Reject(f"site-{request}", "no"), second).answer
            mine = self.roll.sign("reject", (self.roll.signer(second),), request=request)
        else:
            theirs = self.site.ask(Confirm(f"site-{request}"), asker, second).answer
            signers = (self.roll.signer(asker), self.roll.signer(second))
            self.roll.row += 1
            mine = self.roll.sign("confirm", signers, request=request)
        self.compare(("answer", request, asker, second), theirs, mine)

    def set_secret(self, person: int) -> None:
        theirs = self.site.ask(SetSecret(SECRET), person, means="code").answer
        self.compare(("set_secret", person), theirs, self.roll.set_secret(person))

    def recover(self) -> None:
        self.marks += 1
        theirs = self.site.execute(Recover(*newcomer(self.marks)), people=("root",)).answer
        self.compare("recover", theirs, self.roll.recover())

    def compare(self, what: object, theirs: Any, mine: Any) -> None:
        assert theirs["ok"] == mine["ok"], (what, theirs, mine)
        asked = int(theirs["request"].rpartition("-")[2]) if theirs.get("asked") else None
        assert asked == mine.get("asked"), (what, theirs, mine)
        assert {one.id for one in self.site.engine.state.requests} == set(self.roll.requests), what
        able = [one for one in self.roll.people if self.roll.signer(one).roles]
        for one in able:
            (signed,) = self.site.proof(one).signed
            signer = self.roll.signer(one)
            known = set(signer.roles), signer.given_by, signer.vouched
            assert (set(signed.roles), signed.given_by, signed.vouched) == known, (what, one)
        for pair in permutations(able, 2):
            fault = People(proof=self.site.proof(*pair)).fault()
            assert (not fault) == are_two(*map(self.roll.signer, pair)), (what, pair, fault)


@pytest.mark.parametrize("seed", range(8))
def test_they_agree_on_who_is_a_second_person(seed: int) -> None:
    """S8, A10: who may add, give codes, vouch, grant and reset; who is no two people; what then waits."""
    both = BothSites(seed)
    for _ in range(STEPS):
        both.step()
    assert any(one.vouched for one in both.roll.people.values()) or seed
