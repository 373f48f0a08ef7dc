"""Who are the people of the site, and how do they come and go?"""

from typing import TYPE_CHECKING, ClassVar

from jackpot.books.people import last_sign_ins
from jackpot.rules import signing
from jackpot.rules.acts.people import Number
from jackpot.rules.signing import OPERATOR, ROLES, SITE, Role
from jackpot.server.asks.ask import Moment, Question, Reply, ServerAct
from jackpot.server.asks.done import Done

if TYPE_CHECKING:
    from jackpot.server.asks.sources import Sources


class Person(Reply, frozen=True):
    """Somebody of the site. secret: whether they have a password. last_sign_in: None where it is long ago.

    code_from: who gave them their code, None where nobody did. recovered: they were made on the server's
    machine, because every admin was lost. vouched_by: which other admin vouched for them.
    """

    person: int
    login: str
    name: str
    roles: tuple[Role, ...]
    secret: bool
    ended: bool
    erased: bool
    last_sign_in: Moment | None
    code_from: int | None
    recovered: bool
    vouched_by: int | None


class People(Reply, frozen=True):
    people: tuple[Person, ...]


class AskPeople(Question, frozen=True):
    """Who are the people of the site, and what may each of them do? For admins and auditors."""

    path = "/people"
    what = "see the people"
    power = ("auditor", "admin")
    reply = People

    async def answer(self, at: "Sources") -> People:
        sheet = await at.roster.look()
        seen = await at.books.read(last_sign_ins)
        return People(
            people=tuple(
                Person(
                    person=one.id,
                    login=called.login,
                    name=called.name,
                    roles=tuple(one.roles),
                    secret=bool(one.secret),
                    ended=one.ended,
                    erased=one.erased,
                    last_sign_in=seen.get(one.id),
                    code_from=one.given_by if one.given_by > 0 else None,
                    recovered=one.given_by == OPERATOR,
                    vouched_by=one.vouched or None,
                )
                for one in sheet.state.people
                for called in [sheet.called(one)]
            )
        )


class AddPerson(ServerAct, tag="add-person", frozen=True):
    """A person joins, without a password. It takes an admin; with a role it takes two people."""

    reply = Done
    what = "add a person"
    bank: ClassVar[str] = SITE
    login: str
    name: str
    roles: tuple[signing.Role, ...] = ()


class OneTimeCode(Reply, frozen=True):
    """code: good once. until: its end."""

    person: int
    code: str
    until: Moment


class GiveCode(ServerAct, tag="give-code", frozen=True):
    """An admin who signed in is told a one-time code, with which a person who has no password chooses one."""

    reply = OneTimeCode
    what = "give a code"
    bank: ClassVar[str] = SITE
    person: Number


class EraseName(ServerAct, tag="erase-name", frozen=True):
    """What a person who left was called is kept no longer; two people, before its time is over."""

    power: ClassVar[tuple[signing.Role, ...]] = ROLES
    reply = Done
    what = "erase a name"
    bank: ClassVar[str] = SITE
    person: Number
