"""People of a site, in their own bank: who may join, act and leave, and who must confirm it."""

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from msgspec.structs import replace

from jackpot.rules.acts.hits import Validate
from jackpot.rules.acts.links import OpenLink
from jackpot.rules.acts.people import (
    ACTS,
    NEWCOMERS_MAX,
    TOKENS_OF_ONE,
    AddPerson,
    EndPerson,
    EndToken,
    FirstPeople,
    GiveCode,
    Grant,
    MakeToken,
    Recover,
    ResetSecret,
    SetSecret,
    WithdrawRole,
    untrue,
)
from jackpot.rules.acts.sessions import SignIn
from jackpot.rules.commands import Command
from jackpot.rules.engine import Engine
from jackpot.rules.phrases import Phrase, phrase
from jackpot.rules.signing import ROLES, Means, Role, Signed
from tests.rules.site import ADMINS, CODE, SECRET, OfSite, mark, newcomer
from tests.rules.test_engine import bank
from tests.said import refusal

FIRST = FirstPeople((newcomer(1), newcomer(2)))
TOKEN = b"t" * 32
SESSION = b"i" * 32


def code(site: OfSite, command: Command, *people: int, means: Means = "secret") -> str:
    """How the site refuses it; "" where it does not, "asked" where it waits for a second person."""
    answer = site.ask(command, *people, means=means).answer
    return "asked" if answer.get("asked") else str(answer.get("code", ""))


def test_the_first_two_are_made_together_and_once() -> None:
    """Nobody is built in: two admins, each with a secret, while there is nobody; never again."""
    site = OfSite(empty=True)
    for newcomers, refused in (
        ((newcomer(1),), "two_people"),
        (tuple(map(newcomer, (1, 2, 3))), "two_people"),
    ):
        assert site.execute(FirstPeople(newcomers), people=("root",)).answer["code"] == refused
    assert site.execute(FIRST).answer["code"] == "no_person"
    assert site.execute(FIRST, people=("root",)).answer["ok"]
    assert [(one.roles, one.secret) for one in site.engine.state.people] == [(["admin"], SECRET)] * 2
    assert site.execute(FIRST, people=("root",)).answer["code"] == "not_empty"


def test_once_there_are_people_a_name_stands_for_nothing() -> None:
    """The socket is no back door: an unauthenticated name is refused in the site's bank, with what to do."""
    site = OfSite()
    answer = site.execute(AddPerson(mark(3)), people=("root",)).answer
    assert refusal(answer) == ("no_person", "sign_in_needed")


@pytest.mark.parametrize("act", [act.command for act in ACTS if act.asked or act.power])
def test_no_other_role_has_an_admins_power(act: Any) -> None:
    """A person who is no admin changes nobody, whatever else they are; of their own they may."""
    power = next(one.power for one in ACTS if one.command is act)
    if power == ROLES:
        assert act in (SetSecret, MakeToken, EndToken)
        return
    site = OfSite()
    number = site.join("viewer", "floor", "cage", "auditor")
    commands = {
        AddPerson: (mark(9),),
        Grant: (1, "floor"),
        WithdrawRole: (1, "admin"),
        GiveCode: (1, CODE, 1),
    }
    assert code(site, act(*commands.get(act, (1,))), number) == "not_allowed"


def test_a_role_another_admin_and_a_new_secret_take_two() -> None:
    """One asks, and it waits; both at once is done at once. Adding a person without a role takes one."""
    site = OfSite()
    assert code(site, AddPerson(mark(3)), 1) == ""
    assert code(site, AddPerson(mark(4), ("admin",)), 1) == "asked"
    assert code(site, Grant(3, "floor"), 1) == "asked"
    assert code(site, ResetSecret(2), 1) == "asked"
    assert code(site, Grant(3, "floor"), 1, 2) == ""
    assert site.person(3).roles == ["floor"]
    assert code(site, Grant(3, "floor"), 1, 2) == "unchanged"
    assert code(site, AddPerson(mark(4), ("admin",)), *ADMINS) == ""
    assert code(site, ResetSecret(2), 1, 1) == "two_people", "one person as both"


