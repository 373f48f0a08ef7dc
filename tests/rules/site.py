"""A site's people as a subject of tests: who they are, and how they sign for an act here or elsewhere."""

from typing import Any, Final

from msgspec.structs import replace

from jackpot.rules.acts.banks import OpenBank
from jackpot.rules.acts.people import AddPerson, FirstPeople, GiveCode, Grant, SetSecret
from jackpot.rules.acts.vouching import as_secret
from jackpot.rules.commands import Command
from jackpot.rules.signing import SITE, Means, Proof, Role
from tests.rules.subject import OfEngine
from tests.said import Heard

ADMINS: Final = (1, 2)
SECRET: Final = b"s" * 32
CODE: Final = b"c" * 32


def mark(number: int) -> bytes:
    """What a test's person is called, as the journal has it."""
    return number.to_bytes(32, "big")


def newcomer(number: int) -> tuple[bytes, bytes]:
    """What a test's person is called, and the secret that they chose."""
    return mark(number), SECRET


class OfSite(OfEngine):
    """The bank of the people, with its first two admins, unless `empty`."""

    def __init__(self, *, empty: bool = False) -> None:
        super().__init__(SITE)
        assert self.execute(OpenBank("riverside")).answer["ok"]
        if not empty:
            assert self.execute(FirstPeople((newcomer(1), newcomer(2))), people=("root",)).answer["ok"]

    def proof(self, *people: int, means: Means = "secret", **fields: Any) -> Proof:
        """These people sign, as the site has them now; means: of the first of them."""
        own = [as_secret(self.person(one)) for one in people]
        signed = tuple(replace(one, means="secret" if place else means) for place, one in enumerate(own))
        return Proof(signed, **fields)

    def person(self, number: int) -> Any:
        return self.engine.state.people[number - 1]

    def ask(self, command: Command, *people: int, means: Means = "secret", **fields: Any) -> Heard:
        """These people ask for an act of the site."""
        return self.execute(command, proof=self.proof(*people, means=means), **fields)

    def join(self, *roles: Role, by: int = 1) -> int:
        """A new person with these roles, who has chosen their secret with a code from `by`; their number."""
        answer = self.ask(AddPerson(mark(len(self.engine.state.people) + 1), roles), *ADMINS).answer
        number: int = answer["person"]
        assert self.ask(GiveCode(number, CODE, 1), by).answer["ok"]
        assert self.ask(SetSecret(SECRET), number, means="code").answer["ok"]
        return number

    def grant(self, person: int, role: Role) -> None:
        assert self.ask(Grant(person, role), *ADMINS).answer["ok"]
