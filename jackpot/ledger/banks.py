"""First and last entries of a bank: its site, the banks that it began with, and its end (S3)."""

from collections.abc import Sequence
from typing import Final

import msgspec

from jackpot.ledger.journal import Row, genesis, row_of
from jackpot.ledger.reading import Reader
from jackpot.ledger.store import LedgerCorrupt, LedgerUnusable, Store
from jackpot.rules import registry
from jackpot.rules.acts.banks import BankBegun, BankClosed, BankOpened, OpenBank
from jackpot.rules.commands import Envelope
from jackpot.rules.engine import Engine
from jackpot.rules.signing import SITE, People

# The holder of a copy's banks. A server that takes one puts its own name there: then it is no copy any more.
COPY_HOLDER: Final = "copy"

# The holder until the copy is proved: it is part of a ledger, which no server takes.
UNFINISHED_COPY: Final = "unfinished copy"
# Of a bank that nobody has taken yet.
FIRST_EPOCH: Final = 1
_NO_DIGEST: Final = bytes(16)


async def open_banks(
    store: Store, banks: Sequence[str], site: str, unix_ms: int, by: People | None = None
) -> None:
    """Opens new banks of a site's ledger, all of them or none.

    Raises LedgerUnusable where a broken-off join is to begin one of them; what `Store.open_banks` raises.
    """
    waiting = await store.run(unbegun)
    for bank in banks:
        if bank in waiting:
            raise LedgerUnusable(unbegun_message(bank, waiting[bank]))
    await store.open_banks([_first(bank, site, unix_ms, by or People()) for bank in banks])


def _first(bank: str, site: str, unix_ms: int, by: People) -> Row:
    opening = Envelope(OpenBank(site), unix_ms, 0, _NO_DIGEST, people=by.names, proof=by.proof)
    outcome = Engine(bank).execute(opening)
    if outcome.entry is None or not outcome.of_act().ok:
        raise LedgerUnusable(f"bank {bank}: {outcome.of_act().message}")
    return row_of(bank, FIRST_EPOCH, outcome.entry, genesis(bank))


def site_of(ledger: Reader, bank: str) -> str:
    """Site id in the bank's first entry. Raises LedgerCorrupt if it names none."""
    for row in ledger.rows(bank, 0, 1):
        try:
            event = registry.decode(row.kind, row.version, row.body)
        except (registry.UnknownEventError, msgspec.MsgspecError) as error:
            raise LedgerCorrupt(f"{bank}: the event of row {row.seq} cannot be read: {error}") from error
        if isinstance(event, BankOpened):
            return event.site
        if isinstance(event, BankBegun) and event.parts:
            return event.parts[0].site
    raise LedgerCorrupt(f"{bank}: row 1 does not open the bank")


def cut_short(ledger: Reader, bank: str) -> str | None:
    """Why the bank must have lost rows; None where only a head kept elsewhere could tell.

    A bank opens with its first row, and the server that takes it opens a link at once; the people's bank has
    none. A copy's epochs are those of copying.
    """
    head = ledger.head(bank)
    if not head.epoch:
        return None  # it has no head at all, as verification of its rows says
    if not head.seq:
        return (
            f"its head is of epoch {head.epoch}, and it has no rows: they were taken away; or a join with "
            "that name was interrupted: run jackpot bank join again"
        )
    first = ledger.rows(bank, 0, 1)
    alone = bank != SITE and head.seq == 1 and bool(first) and first[0].kind == BankOpened.kind
    if alone and head.epoch > FIRST_EPOCH and head.holder not in {COPY_HOLDER, UNFINISHED_COPY}:
        return (
            f"row 1 opens it and is its last row, and the head is of epoch {head.epoch}: the rows after it "
            "were taken away; or no server ever came to open a link: start one"
        )
    return None


def has_ended(ledger: Reader, bank: str) -> bool:
    """Whether the bank was joined into another one: its last entry says so."""
    return bool(became(ledger, bank))


def became(ledger: Reader, bank: str) -> str:
    """Bank that it was joined into, by its last entry; "" if it has not ended."""
    for last in ledger.rows(bank, max(0, ledger.head(bank).seq - 1), 1):
        if last.kind == BankClosed.kind:
            event = registry.decode(last.kind, last.version, last.body)
            return event.into if isinstance(event, BankClosed) else ""
    return ""


def unbegun_message(bank: str, ended: Sequence[str]) -> str:
    """Message about a bank that has not begun, although others ended in it."""
    return (
        f"bank {bank} has not begun, and {' and '.join(ended)} ended in it: the join was broken off, and "
        "what their meters held waits for it; run the same jackpot bank join again"
    )


def unbegun(ledger: Reader) -> dict[str, list[str]]:
    """Banks that have no row, and those that ended in each: their join was broken off."""
    found: dict[str, list[str]] = {}
    for bank in ledger.banks():
        into = became(ledger, bank)
        if into and not ledger.head(into).seq:
            found.setdefault(into, []).append(bank)
    return found


def begun_with(ledger: Reader, bank: str) -> list[str]:
    """Banks that were joined into it, by its first entry; none if it was opened."""
    for first in ledger.rows(bank, 0, 1):
        if first.kind == BankBegun.kind:
            event = registry.decode(first.kind, first.version, first.body)
            return [name for name, *_ in event.heads] if isinstance(event, BankBegun) else []
    return []