def test_a_person_chooses_their_own_secret() -> None:
    """A new person signs with a code, and with nothing else; the code then does no more."""
    site = OfSite()
    site.ask(AddPerson(mark(3), ("floor",)), *ADMINS)
    assert code(site, SignIn(3, SESSION)) == "not_allowed"
    assert code(site, SetSecret(SECRET), 3) == "not_allowed", "there is no secret to sign with"
    assert code(site, Grant(3, "cage"), 3, 1, means="code") == "not_allowed", "a code is for choosing"
    assert code(site, GiveCode(3, CODE, 1), 1) == ""
    assert code(site, SetSecret(SECRET), 3, means="code") == ""
    assert code(site, SetSecret(SECRET), 3, means="code") == "not_allowed"
    assert code(site, SetSecret(SECRET), 3) == "", "with the secret that they have"
    assert code(site, SetSecret(SECRET), 3, means="token") == "not_allowed"
    assert code(site, GiveCode(3, CODE, 1), 1) == "not_empty", "two people reset it first"
    assert code(site, ResetSecret(3), *ADMINS) == ""
    assert (site.person(3).secret, site.person(3).given_by) == (b"", 0)


def test_nobody_confirms_with_an_account_whose_secret_they_set() -> None:
    """Who gave the code could have chosen the secret: these two never stand for one act, in no bank."""
    site = OfSite()
    third = site.join("admin", "floor", by=1)
    for pair in ((1, third), (third, 1)):
        answer = site.ask(Grant(third, "cage"), *pair).answer
        why = {"template": "why_role_given", "values": []}
        fault = {"template": "password_by_code", "values": [third, 1]}
        assert refusal(answer) == ("two_people", "two_people_other", why, fault)
    assert code(site, Grant(third, "cage"), third, 2) == ""


def test_a_person_who_lost_a_role_or_left_may_nothing() -> None:
    """The power ends at once, and so do the tokens; the last admin stays."""
    site = OfSite()
    third = site.join("admin")
    old = site.proof(third)
    assert code(site, MakeToken(TOKEN, ("admin",), 1), third) == ""
    assert code(site, WithdrawRole(third, "admin"), 1) == ""
    assert site.execute(EndPerson(1), proof=old).answer["code"] == "not_allowed"
    assert code(site, EndPerson(third), 1) == ""
    assert site.engine.state.tokens == []
    assert site.execute(SetSecret(SECRET), proof=old).answer["code"] == "not_allowed"
    assert code(site, EndPerson(third), 1) == "no_such_person"
    assert code(site, EndPerson(2), 1) == ""
    for last in (EndPerson(1), WithdrawRole(1, "admin")):
        assert code(site, last, 1) == "last_admin"


def test_a_token_has_some_of_its_persons_roles() -> None:
    """A program acts with what it was given; only their own secret makes one, and whose it is ends it."""
    site = OfSite()
    third = site.join("floor", "cage")
    assert code(site, MakeToken(TOKEN, ("admin",), 1), third) == "not_allowed"
    assert code(site, MakeToken(TOKEN, (), 1), third) == "bad_request"
    assert code(site, MakeToken(TOKEN, ("floor",), 1), third, means="token") == "not_allowed"
    assert site.ask(MakeToken(TOKEN, ("floor",), 1), third).answer["token"] == 1
    other = site.join("floor")
    assert code(site, EndToken(1), other) == "not_allowed"
    assert code(site, EndToken(1), third) == ""
    assert code(site, EndToken(1), 1) == "no_such_person"


