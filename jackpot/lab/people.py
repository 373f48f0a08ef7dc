"""Who may sign in on the simulated floor? People of every role, whose random passwords are told once."""

import re
import secrets
from typing import Final, NamedTuple

from jackpot.lab.scene import FloorError
from jackpot.rules import names
from jackpot.rules.acts.people import EndPerson
from jackpot.rules.acts.vouching import Vouch
from jackpot.rules.signing import Role
from jackpot.server.people import Denied, Entrance, Person
from jackpot.server.roster import Sheet
from jackpot.server.staff import Coming, Staff

# Nobody guesses 72 bits, and a person can still type them.
PASSWORD_BYTES: Final = 9
# Logins that the demo gives; the floor supervisor has that of the machine.
_OURS: Final = re.compile(r"(admin|cashier|auditor)-\d+")


class Login(NamedTuple):
    """What one of them signs in with."""

    login: str
    role: Role
    password: str


async def hire(entrance: Entrance, machine: str) -> tuple[Login, ...]:
    """Makes the floor's people, if it has none yet; those that it made, with their passwords.

    machine: the login name of this process. The floor supervisor gets it: by that name the simulated one acts
    at the admin socket. They are made last, so a floor without them was cut off while it made its people.
    Nobody knows those passwords, so two more admins and the rest are made. Raises FloorError, LedgerError.
    """
    sheet = await entrance.roster.look()
    supervisor = sheet.of_login(names.plain(machine))
    if supervisor is not None and supervisor.secret:
        return ()
    _refuse_foreign(sheet, machine)
    try:
        return await _made(entrance, sheet, machine)
    except Denied as denied:
        raise FloorError(f"the floor's people: {denied.message}") from denied


def _refuse_foreign(sheet: Sheet, machine: str) -> None:
    """A demo gives itself no power over people whom others have made."""
    logins = [sheet.called(person).login for person in sheet.state.people]
    if any(not _OURS.fullmatch(login) and login != names.plain(machine) for login in logins):
        raise FloorError(
            f"the floor has people of its own, and none with the login {machine}, by which the simulated "
            f"supervisor acts: jackpot users add {machine} --role floor"
        )


async def _made(entrance: Entrance, sheet: Sheet, machine: str) -> tuple[Login, ...]:
    staff, taken = Staff(entrance), {named.login for named in sheet.named.values()} | {names.plain(machine)}

    def login(what: str, role: Role) -> Login:
        name = next(name for number in range(1, len(taken) + 2) if (name := f"{what}-{number}") not in taken)
        taken.add(name)
        return Login(name, role, secrets.token_urlsafe(PASSWORD_BYTES))

    admins = [login("admin", "admin"), login("admin", "admin")]
    coming = [Coming(one.login, one.login, one.password) for one in admins]
    if sheet.state.people:
        await _begin_again(entrance, coming, machine)
    else:
        await staff.begin(coming, machine)
    both = [await entrance.prove(one.login, one.password) for one in admins]
    # The cashier and the supervisor confirm together, so they have their codes from different admins.
    others = [login("cashier", "cage"), login("auditor", "auditor")]
    others.append(Login(machine, "floor", secrets.token_urlsafe(PASSWORD_BYTES)))
    for other in others:
        await _join(entrance, both[::-1] if other.login == machine else both, other)
    return (*admins, *others)


async def _begin_again(entrance: Entrance, admins: list[Coming], machine: str) -> None:
    """Two admins in place of those whose passwords nobody knows.

    While one of those is here, both would be the operator's, and no two people (S8): so the first one ends
    them. The second is then somebody of their own, and vouches for the first.
    """
    staff, (first, second) = Staff(entrance), admins
    people = (await entrance.roster.look()).state.people
    lost = [one.id for one in people if "admin" in one.roles and not one.ended]
    await staff.recover(first, machine)
    one = await entrance.prove(first.login, first.secret)
    for number in lost:
        await entrance.act(entrance.site, EndPerson(number), [one])
    await staff.recover(second, machine)
    other = await entrance.prove(second.login, second.secret)
    await entrance.act(entrance.site, Vouch(one.id), [other])


async def _join(entrance: Entrance, admins: list[Person], joining: Login) -> None:
    """They come with their role, and choose their secret by a code, as anybody does."""
    staff, sheet = Staff(entrance), await entrance.roster.look()
    there = sheet.of_login(names.plain(joining.login))
    if there is not None:
        number = there.id
    else:
        answer = await staff.add(admins, joining.login, joining.login, (joining.role,))
        if not answer.ok:
            raise FloorError(f"the floor's people: {answer.message}")
        number = answer.person
    code = await staff.give_code(admins[0], number)
    signed = await entrance.choose(joining.login, code, joining.password)
    await entrance.sign_out(signed.token)
