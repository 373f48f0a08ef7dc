"""Query of the program that decides in each bank, and whether links wait for its confirmation (S3)."""

from typing import TYPE_CHECKING

from controllers.messages import Id
from jackpot.api.operation import BankElsewhere, Query, Reply

if TYPE_CHECKING:
    from jackpot.api.query_context import QueryContext
    from jackpot.rules.engine import Engine
    from jackpot.rules.state import Program as DecidingProgram


class Program(Reply, frozen=True):
    """The program of a bank.

    version, digest: empty where none is recorded; the digest, where nothing shows that it is a release.

    seq: the journal's entry by which it began. waits: links wait until two people confirm it.
    """

    bank: str
    version: str
    digest: str
    seq: int
    waits: bool


class Programs(Reply, frozen=True):
    programs: tuple[Program, ...]
    elsewhere: tuple[BankElsewhere, ...]


class AskPrograms(Query, frozen=True):
    """The program that decides in each bank. bank: of that one alone."""

    path = "/programs"
    reply = Programs
    bank: Id | None = None

    async def answer(self, at: "QueryContext") -> Programs:
        here, elsewhere = at.whose.here(self.bank)
        found = [(bank.name, await bank.ask(_deciding)) for bank in here]
        programs = tuple(
            Program(bank=name, version=one.version, digest=one.digest.hex(), seq=one.seq, waits=one.waits)
            for name, one in found
        )
        return Programs(programs=programs, elsewhere=elsewhere)


def _deciding(engine: "Engine") -> "DecidingProgram":
    return engine.state.program
