"""What are questions answered from? State and ledger, of banks that are surely this server's."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from jackpot.api.operation import Question, Request
from jackpot.reports.read.people import Called
from jackpot.rules.codes import Code
from jackpot.runtime.errors import Denied

if TYPE_CHECKING:
    from jackpot.api.bank_router import Whose
    from jackpot.auth.auth_service import Person
    from jackpot.auth.directory import Roster
    from jackpot.bank.bank import Desk
    from jackpot.bank.supervisor import Tenure
    from jackpot.config import Config
    from jackpot.reports.read.reader import Books
    from jackpot.rules.signing import People

# Where nobody has signed, the ledger need not be read for names.
NOBODY: Final = Called({}, {})


class Sources(NamedTuple):
    """tenures: by bank. people: who asks, if anybody."""

    whose: "Whose"
    tenures: "Mapping[str, Tenure]"
    books: "Books"
    config: "Config"
    roster: "Roster"
    people: "tuple[str | Person, ...]" = ()

    def person(self) -> "Person":
        """Who asks about themselves. Raises Denied where only a name is known."""
        for one in self.people:
            if not isinstance(one, str):
                return one
        raise Denied(Code.NO_PERSON, "by: a name alone is nobody here: sign in, or use a token")

    async def own(self, question: Question) -> "Desk":
        """The bank that it is about. Raises BadRequest, NotDone, BankStopped."""
        return await self.whose.own(Request(question))

    async def called(self, people: "Iterable[People]") -> Called:
        """What those are called who signed; the ledger is read only where somebody did."""
        if not any(one.signed for one in people):
            return NOBODY
        return await self.books.read(Called.of)
