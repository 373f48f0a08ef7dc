"""What are questions answered from? State and ledger, of banks that are surely this server's."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from jackpot.books.people import Called
from jackpot.rules.codes import Code
from jackpot.server.asks.ask import Question, Request
from jackpot.server.errors import Denied

if TYPE_CHECKING:
    from jackpot.books.reader import Books
    from jackpot.config import Config
    from jackpot.rules.signing import People
    from jackpot.server.desk import Desk
    from jackpot.server.people import Person
    from jackpot.server.roster import Roster
    from jackpot.server.tenure import Tenure
    from jackpot.server.whose import Whose

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
