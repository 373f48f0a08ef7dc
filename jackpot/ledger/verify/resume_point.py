"""Points at which verification of a journal can resume, with the state that the next row is decided on.

Such a point is row 1, where nothing must be known; a row whose state is sealed and stored; or the cut of an
archive, which an `archived` row names (S8).
"""

from collections.abc import Callable
from functools import partial

from jackpot.ledger.journal import Row
from jackpot.ledger.papers import last_written
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import check_sealed, engine_of
from jackpot.ledger.store import LedgerCorrupt
from jackpot.ledger.verify.chain_verifier import ChainPosition, Redecider
from jackpot.ledger.verify.signer_history import nameless_after, untrue_in
from jackpot.ledger.verify.timestamp_checks import FirstRow, TimestampChecks
from jackpot.rules.engine import Engine
from jackpot.rules.epoch import Epoch


def redecider_at(
    ledger: Reader, bank: str, at: ChainPosition, opened: Callable[[FirstRow], None] = lambda _opened: None
) -> Redecider:
    """Redecider for the rows after a position, with the other checks that need the ledger.

    opened: as in `TimestampChecks`. Raises LedgerCorrupt where nothing can go on from there.
    """
    engine = Engine(bank) if not at.seq else _engine_at(ledger, bank, at)
    asked = {request.id: row_at(ledger, bank, request.seq) for request in engine.state.requests}
    return Redecider(
        engine,
        untrue_in(ledger, bank),
        TimestampChecks(asked, opened),
        partial(last_written, ledger, bank),
        nameless_after(ledger, bank),
    )


def position_at(ledger: Reader, row: Row, begin: ChainPosition) -> ChainPosition:
    """Chain position after a row. begin: where the rows that are here begin."""
    return ChainPosition(row.seq, row.hash, row.epoch, row.version, _before_epoch(ledger, row, begin))


def row_at(ledger: Reader, bank: str, seq: int) -> Row:
    """Reads that row. Raises LedgerCorrupt if it is missing."""
    for row in ledger.rows(bank, seq - 1, 1):
        if row.seq == seq:
            return row
    raise LedgerCorrupt(f"{bank}: row {seq} is missing")


def _engine_at(ledger: Reader, bank: str, at: ChainPosition) -> Engine:
    """Engine from the snapshot of that row, in the row's epoch."""
    snapshot = ledger.newest_snapshot(bank, below=at.seq + 1)
    if snapshot is None or (snapshot.seq, snapshot.hash) != (at.seq, at.hash):
        raise LedgerCorrupt(f"{bank}: there is no snapshot of row {at.seq}")
    check_sealed(ledger, snapshot)
    engine = engine_of(snapshot)
    engine.epoch = Epoch(at.since)
    return engine


def _before_epoch(ledger: Reader, row: Row, begin: ChainPosition) -> int:
    """The last row before the first one of this row's epoch; epochs never fall along a chain."""
    if row.epoch == begin.epoch:
        return begin.since
    low, high = begin.seq, row.seq - 1
    while low < high:
        middle = (low + high + 1) // 2
        if row_at(ledger, row.bank, middle).epoch < row.epoch:
            low = middle
        else:
            high = middle - 1
    return low
