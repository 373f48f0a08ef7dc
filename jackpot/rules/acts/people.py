"""People of a site and their roles, secrets and tokens; each is a number in the bank `site`.

The first two are made together, while there is nobody. From then on a role and a new secret take two people.
Names, secrets and sessions lie next to the journal; the acts here say whose they are.
"""

from collections.abc import Iterable
from typing import Annotated, ClassVar, Final

from msgspec import Meta
from msgspec.structs import replace

from jackpot.rules.acts.act import ADMIN, Act, ActContext, BankKey
from jackpot.rules.commands import ActCommand
from jackpot.rules.effects import Effects
from jackpot.rules.events import Event
from jackpot.rules.phrases import Phrase, phrase
from jackpot.rules.refusal import Refusal, refuse_if
from jackpot.rules.signing import OPERATOR, ROLES, SITE, People, Role, Signed
from jackpot.rules.state import BankState, Person, Token

# Number of the first people: one alone could confirm nothing.
FIRST: Final = 2
# Maximum of people that a site ever has, and of tokens at once: the state holds all, some dozen bytes each.
PEOPLE_MAX: Final = 10_000
TOKENS_MAX: Final = 10_000
# Tokens that one person has at once: some programs each, and another's for all others.
TOKENS_OF_ONE: Final = 20
# People who have not chosen a secret: a whole house that begins, and few enough to be ended by hand.
NEWCOMERS_MAX: Final = 500
# A token's number is never given again, and this many are never made.
TOKEN_NUMBER_MAX: Final = 2**53
# SHA-256 of what lies next to the journal: a name with a salt, a secret's hash; or of a code, a token or a
# session cookie. Changing what lies there, and not the journal, gives nobody another name and
# lets nobody in.
DIGEST_BYTES: Final = 32

Number = Annotated[int, Meta(ge=1, le=PEOPLE_MAX, description=f"1 to {PEOPLE_MAX}")]
Digest = Annotated[bytes, Meta(min_length=DIGEST_BYTES, max_length=DIGEST_BYTES)]

Newcomer = tuple[Digest, Digest]
"""Mark and secret, as in `Person`."""


class FirstPeople(ActCommand, tag="first-people", frozen=True):
    """The first two admins, each with the password that they have just chosen.

    stood: where every other bank stood then, its name, last row and its hash; None where nobody looked.
    """

    newcomers: tuple[Newcomer, ...]
    stood: tuple[tuple[str, int, bytes], ...] | None = None


class PeopleBegun(Event, frozen=True, array_like=True):
    """stood: as in `FirstPeople`. In what comes after it no unauthenticated name is believed."""

    kind: ClassVar[int] = 32
    newcomers: list[Newcomer]
    people: People
    stood: list[tuple[str, int, bytes]] | None = None


def decide_first(state: BankState, command: FirstPeople, by: ActContext) -> PeopleBegun:
    """Only on an empty site: signers are unauthenticated, and there is no default account."""
    _of_site(state)
    refuse_if(bool(state.people), "people_exist")
    refuse_if(len(command.newcomers) != FIRST, "first_people_together", count=FIRST)
    stood = None if command.stood is None else list(command.stood)
    return PeopleBegun(list(command.newcomers), by.people, stood)


def apply_first(effects: Effects, event: PeopleBegun) -> None:
    """Adds the first admins; from here on no unauthenticated name may sign an act."""
    for mark, secret in event.newcomers:
        _admit(effects.state, mark, ["admin"], secret)
    effects.state.lost = effects.seq


class AddPerson(ActCommand, tag="add-person", frozen=True):
    """A person, who has no password yet. mark: as in `Person`."""

    mark: Digest
    roles: tuple[Role, ...] = ()


