"""Operations on the site's people: accounts, passwords, one-time codes and API tokens."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Final

from msgspec import Meta

from jackpot.api.act_reply import ActReply
from jackpot.api.operation import OWN, Moment, Query, Reply, ServerCommand
from jackpot.reports.read.people import last_sign_ins
from jackpot.rules import signing
from jackpot.rules.acts.act import BankKey
from jackpot.rules.acts.people import Number
from jackpot.rules.signing import OPERATOR, ROLES, Role

if TYPE_CHECKING:
    from jackpot.api.query_context import QueryContext


# A token ends within a year, so a program that nobody remembers does, too.
TOKEN_DAYS_MAX: Final = 366


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


class AskPeople(Query, frozen=True):
    """The people of the site, and what each of them may do. For admins and auditors."""

    path = "/people"
    what = "see the people"
    power = ("auditor", "admin")
    reply = People

    async def answer(self, at: "QueryContext") -> People:
        sheet = await at.directory.look()
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


class Me(Reply, frozen=True):
    """The person who asks. digits: they sign in with six digits, too. last_sign_in: as in `Person`."""

    person: int
    login: str
    name: str
    roles: tuple[Role, ...]
    digits: bool
    last_sign_in: Moment | None


class AskMe(Query, frozen=True):
    """You, as the site knows you. Roles are those with which you ask: a token may have fewer than you."""

    path = "/me"
    what = "see who they are"
    power = OWN
    reply = Me

    async def answer(self, at: "QueryContext") -> Me:
        me = at.person()
        seen = await at.books.read(last_sign_ins)
        return Me(
            person=me.id,
            login=me.login,
            name=me.name,
            roles=me.roles,
            digits=bool(await at.directory.totp_key(me.id)),
            last_sign_in=seen.get(me.id),
        )


Digits = Annotated[
    str, Meta(pattern=r"^\d{3} ?\d{3}(?!\n)$", description="the six digits that the app shows")
]
TotpKey = Annotated[
    str,
    Meta(pattern=r"^[A-Z2-7]{32}(?!\n)$", description="160 random bits in base32: 32 characters"),
]


class ChangeSecret(ServerCommand, tag="change-secret", frozen=True):
    """Somebody changes their own password, and is signed out on every screen. totp: if they have digits."""

    reply = ActReply
    what = "change their password"
    power: ClassVar[tuple[signing.Role, ...]] = OWN
    bank_key = BankKey.PEOPLE
    secret: str
    new: str
    totp: Digits | None = None


class SetDigits(ServerCommand, tag="set-digits", frozen=True):
    """Somebody signs in with six digits (TOTP, RFC 6238) from now on. totp: of that key, which is theirs."""

    reply = ActReply
    what = "set up six digits"
    power: ClassVar[tuple[signing.Role, ...]] = OWN
    bank_key = BankKey.PEOPLE
    secret: str
    totp_key: TotpKey
    totp: Digits


class EndDigits(ServerCommand, tag="end-digits", frozen=True):
    """Somebody signs in without six digits from now on."""

    reply = ActReply
    what = "stop six digits"
    power: ClassVar[tuple[signing.Role, ...]] = OWN
    bank_key = BankKey.PEOPLE
    secret: str
    totp: Digits


class AddPerson(ServerCommand, tag="add-person", frozen=True):
    """A person joins, without a password. It takes an admin; with a role it takes two people."""

    reply = ActReply
    what = "add a person"
    bank_key = BankKey.PEOPLE
    login: str
    name: str
    roles: tuple[signing.Role, ...] = ()


class OneTimeCode(Reply, frozen=True, omit_defaults=True):
    """A one-time code. code: good once. until: its end.

    done_already: the same key gave a code before, at `at`: no code is kept, so neither it nor its end is told
    again. then: how to get another.
    """

    person: int
    code: str = ""
    until: Moment | None = None
    done_already: bool = False
    at: Moment | None = None
    then: str = ""


class GiveCode(ServerCommand, tag="give-code", frozen=True):
    """An admin who signed in is told a one-time code, with which a person who has no password chooses one."""

    reply = OneTimeCode
    what = "give a code"
    bank_key = BankKey.PEOPLE
    person: Number


class Token(Reply, frozen=True):
    """A program's. token: its number. person: for whom it acts, with these roles of theirs."""

    token: int
    person: int
    roles: tuple[Role, ...]
    until: Moment


class Tokens(Reply, frozen=True):
    tokens: tuple[Token, ...]


class AskTokens(Query, frozen=True):
    """Programs that act for people: your own; for admins and auditors all of them."""

    path = "/tokens"
    what = "see the tokens"
    reply = Tokens

    async def answer(self, at: "QueryContext") -> Tokens:
        state = (await at.directory.look()).state
        asking = [one for one in at.people if not isinstance(one, str)]
        everybody = any({"admin", "auditor"} & set(one.roles) for one in asking)
        return Tokens(
            tokens=tuple(
                Token(token=one.id, person=one.person, roles=tuple(one.roles), until=one.until)
                for one in state.tokens
                if everybody or one.person in {each.id for each in asking}
            )
        )


class NewToken(Reply, frozen=True, omit_defaults=True):
    """A new API token. secret: what the program sends as `Authorization: Bearer`. until: its end.

    done_already, at, then: as in `OneTimeCode`, of a token.
    """

    secret: str = ""
    until: Moment | None = None
    done_already: bool = False
    at: Moment | None = None
    then: str = ""


class MakeToken(ServerCommand, tag="make-token", frozen=True):
    """A person who signed in is told a token: with it a program asks and acts for them, and confirms nothing.

    They type their password for it once more: a token outlives a screen that was left alone. roles: some of
    theirs. days: until it ends. totp: if they have digits.
    """

    power: ClassVar[tuple[signing.Role, ...]] = ROLES
    reply = NewToken
    what = "make a token"
    bank_key = BankKey.PEOPLE
    days: Annotated[int, Meta(ge=1, le=TOKEN_DAYS_MAX, description=f"1 to {TOKEN_DAYS_MAX}")]
    secret: str
    totp: Digits | None = None
    roles: tuple[signing.Role, ...] = ()


class EraseName(ServerCommand, tag="erase-name", frozen=True):
    """The name of a person who left is erased; two people, before its time is over."""

    power: ClassVar[tuple[signing.Role, ...]] = ROLES
    reply = ActReply
    what = "erase a name"
    bank_key = BankKey.PEOPLE
    person: Number
