"""What became of a bank's hits, old ones too? The state forgets them, the ledger does not (S1)."""

from typing import TYPE_CHECKING, Any, NamedTuple

from jackpot.reports.read import hits
from jackpot.rules import views

if TYPE_CHECKING:
    from jackpot.bank.bank import Desk
    from jackpot.reports.read.reader import Books


class Listed(NamedTuple):
    """before: where older hits begin; None where there are none."""

    hits: list[dict[str, Any]]
    before: int | None


async def hits_of(desk: "Desk", books: "Books", before: int | None, limit: int) -> Listed:
    """The newest hits of a bank with a number below `before`. Raises BankStopped, LedgerError."""
    found = await books.read(lambda ledger: hits.page(ledger, desk.bank, before, limit))
    named = await desk.ask(lambda engine: [views.hit(engine.state, hit) for hit in found.hits])
    return Listed(named, found.before)
