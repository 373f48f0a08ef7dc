"""Who comes in, and as whom? Signing in and out, tokens, and the second person on the first one's screen.

Pages, the API and the admin socket ask here who somebody is, and have people's acts decided through here.
What a person may do is not decided here: each act names the roles that may ask it, which the rules look at.
"""

from collections.abc import Sequence
from typing import Final, Literal, NoReturn

import msgspec

from jackpot.rules.codes import Code
from jackpot.rules.commands import ActCommand
from jackpot.rules.outcome import ActAnswer
from jackpot.server.desk import Desk

Means = Literal["secret", "token", "login"]
"""How somebody proved who they are. Only who signs with their own secret may confirm what another asked."""

NOBODY_YET: Final = "nobody can sign in yet: jackpot users init makes the first two people"


class Person(msgspec.Struct, frozen=True):
    """One person of the site, as they came in. login: what they sign in with. name: what others read.

    roles: with which they act now; with a token perhaps fewer than they have.
    """

    id: int
    login: str
    name: str
    roles: tuple[str, ...]
    means: Means


class SignedIn(msgspec.Struct, frozen=True):
    """token: of the session, for the browser's cookie; the ledger keeps only its digest."""

    token: str
    person: Person


class Denied(Exception):
    """Somebody is not let in, or not believed. code: as an act's refusal, with its HTTP status in `codes`."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Entrance:
    """Lets people in. Every call may raise Denied, and LedgerError where the ledger does not answer."""

    async def sign_in(self, login: str, secret: str, totp: str = "") -> SignedIn:
        """Begins a session. totp: the six digits, for who has set that up."""
        self._nobody(login, secret, totp)

    async def choose(self, login: str, code: str, secret: str) -> SignedIn:
        """The first sign-in: with the one-time code from an admin a person chooses their own secret."""
        self._nobody(login, code, secret)

    async def who(self, token: str) -> Person:
        """Whose session it is. An idle session ends by itself."""
        self._nobody(token)

    async def bearer(self, token: str) -> Person:
        """Whose API token it is."""
        self._nobody(token)

    async def of_login(self, login: str) -> Person | None:
        """Who has that login name on this machine; None while the site has no person, where names serve."""
        return None if login else self._nobody(login)

    async def sign_out(self, token: str) -> None:
        """Ends a session; one that has ended already is no mistake."""
        self._nobody(token)

    async def second(self, first: Person, login: str, secret: str, totp: str = "") -> Person:
        """Another person signs an act on the first one's screen; no session begins."""
        self._nobody(first, login, secret, totp)

    async def act(
        self, desk: Desk, command: ActCommand, by: Sequence[Person | str], digest: bytes = b""
    ) -> ActAnswer:
        """Has a bank decide an act, answered once it is durable. Raises BankStopped too.

        by: who stands for it, one or two; a plain name where the site has no person yet. One alone who asks
        for what takes two is answered with `asked`, and another confirms it. digest: as of `Desk.person`.
        """
        names = tuple(one if isinstance(one, str) else self._nobody(one) for one in by)
        return await desk.person(command, names, digest)

    def _nobody(self, *_what: object) -> NoReturn:
        raise Denied(Code.NO_PERSON, NOBODY_YET)
