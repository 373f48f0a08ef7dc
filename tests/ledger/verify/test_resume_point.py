"""Resume points carry the state and epoch that a pass from row 1 would have."""

from contextlib import closing
from pathlib import Path

import pytest

from jackpot.ledger.sqlite.store import SqliteLedger
from jackpot.ledger.store import LedgerCorrupt
from jackpot.ledger.verify.chain_verifier import ChainPosition, first
from jackpot.ledger.verify.resume_point import position_at, redecider_at, row_at
from jackpot.rules.events import RULES_VERSION
from tests.ledger.season import Season


def test_a_walk_goes_on_from_any_row(tmp_path: Path) -> None:
    """S8: the row after which an epoch began is found by halves; a state is there where one is sealed."""
    season = Season()
    with closing(SqliteLedger(tmp_path / "ledger.db")) as ledger:
        season.write(ledger)
        for row in season.rows:
            since = max((one.seq for one in season.rows if one.epoch < row.epoch), default=0)
            position = ChainPosition(row.seq, row.hash, row.epoch, RULES_VERSION, since)
            assert position_at(ledger, row, first("main")) == position
        sealed = row_at(ledger, "main", season.snapshots[-1].seq)
        judge = redecider_at(ledger, "main", position_at(ledger, sealed, first("main")))
        assert judge.engine.snapshot() == season.snapshots[-1].state
        with pytest.raises(LedgerCorrupt, match="there is no snapshot of row 40"):
            redecider_at(ledger, "main", position_at(ledger, row_at(ledger, "main", 40), first("main")))