class PersonAdded(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 33
    id: int
    mark: bytes
    roles: list[Role]
    people: People


def decide_add(state: BankState, command: AddPerson, by: ActContext) -> PersonAdded:
    """Takes one admin; two, where the person comes with a role."""
    _of_site(state)
    refuse_if(len(state.people) >= PEOPLE_MAX, "too_many_people", most=PEOPLE_MAX)
    new = sum(not (one.secret or one.ended) for one in state.people)
    refuse_if(new >= NEWCOMERS_MAX, "too_many_newcomers", count=new)
    return PersonAdded(len(state.people) + 1, command.mark, _ordered(command.roles), by.people)


def apply_added(effects: Effects, event: PersonAdded) -> None:
    """Adds the person."""
    _admit(effects.state, event.mark, list(event.roles))
    effects.told.person = event.id


class Grant(ActCommand, tag="grant", frozen=True):
    """A person gets a role; two people."""

    person: Number
    role: Role


class Granted(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 34
    person: int
    role: Role
    people: People


def decide_grant(state: BankState, command: Grant, by: ActContext) -> Granted:
    """Grants a role, by two people."""
    person = find_person(state, command.person)
    refuse_if(command.role in person.roles, "role_held_already", person=person.id, role=command.role)
    return Granted(person.id, command.role, by.people)


def apply_granted(effects: Effects, event: Granted) -> None:
    """Gives the person the role."""
    person = effects.state.people[event.person - 1]
    person.roles = _ordered((*person.roles, event.role))


class WithdrawRole(ActCommand, tag="withdraw-role", frozen=True):
    """A person loses a role."""

    person: Number
    role: Role


class RoleWithdrawn(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 35
    person: int
    role: Role
    people: People


def decide_withdraw_role(state: BankState, command: WithdrawRole, by: ActContext) -> RoleWithdrawn:
    """Withdraws a role at once, by one admin; the last admin stays."""
    person = find_person(state, command.person)
    refuse_if(command.role not in person.roles, "role_not_held", person=person.id, role=command.role)
    if command.role == "admin":
        _not_last(state, person)
    return RoleWithdrawn(person.id, command.role, by.people)


def apply_role_withdrawn(effects: Effects, event: RoleWithdrawn) -> None:
    """Takes the role from the person and from their tokens."""
    person = effects.state.people[event.person - 1]
    person.roles.remove(event.role)
    person.lost = effects.state.lost = effects.seq


class EndPerson(ActCommand, tag="end-person", frozen=True):
    """A person's access ends; their number is never given again."""

    person: Number


class PersonEnded(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 36
    person: int
    people: People


def decide_end_person(state: BankState, command: EndPerson, by: ActContext) -> PersonEnded:
    """Ends a person's access at once, by one admin; the last admin stays."""
    person = find_person(state, command.person)
    _not_last(state, person)
    return PersonEnded(person.id, by.people)


def apply_person_ended(effects: Effects, event: PersonEnded) -> None:
    """Ends the person with their secret and tokens."""
    state = effects.state
    person = state.people[event.person - 1]
    person.ended, person.left, person.secret, person.code = True, effects.at, b"", b""
    person.lost = state.lost = effects.seq
    _end_sessions(state, event.person)
    state.tokens = [token for token in state.tokens if token.person != event.person]


class ResetSecret(ActCommand, tag="reset-secret", frozen=True):
    """A person has lost their password, or somebody else knows it; two people."""

    person: Number


class SecretReset(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 37
    person: int
    people: People


def decide_reset(state: BankState, command: ResetSecret, by: ActContext) -> SecretReset:
    """Resets a secret, by two people."""
    person = find_person(state, command.person)
    refuse_if(not person.secret, "password_missing", person=person.id)
    return SecretReset(person.id, by.people)


def apply_reset(effects: Effects, event: SecretReset) -> None:
    """Removes the secret."""
    person = effects.state.people[event.person - 1]
    person.secret, person.given_by, person.vouched = b"", 0, 0
    person.lost = effects.state.lost = effects.seq
    _end_sessions(effects.state, event.person)


class GiveCode(ActCommand, tag="give-code", frozen=True):
    """An admin is shown a one-time code for a person without a password. code: its digest. until: its end."""

    person: Number
    code: Digest
    until: int


class CodeGiven(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 38
    person: int
    code: bytes
    until: int
    people: People


def decide_give_code(state: BankState, command: GiveCode, by: ActContext) -> CodeGiven:
    """Issues a one-time code. Its issuer never confirms together with this person.

    They could choose the secret. They issue it with their own secret: two logins of a machine, each issuing a
    code, may be one person.
    """
    refuse_if(len(by.people.signed) != 1, "code_needs_one_admin")
    person = find_person(state, command.person)
    refuse_if(bool(person.secret), "code_of_person_with_password", person=person.id)
    admin = by.people.signed[0]
    refuse_if(admin.means != "secret", "code_needs_own_password")
    is_independent(admin)
    return CodeGiven(person.id, command.code, command.until, by.people)


def apply_code_given(effects: Effects, event: CodeGiven) -> None:
    """Stores the code with which the person chooses their secret; an earlier one is void."""
    person = effects.state.people[event.person - 1]
    person.code, person.code_until = event.code, event.until
    person.given_by, person.vouched = event.people.signed[0].id, 0


class SetSecret(ActCommand, tag="set-secret", frozen=True):
    """A person has chosen their own secret, with a code or with the secret before. secret: its digest."""

    secret: Digest


class SecretSet(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 39
    secret: bytes
    people: People


def decide_set_secret(state: BankState, command: SetSecret, by: ActContext) -> SecretSet:
    """Takes the person themselves as the only signer, with the code or the old secret."""
    _of_site(state)
    own = [one.means in ("secret", "code") for one in by.people.signed]
    refuse_if(own != [True], "password_chosen_by_oneself")
    return SecretSet(command.secret, by.people)


def apply_secret_set(effects: Effects, event: SecretSet) -> None:
    """Stores the secret; sessions and tokens made with another one end."""
    person = effects.state.people[event.people.signed[0].id - 1]
    person.secret, person.code = event.secret, b""
    _end_sessions(effects.state, person.id)


class MakeToken(ActCommand, tag="make-token", frozen=True):
    """A program acts for a person. digest: of the token. roles: some of theirs. until: its end, unix ms."""

    digest: Digest
    roles: tuple[Role, ...]
    until: int


class TokenMade(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 42
    token: int
    digest: bytes
    roles: list[Role]
    until: int
    people: People


def decide_make_token(state: BankState, command: MakeToken, by: ActContext) -> TokenMade:
    """A person makes a token for themselves, by their own secret, with roles that they have."""
    _of_site(state)
    refuse_if(len(by.people.signed) != 1, "token_made_by_oneself")
    signed = by.people.signed[0]
    refuse_if(signed.means != "secret", "token_needs_own_password")
    more = [role for role in command.roles if role not in signed.roles]
    refuse_if(bool(more), "token_roles_not_held", person=signed.id, roles=more)
    refuse_if(not command.roles, "token_without_role")
    refuse_if(len(state.tokens) >= TOKENS_MAX, "too_many_tokens", most=TOKENS_MAX)
    own = sum(token.person == signed.id for token in state.tokens)
    refuse_if(own >= TOKENS_OF_ONE, "too_many_tokens_of_one", person=signed.id, count=own)
    return TokenMade(state.next_token, command.digest, _ordered(command.roles), command.until, by.people)


def apply_token_made(effects: Effects, event: TokenMade) -> None:
    """Adds the token; a program asks with it, and never confirms."""
    state, person = effects.state, event.people.signed[0].id
    state.tokens.append(Token(event.token, person, event.digest, list(event.roles), event.until))
    state.next_token = event.token + 1
    effects.told.token = event.token


class EndToken(ActCommand, tag="end-token", frozen=True):
    """A token lets nobody in any more."""

    token: Annotated[int, Meta(ge=1, le=TOKEN_NUMBER_MAX)]


class TokenEnded(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 43
    token: int
    people: People


def decide_end_token(state: BankState, command: EndToken, by: ActContext) -> TokenEnded:
    """Takes the token's owner, or an admin."""
    token = next((one for one in state.tokens if one.id == command.token), None)
    if token is None:
        raise Refusal("token_unknown", token=command.token)
    for one in by.people.signed:
        other = one.id != token.person and "admin" not in one.roles
        refuse_if(other, "token_of_other", token=token.id)
    return TokenEnded(token.id, by.people)


def apply_token_ended(effects: Effects, event: TokenEnded) -> None:
    """Removes the token, which is never valid again."""
    state = effects.state
    state.lost = effects.seq
    state.tokens = [token for token in state.tokens if token.id != event.token]


class Recover(ActCommand, tag="recover", frozen=True):
    """Every admin is lost: where no server runs, its machine's operator makes one, who chooses a secret.

    mark, secret: as in `Person`.
    """

    mark: Digest
    secret: Digest


class Recovered(Event, frozen=True, array_like=True):
    kind: ClassVar[int] = 44
    id: int
    mark: bytes
    secret: bytes
    people: People


def decide_recover(state: BankState, command: Recover, by: ActContext) -> Recovered:
    """Only where the site has people, and by unauthenticated names."""
    _of_site(state)
    refuse_if(not state.people, "site_without_people")
    return Recovered(len(state.people) + 1, command.mark, command.secret, by.people)


def apply_recovered(effects: Effects, event: Recovered) -> None:
    """Adds an admin whom nobody confirmed; the event alarms.

    Two recovered admins count as one person while there is an admin who came otherwise. Where there is none,
    the site begins again as with its first two.
    """
    state = effects.state
    others = [one for one in state.people if one.given_by != OPERATOR]
    judge = any("admin" in one.roles and one.secret and not one.ended for one in others)
    _admit(state, event.mark, ["admin"], event.secret)
    state.people[-1].given_by = OPERATOR if judge else 0
    effects.told.person = event.id


def untrue(state: BankState, signed: Signed, *, choosing: bool = False) -> Phrase | None:
    """Why a person is not as they signed, by the state of the site; None where they are.

    choosing: they choose their secret, which is all that a code is for.
    """
    if not 1 <= signed.id <= len(state.people):
        return phrase("signer_unknown", number=signed.id)
    person = state.people[signed.id - 1]
    if person.ended:
        return phrase("signer_left", person=signed.id)
    if more := [role for role in signed.roles if role not in person.roles]:
        return phrase("signer_without_role", person=signed.id, roles=more)
    if not person.secret and not (choosing and person.code and signed.means == "code"):
        return phrase("signer_without_password", person=signed.id)
    if person.secret and signed.means == "code":
        return phrase("signer_has_password", person=signed.id)
    if person.secret and not choosing and signed.given_by != person.given_by:
        return replace(signed, given_by=person.given_by).origin
    if person.secret and not choosing and signed.vouched != person.vouched:
        return phrase("signer_vouched_for", person=signed.id, voucher=person.vouched)
    if person.secret and not choosing and signed.lost != person.lost:
        return phrase("signer_lost_right", person=signed.id, row=person.lost, said=signed.lost)
    if signed.means == "token" and not any(_fits_token(token, signed) for token in state.tokens):
        return phrase("signer_without_token", person=signed.id)
    return None


def find_person(state: BankState, number: int) -> Person:
    """The person of that number; refused as `no_such_person`, also once they ended."""
    _of_site(state)
    if not 1 <= number <= len(state.people) or state.people[number - 1].ended:
        raise Refusal("person_unknown", number=number)
    return state.people[number - 1]


def is_independent(signed: Signed) -> None:
    """Whether a person is independent. One with an issued code is not: a chain of codes may be one person."""
    refuse_if(not signed.own, "vouching_first", origin=signed.origin, person=signed.id)


def _fits_token(token: Token, signed: Signed) -> bool:
    """Whether a program with that token could have signed so."""
    same = (token.id, token.person, token.until) == (signed.token, signed.id, signed.until)
    return same and set(signed.roles) <= set(token.roles)


def _of_site(state: BankState) -> None:
    refuse_if(state.bank != SITE, "people_elsewhere", site=SITE, bank=state.bank)


def _end_sessions(state: BankState, person: int) -> None:
    state.sessions = {digest: one for digest, one in state.sessions.items() if one.person != person}


def _not_last(state: BankState, person: Person) -> None:
    admins = [one.id for one in state.people if "admin" in one.roles and one.secret]
    refuse_if(admins == [person.id], "last_admin", person=person.id)


def _admit(state: BankState, mark: bytes, roles: list[Role], secret: bytes = b"") -> None:
    state.people.append(Person(len(state.people) + 1, mark, roles, secret))


def _ordered(roles: Iterable[Role]) -> list[Role]:
    return [role for role in ROLES if role in set(roles)]


ACTS: Final = (
    Act(
        FirstPeople,
        decide_first,
        {PeopleBegun: apply_first},
        alone=True,
    ),
    Act(
        AddPerson,
        decide_add,
        {PersonAdded: apply_added},
        power=ADMIN,
        needs_two=lambda _state, command, _at: "why_role_given" if command.roles else "",
    ),
    Act(
        Grant,
        decide_grant,
        {Granted: apply_granted},
        asked=True,
        bank=BankKey.PEOPLE,
        power=ADMIN,
        needs_two="why_role_given",
    ),
    Act(
        WithdrawRole,
        decide_withdraw_role,
        {RoleWithdrawn: apply_role_withdrawn},
        asked=True,
        bank=BankKey.PEOPLE,
        power=ADMIN,
    ),
    Act(
        EndPerson,
        decide_end_person,
        {PersonEnded: apply_person_ended},
        asked=True,
        bank=BankKey.PEOPLE,
        power=ADMIN,
    ),
    Act(
        ResetSecret,
        decide_reset,
        {SecretReset: apply_reset},
        asked=True,
        bank=BankKey.PEOPLE,
        power=ADMIN,
        needs_two="why_password_reset",
    ),
    Act(
        GiveCode,
        decide_give_code,
        {CodeGiven: apply_code_given},
        power=ADMIN,
    ),
    Act(
        SetSecret,
        decide_set_secret,
        {SecretSet: apply_secret_set},
        power=ROLES,
    ),
    Act(
        MakeToken,
        decide_make_token,
        {TokenMade: apply_token_made},
        power=ROLES,
    ),
    Act(
        EndToken,
        decide_end_token,
        {TokenEnded: apply_token_ended},
        asked=True,
        bank=BankKey.PEOPLE,
        power=ROLES,
    ),
    Act(
        Recover,
        decide_recover,
        {Recovered: apply_recovered},
        alone=True,
    ),
)
