"""Context that queries are answered from: state and ledger of the banks that this server holds."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from jackpot.api.operation import OperationCall, Query
from jackpot.reports.read.people import PersonNames
from jackpot.rules.codes import Code
from jackpot.runtime.errors import Denied
from jackpot.text import RefusalSentence

if TYPE_CHECKING:
    from jackpot.api.bank_router import BankRouter
    from jackpot.auth.auth_service import AuthenticatedPerson
    from jackpot.auth.directory import Directory
    from jackpot.bank.bank import Bank
    from jackpot.bank.supervisor import BankSupervisor
    from jackpot.clock import Clock
    from jackpot.config import Config
    from jackpot.reports.read.reader import LedgerReader
    from jackpot.rules.signing import People

# Where nobody has signed, the ledger need not be read for names.
NOBODY: Final = PersonNames({}, {})


class QueryContext(NamedTuple):
    """Context of a query. supervisors: by bank. people: who asks, if anybody."""

    whose: "BankRouter"
    supervisors: "Mapping[str, BankSupervisor]"
    books: "LedgerReader"
    config: "Config"
    directory: "Directory"
    clock: "Clock"
    people: "tuple[str | AuthenticatedPerson, ...]" = ()

    def person(self) -> "AuthenticatedPerson":
        """The person who asks about themselves. Raises Denied if only a name is known."""
        for one in self.people:
            if not isinstance(one, str):
                return one
        raise Denied(
            Code.NO_PERSON,
            RefusalSentence("a name alone is nobody here: sign in, or use a token", field="by"),
        )

    async def own(self, question: Query, said: str | None = None) -> "Bank":
        """The bank that the query is about. said: the one that it names itself.

        Raises BadRequest, NotDone, BankStopped.
        """
        return await self.whose.own(OperationCall(question, bank=said))

    async def called(self, people: "Iterable[People]") -> PersonNames:
        """The names of the signers; the ledger is read only if somebody signed."""
        if not any(one.signed for one in people):
            return NOBODY
        return await self.books.read(PersonNames.of)
