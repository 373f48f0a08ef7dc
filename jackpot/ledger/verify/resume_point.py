"""From where can a walk over a journal go on, and what must be known there to decide the next row?

From row 1, where nothing must be known; from a row whose state is sealed and kept; or from where an archive
leaves off, which an `archived` row says (S8).
"""

from collections.abc import Callable
from functools import partial

from jackpot.ledger.journal import Row
from jackpot.ledger.papers import last_written
from jackpot.ledger.reading import Reader
from jackpot.ledger.rebuild import check_sealed, engine_of
from jackpot.ledger.store import LedgerCorrupt
from jackpot.ledger.verify.chain_verifier import Joint, Judge
from jackpot.ledger.verify.signer_history import untrue_in
from jackpot.ledger.verify.timestamp_checks import Opened, Timely
from jackpot.rules.engine import Engine
from jackpot.rules.epoch import Epoch


def judge_on(
    ledger: Reader, bank: str, at: Joint, opened: Callable[[Opened], None] = lambda _opened: None
) -> Judge:
    """What decides the rows after a joint again, with what else of the ledger says whether they may be so.

    opened: as in `Timely`. Raises LedgerCorrupt where nothing can go on from there.
    """
    engine = Engine(bank) if not at.seq else _engine_at(ledger, bank, at)
    asked = {request.id: row_at(ledger, bank, request.seq) for request in engine.state.requests}
    return Judge(engine, untrue_in(ledger, bank), Timely(asked, opened), partial(last_written, ledger, bank))


def joint_at(ledger: Reader, row: Row, begin: Joint) -> Joint:
    """Where a walk stands after a row. begin: where the rows that are here begin."""
    return Joint(row.seq, row.hash, row.epoch, row.version, _before_epoch(ledger, row, begin))


def row_at(ledger: Reader, bank: str, seq: int) -> Row:
    """That row. Raises LedgerCorrupt where it is missing."""
    for row in ledger.rows(bank, seq - 1, 1):
        if row.seq == seq:
            return row
    raise LedgerCorrupt(f"{bank}: row {seq} is missing")


def _engine_at(ledger: Reader, bank: str, at: Joint) -> Engine:
    """The engine in the snapshot of that row, in the row's epoch."""
    snapshot = ledger.newest_snapshot(bank, below=at.seq + 1)
    if snapshot is None or (snapshot.seq, snapshot.hash) != (at.seq, at.hash):
        raise LedgerCorrupt(f"{bank}: there is no snapshot of row {at.seq}")
    check_sealed(ledger, snapshot)
    engine = engine_of(snapshot)
    engine.epoch = Epoch(at.since)
    return engine


def _before_epoch(ledger: Reader, row: Row, begin: Joint) -> int:
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
