"""People of the simulated floor, one or more of every role; random passwords are printed once."""

import re
import secrets
from typing import Any, Final, NamedTuple

import msgspec

from jackpot.api.http_call import with_idempotency_key
from jackpot.api.operation import Ask, NotDone, OperationCall, Query
from jackpot.api.queries.payouts import Pay
from jackpot.app import Server
from jackpot.auth.auth_service import AuthenticatedPerson, AuthService
from jackpot.auth.directory import DirectorySnapshot
from jackpot.auth.person_admin import NewPerson, PersonAdmin
from jackpot.lab.demo.scene import FloorError
from jackpot.rules.acts.people import EndPerson
from jackpot.rules.acts.vouching import Vouch
from jackpot.rules.signing import Role
from jackpot.runtime.errors import Denied

# 72 random bits, and a person can still type them.
PASSWORD_BYTES: Final = 9
# Prefix of the idempotency key of an act.
_KEY_BYTES: Final = 16
# Login of the simulated floor supervisor; the demo's cashiers pay.
SUPERVISOR: Final = "supervisor-1"
CASHIER: Final = "cashier-1"
# Logins that the demo gives, with the display name of the first of each; later ones are called by login.
_OURS: Final = re.compile(r"(admin|cashier|auditor|supervisor)-\d+")
_NAMES: Final = {
    "admin-1": "Ana Torres",
    "admin-2": "Ben Wood",
    CASHIER: "Carol Diaz",
    "auditor-1": "Dan Reed",
    SUPERVISOR: "Sam Rivera",
}


class Login(NamedTuple):
    """Credentials of one person."""

    login: str
    role: Role
    password: str

    @property
    def name(self) -> str:
        return _NAMES.get(self.login, self.login)


async def ask(server: Server, what: Ask) -> dict[str, Any]:
    """Runs an operation of the supervisor, on a server or locally: its answer as in JSON. Raises FloorError.

    A cashier pays, for the cage alone pays a part of a meter (A8).
    """
    try:
        login = await _cashier(server) if isinstance(what, Pay) else SUPERVISOR
        who = await server.auth.of_login(login)
        request = OperationCall(what, (who,) if who is not None else ())
        if who is not None and not isinstance(what, Query):
            request = with_idempotency_key(request, who, secrets.token_hex(_KEY_BYTES))
        found: dict[str, Any] = msgspec.to_builtins(await server.acts.carry_out(request))
    except (Denied, NotDone) as refusal:
        raise FloorError(f"the floor's people: {what}: {refusal}") from refusal
    return found


async def _cashier(server: Server) -> str:
    """The newest cashier that a demo made, by login; the supervisor where there is none."""
    sheet = await server.auth.directory.look()
    here = [sheet.called(one).login for one in sheet.state.people if "cage" in one.roles and not one.ended]
    return next((login for login in reversed(here) if _OURS.fullmatch(login)), SUPERVISOR)


async def hire(auth: AuthService, machine: str) -> tuple[Login, ...]:
    """Makes the floor's people, if it has none yet; returns those it made, with their passwords.

    machine: the login name of this process, which makes the first of them. The supervisor is made last, so a
    floor without one was cut off while it made its people. Nobody knows those passwords, so two more admins
    and the rest are made. Raises FloorError, LedgerError.
    """
    sheet = await auth.directory.look()
    supervisor = sheet.of_login(SUPERVISOR)
    if supervisor is not None and supervisor.secret:
        return ()
    _refuse_foreign(sheet)
    try:
        return await _make_people(auth, sheet, machine)
    except Denied as denied:
        raise FloorError(f"the floor's people: {denied.message}") from denied


def _refuse_foreign(sheet: DirectorySnapshot) -> None:
    """Raises FloorError for people whom others have made: a demo takes no role among them."""
    logins = [sheet.called(person).login for person in sheet.state.people]
    if any(not _OURS.fullmatch(login) for login in logins):
        raise FloorError(
            f"the floor has people of its own, and none with the login {SUPERVISOR}, by which the simulated "
            f"supervisor acts: jackpot users add {SUPERVISOR} --role floor --role cage"
        )


async def _make_people(auth: AuthService, sheet: DirectorySnapshot, machine: str) -> tuple[Login, ...]:
    staff, taken = PersonAdmin(auth), {named.login for named in sheet.named.values()}

    def login(what: str, role: Role) -> Login:
        name = next(name for number in range(1, len(taken) + 2) if (name := f"{what}-{number}") not in taken)
        taken.add(name)
        return Login(name, role, secrets.token_urlsafe(PASSWORD_BYTES))

    admins = [login("admin", "admin"), login("admin", "admin")]
    coming = [NewPerson(one.login, one.name, one.password) for one in admins]
    if sheet.state.people:
        await _begin_again(auth, coming, machine)
    else:
        await staff.begin(coming, machine)
    both = [await auth.authenticate(one.login, one.password) for one in admins]
    # The cashier and the supervisor confirm together, so they have their codes from different admins.
    others = [login("cashier", "cage"), login("auditor", "auditor")]
    others.append(Login(SUPERVISOR, "floor", secrets.token_urlsafe(PASSWORD_BYTES)))
    for other in others:
        await _join(auth, both[::-1] if other.login == SUPERVISOR else both, other)
    return (*admins, *others)


async def _begin_again(auth: AuthService, admins: list[NewPerson], machine: str) -> None:
    """Replaces two admins whose passwords are lost.

    While one of those is here, both would be the operator's, and no two people (S8): so the first one ends
    them. The second is then somebody of their own, and vouches for the first.
    """
    staff, (first, second) = PersonAdmin(auth), admins
    people = (await auth.directory.look()).state.people
    lost = [one.id for one in people if "admin" in one.roles and not one.ended]
    await staff.recover(first, machine)
    one = await auth.authenticate(first.login, first.secret)
    for number in lost:
        await auth.act(auth.site, EndPerson(number), [one])
    await staff.recover(second, machine)
    other = await auth.authenticate(second.login, second.secret)
    await auth.act(auth.site, Vouch(one.id), [other])


async def _join(auth: AuthService, admins: list[AuthenticatedPerson], joining: Login) -> None:
    """Adds a person with a role, who chooses a password by a code, as anybody does."""
    staff, sheet = PersonAdmin(auth), await auth.directory.look()
    there = sheet.of_login(joining.login)
    if there is not None:
        number = there.id
    else:
        answer = await staff.add(admins, joining.login, joining.name, (joining.role,))
        if not answer.ok:
            raise FloorError(f"the floor's people: {answer.message}")
        number = answer.person
    given = await staff.give_code(admins[0], number)
    signed = await auth.choose(joining.login, given.code, joining.password)
    await auth.sign_out(signed.token)