def test_nobody_leaves_no_token_for_others() -> None:
    """Misuse: one person has some at once; however many they ever had, others make theirs."""
    site = OfSite()
    for number in range(2 * TOKENS_OF_ONE):
        assert site.ask(MakeToken(TOKEN, ("admin",), 1), 1).answer["token"] == number + 1
        assert code(site, EndToken(number + 1), 1) == ""
    for _ in range(TOKENS_OF_ONE):
        assert code(site, MakeToken(TOKEN, ("admin",), 1), 1) == ""
    assert code(site, MakeToken(TOKEN, ("admin",), 1), 1) == "too_many"
    assert code(site, MakeToken(TOKEN, ("admin",), 1), 2) == ""
    assert len(site.engine.state.tokens) == TOKENS_OF_ONE + 1
    assert code(site, EndToken(1), 1) == "no_such_person", "a number is never given again"


def test_one_admin_fills_no_site() -> None:
    """Misuse: only so many wait for their secret; who is ended makes room."""
    site = OfSite()
    for number in range(NEWCOMERS_MAX):
        assert code(site, AddPerson(mark(number)), 1) == ""
    assert code(site, AddPerson(mark(0)), 1) == "too_many"
    assert code(site, EndPerson(3), 2) == ""
    assert code(site, AddPerson(mark(0)), 1) == ""


def test_a_lost_site_is_recovered_by_names_and_alarmed() -> None:
    """Every admin is lost: the machine's operator makes one, of whom everybody is told."""
    empty = OfSite(empty=True)
    assert empty.execute(Recover(*newcomer(1)), people=("root",)).answer["code"] == "no_such_person"
    site = OfSite()
    heard = site.execute(Recover(*newcomer(3)), people=("root",))
    assert heard.answer["person"] == 3
    ((name, facts),) = heard.alarms
    assert (name, facts["person"], facts["by"]) == ("admin_recovered", 3, ["root"])
    assert code(site, Grant(3, "floor"), 3, 1) == ""


def test_people_are_in_no_other_bank() -> None:
    """A bank of links has no people, and the bank of the people has no links."""
    subject = bank()
    for command in (FIRST, Recover(*newcomer(1))):
        assert subject.execute(command, people=("root",)).answer["code"] == "other_bank"
    assert subject.execute(SignIn(1, SESSION)).answer["code"] == "other_bank"
    own = OfSite().proof(1, seq=9, hash=b"h" * 32)
    assert subject.execute(SetSecret(SECRET), proof=own).answer["code"] == "other_bank"
    terms = subject.engine.state.links[0].terms
    assert OfSite().execute(OpenLink(terms)).answer["code"] == "other_bank"
    assert code(OfSite(), Validate("H1"), 1) == "not_allowed"


def no_token(person: int) -> Phrase:
    return phrase("signer_without_token", person=person)


def test_who_signs_must_be_as_the_site_has_them() -> None:
    """S8: an unknown person, a role or a giver that the site does not know is found."""
    site = OfSite()
    state = site.engine.state
    assert untrue(state, Signed(1, ("admin",))) is None
    assert untrue(state, Signed(1, ())) is None, "with fewer roles than they have"
    assert untrue(state, Signed(3, ("admin",))) == phrase("signer_unknown", number=3)
    assert untrue(state, Signed(0, ("admin",))) == phrase("signer_unknown", number=0)
    assert untrue(state, Signed(1, ("admin", "floor"))) == phrase(
        "signer_without_role", person=1, roles=["floor"]
    )
    assert untrue(state, Signed(1, ("admin",), "secret", 2)) == phrase("password_without_issuer", person=1)


def test_who_has_no_secret_signs_with_none() -> None:
    """S8: before they choose one, and after a reset; nor by a token that they lack."""
    site = OfSite()
    third = site.join("floor")
    for command, pair in ((ResetSecret(third), ADMINS), (GiveCode(third, CODE, 1), (2,))):
        assert code(site, command, *pair) == ""
        for giver in (0, 1, 2):
            said = untrue(site.engine.state, Signed(third, ("floor",), "secret", giver))
            assert said == phrase("signer_without_password", person=third)
    state = site.engine.state
    assert untrue(state, Signed(1, ("admin",), "token")) == no_token(1)
    assert code(site, MakeToken(TOKEN, ("admin",), 1), 1) == ""
    assert untrue(state, Signed(1, ("admin",), "token")) == no_token(1), "without its number"
    held = Signed(1, ("admin",), "token", token=1, until=1)
    assert untrue(state, held) is None
    assert untrue(state, replace(held, until=2)) == no_token(1), "with another end"
    assert untrue(state, replace(held, id=2)) == no_token(2)
    site.grant(1, "floor")
    assert untrue(state, Signed(1, ("floor",), "token")) == no_token(1), "not with that role"
    assert code(site, EndToken(1), 1) == ""
    assert untrue(state, Signed(1, ("admin",), "token")) == no_token(1)


