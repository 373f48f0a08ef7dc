"""Hit history of a bank, from the ledger: the state drops settled hits (S1)."""

from typing import TYPE_CHECKING, Any, NamedTuple

from jackpot.reports.read import hits
from jackpot.rules import views

if TYPE_CHECKING:
    from jackpot.bank.bank import Bank
    from jackpot.reports.read.reader import LedgerReader


class HitHistory(NamedTuple):
    """A page of old hits. before: where older hits begin; None if there are none."""

    hits: list[dict[str, Any]]
    before: int | None


async def hits_of(bank: "Bank", books: "LedgerReader", before: int | None, limit: int) -> HitHistory:
    """The newest hits of a bank with a number below `before`. Raises BankStopped, LedgerError."""
    found = await books.read(lambda ledger: hits.page(ledger, bank.name, before, limit))
    named = await bank.ask(lambda engine: [views.hit(engine.state, hit) for hit in found.hits])
    return HitHistory(named, found.before)