def test_a_secret_is_of_one_person_and_so_is_its_code() -> None:
    """Misuse: another's signature chooses nobody's secret; of two who see a code, one would stay unnamed."""
    site = OfSite()
    answer = site.ask(SetSecret(SECRET), 1, 2).answer
    assert refusal(answer) == ("no_person", "password_chosen_by_oneself")
    site.ask(AddPerson(mark(3)), 1)
    assert code(site, GiveCode(3, CODE, 1), 1, 2) == "no_person"
    assert code(site, GiveCode(3, CODE, 1), 1, means="login") == "not_allowed", "two logins may be one person"
    assert code(site, SetSecret(SECRET), 3, means="code") == "not_allowed", "nobody gave them that code"


class SiteMachine(RuleBasedStateMachine):
    """Whatever people ask for, alone or by two: no role appears that two others did not give."""

    def __init__(self) -> None:
        super().__init__()
        self.site = OfSite()

    people = st.integers(1, 5)
    roles = st.sampled_from(ROLES)

    def _ask(self, command: Command, by: list[int], means: Means = "secret") -> dict[str, Any]:
        known = [one for one in by if one <= len(self.site.engine.state.people)]
        return self.site.ask(command, *known, means=means).answer if known else {}

    @rule(by=st.lists(people, min_size=1, max_size=2), roles=st.lists(roles, max_size=2))
    def add(self, by: list[int], roles: list[Role]) -> None:
        if len(self.site.engine.state.people) < 5:
            self._ask(AddPerson(mark(9), tuple(roles)), by)

    @rule(by=st.lists(people, min_size=1, max_size=2), person=people, role=roles)
    def grant(self, by: list[int], person: int, role: Role) -> None:
        before = list(self._roles(person))
        answer = self._ask(Grant(person, role), by)
        if role in self._roles(person) and role not in before:
            assert answer["ok"]
            assert len(set(by)) == 2

    @rule(by=people, person=people, role=roles)
    def withdraw(self, by: int, person: int, role: Role) -> None:
        self._ask(WithdrawRole(person, role), [by])

    @rule(by=people, person=people)
    def end(self, by: int, person: int) -> None:
        self._ask(EndPerson(person), [by])

    @rule(by=st.lists(people, min_size=1, max_size=2), person=people)
    def reset(self, by: list[int], person: int) -> None:
        self._ask(ResetSecret(person), by)

    @rule(by=people, person=people)
    def invite(self, by: int, person: int) -> None:
        if self._ask(GiveCode(person, CODE, 1), [by]).get("ok"):
            assert self._ask(SetSecret(SECRET), [person], "code")["ok"]
            assert self.site.person(person).given_by == by

    @invariant()
    def somebody_can_add_people(self) -> None:
        assert any("admin" in one.roles and not one.ended for one in self.site.engine.state.people)

    @invariant()
    def the_state_comes_back(self) -> None:
        engine = self.site.engine
        assert Engine.from_snapshot(engine.snapshot()).snapshot() == engine.snapshot()
        assert engine.snapshot() == self.site.auditor.snapshot(), "decided again, and replayed (S8)"

    def _roles(self, person: int) -> list[Role]:
        people = self.site.engine.state.people
        return list(people[person - 1].roles) if person <= len(people) else []


SiteMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
test_whatever_people_ask = SiteMachine.TestCase
